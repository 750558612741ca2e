"""Where a node stands in the source: byte offsets for edits, code-point columns for people."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of a source file.

    Lines and columns are 1-based; columns count Unicode code points and `end_column` is exclusive.
    Offsets count bytes of the file as it lies on disk, for edits. A node that a macro produced spans the
    macro's use (what the user can see and suppress) and has `macro` set to the macro's name.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    offset: int
    end_offset: int
    macro: str | None = None

    @property
    def start(self) -> tuple[str, int, int]:
        """File, line and column: a sort key."""
        return self.file, self.line, self.column

    @property
    def after(self) -> Span:
        """The empty span behind this one: where an edit inserts."""
        line, column, offset = self.end_line, self.end_column, self.end_offset
        return Span(self.file, line, column, line, column, offset, offset)


NOWHERE = Span("", 0, 0, 0, 0, 0, 0)
"""The span of nodes that the compiler made up (defaulted arguments and the like)."""
