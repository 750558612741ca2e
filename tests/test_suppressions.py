"""Comments that silence findings: what they cover, what is wrong with them, and the fix that removes them."""

from __future__ import annotations

import pytest
from cudalint.lint.diagnostics import Diagnostic, Severity
from cudalint.lint.fixes import apply_edits
from cudalint.lint.model.source import Span
from cudalint.lint.suppressions import FileSuppressions, Problem

NAMES = {"uncoalesced-global-access": "CUD101", "missing-syncthreads": "CUD401"}
ALL = frozenset({"CUD101", "CUD401", "CUD990", "CUD991"})


def resolve(text: str) -> str | None:
    code = NAMES.get(text, text.upper())
    return code if code in ALL else None


def at(line: int, code: str = "CUD101", end_line: int | None = None) -> Diagnostic:
    return Diagnostic(code, "x", Severity.WARNING, "m", Span("a.cu", line, 1, end_line or line, 2, 0, 1))


def silenced(source: str, *lines: int, code: str = "CUD101", build: bool = False) -> list[int]:
    """Which of the findings on these lines are silenced."""
    comments = FileSuppressions("a.cu", source.encode(), resolve, hash_comments=build)
    kept = comments.silence([at(line, code) for line in lines])
    return [line for line in lines if line not in {finding.span.line for finding in kept}]


def problems(source: str, *findings: Diagnostic, active: frozenset[str] = ALL) -> list[Problem]:
    comments = FileSuppressions("a.cu", source.encode(), resolve)
    comments.silence(findings)
    return [problem for problem in comments.problems(active) if problem.code == "CUD990"]


def repaired(source: str, *findings: Diagnostic) -> str:
    fixes = [problem.fix for problem in problems(source, *findings) if problem.fix]
    return apply_edits(source.encode(), [edit for fix in fixes for edit in fix.edits]).decode()


@pytest.mark.parametrize(
    "comment",
    [
        "// cudalint: ignore[CUD101] reason",
        "// cudalint: ignore[uncoalesced-global-access]",
        "// cudalint:ignore[ cud101 , CUD401 ]",
        "/* cudalint: ignore[CUD101] */ y();",
        "// see #12. cudalint: ignore[CUD101] reason",
        "// NOLINT(cudalint-CUD101)",
        "// NOLINT(bugprone-foo, cudalint-uncoalesced-global-access): reason",
        "// été cudalint: ignore[CUD101]",
    ],
)
def test_trailing_comment_covers_its_line_only(comment: str) -> None:
    assert silenced(f"a();\nx(); {comment}\nb();\n", 1, 2, 3) == [2]


@pytest.mark.parametrize(
    "comment",
    [
        "// cudalint: ignore[CUD401]",
        "// NOLINT",
        "// NOLINT()",
        "// NOLINT(bugprone-foo)",
        "// cudalint: ignore",
        "// cudalint: ignore[]",
        "// cudalint: disable CUD101",
    ],
)
def test_comment_for_something_else_covers_nothing(comment: str) -> None:
    assert silenced(f"x(); {comment}\n", 1) == []


def test_marker_in_a_string_is_no_comment() -> None:
    assert silenced('f("// cudalint: ignore[CUD101]");\n', 1) == []
    assert silenced('f(R"x(\n// cudalint: ignore[CUD101] )" )x"); g();\n', 2) == []
    assert silenced("f('\"'); // cudalint: ignore[CUD101]\n", 1) == [1]
    assert silenced("int a = 1'000; // cudalint: ignore[CUD101]\n", 1) == [1]


def test_own_line_covers_the_next_statement_to_its_end() -> None:
    source = "// cudalint: ignore[CUD101] why\n\n// more words\nfoo(a,\n    b);\nbar();\n"
    assert silenced(source, 1, 4, 5, 6) == [4, 5]


def test_own_line_covers_the_head_of_a_block_not_its_body() -> None:
    loop = "#pragma unroll\n  for (int i = 0;\n       i < 4; ++i) {\n    body();\n  }\n"
    source = f"  // cudalint: ignore[CUD101] why\n{loop}"
    assert silenced(source, 3, 4, 5) == [3, 4]


def test_own_line_covers_a_whole_directive() -> None:
    assert silenced("// cudalint: ignore[CUD101] why\n#define A \\\n  b \\\n  c\nd();\n", 2, 3, 4, 5) == [2, 3, 4]


def test_own_line_at_the_end_of_a_block_covers_nothing_behind_it() -> None:
    assert silenced("{\n  // cudalint: ignore[CUD101] why\n}\nnext();\n", 4) == []


def test_finding_over_several_lines_is_silenced_behind_its_last() -> None:
    comments = FileSuppressions("a.cu", b"foo(a,\n    b);  // cudalint: ignore[CUD101] why\n", resolve)
    assert comments.silence([at(1, end_line=2)]) == []
    assert not list(comments.problems(ALL))


