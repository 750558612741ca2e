"""From the nvcc commands of a program's build to cubins of one of its kernels, as written and as fixed."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from cudalint.verify.build import BuildError
from cudalint.verify.program_run import run_command

LOG = "nvcc-*"
"""Names of the files in which the preloaded library writes down nvcc's command lines."""

_VALUED = frozenset(
    {
        *("-o", "--output-file", "-odir", "--output-directory", "-I", "--include-path", "-isystem"),
        *("--system-include", "-D", "--define-macro", "-U", "--undefine-macro", "-L", "--library-path", "-l"),
        *("--library", "-include", "--pre-include", "-Xcompiler", "--compiler-options", "-Xlinker"),
        *("--linker-options", "-Xptxas", "--ptxas-options", "-Xcudafe", "-Xnvlink", "--nvlink-options"),
        *("-Xarchive", "--archive-options", "-ccbin", "--compiler-bindir", "-std", "--std", "-x", "--x", "-arch"),
        *("--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code", "-rdc"),
        *("--relocatable-device-code", "-cudart", "--cudart", "-cudadevrt", "--cudadevrt", "-maxrregcount"),
        *("--maxrregcount", "-optf", "--options-file", "-t", "--threads", "-MF", "--dependency-output", "-MT"),
        *("--dependency-target-name", "-m", "--machine", "-default-stream", "--default-stream", "-O", "--optimize"),
        *("-ftz", "--ftz", "-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt", "-fmad", "--fmad"),
        *(
            "-diag-suppress",
            "--diag-suppress",
            "-diag-error",
            "--diag-error",
            "-Werror",
            "--Werror",
            "-split-compile",
        ),
        *("-keep-dir", "--keep-dir", "-ldir", "--library-directory", "-idp", "--input-drive-prefix"),
    }
)
"""Options of nvcc whose value may be the next word."""

_DROPPED = frozenset(
    {
        *("-c", "--compile", "-dc", "--device-c", "-dw", "--device-w", "-ptx", "--ptx", "-cubin", "--cubin"),
        *("-fatbin", "--fatbin", "-dlink", "--device-link", "-lib", "--lib", "-link", "--link", "-run", "--run"),
        *("-E", "--preprocess", "-M", "-MM", "-MD", "-MMD", "-MP", "-MF", "-MT", "--dependency-output"),
        *("--generate-dependencies", "--generate-dependencies-with-compile", "--generate-dependency-targets"),
        *("--generate-nonsystem-dependencies", "--generate-nonsystem-dependencies-with-compile"),
        *("--dependency-target-name", "-o", "--output-file", "-odir", "--output-directory", "-arch"),
        *("--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code", "-L", "--library-path", "-l"),
        *("--library", "-Xlinker", "--linker-options", "-rdc", "--relocatable-device-code", "-cudart", "--cudart"),
        *("-dlto", "--dlink-time-opt", "-lto", "--lto", "-keep", "--keep", "-keep-dir", "--keep-dir", "-v"),
        *(
            "--verbose",
            "-dryrun",
            "--dryrun",
            "-Xnvlink",
            "--nvlink-options",
            "-shared",
            "--shared",
            "-time",
            "--time",
        ),
    }
)
"""Options that say what is made and for which card, or that are for linking: the cubin has its own."""

_SEPARATE = frozenset({"-dc", "--device-c", "-dw", "--device-w"})
_OPTION_FILES = frozenset({"-optf", "--options-file"})
_ARCHITECTURE = frozenset({"-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code"})
_ATTACHED = re.compile(r"^-(?:[IDULlO]|isystem|std=).+")
_SUFFIXES = frozenset({".cu", ".cpp", ".cc", ".cxx", ".c"})
_SPECIFIC = re.compile(r"(?:sm|compute)_(\d+[af])\b")
_SECTION = re.compile(rb"\.text\.([\w$.]+)\0")
_HASH = re.compile(rb"(?:_INTERNAL|_GLOBAL__N_|__nv_static_\d+_)_([0-9a-f]{8})_")
_UNNAMED = re.compile(r"(\d+)_GLOBAL__N_")
_STATIC = re.compile(r"^__nv_static_(\d+)_")


@dataclass(frozen=True, slots=True)
class Word:
    """An option with its value, or an input file (`name` empty)."""

    name: str
    value: str
    text: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Command:
    """A command line of nvcc, as it was run in `folder`. `nvcc` is how it was called."""

    folder: Path
    nvcc: str
    words: tuple[Word, ...]

    @property
    def sources(self) -> list[Path]:
        """The CUDA sources that it compiles."""
        as_cuda = any(w.name in {"-x", "--x"} and w.value == "cu" for w in self.words)
        inputs = [self.folder / w.value for w in self.words if not w.name]
        return [p for p in inputs if p.suffix == ".cu" or (as_cuda and p.suffix in _SUFFIXES)]

    @property
    def separate(self) -> bool:
        """Whether it compiles relocatable device code, which is linked later."""
        return any(
            w.name in _SEPARATE or (w.name in {"-rdc", "--relocatable-device-code"} and w.value == "true")
            for w in self.words
        )


def read_commands(folder: Path) -> list[Command]:
    """The nvcc command lines that were written down in a folder, in order; each once."""
    made = []
    for path in sorted(folder.glob(LOG)):
        where, *words = path.read_bytes().decode("utf-8", "surrogateescape").rstrip("\0").split("\0")
        if words and path.suffix != ".part":
            made.append(Command(Path(where), words[0], tuple(_expanded(parse_words(words[1:]), Path(where)))))
    return list(dict.fromkeys(made))


