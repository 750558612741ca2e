"""nvcc's command line: which words are which options, and what they mean for the build."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cudalint.lint.buildfiles.traced import UNKNOWN, Source, Traced
from cudalint.lint.model.source import Span

_SHORT = {
    "G": "device-debug",
    "O": "optimize",
    "arch": "gpu-architecture",
    "code": "gpu-code",
    "gencode": "generate-code",
    "Xptxas": "ptxas-options",
    "Xcompiler": "compiler-options",
    "Xlinker": "linker-options",
    "Xcudafe": "Xcudafe",
    "o": "output-file",
    "c": "compile",
    "dc": "device-c",
    "dw": "device-w",
    "dlink": "device-link",
    "cubin": "cubin",
    "ptx": "ptx",
    "E": "preprocess",
    "M": "generate-dependencies",
    "MM": "generate-nonsystem-dependencies",
}
"""Short option names of `nvcc --help` (13.0) that matter here, with their long names."""

# fmt: off
_WITH_VALUE = frozenset(
    {
        "output-file", "pre-include", "include", "library", "define-macro", "undefine-macro", "include-path", "I",
        "isystem", "system-include", "library-path", "L", "l", "D", "U", "output-directory", "odir",
        "compiler-bindir", "ccbin", "archiver-binary", "arbin", "optimize", "dopt", "compiler-options",
        "linker-options", "archive-options", "Xarchive", "ptxas-options", "nvlink-options", "Xnvlink", "Xcudafe",
        "threads", "t", "keep-dir", "gpu-architecture", "gpu-code", "generate-code", "maxrregcount", "diag-error",
        "diag-suppress", "diag-warn", "sanitize", "options-file", "optf", "std", "x", "MT", "MF"
    }
)
# fmt: on
"""Options of `nvcc --help` (13.0) that take a value, by long name where `_SHORT` has one."""

_JOINED = re.compile(
    r"-(?!(?:lineinfo|link|lib|library|libdevice-directory|ldir|list-gpu-\w+|Ofc|Ofast-compile)(?:=|$))([OIDULl])(?=.)"
)
_LIST = re.compile(r"[,\s]+")


@dataclass(frozen=True, slots=True)
class Option:
    """One option of an nvcc command by its long name. `span` is None when it was written in another file."""

    name: str
    value: str
    span: Span | None
    value_span: Span | None
    removable: bool = False
    """Whether the option is a word of its own in the file, so that an edit can take it out."""
    assembled: bool = False
    """Whether the value comes from a variable (`-arch=$(ARCH)`), which somebody who builds can set."""


@dataclass(frozen=True, slots=True)
class Compilation:
    """Options that reach nvcc together in a release build.

    `complete` when these are all the options of a command that compiles CUDA code for a device: then what is
    not here is not passed at all. `where` is the command, `when` says which build it is, for messages.
    """

    options: tuple[Option, ...]
    where: Span | None = None
    complete: bool = False
    when: str = ""

    def named(self, *names: str) -> tuple[Option, ...]:
        """The options with one of these long names."""
        return tuple(o for o in self.options if o.name in names)


def _split(word: Traced) -> tuple[str, Traced | None]:
    """The name of an option without its dashes, and its value where it is part of the same word."""
    joined = _JOINED.match(word.text)
    if joined:
        return joined[1], word[2:]
    bare = word.text.lstrip("-")
    dashes = len(word) - len(bare)
    name, equals, _ = bare.partition("=")
    return name, word[dashes + len(name) + 1 :] if equals else None


def parse(words: Iterable[Traced], source: Source) -> tuple[tuple[Option, ...], tuple[Traced, ...]]:
    """The options and the other words (inputs) of an nvcc command line."""
    options: list[Option] = []
    inputs: list[Traced] = []
    pending: tuple[str, Traced] | None = None
    for word in words:
        if pending is not None:
            options.append(_option(*pending, word, source))
            pending = None
        elif not word.text.startswith("-") or word.text in {"-", "--"}:
            inputs.append(word)
        else:
            name, value = _split(word)
            name = _SHORT.get(name, name)
            if value is None and name in _WITH_VALUE:
                pending = name, word
            else:
                options.append(_option(name, word, value, source))
    return tuple(options), tuple(inputs)


def _option(name: str, word: Traced, value: Traced | None, source: Source) -> Option:
    return Option(
        name,
        "" if value is None else value.known().strip("\"'"),
        source.span_of(word),
        None if value is None else source.span_of(value),
        source.contiguous(word),
        value is not None and _assembled(word, value, source),
    )


def _assembled(word: Traced, value: Traced, source: Source) -> bool:
    """Whether a value does not stand beside its option in one piece."""
    if not source.contiguous(value) or not word.marks:
        return True
    first, last = sorted((word.marks[0], value.marks[0]))
    return first < 0 or "\n" in source.text[first:last]


def compilation(words: Sequence[Traced], source: Source, **extra: object) -> Compilation:
    """A compilation from its words; words that are not certain are left out."""
    options, _ = parse([w for w in words if w.certain], source)
    return Compilation(options, **extra)  # type: ignore[arg-type]


def compiles_for_device(options: Sequence[Option], inputs: Sequence[Traced]) -> bool:
    """Whether a command compiles CUDA source (it is no mere link, preprocessor or dependency run)."""
    if any(o.name in {"preprocess", "generate-dependencies", "generate-nonsystem-dependencies"} for o in options):
        return False
    as_cuda = any(o.name == "x" and o.value == "cu" for o in options)
    return any(i.text.endswith(".cu") or (as_cuda and i.text.endswith((".cpp", ".cc", ".c"))) for i in inputs)


def sub_options(option: Option) -> list[str]:
    """The options in a comma- or space-separated value, as of -Xptxas."""
    return [part for part in _LIST.split(option.value) if part]


def architectures(option: Option) -> list[int]:
    """The compute capabilities (as 75 for 7.5) that an architecture option asks for."""
    if option.name == "cuda-architecture":
        found = re.fullmatch(r"(\d+)[af]?(-real|-virtual)?", option.value)
        return [int(found[1])] if found else []
    if UNKNOWN in option.value:
        return []
    return [int(n) for n in re.findall(r"(?:sm|compute|lto)_(\d+)", option.value)]
