"""The command line end to end: options, exit statuses, messages."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from cudalint.lint.cli import main
from cudalint.lint.commands import run
from cudalint.lint.output.paths import project_root

import cudalint

pytestmark = pytest.mark.usefixtures("shared_workers")

STRIDED = "__global__ void k(float *o, const float *in) { o[threadIdx.x] = in[threadIdx.x * 33]; }\n"
CLEAN = "__global__ void k(float *o, const float *in) { o[threadIdx.x] = in[threadIdx.x]; }\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a flagged and a clean file, nothing set in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("CUDALINT_OUTPUT_FORMAT", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    project_root.cache_clear()
    (tmp_path / "bad.cu").write_text(STRIDED, encoding="utf-8")
    (tmp_path / "good.cu").write_text(CLEAN, encoding="utf-8")
    return tmp_path


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> object:
    """Runs a command in this process: (status, standard output, standard error)."""

    def call(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        status = run([*arguments, *(("--select", "CUD0,CUD101,CUD99", "-j1") if arguments[0] == "check" else ())])
        out, err = capfd.readouterr()
        return status, out, err

    return call


def test_exit_statuses(cli) -> None:  # type: ignore[no-untyped-def]
    assert cli("check", "good.cu")[0] == 0
    assert cli("check", "bad.cu")[0] == 1
    status, out, err = cli("check", "nope.cu", "bad.cu", "--output-format", "concise")
    assert status == 2
    assert "nope.cu: does not exist" in err
    assert "bad.cu:1:65: warning[CUD101]" in out
    assert cli("check", "bad.cu", "--exit-zero")[0] == 0
    assert cli("check", "nope.cu", "--exit-zero")[0] == 2
    assert cli("check", "bad.cu", "--fail-on", "error")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check", "--bogus"), "No such option"),
        (("check", "--extend-select", "CUD9999"), "unknown rule selector 'CUD9999'"),
        (("check", "--output-format", "xml"), "'xml' is not one of full, concise"),
        (("check", "--block", "32,x"), "--block 32,x: expected one to three positive integers"),
        (("check", "--grid", "0"), "--grid 0: expected"),
        (("check", "--config", "nope.toml"), "nope.toml: no such file"),
        (("check", "--config", "job=1"), "unknown key 'job'; did you mean 'jobs'"),
        (("check", "-p", "nowhere"), "nowhere: has no compile_commands.json"),
        (("check", "--baseline", "nope.json"), "cannot read nope.json"),
        (("check", "bad.cu", "--output-file", "bad.cu/x"), "cannot write bad.cu/x"),
        (("check", "-", "bad.cu"), "cannot be mixed with files"),
        (("check", "bad.cu", "--diff-base", "HEAD"), "git rev-parse"),
        (("rule", "CUD10"), "unknown rule 'CUD10'; did you mean CUD10"),
        (("rule",), "name a rule, or give --all"),
        (("config", "nope"), "unknown setting 'nope'"),
        (("model", "nope.cu"), "nope.cu: does not exist"),
        (("model", "good.cu:nope"), "no function nope; its kernels: k"),
    ],
)
def test_what_cannot_run_exits_with_two_and_a_message(cli, arguments: tuple[str, ...], words: str) -> None:  # type: ignore[no-untyped-def]
    status, out, err = cli(*arguments)
    assert status == 2
    flat = " ".join(err.replace("│", " ").split())
    assert words in flat
    assert "Traceback" not in out + err


def test_bad_configuration_exits_with_two(cli, place: Path) -> None:  # type: ignore[no-untyped-def]
    (place / "cudalint.toml").write_text("ignroe = []\n", encoding="utf-8")
    status, _, err = cli("check", "good.cu")
    assert status == 2
    assert "did you mean 'ignore'?" in err
    assert cli("check", "good.cu", "--isolated")[0] == 0


def test_formats_by_option_environment_and_configuration(cli, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    (place / "cudalint.toml").write_text("output-format = 'github'\n", encoding="utf-8")
    assert cli("check", "bad.cu")[1].startswith("::warning ")
    monkeypatch.setenv("CUDALINT_OUTPUT_FORMAT", "json-lines")
    assert json.loads(cli("check", "bad.cu")[1])["code"] == "CUD101"
    assert cli("check", "bad.cu", "--output-format", "concise")[1].startswith("bad.cu:1:65:")


def test_json_on_standard_output_is_json_alone(cli) -> None:  # type: ignore[no-untyped-def]
    status, out, _ = cli("check", ".", "--output-format", "json")
    (item,) = json.loads(out)
    assert status == 1
    assert (item["filename"], item["location"]) == ("bad.cu", {"row": 1, "column": 65})


def test_output_file_and_sarif_beside_it(cli, place: Path) -> None:  # type: ignore[no-untyped-def]
    status, out, _ = cli("check", "bad.cu", "--output-file", "o/f.txt", "--sarif-output", "o/f.sarif")
    assert (status, out) == (1, "")
    assert "warning[CUD101]" in (place / "o" / "f.txt").read_text(encoding="utf-8")
    log = json.loads((place / "o" / "f.sarif").read_text(encoding="utf-8"))
    assert log["runs"][0]["results"][0]["ruleId"] == "CUD101"


def test_stdin(cli, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    def given(text: str) -> None:
        reading, writing = os.pipe()
        os.write(writing, text.encode())
        os.close(writing)
        monkeypatch.setattr(sys, "stdin", os.fdopen(reading, encoding="utf-8"))

    given(STRIDED)
    status, out, _ = cli("check", "-", "--stdin-filename", "x/y.cu", "--output-format", "concise")
    assert (status, out.split(":")[0]) == (1, "x/y.cu")
    given(CLEAN)
    assert cli("check", "-")[0] == 0


def test_block_and_flags_reach_the_analysis(cli, place: Path) -> None:  # type: ignore[no-untyped-def]
    (place / "f.cu").write_text(f"#ifdef ON\n{STRIDED}#endif\n", encoding="utf-8")
    assert cli("check", "f.cu")[0] == 0
    assert cli("check", "f.cu", "--extra-arg=-DON")[0] == 1
    assert run(["check", "f.cu", "--select", "CUD101", "-j1", "--", "-DON"]) == 1
    _, out, _ = cli("check", "bad.cu", "--block", "64", "--output-format", "json")
    assert json.loads(out)[0]["evidence"]["block"] == [64, 1, 1]


def test_compile_commands_are_used(cli, place: Path) -> None:  # type: ignore[no-untyped-def]
    (place / "f.cu").write_text(f"#ifdef ON\n{STRIDED}#endif\n", encoding="utf-8")
    command = {"directory": str(place), "file": "f.cu", "command": "nvcc -arch=sm_90 -DON -c f.cu"}
    (place / "b").mkdir()
    (place / "b" / "compile_commands.json").write_text(json.dumps([command]), encoding="utf-8")
    assert cli("check", "f.cu")[0] == 0
    assert cli("check", "f.cu", "-p", "b")[0] == 1


def test_show_files_and_settings(cli) -> None:  # type: ignore[no-untyped-def]
    assert cli("check", ".", "--show-files")[1] == "bad.cu\ngood.cu\n"
    assert 'fail-on = "error"' in cli("check", "--show-settings", "--fail-on", "error")[1]


def test_no_ignores(cli, place: Path) -> None:  # type: ignore[no-untyped-def]
    (place / "bad.cu").write_text(STRIDED.rstrip() + " // cudalint: ignore[CUD101] small\n", encoding="utf-8")
    assert cli("check", "bad.cu")[0] == 0
    assert cli("check", "bad.cu", "--no-ignores")[0] == 1


def test_baseline_hides_what_it_lists_wherever_it_moves(cli, place: Path) -> None:  # type: ignore[no-untyped-def]
    assert cli("check", ".", "--write-baseline", "known.json")[0] == 0
    (place / "bad.cu").write_text(f"\n\n{STRIDED}", encoding="utf-8")
    assert cli("check", ".", "--baseline", "known.json")[0] == 0
    (place / "bad.cu").write_text(STRIDED + STRIDED.replace("k(", "k2("), encoding="utf-8")
    status, out, _ = cli("check", ".", "--baseline", "known.json", "--output-format", "concise")
    assert (status, out.splitlines()[0].split(":")[1]) == (1, "2")
    (place / "bad.cu").write_text(CLEAN, encoding="utf-8")
    assert "1 finding of known.json no longer there" in cli("check", ".", "--baseline", "known.json")[2]


def test_add_ignore_silences_everything_and_says_why(cli, place: Path) -> None:  # type: ignore[no-untyped-def]
    assert cli("check", ".", "--add-ignore=legacy layout")[0] == 0
    text = (place / "bad.cu").read_text(encoding="utf-8")
    assert text == STRIDED.rstrip() + "  // cudalint: ignore[CUD101] legacy layout\n"
    assert cli("check", ".")[0] == 0
    assert cli("check", ".", "--add-ignore")[0] == 0


def test_changed_lines_only(cli, place: Path) -> None:  # type: ignore[no-untyped-def]
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *identity, *arguments], check=True, capture_output=True, cwd=place)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "start")
    assert cli("check", ".", "--diff-base", "HEAD")[0] == 0
    (place / "bad.cu").write_text(STRIDED + STRIDED.replace("k(", "k2("), encoding="utf-8")
    (place / "new é.cu").write_text(STRIDED, encoding="utf-8")
    status, out, _ = cli("check", ".", "--diff-base", "HEAD", "--output-format", "concise")
    assert status == 1
    assert [line.split(": ")[0] for line in out.splitlines()[:2]] == ["bad.cu:2:66", "new é.cu:1:65"]
    assert cli("check", ".", "--diff-base", "nothing")[0] == 2


def test_statistics_and_quiet(cli) -> None:  # type: ignore[no-untyped-def]
    assert cli("check", ".", "--statistics")[1].startswith("1  CUD101")
    assert "Found" not in cli("check", ".", "-q")[1]


def test_colour(cli, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    assert "\x1b" not in cli("check", "bad.cu")[1]
    assert "\x1b" in cli("check", "bad.cu", "--color", "always")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" in cli("check", "bad.cu")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in cli("check", "bad.cu")[1]


def test_nothing_to_check_is_a_warning(cli, place: Path) -> None:  # type: ignore[no-untyped-def]
    (place / "none").mkdir()
    status, _, err = cli("check", "none")
    assert status == 0
    assert "no CUDA sources or build files found" in err


def test_rule_in_every_format(cli) -> None:  # type: ignore[no-untyped-def]
    assert "## What it does" in cli("rule", "CUD101")[1]
    assert cli("rule", "uncoalesced-global-access")[1] == cli("rule", "cud101")[1]
    assert json.loads(cli("rule", "CUD101", "--output-format", "json")[1])["name"] == "uncoalesced-global-access"
    assert "CUD991  suppression-without-reason" in cli("rule", "--all")[1]
    codes = [item["code"] for item in json.loads(cli("rule", "--all", "--output-format", "json")[1])]
    assert codes == sorted(codes)
    assert cli("rule", "--all", "--output-format", "markdown")[1].count("## What it does") == len(codes)


def test_model_config_and_doctor(cli) -> None:  # type: ignore[no-untyped-def]
    assert "__global__ void k(float* o" in cli("model", "good.cu:k")[1]
    assert "cudalint.toml" not in cli("config")[1]
    assert "Judge every kernel" in cli("config", "block")[1]
    assert json.loads(cli("config", "--schema")[1])["additionalProperties"] is False
    status, out, _ = cli("doctor")
    assert status == 0
    assert "a one-line kernel is understood" in out


def test_clean(cli, place: Path) -> None:  # type: ignore[no-untyped-def]
    cli("check", ".")
    assert (place / ".cudalint_cache").is_dir()
    assert "removed" in cli("clean")[2]
    assert not (place / ".cudalint_cache").exists()


def test_version_is_quick_and_imports_nothing_heavy() -> None:
    command = [
        sys.executable,
        "-P",
        "-c",
        "import sys; from cudalint.lint.cli import main; main(['--version']); print(*sys.modules)",
    ]
    # Processor time, not wall time: tests run beside each other.
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    version, modules = done.stdout.splitlines()
    assert version == f"cudalint {cudalint.__version__}"
    assert not {"numpy", "typer", "rich", "clang", "sarif_om", "cupy", "pathspec"} & set(modules.split())
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.15


def test_main_exits_with_the_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["cudalint", "check", "nope.cu"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
