"""Many findings of one rule in one file: what the full format prints, and what it only counts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cudalint.lint.cli import main
from cudalint.lint.diagnostics import Diagnostic, Severity
from cudalint.lint.model.source import Span
from cudalint.lint.output import RenderOptions, render
from cudalint.lint.output.folding import folded
from cudalint.lint.report import Report


def finding(line: int, severity: Severity = Severity.WARNING, file: str = "a.cu", code: str = "CUD801") -> Diagnostic:
    span = Span(file, line, 1, line, 2, 10 * line, 10 * line + 1)
    return Diagnostic(code, "some-rule", severity, f"line {line}", span)


def printed(findings: list[Diagnostic], most: int) -> list[tuple[int, list[int]]]:
    """The lines that are printed, each with those that it stands for."""
    return [(d.span.line, [o.span.line for o in others]) for d, others in folded(findings, most)]


def test_the_first_are_printed_and_the_last_of_them_stands_for_the_others() -> None:
    assert printed([finding(n) for n in range(1, 7)], 2) == [(1, []), (2, [3, 4, 5, 6])]
    assert printed([finding(n) for n in range(1, 7)], 0) == [(n, []) for n in range(1, 7)]


def test_one_finding_more_is_printed() -> None:
    assert printed([finding(n) for n in range(1, 4)], 2) == [(1, []), (2, []), (3, [])]


def test_files_and_rules_count_apart() -> None:
    mixed = [finding(1), finding(2, code="CUD101"), finding(3), finding(1, file="b.cu"), finding(2, file="b.cu")]
    assert printed(mixed, 2) == [(1, []), (2, []), (3, []), (1, []), (2, [])]


def test_the_gravest_are_printed() -> None:
    """What is worth a change must not hide behind what is not."""
    many = [finding(n, Severity.INFO) for n in range(1, 6)] + [finding(9)]
    assert printed(many, 1) == [(9, [1, 2, 3, 4, 5])]


def test_errors_and_verdicts_are_always_printed() -> None:
    errors = [finding(n, Severity.ERROR) for n in range(1, 6)]
    verified = [replace(finding(n), verification={"verdict": "faster"}) for n in range(6, 9)]
    assert printed(errors + verified, 1) == [(n, []) for n in range(1, 9)]


def test_the_line_for_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the file, counts findings, lists lines once and no more than fit."""
    monkeypatch.chdir(tmp_path)
    name = str(tmp_path / "a.cu")
    report = Report(tuple(finding(n // 2, file=name) for n in range(2, 32)), files=(name,))
    text = render(report, "full", RenderOptions(same=2))
    assert "warning[CUD801]: 28 more in a.cu, in lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, …\n" in text
    assert text.count(" --> a.cu") == 2
    assert "Found 30 findings" in text


LITERALS = "__global__ void k(float *x) {{ int i = threadIdx.x;\n{}}}\n"


def run(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    with pytest.raises(SystemExit):
        main(["check", "--no-cache", "--isolated", "--select", "CUD801", *args])
    return capsys.readouterr().out


def test_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten by default, as many as asked for, and all of them in what machines read."""
    monkeypatch.chdir(tmp_path)
    Path("a.cu").write_text(LITERALS.format("".join(f"x[i] = x[i] * 0.{n}1;\n" for n in range(1, 15))))
    assert run(capsys, "a.cu").count(" --> a.cu") == 10
    assert "4 more in a.cu, in lines 12, 13, 14, 15" in run(capsys, "a.cu")
    assert run(capsys, "a.cu", "--max-same-findings", "0").count(" --> a.cu") == 14
    assert run(capsys, "a.cu", "--config", "max-same-findings=3").count(" --> a.cu") == 3
    assert len(json.loads(run(capsys, "a.cu", "--output-format", "json"))) == 14
