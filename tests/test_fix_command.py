"""--fix, --diff and friends through the command, on findings whose fix is safe."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest
from cudalint.lint.cli import main

SOURCE = "// cudalint: ignore[CUD502] nothing here\nint x;\n__global__ void k(float *p) { p[threadIdx.x] = 1.f; }\n"


def check(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(["check", "--isolated", "--no-cache", "-j", "1", "--select", "CUD990,CUD502", *arguments])
    return int(stopped.value.code or 0)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "k.cu"
    path.write_text(SOURCE)
    return path


def test_diff_shows_the_change_and_writes_nothing(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--diff", str(source)) == 1
    assert "-// cudalint: ignore[CUD502] nothing here" in capsys.readouterr().out
    assert source.read_text() == SOURCE


def test_fix_writes_and_leaves_nothing(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--fix", "--show-fixes", str(source)) == 0
    assert "ignore" not in source.read_text()
    assert "1 x CUD990 (unused-suppression)" in capsys.readouterr().err


def test_exit_non_zero_on_fix(source: Path) -> None:
    assert check("--fix", "--exit-non-zero-on-fix", str(source)) == 1


def test_without_fix_nothing_changes(source: Path) -> None:
    assert check(str(source)) == 1
    assert source.read_text() == SOURCE


def test_a_read_only_folder_is_an_error_not_a_traceback(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = Mock(side_effect=PermissionError(13, "Permission denied"))
    monkeypatch.setattr("cudalint.lint.fixing.replace_all", refused)
    assert check("--fix", str(source)) == 2
    assert source.read_text() == SOURCE


def test_verify_without_a_gpu_says_so(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from cudalint.verify.device import missing

    if not missing():
        pytest.skip("a GPU is there")
    assert check("--verify", str(source)) == 1
    assert "nothing was verified" in capsys.readouterr().err


def test_a_bad_verify_table_names_the_kernel() -> None:
    from cudalint.lint.config import ConfigError, Settings
    from cudalint.lint.verifying import _specs

    good = Settings(verify={"kernels": {"k": {"N": 16, "block": "(N, 2)", "out": "float[N * N]"}}})
    assert _specs(good)["k"].block == (16, 2, 1)
    with pytest.raises(ConfigError, match=r"verify.kernels.k: N"):
        _specs(Settings(verify={"kernels": {"k": {"N": "M + 1"}}}))


def test_verify_takes_a_file_and_a_kernel(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from cudalint.verify.device import missing

    if not missing():
        pytest.skip("a GPU is there")
    with pytest.raises(SystemExit) as stopped:
        main(["verify", f"{source}:nothing"])
    assert stopped.value.code == 0
    assert "nothing was verified" in capsys.readouterr().err


def test_with_verify_only_proven_fixes_are_applied() -> None:
    from dataclasses import replace

    from cudalint.lint.diagnostics import Diagnostic, Severity
    from cudalint.lint.model.source import Span
    from cudalint.lint.report import Report
    from cudalint.lint.verifying import proven

    finding = Diagnostic("CUD201", "n", Severity.WARNING, "first", Span("a.cu", 1, 1, 1, 2, 0, 1), kernel="k")
    verdicts = {"first": "faster", "second": "slower", "third": "different-results", "fourth": "no-gain"}
    made = [replace(finding, message=m, verification={"verdict": v}) for m, v in verdicts.items()]
    accept = proven(Report(tuple(made)))
    again = {m: accept(replace(finding, message=m)) for m in verdicts}
    assert again == {"first": True, "second": False, "third": False, "fourth": True}
