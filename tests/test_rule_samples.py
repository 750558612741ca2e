"""Every rule on its own samples: flagged where they say so, silent on all other lines."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cudalint.lint.analyse import analyse
from cudalint.lint.catalog import catalog
from cudalint.lint.diagnostics import Diagnostic
from cudalint.lint.discovery import FileKind, kind_of
from cudalint.lint.docs import SAMPLE_FOLDER, SAMPLE_KINDS, page_path
from cudalint.lint.engine import meta_findings, suppressions_of
from cudalint.lint.jobs import Job

SAMPLES = Path(__file__).parent / SAMPLE_FOLDER.name
ROOT = Path(__file__).parents[1]
CODES = tuple(catalog().by_code)
META_RULES = ("CUD990", "CUD991")
_EXPECT = re.compile(r"(?://|#) expect: (?P<marks>[A-Z0-9@, ]+?)\s*$")


def samples() -> list[Path]:
    """All sample files and folders, one folder a rule."""
    folders = [folder for folder in sorted(SAMPLES.iterdir()) if folder.is_dir()]
    return [item for folder in folders for item in sorted(folder.iterdir()) if item.name.startswith(SAMPLE_KINDS)]


def files_of(sample: Path) -> list[Path]:
    """The files of a sample that are checked."""
    inside = [sample] if sample.is_file() else sorted(p for p in sample.rglob("*") if p.is_file())
    return [path for path in inside if kind_of(path) is not None and path.suffix != ".cuh"] or inside


def code_of(sample: Path) -> str:
    return sample.parent.name.upper()


def expected(path: Path, code: str) -> set[tuple[int, int]]:
    """The marked places: `// expect: CUD101@15` at the end of a line, several separated by commas."""
    places = set()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = _EXPECT.search(line)
        for mark in match["marks"].split(",") if match else ():
            name, _, column = mark.strip().partition("@")
            if name == code:
                places.add((number, int(column)))
    return places


def findings(path: Path, code: str) -> list[Diagnostic]:
    """What a rule says about a file, through the real front end, with all rules on for the meta rules' sake."""
    codes = CODES if code in META_RULES else (code,)
    outcome = analyse(Job(str(path), kind_of(path) or FileKind.SOURCE, codes))
    assert not [f.message for f in outcome.findings if f.code == "CUD000" and "please report" in f.message]
    found = list(outcome.findings)
    if code in META_RULES:
        comments = suppressions_of(str(path))
        comments.silence(found)
        found = list(meta_findings(comments, frozenset(codes)))
    return [f for f in found if f.code == code and Path(f.filename) == path]


@pytest.mark.parametrize("sample", samples(), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_sample(sample: Path) -> None:
    code, flagged = code_of(sample), 0
    for path in files_of(sample):
        wanted = expected(path, code)
        found = findings(path, code)
        assert {(f.span.line, f.span.column) for f in found} == wanted, [f.message for f in found]
        flagged += len(wanted)
    assert (flagged > 0) == sample.name.startswith("flagged")


@pytest.mark.parametrize("code", CODES)
def test_rule_has_samples_and_a_page(code: str) -> None:
    folder = SAMPLES / code.lower()
    names = [item.name for item in folder.iterdir()] if folder.is_dir() else []
    missing = [kind for kind in SAMPLE_KINDS if not any(name.startswith(kind) for name in names)]
    assert not missing
    info = catalog().infos([code])[0]
    assert page_path(ROOT, info).is_file()


COMPILED = [s for s in samples() if s.suffix == ".cu"] if os.environ.get("CUDALINT_NVCC") else []
"""Every sample, when CUDALINT_NVCC=1 asks for the compiler to see them; none otherwise (that takes minutes)."""


@pytest.mark.parametrize("sample", COMPILED, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_sample_compiles(sample: Path, tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc on PATH")
    if "before CUDA 13" in sample.read_text(encoding="utf-8").partition("\n")[0]:
        pytest.skip("a sample of what nvcc 13 refuses")
    done = subprocess.run(
        [nvcc, "-std=c++17", "-c", str(sample), "-o", str(tmp_path / "sample.o")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
