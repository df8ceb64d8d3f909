"""Which record is behind a link, a path, a title or a name of code; and what stands before and above a piece.

Everything is looked up by exact keys in the scope of the record that refers, and only there. A name that could mean two
things means none.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

from recollect.perceive.relations.links import TextLink, slug_of
from recollect.store.base import Tx
from recollect.store.marks import mark
from recollect.store.rows import from_json

T = TypeVar("T")

FILES_MAX = 16  # of one name, in whatever folder
PIECES_MAX = 2_000  # of one document that are looked at


class SectionPiece(NamedTuple):
    """A record and the headings it stands under."""

    pk: int
    section_path: tuple[str, ...]


class References:
    """Lookups of one run in one read transaction; what was asked before is not asked again."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._known: dict[tuple[Any, ...], Any] = {}

    def target(self, link: TextLink, *, scope_pk: int, file_path: str | None, document: str | None) -> int | None:
        """The record that a link of a text in this file and document leads to, if there is exactly one."""
        if link.sort == "id":
            return self._once(("id", scope_pk, link.target), partial(self._by_id, link.target, scope_pk))
        if link.sort == "code":
            return self._once(("code", scope_pk, link.target), partial(self._by_code, link.target, scope_pk))
        if link.sort == "url":
            return self._section(self._marked("url", link.target, scope_pk), link.anchor)
        if link.sort == "title" or not link.target:
            return self._in_document(document, scope_pk, link)
        path = self._file(link.target, scope_pk, file_path)
        return None if path is None else self._section(self._marked("file_path", path, scope_pk), link.anchor)

    def before(self, pk: int, document: str, scope_pk: int) -> int | None:
        """The piece right before this one in its document."""
        pieces = [piece.pk for piece in self._pieces(document, scope_pk)]
        at = pieces.index(pk) if pk in pieces else 0
        return pieces[at - 1] if at else None

    def above(self, pk: int, document: str, scope_pk: int) -> int | None:
        """The first piece under the heading that this one's heading stands under; in the document, if under none."""
        pieces = self._pieces(document, scope_pk)
        above = next((piece.section_path[:-1] for piece in pieces if piece.pk == pk), ())
        under = (piece.pk for piece in pieces if piece.section_path[: len(above)] == above)
        return next((other for other in under if other != pk), None)

    # --- looking up -----------------------------------------------------------------------------------------------

    def _by_id(self, record_id: str, scope_pk: int) -> int | None:
        return self._tx.documents.piece_named(record_id, scope_pk)

    def _by_code(self, name: str, scope_pk: int) -> int | None:
        """The one function or class of a name; with a dot, of a class or module of the name before it."""
        *holders, last = name.replace("::", ".").split(".")
        for sort in ("function_name", "class_name"):
            found = [
                (pk, place)
                for pk, text in self._tx.documents.marked(mark(sort, last), scope_pk, limit=FILES_MAX)
                if _is_held(place := from_json(text, {}), holders, sort)
            ]
            if found:
                return found[0][0] if len(found) == 1 else None
        return None

    def _file(self, target: str, scope_pk: int, own_path: str | None) -> str | None:
        """The file a path means: beside the file that says it, else the only one whose path ends so."""
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(own_path or ""), target))
        if self._marked("file_path", beside, scope_pk):
            return beside
        wanted = posixpath.normpath(target).lstrip("./")
        key = ("files", posixpath.basename(wanted))
        named = self._once(key, lambda: self._tx.marks.paths_named(posixpath.basename(wanted), limit=FILES_MAX))
        ending = [path for path in named if path == wanted or path.endswith(f"/{wanted}")]
        there = [path for path in ending if self._marked("file_path", path, scope_pk)]
        return there[0] if len(there) == 1 else None

    def _marked(self, name: str, value: str, scope_pk: int) -> Sequence[SectionPiece]:
        rows = partial(self._tx.documents.marked, mark(name, value), scope_pk, limit=PIECES_MAX)
        return self._once((name, value, scope_pk), lambda: [_piece(pk, place) for pk, place in rows()])

    def _pieces(self, document: str, scope_pk: int) -> Sequence[SectionPiece]:
        rows = partial(self._tx.documents.placed_pieces, document, scope_pk, limit=PIECES_MAX)
        return self._once(("document", document), lambda: [_piece(pk, place) for pk, place in rows()])

    def _in_document(self, document: str | None, scope_pk: int, link: TextLink) -> int | None:
        if document is None:
            return None
        pieces = self._pieces(document, scope_pk)
        if link.sort == "title":
            return next((piece.pk for piece in pieces if piece.section_path[-1:] == (link.target,)), None)
        return next((piece.pk for piece in pieces if link.anchor in map(slug_of, piece.section_path[-1:])), None)

    def _section(self, pieces: Sequence[SectionPiece], anchor: str) -> int | None:
        """The piece of an anchor; the first one if there is none such."""
        under = (piece.pk for piece in pieces if anchor and anchor in map(slug_of, piece.section_path[-1:]))
        return next(under, pieces[0].pk if pieces else None)

    def _once(self, key: tuple[Any, ...], look: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = look()
        return cast(T, self._known[key])


def _piece(pk: int, place: str | None) -> SectionPiece:
    return SectionPiece(pk, tuple(from_json(place, {}).get("section_path", ())))


def _is_held(place: dict[str, Any], holders: Sequence[str], sort: str) -> bool:
    """Whether a piece of code is what its name says: a class itself, or a member of the class or module named."""
    if sort == "class_name" and place.get("function_name"):
        return False
    if not holders:
        return True
    module = str(place.get("module_path", "")).rpartition(".")[2]
    return holders[-1] in (place.get("class_name") if sort == "function_name" else None, module)
