"""Read compile_commands.json: which flags a project compiles a file with."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from cudalint.lint.frontend.flags import translate

_NAME = "compile_commands.json"
_BUILD_FOLDERS = ("", "build", "out", "_build", "cmake-build-debug", "cmake-build-release", "builddir")


def find_compile_commands(start: Path) -> Path | None:
    """The nearest compile_commands.json: in a folder above `start` or in its build folder, up to the repository."""
    here = start.resolve()
    for folder in (here, *here.parents) if here.is_dir() else here.parents:
        for build in _BUILD_FOLDERS:
            candidate = folder / build / _NAME
            if candidate.is_file():
                return candidate
        if (folder / ".git").exists():
            return None
    return None


class CompileCommands:
    """The commands of one compile_commands.json, by absolute path."""

    def __init__(self, path: Path) -> None:
        """Raises OSError when it cannot be read, ValueError when it is not a list of commands."""
        entries = json.loads(path.read_text("utf-8", "replace"))
        if not isinstance(entries, list):
            raise ValueError(f"{path}: not a list of commands")
        self.path = path
        self._entries: dict[str, Mapping[str, Any]] = {}
        for entry in entries:
            if isinstance(entry, dict) and isinstance(entry.get("file"), str):
                folder = Path(str(entry.get("directory") or path.parent))
                self._entries.setdefault(os.path.realpath(folder / entry["file"]), entry)

    def flags_for(self, path: Path) -> tuple[str, ...]:
        """The translated flags of a file; of a source beside it when it has no command (a header)."""
        real = os.path.realpath(path)
        entry = self._entries.get(real)
        if entry is None:
            folder = str(Path(real).parent)
            beside = (other for name, other in self._entries.items() if str(Path(name).parent) == folder)
            entry = next(beside, None)
        return _flags(entry, self.path.parent) if entry is not None else ()


def flags_for(path: Path, commands: Path | None = None) -> tuple[str, ...]:
    """The flags of a file from `commands`, or from the compile_commands.json that is found; empty without one."""
    found = commands if commands is not None else find_compile_commands(path)
    if found is None:
        return ()
    try:
        return _loaded(found, found.stat().st_mtime_ns).flags_for(path)
    except (OSError, ValueError):
        return ()


@lru_cache(maxsize=16)
def _loaded(path: Path, _modified: int) -> CompileCommands:
    return CompileCommands(path)


def _flags(entry: Mapping[str, Any], folder: Path) -> tuple[str, ...]:
    arguments = entry.get("arguments")
    if not isinstance(arguments, list):
        try:
            arguments = shlex.split(str(entry.get("command", "")))
        except ValueError:
            arguments = str(entry.get("command", "")).split()
    directory = folder / str(entry.get("directory") or "")
    return translate([str(argument) for argument in arguments[1:]], directory)
