"""Which kernel of a running program a finding means, and what its fix makes of the program's files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cudalint.lint.analysis.unit import Unit
from cudalint.lint.diagnostics import Diagnostic, Edit
from cudalint.lint.fixes import apply_edits
from cudalint.lint.model.program import Function, FunctionKind
from cudalint.lint.model.types import ArrayType, FloatType, PointerType, RecordType, Type
from cudalint.verify.plan import NotVerifiableError
from cudalint.verify.program_build import plain_name
from cudalint.verify.program_job import Seen
from cudalint.verify.verifier import file_in, runs_code_of


@dataclass(frozen=True, slots=True)
class Launched:
    """A kernel as the model has it, and its name in the program. `launches` that are not into a graph."""

    kernel: Function
    name: str
    launches: int


def launched(unit: Unit, finding: Diagnostic, seen: Sequence[Seen]) -> Launched:
    """The kernel to look at for a finding: the first that the program launches of those that run its code.

    Raises:
        NotVerifiableError: the program launches none, or only into CUDA graphs.
    """
    kernels = [k for k in unit.kernels if runs_code_of(unit, k, finding)]
    if not kernels:
        raise NotVerifiableError(f"no kernel that runs {finding.kernel} was found in this file or beside it")
    exact = {plain_name(k.mangled): k for k in kernels if k.mangled}
    pairs = [(exact.get(plain_name(s.kernel)), s) for s in seen]
    if not any(kernel for kernel, _ in pairs):
        pairs = [(_named(kernels, s.kernel), s) for s in seen]
    found = [(kernel, s) for kernel, s in pairs if kernel is not None]
    if not found:
        raise NotVerifiableError(f"the program does not launch {kernels[0].name} when it is run like this")
    kernel, first = next(((k, s) for k, s in found if not s.captured), (None, found[0][1]))
    if kernel is None:
        raise NotVerifiableError(f"the program launches {kernels[0].name} only into CUDA graphs")
    return Launched(kernel, first.kernel, sum(s.kernel == first.kernel and not s.captured for _, s in found))


def _named(kernels: Sequence[Function], mangled: str) -> Function | None:
    """A kernel of the same unqualified name: an instance that the model does not have."""
    name = plain_name(mangled)
    return next((k for k in kernels if f"{len(k.name)}{k.name}" in name or k.name == name), None)


def fixed_contents(unit: Unit, finding: Diagnostic) -> dict[Path, bytes]:
    """All files that the finding's fix changes, as they are then.

    Raises:
        NotVerifiableError: there is nothing to apply.
    """
    if finding.fix is None or not finding.fix.edits:
        raise NotVerifiableError("there is no rewrite to compare with: the advice is to be applied by hand")
    by_file: dict[str, list[Edit]] = {}
    for edit in finding.fix.edits:
        if edit.span.macro:
            raise NotVerifiableError("the fix edits the expansion of a macro")
        by_file.setdefault(file_in(unit, edit.span.file), []).append(edit)
    made = {}
    for name, edits in by_file.items():
        content = unit.program.files.get(name)
        if content is None or not Path(name).is_file():
            raise NotVerifiableError(f"{Path(name).name}, which the fix edits, is no file on disk")
        try:
            made[Path(name)] = apply_edits(content, edits)
        except ValueError as error:
            raise NotVerifiableError(str(error)) from None
    return made


def may_change_launch(unit: Unit, finding: Diagnostic) -> bool:
    """Whether the fix edits anything outside of device functions: then the launch of the fixed program counts."""
    device = [f.span for f in unit.program.functions.values() if f.kind is not FunctionKind.HOST]
    device += [k.span for k in unit.kernels]
    edits = finding.fix.edits if finding.fix is not None else ()
    return not all(
        any(d.file == e.span.file and d.offset <= e.span.offset < d.end_offset for d in device) for e in edits
    )


def element_types(kernel: Function) -> Mapping[int, str]:
    """Element types of the kernel's pointer parameters: f32 and the like, bytes for what is not floating-point."""
    return {
        index: _element(param.type.pointee) or "bytes"
        for index, param in enumerate(kernel.params)
        if isinstance(param.type, PointerType)
    }


def _element(of: Type) -> str:
    """Empty for what is not made of one kind of floating-point number throughout."""
    if isinstance(of, FloatType) and of.bits in {16, 32, 64}:
        return "bf16" if "bfloat16" in of.name else f"f{of.bits}"
    if isinstance(of, ArrayType):
        return _element(of.element)
    if isinstance(of, RecordType) and of.fields:
        kinds = {_element(member.type) for member in of.fields}
        return kinds.pop() if len(kinds) == 1 else ""
    return ""
