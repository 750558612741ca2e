"""Device-only source for NVRTC: of the project's files only what a kernel needs.

NVRTC has no host standard library. What the kernel does not need becomes blanks (line numbers stay), standard
headers become a small shim, project headers are written beside the main file in the same layout.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from cudalint.lint.frontend import parse_file
from cudalint.lint.frontend.hostparts import declarations
from cudalint.lint.model.program import Function, TranslationUnit
from cudalint.lint.model.types import Type, spelled
from cudalint.verify.needed import without_rest
from cudalint.verify.shim import shim

_TOOLKIT = re.compile(
    r"^(cooperative_groups|cuda/|cub/|thrust/|nv/|cuda_fp|cuda_bf16|cuda_pipeline|cuda_awbarrier|cuComplex|mma\.h"
    r"|curand_|math_constants|vector_functions|helper_math)"
)
"""Headers that device code needs for real, from the toolkit's include folder."""

MAX_OTHERS = 4
"""Sources beside a kernel's own that are taken in for the device functions that they define."""

KEPT_FOLDERS = 3
"""Folders above the common one whose names are kept: includes may name them (`<library/part.h>`)."""

UNKNOWN = "…"
"""The value of a template argument that is neither a type nor a number, such as a function."""
_FUNCTION_ARGUMENT = re.compile(r"XadL_Z(\d+\w+)")
"""A function as template argument, in a mangled name."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_INTERNAL = re.compile(r"^_ZL|^_ZN(\d*\w+)?12_GLOBAL__N_1")
"""Mangled names of what a file keeps to itself: `static`, or in a namespace without a name."""
_LIBRARIES = frozenset({"thrust", "cub"})
"""Libraries of the toolkit that device code seldom needs, and that take long to read."""
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DeviceSource:
    """A main text and the folders to search for what it includes."""

    text: str
    include_dirs: tuple[Path, ...]


def device_source(program: TranslationUnit, kernel: Function, folder: Path) -> DeviceSource:
    """Write what the kernel needs of the project's files below `folder` and give the main file's text.

    Raises:
        OSError: the folder cannot be written.
    """
    roots = [kernel.name, *_NAME.findall(name_expression(program, kernel))]
    files, declared = _with_headers(program), declarations(program)
    found = without_rest(files, declared, roots)
    others = _defining(program, found.undefined)
    for other in others:
        files = {**_with_headers(other), **files}
        declared = (*declared, *declarations(other))
    needed = without_rest(files, declared, [*roots, *found.undefined]).files if others else found.files
    main = write_tree(needed, program.path, folder / "tree")
    written = [path for path in sorted((folder / "tree").rglob("*")) if path.is_file()]
    dirs = dict.fromkeys(path.parent for path in written)
    stand_ins = folder / "shim"
    for name, data in needed.items():
        for quote, header in _INCLUDE.findall(data):
            wanted = header.decode(errors="replace")
            _shim_header(stand_ins, Path(name), wanted, needed, quoted=quote == b'"')
            dirs.update(dict.fromkeys(_roots(written, wanted)))
    stand_ins.mkdir(parents=True, exist_ok=True)
    (stand_ins / "cudalint_shim.h").write_text(shim(needed.values()))
    text = needed.get(program.path, b"").decode("utf-8", "replace")
    behind = "".join(f'\n#include "{Path(other.path).name}"' for other in others)
    return DeviceSource(f'#include "cudalint_shim.h"\n#line 1\n{text}{behind}\n', (main.parent, *dirs, stand_ins))


def _defining(program: TranslationUnit, names: Iterable[str]) -> list[TranslationUnit]:
    """The sources beside a unit's that define device functions which it only declares."""
    left = set(names)
    own = {os.path.realpath(name) for name in program.files if name.endswith(".cu")}
    units: list[TranslationUnit] = []
    for path in sorted(Path(program.path).parent.glob("*.cu")) if left else ():
        if os.path.realpath(path) in own or len(units) == MAX_OTHERS:
            continue
        data = path.read_bytes()
        if not any(re.search(rf"\b{name}\s*\(".encode(), data) for name in left):
            continue
        unit = parse_file(path, flags=program.flags)
        here = {f.name for f in unit.functions.values() if os.path.realpath(f.span.file) == os.path.realpath(path)}
        if here & left and not own & {os.path.realpath(name) for name in unit.files}:
            left -= here
            units.append(unit)
    return units


