"""CUD901: API that the target toolkit has removed, changed or deprecated."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudalint.lint.analysis.directives import chosen_by_the_build
from cudalint.lint.analysis.toolkit_api import CHANGED, FUNCTIONS, PROPERTIES, REFERENCES, Retired, Version
from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Severity
from cudalint.lint.model.expressions import Call, Member
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.source import Span
from cudalint.lint.model.types import PointerType, RecordType, Type
from cudalint.lint.model.walk import walk
from cudalint.rules.base import Meta, SourceRule

_NAMES = re.compile(r"\bcuda[A-Z]\w+")
"""The names of successors in a line of advice."""


class RemovedOrDeprecatedApi(SourceRule):
    """Names of the CUDA runtime that newer toolkits no longer have, or are about to lose.

    ## What it does
    Finds calls, members of `cudaDeviceProp`, and texture and surface references that the target toolkit has
    removed or whose parameters it has changed (a warning: the code does not compile), and those that it has
    deprecated (information). The target toolkit is the setting `cuda`, 13.0 by default.

    ## Why is this bad?
    Code with removed names stops compiling on the day that the toolkit is updated. Most of them have had a
    successor with the same meaning for years.

    ## Example
    ```cuda
    void finish()
    {
        cudaThreadSynchronize();
    }
    ```

    ## Use instead
    ```cuda
    void finish()
    {
        cudaDeviceSynchronize();
    }
    ```

    ## When it does not apply
    Code under `#if CUDART_VERSION < …` for older toolkits is not compiled for the target and is not looked at.
    Where a macro of the project decides between two ways (`#if … #else`), calls are left to the build that sets it.
    Functions of the project's own that carry such a name are left alone.

    ## References
    - CUDA Toolkit release notes: deprecated and dropped features
    - CUDA Runtime API: deprecated list; API differences between versions
    - CUDA C++ Programming Guide: texture object API
    """

    meta = Meta(
        code="CUD901",
        name="removed-or-deprecated-api",
        summary="The target toolkit has removed, changed or deprecated this API",
        category="deprecation",
        severity=Severity.WARNING,
        since="0.1.0",
        fix=Applicability.SAFE,
    )

    def check(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield a finding for each use; instances of a template count once."""
        seen: set[tuple[str, int, int]] = set()
        target = unit.options.cuda
        for variable in unit.program.globals:
            retired = REFERENCES.get(_template(variable.symbol.type))
            if retired is not None and variable.symbol.span.start not in seen:
                seen.add(variable.symbol.span.start)
                kind = _template(variable.symbol.type)
                yield from self._retired(variable.symbol.span, f"{kind} references", retired, target, None)
        for function in unit.program.functions.values():
            for finding in self._uses(unit.program, function, target):
                if finding.span.start not in seen:
                    seen.add(finding.span.start)
                    if not chosen_by_the_build(
                        unit.program.files[finding.span.file], finding.span.offset, _NAMES.findall(finding.help)
                    ):
                        yield finding

    def _uses(self, program: TranslationUnit, function: Function, target: Version) -> Iterator[Diagnostic]:
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, Call) and node.key is None and node.receiver is None:
                retired, changed = FUNCTIONS.get(node.name), CHANGED.get(node.name)
                if retired is not None:
                    yield from self._retired(node.span, node.name, retired, target, _rename(program, node, retired))
                elif changed is not None and target >= changed.since and changed.old(node.args):
                    yield self._changed(node, changed.since, changed.now)
            elif (
                isinstance(node, Member) and node.field in PROPERTIES and _record(node.base.type) == "cudaDeviceProp"
            ):
                yield from self._retired(
                    node.span, f"cudaDeviceProp::{node.field}", PROPERTIES[node.field], target, None
                )

    def _retired(
        self, span: Span, name: str, retired: Retired, target: Version, fix: Fix | None
    ) -> Iterator[Diagnostic]:
        gone = retired.removed is not None and target >= retired.removed
        if not gone and target < retired.deprecated:
            return
        since = retired.removed if gone and retired.removed is not None else retired.deprecated
        plural = name.endswith("references")
        verb = ("were" if plural else "was") if gone else ("are" if plural else "is")
        yield self.finding(
            span,
            f"{name} {verb} {'removed in' if gone else 'deprecated since'} CUDA {since[0]}.{since[1]}",
            severity=Severity.WARNING if gone else Severity.INFO,
            reason="this does not compile with the target toolkit" if gone else "a later toolkit will remove it",
            help=f"use {retired.instead}",
            evidence={
                "name": name,
                "status": "removed" if gone else "deprecated",
                "since": f"{since[0]}.{since[1]}",
                "cuda": f"{target[0]}.{target[1]}",
            },
            fix=fix,
        )

    def _changed(self, call: Call, since: Version, now: str) -> Diagnostic:
        return self.finding(
            call.span,
            f"{call.name} has other parameters since CUDA {since[0]}.{since[1]}",
            reason="this call does not compile with the target toolkit",
            help=f"it takes {now}",
            evidence={"name": call.name, "status": "changed", "since": f"{since[0]}.{since[1]}"},
        )


def _rename(program: TranslationUnit, call: Call, retired: Retired) -> Fix | None:
    """The successor's name in the place of the old one, where the source has it."""
    span = call.span
    if retired.same is None or span.macro or not program.text(span).startswith(call.name):
        return None
    end = span.column + len(call.name)
    place = Span(span.file, span.line, span.column, span.line, end, span.offset, span.offset + len(call.name))
    return Fix(Applicability.SAFE, f"call {retired.same}", (Edit(place, retired.same),))


def _template(of: Type) -> str:
    """The class template of a texture or surface reference's type."""
    return of.name.partition("<")[0] if isinstance(of, RecordType) and "<" in of.name else ""


def _record(of: Type) -> str:
    """The name of a record, or of what a pointer or reference to it points to."""
    inner = of.pointee if isinstance(of, PointerType) else of
    return inner.name if isinstance(inner, RecordType) else ""
