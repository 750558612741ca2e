"""The program as analyses and rules see it: frozen dataclasses, no clang types."""