def write_tree(files: Mapping[str, bytes], main: str, folder: Path) -> Path:
    """Write files below `folder` in the layout that they have; the place of the main one is returned."""
    plain = {name: PurePath(os.path.normpath(Path(name).absolute())) for name in files}
    root = _common_root(plain.values())
    for name, data in files.items():
        target = folder / plain[name].relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder / plain[main].relative_to(root)


def _common_root(files: Iterable[PurePath]) -> PurePath:
    parts = [f.parent.parts for f in files]
    common = []
    for level in zip(*parts, strict=False):
        if len(set(level)) != 1:
            break
        common.append(level[0])
    return PurePath(*common[: max(1, len(common) - KEPT_FOLDERS)])


def _with_headers(program: TranslationUnit) -> dict[str, bytes]:
    """The unit's files with those headers of the project that declare nothing, but define macros."""
    files = dict(program.files)
    known = {os.path.realpath(name) for name in files}
    todo = list(files)
    folders = list(dict.fromkeys(Path(name).parent for name in files))
    while todo:
        name = todo.pop()
        for quote, header in _INCLUDE.findall(files[name]):
            places = [Path(name).parent, *folders] if quote == b'"' else folders
            found = next((p / header.decode() for p in places if (p / header.decode()).is_file()), None)
            if found is not None and os.path.realpath(found) not in known:
                known.add(os.path.realpath(found))
                files[str(found)] = found.read_bytes()
                todo.append(str(found))
    return files


def _roots(written: Iterable[Path], header: str) -> list[Path]:
    """The folders below which a header of the project lies as it is included."""
    parts = PurePath(os.path.normpath(header)).parts
    return [path.parents[len(parts) - 1] for path in written if path.parts[-len(parts) :] == parts]


def _shim_header(folder: Path, source: Path, header: str, own: Mapping[str, bytes], *, quoted: bool) -> None:
    """An empty stand-in for a header that is neither the project's nor one that device code needs."""
    library = header.split("/")[0]
    used = library not in _LIBRARIES or any(re.search(rf"\b{library}::".encode(), data) for data in own.values())
    if (used and _TOOLKIT.match(header)) or ".." in PurePath(header).parts or PurePath(header).is_absolute():
        return
    if quoted and os.path.normpath(source.parent / header) in {os.path.normpath(name) for name in own}:
        return
    if any(PurePath(name).parts[-len(PurePath(header).parts) :] == PurePath(header).parts for name in own):
        return
    target = folder / header
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("#pragma once\n")


def name_expression(program: TranslationUnit, kernel: Function) -> str:
    """`ns::kernel<float, 32>` for a template instance, the name of one that only its file sees, else empty."""
    if not kernel.template_args:
        return kernel.qualified if _INTERNAL.match(kernel.mangled) else ""
    names = iter(_FUNCTION_ARGUMENT.findall(kernel.mangled))
    values = [_argument(a.value) for a in kernel.template_args]
    values = [_leading(next(names, "")) if value == UNKNOWN else value for value in values]
    if "" in values:
        return _as_launched(program, kernel)
    return f"{kernel.qualified}<{', '.join(values)}>"


def _leading(mangled: str) -> str:
    """The name at the start of `16matmul_tri_naivePf`."""
    digits = re.match(r"\d+", mangled)
    return mangled[digits.end() :][: int(digits.group())] if digits else ""


def _as_launched(program: TranslationUnit, kernel: Function) -> str:
    """The kernel as a launch names it."""
    for site in program.launches:
        span, behind = site.launch.span, site.launch.chevrons
        if site.launch.key == kernel.key and behind is not None and span.macro is None:
            return program.files[span.file][span.offset : behind.offset].decode("utf-8", "replace").strip()
    return kernel.qualified


def _argument(value: Type | int | str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | str) else spelled(value)


def original_tree_options(program: TranslationUnit) -> list[str]:
    """Include options for nvcc so that a copy of the main file elsewhere still finds its headers."""
    dirs = {str(Path(name).resolve().parent): None for name in (program.path, *program.files)}
    return [f"-I{d}" for d in dirs]
