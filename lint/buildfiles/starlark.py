"""Build files in Python's syntax: setup.py with torch extensions, Bazel's BUILD and .bzl.

Both are read with Python's own parser and never run. Lists of flags are followed through variables, appends and
dictionaries; what stands under a condition counts only when the condition asks for CUDA.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from cudalint.lint.buildfiles import nvcc
from cudalint.lint.buildfiles.names import enables_cuda, is_debug, is_nvcc_flags
from cudalint.lint.buildfiles.traced import UNKNOWN, Source, Traced

Value = list[Traced] | dict[str, "Value"]
_CUDA_KEYWORDS = frozenset({"extra_cuda_cflags", "extra_cuda_flags", "nvcc_copts", "cuda_copts", "nvcc_flags"})
_CUDA_CALLS = frozenset({"CUDA_HOME", "is_available", "__name__", "with_cuda", "use_cuda"})
_DEFAULT_CONDITION = "//conditions:default"
_ARCH_SEPARATOR = re.compile(r"[;,\s]+")


@dataclass(slots=True)
class Reader:
    """The state of one reading."""

    source: Source
    starts: list[int]
    values: dict[str, Value] = field(default_factory=dict)
    found: list[nvcc.Compilation] = field(default_factory=list)

    def index(self, line: int, column: int) -> int:
        """The character index of a position that ast gives: 1-based line, column in UTF-8 bytes."""
        start = self.starts[line - 1]
        return start + len(self.source.text[start : start + column].encode()[:column].decode(errors="ignore"))

    def text(self, node: ast.Constant) -> Traced:
        """A string literal's value, traced where it stands in the file as it is."""
        value = str(node.value)
        start = self.index(node.lineno, node.col_offset)
        for opening in range(start, start + 5):
            if self.source.text[opening : opening + len(value)] == value and opening > start:
                return Traced.at(value, opening)
        return Traced(value, (start,) * len(value))

    def value(self, node: ast.expr) -> Value:  # noqa: C901 - one case for each kind of node
        """A list of words or a dictionary of such lists; unknown parts are one UNKNOWN word."""
        match node:
            case ast.Constant(value=str()):
                return [self.text(node)]
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return [word for item in items for word in self.words(item)]
            case ast.Starred(value=inner):
                return self.value(inner)
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                return [*self.words(left), *self.words(right)]
            case ast.Name(id=name):
                return self.values.get(name, [Traced.made(UNKNOWN)])
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                return {
                    k.value: self.value(v)
                    for k, v in pairs
                    if isinstance(k, ast.Constant) and isinstance(k.value, str)
                }
            case ast.IfExp(test=test, body=body, orelse=other):
                taken = condition(test)
                return [Traced.made(UNKNOWN)] if taken is None else self.value(body if taken else other)
            case ast.Call(func=ast.Attribute(value=inner, attr="split"), args=[]):
                return [piece for word in self.words(inner) for piece in word.split()]
            case ast.Call(func=ast.Name(id="select"), args=[ast.Dict() as table, *_]):
                chosen = self.value(table)
                return chosen.get(_DEFAULT_CONDITION, []) if isinstance(chosen, dict) else chosen
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))):
                known = self.values.get(name)
                return known.get(key, []) if isinstance(known, dict) else [Traced.made(UNKNOWN)]
            case ast.Call(func=ast.Name(id=name), args=[ast.expr() as first, *_]) if not is_debug(name):
                return [*self.words(first), Traced.made(UNKNOWN)]  # a helper that adds to a list
        return [Traced.made(UNKNOWN)]

    def words(self, node: ast.expr) -> list[Traced]:
        """The words of an expression; none for a dictionary."""
        value = self.value(node)
        return value if isinstance(value, list) else []

    def emit(self, words: Sequence[Traced]) -> None:
        """Note flags that reach nvcc."""
        compilation = nvcc.compilation(words, self.source, when="the build as it is by default")
        if compilation.options:
            self.found.append(compilation)

    def run(self, body: Sequence[ast.stmt]) -> None:
        """Follow the statements in order."""
        for statement in body:
            self._calls(statement)
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    self.values[name] = self.value(value)
                case ast.Assign(targets=[ast.Subscript() as target], value=value):
                    self._store(target, value)
                case ast.AugAssign(target=target, op=ast.Add(), value=value):
                    self._extend(target, self.words(value))
                case ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=target, attr="append" | "extend"), args=[value])
                ):
                    self._extend(target, self.words(value))
                case ast.If(test=test, body=inner, orelse=other):
                    taken = condition(test)
                    if taken is not None:
                        self.run(inner if taken else other)
                case ast.For(body=inner) | ast.With(body=inner) | ast.Try(body=inner) | ast.ClassDef(body=inner):
                    self.run(inner)
                case ast.FunctionDef(body=inner, name=name) if not is_debug(name):
                    outer, self.values = self.values, dict(self.values)
                    self.run(inner)
                    self.values = outer

    def _store(self, target: ast.Subscript, value: ast.expr) -> None:
        key = target.slice.value if isinstance(target.slice, ast.Constant) else None
        if key == "TORCH_CUDA_ARCH_LIST":
            self._arch_list(self.words(value))
        elif isinstance(target.value, ast.Name) and isinstance(key, str):
            table = self.values.get(target.value.id)
            if isinstance(table, dict):
                table[key] = self.value(value)

    def _arch_list(self, words: Sequence[Traced]) -> None:
        for word in words:
            for item in word.split(_ARCH_SEPARATOR):
                span = self.source.span_of(item)
                number = item.text.replace(".", "").removesuffix("+PTX")
                option = nvcc.Option("cuda-architecture", number, span, span)
                self.found.append(nvcc.Compilation((option,), when="the build as it is by default"))

    def _extend(self, target: ast.expr, words: list[Traced]) -> None:
        match target:
            case ast.Name(id=name):
                old = self.values.get(name, [])
                self.values[name] = [*old, *words] if isinstance(old, list) else old
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))):
                table = self.values.get(name)
                if isinstance(table, dict):
                    old = table.get(key, [])
                    table[key] = [*old, *words] if isinstance(old, list) else old

    def _calls(self, statement: ast.stmt) -> None:
        """Note the flags in calls of a simple statement."""
        if isinstance(statement, ast.If | ast.For | ast.With | ast.Try | ast.FunctionDef | ast.ClassDef):
            return
        for call in [n for n in ast.walk(statement) if isinstance(n, ast.Call)]:
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            for keyword in call.keywords:
                if keyword.arg == "extra_compile_args":
                    table = self.value(keyword.value)
                    flags = table.get("nvcc", []) if isinstance(table, dict) else []
                    self.emit(flags if isinstance(flags, list) else [])
                elif keyword.arg in _CUDA_KEYWORDS or (keyword.arg == "copts" and "cuda" in name):
                    self.emit(self.words(keyword.value))


