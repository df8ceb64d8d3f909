"""Documents that were read before: their records, their pieces, the turns of their conversations.

A document has a record of its own, found by the URL of its file. It lies in the archive: what it says its pieces say
better, so no search should find it, and a walk along relations should not lead through it from piece to piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from recollect.store.base import Group
from recollect.store.marks import mark
from recollect.store.rows import from_json

CATEGORY = "document"  # of a document's own record
PART_OF = "part_of"  # from a piece to its document
TURN_HEAD_CHARS = 100  # of a turn without an id, enough to know it again

_AFTER_ALL = "\U0010ffff"
_LIVE = "HEAD(r) AND LIVE(r)"
_HAS_PIECES = (
    "EXISTS (SELECT 1 FROM member whole "
    "CROSS JOIN member part ON part.edge_pk = whole.edge_pk AND part.role = 'subject' "
    "CROSS JOIN record p ON p.pk = part.record_pk AND HEAD(p) AND LIVE(p) "
    "WHERE whole.record_pk = r.pk AND whole.role = 'object')"
)
_DOCUMENTS = (
    "SELECT r.pk, r.id, r.version, m.mark, JSON_TEXT(r.place, '$.file_path'), "
    f"JSON_TEXT(r.place, '$.position_type') = 'conversation' OR {_HAS_PIECES}, JSON_PART(r.attributes, '$.state') "
    "FROM mark m CROSS JOIN record r ON r.pk = m.record_pk "  # in this order: a scope holds many records, a URL one
    f"WHERE {{}} AND r.scope_pk = ? AND r.kind = 'snippet' AND r.category = '{CATEGORY}' AND {_LIVE} ORDER BY r.pk"
)
_PIECES = (  # from the document on: the planner would begin with all relations of the label
    "SELECT r.pk, r.id, r.version, r.content_hash, r.category, r.tags, r.place, r.metadata, r.attributes "
    "FROM member whole "
    f"CROSS JOIN edge e ON e.pk = whole.edge_pk AND e.label = '{PART_OF}' AND LIVE(e) "
    "CROSS JOIN member part ON part.edge_pk = e.pk AND part.role = 'subject' "
    "CROSS JOIN record r ON r.pk = part.record_pk "
    f"WHERE whole.record_pk = ? AND whole.role = 'object' AND {_LIVE} ORDER BY r.pk"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownDocument:
    """A document as it was when it was read last."""

    pk: int
    id: str
    version: int
    url: str
    path: str | None
    has_pieces: bool  # live ones; if all were forgotten, giving it again means wanting it back
    state: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPiece:
    """A live piece of a document, its JSON columns as they are stored."""

    pk: int
    id: str
    version: int
    content_hash: str
    key: str
    digest: str
    category: str
    tags: str | None
    place: str | None
    metadata: str | None
    attributes: str | None


_PLACED_PIECES = (
    "SELECT r.pk, r.place, JSON_INT(r.attributes, '$.order') FROM record whole "
    "CROSS JOIN member of ON of.record_pk = whole.pk AND of.role = 'object' "
    f"CROSS JOIN edge e ON e.pk = of.edge_pk AND e.label = '{PART_OF}' AND LIVE(e) "
    "CROSS JOIN member part ON part.edge_pk = e.pk AND part.role = 'subject' "
    "CROSS JOIN record r ON r.pk = part.record_pk WHERE whole.id = ? AND HEAD(whole) "
    f"AND r.scope_pk = ? AND HEAD(r) AND LIVE(r) AND r.category <> '{CATEGORY}' ORDER BY 3 NULLS FIRST, 1 LIMIT ?"
)


class Documents(Group):
    """Documents and their pieces."""

    def known(self, scope_pk: int, url: str) -> KnownDocument | None:
        """The document of a URL in exactly this scope."""
        found = self._documents("m.mark = ?", (mark("url", url), scope_pk))
        return found[-1] if found else None

    def below(self, scope_pk: int, folder_url: str) -> dict[str, KnownDocument]:
        """The documents of a folder and of its folders, by URL."""
        first = mark("url", folder_url.rstrip("/") + "/")
        found = self._documents("m.mark >= ? AND m.mark < ?", (first, first + _AFTER_ALL, scope_pk))
        return {each.url: each for each in found}

    def pieces(self, document: KnownDocument) -> list[StoredPiece]:
        """The live pieces of a document, in the order in which they were stored."""
        out: list[StoredPiece] = []
        for pk, id_, version, content_hash, category, tags, place, metadata, text in self.sql.all(
            _PIECES, (document.pk,)
        ):
            attributes = from_json(text, {})
            if attributes.get("document") == document.id:  # not what somebody related to it
                piece = StoredPiece(
                    pk=pk,
                    id=id_,
                    version=version,
                    content_hash=content_hash,
                    key=str(attributes.get("piece", "")),
                    digest=str(attributes.get("digest", "")),
                    category=category,
                    tags=tags,
                    place=place,
                    metadata=metadata,
                    attributes=text,
                )
                out.append(piece)
        return out

    def turns_of(self, scope_pk: int, session_id: str) -> list[tuple[str | None, int | None, str]]:
        """(message id, position, beginning) of the live turns of a session."""
        rows: list[tuple[str | None, int | None, str]] = []
        for session_pk in self.tx.sessions.keys(session_id, [scope_pk]):
            rows += self.sql.all(
                "SELECT JSON_TEXT(r.place, '$.anchor'), JSON_INT(r.place, '$.line_range[0]'), "
                f"substr(r.content, 1, {TURN_HEAD_CHARS}) FROM record r WHERE r.session_pk = ? AND {_LIVE} "
                f"ORDER BY r.pk",
                (session_pk,),
            )
        return rows

    def remember_state(self, document: KnownDocument, state: dict[str, Any]) -> None:
        """Note that a file was looked at and said nothing new.

        Neither versioned nor journalled: nothing was learned.
        """
        self.sql.run(
            "UPDATE record SET attributes = JSON_PUT(coalesce(attributes, '{}'), '$.state', AS_JSON(?)) WHERE pk = ?",
            (orjson.dumps(state).decode(), document.pk),
        )

    def _documents(self, condition: str, params: Sequence[Any]) -> list[KnownDocument]:
        out: list[KnownDocument] = []
        for pk, id_, version, found, path, has_pieces, state in self.sql.all(_DOCUMENTS.format(condition), params):
            document = KnownDocument(
                pk=pk,
                id=id_,
                version=version,
                url=found[len("url=") :],
                path=path,
                has_pieces=bool(has_pieces),
                state=from_json(state, {}),
            )
            out.append(document)
        return out

    def placed_pieces(self, document_id: str, scope_pk: int, *, limit: int) -> list[tuple[int, str | None]]:
        """(key, place as JSON) of the live pieces of a document in the order in which they stand there."""
        rows = self.sql.all(_PLACED_PIECES, (document_id, scope_pk, limit))
        return [(row[0], row[1]) for row in rows]

    def marked(self, mark: str, scope_pk: int, *, limit: int) -> list[tuple[int, str | None]]:
        """(key, place as JSON) of the live records of a scope that hold a mark, but for whole documents, ascending."""
        rows = self.sql.all(
            "SELECT r.pk, r.place FROM mark m CROSS JOIN record r ON r.pk = m.record_pk WHERE m.mark = ? "
            f"AND r.scope_pk = ? AND HEAD(r) AND LIVE(r) AND r.category <> '{CATEGORY}' ORDER BY r.pk LIMIT ?",
            (mark, scope_pk, limit),
        )
        return [(row[0], row[1]) for row in rows]

    def wholes_among(self, pks: Iterable[int]) -> list[tuple[int, int, str | None]]:
        """(key, scope, place as JSON) of those of these records that are whole documents, ascending."""
        rows = self.sql.all(
            f"SELECT pk, scope_pk, place FROM record WHERE pk IN KEYS(?) AND category = '{CATEGORY}' "
            f"AND kind = 'snippet' AND HEAD(record) AND LIVE(record) ORDER BY pk",
            (self.sql.keys(pks),),
        )
        return [(row[0], row[1], row[2]) for row in rows]

    def piece_named(self, record_id: str, scope_pk: int) -> int | None:
        """The key of a live record of a scope by its id, unless it is a whole document."""
        pk = self.sql.value(
            f"SELECT r.pk FROM record r WHERE r.id = ? AND r.scope_pk = ? AND HEAD(r) AND LIVE(r) "
            f"AND r.category <> '{CATEGORY}'",
            (record_id, scope_pk),
        )
        return None if pk is None else int(pk)
