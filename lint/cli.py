"""The console script. Everything that takes time to import waits until it is needed."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status.

    Text behind `--` is for the compiler and never reaches the option parser.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-V"]):
        from cudalint import __version__

        print(f"cudalint {__version__}")
        return
    from cudalint.lint.commands import run

    sys.exit(run(arguments))


if __name__ == "__main__":
    main()
