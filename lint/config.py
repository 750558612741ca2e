"""Settings: from `.cudalint.toml`, `cudalint.toml` or `[tool.cudalint]` in pyproject.toml, the nearest file wins."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from cudalint.lint.diagnostics import Confidence, Severity

CONFIG_NAMES = (".cudalint.toml", "cudalint.toml", "pyproject.toml")
"""Names of configuration files, most wanted first; a pyproject.toml counts if it has a [tool.cudalint] table."""

OUTPUT_FORMATS = (
    "full",
    "concise",
    "grouped",
    "json",
    "json-lines",
    "sarif",
    "github",
    "gitlab",
    "azure",
    "rdjson",
    "junit",
    "html",
)

DEFAULT_EXCLUDE = (
    ".git",
    ".hg",
    ".svn",
    ".tox",
    ".nox",
    ".venv",
    "venv",
    ".cudalint_cache",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    "__pycache__",
    "site-packages",
    "node_modules",
    "CMakeFiles",
    "_deps",
)

TOP_LEVEL_HELP = "see `cudalint config` for all keys"


class ConfigError(Exception):
    """A configuration that cannot be used; the message names the file and the key."""


def _setting(help_text: str, *, default: Any = MISSING, factory: Any = MISSING, schema: Mapping[str, Any]) -> Any:
    """A field of Settings with its documentation and JSON schema."""
    metadata = {"help": help_text, "schema": schema}
    if factory is not MISSING:
        return field(default_factory=factory, metadata=metadata)
    return field(default=default, metadata=metadata)


_STRINGS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
_BOOL: Mapping[str, Any] = {"type": "boolean"}
_TEXT: Mapping[str, Any] = {"type": "string"}
_DIM3: Mapping[str, Any] = {
    "type": "array",
    "items": {"type": "integer", "minimum": 1},
    "minItems": 1,
    "maxItems": 3,
}
_PER_FILE: Mapping[str, Any] = {"type": "object", "additionalProperties": {"type": "array", "items": _TEXT}}


def _one_of(*values: str) -> Mapping[str, Any]:
    return {"enum": list(values)}


@dataclass(frozen=True)
class Settings:
    """Everything that may be configured; paths and globs are relative to `root`, the folder of the file."""

    select: tuple[str, ...] | None = _setting(
        "Rules to run: codes, prefixes of codes, names, or ALL. Unset: the default rules.",
        default=None,
        schema=_STRINGS,
    )
    extend_select: tuple[str, ...] = _setting("Rules to run besides `select`.", default=(), schema=_STRINGS)
    ignore: tuple[str, ...] = _setting("Rules not to run.", default=(), schema=_STRINGS)
    per_file_ignores: Mapping[str, tuple[str, ...]] = _setting(
        "Glob of files -> rules not to report in them.", factory=dict, schema=_PER_FILE
    )
    extend_per_file_ignores: Mapping[str, tuple[str, ...]] = _setting(
        "Like `per-file-ignores`, added to what an extended configuration has.", factory=dict, schema=_PER_FILE
    )
    severity: Mapping[str, str] = _setting(
        "Rule code or name -> the severity that its findings shall have.",
        factory=dict,
        schema={"type": "object", "additionalProperties": _one_of(*map(str, Severity))},
    )
    min_severity: str = _setting(
        "Report findings of this severity and above.", default="info", schema=_one_of(*map(str, Severity))
    )
    min_confidence: str = _setting(
        "Report findings of this confidence and above.", default="low", schema=_one_of(*map(str, Confidence))
    )
    fail_on: str = _setting(
        "Exit with 1 only for findings of this severity and above.",
        default="info",
        schema=_one_of(*map(str, Severity)),
    )
    exclude: tuple[str, ...] = _setting(
        "Globs of files and folders that a search skips.", default=DEFAULT_EXCLUDE, schema=_STRINGS
    )
    extend_exclude: tuple[str, ...] = _setting("Globs to skip besides `exclude`.", default=(), schema=_STRINGS)
    force_exclude: bool = _setting(
        "Apply exclusions to files named on the command line too.", default=False, schema=_BOOL
    )
    respect_gitignore: bool = _setting("Skip what .gitignore files ignore.", default=True, schema=_BOOL)
    output_format: str = _setting("How to print findings.", default="full", schema=_one_of(*OUTPUT_FORMATS))
    max_same_findings: int = _setting(
        "Findings of a rule in a file that the full format prints before it lists the lines of the others; 0: all.",
        default=10,
        schema={"type": "integer", "minimum": 0},
    )
    block: tuple[int, ...] | None = _setting(
        "Judge every kernel as if launched with this block (x, y, z).", default=None, schema=_DIM3
    )
    grid: tuple[int, ...] | None = _setting(
        "Judge every kernel as if launched with this grid (x, y, z).", default=None, schema=_DIM3
    )
    cuda_version: str = _setting(
        "Toolkit that the code is for: decides what is removed or deprecated.", default="13.0", schema=_TEXT
    )
    build_dir: str | None = _setting("Folder of compile_commands.json.", default=None, schema=_TEXT)
    extra_args: tuple[str, ...] = _setting(
        "Compiler flags for every file, such as -Iinclude or -DNAME=1.", default=(), schema=_STRINGS
    )
    jobs: int = _setting(
        "Worker processes; 0 means one per processor.", default=0, schema={"type": "integer", "minimum": 0}
    )
    timeout_per_file: float = _setting(
        "Seconds after which a file is given up, with a note.",
        default=60.0,
        schema={"type": "number", "exclusiveMinimum": 0},
    )
    cache_dir: str | None = _setting(
        "Where results are kept; unset: .cudalint_cache beside the configuration, else in the working folder.",
        default=None,
        schema=_TEXT,
    )
    verify: Mapping[str, Any] = _setting(
        "How kernels are run by --verify, see docs/verification.md.", factory=dict, schema={"type": "object"}
    )
    root: Path = field(default_factory=Path.cwd)
    source: Path | None = None

    def ignored_in(self, path: Path) -> tuple[str, ...]:
        """The selectors that per-file-ignores switch off for a file."""
        tables = (self.per_file_ignores, self.extend_per_file_ignores)
        return tuple(
            selector
            for table in tables
            for pattern, selectors in table.items()
            if matches(path, pattern, self.root)
            for selector in selectors
        )

    def excludes(self, path: Path) -> bool:
        """Whether `exclude` or `extend-exclude` matches a file or folder."""
        return any(matches(path, pattern, self.root) for pattern in (*self.exclude, *self.extend_exclude))

    @property
    def cuda(self) -> tuple[int, int]:
        """The toolkit version as (major, minor)."""
        major, _, minor = self.cuda_version.partition(".")
        return int(major), int(minor or 0)

    def dims(self, name: str) -> tuple[int, int, int] | None:
        """`block` or `grid` with its missing extents filled by 1."""
        value = self.block if name == "block" else self.grid
        if value is None:
            return None
        x, y, z = (*value, 1, 1)[:3]
        return x, y, z


def key_of(name: str) -> str:
    """A field's name as it is spelled in TOML."""
    return name.replace("_", "-")


