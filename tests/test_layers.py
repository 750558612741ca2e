"""The direction of imports (docs/design.md, section 2), read from the sources."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {"cudalint": "cudalint", "cudalint.lint": "lint", "cudalint.rules": "rules", "cudalint.verify": "verify"}

ALLOWED = {
    "model": {"model"},
    "diagnostics": {"model", "diagnostics"},
    "report": {"diagnostics", "model", "report"},
    "userfolder": {"userfolder"},
    "atomic": {"atomic"},
    "frontend": {"model", "buildfiles", "userfolder", "frontend"},
    "analysis": {"model", "diagnostics", "analysis"},
    "buildfiles": {"model", "diagnostics", "buildfiles"},
    "rules": {"model", "diagnostics", "analysis", "buildfiles", "rules"},
    "output": {"model", "diagnostics", "report", "fixes", "output"},
    "fixes": {"model", "diagnostics", "fixes"},
    "verify": {"model", "diagnostics", "analysis", "rules", "fixes", "atomic", "frontend", "verify"},
}
"""What each layer may import; the modules beside them in lint/ are the engine and the command line."""

ENGINE = "engine"
"""Everything in lint/ that is no layer of its own."""

ONLY_IN = {
    "clang": ("frontend",),
    "cupy": ("verify",),
    "sarif_om": ("output.sarif",),
    "typer": ("options", "commands"),
}
"""Third-party packages that one place alone may import."""


def modules() -> Iterator[tuple[str, Path]]:
    """Dotted names and files of the project."""
    for package, folder in PACKAGES.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            name = ".".join((package, *parts)).removesuffix(".__init__")
            yield name, path


def imports(path: Path) -> Iterator[str]:
    """Full names of what a file imports, at whatever depth."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer(name: str) -> str:
    """The layer of a module of the project."""
    parts = name.split(".")
    if parts[:2] == ["cudalint", "lint"]:
        third = parts[2] if len(parts) > 2 else ENGINE
        return third if third in ALLOWED else ENGINE
    return parts[1] if len(parts) > 1 and parts[1] in ALLOWED else ENGINE


ALL = dict(modules())


@pytest.mark.parametrize("name", ALL)
def test_imports_point_downward(name: str) -> None:
    own = layer(name)
    wrong = []
    for target in imports(ALL[name]):
        if target.split(".")[0] in ("lint", "rules", "verify"):
            wrong.append(f"{target}: no such top-level package")
        elif target == "cudalint.__version__":
            continue
        elif target.startswith("cudalint") and own != ENGINE and layer(target) not in ALLOWED[own]:
            wrong.append(f"{target}: {own} may not import {layer(target)}")
        elif target.split(".")[0] in ONLY_IN:
            homes = ONLY_IN[target.split(".")[0]]
            inside = name.removeprefix("cudalint.").removeprefix("lint.")
            if not any(inside == home or inside.startswith(f"{home}.") for home in homes):
                wrong.append(f"{target}: belongs to {', '.join(homes)}")
    assert not wrong


def test_the_reader_of_imports_sees_them(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import os.path\ndef f():\n    from cudalint.lint.model import x, y\n", encoding="utf-8")
    assert list(imports(file)) == ["os.path", "cudalint.lint.model.x", "cudalint.lint.model.y"]
    assert layer("cudalint.lint.engine") == ENGINE
    assert layer("cudalint.lint.output.sarif") == "output"
    assert layer("cudalint.rules.base") == "rules"


def test_there_is_no_bare_top_level_package() -> None:
    owners = packages_distributions()
    assert not [name for name in ("lint", "rules", "verify") if "cudalint" in owners.get(name, ())]
    assert "cudalint" in {part for names in owners.values() for part in names}


def test_every_package_is_in_the_wheel() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    there = {name for name, path in ALL.items() if path.name == "__init__.py"}
    assert set(listed) == there
