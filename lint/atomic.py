"""Write files so that nobody sees half of a new content, not even after a crash; several files all or none."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


class ChangedError(Exception):
    """A file is not what it was when it was read; `path` is the file."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file's content, or make the file.

    Symbolic links are followed, the mode is kept. Raises OSError when the folder cannot be written.
    """
    target = path.resolve()
    with _beside(target, content) as name:
        name.replace(target)


def replace_all(changes: Mapping[Path, tuple[bytes, bytes]]) -> None:
    """Replace the content of several files, given as (before, after): all of them, or none.

    All new contents are on the disk before the first file is touched, so that a full disk or a folder without write
    permission leaves everything as it was. If replacing one fails, those before it are put back as they were.

    Raises:
        ChangedError: a file's content is not `before` (any more).
        OSError: a file cannot be written.
    """
    with ExitStack() as scratch:
        staged = [
            (target, before, scratch.enter_context(_beside(target, after)), scratch.enter_context(_kept(target)))
            for path, (before, after) in changes.items()
            for target in [path.resolve(strict=True)]
        ]
        for target, before, _, _ in staged:
            _compare(target, target, before)
        done: list[tuple[Path, Path]] = []
        try:
            for target, before, new, old in staged:
                _compare(target, target, before)
                done.append((old, target))
                new.replace(target)
            for target, before, _, old in staged:
                # An editor may have written into the file while it was replaced: that is in what was kept.
                _compare(target, old, before)
        except BaseException:
            for old, target in done:
                with suppress(OSError):
                    old.replace(target)
            raise


def _compare(target: Path, place: Path, before: bytes) -> None:
    if place.read_bytes() != before:
        raise ChangedError(target)


@contextmanager
def _beside(target: Path, content: bytes) -> Iterator[Path]:
    """A file with this content in the folder of `target`, with its mode and owner; gone at the end unless moved."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    place = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        if target.exists():
            state = target.stat()
            with suppress(OSError):
                os.chown(name, state.st_uid, state.st_gid)
            place.chmod(state.st_mode & 0o7777)
        yield place
    finally:
        place.unlink(missing_ok=True)


@contextmanager
def _kept(target: Path) -> Iterator[Path]:
    """The present file under a second name, to be put back if need be; gone at the end unless moved."""
    folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp"))
    place = folder / target.name
    try:
        try:
            place.hardlink_to(target)
        except OSError:
            shutil.copy2(target, place)
        yield place
    finally:
        shutil.rmtree(folder, ignore_errors=True)
