"""SARIF against the standard's schema (OASIS sarif-spec, sarif-2.1/schema) and what hosts of it require."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from cudalint.lint.catalog import catalog
from cudalint.lint.diagnostics import Diagnostic, Severity
from cudalint.lint.model.source import Span
from cudalint.lint.output import render
from cudalint.lint.output.paths import project_root
from cudalint.lint.report import Report
from reports import sample_report

SCHEMA = Path(__file__).parent / "data" / "sarif-schema-2.1.0.json"


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    project_root.cache_clear()
    parsed: dict[str, Any] = json.loads(render(sample_report(tmp_path), "sarif"))
    return parsed


def validate(log: dict[str, Any]) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)


def test_valid_against_the_schema(log: dict[str, Any]) -> None:
    validate(log)
    log["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        validate(log)


def test_all_rules_of_this_installation_are_valid() -> None:
    log = json.loads(render(Report((), rules=catalog().rules, version="0.1.0"), "sarif"))
    validate(log)
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert {rule["id"] for rule in rules} == set(catalog().by_code) - {"CUD000"}
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"]
        assert "## " in rule["help"]["markdown"]
        assert rule["properties"]["precision"] in ("very-high", "high", "medium", "low")
        assert rule["properties"]["problem.severity"] in ("error", "warning", "recommendation")


def test_an_error_makes_the_run_unsuccessful() -> None:
    log = json.loads(render(Report((), errors=("a.cu: does not exist",)), "sarif"))
    validate(log)
    (invocation,) = log["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "a.cu: does not exist"


def test_run_is_what_hosts_want(log: dict[str, Any]) -> None:
    assert next(iter(log)) == "$schema"
    run = log["runs"][0]
    assert log["version"] == "2.1.0"
    assert run["columnKind"] == "unicodeCodePoints"
    assert "/" in run["automationDetails"]["id"]
    assert run["tool"]["driver"]["fullName"]
    assert run["tool"]["driver"]["semanticVersion"] == "0.1.0"
    assert run["invocations"][0]["executionSuccessful"] is True


def test_result_points_at_its_rule_and_region(log: dict[str, Any]) -> None:
    run = log["runs"][0]
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "CUD101"
    place = result["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 4, "startColumn": 21, "endLine": 4, "endColumn": 45}
    uri = place["artifactLocation"]["uri"]
    assert unquote(uri) == "größe [1].cu"
    assert re.fullmatch(r"[A-Za-z0-9._~%/-]+", uri)
    assert result["level"] == "warning"
    assert "primaryLocationLineHash" not in result["partialFingerprints"]


def test_related_locations_are_linked_from_the_message(log: dict[str, Any]) -> None:
    (result,) = log["runs"][0]["results"]
    text = result["message"]["text"]
    links = {int(number) for number in re.findall(r"(?<!\\)\]\((\d+)\)", text)}
    assert links == {place["id"] for place in result["relatedLocations"]} == {1, 2}
    assert "`in\\[threadIdx.x * STRIDE\\]`" in text


def test_notes_are_notifications_and_no_results(log: dict[str, Any]) -> None:
    run = log["runs"][0]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["descriptor"]["id"] == "CUD000"
    assert note["level"] == "note"
    assert all(result["ruleId"] != "CUD000" for result in run["results"])


def test_security_severity_only_where_a_rule_has_one(log: dict[str, Any]) -> None:
    slow, race = log["runs"][0]["tool"]["driver"]["rules"]
    assert "security-severity" not in slow["properties"]
    assert race["properties"]["security-severity"] == "7.5"
    assert "security" in race["properties"]["tags"]


def test_fix_replaces_its_region(log: dict[str, Any]) -> None:
    (result,) = log["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]
    assert replacement["insertedContent"]["text"] == "threadIdx.x"
    assert replacement["deletedRegion"]["startColumn"] == 24


def test_paths_are_relative_to_the_repository_not_to_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    source = tmp_path / "src"
    source.mkdir()
    monkeypatch.chdir(source)
    project_root.cache_clear()
    log = json.loads(render(sample_report(source), "sarif"))
    location = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert unquote(location["uri"]) == "src/größe [1].cu"


def test_five_thousand_results_are_quick(tmp_path: Path) -> None:
    span = Span(str(tmp_path / "a.cu"), 1, 1, 1, 2, 0, 1)
    findings = tuple(Diagnostic("CUD101", "x", Severity.WARNING, f"message {n}", span) for n in range(5000))
    start = time.perf_counter()
    text = render(Report(findings), "sarif")
    assert time.perf_counter() - start < 10  # the usual serialiser takes more than 15 s
    assert text.count('"ruleId"') == 5000
