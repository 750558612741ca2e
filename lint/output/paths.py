"""Paths as hosts of findings want them: relative to the project, with forward slashes."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

_WORKSPACES = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY")
"""Where the hosts' runners say that the checkout is."""


@cache
def project_root() -> Path:
    """The folder that paths are relative to: the git checkout around the working folder, a runner's, or itself."""
    here = Path.cwd().resolve()
    for folder in (here, *here.parents):
        if (folder / ".git").exists():
            return folder
    for name in _WORKSPACES:
        place = os.environ.get(name)
        if place and Path(place).resolve() in (here, *here.parents):
            return Path(place).resolve()
    return here


def relative_to_root(file: str, root: Path) -> str:
    """A file's path below the root with forward slashes; absolute when it lies elsewhere."""
    path = Path(file)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
