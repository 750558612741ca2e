"""Runs over files: workers that die, headers, caches, scope."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cudalint.lint import analyse as analyse_module
from cudalint.lint import engine as engine_module
from cudalint.lint import worker as worker_module
from cudalint.lint.analyse import run_checks
from cudalint.lint.cache import Cache, clean, decode, encode
from cudalint.lint.config import Configs
from cudalint.lint.diagnostics import Diagnostic, Severity
from cudalint.lint.discovery import FileKind
from cudalint.lint.engine import Engine, Request, exit_status, merge
from cudalint.lint.jobs import DEBUG, Job, Outcome
from cudalint.lint.model.source import Span
from cudalint.lint.report import Report
from cudalint.lint.worker import Pool
from reports import sample_report

pytestmark = pytest.mark.usefixtures("shared_workers")

STRIDED = "__global__ void k(float *o, const float *in) { o[threadIdx.x] = in[threadIdx.x * 33]; }\n"
HEADER = f"#pragma once\n{STRIDED}"
LAUNCH = '#include "k.cuh"\nvoid run(float *o, float *i) {{ k<<<1, {block}>>>(o, i); }}\n'


def check(folder: Path, *paths: Path, stdin: bytes | None = None, cache: bool = False, **overrides: object) -> Report:
    """A run with one worker over files, the memory rules only."""
    configs = Configs({"select": ("CUD0", "CUD101", "CUD99"), "jobs": 1, **overrides}, isolated=True)
    request = Request(paths=paths or (folder,), stdin=stdin, use_cache=cache)
    with Engine(configs) as engine:
        return engine.run(request)


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings]


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_finds_and_sorts(tmp_path: Path) -> None:
    write(tmp_path / "b.cu", STRIDED)
    write(tmp_path / "a.cu", f"\n\n{STRIDED}")
    report = check(tmp_path)
    assert [(Path(f.filename).name, f.span.line, f.code) for f in report.findings] == [
        ("a.cu", 3, "CUD101"),
        ("b.cu", 1, "CUD101"),
    ]
    assert exit_status(report) == 1
    assert exit_status(report, Severity.ERROR) == 0


def test_kernels_of_a_header_are_reported_once_with_the_first_launch(tmp_path: Path) -> None:
    write(tmp_path / "k.cuh", HEADER)
    for name, block in (("a.cu", 64), ("b.cu", 128)):
        write(tmp_path / name, LAUNCH.format(block=block))
    report = check(tmp_path)
    (finding,) = report.findings
    assert Path(finding.filename).name == "k.cuh"
    assert finding.evidence is not None
    assert finding.evidence["block"][0] == 64


def test_header_of_another_folder_is_not_reported_unless_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "inc" / "k.cuh", HEADER)
    source = write(tmp_path / "src" / "a.cu", LAUNCH.format(block=64).replace("k.cuh", "../inc/k.cuh"))
    assert codes(check(tmp_path, source)) == []
    assert codes(check(tmp_path, source, tmp_path / "inc" / "k.cuh")) == ["CUD101"]
    assert codes(check(tmp_path)) == ["CUD101"]


def test_excluded_header_is_not_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "vendor" / "k.cuh", HEADER)
    write(tmp_path / "a.cu", LAUNCH.format(block=64).replace("k.cuh", "vendor/k.cuh"))
    assert codes(check(tmp_path)) == ["CUD101"]
    assert codes(check(tmp_path, extend_exclude=("vendor",))) == []


def test_suppressions_in_a_header_count_with_all_files_that_include_it(tmp_path: Path) -> None:
    write(tmp_path / "k.cuh", HEADER.replace("33]; }", "33]; }  // cudalint: ignore[CUD101] small"))
    for name in ("a.cu", "b.cu"):
        write(tmp_path / name, LAUNCH.format(block=64))
    report = check(tmp_path)
    assert (codes(report), report.suppressed) == ([], 1)


def test_stdin_is_checked_under_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = check(tmp_path, stdin=STRIDED.encode())
    assert codes(report) == ["CUD101"]
    assert report.path(report.findings[0].filename) == "<stdin>"
    assert report.lines(report.findings[0].filename)[0] == STRIDED.rstrip()


def test_worker_that_dies_or_hangs_costs_one_note_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = write(tmp_path / "hook" / "trouble.py", TROUBLE).parent
    monkeypatch.syspath_prepend(str(plugin))
    monkeypatch.setattr(worker_module, "_MAIN", worker_module._MAIN.replace("serve()", "import trouble; serve()"))
    jobs = [
        Job(str(write(tmp_path / f"{name}.cu", STRIDED)), FileKind.SOURCE, ("CUD101", "CUD301")) for name in NAMES
    ]
    monkeypatch.setattr(worker_module, "_GRACE_SECONDS", 0.5)
    pool = Pool(1, timeout=2.0)
    try:
        outcomes = list(pool.map(jobs))
    finally:
        pool.close()
    assert [outcome.complete for outcome in outcomes] == [True, False, True, False, True, False, False, False, True]
    assert "died (exit status 7)" in outcomes[1].findings[0].message
    assert "took longer than 2 s" in outcomes[3].findings[0].message
    assert "checking failed (ZeroDivisionError" in outcomes[5].findings[0].message
    found, note = outcomes[6].findings
    assert (found.code, note.message) == ("CUD101", "took too long to check: rule CUD301 did not finish")
    assert "died" in outcomes[7].findings[0].message
    assert all(outcome.findings[0].code == "CUD101" for outcome in outcomes if outcome.complete)


NAMES = ("one", "dies", "two", "hangs", "three", "raises", "spins", "garbles", "four")
TROUBLE = """
import os, time
class Garbled:
    def __reduce__(self):
        return int, ("not a number",)