def condition(test: ast.expr) -> bool | None:
    """Whether a condition holds by default: one for debugging does not, one that asks for CUDA does."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = condition(test.operand)
        return None if inner is None else not inner
    names = [n.id for n in ast.walk(test) if isinstance(n, ast.Name)]
    names += [n.attr for n in ast.walk(test) if isinstance(n, ast.Attribute)]
    names += [n.value for n in ast.walk(test) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    if any(is_debug(n) for n in names):
        return False
    return True if names and any(n in _CUDA_CALLS or enables_cuda(n) for n in names) else None


def read(path: Path, text: str) -> tuple[nvcc.Compilation, ...]:
    """What a setup.py, BUILD or .bzl file hands to nvcc by default; nothing when it does not parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    lines = text.split("\n")
    reader = Reader(Source(str(path), text), [0, *accumulate(len(line) + 1 for line in lines)])
    reader.run(tree.body)
    return tuple(reader.found) + tuple(_conventional(reader))


def _conventional(reader: Reader) -> Iterator[nvcc.Compilation]:
    """Lists that are nvcc's flags by their name, for files that others load."""
    for name, value in reader.values.items():
        if is_nvcc_flags(name) and isinstance(value, list):
            yield nvcc.compilation(value, reader.source, when="the build as it is by default")
