"""Which findings are printed where one rule says much the same many times in one file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from cudalint.lint.diagnostics import Diagnostic, Severity

SPARED = 2
"""Fewer findings than this are printed all the same: a line that stands for one says less than it does."""


def folded(findings: Sequence[Diagnostic], most: int) -> Iterator[tuple[Diagnostic, tuple[Diagnostic, ...]]]:
    """The findings to print, each with those that it stands for, in their order.

    Of each rule in each file the `most` gravest are printed (0: all), the first of equal ones, and the last of them
    stands for the others. Errors, and findings with a verdict from a GPU, are always printed.
    """
    groups: dict[tuple[str, str], list[Diagnostic]] = defaultdict(list)
    for finding in findings:
        if finding.severity < Severity.ERROR and finding.verification is None:
            groups[finding.filename, finding.code].append(finding)
    hidden: set[int] = set()
    stands: dict[int, tuple[Diagnostic, ...]] = {}
    for group in groups.values():
        chosen = {id(d) for d in sorted(group, key=lambda d: -d.severity)[:most]} if most else set()
        others = tuple(d for d in group if id(d) not in chosen)
        if most and len(others) >= SPARED:
            hidden |= {id(d) for d in others}
            stands[next(id(d) for d in reversed(group) if id(d) in chosen)] = others
    for finding in findings:
        if id(finding) not in hidden:
            yield finding, stands.get(id(finding), ())
