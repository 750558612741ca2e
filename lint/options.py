"""The options of `cudalint check`, as a dataclass: one field, one option.

To add an option, add a field. `as_parameters` makes the signature that typer reads from it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from typing import Annotated, Any, TypeVar, get_type_hints

import typer
from cudalint.lint.config import OUTPUT_FORMATS
from cudalint.lint.diagnostics import Confidence, Severity

SELECTION, FILES, COMPILER, OUTPUT, RUN = "Rules", "Files", "Compiler", "Output", "Run"
FIXES, VERIFY = "Fixes", "Verification on a GPU"

T = TypeVar("T")


def _choice(choices: tuple[str, ...]) -> Callable[[str | None], str | None]:
    def check(value: str | None) -> str | None:
        if value is not None and value not in choices:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(choices)}")
        return value

    return check


_SEVERITIES = tuple(str(s) for s in Severity)
_CONFIDENCES = tuple(str(c) for c in Confidence)


def _option(*names: str, panel: str, help: str, **more: Any) -> Any:  # noqa: A002 - typer's own word
    return typer.Option(*names, help=help, rich_help_panel=panel, show_default=False, **more)


_Many = list[str] | None


@dataclass(frozen=True)
class CheckOptions:
    """What the user asked of `cudalint check`; None means that the configuration decides."""

    paths: Annotated[
        _Many, typer.Argument(metavar="[PATHS|-]...", help="Files and folders to check, `-` for standard input.")
    ] = None

    select: Annotated[
        _Many,
        _option(
            "--select", panel=SELECTION, metavar="RULES", help="Run these rules only: codes, prefixes, names, ALL."
        ),
    ] = None
    ignore: Annotated[
        _Many, _option("--ignore", panel=SELECTION, metavar="RULES", help="Do not run these rules.")
    ] = None
    extend_select: Annotated[
        _Many, _option("--extend-select", panel=SELECTION, metavar="RULES", help="Run these rules too.")
    ] = None
    min_severity: Annotated[
        str | None,
        _option(
            "--min-severity",
            panel=SELECTION,
            metavar="SEVERITY",
            callback=_choice(_SEVERITIES),
            help="Report from this severity up: info, warning, error.",
        ),
    ] = None
    min_confidence: Annotated[
        str | None,
        _option(
            "--min-confidence",
            panel=SELECTION,
            metavar="CONFIDENCE",
            callback=_choice(_CONFIDENCES),
            help="Report from this confidence up: low, medium, high.",
        ),
    ] = None
    no_ignores: Annotated[
        bool, _option("--no-ignores", panel=SELECTION, help="Report what comments in the code suppress.")
    ] = False
    baseline: Annotated[
        str | None,
        _option("--baseline", panel=SELECTION, metavar="FILE", help="Leave out the findings listed in FILE."),
    ] = None
    write_baseline: Annotated[
        str | None,
        _option("--write-baseline", panel=SELECTION, metavar="FILE", help="List all findings in FILE, then exit 0."),
    ] = None
    diff_base: Annotated[
        str | None,
        _option(
            "--diff-base", panel=SELECTION, metavar="REF", help="Report on lines only that changed since a git REF."
        ),
    ] = None
    add_ignore: Annotated[
        str | None,
        _option(
            "--add-ignore",
            panel=SELECTION,
            metavar="[=REASON]",
            help="Write a suppression comment for every finding into the sources.",
        ),
    ] = None

    exclude: Annotated[
        _Many, _option("--exclude", panel=FILES, metavar="GLOBS", help="Skip these, instead of what is configured.")
    ] = None
    extend_exclude: Annotated[
        _Many, _option("--extend-exclude", panel=FILES, metavar="GLOBS", help="Skip these too.")
    ] = None
    force_exclude: Annotated[
        bool | None,
        _option(
            "--force-exclude/--no-force-exclude", panel=FILES, help="Skip excluded files even if they are named."
        ),
    ] = None
    respect_gitignore: Annotated[
        bool | None,
        _option(
            "--respect-gitignore/--no-respect-gitignore", panel=FILES, help="Skip what .gitignore names (default)."
        ),
    ] = None
    stdin_filename: Annotated[
        str | None, _option("--stdin-filename", panel=FILES, metavar="NAME", help="Name of the text read from `-`.")
    ] = None
    show_files: Annotated[
        bool, _option("--show-files", panel=FILES, help="List the files that would be checked.")
    ] = False

    fix: Annotated[bool, _option("--fix", panel=FIXES, help="Apply the safe fixes.")] = False
    unsafe_fixes: Annotated[
        bool, _option("--unsafe-fixes", panel=FIXES, help="Count and apply fixes that may change behaviour too.")
    ] = False
    diff: Annotated[
        bool, _option("--diff", panel=FIXES, help="Write no file; print what --fix would change as a diff.")
    ] = False
    fix_only: Annotated[
        bool, _option("--fix-only", panel=FIXES, help="Apply fixes, do not report what is left, exit 0.")
    ] = False
    show_fixes: Annotated[bool, _option("--show-fixes", panel=FIXES, help="List the applied fixes.")] = False
    exit_non_zero_on_fix: Annotated[
        bool, _option("--exit-non-zero-on-fix", panel=FIXES, help="Exit with 1 if anything was fixed.")
    ] = False

    verify: Annotated[
        bool,
        _option(
            "--verify",
            panel=VERIFY,
            help="Run flagged and fixed kernels on a GPU; --fix then applies proven fixes only.",
        ),
    ] = False
    verify_budget: Annotated[
        str | None,
        _option("--verify-budget", panel=VERIFY, metavar="TIME", help="Time for each finding's timing: 5s, 500ms."),
    ] = None
    verify_device: Annotated[
        str | None,
        _option("--verify-device", panel=VERIFY, metavar="N[,N]", help="The GPUs to use (default: all)."),
    ] = None
    verify_compiler: Annotated[
        str,
        _option(
            "--verify-compiler",
            panel=VERIFY,
            metavar="NAME",
            callback=_choice(("auto", "nvrtc", "nvcc")),
            help="auto (NVRTC, then nvcc), nvrtc, nvcc.",
        ),
    ] = "auto"
    counters: Annotated[
        bool, _option("--counters", panel=VERIFY, help="With --verify: read hardware counters through ncu too.")
    ] = False
    verify_argv: Annotated[
        str | None,
        _option("--verify-argv", panel=VERIFY, metavar="ARGS", help="The command line that the program reads."),
    ] = None
    verify_program: Annotated[
        str | None,
        _option(
            "--verify-program",
            panel=VERIFY,
            metavar="COMMAND",
            help="Verify in the program itself, where its kernels cannot be run apart: the command that builds and "
            "runs it, in a copy of its folder. `configured` takes it from the configuration.",
        ),
    ] = None
    verify_program_folder: Annotated[
        str | None,
        _option(
            "--verify-program-folder",
            panel=VERIFY,
            metavar="DIR",
            help="The folder to copy and run it in (default: of the nearest Makefile or CMakeLists.txt).",
        ),
    ] = None
    verify_program_timeout: Annotated[
        str | None,
        _option(
            "--verify-program-timeout",
            panel=VERIFY,
            metavar="TIME",
            help="End a run of the program after this long (default: 5m).",
        ),
    ] = None

    build_dir: Annotated[
        str | None,
        _option("--build-dir", "-p", panel=COMPILER, metavar="DIR", help="Folder of compile_commands.json."),
    ] = None
    extra_arg: Annotated[
        _Many,
        _option(
            "--extra-arg", panel=COMPILER, metavar="FLAG", help="A compiler flag; repeatable. Or put flags behind --."
        ),
    ] = None
    block: Annotated[
        str | None,
        _option("--block", panel=COMPILER, metavar="X[,Y[,Z]]", help="Judge kernels as launched with this block."),
    ] = None
    grid: Annotated[
        str | None,
        _option("--grid", panel=COMPILER, metavar="X[,Y[,Z]]", help="Judge kernels as launched with this grid."),
    ] = None

    output_format: Annotated[
        str | None,
        _option(
            "--output-format",
            panel=OUTPUT,
            metavar="FORMAT",
            envvar="CUDALINT_OUTPUT_FORMAT",
            callback=_choice(OUTPUT_FORMATS),
            help=", ".join(OUTPUT_FORMATS) + ".",
        ),
    ] = None
    max_same_findings: Annotated[
        int | None,
        _option(
            "--max-same-findings",
            panel=OUTPUT,
            min=0,
            metavar="N",
            help="In full, print N findings of a rule per file, then the lines of the others (default: 10; 0: all).",
        ),
    ] = None
    output_file: Annotated[
        str | None, _option("--output-file", "-o", panel=OUTPUT, metavar="FILE", help="Write the output there.")
    ] = None
    sarif_output: Annotated[
        str | None,
        _option("--sarif-output", panel=OUTPUT, metavar="FILE", help="Write SARIF there besides the normal output."),
    ] = None
    statistics: Annotated[bool, _option("--statistics", panel=OUTPUT, help="Print counts by rule instead.")] = False
    color: Annotated[
        str,
        _option(
            "--color",
            panel=OUTPUT,
            metavar="WHEN",
            callback=_choice(("auto", "always", "never")),
            help="auto, always, never.",
        ),
    ] = "auto"
    quiet: Annotated[bool, _option("--quiet", "-q", panel=OUTPUT, help="Findings only: no summary, no warnings.")] = (
        False
    )

    exit_zero: Annotated[bool, _option("--exit-zero", panel=RUN, help="Exit with 0 even if there are findings.")] = (
        False
    )
    fail_on: Annotated[
        str | None,
        _option(
            "--fail-on",
            panel=RUN,
            metavar="SEVERITY",
            callback=_choice(_SEVERITIES),
            help="Exit with 1 from this severity up only.",
        ),
    ] = None
    jobs: Annotated[
        int | None,
        _option("--jobs", "-j", panel=RUN, min=0, metavar="N", help="Worker processes (default: processors)."),
    ] = None
    timeout_per_file: Annotated[
        float | None,
        _option("--timeout-per-file", panel=RUN, metavar="SECONDS", help="Give a file up after this long."),
    ] = None
    cache_dir: Annotated[
        str | None,
        _option("--cache-dir", panel=RUN, metavar="DIR", envvar="CUDALINT_CACHE_DIR", help="Where results are kept."),
    ] = None
    no_cache: Annotated[
        bool,
        _option("--no-cache", "-n", panel=RUN, envvar="CUDALINT_NO_CACHE", help="Neither read nor keep results."),
    ] = False
    config: Annotated[
        _Many,
        _option("--config", panel=RUN, metavar="FILE|KEY=VALUE", help="A configuration file, or a single setting."),
    ] = None
    isolated: Annotated[bool, _option("--isolated", panel=RUN, help="Read no configuration file.")] = False
    show_settings: Annotated[bool, _option("--show-settings", panel=RUN, help="Print the settings that apply.")] = (
        False
    )

    flags: tuple[str, ...] = field(default=(), metadata={"internal": True})
    """Compiler flags from behind `--`."""
    kernel: str | None = field(default=None, metadata={"internal": True})
    """Report on this kernel only (`cudalint verify FILE:KERNEL`)."""


def as_parameters(options: type[T]) -> Callable[[Callable[[T], int]], Callable[..., int]]:
    """A decorator: the function takes a dataclass, the command that typer sees takes its fields as options."""

    def decorate(command: Callable[[T], int]) -> Callable[..., int]:
        def with_options(**values: Any) -> int:
            return command(options(**values))

        hints = get_type_hints(options, include_extras=True)
        parameters = []
        for spec in fields(options):  # type: ignore[arg-type]
            if not spec.metadata.get("internal"):
                default = inspect.Parameter.empty if spec.default is MISSING else spec.default
                kind = inspect.Parameter.KEYWORD_ONLY
                parameters.append(inspect.Parameter(spec.name, kind, default=default, annotation=hints[spec.name]))
        with_options.__doc__ = command.__doc__
        with_options.__name__ = command.__name__
        with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        with_options.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_options

    return decorate
