"""Record what nvcc makes of the kernels in tests/data/fp64: instructions, and FP64 instructions among them.

Needs nvcc and nvdisasm (pip install nvidia-cuda-nvdisasm). Run from the top of the repository:

    python bench/record_fp64.py --nvdisasm PATH > tests/data/fp64.jsonl
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path("tests/data/fp64")
FLAGS = ("-std=c++17", "-arch=sm_90", "--expt-relaxed-constexpr", "-cubin")
"""--expt-relaxed-constexpr lets kernels call the standard library's fmax(float, double) and its kin."""

_FUNCTION = re.compile(r"^\.text\._Z(\d+)(\w+):")
_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")
_FP64 = re.compile(r"D(ADD|MUL|FMA|SETP|MNMX)\b|.*\.F64|.*64H")


def disassemble(source: Path, nvdisasm: str) -> str:
    """The machine code of a file's kernels as text."""
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "kernels.cubin"
        subprocess.run(["nvcc", *FLAGS, "-o", str(cubin), str(source)], check=True)
        return subprocess.run([nvdisasm, "-c", str(cubin)], check=True, capture_output=True, text=True).stdout


def count(code: str) -> Iterator[tuple[str, str]]:
    """The kernel's name and the mnemonic of each instruction; padding is left out."""
    kernel = ""
    for line in code.splitlines():
        head = _FUNCTION.match(line)
        if head:
            kernel = head[2][: int(head[1])]
        instruction = _INSTRUCTION.match(line)
        if instruction and instruction[1] != "NOP":
            yield kernel, instruction[1]


def main() -> None:
    """Print one JSON object a kernel."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvdisasm", default="nvdisasm", help="the disassembler (default: %(default)s)")
    nvdisasm = parser.parse_args().nvdisasm
    for source in sorted(FOLDER.glob("*.cu")):
        total: Counter[str] = Counter()
        fp64: Counter[str] = Counter()
        for kernel, mnemonic in count(disassemble(source, nvdisasm)):
            total[kernel] += 1
            fp64[kernel] += bool(_FP64.match(mnemonic))
        for kernel in re.findall(r"__global__ void (\w+)", source.read_text()):
            row = {"file": source.name, "kernel": kernel, "instructions": total[kernel], "fp64": fp64[kernel]}
            print(json.dumps(row))


if __name__ == "__main__":
    main()
