"""What a run without anything to parse does not import."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cudalint.lint import frontend

SCRIPT = """
import sys
import cudalint.lint.frontend.compiledb, cudalint.lint.frontend.flags
print([m for m in ("cudalint.lint.frontend.parse", "cudalint.lint.frontend.functions", "numpy") if m in sys.modules])
"""


def test_asking_for_flags_imports_no_front_end() -> None:
    # -P: the folder cudalint/ of a checkout must not hide the installed package.
    done = subprocess.run([sys.executable, "-P", "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_only_parse_file_is_there() -> None:
    assert callable(frontend.parse_file)
    with pytest.raises(AttributeError, match="no attribute 'parsed'"):
        _ = frontend.parsed
