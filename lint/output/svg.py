"""Small drawings for the HTML page: before and after, lanes over sectors, lanes over banks. Plain SVG text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

SECTOR = 32
BANKS = 32
WORD = 4
CELL = 14
"""Side of one cell of a map, pixels."""


def bars(timing: Mapping[str, Any]) -> str:
    """Two bars: milliseconds of the flagged and of the fixed kernel, on one scale."""
    rows = [("flagged", float(timing["before_ms"])), ("fixed", float(timing["after_ms"]))]
    longest = max(value for _, value in rows) or 1.0
    parts = []
    for index, (name, value) in enumerate(rows):
        y, width = 4 + 24 * index, 420 * value / longest
        parts.append(f'<text x="0" y="{y + 13}">{name}</text>')
        parts.append(f'<rect class="bar{index}" x="64" y="{y}" width="{width:.1f}" height="18"/>')
        parts.append(f'<text x="{68 + width:.1f}" y="{y + 13}">{value:.4g} ms</text>')
    return _svg(580, 54, parts, f"flagged {rows[0][1]:.4g} ms, fixed {rows[1][1]:.4g} ms")


def sector_map(lane_bytes: Sequence[int], size: int) -> str:
    """Lanes from left to right, each over the 32-byte sectors that it touches; a sector is a row."""
    touched = [sorted({b // SECTOR, (b + size - 1) // SECTOR}) for b in lane_bytes]
    rows = {sector: row for row, sector in enumerate(sorted({s for lane in touched for s in lane}))}
    cells = [(lane, rows[s], f"lane {lane}: byte {lane_bytes[lane]}") for lane, ss in enumerate(touched) for s in ss]
    return _map(cells, len(lane_bytes), [f"sector {s}" for s in rows], f"{len(rows)} sectors")


def bank_map(lane_bytes: Sequence[int]) -> str:
    """Lanes from left to right, each over its bank; only banks that are hit have a row."""
    banks = [b // WORD % BANKS for b in lane_bytes]
    rows = {bank: row for row, bank in enumerate(sorted(set(banks)))}
    cells = [(lane, rows[bank], f"lane {lane}: byte {lane_bytes[lane]}") for lane, bank in enumerate(banks)]
    return _map(cells, len(lane_bytes), [f"bank {b}" for b in rows], f"{len(rows)} banks")


def _map(cells: Sequence[tuple[int, int, str]], lanes: int, names: Sequence[str], label: str) -> str:
    left = 84
    parts = [f'<text x="0" y="{18 + row * CELL + 10}">{escape(name)}</text>' for row, name in enumerate(names)]
    parts += [f'<text x="{left + lane * CELL}" y="10">{lane}</text>' for lane in range(0, lanes, 4)]
    parts += [
        f'<rect class="cell" x="{left + lane * CELL}" y="{18 + row * CELL}" width="{CELL - 2}" height="{CELL - 2}">'
        f"<title>{escape(title)}</title></rect>"
        for lane, row, title in cells
    ]
    return _svg(left + lanes * CELL, 20 + len(names) * CELL, parts, label)


def _svg(width: int, height: int, parts: Sequence[str], label: str) -> str:
    body = "".join(parts)
    return (
        f'<svg role="img" aria-label="{escape(label)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">{body}</svg>'
    )