@cache
def setting_fields() -> Mapping[str, Any]:
    """The fields of Settings that a file may set, by their TOML spelling."""
    return {key_of(f.name): f for f in fields(Settings) if "schema" in f.metadata}


@cache
def _spec(pattern: str) -> Any:
    import pathspec

    return pathspec.GitIgnoreSpec.from_lines([pattern])


def matches(path: Path, pattern: str, root: Path) -> bool:
    """Whether an absolute path, or a folder above it inside `root`, matches a glob in gitignore's spelling."""
    try:
        relative = path.relative_to(root).as_posix()
    except ValueError:
        relative = path.name
    return bool(_spec(pattern).match_file(relative))


def parse_table(table: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Check a TOML table of settings; returns the values by field name.

    Raises:
        ConfigError: an unknown key (with the nearest known one) or a value of the wrong type.
    """
    values: dict[str, Any] = {}
    known = setting_fields()
    for key, value in table.items():
        spec = known.get(key.replace("_", "-"))
        if spec is None:
            near = difflib.get_close_matches(key, [*known, "extend"], n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; {TOP_LEVEL_HELP}"
            raise ConfigError(f"{source}: unknown key {key!r}{hint}")
        problem = _problem(value, spec.metadata["schema"])
        if problem:
            raise ConfigError(f"{source}: {key}: {problem}")
        values[spec.name] = _freeze(value)
    version = values.get("cuda_version")
    if version is not None and not all(part.isdigit() for part in version.split(".", 1)):
        raise ConfigError(f"{source}: cuda-version: expected a version such as '12.8', got {version!r}")
    return values


def _freeze(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {k: tuple(v) if isinstance(v, list) else v for k, v in value.items()}
    return value


_TYPES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("a string", lambda v: isinstance(v, str)),
    "boolean": ("true or false", lambda v: isinstance(v, bool)),
    "integer": ("an integer", lambda v: isinstance(v, int) and not isinstance(v, bool)),
    "number": ("a number", lambda v: isinstance(v, int | float) and not isinstance(v, bool)),
    "array": ("a list", lambda v: isinstance(v, list | tuple)),
    "object": ("a table", lambda v: isinstance(v, Mapping)),
}


def _problem(value: Any, schema: Mapping[str, Any]) -> str:
    """What is wrong with a value; empty when it fits its schema (the small subset of JSON schema used here)."""
    if "enum" in schema:
        choices = schema["enum"]
        return "" if value in choices else f"expected one of {', '.join(choices)}, got {value!r}"
    words, fits = _TYPES[schema["type"]]
    if not fits(value):
        return f"expected {words}, got {value!r}"
    if "minimum" in schema and value < schema["minimum"]:
        return f"expected at least {schema['minimum']}, got {value!r}"
    if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
        return f"expected more than {schema['exclusiveMinimum']}, got {value!r}"
    if schema["type"] == "array" and not schema.get("minItems", 0) <= len(value) <= schema.get(
        "maxItems", len(value)
    ):
        return f"expected {schema['minItems']} to {schema['maxItems']} items, got {len(value)}"
    items: list[tuple[Any, Any]] = []
    if schema["type"] == "array" and "items" in schema:
        items = [(item, schema["items"]) for item in value]
    elif schema["type"] == "object" and "additionalProperties" in schema:
        items = [(item, schema["additionalProperties"]) for item in value.values()]
    return next((found for item, inner in items if (found := _problem(item, inner))), "")


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error


def _table_of(path: Path) -> dict[str, Any] | None:
    """The settings table of a file; None for a pyproject.toml that has none."""
    data = _read_toml(path)
    if path.name != "pyproject.toml":
        return data
    tool = data.get("tool", {}).get("cudalint")
    if tool is not None and not isinstance(tool, dict):
        raise ConfigError(f"{path}: [tool.cudalint] must be a table")
    return tool


def load_file(path: Path, above: tuple[Path, ...] = ()) -> Settings:
    """The settings of one configuration file, with what it extends.

    Raises:
        ConfigError: the file cannot be read, has a bad key or value, or extends itself.
    """
    path = path.resolve()
    if path in above:
        raise ConfigError(f"{path}: extends itself through {' -> '.join(map(str, above))}")
    table = _table_of(path)
    if table is None:
        raise ConfigError(f"{path}: has no [tool.cudalint] table")
    table = dict(table)
    base: Settings | None = None
    extend = table.pop("extend", None)
    if extend is not None:
        if not isinstance(extend, str):
            raise ConfigError(f"{path}: extend: expected a string, got {extend!r}")
        base = load_file(path.parent / Path(extend).expanduser(), (*above, path))
    values = parse_table(table, str(path))
    for key in ("build_dir", "cache_dir"):
        if key in values:
            values[key] = str((path.parent / values[key]).resolve())
    if base is None:
        return Settings(**values, root=path.parent, source=path)
    merged = _merge(base, values)
    return replace(base, **merged, root=path.parent, source=path)


def _merge(base: Settings, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values over those of an extended file: what is called extend-… adds to it, all else replaces it."""
    merged = dict(values)
    for name in ("extend_select", "extend_exclude"):
        if name in values:
            merged[name] = (*getattr(base, name), *values[name])
    if "extend_per_file_ignores" in values:
        merged["extend_per_file_ignores"] = {**base.extend_per_file_ignores, **values["extend_per_file_ignores"]}
    return merged


def find_config(folder: Path) -> Path | None:
    """The configuration file that applies in a folder: the nearest one upward."""
    for place in (folder, *folder.parents):
        for name in CONFIG_NAMES:
            path = place / name
            if path.is_file() and (name != "pyproject.toml" or _table_of(path) is not None):
                return path
    return None


class Configs:
    """The settings of every file of a run: its nearest configuration, with the command line's on top.

    `explicit` replaces the search by one file; `isolated` reads none; `overrides` are values by field name that
    win over every file.
    """

    def __init__(self, overrides: Mapping[str, Any], explicit: Path | None = None, isolated: bool = False) -> None:
        self._overrides = overrides
        self._explicit = explicit
        self._isolated = isolated
        self._folders: dict[Path, Settings] = {}
        self._files: dict[Path, Settings] = {}

    def for_folder(self, folder: Path) -> Settings:
        """The settings that apply to the files of an absolute folder.

        Raises:
            ConfigError: the configuration there cannot be used.
        """
        if folder not in self._folders:
            self._folders[folder] = self._with_overrides(self._load(folder))
        return self._folders[folder]

    def for_file(self, path: Path) -> Settings:
        """The settings that apply to an absolute file."""
        return self.for_folder(path.parent)

    def _load(self, folder: Path) -> Settings:
        if self._isolated:
            return Settings()
        source = self._explicit or find_config(folder)
        if source is None:
            return Settings()
        if source not in self._files:
            loaded = load_file(source)
            self._files[source] = replace(loaded, root=Path.cwd()) if self._explicit else loaded
        return self._files[source]

    def _with_overrides(self, settings: Settings) -> Settings:
        values = dict(self._overrides)
        for name in ("extend_select", "extend_exclude", "extra_args", "ignore"):
            if name in values:
                values[name] = (*getattr(settings, name), *values[name])
        if "select" in values:
            # The command line's choice is complete: what a file adds or ignores no longer counts.
            values["extend_select"] = self._overrides.get("extend_select", ())
            values["ignore"] = self._overrides.get("ignore", ())
        return replace(settings, **values)


def inline_override(text: str) -> dict[str, Any]:
    """The settings of a `--config key=value` argument; the value is TOML, a bare word counts as a string.

    Raises:
        ConfigError: the text is no assignment, or its key or value is wrong.
    """
    key, _, value = text.partition("=")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        try:
            table = tomllib.loads(f'{key} = "{value.strip()}"')
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"--config {text}: neither a file nor key=value ({error})") from error
    return parse_table(table, f"--config {text}")


def schema() -> dict[str, Any]:
    """The JSON schema of a configuration file."""
    properties: dict[str, Any] = {
        "extend": {"type": "string", "description": "Another configuration file to take settings from first."}
    }
    for key, spec in setting_fields().items():
        properties[key] = schema_of(spec)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "cudalint configuration",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


def schema_of(spec: Any) -> dict[str, Any]:
    """The JSON schema of one field of Settings."""
    described = {**spec.metadata["schema"], "description": spec.metadata["help"]}
    default = spec.default if spec.default is not MISSING else spec.default_factory()
    if default is not None:
        described["default"] = list(default) if isinstance(default, tuple) else default
    return described


def as_toml(settings: Settings, keys: Sequence[str] = ()) -> str:
    """Settings as TOML lines, for --show-settings."""
    import json

    lines = []
    for key, spec in setting_fields().items():
        value = getattr(settings, spec.name)
        if keys and key not in keys:
            continue
        if value is None:
            lines.append(f"# {key} is unset")
        elif isinstance(value, Mapping):
            body = ", ".join(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in value.items())
            lines.append(f"{key} = {{{body}}}")
        else:
            lines.append(f"{key} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"
