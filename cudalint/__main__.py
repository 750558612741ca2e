"""`python -m cudalint`."""

from cudalint.lint.cli import main

main()
