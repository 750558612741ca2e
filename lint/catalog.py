"""What is known of every rule without importing it: metadata, documentation, selection.

The command line needs no more than that; importing all rules with their analyses takes half a second, which only
the workers have to spend. `rules/catalog.json` holds it, made by `python -m cudalint.lint.docs`; it counts only
while its digest of the rule files is right and no third-party rules are installed.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import cudalint.rules
from cudalint.lint.diagnostics import Applicability, Confidence, Severity
from cudalint.lint.jobs import digest
from cudalint.lint.report import RuleInfo

ENTRY_POINTS = "cudalint.rules"
"""Entry point group of third-party rules: each entry names a module or a Rule subclass."""

FILE = "catalog.json"

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
            text.lower(), [*self.by_name, *map(str.lower, self.by_code)], n=1, cutoff=0.6
        )
        if not near:
            return ""
        rule = self.by_name.get(near[0]) or self.by_code[near[0].upper()]
        return f"; did you mean {rule.code} ({rule.name})?"

    def infos(self, codes: Iterable[str]) -> tuple[RuleInfo, ...]:
        """The rules with these codes."""
        wanted = frozenset(codes)
        return tuple(rule for rule in self.rules if rule.code in wanted)


@cache
def catalog() -> Catalog:
    """The rules of this installation: from the file when it can be trusted, else from the rules themselves."""
    if not entry_points(group=ENTRY_POINTS):
        folder = rules_folder()
        try:
            data = json.loads((folder / FILE).read_text(encoding="utf-8"))
            if data["digest"] == rules_digest(folder):
                return Catalog(tuple(map(_decode, data["rules"])))
        except (OSError, ValueError, KeyError, TypeError):
            pass  # no file, or an old one: slower, never wrong
    from cudalint.lint.registry import load_registry

    return load_registry().catalog


def rules_folder() -> Path:
    """Where the rules of this installation are."""
    return Path(next(iter(cudalint.rules.__path__)))


def rules_digest(folder: Path) -> str:
    """A hash over the sources of all rules."""
    return digest(
        b"".join(b"%s\0%s\0" % (path.name.encode(), path.read_bytes()) for path in sorted(folder.glob("*.py")))
    )


def encoded(rules: Iterable[RuleInfo], folder: Path) -> str:
    """The catalog file's text."""
    items = [
        {
            **asdict(rule),
            "severity": rule.severity.name,
            "confidence": rule.confidence.name,
            "fix": rule.fix.value if rule.fix else None,
        }
        for rule in rules
    ]
    return json.dumps({"digest": rules_digest(folder), "rules": items}, indent=1, ensure_ascii=False) + "\n"


def _decode(item: dict[str, Any]) -> RuleInfo:
    fix = Applicability(item["fix"]) if item["fix"] else None
    words = {"severity": Severity[item["severity"]], "confidence": Confidence[item["confidence"]], "fix": fix}
    return RuleInfo(**{**item, **words})
