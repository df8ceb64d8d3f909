"""Documents and their pieces as rows, and what became of the ones that were stored before.

A document's own record says what it is called, how it is divided, and how to know it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.model.columns import RecordRow, SealedBox
from recollect.model.place import Place, PositionType
from recollect.store.documents import CATEGORY, StoredPiece
from recollect.store.rows import content_hash, from_json, to_json
from recollect.structure.compare import changed
from recollect.structure.piece import Parsed, Piece, SectionNode, SectionTree

_OWN_METADATA = ("document", "format", "language", "section_type", "title")
_OUTLINE_CHARS_MAX = 2_000
_PLACE = tuple(Place.__dataclass_fields__)


@dataclass(slots=True, kw_only=True)
class PieceChange:
    """A stored piece and the columns that are new about it."""

    stored: StoredPiece
    columns: dict[str, Any]
    box: SealedBox | None = None  # what is sealed of the new text


@dataclass(slots=True, kw_only=True)
class Difference:
    """What has to be done so that what is stored of a document is what it holds now.

    `moved` pieces say the same on other lines or under another heading: no new version. `same` ones are as they were.
    """

    added: list[RecordRow] = field(default_factory=list)
    revised: list[PieceChange] = field(default_factory=list)
    moved: list[PieceChange] = field(default_factory=list)
    same: list[StoredPiece] = field(default_factory=list)
    vanished: list[StoredPiece] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.added or self.revised or self.moved or self.vanished)


def text_digest(text: str) -> str:
    """The same only for texts that are the same to the letter: in code, case and spaces mean something."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def difference(
    parsed: Parsed,
    document_id: str,
    stored: Sequence[StoredPiece],
    fields: Mapping[str, Any],
    digest: Callable[[str], str] = text_digest,
) -> Difference:
    """Compare the pieces of a document with those that are stored.

    `fields` are the checked columns a caller wants on every piece. A text counts as it stands in the file:
    what somebody changed about the record meanwhile stays until the file says something else. Texts are told apart by
    `digest`.
    """
    rows = {piece.key: piece_row(piece, parsed, document_id, fields, digest) for piece in parsed.pieces}
    if not stored:
        return Difference(added=list(rows.values()))
    out = Difference()
    by_key = {piece.key: piece for piece in stored}
    found = changed({piece.key: piece.content_hash for piece in stored}, parsed.pieces)
    for old_key, piece in (*found.unchanged, *found.updated):
        _sort_in(by_key[old_key], rows[piece.key], fields, out)
    out.added = [rows[piece.key] for piece in found.added]
    out.vanished = [by_key[key] for key in found.vanished]
    out.vanished += [piece for piece in stored if by_key[piece.key] is not piece]  # two of one name: keep the later
    return out


def piece_row(
    piece: Piece,
    parsed: Parsed,
    document_id: str,
    fields: Mapping[str, Any],
    digest: Callable[[str], str] = text_digest,
) -> RecordRow:
    """One piece as a record, but for its id, scope and times."""
    about = (parsed.path, parsed.format, piece.language, piece.section_type.value, piece.title)
    metadata = {name: value for name, value in zip(_OWN_METADATA, about, strict=True) if value} | from_json(
        fields.get("metadata"), {}
    )
    attributes = {
        "document": document_id,
        "piece": piece.key,
        "section": piece.parent,
        "order": piece.order,
        "digest": digest(piece.text),
    }
    return RecordRow(
        id="",
        scope_pk=0,
        content=piece.text,
        content_hash=content_hash(piece.text),
        created_at=0,
        updated_at=0,
        recorded_at=0,
        kind=piece.kind,
        category=fields.get("category") or "snippet",
        tags=fields.get("tags"),
        source=source_of(parsed),
        place=place_json(piece.place),
        metadata=to_json(metadata),
        attributes=to_json(attributes),
    )


