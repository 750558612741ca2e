"""Configuration: where it is found, what is refused, how the command line goes on top."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from cudalint.lint.catalog import UnknownRuleError, catalog
from cudalint.lint.config import (
    ConfigError,
    Configs,
    Settings,
    as_toml,
    find_config,
    inline_override,
    load_file,
    schema,
    setting_fields,
)

ROOT = Path(__file__).parents[1]


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_nearest_file_wins_and_names_have_an_order(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.cudalint]\nignore = ['CUD103']\n")
    inner = tmp_path / "src" / "deep"
    write(inner / "pyproject.toml", "[project]\nname = 'x'\n")
    assert find_config(inner) == tmp_path / "pyproject.toml"
    write(tmp_path / "src" / "cudalint.toml", "")
    assert find_config(inner) == tmp_path / "src" / "cudalint.toml"
    write(tmp_path / "src" / ".cudalint.toml", "")
    assert find_config(inner) == tmp_path / "src" / ".cudalint.toml"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ignroe = []", "unknown key 'ignroe'; did you mean 'ignore'?"),
        ("ignore = 'CUD101'", "ignore: expected a list, got 'CUD101'"),
        ("ignore = [1]", "ignore: expected a string, got 1"),
        ("jobs = -1", "jobs: expected at least 0"),
        ("jobs = true", "jobs: expected an integer"),
        ("timeout-per-file = 0", "expected more than 0"),
        ("min-severity = 'loud'", "expected one of info, warning, error, got 'loud'"),
        ("block = [1, 2, 3, 4]", "expected 1 to 3 items, got 4"),
        ("block = [0]", "expected at least 1"),
        ("per-file-ignores = {'a.cu' = 'CUD101'}", "expected a list"),
        ("severity = {CUD101 = 'bad'}", "expected one of"),
        ("cuda-version = 'new'", "expected a version"),
        ("select = [", "cudalint.toml"),
        ("extend = 7", "extend: expected a string"),
        ("extend = 'nope.toml'", "cannot read"),
        ("extend = 'cudalint.toml'", "extends itself"),
    ],
)
def test_bad_configuration_says_what_is_wrong(tmp_path: Path, text: str, words: str) -> None:
    path = write(tmp_path / "cudalint.toml", text)
    with pytest.raises(ConfigError) as caught:
        load_file(path)
    assert words in str(caught.value)
    assert "cudalint.toml" in str(caught.value) or "nope.toml" in str(caught.value)


def test_extend_takes_settings_over_and_adds_to_lists(tmp_path: Path) -> None:
    write(
        tmp_path / "base.toml",
        "ignore = ['CUD103']\nextend-exclude = ['a']\nextend-per-file-ignores = {'x.cu' = ['CUD1']}\njobs = 3\n",
    )
    path = write(
        tmp_path / "sub" / "cudalint.toml",
        "extend = '../base.toml'\nignore = ['CUD106']\nextend-exclude = ['b']\n"
        "extend-per-file-ignores = {'y.cu' = ['CUD2']}\n",
    )
    settings = load_file(path)
    assert settings.ignore == ("CUD106",)
    assert settings.extend_exclude == ("a", "b")
    assert set(settings.extend_per_file_ignores) == {"x.cu", "y.cu"}
    assert settings.jobs == 3
    assert settings.root == tmp_path / "sub"


def test_per_file_ignores_are_relative_to_the_file(tmp_path: Path) -> None:
    text = "[per-file-ignores]\n'tests/*' = ['CUD101']\n'*.cuh' = ['CUD2']\n"
    settings = load_file(write(tmp_path / "cudalint.toml", text))
    assert settings.ignored_in(tmp_path / "tests" / "a.cu") == ("CUD101",)
    assert settings.ignored_in(tmp_path / "src" / "tests.cu") == ()
    assert settings.ignored_in(tmp_path / "src" / "a.cuh") == ("CUD2",)


def test_command_line_selection_is_complete(tmp_path: Path) -> None:
    write(tmp_path / "cudalint.toml", "ignore = ['CUD101']\nextend-select = ['CUD105']\nextend-exclude = ['a']\n")
    chosen = Configs({"select": ("CUD1",)}).for_folder(tmp_path)
    assert (chosen.select, chosen.extend_select, chosen.ignore) == (("CUD1",), (), ())
    added = Configs({"ignore": ("CUD2",), "extend_exclude": ("b",)}).for_folder(tmp_path)
    assert added.ignore == ("CUD101", "CUD2")
    assert added.extend_exclude == ("a", "b")
    assert Configs({}, isolated=True).for_folder(tmp_path).ignore == ()


def test_inline_override() -> None:
    assert inline_override("jobs=2") == {"jobs": 2}
    assert inline_override("ignore=['CUD1']") == {"ignore": ("CUD1",)}
    assert inline_override("output-format=json") == {"output_format": "json"}
    with pytest.raises(ConfigError, match="did you mean 'jobs'"):
        inline_override("job=2")


def test_show_settings_can_be_read_back(tmp_path: Path) -> None:
    path = write(
        tmp_path / "cudalint.toml", as_toml(Settings(ignore=("CUD1",), block=(32, 8), severity={"CUD101": "info"}))
    )
    again = load_file(path)
    assert (again.ignore, again.block, again.severity) == (("CUD1",), (32, 8), {"CUD101": "info"})


def test_dims_are_filled_up() -> None:
    settings = Settings(block=(32, 8))
    assert settings.dims("block") == (32, 8, 1)
    assert settings.dims("grid") is None


def test_committed_schema_is_fresh_and_valid() -> None:
    committed = json.loads((ROOT / "cudalint.schema.json").read_text(encoding="utf-8"))
    assert committed == schema(), "run: cudalint config --schema > cudalint.schema.json"
    jsonschema.Draft7Validator.check_schema(committed)
    jsonschema.validate({"ignore": ["CUD1"], "block": [32, 8]}, committed)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"ignroe": []}, committed)


def test_every_setting_is_described() -> None:
    assert all(spec.metadata["help"].endswith(".") for spec in setting_fields().values())


def test_selectors() -> None:
    rules = catalog()
    assert rules.expand("CUD101") == {"CUD101"}
    assert rules.expand("cud101") == {"CUD101"}
    assert rules.expand("uncoalesced-global-access") == {"CUD101"}
    assert "CUD991" in rules.expand("CUD99")
    assert rules.expand("ALL") == set(rules.by_code)
    with pytest.raises(UnknownRuleError, match=r"did you mean CUD101 \(uncoalesced-global-access\)"):
        rules.expand("uncoalesced-global-acces")
    with pytest.raises(UnknownRuleError):
        rules.expand("")


def test_more_exact_selectors_win() -> None:
    rules = catalog()
    assert "CUD991" not in rules.select(None, ())
    assert "CUD991" in rules.select(None, (), ("CUD991",))
    assert rules.select(("CUD10",), ("CUD101",)) == rules.expand("CUD10") - {"CUD101"}
    assert rules.select(("CUD101",), ("CUD1",)) == {"CUD101"}
    assert rules.select(("ALL",), ("CUD9",)) == set(rules.by_code) - rules.expand("CUD9")
    assert rules.select(("CUD101",), ("CUD101",)) == frozenset()
