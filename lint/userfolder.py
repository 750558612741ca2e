"""The user's cache folder, where what no project may bring along is kept, and the keys of what is kept."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def user_folder() -> Path:
    """The folder, which need not exist: never one that came with the code that is checked.

    Raises:
        RuntimeError: the user has no home folder.
    """
    named = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(named) if named else Path.home() / ".cache") / "cudalint"


def digest(data: bytes) -> str:
    """A content hash for cache keys."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
