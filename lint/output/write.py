"""Where text goes: standard output as UTF-8, standard error, files."""

from __future__ import annotations

import sys
from pathlib import Path


def say(message: str) -> None:
    """Tell the user something that is no finding."""
    print(f"cudalint: {message}", file=sys.stderr)


def write_stdout(text: str) -> None:
    """Print text as UTF-8 whatever the locale: formats for machines prescribe it, and excerpts quote sources."""
    write_bytes(text.encode("utf-8", "replace"))


def write_bytes(data: bytes) -> None:
    """Put bytes on standard output as they are."""
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(data.decode("utf-8", "replace"))
    else:
        sys.stdout.flush()
        stream.write(data)
        stream.flush()


def write_file(name: str, text: str) -> None:
    """Write text to a file, with the folders above it. Raises OSError when that cannot be done."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="replace", newline="\n")
