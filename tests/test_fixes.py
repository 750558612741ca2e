"""The fix engine: edits, overlaps, passes, taking back, atomic writes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from cudalint.lint.atomic import ChangedError, replace_all, write_atomically
from cudalint.lint.diagnostics import Applicability, Diagnostic, Edit, Fix, Severity
from cudalint.lint.fixes import (
    Contents,
    Fixed,
    FixedFiles,
    Seen,
    applicable,
    apply_all,
    apply_edits,
    disjoint,
    edits_of,
    fix_files,
    unified_diff,
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


def bad_words(contents: Contents) -> list[Diagnostic]:
    """A toy linter: every `bad` is a finding whose fix writes `good`."""
    found = []
    for name, content in contents.items():
        start = 0
        while (start := content.find(b"bad", start)) >= 0:
            edit = Edit(at(start, start + 3, file=name), "good")
            fix = Fix(Applicability.SAFE, "do it", (edit,))
            found.append(Diagnostic("CUD101", "cud101", Severity.WARNING, "bad", edit.span, fix=fix))
            start += 3
    return found


def fixed_with(
    before: Contents, lint: Callable[[Contents], list[Diagnostic]], wanted: Callable[[Diagnostic], bool] = bool
) -> FixedFiles:
    """What fixing gives under a toy linter."""

    def seen(contents: Contents) -> Seen:
        return Seen(tuple(lint({**before, **contents})))

    return fix_files(before.__getitem__, seen({}), seen, wanted)


def after(fixed: FixedFiles) -> dict[str, bytes]:
    return {name: file.after for name, file in fixed.files.items()}


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


def test_edits_of_one_fix_that_overlap_make_it_inapplicable() -> None:
    assert not applicable(finding("CUD101", (0, 3, "x"), (2, 4, "y")), unsafe=True)
    assert applicable(finding("CUD101", (0, 3, "x"), (0, 3, "x"), (3, 4, "y")), unsafe=True)


def test_text_from_another_file_takes_the_line_ends_of_this_one() -> None:
    assert apply_edits(b"a\nb\n", [Edit(at(2, 2), "x\r\n")]) == b"a\nx\nb\n"
    assert apply_edits(b"a\r\nb\r\n", [Edit(at(3, 3), "x\r\n")]) == b"a\r\nx\r\nb\r\n"


def test_an_insertion_at_the_start_stays_behind_the_byte_order_mark() -> None:
    assert apply_edits(b"\xef\xbb\xbfa", [Edit(at(0, 0), "x")]) == b"\xef\xbb\xbfxa"


def test_all_findings_are_fixed_and_reported() -> None:
    fixed = fixed_with({"a.cu": b"bad bad ok bad"}, bad_words)
    assert after(fixed) == {"a.cu": b"good good ok good"}
    assert len(fixed.applied) == 3
    assert not fixed.refused


def test_a_fix_that_brings_a_new_finding_is_taken_back() -> None:
    def lint(contents: Contents) -> list[Diagnostic]:
        new = [finding("CUD402")] if b"good" in contents["a.cu"] else []
        return [*bad_words(contents), *new]

    fixed = fixed_with({"a.cu": b"bad"}, lint)
    assert not fixed.files
    assert [f.code for f in fixed.refused] == ["CUD101"]


def test_a_fix_that_leaves_its_finding_is_taken_back() -> None:
    fixed = fixed_with({"a.cu": b"abc"}, lambda _: [finding("CUD201", (0, 1, "Z"))])
    assert not fixed.files
    assert len(fixed.refused) == 1


def test_a_fix_after_which_something_cannot_be_read_is_taken_back() -> None:
    def seen(contents: Contents) -> Seen:
        content = contents.get("a.cu", b"bad")
        return Seen(tuple(bad_words({"a.cu": content})), frozenset({("b.cu", "broken")} if content != b"bad" else ()))

    fixed = fix_files(lambda _: b"bad", seen({}), seen, bool)
    assert not fixed.files
    assert len(fixed.refused) == 1


def test_a_veto_keeps_a_fix_out() -> None:
    fixed = fixed_with({"a.cu": b"bad bad"}, bad_words, lambda f: f.span.offset == 0)
    assert after(fixed) == {"a.cu": b"good bad"}


def test_one_bad_fix_among_many_keeps_none_of_the_others_out() -> None:
    def lint(contents: Contents) -> list[Diagnostic]:
        new = [finding("CUD402")] if contents["c.cu"].startswith(b"good") else []
        return [*bad_words(contents), *new]

    before = dict.fromkeys(("a.cu", "b.cu", "c.cu", "d.cu"), b"bad bad bad")
    fixed = fixed_with(before, lint)
    assert after(fixed) == {**dict.fromkeys(["a.cu", "b.cu", "d.cu"], b"good good good"), "c.cu": b"bad good good"}
    assert [(f.filename, f.span.offset) for f in fixed.refused] == [("c.cu", 0)]


def test_a_fix_that_was_taken_back_is_tried_again_once_others_are_made() -> None:
    def lint(contents: Contents) -> list[Diagnostic]:
        """Mending y brings something new for as long as the z behind it is there; its fix touches that of y."""
        text = contents["a.cu"].decode()
        found = [finding("CUD101", (i, i + 1, ".")) for i, c in enumerate(text) if c == "y"]
        found += [finding("CUD102", (i, i + 1, ".")) for i, c in enumerate(text) if c == "z"]
        return [*found, *([finding("CUD402")] if ".z" in text else [])]

    fixed = fixed_with({"a.cu": b"yz"}, lint)
    assert after(fixed) == {"a.cu": b".."}
    assert not fixed.refused


# -- several files -----------------------------------------------------------------------------------


def both(code: str, *edits: tuple[str, int, int, str], file: str = "a.cu", message: str = "") -> Diagnostic:
    """A finding with edits in several files."""
    changes = tuple(Edit(at(a, b, file=name), text) for name, a, b, text in edits)
    fix = Fix(Applicability.SAFE, "do it", changes)
    return Diagnostic(code, code.lower(), Severity.WARNING, message or code, at(0, 1, file=file), fix=fix)


def test_the_same_edit_of_a_header_from_ten_files_is_made_once() -> None:
    def lint(contents: Contents) -> list[Diagnostic]:
        if contents["h.h"] != b"struct P":
            return []
        return [both("CUD102", ("h.h", 6, 6, " aligned"), file=f"{i}.cu") for i in range(10)]

    fixed = fixed_with({"h.h": b"struct P"}, lint)
    assert after(fixed) == {"h.h": b"struct aligned P"}
    assert len(fixed.applied) == len(fixed.files["h.h"].applied) == 10


def test_of_different_edits_at_one_place_the_first_is_made_and_the_other_in_the_next_pass() -> None:
    def lint(contents: Contents) -> list[Diagnostic]:
        text, found = contents["h.h"], []
        for name, mark in (("a.cu", b"1"), ("b.cu", b"2")):
            if mark not in text:
                found.append(both("CUD102", ("h.h", len(text), len(text), mark.decode()), file=name))
        return found

    assert after(fixed_with({"h.h": b"0"}, lint)) == {"h.h": b"012"}


def test_a_fix_is_taken_back_in_all_of_its_files() -> None:
    def lint(contents: Contents) -> list[Diagnostic]:
        found = []
        if contents["a.cu"] == b"a":
            found.append(both("CUD101", ("a.cu", 0, 1, "A"), ("h.h", 0, 1, "H")))
        if contents["h.h"].startswith(b"H"):
            found.append(both("CUD401", file="b.cu"))
        return [*found, *bad_words({"h.h": contents["h.h"]})]

    fixed = fixed_with({"a.cu": b"a", "h.h": b"h bad"}, lint)
    assert after(fixed) == {"h.h": b"h good"}
    assert [f.code for f in fixed.refused] == ["CUD101"]


NAMES = ("a.cu", "b.cu", "h.h")


@st.composite
def projects(draw: st.DrawFn) -> tuple[dict[str, bytes], list[Diagnostic]]:
    """Files, and fixes whose edits, each in one of the files, touch none of the others."""
    contents = {name: draw(st.binary(min_size=1, max_size=60)).replace(b"\r", b".") for name in NAMES}
    places = []
    for name, content in contents.items():
        cuts = sorted(draw(st.sets(st.integers(0, len(content)), max_size=10)))
        places += [(name, a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    texts = st.text(alphabet="xy\u00e9;", max_size=4)
    shares: dict[int, list[tuple[str, int, int, str]]] = {}
    for place in places:
        shares.setdefault(draw(st.integers(0, 4)), []).append((*place, draw(texts)))
    return contents, [both("CUD101", *edits, message=f"fix {key}") for key, edits in sorted(shares.items())]


def spliced(contents: Contents, fixes: list[Diagnostic]) -> dict[str, bytes]:
    """Brute force: byte by byte, from the last edit to the first."""
    made = dict(contents)
    edits = [e for f in fixes if f.fix for e in f.fix.edits]
    for edit in sorted(edits, key=lambda e: e.span.offset, reverse=True):
        text = made[edit.span.file]
        made[edit.span.file] = text[: edit.span.offset] + edit.content.encode() + text[edit.span.end_offset :]
    return made


def moved(finding: Diagnostic, made: list[Diagnostic]) -> Diagnostic:
    """A finding with its edits where they are after those of others."""
    done = [e for f in made if f.fix for e in f.fix.edits]
    edits = []
    for edit in finding.fix.edits if finding.fix else ():
        before = [d for d in done if d.span.file == edit.span.file and d.span.offset < edit.span.offset]
        by = sum(len(d.content.encode()) - d.span.end_offset + d.span.offset for d in before)
        edits.append((edit.span.file, edit.span.offset + by, edit.span.end_offset + by, edit.content))
    return both(finding.code, *edits, message=finding.message)


@given(projects(), st.data())
def test_fixes_of_several_files_equal_brute_force_and_bad_ones_leave_no_trace(
    project: tuple[dict[str, bytes], list[Diagnostic]], data: st.DataObject
) -> None:
    contents, fixes = project
    bad = data.draw(st.sets(st.sampled_from([f.message for f in fixes]))) if fixes else set()
    good = [f for f in fixes if f.message not in bad and spliced(contents, [f]) != contents]
    outcomes = {}
    for count in range(1 << len(fixes)):
        some = [f for i, f in enumerate(fixes) if count >> i & 1]
        outcomes[tuple(sorted(spliced(contents, some).items()))] = {f.message for f in some}

    def lint(now: Contents) -> list[Diagnostic]:
        made = outcomes[tuple(sorted({**contents, **now}.items()))]
        shown = [moved(f, [g for g in fixes if g.message in made]) for f in fixes if f.message not in made]
        return [*shown, *(both("CUD401", message=m) for m in made & bad)]

    distinct = len(outcomes) == 1 << len(fixes)
    fixed = fixed_with(contents, lint, lambda f: f.code == "CUD101" and distinct)
    assert {**contents, **after(fixed)} == (spliced(contents, good) if distinct else contents)
    edits = [e for f in good for e in edits_of(f)]
    assert {**contents, **apply_all({}, edits, contents.__getitem__)} == spliced(contents, good)


# -- writing -----------------------------------------------------------------------------------------


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two files with a mode and line ends of their own."""
    one, two = tmp_path / "a.cu", tmp_path / "inc" / "h.h"
    two.parent.mkdir()
    one.write_bytes(b"one\r\n")
    two.write_bytes(b"two\n")
    one.chmod(0o644)
    two.chmod(0o640)
    return one, two


