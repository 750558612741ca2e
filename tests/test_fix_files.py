"""--fix over several files: headers of the project, who else reads them, and what must be left alone."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from cudalint.lint import fixing
from cudalint.lint.atomic import replace_all
from cudalint.lint.cli import main
from cudalint.lint.config import Configs
from cudalint.lint.engine import Engine, Request
from cudalint.lint.fixing import FixRun, fix_report
from cudalint.lint.output.paths import project_root

pytestmark = pytest.mark.usefixtures("shared_workers")

RECORD = "#pragma once\nstruct P {\n    float x, y, z, w;\n};\n"
ALIGNED = RECORD.replace("struct P", "struct alignas(16) P")
USER = """\
#include "inc/rec.h"
__global__ void move(P *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = p[i].x + p[i].y + p[i].z + p[i].w;
}
void run(P *p, float *out, int n) { move<<<(n + 255) / 256, 256>>>(p, out, n); }
"""
SCALE = """\
__global__ void scale(float *out, const float *in, int w, int h) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < h && col < w) out[row * w + col] = 2.f * in[row * w + col];
}
"""
LAUNCH = """\
#include "scale.cuh"
void run(float *out, const float *in) {
    dim3 block(16, 16), grid(2048 / 16, 1024 / 16);
    scale<<<grid, block>>>(out, in, 1024, 2048);
}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A source with a record in a header."""
    project_root.cache_clear()
    folder = tmp_path / "project"
    (folder / "inc").mkdir(parents=True)
    (folder / "inc" / "rec.h").write_text(RECORD)
    (folder / "a.cu").write_text(USER)
    monkeypatch.chdir(folder)
    yield folder
    project_root.cache_clear()


def check(*arguments: str, select: str = "CUD101,CUD102", isolated: bool = True) -> int:
    options = ["--no-cache", "-j", "1", "--unsafe-fixes", "--select", select, *(["--isolated"] if isolated else [])]
    with pytest.raises(SystemExit) as stopped:
        main(["check", *options, *arguments])
    return int(stopped.value.code or 0)


def fix(between: Callable[[], object], path: str = ".", *, write: bool = True) -> FixRun:
    """Check, let something happen, and fix what was found."""
    request = Request((Path(path),), use_cache=False)
    with Engine(Configs({"select": ("CUD102",)}, isolated=True)) as engine:
        report = engine.run(request)
        assert report.findings
        between()
        return fix_report(engine, request, report, unsafe=True, write=write)


def reasons(run: FixRun) -> list[str]:
    return [f"{file}: {why}" for file, why in run.left_out]


# -- what is fixed -----------------------------------------------------------------------------------


def test_a_record_in_a_header_is_aligned_once_for_all(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "b.cu").write_text(USER.replace("run", "walk").replace("move", "copy"))
    assert check("--fix", "--show-fixes", ".") == 0
    assert (project / "inc" / "rec.h").read_text() == ALIGNED
    assert (project / "a.cu").read_text() == USER
    said = capsys.readouterr().err
    assert "inc/rec.h:\ncudalint:     8 x CUD102" in said
    assert "Fixed 8 findings in 1 file" in said
    assert check("--fix", ".") == 0
    assert "Fixed" not in capsys.readouterr().err


def test_a_kernel_in_a_header_and_its_launch_are_changed_together(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "scale.cuh").write_text(SCALE)
    (project / "main.cu").write_text(LAUNCH)
    assert check("--diff", "main.cu") == 1
    shown = capsys.readouterr().out
    assert "+++ b/main.cu" in shown
    assert "+++ b/scale.cuh" in shown
    assert (project / "scale.cuh").read_text() == SCALE
    assert check("--fix", "main.cu") == 0
    assert "grid(1024 / 16, 2048 / 16)" in (project / "main.cu").read_text()
    assert "row = blockIdx.y" in (project / "scale.cuh").read_text()
    assert "Fixed 2 findings in 2 files" in capsys.readouterr().err


@pytest.mark.parametrize("named", [".", "main.cu"])
def test_a_kernel_that_another_source_launches_too_is_left_alone(
    project: Path, capsys: pytest.CaptureFixture[str], named: str
) -> None:
    (project / "scale.cuh").write_text(SCALE)
    (project / "main.cu").write_text(LAUNCH)
    (project / "other.cu").write_text(LAUNCH.replace("run", "walk"))
    assert check("--fix", named, select="CUD101") == 1
    assert (project / "scale.cuh").read_text() == SCALE
    assert "2 fixes left out: scale.cuh: other.cu includes it" in capsys.readouterr().err.replace("main.cu, ", "")


def test_a_source_that_was_not_asked_for_must_not_break(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "b.cu").write_text('#include "inc/rec.h"\nstatic_assert(alignof(P) == 4, "packed on disk");\n')
    assert check("--fix", "a.cu") == 1
    assert (project / "inc" / "rec.h").read_text() == RECORD
    assert "4 fixes left out: the file would not have become better" in capsys.readouterr().err


def test_line_ends_encoding_and_mode_of_a_header_are_kept(project: Path) -> None:
    header = project / "inc" / "rec.h"
    header.write_bytes(b"\xef\xbb\xbf" + RECORD.replace("\n", "\r\n").encode() + b"// \xe9t\xe9\r\n")
    header.chmod(0o640)
    assert check("--fix", ".") == 0
    assert header.read_bytes() == b"\xef\xbb\xbf" + ALIGNED.replace("\n", "\r\n").encode() + b"// \xe9t\xe9\r\n"
    assert header.stat().st_mode & 0o777 == 0o640


def test_a_link_to_a_header_of_the_project_is_followed(project: Path) -> None:
    (project / "inc" / "rec.h").rename(project / "real.h")
    (project / "inc" / "rec.h").symlink_to("../real.h")
    (project / "b.cu").write_text(USER.replace("inc/rec.h", "real.h").replace("run", "walk"))
    assert check("--fix", ".") == 0
    assert (project / "real.h").read_text() == ALIGNED
    assert (project / "inc" / "rec.h").is_symlink()


def test_a_header_of_the_same_checkout_is_edited(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / ".git").mkdir()
    (project / "src").mkdir()
    (project / "a.cu").write_text(USER.replace("inc/", "../inc/"))
    (project / "a.cu").rename(project / "src" / "a.cu")
    monkeypatch.chdir(project / "src")
    assert check("--fix", "a.cu") == 0
    assert (project / "inc" / "rec.h").read_text() == ALIGNED


# -- what is left alone ------------------------------------------------------------------------------


def _outside(project: Path) -> None:
    (project / "inc").rename(project.parent / "inc")
    (project / "a.cu").write_text(USER.replace("inc/", "../inc/"))


def _linked(project: Path) -> None:
    shared = project.parent / "shared.h"
    (project / "inc" / "rec.h").rename(shared)
    (project / "inc" / "rec.h").symlink_to(shared)


def _system(project: Path) -> None:
    (project / "inc" / "rec.h").write_text("#pragma once\n#pragma clang system_header\n" + RECORD)


def _ignored(project: Path) -> None:
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("/inc/\n")


def _silenced(project: Path) -> None:
    said = RECORD.replace("struct P {", "struct P {  // cudalint: ignore[CUD102] its layout is that of a file")
    (project / "inc" / "rec.h").write_text(said)


def _configured(key: str) -> Callable[[Path], None]:
    return lambda project: Path(project, "cudalint.toml").write_text(f"{key}\n") and None


@pytest.mark.parametrize(
    ("prepare", "why"),
    [
        (_outside, "it is outside of the project"),
        (_linked, "inc/rec.h: it is a link to a file outside of the project"),
        (_system, "inc/rec.h: it is no file of the project"),
        (_ignored, "inc/rec.h: git ignores it"),
        (_silenced, "inc/rec.h: CUD102 is silenced there"),
        (lambda project: (project / "inc" / "rec.h").chmod(0o444), "inc/rec.h: it is read-only"),
        (_configured('extend-exclude = ["inc"]'), "inc/rec.h: it is excluded"),
        (_configured('per-file-ignores = { "inc/*" = ["CUD102"] }'), "inc/rec.h: CUD102 is switched off for it"),
    ],
)
def test_a_header_that_must_not_be_edited_is_left_alone_with_a_reason(
    project: Path, capsys: pytest.CaptureFixture[str], prepare: Callable[[Path], None], why: str
) -> None:
    prepare(project)
    before = {path: path.read_bytes() for path in project.parent.rglob("*.[ch]*")}
    assert check("--fix", ".", isolated=False) == 1
    said = capsys.readouterr().err
    assert {path: path.read_bytes() for path in before} == before
    if prepare is _system:
        assert "Fixed" not in said
    else:
        assert said.count("4 fixes left out: ") == 1
        assert said.endswith(f"{why}\n")


def test_standard_input_is_fixed_alone(
    project: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"// cudalint: ignore[CUD101] nothing here\n{USER}".encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    assert check("--fix", "-", "--stdin-filename", str(project / "a.cu"), select="CUD101,CUD102,CUD990") == 1
    captured = capfdbinary.readouterr()
    assert captured.out == USER.encode()
    assert b"4 fixes left out: inc/rec.h: only standard input is fixed" in captured.err
    assert (project / "inc" / "rec.h").read_text() == RECORD


def test_a_finding_that_a_baseline_hides_is_not_fixed(project: Path) -> None:
    assert check("--write-baseline", "known.json", ".") == 0
    assert check("--fix", "--baseline", "known.json", ".") == 0
    assert (project / "inc" / "rec.h").read_text() == RECORD


# -- what happens meanwhile --------------------------------------------------------------------------


def test_a_header_that_changes_after_the_check_is_not_overwritten(project: Path) -> None:
    header = project / "inc" / "rec.h"
    run = fix(lambda: header.write_text("#pragma once\n\n" + RECORD))
    assert reasons(run) == ["inc/rec.h: it has changed since it was checked"]
    assert header.read_text() == "#pragma once\n\n" + RECORD


def test_a_header_that_changes_before_it_is_written_keeps_all_files_as_they_are(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = project / "scale.cuh"
    header.write_text(SCALE)
    (project / "main.cu").write_text(LAUNCH)

    def late(changes: dict[Path, tuple[bytes, bytes]]) -> None:
        header.write_text(SCALE + "// edited\n")
        replace_all(changes)

    monkeypatch.setattr(fixing, "replace_all", late)
    assert check("--fix", "main.cu") == 2
    assert header.read_text() == SCALE + "// edited\n"
    assert (project / "main.cu").read_text() == LAUNCH
    assert sorted(place.name for place in project.iterdir()) == ["a.cu", "inc", "main.cu", "scale.cuh"]


@pytest.mark.usefixtures("project")
def test_what_could_not_be_written_is_still_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixing, "replace_all", Mock(side_effect=OSError(28, "No space left on device")))
    run = fix(lambda: None)
    assert run.problems == ("inc/rec.h: cannot be written: No space left on device",)
    assert not run.changed
    assert not run.applied
    assert len(run.report.findings) == 4


def test_a_header_that_is_gone_is_not_made_anew(project: Path) -> None:
    header = project / "inc" / "rec.h"
    run = fix(header.unlink)
    assert reasons(run) == ["inc/rec.h: it is no longer there"]
    assert not header.exists()


def test_where_a_reader_was_not_checked_to_the_end_nothing_is_fixed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = Request((Path(),), use_cache=False)
    with Engine(Configs({"select": ("CUD102",)}, isolated=True)) as engine:
        report = engine.run(request)
        partly = tuple(replace(outcome, complete=False) for outcome in engine.done(request))
        monkeypatch.setattr(engine, "done", lambda _: partly)
        run = fix_report(engine, request, report, unsafe=True, write=True)
    assert reasons(run) == ["inc/rec.h: a.cu could not be checked to the end"]
    assert (project / "inc" / "rec.h").read_text() == RECORD


# -- output ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("project")
def test_outputs_say_which_file_an_edit_is_in(capsys: pytest.CaptureFixture[str]) -> None:
    check("--output-format", "json", ".")
    edits = json.loads(capsys.readouterr().out)[0]["fix"]["edits"]
    assert [edit["filename"] for edit in edits] == ["inc/rec.h"]
    check("--output-format", "sarif", ".")
    fixes = json.loads(capsys.readouterr().out)["runs"][0]["results"][0]["fixes"]
    assert [change["artifactLocation"]["uri"] for change in fixes[0]["artifactChanges"]] == ["inc/rec.h"]
    check("--output-format", "rdjson", ".")
    assert "suggestions" not in json.loads(capsys.readouterr().out)["diagnostics"][0]


def test_sarif_lists_each_file_of_a_fix_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "scale.cuh").write_text(SCALE)
    (project / "main.cu").write_text(LAUNCH)
    check("--output-format", "sarif", "main.cu")
    for result in json.loads(capsys.readouterr().out)["runs"][0]["results"]:
        changes = result["fixes"][0]["artifactChanges"]
        assert sorted(change["artifactLocation"]["uri"] for change in changes) == ["main.cu", "scale.cuh"]
        assert sum(len(change["replacements"]) for change in changes) == 8
