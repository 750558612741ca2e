"""Text in host code: the words of the command line, string literals, std::string, and what functions read from them.

A known text is a `str` (a literal), a pointer into a word of the command line, or a record with a `#text` field
(std::string). The words themselves are memory like any other: arrays of characters behind an array of pointers,
so that code that walks over them is interpreted as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from cudalint.lint.analysis.hostexpr import HostExpressions
from cudalint.lint.analysis.hostgetopt import Cursor, LongOption, next_option
from cudalint.lint.analysis.hoststate import Cells, State, place_path
from cudalint.lint.analysis.hostvalues import Memory, Object, Pointer, Record, Value, integer
from cudalint.lint.model.expressions import Call
from cudalint.lint.model.types import PointerType, Type

POINTER_BYTES = 8
MAX_LONG_OPTIONS = 100
"""Long options that a table may have."""
TEXT = "#text"
"""The field of a std::string that holds its text."""
_STRINGS = ("std::basic_string<char>", "std::basic_string<char,", "std::basic_string_view<char")

_SCANNED = re.compile(r"\s*%(l{0,2}|z|h)([diuf])\s*")
"""A scanf format of one number."""


def _whole(text: str, base: int = 10) -> int | None:
    """What atoi and strtol make of a word; None for bases other than 10, 16 and "as written"."""
    found = re.match(r"\s*([-+]?)(0[xX][\da-fA-F]+|\d+)", text)
    if found is None:
        return 0
    digits = found[2]
    if digits[:2] in {"0x", "0X"}:
        number = int(digits, 16) if base in {0, 16} else 0
    elif base == 0 and digits[0] == "0" and len(digits) > 1:
        return None
    elif base in {0, 10}:
        number = int(digits)
    else:
        return None
    return -number if found[1] == "-" else number


def _real(text: str, _base: int = 10) -> float:
    """What atof makes of a word."""
    found = re.match(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text)
    return float(found[0]) if found else 0.0


NUMBER_READERS: Mapping[str, Callable[[str, int], int | float | None]] = {
    **dict.fromkeys(("atoi", "atol", "atoll", "strtol", "strtoul", "strtoll", "strtoull"), _whole),
    **dict.fromkeys(("stoi", "stol", "stoll", "stoul", "stoull"), _whole),
    **dict.fromkeys(("atof", "strtod", "strtof", "stof", "stod"), _real),
}
"""Functions that read a number from a text, and what they make of it in a base."""


def _order(a: str, b: str) -> int:
    return (a > b) - (a < b)


_COMPARED: Mapping[str, Callable[[str, str], int]] = {
    "strcmp": _order,
    "strcasecmp": lambda a, b: _order(a.lower(), b.lower()),
    "strncmp": _order,
    "strncasecmp": lambda a, b: _order(a.lower(), b.lower()),
}
_SOUGHT: Mapping[str, Callable[[str, str], int]] = {"strchr": str.find, "strrchr": str.rfind, "strstr": str.find}
_NOWHERE = 2**64 - 1
"""std::string::npos."""
_METHODS: Mapping[str, Callable[[str, str], int]] = {
    "operator==": lambda a, b: int(a == b),
    "operator!=": lambda a, b: int(a != b),
    "compare": _order,
    "starts_with": lambda a, b: int(a.startswith(b)),
    "ends_with": lambda a, b: int(a.endswith(b)),
    "find": lambda a, b: a.find(b) % 2**64,
    "rfind": lambda a, b: a.rfind(b) % 2**64,
}
_READ = frozenset(
    {*("size", "length", "empty", "c_str", "substr", "operator<<", "operator+", "to_string"), *_METHODS}
)
"""Functions that leave a std::string as it is."""
_WRITTEN = frozenset({"operator=", "operator+=", "append", "assign"})


class Words(HostExpressions):
    """Knows texts and the functions of the C and C++ libraries that only look at them."""

    def __init__(self, argv: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.argv = argv
        kind = Memory.STATIC if argv else Memory.UNKNOWN
        self.words = self.object(kind, "argv")
        self._said: dict[Object, str] = {self.object(kind, f"argv[{at}]"): word for at, word in enumerate(argv)}
        self.command_line: set[Object] = {self.words, *self._said}
        """The objects that hold the command line: the array of its words and, where it is given, each word."""

    def given_words(self) -> dict[Object, Cells]:
        """The memory of a given command line."""
        cells: dict[Object, Cells] = {self.words: {}}
        for at, (thing, word) in enumerate(self._said.items()):
            cells[self.words][(at * POINTER_BYTES,) if at else ()] = Pointer(thing)
            letters = [*word.encode(), 0]
            cells[thing] = {((i,) if i else ()): letter for i, letter in enumerate(letters)}
        cells[self.words][(len(self._said) * POINTER_BYTES,)] = 0
        return cells

    def of_command_line(self, value: Value) -> bool:
        """Whether a value leads to the command line."""
        return isinstance(value, Pointer) and value.object in self.command_line

    def text(self, value: Value | None, state: State) -> str | None:
        """The text that a value is, or leads to, where that is known."""
        if isinstance(value, str):
            return value
        if isinstance(value, Record):
            held = value.get(TEXT)
            return held if isinstance(held, str) else None
        if not isinstance(value, Pointer):
            return None
        word, at = self._said.get(value.object), integer(value.offset)
        if word is not None and not value.path and at is not None and 0 <= at <= len(word):
            return word[at:]
        held = self._held(value, state)
        return held if isinstance(held, str) else None

    def text_call(self, call: Call, args: tuple[Value, ...], receiver: Value | None, state: State) -> Value | None:
        """The value of a call that reads a known text; None when it is no such call, or the text is not known."""
        if call.name in {"getopt", "getopt_long"}:
            return self._getopt(call, args, state) if self.argv else None
        known = self._read_text(call, args, receiver, state)
        if known is None and call.name in _WRITTEN and len(args) == 1 and isinstance(receiver, Pointer):
            known = self._written(call.name, receiver, args[0], state)
        if known is None and call.name not in _READ:
            for place in (*args, receiver):
                if isinstance(place, Pointer) and self._held(place, state) is not None:
                    self._hold(place, self.values.fresh(), state)
        return known

    def _held(self, place: Pointer, state: State) -> Value | None:
        return state.cells.get(place.object, {}).get((*place_path(place), TEXT))

    def _hold(self, place: Pointer, value: Value, state: State) -> None:
        self.store(state, Pointer(place.object, (*place_path(place), TEXT)), value)

    def _written(self, name: str, into: Pointer, value: Value, state: State) -> Value | None:
        """A std::string gets a new text, or more of it."""
        more, before = self.text(value, state), self.text(into, state)
        if name in {"operator+=", "append"}:
            more = before + more if before is not None and more is not None else None
        if more is None:
            return None
        self._hold(into, more, state)
        return into

    def _read_text(self, call: Call, args: tuple[Value, ...], receiver: Value | None, state: State) -> Value | None:
        subject, rest = (receiver, args) if call.receiver is not None else (args[0] if args else None, args[1:])
        text = self.text(subject, state)
        if text is None:
            return None
        if call.name in NUMBER_READERS and call.receiver is None:
            return self._number(call, text, rest, state)
        if call.name == "sscanf" and len(rest) == 2:
            return self._scanned(text, rest, state)
        if call.name in {"strlen", "size", "length"} and not rest:
            return len(text)
        if call.name == "empty" and not rest:
            return int(not text)
        if call.name == "c_str" and not rest:
            return text
        if call.name == "substr" and rest:
            return self._part(text, rest)
        return self._compared(call, text, subject, rest, state)

    def constructed_text(self, of: Type, args: tuple[Value, ...], state: State) -> Record | None:
        """A std::string made of a known text."""
        name = getattr(of, "name", "")
        text = self.text(args[0], state) if args and name.startswith(_STRINGS) else None
        plain = len(args) == 1 or (len(args) == 2 and isinstance(args[1], Record))
        return Record((((TEXT,), text),)) if text is not None and plain else None

    def _number(self, call: Call, text: str, rest: tuple[Value, ...], state: State) -> Value | None:
        base = integer(rest[1]) if len(rest) > 1 else 10
        number = None if base is None else NUMBER_READERS[call.name](text, base)
        if number is not None and rest and isinstance(rest[0], Pointer):
            self.forget(state, rest[0])
        return number

    def _scanned(self, text: str, rest: tuple[Value, ...], state: State) -> Value | None:
        form, out = self.text(rest[0], state), rest[1]
        found = _SCANNED.fullmatch(form) if form is not None else None
        if found is None or not isinstance(out, Pointer) or not re.match(r"\s*[-+]?\.?\d", text):
            return None
        number = _real(text) if found[2] == "f" else _whole(text)
        if number is not None:
            self.store(state, out, number)
        return None if number is None else 1

    @staticmethod
    def _part(text: str, rest: tuple[Value, ...]) -> Value | None:
        at, count = integer(rest[0]), integer(rest[1]) if len(rest) > 1 else len(text)
        if at is None or count is None or not 0 <= at <= len(text):
            return None
        return Record((((TEXT,), text[at:] if count < 0 or count >= _NOWHERE else text[at : at + count]),))

    def _compared(
        self, call: Call, text: str, subject: Value | None, rest: tuple[Value, ...], state: State
    ) -> Value | None:
        letter = integer(rest[0]) if rest else None
        other = (
            chr(letter) if letter is not None and 0 < letter < 128 else self.text(rest[0] if rest else None, state)
        )
        if other is None:
            return None
        name, more = call.name, tuple(map(integer, rest[1:]))
        if name in _COMPARED:
            count = more[0] if name[:4] == "strn" and more else None
            if letter is not None or (name[:4] == "strn" and count is None):
                return None
            return _COMPARED[name](text[:count], other[:count])
        if name in _SOUGHT and isinstance(subject, Pointer):
            at = _SOUGHT[name](text, other)
            return self.moved(subject, at, 1) if at >= 0 else 0
        if name == "rfind" and more and more[0] == 0:
            return 0 if text.startswith(other) else _NOWHERE
        start = not more or (name == "find" and more[0] == 0)
        return _METHODS[name](text, other) if name in _METHODS and start else None

    # -- getopt --------------------------------------------------------------------------------

    def _getopt(self, call: Call, args: tuple[Value, ...], state: State) -> Value | None:
        """The next option of the given command line; None where that is not known."""
        short = self.text(args[2], state) if len(args) > 2 else None
        whole = isinstance(args[1], Pointer) and args[1] == Pointer(self.words)
        word, letter = self._shared("optind", state, 1), self._shared("#inside", state, 1)
        longs = self._long_options(call, args, state) if call.name == "getopt_long" else ()
        if short is None or not whole or longs is None or word is None or letter is None:
            return None
        found = next_option(self.argv, Cursor(word, letter), short, longs)
        if found is None:
            return None
        self._share("optind", found.cursor.word, state)
        self._share("#inside", found.cursor.letter, state)
        argument: Value = 0
        if found.argument is not None:
            word, letter = found.argument
            argument = Pointer(list(self._said)[word], (), letter)
        self._share("optarg", argument, state)
        if found.long is None:
            return found.result
        if isinstance(args[4], Pointer):
            self.store(state, args[4], found.long)
        flag = self._long_field(call, args, found.long, "flag", state)
        if not isinstance(flag, Pointer):
            return found.result
        self.store(state, flag, found.result)
        return 0

    def _long_options(self, call: Call, args: tuple[Value, ...], state: State) -> tuple[LongOption, ...] | None:
        """The table that getopt_long is given; None where it is not known."""
        found: list[LongOption] = []
        while len(found) < MAX_LONG_OPTIONS and len(args) > 4:
            name, takes, value = (
                self._long_field(call, args, len(found), field, state) for field in ("name", "has_arg", "val")
            )
            if found and (name == 0 or name is None):
                return tuple(found)
            if not isinstance(name, str) or not isinstance(takes, int) or not isinstance(value, int):
                return None
            found.append(LongOption(name, takes, value))
        return None

    def _long_field(self, call: Call, args: tuple[Value, ...], at: int, name: str, state: State) -> Value | None:
        table, of = args[3], call.args[3].type
        if not isinstance(table, Pointer) or not isinstance(of, PointerType):
            return None
        record = place_path(self.moved(table, at, of.pointee.size))
        return state.cells.get(table.object, {}).get((*record, name))

    def _variable_of(self, name: str) -> Object:
        key = f"::{name}"
        if key not in self.globals:
            self.globals[key] = self.object(Memory.STATIC, name)
        return self.globals[key]

    def _shared(self, name: str, state: State, first: int) -> int | None:
        """What one of getopt's variables holds."""
        return integer(state.cells.get(self._variable_of(name), {}).get((), first))

    def _share(self, name: str, value: Value, state: State) -> None:
        self.store(state, Pointer(self._variable_of(name)), value)
