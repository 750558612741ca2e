"""What is known of every rule without importing it: metadata, documentation, selection.

The command line needs no more than that; importing all rules with their analyses takes half a second, which only
the workers have to spend. So it is kept in the user's cache folder, under a digest of the rules' sources. It is not
used where third-party rules are installed.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from importlib.metadata import entry_points
from itertools import takewhile
from pathlib import Path
from typing import Any

import cudalint.rules
from cudalint.lint.atomic import write_atomically
from cudalint.lint.diagnostics import Applicability, Confidence, Severity
from cudalint.lint.report import RuleInfo
from cudalint.lint.userfolder import digest, user_folder

ENTRY_POINTS = "cudalint.rules"
"""Entry point group of third-party rules: each entry names a module or a Rule subclass."""

_KEPT = 8
"""Catalogs that are kept: one for each installed version of the rules."""

_CODE = re.compile(r"^[A-Z]+[0-9]*$")


class UnknownRuleError(ValueError):
    """A selector that names no rule; the message suggests the nearest one."""


@dataclass(frozen=True)
class Catalog:
    """The rules of this installation, sorted by code."""

    rules: tuple[RuleInfo, ...]

    @cached_property
    def by_code(self) -> dict[str, RuleInfo]:
        """Rules by code."""
        return {rule.code: rule for rule in self.rules}

    @cached_property
    def by_name(self) -> dict[str, RuleInfo]:
        """Rules by kebab-case name."""
        return {rule.name: rule for rule in self.rules}

    @property
    def defaults(self) -> frozenset[str]:
        """The codes that run when nothing is selected."""
        return frozenset(code for code, rule in self.by_code.items() if rule.default)

    def find(self, text: str) -> RuleInfo:
        """The one rule with this code or name (any case).

        Raises:
            UnknownRuleError: there is none.
        """
        rule = self.by_code.get(text.upper()) or self.by_name.get(text.lower())
        if rule is None:
            raise UnknownRuleError(f"unknown rule {text!r}{self._hint(text)}")
        return rule

    def expand(self, selector: str) -> frozenset[str]:
        """The codes that a selector means: ALL, a code, a prefix of codes, or a rule's name.

        Raises:
            UnknownRuleError: the selector matches no rule.
        """
        wanted = selector.strip()
        if wanted.upper() == "ALL":
            return frozenset(self.by_code)
        if wanted.lower() in self.by_name:
            return frozenset({self.by_name[wanted.lower()].code})
        prefix = wanted.upper()
        codes = frozenset(code for code in self.by_code if code.startswith(prefix)) if _CODE.match(prefix) else None
        if not codes:
            raise UnknownRuleError(f"unknown rule selector {selector!r}{self._hint(wanted)}")
        return codes

    def select(
        self, select: Sequence[str] | None, ignore: Iterable[str], extend: Iterable[str] = ()
    ) -> frozenset[str]:
        """The enabled codes. A more exact selector wins over a shorter one; at a tie, ignoring wins.

        `select` is None for the default rules. `CUD1` selects opt-in rules of that hundred too: they are named.
        """
        ranks: dict[str, tuple[int, bool]] = {}

        def apply(selectors: Iterable[str], on: bool) -> None:
            for selector in selectors:
                rank = self._rank(selector)
                for code in self.expand(selector):
                    old = ranks.get(code, (-1, False))
                    if rank > old[0] or (rank == old[0] and not on):
                        ranks[code] = (rank, on)

        if select is None:
            ranks.update(dict.fromkeys(self.defaults, (0, True)))
        else:
            apply(select, on=True)
        apply(extend, on=True)
        apply(ignore, on=False)
        return frozenset(code for code, (_, on) in ranks.items() if on)

    def _rank(self, selector: str) -> int:
        wanted = selector.strip()
        if wanted.upper() == "ALL":
            return 0
        return 1000 if wanted.lower() in self.by_name or wanted.upper() in self.by_code else len(wanted)

    def _hint(self, text: str) -> str:
        near = difflib.get_close_matches(
            text.lower(), [*self.by_name, *map(str.lower, self.by_code)], n=5, cutoff=0.6
        )
        if not near:
            return ""
        # Of names that are as near as each other, the one that starts alike: CUD101, not CUD510, for CUD10.
        best = max(near, key=lambda name: len(list(takewhile(bool, map(str.__eq__, name, text.lower())))))
        rule = self.by_name.get(best) or self.by_code[best.upper()]
        return f"; did you mean {rule.code} ({rule.name})?"

    def infos(self, codes: Iterable[str]) -> tuple[RuleInfo, ...]:
        """The rules with these codes."""
        wanted = frozenset(codes)
        return tuple(rule for rule in self.rules if rule.code in wanted)


@cache
def catalog() -> Catalog:
    """The rules of this installation: from the file when it can be trusted, else from the rules themselves."""
    if entry_points(group=ENTRY_POINTS):
        return _loaded()
    digest_now = rules_digest()
    return _read(digest_now) or _write(_loaded(), digest_now)


def _loaded() -> Catalog:
    from cudalint.lint.registry import load_registry

    return load_registry().catalog


def _read(digest_now: str) -> Catalog | None:
    try:
        items = json.loads((user_folder() / f"{digest_now}.json").read_text(encoding="utf-8"))
        return Catalog(tuple(map(_decode, items)))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError):
        return None


def _write(known: Catalog, digest_now: str) -> Catalog:
    """Keep a catalog if that can be done, and drop those of older installations."""
    with contextlib.suppress(OSError, RuntimeError):
        folder = user_folder()
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / f"{digest_now}.json", json.dumps(list(map(_encode, known.rules))).encode())
        by_age = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
        for old in by_age[_KEPT:]:
            old.unlink()
    return known


def rules_digest() -> str:
    """A hash over the sources of all rules of this installation."""
    folder = Path(next(iter(cudalint.rules.__path__)))
    files = sorted(folder.glob("*.py"))
    return digest(b"".join(b"%s\0%s\0" % (path.name.encode(), path.read_bytes()) for path in files))


def _encode(rule: RuleInfo) -> dict[str, Any]:
    fix = rule.fix.value if rule.fix else None
    return {**asdict(rule), "severity": rule.severity.name, "confidence": rule.confidence.name, "fix": fix}


def _decode(item: dict[str, Any]) -> RuleInfo:
    fix = Applicability(item["fix"]) if item["fix"] else None
    words = {"severity": Severity[item["severity"]], "confidence": Confidence[item["confidence"]], "fix": fix}
    return RuleInfo(**{**item, **words})