def _sort_in(stored: StoredPiece, row: RecordRow, fields: Mapping[str, Any], out: Difference) -> None:
    kept = {name: value for name, value in from_json(stored.metadata, {}).items() if name not in _OWN_METADATA}
    columns: dict[str, Any] = {name: fields[name] for name in ("category", "tags") if name in fields}
    columns |= {
        "place": row.place,
        "metadata": to_json(kept | from_json(row.metadata, {})),
        "attributes": to_json(from_json(stored.attributes, {}) | from_json(row.attributes, {})),
    }
    if stored.digest != from_json(row.attributes, {})["digest"]:
        texts = {"content": row.content, "content_hash": row.content_hash, "perceived": None, "facets": None}
        out.revised.append(PieceChange(stored=stored, columns=texts | columns))
    elif news := {name: value for name, value in columns.items() if not _equal(getattr(stored, name), value)}:
        out.moved.append(PieceChange(stored=stored, columns=news))
    else:
        out.same.append(stored)


def _equal(stored: Any, new: Any) -> bool:
    """The order of keys in JSON says nothing."""
    if stored == new or not (isinstance(stored, str) and isinstance(new, str) and new.startswith("{")):
        return bool(stored == new)
    return bool(from_json(stored, {}) == from_json(new, {}))


def document_row(
    parsed: Parsed, *, id: str, url: str, state: Mapping[str, Any], fields: Mapping[str, Any]
) -> RecordRow:
    """The record of a document, but for its scope and times. It never fades: its pieces hang on it."""
    text = _outline(parsed)
    position = PositionType.CODE if parsed.format == "code" else PositionType.DOCUMENT
    position = PositionType.CONVERSATION if parsed.turns else position
    about = {"format": parsed.format, "language": parsed.language, "title": parsed.title}
    return RecordRow(
        id=id,
        scope_pk=0,
        content=text,
        content_hash=content_hash(text),
        created_at=0,
        updated_at=0,
        recorded_at=0,
        kind="snippet",
        category=CATEGORY,
        tier="archive",
        decay_rate=0.0,
        source=source_of(parsed),
        place=place_json(Place(position_type=position, file_path=parsed.path, url=url)),
        metadata=to_json({name: value for name, value in about.items() if value}),
        attributes=to_json({"state": dict(state), "tree": _packed(parsed.tree)}),
        tags=fields.get("tags"),
    )


def place_json(place: Place) -> str | None:
    """What `place.to_dict()` says, at a tenth of its cost: there is one for every piece."""
    return to_json({name: value for name in _PLACE if (value := getattr(place, name)) not in (None, (), 0)})


def source_of(parsed: Parsed) -> str:
    return "code" if parsed.format == "code" else "conversation" if parsed.turns else "document"


def tree_of(attributes: Mapping[str, Any]) -> SectionTree:
    """The sections of a document, from the attributes of its record. Pieces name theirs in `attributes["section"]`."""
    sections: list[SectionNode] = []
    for own_key, title, level, parent, first, last in attributes.get("tree", ()):
        above = None if parent is None else sections[parent].key
        key = own_key if above is None else f"{above}{own_key}"
        sections.append(SectionNode(key=key, title=title, level=level, parent=above, lines=(first, last)))
    return SectionTree(sections=tuple(sections))


def _packed(tree: SectionTree | None) -> list[list[Any]]:
    """Sections as lists; of a key what the parent's does not say, of a parent its position."""
    if tree is None:
        return []
    position = {section.key: at for at, section in enumerate(tree.sections)}
    return [
        [
            section.key if section.parent is None else section.key.removeprefix(section.parent),
            section.title,
            section.level,
            None if section.parent is None else position[section.parent],
            *section.lines,
        ]
        for section in tree.sections
    ]


def _outline(parsed: Parsed) -> str:
    """Title, path and headings, for people who look at the record."""
    lines = [parsed.title or parsed.path or parsed.format or CATEGORY]
    if parsed.path is not None and parsed.title:
        lines.append(parsed.path)
    size = 0
    for section in (parsed.tree.sections if parsed.tree else ())[1:]:
        line = "  " * max(0, section.level - 1) + section.title
        size += len(line) + 1
        if size > _OUTLINE_CHARS_MAX:
            lines.append("…")
            break
        lines.append(line)
    return "\n".join(lines)