def _expanded(words: Iterable[Word], folder: Path) -> Iterator[Word]:
    """The words with those of options files in their place: the paths in them move with the tree too."""
    for word in words:
        text = ""
        if word.name in _OPTION_FILES:
            with suppress(OSError):
                text = (folder / word.value).read_text(errors="surrogateescape")
        if text:
            yield from _expanded(parse_words(shlex.split(text)), folder)
        else:
            yield word


def parse_words(words: Sequence[str]) -> Iterator[Word]:
    """Options with their values, and input files, of an nvcc command line."""
    left = iter(words)
    for word in left:
        name, sign, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            yield Word("", word, (word,))
        elif _ATTACHED.match(word) and name not in _VALUED:
            yield Word(re.sub(r"^(-(?:isystem|std|[IDULlO])).*$", r"\1", word), "", (word,))
        elif sign:
            yield Word(name, value, (word,))
        elif word in _VALUED:
            value = next(left, "")
            yield Word(word, value, (word, value))
        else:
            yield Word(word, "", (word,))


def cubin_words(command: Command, source: Path, output: Path, arch: str, *, separate: bool = False) -> list[str]:
    """The command line that makes a cubin of one source with the same flags, or an object to link into one."""
    specific = [m[1] for w in command.words if w.name in _ARCHITECTURE for m in _SPECIFIC.finditer(w.value)]
    kept = [w for w in command.words if w.name and w.name not in _DROPPED]
    made = [command.nvcc if "/" in command.nvcc else shutil.which(command.nvcc) or command.nvcc]
    made += chain.from_iterable(w.text for w in kept)
    made += ["-dc" if separate else "-cubin", f"-arch=sm_{specific[0]}" if specific else f"-arch={arch}"]
    return [*made, "-w", "-o", str(output), str(source)]


def moved(command: Command, was: Iterable[Path], now: Path) -> Command:
    """The command as it is in another copy of the trees `was`: the program's own and its copy."""
    trees = re.compile("|".join(f"{re.escape(str(tree))}(?![^/])" for tree in was))

    def place(text: str) -> str:
        return trees.sub(lambda _: str(now), text)

    words = tuple(Word(w.name, place(w.value), tuple(map(place, w.text))) for w in command.words)
    return Command(Path(place(str(command.folder))), command.nvcc, words)


@dataclass(frozen=True, slots=True)
class Cubin:
    """Machine code with a kernel. `kernel` is its name in it; `hash` stands in names of internal linkage."""

    path: Path
    kernel: str
    hash: str


def compile_cubin(
    command: Command, source: Path, output: Path, kernel: str, arch: str, limit_s: float
) -> Cubin | None:
    """Compile a source of a command to a cubin; None when the kernel is not in it.

    Raises:
        BuildError: a compile error, or no answer in time.
    """
    _run(cubin_words(command, source, output, arch), command.folder, limit_s)
    return find_kernel(output, kernel)


def link_cubin(commands: Sequence[Command], output: Path, kernel: str, arch: str, limit_s: float) -> Cubin | None:
    """Compile all sources of separately compiled commands and link their device code to one cubin.

    Raises:
        BuildError: a compile error, device code in a library, or no answer in time.
    """
    objects = []
    for number, (command, source) in enumerate((c, s) for c in commands for s in c.sources):
        objects.append(str(output.with_suffix(f".{number}.o")))
        _run(cubin_words(command, source, Path(objects[-1]), arch, separate=True), command.folder, limit_s)
    first = cubin_words(commands[0], Path("-"), output, arch)
    target = next(word for word in reversed(first) if word.startswith("-arch="))
    _run([first[0], "-dlink", "-cubin", target, "-o", str(output), *objects], commands[0].folder, limit_s)
    return find_kernel(output, kernel)


def _run(words: list[str], folder: Path, limit_s: float) -> None:
    try:
        ran = run_command(words, folder, limit_s=limit_s)
    except OSError as error:
        raise BuildError(f"nvcc cannot be run: {error}") from None
    if ran.stopped:
        raise BuildError(f"nvcc took longer than {limit_s:.0f} s")
    if ran.status:
        raise BuildError(ran.problem)


def find_kernel(cubin: Path, kernel: str) -> Cubin | None:
    """The kernel in a cubin, whose name may differ in what nvcc puts into names of internal linkage."""
    data = cubin.read_bytes()
    wanted = plain_name(kernel)
    names = (found.decode() for found in _SECTION.findall(data))
    name = next((n for n in names if n == kernel or plain_name(n) == wanted), None)
    if name is None:
        return None
    found = _HASH.search(data)
    return Cubin(cubin, name, found[1].decode() if found else "")


def plain_name(mangled: str) -> str:
    """A mangled name without what compilers add for internal linkage, so that names of two builds compare."""
    if static := _STATIC.match(mangled):
        mangled = mangled[static.end() + int(static[1]) + 1 :]
    out, at = "", 0
    for found in _UNNAMED.finditer(mangled):
        if found.start() >= at:
            out += mangled[at : found.start()] + "@"
            at = found.end(1) + int(found[1])
    return re.sub(r"L(?=\d+[A-Za-z_])", "", out + mangled[at:])
