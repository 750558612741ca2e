"""Thin ctypes bindings of the libclang C API: only what lowering calls, without cindex's per-call wrapping."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_longlong,
    c_size_t,
    c_uint,
    c_ulonglong,
    c_void_p,
)
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any


class CXString(Structure):
    """A string owned by libclang."""

    _fields_ = (("data", c_void_p), ("flags", c_uint))


class CXCursor(Structure):
    """A node. `kind` is a CXCursorKind; `d0` is its declaration, `d1` its statement or expression."""

    _fields_ = (("kind", c_int), ("xdata", c_int), ("d0", c_void_p), ("d1", c_void_p), ("d2", c_void_p))


class CXType(Structure):
    """A type. `d0` is an opaque handle, equal for equal qualified types of one translation unit."""

    _fields_ = (("kind", c_int), ("d0", c_void_p), ("d1", c_void_p))


class CXSourceLocation(Structure):
    """A location: `raw` is a global offset, with the top bit set inside macro expansions."""

    _fields_ = (("p0", c_void_p), ("p1", c_void_p), ("raw", c_uint))


class CXSourceRange(Structure):
    """A range: raw begin and end locations, end exclusive."""

    _fields_ = (("p0", c_void_p), ("p1", c_void_p), ("begin", c_uint), ("end", c_uint))


class CXUnsavedFile(Structure):
    """A file given in memory."""

    _fields_ = (("filename", c_char_p), ("contents", c_char_p), ("length", c_size_t))


VISITOR = CFUNCTYPE(c_int, CXCursor)
"""A visitor is called with the parent and a pointer too. One that takes the first argument alone leaves them be, in
all calling conventions, and making the objects for them would double what a visit costs."""
FIELD_VISITOR = CFUNCTYPE(c_int, CXCursor)

KEEP_GOING = 0x200
TO_SAVE = 0x10 | 0x2
"""CXTranslationUnit_ForSerialization of an incomplete unit: one that others go on from."""
NO_EXPANSION_BIT = 0x7FFFFFFF

_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "clang_createIndex": (c_void_p, (c_int, c_int)),
    "clang_disposeIndex": (None, (c_void_p,)),
    "clang_parseTranslationUnit2": (
        c_int,
        (c_void_p, c_char_p, POINTER(c_char_p), c_int, POINTER(CXUnsavedFile), c_uint, c_uint, POINTER(c_void_p)),
    ),
    "clang_disposeTranslationUnit": (None, (c_void_p,)),
    "clang_saveTranslationUnit": (c_int, (c_void_p, c_char_p, c_uint)),
    "clang_getClangVersion": (CXString, ()),
    "clang_getTranslationUnitCursor": (CXCursor, (c_void_p,)),
    "clang_visitChildren": (c_uint, (CXCursor, VISITOR, c_void_p)),
    "clang_Type_visitFields": (c_uint, (CXType, FIELD_VISITOR, c_void_p)),
    "clang_getCursorType": (CXType, (CXCursor,)),
    "clang_getCursorResultType": (CXType, (CXCursor,)),
    "clang_getCanonicalType": (CXType, (CXType,)),
    "clang_getPointeeType": (CXType, (CXType,)),
    "clang_getArrayElementType": (CXType, (CXType,)),
    "clang_getElementType": (CXType, (CXType,)),
    "clang_getNumElements": (c_longlong, (CXType,)),
    "clang_getArraySize": (c_longlong, (CXType,)),
    "clang_getResultType": (CXType, (CXType,)),
    "clang_getNumArgTypes": (c_int, (CXType,)),
    "clang_getArgType": (CXType, (CXType, c_uint)),
    "clang_getTypeDeclaration": (CXCursor, (CXType,)),
    "clang_getTypeSpelling": (CXString, (CXType,)),
    "clang_Type_getSizeOf": (c_longlong, (CXType,)),
    "clang_Type_getAlignOf": (c_longlong, (CXType,)),
    "clang_Type_getNumTemplateArguments": (c_int, (CXType,)),
    "clang_Type_getTemplateArgumentAsType": (CXType, (CXType, c_uint)),
    "clang_isConstQualifiedType": (c_uint, (CXType,)),
    "clang_isVolatileQualifiedType": (c_uint, (CXType,)),
    "clang_isRestrictQualifiedType": (c_uint, (CXType,)),
    "clang_getEnumDeclIntegerType": (CXType, (CXCursor,)),
    "clang_getEnumConstantDeclValue": (c_longlong, (CXCursor,)),
    "clang_Cursor_getOffsetOfField": (c_longlong, (CXCursor,)),
    "clang_getFieldDeclBitWidth": (c_int, (CXCursor,)),
    "clang_getCursorSpelling": (CXString, (CXCursor,)),
    "clang_Cursor_getMangling": (CXString, (CXCursor,)),
    "clang_getCursorReferenced": (CXCursor, (CXCursor,)),
    "clang_getCursorDefinition": (CXCursor, (CXCursor,)),
    "clang_getCanonicalCursor": (CXCursor, (CXCursor,)),
    "clang_getSpecializedCursorTemplate": (CXCursor, (CXCursor,)),
    "clang_getCursorSemanticParent": (CXCursor, (CXCursor,)),
    "clang_getCursorExtent": (CXSourceRange, (CXCursor,)),
    "clang_getCursorLocation": (CXSourceLocation, (CXCursor,)),
    "clang_Cursor_getSpellingNameRange": (CXSourceRange, (CXCursor, c_uint, c_uint)),
    "clang_getCursorBinaryOperatorKind": (c_int, (CXCursor,)),
    "clang_getCursorUnaryOperatorKind": (c_int, (CXCursor,)),
    "clang_Cursor_getNumArguments": (c_int, (CXCursor,)),
    "clang_Cursor_getArgument": (CXCursor, (CXCursor, c_uint)),
    "clang_Cursor_getNumTemplateArguments": (c_int, (CXCursor,)),
    "clang_Cursor_getTemplateArgumentKind": (c_int, (CXCursor, c_uint)),
    "clang_Cursor_getTemplateArgumentType": (CXType, (CXCursor, c_uint)),
    "clang_Cursor_getTemplateArgumentValue": (c_longlong, (CXCursor, c_uint)),
    "clang_Cursor_getStorageClass": (c_int, (CXCursor,)),
    "clang_Cursor_getVarDeclInitializer": (CXCursor, (CXCursor,)),
    "clang_Cursor_hasVarDeclGlobalStorage": (c_int, (CXCursor,)),
    "clang_Cursor_Evaluate": (c_void_p, (CXCursor,)),
    "clang_EvalResult_getKind": (c_int, (c_void_p,)),
    "clang_EvalResult_getAsLongLong": (c_longlong, (c_void_p,)),
    "clang_EvalResult_isUnsignedInt": (c_uint, (c_void_p,)),
    "clang_EvalResult_getAsUnsigned": (c_ulonglong, (c_void_p,)),
    "clang_EvalResult_getAsDouble": (c_double, (c_void_p,)),
    "clang_EvalResult_getAsStr": (c_char_p, (c_void_p,)),
    "clang_EvalResult_dispose": (None, (c_void_p,)),
    "clang_Cursor_isAnonymousRecordDecl": (c_uint, (CXCursor,)),
    "clang_CXXMethod_isStatic": (c_uint, (CXCursor,)),
    "clang_CXXMethod_isDefaulted": (c_uint, (CXCursor,)),
    "clang_Cursor_isDynamicCall": (c_int, (CXCursor,)),
    "clang_getCursorPrintingPolicy": (c_void_p, (CXCursor,)),
    "clang_PrintingPolicy_setProperty": (None, (c_void_p, c_int, c_uint)),
    "clang_PrintingPolicy_dispose": (None, (c_void_p,)),
    "clang_getCursorPrettyPrinted": (CXString, (CXCursor, c_void_p)),
    "clang_getFileLocation": (
        None,
        (CXSourceLocation, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)),
    ),
    "clang_getExpansionLocation": (
        None,
        (CXSourceLocation, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)),
    ),
    "clang_Location_isInSystemHeader": (c_int, (CXSourceLocation,)),
    "clang_getFileName": (CXString, (c_void_p,)),
    "clang_getFileContents": (c_void_p, (c_void_p, c_void_p, POINTER(c_size_t))),
    "clang_getNumDiagnostics": (c_uint, (c_void_p,)),
    "clang_getDiagnostic": (c_void_p, (c_void_p, c_uint)),
    "clang_disposeDiagnostic": (None, (c_void_p,)),
    "clang_getDiagnosticSeverity": (c_int, (c_void_p,)),
    "clang_getDiagnosticSpelling": (CXString, (c_void_p,)),
    "clang_getDiagnosticLocation": (CXSourceLocation, (c_void_p,)),
    "clang_getCString": (c_char_p, (CXString,)),
    "clang_disposeString": (None, (CXString,)),
}


@cache
def library() -> Any:
    """The loaded libclang with the functions above typed. Raises OSError when there is none."""
    spec = find_spec("clang")
    folder = Path((spec.submodule_search_locations or [""])[0]) / "native" if spec else Path()
    names = {"darwin": "libclang.dylib", "win32": "libclang.dll"}
    lib = ctypes.CDLL(str(folder / names.get(sys.platform, "libclang.so")))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(lib, name)
        function.restype = result
        function.argtypes = arguments
    return lib


def text_of(string: CXString) -> str:
    """The Python string, with libclang's copy released."""
    lib = library()
    data = lib.clang_getCString(string)
    lib.clang_disposeString(string)
    return data.decode("utf-8", "replace") if data else ""