from cudalint.lint import analyse as module
real = module.analyse
def analyse(job):
    if job.path.endswith("dies.cu"):
        os._exit(7)
    if job.path.endswith("hangs.cu"):
        time.sleep(60)
    if job.path.endswith("garbles.cu"):
        return Garbled()
    if job.path.endswith("raises.cu"):
        1 / 0
    return real(job)
def spin(self, unit):
    while unit.program.path.endswith("spins.cu"):
        try:
            len("")
        except Exception:
            pass
    return iter(())
module.analyse = analyse
from cudalint.rules.cud301_warp_divergent_branch import WarpDivergentBranch
WarpDivergentBranch.check = spin
"""


def test_rule_that_fails_becomes_a_note(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> list[Diagnostic]:
        raise KeyError("oops")

    good = Diagnostic("CUD301", "x", Severity.WARNING, "m", Span("a.cu", 1, 1, 1, 2, 0, 1))
    checks = {"CUD101": broken, "CUD102": broken, "CUD301": lambda: [good]}
    first, note = run_checks("a.cu", checks).findings
    assert first is good
    assert note.code == "CUD000"
    assert "rules CUD101, CUD102 failed on this file (KeyError: 'oops')" in note.message
    assert "Traceback" not in capsys.readouterr().err
    monkeypatch.setenv(DEBUG, "1")
    run_checks("a.cu", checks)
    assert "Traceback" in capsys.readouterr().err


BAD = {
    "empty.cu": b"",
    "binary.cu": b"\x7fELF\x00\x01\x02" * 100,
    "utf16.cu": "__global__ void k() {}".encode("utf-16"),
    "truncated.cu": b"__global__ void k(float *o) { o[threadIdx.x",
    "latin1.cu": b"// caf\xe9 \xff\xfe\n" + STRIDED.encode(),
    "unbalanced.cu": b"#if 1\n" + STRIDED.encode(),
    "unknown.cu": b"Widget w; __global__ void k(Gadget *g) { g->run(w); }\n",
    "braces.cu": b"{" * 5_000_000,
    "self.cu": b'#include "self.cu"\n' + STRIDED.encode(),
    "missing.cu": b"#include <no/such/thing.h>\n" + STRIDED.encode(),
    "long_line.cu": b"int a[] = {" + b"1," * 30_000 + b"1};\n" + STRIDED.encode(),
}


def test_bad_input_gives_notes_and_the_rest_is_checked(tmp_path: Path) -> None:
    for name, data in BAD.items():
        (tmp_path / name).write_bytes(data)
    write(tmp_path / "good.cu", STRIDED)
    report = check(tmp_path, jobs=2)
    by_file: dict[str, set[str]] = {}
    for finding in report.findings:
        by_file.setdefault(Path(finding.filename).name, set()).add(finding.code)
    assert not [f.message for f in report.findings if "please report" in f.message]
    for name in ("binary.cu", "utf16.cu", "truncated.cu", "unbalanced.cu", "unknown.cu", "braces.cu", "missing.cu"):
        assert "CUD000" in by_file[name], name
    for name in ("good.cu", "latin1.cu", "unbalanced.cu", "self.cu", "missing.cu", "long_line.cu"):
        assert "CUD101" in by_file[name], name
    assert "empty.cu" not in by_file
    assert report.errors == ()


def test_unreadable_file_is_an_error_when_named_and_the_rest_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = write(tmp_path / "secret.cu", STRIDED)
    write(tmp_path / "good.cu", STRIDED)
    # Changing the mode would not do: the superuser reads everything.
    monkeypatch.setattr(engine_module, "_open_problem", lambda path: "Permission denied" if path == secret else "")
    report = check(tmp_path, secret, tmp_path / "good.cu")
    assert report.errors == (f"{secret}: cannot be read: Permission denied",)
    assert (codes(report), exit_status(report)) == (["CUD101"], 2)


def test_file_that_is_gone_when_its_turn_comes_is_a_note(tmp_path: Path) -> None:
    outcome = analyse_module.analyse(Job(str(tmp_path / "gone.cu"), FileKind.SOURCE, ("CUD101",)))
    assert [finding.code for finding in outcome.findings] == ["CUD000"]
    assert "cannot be read: No such file" in outcome.findings[0].message


def test_severity_confidence_and_per_file_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.cu", STRIDED)
    assert codes(check(tmp_path, min_severity="error")) == []
    (finding,) = check(tmp_path, severity={"uncoalesced-global-access": "error"}).findings
    assert finding.severity is Severity.ERROR
    assert codes(check(tmp_path, per_file_ignores={"a.*": ("CUD1",)})) == []
    assert codes(check(tmp_path, select=("CUD401",))) == []


def test_merge_keeps_different_words_of_one_file_but_not_of_two() -> None:
    span = Span("k.cuh", 1, 1, 1, 2, 0, 1)

    def said(words: str) -> Diagnostic:
        return Diagnostic("CUD401", "x", Severity.ERROR, words, span)

    merged = merge([Outcome("a", (said("one"), said("two"), said("one"))), Outcome("b", (said("three"),))])
    assert [finding.message for finding in merged] == ["one", "two"]


def test_cache_answers_until_something_that_was_read_changes(tmp_path: Path) -> None:
    source = write(tmp_path / "a.cu", LAUNCH.format(block=64))
    header = write(tmp_path / "k.cuh", HEADER)
    folder = tmp_path / "cache"
    job = Job(str(source), FileKind.SOURCE, ("CUD101",))
    outcome = analyse_module.analyse(job)
    Cache(folder).put(job, outcome)
    assert Cache(folder).get(job) == outcome
    assert Cache(folder).get(Job(str(source), FileKind.SOURCE, ("CUD101", "CUD102"))) is None
    assert Cache(folder).get(Job(str(source), FileKind.SOURCE, ("CUD101",), ("-DX",))) is None
    header.write_text(HEADER + "\n", encoding="utf-8")
    assert Cache(folder).get(job) is None


def test_cache_notices_a_header_that_appears(tmp_path: Path) -> None:
    source = write(tmp_path / "a.cu", LAUNCH.format(block=64))
    job = Job(str(source), FileKind.SOURCE, ("CUD000", "CUD101"))
    outcome = analyse_module.analyse(job)
    assert {finding.code for finding in outcome.findings} == {"CUD000"}
    Cache(tmp_path / "cache").put(job, outcome)
    assert Cache(tmp_path / "cache").get(job) is not None
    write(tmp_path / "k.cuh", HEADER)
    assert Cache(tmp_path / "cache").get(job) is None


def test_cache_notices_a_makefile_that_changes(tmp_path: Path) -> None:
    job = Job(str(write(tmp_path / "a.cu", STRIDED)), FileKind.SOURCE, ("CUD101",))
    write(tmp_path / "Makefile", "CFLAGS = -DA\n")
    Cache(tmp_path / "cache").put(job, analyse_module.analyse(job))
    assert Cache(tmp_path / "cache").get(job) is not None
    write(tmp_path / "Makefile", "CFLAGS = -DB\n")
    assert Cache(tmp_path / "cache").get(job) is None


def test_makefile_with_includes_is_read_anew_every_time(tmp_path: Path) -> None:
    for text, kept in (("all:\n\tnvcc a.cu\n", True), ("-include config.mk\n", False)):
        job = Job(str(write(tmp_path / "Makefile", text)), FileKind.BUILD, ("CUD701",))
        cache = Cache(tmp_path / "cache")
        cache.put(job, analyse_module.analyse(job))
        assert (cache.get(job) is not None) is kept


def test_warm_run_says_the_same_without_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.cu", STRIDED)
    cold = check(tmp_path, cache=True)
    monkeypatch.setattr(Pool, "_drive", lambda *_: pytest.fail("a file was checked again"))
    assert check(tmp_path, cache=True).findings == cold.findings
    assert (tmp_path / ".cudalint_cache" / ".gitignore").is_file()


def test_outcomes_survive_the_cache_format(tmp_path: Path) -> None:
    outcome = Outcome("a.cu", sample_report(tmp_path).findings, ("a.cu",), (("a.cu", "12"), ("gone.h", "")))
    assert decode(json.loads(json.dumps(encode(outcome)))) == outcome


def test_torn_or_foreign_cache_entries_are_misses(tmp_path: Path) -> None:
    job = Job(str(write(tmp_path / "a.cu", STRIDED)), FileKind.SOURCE, ())
    cache = Cache(tmp_path / "cache")
    for text in ("", "[]", '{"path": 1}', "null", '{"path": "x", "findings": [{}], "inputs": []}'):
        entry = cache._entry(job)
        write(entry, text)
        assert cache.get(job) is None


def test_clean_removes_only_what_a_run_made(tmp_path: Path) -> None:
    mine = tmp_path / "cache"
    Cache(mine).put(Job("a.cu", FileKind.SOURCE, ()), Outcome("a.cu", (), ("a.cu",), (("a.cu", ""),)))
    assert clean(mine)
    assert not mine.exists()
    other = tmp_path / "precious"
    write(other / "file", "x")
    assert not clean(other)
    assert other.exists()
