"""Which files a run checks: CUDA sources, headers with kernels, and build files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from cudalint.lint.config import Configs, Settings

SOURCE_SUFFIXES = frozenset({".cu"})
CUDA_HEADER_SUFFIXES = frozenset({".cuh"})
HEADER_SUFFIXES = frozenset({".h", ".hpp", ".hh", ".hxx", ".inl", ".inc"})
"""Headers that may be CUDA: they are looked into for a kernel."""

BUILD_NAMES = frozenset(
    {
        "CMakeLists.txt",
        "Makefile",
        "makefile",
        "GNUmakefile",
        "setup.py",
        "compile_commands.json",
        "meson.build",
        "BUILD",
        "BUILD.bazel",
        "pyproject.toml",
    }
)
BUILD_SUFFIXES = frozenset({".bzl", ".cmake", ".mk"})


class FileKind(Enum):
    """How a file is checked."""

    SOURCE = "source"
    HEADER = "header"
    BUILD = "build"


@dataclass(frozen=True, slots=True)
class Found:
    """A file to check: its real path, the user's spelling of it, and whether it was named itself."""

    path: Path
    shown: str
    kind: FileKind
    named: bool = False


@dataclass
class Discovery:
    """What a search gave: files in order, folders that were asked for, and messages."""

    files: list[Found] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def kind_of(path: Path) -> FileKind | None:
    """What a file is by its name alone; None for a plain header and for anything else."""
    if path.name in BUILD_NAMES or path.suffix in BUILD_SUFFIXES:
        return FileKind.BUILD
    if path.suffix in SOURCE_SUFFIXES:
        return FileKind.SOURCE
    return FileKind.HEADER if path.suffix in CUDA_HEADER_SUFFIXES else None


def _has_kernel(path: Path) -> bool:
    try:
        return b"__global__" in path.read_bytes()
    except OSError:
        return False


def discover(arguments: Sequence[Path], configs: Configs) -> Discovery:
    """Find the files that the command line's files and folders mean.

    A file that is named is always checked, whatever its suffix (unless `force-exclude` says otherwise); folders
    are searched. Symbolic links to folders are not followed; a file reached twice is checked once.
    """
    found = Discovery()
    seen: set[Path] = set()
    for argument in arguments:
        before = len(found.files)
        if not argument.exists():
            reason = "is a broken or circular link" if argument.is_symlink() else "does not exist"
            found.errors.append(f"{argument}: {reason}")
        elif argument.is_dir():
            found.folders.append(argument.resolve())
            _take(found, seen, _search(argument, configs, found))
            if len(found.files) == before and not seen:
                found.warnings.append(f"{argument}: no CUDA sources or build files found")
        elif not argument.is_file():
            found.errors.append(f"{argument}: is no regular file")
        else:
            _take(found, seen, _named(argument, configs))
    return found


def _take(found: Discovery, seen: set[Path], files: Iterator[Found]) -> None:
    for file in files:
        if file.path not in seen:
            seen.add(file.path)
            found.files.append(file)


def _named(argument: Path, configs: Configs) -> Iterator[Found]:
    path = argument.resolve()
    settings = configs.for_file(path)
    if settings.force_exclude and settings.excludes(path):
        return
    kind = kind_of(path)
    if kind is None:
        kind = FileKind.HEADER if path.suffix in HEADER_SUFFIXES else FileKind.SOURCE
    yield Found(path, str(argument), kind, named=True)


def _search(top: Path, configs: Configs, found: Discovery) -> Iterator[Found]:
    real_top = top.resolve()
    ignores = GitIgnores()

    def unreadable(error: OSError) -> None:
        found.warnings.append(f"{error.filename}: cannot be searched: {error.strerror}")

    for folder, names, files in os.walk(real_top, onerror=unreadable):
        place = Path(folder)
        settings = configs.for_folder(place)
        gate = ignores if settings.respect_gitignore else None

        def kept(path: Path, is_dir: bool, settings: Settings = settings, gate: GitIgnores | None = gate) -> bool:
            return not settings.excludes(path) and not (gate is not None and gate.ignores(path, is_dir))

        names[:] = sorted(name for name in names if kept(place / name, True))
        shown = top / place.relative_to(real_top)
        for name in sorted(files):
            path = place / name
            kind = kind_of(path)
            if kind is None and path.suffix not in HEADER_SUFFIXES:
                continue
            if not path.is_file() or not kept(path, False):
                continue
            if kind is None and not _has_kernel(path):
                continue
            yield Found(path.resolve(), str(shown / name), kind or FileKind.HEADER)


class GitIgnores:
    """The .gitignore files of a tree, from the repository's root (or the folder asked) down."""

    def __init__(self) -> None:
        self._specs: dict[Path, Any] = {}
        self._roots: dict[Path, Path] = {}

    def ignores(self, path: Path, is_dir: bool) -> bool:
        """Whether git would ignore a file or folder, given that the folders above it are not ignored."""
        folder = path.parent
        root = self._root(folder)
        while True:
            verdict = self._verdict(folder, path, is_dir)
            if verdict is not None:
                return verdict
            if folder in (root, folder.parent):
                return False
            folder = folder.parent

    def _root(self, folder: Path) -> Path:
        """The repository that a folder belongs to; the folder itself outside of any."""
        if folder not in self._roots:
            repository = next((p for p in (folder, *folder.parents) if (p / ".git").exists()), None)
            above = self._roots.get(folder.parent)
            self._roots[folder] = repository or above or folder
        return self._roots[folder]

    def _verdict(self, folder: Path, path: Path, is_dir: bool) -> bool | None:
        spec = self._spec(folder)
        if spec is None:
            return None
        relative = path.relative_to(folder).as_posix() + ("/" if is_dir else "")
        result: bool | None = spec.check_file(relative).include
        return result

    def _spec(self, folder: Path) -> Any:
        if folder not in self._specs:
            lines: list[str] = []
            for file in (folder / ".git" / "info" / "exclude", folder / ".gitignore"):
                if file.is_file():
                    lines += file.read_text(encoding="utf-8", errors="replace").splitlines()
            self._specs[folder] = _compile(lines)
        return self._specs[folder]


def _compile(lines: Sequence[str]) -> Any:
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return None
    import pathspec

    return pathspec.GitIgnoreSpec.from_lines(lines)
