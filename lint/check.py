"""`cudalint check`: from options to settings, from a report to output and exit status."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cudalint.lint import baseline
from cudalint.lint.add_ignores import add_ignores
from cudalint.lint.catalog import UnknownRuleError
from cudalint.lint.changed import GitError, on_changed_lines
from cudalint.lint.config import ConfigError, Configs, Settings, as_toml, inline_override
from cudalint.lint.diagnostics import Severity
from cudalint.lint.engine import Engine, Request, exit_status
from cudalint.lint.fixes import unified_diff
from cudalint.lint.fixing import FixRun, fix_report
from cudalint.lint.options import CheckOptions
from cudalint.lint.output import RenderOptions, render
from cudalint.lint.output.summary import plural, statistics
from cudalint.lint.output.write import say, write_bytes, write_file, write_stdout
from cudalint.lint.report import Report
from cudalint.lint.verifying import proven, verified


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
        if options.verify:
            report = verified(engine, request, report, options, top)
        fixes = _fixes(engine, request, report, options)
    report = fixes.report if fixes else report
    _announce(report, quiet=options.quiet)
    if options.write_baseline:
        count = baseline.write(Path(options.write_baseline), report)
        say(f"{plural(count, 'finding')} written to {options.write_baseline}")
        return 2 if report.errors else 0
    if options.add_ignore is not None:
        return _add_ignores(report, options.add_ignore.removeprefix("="))
    if fixes:
        return _finish_fixes(fixes, request, options, top)
    _write(report, options, top)
    return _status(report, options, top)


def _status(report: Report, options: CheckOptions, top: Settings) -> int:
    if options.exit_zero and not report.errors:
        return 0
    return exit_status(report, Severity[top.fail_on.upper()])


def _fixes(engine: Engine, request: Request, report: Report, options: CheckOptions) -> FixRun | None:
    """The fixes made, when they were asked for; with --verify only those that a GPU has proven."""
    if not (options.fix or options.diff or options.fix_only):
        return None
    accept = proven(report) if options.verify else None
    return fix_report(engine, request, report, unsafe=options.unsafe_fixes, write=not options.diff, accept=accept)


def _finish_fixes(fixes: FixRun, request: Request, options: CheckOptions, top: Settings) -> int:
    """Show the outcome of fixing: a diff, the fixed standard input, or the findings that are left."""
    report = fixes.report
    for problem in fixes.problems:
        say(f"error: {problem}")
    if options.diff:
        write_bytes(b"".join(unified_diff(replace(f, path=report.path(f.path))) for f in fixes.changed))
        _say_left_out(fixes, options)
        say(f"Would fix {plural(len(fixes.applied), 'finding')} in {plural(len(fixes.changed), 'file')}")
        return 2 if report.errors else int(bool(fixes.changed))
    if request.stdin is not None:
        sys.stdout.buffer.write(fixes.changed[0].after if fixes.changed else request.stdin)
    elif not options.fix_only:
        _write(report, options, top)
    _say_fixed(fixes, options)
    if fixes.problems or report.errors:
        return 2
    if fixes.applied and options.exit_non_zero_on_fix:
        return 1
    return 0 if options.fix_only else _status(report, options, top)


def _say_fixed(fixes: FixRun, options: CheckOptions) -> None:
    if options.show_fixes:
        for fixed in fixes.changed:
            say(f"{fixes.report.path(fixed.path)}:")
            for (code, name), count in sorted(Counter((f.code, f.name) for f in fixed.applied).items()):
                say(f"    {count} x {code} ({name})")
    if fixes.changed and not options.quiet:
        say(f"Fixed {plural(len(fixes.applied), 'finding')} in {plural(len(fixes.changed), 'file')}")
    _say_left_out(fixes, options)


def _say_left_out(fixes: FixRun, options: CheckOptions) -> None:
    """One line for each reason for which fixes were not made."""
    reasons = [(f"{file}: {why}", count) for (file, why), count in sorted(fixes.left_out.items())]
    if fixes.refused:
        reasons.append(("the file would not have become better", len(fixes.refused)))
    for why, count in reasons if not options.quiet else ():
        say(f"{plural(count, 'fix').replace('fixs', 'fixes')} left out: {why}")


def _narrowed(report: Report, options: CheckOptions) -> Report:
    """The report without what a baseline knows and without what stands on unchanged lines."""
    if options.kernel:
        report = report.with_findings(tuple(f for f in report.findings if f.kernel == options.kernel))
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
        *("cache_dir", "build_dir", "force_exclude", "respect_gitignore", "max_same_findings"),
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


def _write(report: Report, options: CheckOptions, settings: Settings) -> None:
    color = _use_color(options)
    if options.statistics:
        text = statistics(report, settings.output_format)
    else:
        how = RenderOptions(color, color and _links(), options.quiet, settings.max_same_findings)
        text = render(report, settings.output_format, how)
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