def spelling(cursor: CXCursor) -> str:
    """The name of a cursor; empty where it has none."""
    return text_of(library().clang_getCursorSpelling(cursor))


_collected: list[CXCursor] = []


def _collect(cursor: CXCursor) -> int:
    _collected.append(cursor)
    return 1


_COLLECT = VISITOR(_collect)
_COLLECT_FIELD = FIELD_VISITOR(_collect)


def children(cursor: CXCursor) -> list[CXCursor]:
    """The direct children of a cursor, in libclang's order."""
    _collected.clear()
    library().clang_visitChildren(cursor, _COLLECT, None)
    return _collected.copy()


def outnumber(cursor: CXCursor, limit: int) -> bool:
    """Whether there are more than `limit` cursors below one, at any depth. No more than that are visited."""
    left = limit

    def count(_cursor: CXCursor) -> int:
        nonlocal left
        left -= 1
        return 2 if left >= 0 else 0

    library().clang_visitChildren(cursor, VISITOR(count), None)
    return left < 0


def fields(of: CXType) -> list[CXCursor]:
    """The fields of a record type, without those of its bases."""
    _collected.clear()
    library().clang_Type_visitFields(of, _COLLECT_FIELD, None)
    return _collected.copy()


def evaluate(cursor: CXCursor) -> int | float | str | None:
    """The constant value of an expression or of a variable's initialiser; None when it is not constant."""
    lib = library()
    result = lib.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    try:
        match lib.clang_EvalResult_getKind(result):
            case 1:
                if lib.clang_EvalResult_isUnsignedInt(result):
                    return int(lib.clang_EvalResult_getAsUnsigned(result))
                return int(lib.clang_EvalResult_getAsLongLong(result))
            case 2:
                return float(lib.clang_EvalResult_getAsDouble(result))
            case 4 | 5 | 6:
                data = lib.clang_EvalResult_getAsStr(result)
                return data.decode("utf-8", "replace") if data is not None else None
            case _:
                return None
    finally:
        lib.clang_EvalResult_dispose(result)


