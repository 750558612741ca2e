"""The only place that knows libclang: sources in, model out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cudalint.lint.frontend.parse import parse_file

__all__ = ["parse_file"]


def __getattr__(name: str) -> Any:
    """`parse_file`, imported on first use: a warm run asks for compiler flags alone and parses nothing."""
    if name != "parse_file":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cudalint.lint.frontend.parse import parse_file

    return parse_file
