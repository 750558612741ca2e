"""A copy of a program's project folder, to build and run in, and copies of it with a fix made."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cudalint.verify.plan import NotVerifiableError

BUILD_FILES = ("Makefile", "makefile", "GNUmakefile", "CMakeLists.txt")
"""The nearest folder above a source that holds one of these is the program's."""

MAX_BYTES = 512 << 20
"""A larger project folder is not copied: the user names a smaller one."""

MAX_NEIGHBOURS = 5000
"""Entries beside the project folder that are linked to, so that `../common` is found."""

LEVELS = 4
"""Folders that are made anew for the copy, itself among them: `../../../common` is found too."""

_SKIPPED_FOLDERS = frozenset(
    {".git", ".hg", ".svn", "CMakeFiles", "__pycache__", "node_modules", ".cudalint_cache", ".venv", "venv"}
)
_SKIPPED_FILES = frozenset({"CMakeCache.txt"})
_OBJECTS = frozenset({".o", ".obj", ".cubin", ".fatbin"})
"""What an earlier build left would keep the program from being built anew, with the flags that are needed."""


@dataclass(frozen=True, slots=True)
class Copy:
    """`place` holds what `origin` holds. `digest` names the contents that were copied."""

    origin: Path
    place: Path
    digest: str = ""

    def inside(self, path: Path) -> Path:
        """Where a file of the original is in the copy. Raises NotVerifiableError for a file from elsewhere."""
        try:
            return self.place / path.resolve().relative_to(self.origin)
        except ValueError:
            raise NotVerifiableError(
                f"{path.name} is outside of the program's folder {self.origin.name} (--verify-program-folder)"
            ) from None


def project_folder(source: Path) -> Path:
    """The nearest folder upwards that holds a build file; the source's own where there is none."""
    own = source.resolve().parent
    return next((f for f in (own, *own.parents) if any((f / name).is_file() for name in BUILD_FILES)), own)


def copy_project(folder: Path, target: Path, *, limit: int = MAX_BYTES) -> Copy:
    """Copy a project below `target`, which lies in links to what is beside and above the original.

    Raises:
        NotVerifiableError: the folder is larger than `limit` bytes.
        OSError: it cannot be read, or the copy cannot be written.
    """
    origin = folder.resolve()
    place = _linked_place(origin, target)
    content = hashlib.blake2b(digest_size=16)
    total = 0
    for path in _files(origin):
        inside = path.relative_to(origin)
        to = place / inside
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            to.symlink_to(path.readlink())
            continue
        total += path.stat().st_size
        if total > limit:
            raise NotVerifiableError(
                f"the program's folder {origin.name} holds more than {limit >> 20} MiB: "
                "name a smaller one with --verify-program-folder"
            )
        shutil.copy2(path, to)
        content.update(str(inside).encode() + b"\0" + to.read_bytes())
    return Copy(origin, place, content.hexdigest())


def with_contents(copy: Copy, target: Path, contents: Mapping[Path, bytes]) -> Copy:
    """The built copy again, sharing its files, with other contents for some files of the original.

    For reading only: a build in it would write into files that both share.
    """
    place = _linked_place(copy.origin, target)
    for path in _files(copy.place, built=True):
        to = place / path.relative_to(copy.place)
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            to.symlink_to(path.readlink())
        else:
            os.link(path, to)
    made = Copy(copy.origin, place, copy.digest)
    write_contents(made, contents)
    return made


def write_contents(copy: Copy, contents: Mapping[Path, bytes]) -> None:
    """Give files of the copy, named as in the original, other contents."""
    for path, data in contents.items():
        to = copy.inside(path)
        to.unlink(missing_ok=True)
        to.write_bytes(data)


def _linked_place(origin: Path, target: Path) -> Path:
    """A place below `target` for the copy, in folders that link to whatever is beside and above the original."""
    above = [folder for folder in origin.parents if folder.name][: LEVELS - 1]
    place = target.joinpath(*(folder.name for folder in reversed(above)), origin.name)
    place.mkdir(parents=True, exist_ok=True)
    for original, inside in zip(origin.parents[: len(above) + 1], place.parents, strict=False):
        if original.name or original == origin.parent:
            _link_entries(original, inside)
    return place


def _link_entries(of: Path, inside: Path) -> None:
    try:
        entries = sorted(of.iterdir())[:MAX_NEIGHBOURS]
    except OSError:
        return
    for entry in entries:
        link = inside / entry.name
        if not link.exists() and not link.is_symlink():
            link.symlink_to(entry)


def _files(folder: Path, *, built: bool = False) -> Iterator[Path]:
    """The files and links of a tree; without what version control and builds leave, unless `built`."""
    for at, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(at) / name).is_symlink()]
        folders[:] = sorted(set(folders) - set(links) - (set() if built else _SKIPPED_FOLDERS))
        for name in sorted((*names, *links)):
            path = Path(at) / name
            if path.is_symlink() or (path.is_file() and (built or not _built(path))):
                yield path


def _built(path: Path) -> bool:
    """Whether a file is an object or a program that a build has made."""
    if path.name in _SKIPPED_FILES or path.suffix in _OBJECTS:
        return True
    if ".so" in path.suffixes or not os.access(path, os.X_OK):
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"
