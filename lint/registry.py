"""Which rules exist, and which of them a run uses."""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import entry_points
from typing import Any

import cudalint.rules
from cudalint.lint.docstrings import describe, markdown
from cudalint.lint.report import RuleInfo
from cudalint.rules.base import BuildRule, Rule, SourceRule

ENTRY_POINTS = "cudalint.rules"
"""Entry point group of third-party rules: each entry names a module or a Rule subclass."""

_CODE = re.compile(r"^[A-Z]+[0-9]*$")


class UnknownRuleError(ValueError):
    """A selector that names no rule; the message suggests the nearest one."""


@dataclass(frozen=True)
class Registry:
    """The rules of this installation, sorted by code."""

    rules: tuple[Rule, ...]

    @cached_property
    def by_code(self) -> dict[str, Rule]:
        """Rules by code."""
        return {rule.meta.code: rule for rule in self.rules}

    @cached_property
    def by_name(self) -> dict[str, Rule]:
        """Rules by kebab-case name."""
        return {rule.meta.name: rule for rule in self.rules}

    @property
    def defaults(self) -> frozenset[str]:
        """The codes that run when nothing is selected."""
        return frozenset(code for code, rule in self.by_code.items() if rule.meta.default)

    def find(self, text: str) -> Rule:
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
            return frozenset({self.by_name[wanted.lower()].meta.code})
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
        return f"; did you mean {rule.meta.code} ({rule.meta.name})?"

    def infos(self, codes: Iterable[str] | None = None) -> tuple[RuleInfo, ...]:
        """Rules as output formats need them; all of them when no codes are given."""
        wanted = self.by_code if codes is None else frozenset(codes)
        return tuple(rule_info(rule) for rule in self.rules if rule.meta.code in wanted)

    def source_rules(self, codes: Iterable[str]) -> tuple[SourceRule, ...]:
        """The enabled rules over translation units."""
        wanted = frozenset(codes)
        return tuple(r for r in self.rules if isinstance(r, SourceRule) and r.meta.code in wanted)

    def build_rules(self, codes: Iterable[str]) -> tuple[BuildRule, ...]:
        """The enabled rules over build files."""
        wanted = frozenset(codes)
        return tuple(r for r in self.rules if isinstance(r, BuildRule) and r.meta.code in wanted)


def rule_info(rule: Rule) -> RuleInfo:
    """A rule's metadata with its documentation."""
    meta, doc = rule.meta, inspect.getdoc(type(rule)) or ""
    return RuleInfo(
        code=meta.code,
        name=meta.name,
        summary=meta.summary,
        category=meta.category,
        severity=meta.severity,
        confidence=meta.confidence,
        since=meta.since,
        default=meta.default,
        fix=meta.fix,
        security=meta.security,
        description=describe(doc) or meta.summary,
        markdown=markdown(doc),
    )


def _rules_in(module: Any) -> Iterable[Rule]:
    for value in vars(module).values():
        if inspect.isclass(value) and issubclass(value, Rule) and value.__module__ == getattr(module, "__name__", ""):
            yield from _instances(value)


def _instances(kind: type[Any]) -> Iterable[Rule]:
    if hasattr(kind, "meta") and not inspect.isabstract(kind):
        yield kind()


def _load_third_party() -> Iterable[Rule]:
    for entry in entry_points(group=ENTRY_POINTS):
        loaded = entry.load()
        yield from _instances(loaded) if inspect.isclass(loaded) else _rules_in(loaded)


def load_registry() -> Registry:
    """Import every rule module and every third-party rule.

    Raises:
        ValueError: two rules share a code or a name.
    """
    rules: dict[str, Rule] = {}
    names: set[str] = set()
    folder = cudalint.rules.__path__
    modules = (m.name for m in pkgutil.iter_modules(folder) if re.match(r"cud\d{3}_", m.name))
    own = (rule for name in sorted(modules) for rule in _rules_in(importlib.import_module(f"cudalint.rules.{name}")))
    for rule in (*own, *_load_third_party()):
        code, name = rule.meta.code, rule.meta.name
        if code in rules or name in names:
            raise ValueError(f"two rules are called {code} {name}: {rules.get(code, rule)!r} and {rule!r}")
        rules[code] = rule
        names.add(name)
    return Registry(tuple(rules[code] for code in sorted(rules)))
