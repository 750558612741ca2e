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
    at = arguments.index("--") if "--" in arguments else len(arguments)
    own, _behind_dashes = list(arguments[:at]), tuple(arguments[at + 1 :])
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


_Format = Annotated[str, typer.Option("--output-format", help="text, json or markdown.")]


@app.command()
def rule(
    name: Annotated[str | None, typer.Argument(metavar="[CODE|NAME]", help="The rule to explain.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All rules.")] = False,
    output_format: _Format = "text",
) -> None:
    """Explain a rule."""
    from cudalint.lint.explain import explain

    raise typer.Exit(explain(name, every=every, output_format=output_format))


@app.command()
def doctor(
    output_format: Annotated[str, typer.Option("--output-format", help="text or json.")] = "text",
) -> None:
    """Say what this installation can see and do: for bug reports."""
    from cudalint.lint.doctor import report

    raise typer.Exit(report(output_format))


@app.command()
def clean(
    cache_dir: Annotated[
        str | None, typer.Option("--cache-dir", envvar="CUDALINT_CACHE_DIR", help="The folder.")
    ] = None,
) -> None:
    """Remove the cache."""
    from cudalint.lint.explain import remove_cache

    raise typer.Exit(remove_cache(cache_dir))


@app.command()
def config(
    key: Annotated[str | None, typer.Argument(metavar="[KEY]", help="The setting to explain.")] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of a configuration file.")] = False,
) -> None:
    """List the settings of a configuration file, or explain one."""
    from cudalint.lint.explain import explain_setting

    raise typer.Exit(explain_setting(key, schema=schema))


@app.command()
def verify(
    target: Annotated[str, typer.Argument(metavar="FILE[:KERNEL]", help="A CUDA source, and one kernel of it.")],
    budget: Annotated[str | None, typer.Option("--budget", metavar="TIME", help="Time for each timing.")] = None,
    device: Annotated[str | None, typer.Option("--device", metavar="N[,N]", help="The GPUs to use.")] = None,
    compiler: Annotated[str, typer.Option("--compiler", help="auto, nvrtc, nvcc.")] = "auto",
    argv: Annotated[str | None, typer.Option("--argv", metavar="ARGS", help="The program's command line.")] = None,
    counters: Annotated[bool, typer.Option("--counters", help="Read hardware counters through ncu too.")] = False,
    program: Annotated[
        str | None, typer.Option("--program", metavar="COMMAND", help="As --verify-program of `cudalint check`.")
    ] = None,
    output_format: Annotated[str | None, typer.Option("--output-format", metavar="FORMAT")] = None,
) -> None:
    """Run the flagged kernels of one file beside their fixes on a GPU."""
    from cudalint.lint.check import run_check
    from cudalint.lint.explain import split_target

    path, kernel = split_target(target)
    options = CheckOptions(paths=[path], kernel=kernel, verify=True, flags=_behind_dashes)
    options = replace(options, verify_budget=budget, verify_device=device, verify_compiler=compiler)
    options = replace(options, verify_argv=argv, counters=counters, output_format=output_format)
    options = replace(options, verify_program=program)
    raise typer.Exit(run_check(options))


@app.command()
def model(
    target: Annotated[str, typer.Argument(metavar="FILE[:KERNEL]", help="A CUDA source, and one kernel of it.")],
) -> None:
    """Print a file as the rules see it. Compiler flags go behind --."""
    from cudalint.lint.explain import print_model

    raise typer.Exit(print_model(target, _behind_dashes))
