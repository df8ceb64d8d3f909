"""What clang says is called at each place of C and C++ sources, through libclang (`pip install libclang`).

A call that leads to a declaration is joined with the definition of the same symbol (USR) in any of the files that are
compiled. What is written by a macro's body stands nowhere in the text and is left out; arguments of macros are kept.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Site = tuple[str, int, int]


class Called(NamedTuple):
    """Definitions of what is called, or where it is promised (`= 0`): files and lines of the project, none outside."""

    name: str
    places: frozenset[tuple[str, int]]
    is_constructor: bool


def calls(root: Path, sources: Iterable[Path], arguments: Iterable[str]) -> dict[Site, Called]:
    """What is called where, by file, line and column; a place that means several things is left out."""
    from clang import cindex

    index = cindex.Index.create()
    reading = _Reading(cindex, os.path.realpath(root))
    words = [*arguments, *(f"-isystem{each}" for each in _system_folders())]
    for source in sources:
        reading.unit(index.parse(str(source), args=words).cursor)
    return reading.found()


def _system_folders() -> Iterator[str]:
    """Headers of the compiler itself, which libclang does not bring."""
    done = subprocess.run(["gcc", "-print-file-name=include"], capture_output=True, text=True, check=True)
    yield done.stdout.strip()


class _Reading:
    def __init__(self, cindex: Any, root: str) -> None:
        kinds = self._kinds = cindex.CursorKind
        self._functions = (
            kinds.FUNCTION_DECL,
            kinds.CXX_METHOD,
            kinds.CONSTRUCTOR,
            kinds.DESTRUCTOR,
            kinds.FUNCTION_TEMPLATE,
            kinds.CONVERSION_FUNCTION,
        )
        self._root = root + os.sep
        self._library = cindex.conf.lib
        self._library.clang_getSpellingLocation.argtypes = [cindex.SourceLocation, *[ctypes.c_void_p] * 4]
        self._file_names: dict[str, str | None] = {}
        self._cindex = cindex
        self._definitions: dict[str, set[tuple[str, int]]] = {}
        self._sites: dict[Site, dict[str, tuple[str, bool]]] = {}

    def found(self) -> dict[Site, Called]:
        known: dict[Site, Called] = {}
        for site, targets in self._sites.items():
            if len(targets) == 1:
                ((usr, (name, is_constructor)),) = targets.items()
                known[site] = Called(name, frozenset(self._definitions.get(usr, ())), is_constructor)
        return known

    def unit(self, cursor: Any) -> None:
        for child in cursor.get_children():
            place = child.location
            if place.file is not None and os.path.realpath(place.file.name).startswith(self._root):
                self._walk(child)

    def _walk(self, cursor: Any) -> None:
        kinds = self._kinds
        is_known = cursor.is_definition() or cursor.is_pure_virtual_method()
        if is_known and cursor.kind in self._functions:
            place = self._place(cursor.location)
            if place is not None:
                start = cursor.extent.start.line
                self._definitions.setdefault(cursor.get_usr(), set()).update({place[:2], (place[0], start)})
        if cursor.kind == kinds.CALL_EXPR:
            self._call(cursor)
        for child in cursor.get_children():
            self._walk(child)

    def _call(self, cursor: Any) -> None:
        target = cursor.referenced
        if target is None:
            return
        kinds = self._kinds
        callee = cursor
        if target.kind != kinds.CONSTRUCTOR:
            for _ in range(8):
                inner = next(iter(callee.get_children()), None)
                if inner is None:
                    break
                callee = inner
                if callee.kind in (kinds.DECL_REF_EXPR, kinds.MEMBER_REF_EXPR):
                    break
        site = self._place(callee.location)
        if site is None:
            return
        general = self._library.clang_getSpecializedCursorTemplate(target)
        if general is not None and not general.kind.is_invalid():
            target = general
        is_constructor = target.kind == kinds.CONSTRUCTOR or cursor.referenced.kind == kinds.CONSTRUCTOR
        self._sites.setdefault(site, {})[target.get_usr()] = (target.spelling, is_constructor)

    def _place(self, location: Any) -> Site | None:
        """Where something is written: of a macro's argument, where the argument stands."""
        file, line, column, offset = self._cindex.c_object_p(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        parts = (ctypes.byref(part) for part in (file, line, column, offset))
        self._library.clang_getSpellingLocation(location, *parts)
        if not file:
            return None
        said = self._cindex.File(file).name
        if said not in self._file_names:
            real = os.path.realpath(said)
            self._file_names[said] = real.removeprefix(self._root) if real.startswith(self._root) else None
        name = self._file_names[said]
        return (name, line.value, column.value - 1) if name else None