def files_below(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {p.name: (p.read_bytes(), p.stat().st_mode & 0o777) for p in folder.rglob("*") if p.is_file()}


def test_several_files_are_replaced_together(pair: tuple[Path, Path], tmp_path: Path) -> None:
    replace_all({pair[0]: (b"one\r\n", b"1"), pair[1]: (b"two\n", b"2")})
    assert [p.read_bytes() for p in pair] == [b"1", b"2"]
    assert pair[1].stat().st_mode & 0o777 == 0o640
    assert files_below(tmp_path).keys() == {"a.cu", "h.h"}


def test_a_file_that_has_changed_meanwhile_is_not_overwritten(pair: tuple[Path, Path], tmp_path: Path) -> None:
    before = files_below(tmp_path)
    with pytest.raises(ChangedError) as raised:
        replace_all({pair[0]: (b"one\r\n", b"1"), pair[1]: (b"something else", b"2")})
    assert raised.value.path == pair[1]
    assert files_below(tmp_path) == before


@pytest.mark.parametrize("failing", [1, 2])
def test_what_was_replaced_before_a_failure_is_put_back(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    before = files_below(tmp_path)
    calls = []
    replace = Path.replace

    def fail(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == failing:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        replace_all({pair[0]: (b"one\r\n", b"1"), pair[1]: (b"two\n", b"2")})
    assert files_below(tmp_path) == before


def test_what_is_written_into_a_file_while_it_is_replaced_is_not_lost(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def late(self: Path, target: Path) -> Path:
        if target.read_bytes() == b"two\n":
            with target.open("ab") as out:
                out.write(b"more\n")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", late)
    with pytest.raises(ChangedError):
        replace_all({pair[0]: (b"one\r\n", b"1"), pair[1]: (b"two\n", b"2")})
    assert files_below(tmp_path) == {"a.cu": (b"one\r\n", 0o644), "h.h": (b"two\nmore\n", 0o640)}


def test_a_full_disk_is_noticed_before_any_file_is_touched(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files_below(tmp_path)
    inode = pair[0].stat().st_ino
    fdopen, opened = os.fdopen, []

    def full(handle: int, mode: str) -> object:
        opened.append(fdopen(handle, mode))
        if len(opened) > 1:
            raise OSError(28, "No space left on device")
        return opened[-1]

    monkeypatch.setattr("cudalint.lint.atomic.os.fdopen", full)
    with pytest.raises(OSError, match="No space"):
        replace_all({pair[0]: (b"one\r\n", b"1"), pair[1]: (b"two\n", b"2")})
    assert files_below(tmp_path) == before
    assert pair[0].stat().st_ino == inode


def test_a_file_that_is_gone_is_not_made_anew(pair: tuple[Path, Path], tmp_path: Path) -> None:
    pair[1].unlink()
    with pytest.raises(FileNotFoundError):
        replace_all({pair[0]: (b"one\r\n", b"1"), pair[1]: (b"two\n", b"2")})
    assert files_below(tmp_path).keys() == {"a.cu"}
    assert pair[0].read_bytes() == b"one\r\n"


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
    assert text.startswith(b"--- a/k.cu\n+++ b/k.cu\n")
    assert b"-b\n\\ No newline at end of file\n+c\n" in text


def test_the_diff_keeps_bytes_and_line_ends_as_they_are() -> None:
    text = unified_diff(Fixed("k.cu", b"\xe9\x0cz\r\nb\r\n", b"\xe9\x0cz\r\nc\r\n"))
    assert text.endswith(b" \xe9\x0cz\r\n-b\r\n+c\r\n")
