"""The user's cache folder: what no project may bring along is kept there."""

from __future__ import annotations

import os
from pathlib import Path


def user_folder() -> Path:
    """The folder, which need not exist: never one that came with the code that is checked.

    Raises:
        RuntimeError: the user has no home folder.
    """
    named = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(named) if named else Path.home() / ".cache") / "cudalint"
