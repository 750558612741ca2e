"""`cudalint check`: from options to settings, from a report to output and exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cudalint.lint import baseline
from cudalint.lint.add_ignores import add_ignores
from cudalint.lint.changed import GitError, on_changed_lines
from cudalint.lint.config import ConfigError, Configs, as_toml, inline_override
from cudalint.lint.diagnostics import Severity
from cudalint.lint.engine import Engine, Request, exit_status
from cudalint.lint.options import CheckOptions
from cudalint.lint.output import RenderOptions, render
from cudalint.lint.output.summary import plural, statistics
from cudalint.lint.output.write import say, write_file, write_stdout
from cudalint.lint.registry import UnknownRuleError
from cudalint.lint.report import Report


class UsageError(Exception):
    """The command cannot be carried out as given."""


def run_check(options: CheckOptions) -> int:
    """Carry out the command; messages on what is wrong go to standard error."""
    try:
        return _run(options)
    except (ConfigError, UnknownRuleError, UsageError, baseline.BaselineError, GitError) as error:
        say(f"error: {error}")
        return 2


def _run(options: CheckOptions) -> int:
    configs = configs_of(options)
    top = configs.for_folder(Path.cwd())
    if options.show_settings:
        print(f"# from {top.source or 'defaults'}\n{as_toml(top)}", end="")
        return 0
    request = _request(options)
    with Engine(configs, top=top) as engine:
        engine.enabled(Path.cwd() / "any.cu")
        if options.show_files:
            print("".join(f"{file.shown}\n" for file in engine.find(request).files), end="")
            return 0
        report = _narrowed(engine.run(request), options)
    _announce(report, quiet=options.quiet)
    if options.write_baseline:
        count = baseline.write(Path(options.write_baseline), report)
        say(f"{plural(count, 'finding')} written to {options.write_baseline}")
        return 2 if report.errors else 0
    if options.add_ignore is not None:
        return _add_ignores(report, options.add_ignore.removeprefix("="))
    _write(report, options, top.output_format)
    if options.exit_zero and not report.errors:
        return 0
    return exit_status(report, Severity[top.fail_on.upper()])


def _narrowed(report: Report, options: CheckOptions) -> Report:
    """The report without what a baseline knows and without what stands on unchanged lines."""
    if options.baseline:
        report, gone = baseline.without_known(report, Path(options.baseline))
        if gone and not options.quiet:
            say(f"{plural(gone, 'finding')} of {options.baseline} no longer there; write it anew to tighten it")
    if options.diff_base:
        report = on_changed_lines(report, Path.cwd(), options.diff_base)
    return report


def _add_ignores(report: Report, reason: str) -> int:
    added, problems = add_ignores(report, reason)
    for problem in problems:
        say(f"warning: {problem}")
    say(f"{plural(added, 'suppression')} added")
    return 2 if report.errors else int(bool(problems))


def configs_of(options: CheckOptions) -> Configs:
    """The configurations with the command line's settings on top.

    Raises:
        ConfigError: a `--config` argument cannot be used.
        UsageError: an option's value cannot be.
    """
    explicit: Path | None = None
    overrides: dict[str, Any] = {}
    for text in options.config or ():
        if "=" in text and not Path(text).is_file():
            overrides.update(inline_override(text))
        else:
            explicit = Path(text).resolve()
            if not explicit.is_file():
                raise ConfigError(f"--config {text}: no such file")
    for name in ("select", "ignore", "extend_select", "exclude", "extend_exclude"):
        value = getattr(options, name)
        if value is not None:
            overrides[name] = split(value)
    return Configs({**overrides, **_single_values(options)}, explicit, options.isolated)


def _single_values(options: CheckOptions) -> dict[str, Any]:
    overrides: dict[str, Any] = {}
    for name in (
        *("min_severity", "min_confidence", "fail_on", "output_format", "jobs", "timeout_per_file"),
        *("cache_dir", "build_dir", "force_exclude", "respect_gitignore"),
    ):
        value = getattr(options, name)
        if value is not None:
            overrides[name] = value
    if options.extra_arg:
        overrides["extra_args"] = tuple(options.extra_arg)
    for name in ("block", "grid"):
        text = getattr(options, name)
        if text is not None:
            overrides[name] = _dims(f"--{name}", text)
    return overrides


def split(values: Sequence[str]) -> tuple[str, ...]:
    """Comma lists of a repeatable option, flattened."""
    return tuple(part for value in values for item in value.split(",") if (part := item.strip()))


def _dims(option: str, text: str) -> tuple[int, ...]:
    try:
        values = tuple(int(part) for part in text.split(","))
    except ValueError:
        values = ()
    if not 1 <= len(values) <= 3 or min(values) < 1:
        raise UsageError(f"{option} {text}: expected one to three positive integers, such as 32,8")
    return values


def _request(options: CheckOptions) -> Request:
    paths = options.paths or ["."]
    stdin = None
    if "-" in paths:
        if paths != ["-"]:
            raise UsageError("`-` reads standard input and cannot be mixed with files")
        stdin = sys.stdin.buffer.read()
    return Request(
        paths=tuple(Path(path) for path in paths),
        stdin=stdin,
        stdin_filename=options.stdin_filename,
        flags=options.flags,
        use_cache=not options.no_cache,
        use_suppressions=not options.no_ignores,
    )


def _announce(report: Report, *, quiet: bool) -> None:
    for message in report.errors:
        say(f"error: {message}")
    if not quiet:
        for message in report.warnings:
            say(f"warning: {message}")


def _write(report: Report, options: CheckOptions, output_format: str) -> None:
    color = _use_color(options)
    if options.statistics:
        text = statistics(report, output_format)
    else:
        text = render(report, output_format, RenderOptions(color, links=color and _links(), quiet=options.quiet))
    if options.output_file:
        _to_file(options.output_file, text)
    else:
        write_stdout(text)
    if options.sarif_output:
        _to_file(options.sarif_output, render(report, "sarif"))


def _to_file(name: str, text: str) -> None:
    try:
        write_file(name, text)
    except OSError as error:
        raise UsageError(f"cannot write {name}: {error.strerror or error}") from error


def _use_color(options: CheckOptions) -> bool:
    """--color, then NO_COLOR and FORCE_COLOR, then whether a terminal reads along."""
    if options.color != "auto":
        return options.color == "always"
    if options.output_file or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _links() -> bool:
    return sys.stdout.isatty() and not os.environ.get("CI")
