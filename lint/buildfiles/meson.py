"""Meson's build files: arguments of the language cuda in a release build."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cudalint.lint.buildfiles import nvcc
from cudalint.lint.buildfiles.names import enables_cuda, is_debug
from cudalint.lint.buildfiles.traced import UNKNOWN, Source, Traced

_TOKEN = re.compile(
    r"(?P<space>[ \t\r]+|\\\n|#[^\n]*)|(?P<string>'''(?P<long>.*?)'''|'(?P<short>(?:[^'\\\n]|\\.)*)')"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<number>\d+)|(?P<op>\+=|==|!=|<=|>=|[-+*/%<>=?:.,()\[\]{}])|(?P<newline>\n)|(?P<other>.)",
    re.DOTALL,
)
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True, slots=True)
class Token:
    """A token: `kind` is string, name, number, op or newline; strings come without quotes."""

    kind: str
    text: Traced


@dataclass(slots=True)
class Reader:
    """The state of one reading; `skipped` has an entry for each open block: whether it does not count."""

    source: Source
    values: dict[str, list[Traced]] = field(default_factory=dict)
    found: list[nvcc.Compilation] = field(default_factory=list)
    skipped: list[bool] = field(default_factory=list)

    def statement(self, tokens: Sequence[Token]) -> None:
        """Take one statement: a block's head or end, an assignment or a call."""
        head = tokens[0].text.text if tokens[0].kind == "name" else ""
        if head in {"if", "foreach"}:
            self.skipped.append(head == "if" and condition(tokens[1:]) is not True)
        elif head in {"elif", "else"} and self.skipped:
            denied = condition(tokens[1:]) if head == "elif" else self.skipped[-1] and None
            self.skipped[-1] = denied is not True
        elif head in {"endif", "endforeach"} and self.skipped:
            self.skipped.pop()
        elif not any(self.skipped):
            self._assign_or_call(tokens)

    def _assign_or_call(self, tokens: Sequence[Token]) -> None:
        if len(tokens) > 2 and tokens[0].kind == "name" and tokens[1].text.text in {"=", "+="}:
            name = tokens[0].text.text
            old = self.values.get(name, []) if tokens[1].text.text == "+=" else []
            self.values[name] = [*old, *self.words(tokens[2:])]
        for i, token in enumerate(tokens[:-1]):
            if token.kind == "name" and tokens[i + 1].text.text == "(":
                self._call(token.text.text, _arguments(tokens, i + 1))

    def _call(self, name: str, arguments: list[tuple[str, Sequence[Token]]]) -> None:
        named = dict(arguments)
        if "cuda_args" in named:
            self.emit(self.words(named["cuda_args"]))
        languages = [w.text for w in self.words(named.get("language", ()))]
        if name in {"add_project_arguments", "add_global_arguments"} and "cuda" in languages:
            for keyword, value in arguments:
                if not keyword:
                    self.emit(self.words(value))

    def words(self, tokens: Sequence[Token]) -> list[Traced]:
        """The strings of an expression, with variables replaced; a choice is unknown."""
        if any(t.text.text == "?" for t in tokens):
            return [Traced.made(UNKNOWN)]
        result: list[Traced] = []
        for token in tokens:
            if token.kind == "string":
                result.append(token.text)
            elif token.kind == "name":
                result.extend(self.values.get(token.text.text, [Traced.made(UNKNOWN)]))
        return result

    def emit(self, words: Sequence[Traced]) -> None:
        """Note flags that reach nvcc."""
        compilation = nvcc.compilation(words, self.source, when="a release build")
        if compilation.options:
            self.found.append(compilation)


def condition(tokens: Sequence[Token]) -> bool | None:
    """Whether a condition holds in a release build: one for debugging does not, one that asks for CUDA does."""
    texts = [t.text.text for t in tokens if t.kind in {"name", "string"}]
    if "not" in texts or "or" in texts or "!=" in [t.text.text for t in tokens]:
        return None
    if any(is_debug(t) for t in texts):
        return False
    return True if any(enables_cuda(t) or t == "cuda" for t in texts) else None


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if match["string"] is not None:
            group = "long" if match["long"] is not None else "short"
            tokens.append(Token("string", Traced.at(match[group], match.start(group))))
        elif kind not in {"space", "other"}:
            tokens.append(Token(kind, Traced.at(match[0], match.start())))
    return tokens


def _statements(tokens: Sequence[Token]) -> list[list[Token]]:
    """Tokens up to a newline outside brackets."""
    statements: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.kind == "op" and token.text.text in _OPEN) - (
            token.kind == "op" and token.text.text in _CLOSE
        )
        if token.kind != "newline":
            statements[-1].append(token)
        elif depth <= 0 and statements[-1]:
            statements.append([])
    return [s for s in statements if s]


def _arguments(tokens: Sequence[Token], opening: int) -> list[tuple[str, Sequence[Token]]]:
    """The arguments of the call whose bracket is at `opening`: keyword or empty, and tokens."""
    arguments: list[tuple[str, Sequence[Token]]] = []
    depth, start = 0, opening + 1
    for i in range(opening, len(tokens)):
        text = tokens[i].text.text if tokens[i].kind == "op" else ""
        depth += (text in _OPEN) - (text in _CLOSE) if text else 0
        if (text == "," and depth == 1) or depth == 0:
            part = tokens[start:i]
            keyword = len(part) > 1 and part[0].kind == "name" and part[1].text.text == ":"
            arguments.append((part[0].text.text, part[2:]) if keyword else ("", part))
            start = i + 1
        if depth == 0:
            break
    return arguments


def read(path: Path, text: str) -> tuple[nvcc.Compilation, ...]:
    """What a meson.build file hands to nvcc in a release build."""
    reader = Reader(Source(str(path), text))
    for statement in _statements(_tokens(text)):
        reader.statement(statement)
    return tuple(reader.found)
