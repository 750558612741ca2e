"""The fix engine: edits, overlaps, passes, taking back, atomic writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Severity
from cudalint.lint.fixes import (
    Fixed,
    applicable,
    apply_edits,
    disjoint,
    fix_content,
    unified_diff,
    write_atomically,
)
from cudalint.lint.model.source import Span
from hypothesis import given
from hypothesis import strategies as st


def at(start: int, end: int, macro: str | None = None, file: str = "a.cu") -> Span:
    return Span(file, 1, start + 1, 1, end + 1, start, end, macro)


def finding(
    code: str,
    *edits: tuple[int, int, str],
    safe: bool = True,
    macro: str | None = None,
    severity: Severity = Severity.WARNING,
) -> Diagnostic:
    kind = Applicability.SAFE if safe else Applicability.UNSAFE
    changes = tuple(Edit(at(a, b, macro), text) for a, b, text in edits)
    span = at(edits[0][0], edits[0][1]) if edits else at(0, 1)
    return Diagnostic(code, code.lower(), severity, code, span, fix=Fix(kind, "do it", changes))


def bad_words(content: bytes) -> list[Diagnostic]:
    """A toy linter: every `bad` is a finding whose fix writes `good`."""
    found, start = [], 0
    while (start := content.find(b"bad", start)) >= 0:
        found.append(finding("CUD101", (start, start + 3, "good")))
        start += 3
    return found


def test_edits_are_applied_from_left_to_right() -> None:
    assert apply_edits(b"abcdef", [Edit(at(4, 6), "Z"), Edit(at(0, 1), "XY"), Edit(at(2, 2), "-")]) == b"XYb-cdZ"


def test_overlapping_edits_are_an_error() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        apply_edits(b"abcdef", [Edit(at(0, 3), "x"), Edit(at(2, 4), "y")])


def test_an_insertion_takes_the_line_ends_of_the_file() -> None:
    assert apply_edits(b"a\r\nb\r\n", [Edit(at(3, 3), "x\n")]) == b"a\r\nx\r\nb\r\n"


@given(st.binary(max_size=40), st.data())
def test_edits_equal_brute_force_splicing(content: bytes, data: st.DataObject) -> None:
    content = content.replace(b"\r", b"")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=6).filter(lambda x: len(x) % 2 == 0)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=True))
    expected = content
    for start, end in reversed(spans):
        expected = expected[:start] + b"<>" + expected[end:]
    assert apply_edits(content, [Edit(at(a, b), "<>") for a, b in spans]) == expected


def test_touching_fixes_wait_for_the_next_pass_and_identical_edits_are_shared() -> None:
    one, two = finding("CUD101", (0, 3, "x")), finding("CUD102", (3, 5, "y"))
    same = finding("CUD103", (0, 3, "x"), (8, 9, "z"))
    assert disjoint([one, two]) == [one]
    assert disjoint([one, same]) == [one, same]


def test_only_what_was_asked_for_is_applicable() -> None:
    unsafe = finding("CUD101", (0, 1, "x"), safe=False)
    assert not applicable(unsafe, unsafe=False)
    assert applicable(unsafe, unsafe=True)
    assert not applicable(finding("CUD101", (0, 1, "x"), macro="CHECK"), unsafe=True)
    assert not applicable(finding("CUD101"), unsafe=True)


def test_all_findings_are_fixed_and_reported() -> None:
    fixed = fix_content("a.cu", b"bad bad ok bad", bad_words, unsafe=False)
    assert fixed.after == b"good good ok good"
    assert len(fixed.applied) == 3
    assert not fixed.refused


def test_a_fix_that_brings_a_new_finding_is_taken_back() -> None:
    def lint(content: bytes) -> list[Diagnostic]:
        new = [finding("CUD402")] if b"good" in content else []
        return [*bad_words(content), *new]

    fixed = fix_content("a.cu", b"bad", lint, unsafe=False)
    assert not fixed.changed
    assert [f.code for f in fixed.refused] == ["CUD101"]


def test_a_fix_that_leaves_its_finding_is_taken_back() -> None:
    fixed = fix_content("a.cu", b"abc", lambda _: [finding("CUD201", (0, 1, "Z"))], unsafe=False)
    assert not fixed.changed
    assert len(fixed.refused) == 1


def test_a_veto_keeps_a_fix_out() -> None:
    fixed = fix_content("a.cu", b"bad bad", bad_words, unsafe=False, accept=lambda f: f.span.offset == 0)
    assert fixed.after == b"good bad"


def test_atomic_write_keeps_mode_and_follows_links(tmp_path: Path) -> None:
    target = tmp_path / "real.cu"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link = tmp_path / "link.cu"
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert target.read_bytes() == b"new"
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert {p.name for p in tmp_path.iterdir()} == {"link.cu", "real.cu"}


def test_the_diff_names_the_file_and_a_missing_last_newline() -> None:
    text = unified_diff(Fixed("k.cu", b"a\nb", b"a\nc"))
    assert text.startswith("--- a/k.cu\n+++ b/k.cu\n")
    assert "-b\n\\ No newline at end of file\n+c\n" in text
