"""Comments that silence findings, and what is wrong with them.

Understood are `cudalint: ignore[CODE] reason` (at the end of a line for that line, alone on a line for the next
statement), `disable[CODE]` … `enable[CODE]`, `file-ignore[CODE]`, and clang-tidy's `NOLINT(cudalint-CODE)`,
`NOLINTNEXTLINE`, `NOLINTBEGIN` … `NOLINTEND`. Codes and rule names are equal; there is no form without a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from cudalint.lint.comments import Comment, SourceText
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix
from cudalint.lint.model.source import Span

UNUSED = "CUD990"
NO_REASON = "CUD991"
_META = frozenset({UNUSED, NO_REASON})

MAX_TRAILING_SPAN = 8
"""A comment behind the last line of a finding silences it too, if the finding is no longer than this."""

_DIRECTIVE = re.compile(
    rb"cudalint:[ \t]*(?P<verb>[A-Za-z][A-Za-z-]*)[ \t]*(?:\[(?P<list>[^\]\n]*)\])?(?P<reason>[^\n]*)"
    rb"|(?P<nolint>NOLINT(?:NEXTLINE|BEGIN|END)?)\((?P<checks>[^)\n]*)\)(?P<why>[^\n]*)"
)
_VERBS = frozenset({"ignore", "disable", "enable", "file-ignore"})
_OTHER_VERBS = frozenset({"verify"})
_MARKERS = (b"cudalint:", b"NOLINT")
_CHECK_PREFIX = "cudalint-"
_PLACEHOLDERS = frozenset({"reason", "<reason>", "<explanation>", "todo", "fixme"})


@dataclass(slots=True)
class Directive:
    """One suppression comment: the rules it names, the lines it covers, what it did."""

    verb: str
    names: tuple[str, ...]
    codes: tuple[str | None, ...]
    span: Span
    list_span: Span
    comment: Comment
    reason: str
    lines: tuple[int, int]
    used: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to report about a suppression, under the code of a meta rule."""

    code: str
    span: Span
    message: str
    help: str
    fix: Fix | None = None


def has_markers(data: bytes) -> bool:
    """Whether a file can hold a suppression at all: most do not, and need no scan."""
    return any(marker in data for marker in _MARKERS)


