"""The rules themselves, imported."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any

import cudalint.rules
from cudalint.lint.catalog import ENTRY_POINTS, Catalog
from cudalint.lint.docstrings import describe, markdown
from cudalint.lint.report import RuleInfo
from cudalint.rules.base import BuildRule, Rule, SourceRule


@dataclass(frozen=True)
class Registry:
    """The rules of this installation, sorted by code."""

    rules: tuple[Rule, ...]

    @property
    def catalog(self) -> Catalog:
        """What is known of them."""
        return Catalog(tuple(map(rule_info, self.rules)))

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


@cache
def registry() -> Registry:
    """The rules of this process, imported on first use."""
    return load_registry()
