"""The drawings of the HTML page."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from cudalint.lint.output.svg import bank_map, bars, sector_map

SVG = "{http://www.w3.org/2000/svg}"


def cells(text: str) -> list[ET.Element]:
    return [e for e in ET.fromstring(text).iter(f"{SVG}rect") if e.get("class") == "cell"]


def rows(text: str) -> set[str | None]:
    return {cell.get("y") for cell in cells(text)}


def test_a_contiguous_warp_fills_four_sectors_and_a_strided_one_32() -> None:
    assert len(rows(sector_map([4 * lane for lane in range(32)], 4))) == 4
    assert len(rows(sector_map([4096 * lane for lane in range(32)], 4))) == 32


def test_an_access_across_a_border_touches_two_sectors() -> None:
    assert len(cells(sector_map([28], 8))) == 2


def test_a_column_read_hits_one_bank() -> None:
    assert len(rows(bank_map([128 * lane for lane in range(32)]))) == 1
    assert len(rows(bank_map([132 * lane for lane in range(32)]))) == 32


def test_bars_are_in_proportion() -> None:
    drawn = ET.fromstring(bars({"before_ms": 4.0, "after_ms": 1.0}))
    widths = [float(r.get("width") or 0) for r in drawn.iter(f"{SVG}rect")]
    assert widths[0] == 4 * widths[1]