def test_disable_and_enable() -> None:
    source = "a\n// cudalint: disable[CUD101, CUD401] why\nb\n// cudalint: enable[CUD101]\nc\n"
    assert silenced(source, 1, 3, 5) == [3]
    assert silenced("a\n// cudalint: disable[CUD101] why\nb\nc\n", 1, 3, 4) == [3, 4]


def test_nolint_ranges_and_next_line() -> None:
    source = "a\n// NOLINTBEGIN(cudalint-CUD101)\nb\n// NOLINTEND(cudalint-CUD101)\nc\n"
    assert silenced(source, 1, 3, 5) == [3]
    assert silenced("// NOLINTNEXTLINE(cudalint-CUD101)\na\nb\n", 1, 2, 3) == [2]


def test_file_ignore_covers_everything() -> None:
    assert silenced("a\nb\n// cudalint: file-ignore[CUD101] generated\n", 1, 2) == [1, 2]


def test_build_files_have_hash_comments() -> None:
    source = (
        'set(A "# cudalint: ignore[CUD101]")\n# cudalint: ignore[CUD101] why\nset(FLAGS\n  -G)\n'
        "end() # cudalint: ignore[CUD101]\nx()\n"
    )
    assert silenced(source, 1, 3, 4, 5, 6, build=True) == [3, 4, 5]
    assert silenced("# cudalint: ignore[CUD101] why\nFLAGS = -O2 \\\n  -G\nall:\n", 2, 3, 4, build=True) == [2, 3]
    assert silenced("a()  // cudalint: ignore[CUD101]\n", 1, build=True) == []


def test_unused_and_unknown_are_reported_once_with_their_place() -> None:
    (unused,) = problems("x(); // cudalint: ignore[CUD101, CUD402] why\n", at(9))
    assert unused.message == "unused ignore: CUD402 is no rule; CUD101 is not reported here"
    assert (unused.span.line, unused.span.column) == (1, 9)


def test_used_or_inactive_suppressions_are_fine() -> None:
    assert problems("x(); // cudalint: ignore[CUD101] why\n", at(1)) == []
    assert problems("x(); // cudalint: ignore[CUD401] why\n", active=frozenset({"CUD101"})) == []
    assert problems("// cudalint: verify N=4096 block=(32,32)\n") == []


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("cudalint: ignore CUD101", "without a list"),
        ("cudalint: ignor[CUD101]", "unknown directive 'ignor'"),
        ("cudalint: enable[CUD101]", "CUD101 is not disabled here"),
    ],
)
def test_malformed_comments_are_reported(comment: str, words: str) -> None:
    (problem,) = problems(f"x(); // {comment}\n")
    assert words in problem.message


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("x();  // cudalint: ignore[CUD101] why\ny();\n", "x();\ny();\n"),
        ("a();\n  // cudalint: ignore[CUD101] why\ny();\n", "a();\ny();\n"),
        ("x();  // cudalint: ignore[CUD101, CUD401] why\n", "x();  // cudalint: ignore[CUD401] why\n"),
        ("x();  // words. cudalint: ignore[CUD101] why\n", "x();  // words. \n"),
        ("x(); // NOLINT(bugprone-foo, cudalint-CUD101)\n", "x(); // NOLINT(bugprone-foo)\n"),
        ("x(); /* cudalint: ignore[CUD101] */ y();\n", "x(); y();\n"),
    ],
)
def test_fix_removes_what_is_unused_and_nothing_else(source: str, after: str) -> None:
    assert repaired(source, at(1, "CUD401")) == after


def test_reason_is_wanted_where_asked() -> None:
    def reasonless(comment: str) -> bool:
        comments = FileSuppressions("a.cu", f"x(); {comment}\n".encode(), resolve)
        comments.silence([at(1)])
        return any(problem.code == "CUD991" for problem in comments.problems(ALL))

    assert reasonless("// cudalint: ignore[CUD101]")
    assert reasonless("// cudalint: ignore[CUD101] <reason>")
    assert reasonless("/* NOLINT(cudalint-CUD101) */")
    assert not reasonless("// cudalint: ignore[CUD101] measured, see https://example.org/12")
    assert not reasonless("// NOLINT(cudalint-CUD101): measured")
    assert not reasonless("// NOLINT(other)")


def test_line_ends_of_windows() -> None:
    assert silenced("a();\r\nx(); // cudalint: ignore[CUD101] why\r\nb();\r\n", 1, 2, 3) == [2]
    assert repaired("x(); // cudalint: ignore[CUD101] why\r\ny();\r\n") == "x();\r\ny();\r\n"
