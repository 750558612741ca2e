"""The commands that explain: rules, settings, a file's model; and the one that clears the cache."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cudalint.lint.cache import CACHE_DIR
from cudalint.lint.cache import clean as clean_cache
from cudalint.lint.catalog import UnknownRuleError, catalog
from cudalint.lint.config import ConfigError, find_config, load_file, schema_of, setting_fields
from cudalint.lint.config import schema as settings_schema
from cudalint.lint.output.write import say, write_stdout
from cudalint.lint.report import RuleInfo


def explain(name: str | None, *, every: bool, output_format: str) -> int:
    """Print one rule or all of them as text, JSON or Markdown; the exit status."""
    if output_format not in ("text", "json", "markdown"):
        say(f"error: unknown output format {output_format!r}: expected text, json or markdown")
        return 2
    if every == (name is not None):
        say("error: name a rule, or give --all")
        return 2
    try:
        infos = catalog().rules if name is None else (catalog().find(name),)
    except UnknownRuleError as error:
        say(f"error: {error}")
        return 2
    if output_format == "json":
        items = [_json(info) for info in infos]
        write_stdout(json.dumps(items if every else items[0], indent=2, ensure_ascii=False) + "\n")
    elif every and output_format == "text":
        write_stdout("".join(_row(info) for info in infos))
    else:
        write_stdout("\n".join(_page(info) for info in infos))
    return 0


def _json(info: RuleInfo) -> dict[str, Any]:
    return {
        "code": info.code,
        "name": info.name,
        "summary": info.summary,
        "category": info.category,
        "severity": str(info.severity),
        "confidence": str(info.confidence),
        "default": info.default,
        "since": info.since,
        "fix": info.fix.value if info.fix else None,
        "explanation": info.markdown,
        "url": info.url,
    }


def _row(info: RuleInfo) -> str:
    marks = f"{info.severity}{'' if info.default else ', opt-in'}{f', fix {info.fix.value}' if info.fix else ''}"
    return f"{info.code}  {info.name:<34} {marks:<28} {info.summary}\n"


def _page(info: RuleInfo) -> str:
    state = "on by default" if info.default else "off by default"
    fix = f", fix: {info.fix.value}" if info.fix else ""
    return (
        f"# {info.name} ({info.code})\n\nSeverity {info.severity}, confidence {info.confidence}, "
        f"category {info.category}, {state}{fix}. Since {info.since}.\n\n{info.markdown}"
    )


def explain_setting(key: str | None, *, schema: bool) -> int:
    """Print all settings, one setting, or the JSON schema; the exit status."""
    known = setting_fields()
    if schema:
        write_stdout(json.dumps(settings_schema(), indent=2, ensure_ascii=False) + "\n")
        return 0
    if key is not None and key not in known:
        say(f"error: unknown setting {key!r}; `cudalint config` lists all")
        return 2
    for name, spec in known.items():
        if key is None:
            write_stdout(f"{name:<26} {spec.metadata['help']}\n")
        elif name == key:
            described = schema_of(spec)
            write_stdout(f"{name}\n\n{described.pop('description')}\n\n{json.dumps(described, indent=2)}\n")
    return 0


def remove_cache(folder: str | None) -> int:
    """Remove the cache of the working folder and the user's precompiled preludes; the exit status."""
    from cudalint.lint.frontend.pch import clean as clean_preludes

    here = Path.cwd()
    if folder:
        target = Path(folder)
    else:
        try:
            source = find_config(here)
            settings = load_file(source) if source else None
        except ConfigError as error:
            say(f"error: {error}")
            return 2
        configured = settings.cache_dir if settings else None
        target = Path(configured) if configured else (source.parent if source else here) / CACHE_DIR
    say(f"removed {target}" if clean_cache(target) else f"no cache at {target}")
    preludes = clean_preludes()
    if preludes is not None:
        say(f"removed {preludes}")
    return 0


def split_target(target: str) -> tuple[str, str | None]:
    """`FILE:KERNEL` to its parts; a file whose own name has a colon is taken whole."""
    if ":" not in target or Path(target).exists():
        return target, None
    file, _, kernel = target.rpartition(":")
    return file, kernel


def print_model(target: str, flags: Sequence[str]) -> int:
    """Print the model of a file, or of one kernel of it; the exit status."""
    from cudalint.lint.frontend import parse_file
    from cudalint.lint.model.render import render_function, render_unit

    file, kernel = split_target(target)
    path = Path(file).absolute()
    if not path.is_file():
        say(f"error: {file}: does not exist")
        return 2
    unit = parse_file(str(path), flags=tuple(flags))
    if not kernel:
        write_stdout(render_unit(unit) + "\n")
        return 0
    chosen = [f for f in unit.functions.values() if kernel in (f.name, f.qualified)]
    if not chosen:
        names = ", ".join(dict.fromkeys(k.name for k in unit.kernels())) or "none"
        say(f"error: {file} has no function {kernel}; its kernels: {names}")
        return 2
    write_stdout("\n\n".join(map(render_function, chosen)) + "\n")
    return 0