class FileSuppressions:
    """The suppressions of one file.

    `resolve` turns a code or a rule's name into a code, or None for an unknown one.
    """

    def __init__(
        self, file: str, data: bytes, resolve: Callable[[str], str | None], *, hash_comments: bool = False
    ) -> None:
        self._file = file
        self._text = SourceText(data, hash_comments=hash_comments)
        self._resolve = resolve
        self._malformed: list[Problem] = []
        self.directives: list[Directive] = []
        for comment in self._text.comments if has_markers(data) else ():
            self._read(comment)
        self._close_ranges()

    def _span(self, start: int, end: int) -> Span:
        text = self._text
        return Span(
            self._file, text.line_of(start), text.column_of(start), text.line_of(end), text.column_of(end), start, end
        )

    def _read(self, comment: Comment) -> None:
        raw = self._text.data[comment.offset : comment.end_offset]
        for match in _DIRECTIVE.finditer(raw):
            if match["nolint"]:
                self._read_nolint(comment, match)
            else:
                self._read_own(comment, match)

    def _read_own(self, comment: Comment, match: re.Match[bytes]) -> None:
        verb = match["verb"].decode().lower()
        span = self._span(
            comment.offset + match.start(), comment.offset + match.end("list" if match["list"] else "verb")
        )
        if verb in _OTHER_VERBS:
            return
        if verb not in _VERBS:
            known = ", ".join(sorted(_VERBS))
            self._malformed.append(
                Problem(UNUSED, span, f"unknown directive {verb!r} silences nothing", f"use {known}")
            )
            return
        names = _split(match["list"] or b"")
        if not names:
            message = f"{verb} without a list of rules silences nothing"
            self._malformed.append(Problem(UNUSED, span, message, f"name the rules: {verb}[CUD101]"))
            return
        self._add(comment, match, verb, names, "list", _reason(match["reason"]))

    def _read_nolint(self, comment: Comment, match: re.Match[bytes]) -> None:
        ours = [n for n in _split(match["checks"]) if n.casefold().startswith(_CHECK_PREFIX)]
        if ours:
            self._add(comment, match, match["nolint"].decode(), ours, "checks", _reason(match["why"]))

    def _add(
        self, comment: Comment, match: re.Match[bytes], verb: str, names: Sequence[str], group: str, reason: str
    ) -> None:
        start = comment.offset
        bare = [n[len(_CHECK_PREFIX) :] if n.casefold().startswith(_CHECK_PREFIX) else n for n in names]
        self.directives.append(
            Directive(
                verb=verb,
                names=tuple(names),
                codes=tuple(self._resolve(name) for name in bare),
                span=self._span(start + match.start(), start + match.end(group) + 1),
                list_span=self._span(start + match.start(group), start + match.end(group)),
                comment=comment,
                reason=reason,
                lines=self._covered(comment, verb, self._text.line_of(start + match.start())),
            )
        )

    def _covered(self, comment: Comment, verb: str, line: int) -> tuple[int, int]:
        last = len(self._text.starts)
        if verb == "file-ignore":
            return 1, last
        if verb in ("disable", "NOLINTBEGIN"):
            return line, last
        if verb == "NOLINTNEXTLINE":
            return line + 1, line + 1
        if verb == "ignore" and comment.own_line:
            return self._text.next_statement(comment.end_offset)
        return line, line

    def _close_ranges(self) -> None:
        """Let each `enable` end the nearest open `disable` of the same rules."""
        for opener, closer in (("disable", "enable"), ("NOLINTBEGIN", "NOLINTEND")):
            open_now: list[Directive] = []
            for directive in self.directives:
                if directive.verb == opener:
                    open_now.append(directive)
                elif directive.verb == closer:
                    self._close(directive, open_now)

    def _close(self, closer: Directive, open_now: list[Directive]) -> None:
        wanted = set(closer.codes)
        for opened in reversed(open_now):
            if wanted & set(opened.codes):
                opened.lines = (opened.lines[0], closer.lines[0])
                open_now.remove(opened)
                closer.used |= {c for c in closer.codes if c}
                return

    def silence(self, findings: Iterable[Diagnostic]) -> list[Diagnostic]:
        """The findings of this file that no suppression covers; remembers which suppressions worked."""
        return [finding for finding in findings if not self._silences(finding)]

    def _silences(self, finding: Diagnostic) -> bool:
        span, hit = finding.span, False
        for directive in self.directives:
            if directive.verb in ("enable", "NOLINTEND") or finding.code not in directive.codes:
                continue
            first, last = directive.lines
            inside = first <= span.line <= last
            behind = first == last == span.end_line and span.end_line - span.line < MAX_TRAILING_SPAN
            if inside or (behind and not directive.comment.own_line):
                directive.used.add(finding.code)
                hit = True
        return hit

    def problems(self, active: frozenset[str]) -> Iterator[Problem]:
        """What to say about the suppressions, after `silence` has seen all findings.

        A suppression counts as unused only for rules in `active`, those that ran on this file.
        """
        yield from self._malformed
        for directive in self.directives:
            unknown = [n for n, code in zip(directive.names, directive.codes, strict=True) if code is None]
            idle = [
                name
                for name, code in zip(directive.names, directive.codes, strict=True)
                if code in active and code not in directive.used and code not in _META
            ]
            if unknown or idle:
                yield self._unused(directive, unknown, idle)
            if not directive.reason and directive.verb not in ("enable", "NOLINTEND"):
                message = f"this {directive.verb} does not say why {', '.join(directive.names)} is silenced"
                yield Problem(NO_REASON, directive.span, message, "write the reason behind the list")

    def _unused(self, directive: Directive, unknown: list[str], idle: list[str]) -> Problem:
        parts = []
        if unknown:
            parts.append(f"{', '.join(unknown)} {'is no rule' if len(unknown) == 1 else 'are no rules'}")
        if idle:
            opens = directive.verb in ("enable", "NOLINTEND")
            parts.append(f"{', '.join(idle)} {'is not disabled' if opens else 'is not reported'} here")
        gone = {*unknown, *idle}
        keep = [name for name in directive.names if name not in gone]
        message = f"unused {directive.verb}: {'; '.join(parts)}"
        fix = Fix(Applicability.SAFE, "remove the unused suppression", (self._removal(directive, keep),))
        return Problem(UNUSED, directive.span, message, "remove it, or correct the code", fix)

    def _removal(self, directive: Directive, keep: list[str]) -> Edit:
        """The edit that drops a directive: its names, itself, its comment or the whole line, what is left empty."""
        text, comment = self._text, directive.comment
        written = _split(text.data[directive.list_span.offset : directive.list_span.end_offset])
        kept = [name for name in written if name in keep or name not in directive.names]
        if kept:
            return Edit(directive.list_span, ", ".join(kept))
        others = any(d is not directive and d.comment is comment for d in self.directives)
        prefix = text.data[comment.offset : directive.span.offset].strip(b" \t/*#!<")
        if others or prefix:
            return Edit(self._span(directive.span.offset, self._end_of(directive)), "")
        start, end = comment.offset, comment.end_offset
        line_start = text.starts[comment.line - 1]
        if comment.own_line:
            end = text.starts[comment.end_line] if comment.end_line < len(text.starts) else len(text.data)
            return Edit(self._span(line_start, end), "")
        while start > line_start and text.data[start - 1 : start] in (b" ", b"\t"):
            start -= 1
        return Edit(self._span(start, end), "")

    def _end_of(self, directive: Directive) -> int:
        """Where a directive with its reason ends inside its comment."""
        later = [
            d.span.offset
            for d in self.directives
            if d.comment is directive.comment and d.span.offset > directive.span.offset
        ]
        end = directive.comment.end_offset
        if self._text.data[end - 2 : end] == b"*/":
            end -= 2
        return min(later, default=end)


def _split(raw: bytes) -> list[str]:
    return [name for part in raw.decode("utf-8", "replace").split(",") if (name := part.strip())]


def _reason(raw: bytes) -> str:
    """The words behind a list; a placeholder or bare punctuation is none."""
    text = re.split(r"NOLINT|cudalint:|\s//", raw.decode("utf-8", "replace"))[0]
    text = text.removesuffix("*/").strip().strip("-:;,/").strip()
    return "" if text.casefold() in _PLACEHOLDERS or not any(c.isalpha() for c in text) else text
