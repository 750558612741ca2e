"""Rule docstrings as documentation: their sections, as plain text and as Markdown."""

from __future__ import annotations

import re

_KNOWN = frozenset(
    {
        "what it does",
        "why is this bad?",
        "why it is slow",
        "example",
        "use instead",
        "when it does not apply",
        "references",
    }
)
_TITLE = re.compile(r"^(?P<marks>#+\s+)?(?P<title>[A-Z][^.`]{2,40}?):?\s*$")


def sections(doc: str) -> list[tuple[str, str]]:
    """Split a docstring into (title, body) pairs; what stands before the first title has the title ''.

    A title is a Markdown heading, or a known title alone on its line. Lines inside fenced blocks are never titles.
    """
    found: list[tuple[str, list[str]]] = [("", [])]
    fenced = False
    for line in doc.splitlines():
        fenced ^= line.lstrip().startswith("```")
        match = None if fenced else _TITLE.match(line)
        if match and (match["marks"] or match["title"].casefold() in _KNOWN):
            found.append((match["title"], []))
        else:
            found[-1][1].append(line)
    return [(title, "\n".join(body).strip("\n")) for title, body in found]


def section(doc: str, title: str) -> str:
    """The body of one section; empty when the docstring has none of that title."""
    return next((body for name, body in sections(doc) if name.casefold() == title.casefold()), "")


def describe(doc: str) -> str:
    """One paragraph that says what the rule does: the first of "What it does", else of the docstring."""
    body = section(doc, "What it does") or (sections(doc)[0][1] if doc else "")
    return " ".join(body.split("\n\n")[0].split())


def markdown(doc: str) -> str:
    """A docstring as Markdown, with its sections as second-level headings."""
    parts = []
    for title, body in sections(doc):
        if title:
            parts.append(f"## {title}")
        if body.strip():
            parts.append(body.strip())
    return "\n\n".join(parts) + "\n" if parts else ""
