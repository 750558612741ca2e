"""Rule pages: fresh, complete, and made from what stands in the rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cudalint.lint import docs
from cudalint.lint.catalog import catalog
from cudalint.lint.docstrings import describe, markdown, section, sections
from cudalint.lint.report import RuleInfo
from reports import rule_info

ROOT = Path(__file__).parents[1]
WANTED = ("what it does", "example", "use instead", "when it does not apply", "references")


def test_pages_are_fresh() -> None:
    assert docs.stale(ROOT) == [], "run: python -m cudalint.lint.docs"


@pytest.mark.parametrize("info", catalog().rules, ids=lambda info: info.code)
def test_rule_is_documented(info: RuleInfo) -> None:
    titles = [title.casefold() for title, _ in sections(info.markdown)]
    assert [title for title in WANTED if title not in titles] == []
    assert "why is this bad?" in titles or "why it is slow" in titles
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", info.name)
    assert re.fullmatch(r"[A-Z]+\d{3}", info.code)
    assert info.description
    example = section(info.markdown, "Example")
    assert "```" in example, "an example is code"


def test_stale_missing_and_left_over_pages_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert any("not generated" in line for line in docs.stale(tmp_path))
    assert docs.main([]) == 0
    assert docs.main(["--check"]) == 0
    page = next((tmp_path / docs.PAGES).glob("CUD101-*"))
    page.write_text("old", encoding="utf-8")
    (tmp_path / docs.PAGES / "CUD000-old.md").write_text("", encoding="utf-8")
    assert sorted(line.rpartition(": ")[2] for line in docs.stale(tmp_path)) == ["belongs to no rule", "stale"]
    assert docs.main(["--check"]) == 1
    docs.main([])
    assert docs.stale(tmp_path) == []


def test_page_shows_samples_without_marks(tmp_path: Path) -> None:
    (tmp_path / "flagged_a.cu").write_text("int a;  // expect: CUD101@5\n", encoding="utf-8")
    (tmp_path / "near_miss_b").mkdir()
    (tmp_path / "near_miss_b" / "Makefile").write_text("all:  # expect: CUD701@1\n", encoding="utf-8")
    page = docs.page(rule_info(), tmp_path)
    assert page.startswith("# uncoalesced-global-access (CUD101)\n")
    assert "## Flagged\n\n```cuda\nint a;\n```" in page
    assert "`Makefile`:\n\n```\nall:\n```" in page
    assert "expect:" not in page


DOC = """First line.

## What it does
Says things. And
more.

Second paragraph.

Example
```cuda
## not a title
```
"""


def test_sections() -> None:
    assert [title for title, _ in sections(DOC)] == ["", "What it does", "Example"]
    assert describe(DOC) == "Says things. And more."
    assert section(DOC, "example") == "```cuda\n## not a title\n```"
    assert markdown(DOC).startswith("First line.\n\n## What it does\n\nSays things.")
    assert describe("") == ""
