"""The commands of the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer
from cudalint.lint.options import CheckOptions, as_parameters

app = typer.Typer(
    name="cudalint",
    help="A linter that reads CUDA C++ as the hardware will run it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_behind_dashes: tuple[str, ...] = ()


def run(arguments: Sequence[str]) -> int:
    """Run a command; returns the exit status: 0 clean, 1 findings, 2 could not run."""
    global _behind_dashes
    own = list(arguments)
    if "--" in own:
        at = own.index("--")
        own, _behind_dashes = own[:at], tuple(own[at + 1 :])
    own = ["--add-ignore=" if word == "--add-ignore" else word for word in own]
    try:
        status = app(own, standalone_mode=True)
    except SystemExit as stop:
        status = stop.code
    except BrokenPipeError:
        # The reader (`head`, a pager) has seen enough; say nothing more, also when Python closes the stream.
        sys.stdout = None
        status = 0
    return status if isinstance(status, int) else int(bool(status))


@app.callback()
def _top(
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version and exit.")] = False,
) -> None:
    if version:
        from cudalint import __version__

        typer.echo(f"cudalint {__version__}")
        raise typer.Exit


@app.command()
@as_parameters(CheckOptions)
def check(options: CheckOptions) -> int:
    """Check CUDA sources and build files."""
    from cudalint.lint.check import run_check

    raise typer.Exit(run_check(replace(options, flags=_behind_dashes)))
