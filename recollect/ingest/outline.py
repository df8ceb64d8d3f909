"""A document's own record: what it is called, how it is divided, and how to know it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.model.columns import RecordRow
from recollect.model.place import Place, PositionType
from recollect.store.documents import CATEGORY
from recollect.store.rows import content_hash, to_json
from recollect.structure.piece import Parsed, SectionNode, SectionTree

_OUTLINE_CHARS_MAX = 2_000
_PLACE = tuple(Place.__dataclass_fields__)


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
