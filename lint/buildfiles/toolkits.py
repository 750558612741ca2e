"""Which architectures each CUDA toolkit can still build for."""

from __future__ import annotations

_MINIMUM = (
    ((13, 0), 75),
    ((12, 0), 50),
    ((11, 0), 35),
    ((9, 0), 30),
    ((7, 0), 20),
)
"""The lowest compute capability (75 is 7.5) that nvcc accepts, from the toolkit's version on.

Sources: the toolkits' release notes (removal of Fermi in 9.0, of sm_30 in 11.0, of Kepler in 12.0, of Maxwell,
Pascal and Volta in 13.0); `nvcc --list-gpu-arch` of 13.0.
"""

_DEFAULT = (((13, 0), 75), ((11, 0), 52), ((9, 0), 30), ((7, 0), 20))
"""The architecture that nvcc builds for when none is given (`nvcc --help`, --gpu-architecture)."""


def oldest_architecture(toolkit: tuple[int, int]) -> int:
    """The lowest compute capability that a toolkit builds for."""
    return next((number for version, number in _MINIMUM if toolkit >= version), 10)


def default_architecture(toolkit: tuple[int, int]) -> int:
    """The compute capability that a toolkit builds for by default."""
    return next((number for version, number in _DEFAULT if toolkit >= version), 10)
