"""Every output format over one report, and the excerpts that people see."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from cudalint.lint.config import OUTPUT_FORMATS
from cudalint.lint.diagnostics import Diagnostic, Label, Severity
from cudalint.lint.model.source import Span
from cudalint.lint.output import RenderOptions, render
from cudalint.lint.output.paths import project_root
from cudalint.lint.output.style import text_width
from cudalint.lint.report import Report
from reports import SOURCE, sample_report, span_of


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    monkeypatch.chdir(tmp_path)
    project_root.cache_clear()
    return sample_report(tmp_path)


FULL = """\
info[CUD000]: headers not found: a.h
 --> größe [1].cu:1:1
  |
1 | #define STRIDE 33
  | ^
  |

warning[CUD101]: `in[threadIdx.x * STRIDE]` touches 32 sectors per warp where 4 would do
 --> größe [1].cu:4:21
  |
3 |     int größe = n;  // 漢字 wide
  |         ----- unrelated
4 |     out[threadIdx.x] = in[threadIdx.x * STRIDE];
  |         -----------    ^^^^^^^^^^^^^^^^^^^^^^^^ lanes are 132 bytes apart
  |         written side by side
  |
  | lane 0 1 2
  |
  = global memory moves whole sectors
  = note: assumed a block of 256 threads
  = help: let neighbouring threads read neighbours
  = fix: read neighbours (safe)

