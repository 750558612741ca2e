"""What all tests share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

import pytest
from cudalint.lint import engine
from cudalint.lint.worker import Pool

_CACHE = tempfile.TemporaryDirectory()
os.environ["XDG_CACHE_HOME"] = _CACHE.name
"""Tests leave the user's own cache folder alone."""


class _Shared(Pool):
    """A pool that outlives the engines that use it: starting a worker costs more than most tests."""

    def close(self) -> None:
        """Left to the end of the session."""


@pytest.fixture(scope="session")
def _pool() -> Iterator[Pool]:
    pool = _Shared(1, timeout=60.0)
    yield pool
    Pool.close(pool)


@pytest.fixture
def shared_workers(_pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every engine of a test use one worker that is already running."""
    monkeypatch.setattr(engine, "Pool", lambda *_: _pool)
