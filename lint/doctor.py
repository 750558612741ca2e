"""`cudalint doctor`: what this installation has to work with."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from cudalint.lint.config import ConfigError, find_config
from cudalint.lint.output.write import say, write_stdout

import cudalint

_TIMEOUT = 20
"""Seconds for a probe: nvidia-smi can hang on a broken driver."""


def report(output_format: str) -> int:
    """Print every probe; the exit status is 1 when something that a check needs is missing."""
    if output_format not in ("text", "json"):
        say(f"error: unknown output format {output_format!r}: expected text or json")
        return 2
    results = {name: _probe(probe) for name, probe in _PROBES.items()}
    if output_format == "json":
        write_stdout(json.dumps({name: text for name, (_, text) in results.items()}, indent=2) + "\n")
    else:
        width = max(map(len, results))
        write_stdout("".join(f"{name:<{width}}  {text}\n" for name, (_, text) in results.items()))
    return int(any(not fine and name in _NEEDED for name, (fine, _) in results.items()))


def _probe(probe: Callable[[], str]) -> tuple[bool, str]:
    try:
        return True, probe()
    except Exception as error:
        return False, f"not available: {error or type(error).__name__}"


def _package(name: str) -> Callable[[], str]:
    def probe() -> str:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            raise RuntimeError(f"package {name} is not installed") from None

    return probe


def _libclang() -> str:
    from cudalint.lint.frontend.index import library

    library()
    return f"{metadata.version('libclang')}, loads"


def _parse() -> str:
    from cudalint.lint.frontend import parse_file

    text = b"__global__ void probe(float *out) { out[threadIdx.x] = 1.0f; }\n"
    unit = parse_file(str(Path.cwd() / "probe.cu"), content=text)
    if not unit.kernels() or unit.notes:
        raise RuntimeError("a one-line kernel was not understood: please report this")
    return "a one-line kernel is understood"


def _stub_headers() -> str:
    from cudalint.lint.frontend.pch import INCLUDE

    count = sum(1 for path in INCLUDE.rglob("*") if path.is_file())
    if not count:
        raise RuntimeError(f"none in {INCLUDE}")
    return f"{count} files in {INCLUDE}"


def _rules() -> str:
    from cudalint.lint.registry import registry

    rules = registry().rules
    return f"{len(rules)}, {sum(rule.meta.default for rule in rules)} on by default"


def _config() -> str:
    try:
        return str(find_config(Path.cwd()) or "none: defaults apply")
    except ConfigError as error:
        raise RuntimeError(str(error)) from None


def _tool(name: str, *arguments: str, line: int = 0) -> Callable[[], str]:
    def probe() -> str:
        found = shutil.which(name)
        if found is None:
            raise RuntimeError(f"no {name} on PATH")
        done = subprocess.run([found, *arguments], capture_output=True, text=True, timeout=_TIMEOUT, check=False)
        lines = [text.strip() for text in done.stdout.splitlines() if text.strip()]
        if done.returncode != 0 or not lines:
            raise RuntimeError(
                (done.stderr or done.stdout).strip().splitlines()[0] if done.stderr or done.stdout else name
            )
        return f"{lines[line]} ({found})"

    return probe


def _cupy() -> str:
    found = [f"{d.name} {d.version}" for d in metadata.distributions() if (d.name or "").startswith("cupy-cuda")]
    if not found:
        raise RuntimeError("install cudalint[verify] to prove fixes on a GPU")
    return ", ".join(sorted(set(found)))


_NEEDED = ("libclang", "stub headers", "parse", "numpy", "rules")
_PROBES: dict[str, Callable[[], str]] = {
    "cudalint": lambda: f"{cudalint.__version__} in {Path(cudalint.__file__).parent}",
    "python": lambda: f"{platform.python_version()} ({sys.executable})",
    "platform": platform.platform,
    "libclang": _libclang,
    "stub headers": _stub_headers,
    "parse": _parse,
    "rules": _rules,
    "configuration": _config,
    "numpy": _package("numpy"),
    "pycparser": _package("pycparser"),
    "sarif-om": _package("sarif-om"),
    "typer": _package("typer"),
    "CUDA toolkit": _tool("nvcc", "--version", line=-1),
    "GPU": _tool("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"),
    "CuPy": _cupy,
    "ncu": _tool("ncu", "--version", line=-1),
    "compute-sanitizer": _tool("compute-sanitizer", "--version", line=-1),
}
