"""A file to check and what checking it gave: what the parent and its workers exchange."""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass, field

from cudalint.lint.analysis.unit import Options
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.discovery import FileKind
from cudalint.rules.cud000_unreadable_source import UnreadableSource

DEBUG = "CUDALINT_DEBUG"
"""Environment variable that makes failures print their traceback to standard error."""


class OvertimeError(BaseException):
    """Raised in the middle of a check when its time is up. No `except Exception` on the way shall stop it."""


@dataclass(frozen=True, slots=True)
class Job:
    """A file to check, with the codes of the rules to run and the compiler flags that apply.

    `content` is given for text that is not on disk as it stands, `overlay` for files that this one includes.
    """

    path: str
    kind: FileKind
    codes: tuple[str, ...]
    flags: tuple[str, ...] = ()
    options: Options = field(default_factory=Options)
    content: bytes | None = None
    overlay: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What checking one file gave.

    `files` are the project files that were read, the file itself among them. `inputs` maps them, and every other
    place that was looked at, to the digest of its content ("" where there is no file): the outcome is stale once
    one of them differs; without any it is never kept. `complete` is false when the file could not be checked, so
    that nothing may be concluded from silence.
    """

    path: str
    findings: tuple[Diagnostic, ...]
    files: tuple[str, ...] = ()
    inputs: tuple[tuple[str, str], ...] = ()
    complete: bool = True


def note(path: str, message: str, reason: str = "") -> Diagnostic:
    """A CUD000 finding on a whole file."""
    rule = UnreadableSource()
    return rule.unreadable(path, message, reason) if reason else rule.unreadable(path, message)


def failure(path: str, message: str) -> Outcome:
    """The outcome of a file that could not be checked."""
    return Outcome(path, (note(path, message),), (path,), complete=False)


def debug(error: BaseException) -> None:
    """Print a traceback when CUDALINT_DEBUG asks for it."""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
