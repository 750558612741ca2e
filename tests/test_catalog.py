"""The catalog says what the rules say, and is believed only while it does."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from cudalint.lint import catalog as module
from cudalint.lint import registry as registry_module
from cudalint.lint.catalog import Catalog, catalog
from cudalint.lint.diagnostics import Severity
from cudalint.lint.registry import load_registry
from cudalint.rules.base import Meta, Rule


@pytest.fixture(autouse=True)
def fresh() -> None:
    catalog.cache_clear()


def test_catalog_equals_the_rules() -> None:
    assert catalog() == load_registry().catalog


def test_kept_catalog_is_used_for_the_same_sources_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    everything = catalog()
    (kept,) = (tmp_path / "cudalint").iterdir()
    monkeypatch.setattr(module, "_loaded", lambda: Catalog(everything.rules[:3]))
    catalog.cache_clear()
    assert catalog() == everything
    kept.write_text("torn {", encoding="utf-8")
    catalog.cache_clear()
    assert len(catalog().rules) == 3
    monkeypatch.setattr(module, "rules_digest", lambda: "other")
    monkeypatch.setattr(module, "_loaded", lambda: everything)
    catalog.cache_clear()
    assert catalog() == everything


def test_old_catalogs_are_dropped_and_trouble_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    known = catalog()
    for number in range(20):
        module._write(known, f"digest{number}")
    assert len(list((tmp_path / "cudalint").iterdir())) == module._KEPT
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    catalog.cache_clear()
    assert catalog() == known


class _Theirs(Rule):
    """Theirs."""

    meta = Meta("ZZZ001", "their-fault", "theirs", "other", Severity.INFO, "1.0")


def test_rules_of_third_parties_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("theirs", f"{__name__}:_Theirs", module.ENTRY_POINTS)
    for place in (module, registry_module):
        monkeypatch.setattr(place, "entry_points", lambda **_: [entry])
    assert catalog().find("their-fault").code == "ZZZ001"
    assert catalog().expand("ZZZ") == {"ZZZ001"}


def test_two_rules_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("again", "cudalint.rules.cud990_unused_suppression", module.ENTRY_POINTS)
    monkeypatch.setattr(registry_module, "entry_points", lambda **_: [entry])
    with pytest.raises(ValueError, match="two rules are called CUD990"):
        load_registry()


def test_a_warm_command_line_imports_no_analysis() -> None:
    catalog()
    code = (
        "import sys; from cudalint.lint import check, commands, catalog; catalog.catalog(); "
        "print(*(m for m in sys.modules if m == 'numpy' or m.startswith('cudalint.lint.analysis.')))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["cudalint.lint.analysis.unit"]