class Parsed:
    """A parsed translation unit; closes its handles when told to."""

    def __init__(
        self,
        path: str,
        arguments: list[str],
        content: bytes | None,
        overlay: Mapping[str, bytes] | None = None,
        *,
        options: int = 0,
    ) -> None:
        """Parse `path` (or `content` under that name), with the files of `overlay` as given there.

        `options` are further CXTranslationUnit_Flags. Raises ParseError when libclang gives up.
        """
        lib = library()
        # What a precompiled header declares is no child of the root: it is all system code.
        self.index = lib.clang_createIndex(1, 0)
        encoded = [argument.encode("utf-8", "surrogateescape") for argument in arguments]
        name = path.encode("utf-8", "surrogateescape")
        argv = (c_char_p * len(encoded))(*encoded)
        handle = c_void_p()
        given = {**(overlay or {}), **({path: content} if content is not None else {})}
        files = [CXUnsavedFile(n.encode("utf-8", "surrogateescape"), data, len(data)) for n, data in given.items()]
        unsaved = (CXUnsavedFile * len(files))(*files) if files else None
        code = lib.clang_parseTranslationUnit2(
            self.index, name, argv, len(encoded), unsaved, len(files), KEEP_GOING | options, byref(handle)
        )
        self.handle = handle
        if code or not handle:
            self.close()
            raise ParseError(_ERRORS.get(code, f"libclang error {code}"))

    def close(self) -> None:
        """Release the libclang objects. No cursor may be used afterwards."""
        lib = library()
        if self.handle:
            lib.clang_disposeTranslationUnit(self.handle)
            self.handle = c_void_p()
        if self.index:
            lib.clang_disposeIndex(self.index)
            self.index = None

    @property
    def cursor(self) -> CXCursor:
        """The root."""
        root: CXCursor = library().clang_getTranslationUnitCursor(self.handle)
        return root


class ParseError(Exception):
    """libclang could not make a translation unit at all."""


_ERRORS = {
    1: "the parser failed",
    2: "the parser crashed",
    3: "invalid arguments",
    4: "the syntax tree could not be read",
}
