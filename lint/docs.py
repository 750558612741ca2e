"""The rule pages under docs/rules generated from each rule's docstring, metadata and samples.

`python -m cudalint.lint.docs` writes them, `--check` fails when a page is missing, stale or left over; both work
on the repository in the working folder.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from cudalint.lint.registry import load_registry
from cudalint.lint.report import RuleInfo

PAGES = Path("docs/rules")
SAMPLE_FOLDER = Path("tests/rules")
SAMPLE_KINDS = ("flagged", "clean", "near_miss")
"""What a sample's file name begins with: each rule needs all three."""

_HEADINGS = {
    "flagged": "Flagged",
    "near_miss": "Looks similar, and is not reported",
}
_MARK = re.compile(r"\s*(?://|#) expect: [A-Z0-9@, ]+$", re.MULTILINE)
_LANGUAGES = {".cu": "cuda", ".cuh": "cuda", ".h": "cpp", ".json": "json", ".py": "python", ".txt": "cmake"}
_FIX_WORDS = {None: "none", "safe": "safe", "unsafe": "unsafe", "display": "advice only"}


def page_path(root: Path, info: RuleInfo) -> Path:
    """Where a rule's page stands in a repository."""
    return root / PAGES / f"{info.slug}.md"


def page(info: RuleInfo, samples: Path) -> str:
    """A rule's page: what it is, its documentation, and samples that the tests check."""
    lines = [
        f"# {info.name} ({info.code})",
        "",
        f"Severity **{info.severity}**, confidence {info.confidence}, category {info.category}, "
        f"{'on by default' if info.default else f'off by default (`--extend-select {info.code}`)'}, "
        f"fix: {_FIX_WORDS[info.fix.value if info.fix else None]}. Since {info.since}.",
        "",
        info.markdown.rstrip(),
    ]
    for kind, heading in _HEADINGS.items():
        shown = next(iter(sorted(samples.glob(f"{kind}*"))), None) if samples.is_dir() else None
        if shown is not None:
            lines += ["", f"## {heading}", *_sample(shown)]
    return "\n".join(lines).rstrip() + "\n"


def _sample(path: Path) -> Iterator[str]:
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    for file in files:
        text = _MARK.sub("", file.read_text(encoding="utf-8")).rstrip()
        name = f"`{file.relative_to(path)}`:" if path.is_dir() else ""
        yield from filter(None, ("", name))
        yield f"\n```{_LANGUAGES.get(file.suffix, '')}\n{text}\n```"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def index(infos: Sequence[RuleInfo]) -> str:
    """The table of all rules."""
    rows = [
        f"| [{info.code}]({info.slug}.md) | {info.name} | {info.severity}{'' if info.default else ', opt-in'} | "
        f"{_FIX_WORDS[info.fix.value if info.fix else None]} | {_capital(info.summary.rstrip('.'))} |"
        for info in infos
    ]
    head = ["# Rules", "", "| code | name | severity | fix | reports |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*head, *rows]) + "\n"


def pages(root: Path) -> dict[Path, str]:
    """Every page by its path."""
    infos = load_registry().catalog.rules
    made = {page_path(root, info): page(info, root / SAMPLE_FOLDER / info.code.lower()) for info in infos}
    return {**made, root / PAGES / "README.md": index(infos)}


def stale(root: Path) -> list[str]:
    """What is wrong with the pages on disk: one line each."""
    wanted = pages(root)
    problems = [f"{path}: not generated" for path in wanted if not path.is_file()]
    problems += [
        f"{path}: stale"
        for path, text in wanted.items()
        if path.is_file() and path.read_text(encoding="utf-8") != text
    ]
    return problems + [f"{path}: belongs to no rule" for path in (root / PAGES).glob("*.md") if path not in wanted]


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or check them with --check; the exit status."""
    root = Path.cwd()
    if "--check" in arguments:
        problems = stale(root)
        print("\n".join(problems) or "rule pages are fresh")
        return int(bool(problems))
    wanted = pages(root)
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in (root / PAGES).glob("*.md"):
        if path not in wanted:
            path.unlink()
    print(f"wrote {len(wanted)} pages to {PAGES}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