Found 1 finding (1 warning) in 1 file; 1 note on what could not be read
1 fixable with `--fix`
"""


def test_full_has_excerpt_labels_reasons_and_summary(report: Report) -> None:
    assert render(report, "full") == FULL


def test_full_colours_only_when_asked(report: Report) -> None:
    plain, colored = render(report, "full"), render(report, "full", RenderOptions(color=True, links=True))
    assert "\x1b" not in plain
    assert "\x1b]8;;https://" in colored
    stripped = re.sub(r"\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b]*\x1b\\", "", colored)
    assert stripped == plain


@pytest.mark.parametrize("prefix", ["", "\t", "/* 漢字 */ ", "/* é\u0301 */", "\t\t/* é */ "])
def test_underline_stands_below_its_text(tmp_path: Path, prefix: str) -> None:
    source = f"{prefix}target = 1;\n"
    file = tmp_path / "a.cu"
    file.write_text(source, encoding="utf-8")
    span = span_of(file, "target", source)
    finding = Diagnostic("CUD101", "x", Severity.WARNING, "m", span)
    lines = render(Report((finding,), (str(file),)), "full").splitlines()
    at = next(number for number, line in enumerate(lines) if "target" in line)
    assert lines[at + 1].index("^") == text_width(lines[at][: lines[at].index("target")])
    assert lines[at + 1].count("^") == len("target")


def test_escape_sequences_of_a_source_do_not_reach_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text("int a; // \x1b[2J\n", encoding="utf-8")
    finding = Diagnostic("CUD101", "x", Severity.WARNING, "m", Span(str(file), 1, 1, 1, 4, 0, 3))
    assert "\x1b" not in render(Report((finding,), (str(file),)), "full")


def test_file_name_with_a_line_feed_stays_on_one_line(tmp_path: Path) -> None:
    span = Span(str(tmp_path / "a\nb.cu"), 1, 1, 1, 2, 0, 1)
    report = Report((Diagnostic("CUD101", "x", Severity.WARNING, "m", span),))
    assert len(render(report, "concise").splitlines()) == 1


def test_clean_files_with_notes_are_not_called_clear(report: Report) -> None:
    assert "All clear" not in render(report.with_findings(report.notes), "concise")
    assert "All clear: no findings in 1 file" in render(report.with_findings(()), "concise")


def test_labels_in_another_file_get_their_own_excerpt(tmp_path: Path) -> None:
    one, two = tmp_path / "a.cu", tmp_path / "b.cuh"
    one.write_text("int a;\n", encoding="utf-8")
    two.write_text("\n" * 119 + "int b;\n", encoding="utf-8")
    label = Label(Span(str(two), 120, 5, 120, 6, 123, 124), "here")
    finding = Diagnostic("CUD101", "x", Severity.ERROR, "m", Span(str(one), 1, 5, 1, 6, 4, 5), labels=(label,))
    text = render(Report((finding,), (str(one),), shown={str(one): "a.cu", str(two): "b.cuh"}), "full")
    assert "   ::: b.cuh:120:5\n    |\n120 | int b;\n    |     - here\n" in text


def test_multi_line_span_is_underlined_to_the_end_of_its_first_line(tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text("for (;;)\n  f();\n", encoding="utf-8")
    finding = Diagnostic("CUD301", "x", Severity.ERROR, "m", Span(str(file), 1, 1, 2, 7, 0, 15))
    assert "1 | for (;;)\n  | ^^^^^^^^\n" in render(Report((finding,), (str(file),)), "full")


def test_excerpt_survives_a_file_that_is_gone(tmp_path: Path) -> None:
    finding = Diagnostic("CUD101", "x", Severity.ERROR, "m", Span(str(tmp_path / "gone.cu"), 7, 3, 7, 4, 0, 1))
    assert "gone.cu:7:3" in render(Report((finding,), ("gone.cu",)), "full")


def test_concise(report: Report) -> None:
    lines = render(report, "concise").splitlines()
    assert lines[1].startswith("größe [1].cu:4:21: warning[CUD101] [*] `in[threadIdx.x * STRIDE]` touches")
    assert lines[2].startswith("Found 1 finding")
    assert len(render(report, "concise", RenderOptions(quiet=True)).splitlines()) == 2


def test_json_has_the_keys_of_the_contract(report: Report) -> None:
    note, item = json.loads(render(report, "json"))
    assert note["code"] == "CUD000"
    contract = (
        "code name severity message filename location end_location kernel evidence fix verification related url"
    )
    assert set(contract.split()) <= set(item)
    assert item["filename"] == "größe [1].cu"
    assert (item["location"], item["end_location"]) == ({"row": 4, "column": 21}, {"row": 4, "column": 45})
    assert item["evidence"] == {
        "sectors_per_request": 32,
        "ideal_sectors": 4,
        "lane_stride_bytes": 132,
        "block": [256, 1, 1],
    }
    assert item["fix"]["applicability"] == "safe"
    assert item["fix"]["edits"][0]["content"] == "threadIdx.x"
    assert item["related"][1]["location"] == {"row": 4, "column": 6}
    assert item["url"].endswith("/rules/CUD101-uncoalesced-global-access/")


def test_json_of_nothing_is_an_empty_array() -> None:
    assert json.loads(render(Report(()), "json")) == []


def test_json_has_no_nan(tmp_path: Path) -> None:
    span = Span(str(tmp_path / "a.cu"), 1, 1, 1, 2, 0, 1)
    finding = Diagnostic("CUD101", "x", Severity.ERROR, "m", span, evidence={"a": float("nan"), "b": (1, 2)})
    (item,) = json.loads(render(Report((finding,)), "json"), parse_constant=lambda c: pytest.fail(c))
    assert item["evidence"] == {"a": None, "b": [1, 2]}


def test_json_lines(report: Report) -> None:
    lines = render(report, "json-lines").splitlines()
    assert [json.loads(line)["code"] for line in lines] == ["CUD000", "CUD101"]


def test_github(report: Report) -> None:
    note, warning = render(report, "github").splitlines()
    assert note.startswith("::notice title=cudalint (CUD000),file=größe [1].cu,line=1,col=1,endLine=1,endColumn=1::")
    assert warning.startswith(
        "::warning title=cudalint (CUD101),file=größe [1].cu,line=4,col=21,endLine=4,endColumn=45::"
        "größe [1].cu:4:21: CUD101 `in[threadIdx.x * STRIDE]`"
    )
    assert "%0Aglobal memory moves whole sectors%0Ahelp: let" in warning


def test_github_columns_only_within_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    project_root.cache_clear()
    file = str(tmp_path / "a,b:c.cu")
    finding = Diagnostic("CUD301", "x", Severity.ERROR, "50% of\nlanes", Span(file, 1, 2, 3, 4, 0, 9))
    assert render(Report((finding,)), "github") == (
        "::error title=cudalint (CUD301),file=a%2Cb%3Ac.cu,line=1,endLine=3::a,b:c.cu:1:2: CUD301 50%25 of%0Alanes\n"
    )


def test_gitlab(report: Report) -> None:
    twice = report.with_findings((report.findings[1], report.findings[1]))
    one, two = json.loads(render(twice, "gitlab"))
    assert one["check_name"] == "uncoalesced-global-access"
    assert one["description"].startswith("CUD101: `in[")
    assert one["severity"] == "major"
    assert one["fingerprint"] != two["fingerprint"]
    assert one["location"]["path"] == "größe [1].cu"
    assert one["location"]["positions"]["begin"] == {"line": 4, "column": 21}


def test_azure(report: Report) -> None:
    line = render(report, "azure").splitlines()[1]
    assert line.startswith("##vso[task.logissue type=warning;sourcepath=größe [1%5D.cu;linenumber=4;columnnumber=21;")
    assert ";code=CUD101;]`in[threadIdx.x * STRIDE%5D`" in line


def test_rdjson(report: Report) -> None:
    data = json.loads(render(report, "rdjson"))
    found = data["diagnostics"][1]
    assert found["location"]["range"]["start"] == {"line": 4, "column": 21}
    assert found["code"]["value"] == "CUD101"
    assert found["suggestions"][0]["text"] == "threadIdx.x"


def test_junit_is_well_formed_and_counts(report: Report) -> None:
    broken = report.findings[1].__class__("CUD101", "x", Severity.ERROR, "bad \x00 char <&>", report.findings[1].span)
    root = ET.fromstring(
        render(report.with_findings((*report.findings, broken), files=(*report.files, "/clean.cu")), "junit").encode()
    )
    assert (root.get("tests"), root.get("failures")) == ("4", "2")
    suites = root.findall("testsuite")
    assert [suite.get("failures") for suite in suites] == ["2", "0"]
    assert len(suites[0].findall("testcase/skipped")) == 1
    assert suites[1].find("testcase/failure") is None


def test_grouped(report: Report) -> None:
    lines = render(report, "grouped").splitlines()
    assert lines[0] == "größe [1].cu:"
    assert lines[2].startswith("  4:21     warning[CUD101] `in[")


def test_html_escapes_and_needs_no_network(report: Report) -> None:
    evil = Diagnostic("CUD101", "x", Severity.ERROR, "<script>alert(1)</script>", report.findings[1].span)
    page = render(report.with_findings((*report.findings, evil)), "html")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert not re.search(r"<(?:link|img|script)|@import|src=", page)
    assert "^^^^ lanes are 132 bytes apart" in page


@pytest.mark.parametrize("output_format", OUTPUT_FORMATS)
def test_every_format_renders_an_empty_and_a_full_report(output_format: str, report: Report) -> None:
    assert isinstance(render(Report(()), output_format), str)
    text = render(report, output_format)
    assert "CUD101" in text
    assert text.endswith("\n")


def test_statistics(report: Report) -> None:
    from cudalint.lint.output.summary import statistics

    assert statistics(report, "full") == (
        "1  CUD000       unreadable-source\n1  CUD101  [*]  uncoalesced-global-access\n"
    )
    assert json.loads(statistics(report, "json"))[1]["count"] == 1


def test_columns_of_the_sample_are_code_points() -> None:
    assert span_of(Path("x"), "größe").end_column == 11
    assert SOURCE.splitlines()[2][5:10] == "größe"
