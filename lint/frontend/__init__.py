"""The only place that knows libclang: sources in, model out."""

from cudalint.lint.frontend.parse import parse_file

__all__ = ["parse_file"]
