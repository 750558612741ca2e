"""The cost formulas against measured requests and against brute force over lanes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cudalint.lint.analysis import lanes
from hypothesis import given, settings
from hypothesis import strategies as st

ROWS = [json.loads(line) for line in (Path(__file__).parent / "data/h200_micro.jsonl").read_text().splitlines()]


def threads(block: tuple[int, int, int]) -> dict[str, np.ndarray[Any, np.dtype[np.int64]]]:
    """Coordinates, warp and lane of all threads of a block, x fastest."""
    n = np.arange(block[0] * block[1] * block[2])
    return {
        "tx": n % block[0],
        "ty": n // block[0] % block[1],
        "tz": n // (block[0] * block[1]),
        "warp": n // 32,
        "lane": n % 32,
    }


def brute_sectors(addresses: list[tuple[int, int]], size: int) -> tuple[int, int]:
    """Sectors and ideal over all warps, in plain sets; addresses are (warp, byte) of the active lanes."""
    used = ideal = 0
    for warp in {w for w, _ in addresses}:
        mine = [a for w, a in addresses if w == warp]
        touched = {byte // 32 for a in mine for byte in range(a, a + size)}
        used += len(touched)
        ideal += min(len(touched), -(-len(mine) * size // 32))
    return used, ideal


def brute_wavefronts(addresses: list[tuple[int, int, int]], size: int) -> tuple[int, int]:
    """Wavefronts and ideal over all warps; addresses are (warp, lane, byte) of the active lanes."""
    per_group = 32 if size <= 4 else 128 // size
    used = ideal = 0
    for group in {(w, lane // per_group) for w, lane, _ in addresses}:
        words = {
            byte // 4 for w, lane, a in addresses if (w, lane // per_group) == group for byte in range(a, a + size)
        }
        used += max(sum(word % 32 == bank for word in words) for bank in range(32))
        ideal += 1
    return used, ideal


def c_index(text: str) -> Callable[..., Any]:
    """The index expressions of the rows as Python over arrays."""
    if "?" in text:
        condition, _, rest = text.partition("?")
        then, _, other = rest.partition(":")
        text = f"np.where({condition}, {then}, {other})"
    text = text.replace("/", "//").replace("min(", "np.minimum(")
    return lambda **names: np.broadcast_to(eval(text, {"np": np}, names), names["tx"].shape)


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['space']}-{r['type']}-{r['index']}-{r['guard']}-{r['N']}")
def test_measured_rows(row: dict[str, Any]) -> None:
    """Every measured access pattern costs what the formulas say."""
    t = threads(tuple(row["block"]))
    names = {"tx": t["tx"], "ty": t["ty"], "tz": t["tz"], "N": row["N"]}
    address = c_index(row["index"])(**names) * row["element_bytes"]
    mask = c_index(row["guard"])(**names) != 0
    size = row["field_bytes"]
    (instruction,) = row["instructions"]
    if row["space"] == "global":
        found = lanes.global_requests(address, size, mask, t["warp"])
        want = instruction["sectors"], instruction["ideal_sectors"]
    else:
        found = lanes.shared_requests(address, size, mask, t["warp"], t["lane"])
        want = instruction["wavefronts"], instruction["ideal_wavefronts"]
    assert (found.used.sum(), found.ideal.sum()) == want
    assert len(found.warp) == instruction["executed"]
    assert found.active.sum() == instruction["threads"]


BLOCKS = st.sampled_from(
    [(32, 1, 1), (100, 1, 1), (256, 1, 1), (8, 8, 4), (16, 12, 3), (5, 7, 2), (1, 64, 1), (33, 3, 1)]
)
SMALL = st.integers(1, 70)


@st.composite
def indices(draw: st.DrawFn) -> str:
    """Random affine, div/mod, xor and shift indices."""
    a, b, c, d = (draw(SMALL) for _ in range(4))
    shift = draw(st.integers(0, 5))
    return draw(
        st.sampled_from(
            [
                f"tx*{a}+ty*{b}+tz*{c}+{d}",
                f"(tx+ty*{a})//{b}*{c}+(tx+ty*{a})%{b}",
                f"(tx*{a})%{b}+ty*{c}",
                f"(tx^{a})+ty*{b}",
                f"(tx*{a})^(ty*{b})",
                f"(tx<<{shift})+(ty>>{shift})+tz*{a}",
                f"(tx&{a})*{b}+((tx|ty)>>{shift})",
            ]
        )
    )


@settings(max_examples=150, deadline=None)
@given(text=indices(), block=BLOCKS, size=st.sampled_from([1, 2, 4, 8, 16]), gap=st.integers(1, 3), guard=SMALL)
def test_brute_force(text: str, block: tuple[int, int, int], size: int, gap: int, guard: int) -> None:
    """Random indices and blocks cost the same as counted lane by lane."""
    t = threads(block)
    address = np.broadcast_to(eval(text, {}, dict(t)), t["tx"].shape) * size * gap
    mask = (t["tx"] + t["ty"]) % 64 < guard
    active = [(int(w), int(n), int(a)) for w, n, a, m in zip(t["warp"], t["lane"], address, mask, strict=True) if m]
    found = lanes.global_requests(address, size, mask, t["warp"])
    assert (found.used.sum(), found.ideal.sum()) == brute_sectors([(w, a) for w, _, a in active], size)
    shared = lanes.shared_requests(address, size, mask, t["warp"], t["lane"])
    assert (shared.used.sum(), shared.ideal.sum()) == brute_wavefronts(active, size)


def test_misaligned_lane_spans_two_sectors() -> None:
    """A 16-byte access at byte 24 touches two sectors."""
    one = lanes.global_requests(np.array([24]), 16, np.array([True]), np.array([0]))
    assert one.used.tolist() == [2]
    assert one.ideal.tolist() == [1]
    assert one.full.tolist() == [16]


def test_no_active_lane_makes_no_request() -> None:
    """Warps without active lanes do not appear."""
    n = np.arange(64)
    mask = n >= 32
    assert lanes.global_requests(n * 4, 4, mask, n // 32).warp.tolist() == [1]
    assert lanes.shared_requests(n * 4, 4, mask, n // 32, n % 32).warp.tolist() == [1]
    nothing = np.zeros(64, np.bool_)
    assert not len(lanes.global_requests(n * 4, 4, nothing, n // 32).warp)
    assert not len(lanes.shared_requests(n * 4, 4, nothing, n // 32, n % 32).warp)


def test_worst_bank_names_the_lanes() -> None:
    """A column of 32 words per row meets in bank 3: all lanes, 32 words."""
    n = np.arange(32)
    bank, who, words = lanes.bank_words((n * 32 + 3) * 4, 4, np.ones(32, np.bool_), n)
    assert bank == 3
    assert who.tolist() == n.tolist()
    assert words.tolist() == (n * 32 + 3).tolist()


@pytest.mark.parametrize(
    ("size", "align", "want"),
    [
        (4, 4, ((0, 4),)),
        (16, 16, ((0, 16),)),
        (12, 4, ((0, 4), (4, 4), (8, 4))),
        (16, 4, ((0, 4), (4, 4), (8, 4), (12, 4))),
        (24, 8, ((0, 8), (8, 8), (16, 8))),
        (32, 32, ((0, 16), (16, 16))),
    ],
)
def test_pieces(size: int, align: int, want: tuple[tuple[int, int], ...]) -> None:
    """Records move in steps of their alignment."""
    assert lanes.pieces(size, align) == want
