"""What changed in a document since it was read last.

A piece is the same if its text is the same, wherever in the document it moved. Of the rest, what stands in the same
section behind the same unchanged piece as an old one is its new version. What is left is new on one side and gone on
the other.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.store.rows import content_hash
from recollect.structure.piece import Piece

_Slot = tuple[str, str | None]  # a section, and the old key of the last unchanged piece before


@dataclass(slots=True, kw_only=True)
class PieceChanges:
    """Old keys with the pieces they became, pieces that are new, and old keys that are gone."""

    unchanged: list[tuple[str, Piece]] = field(default_factory=list)
    updated: list[tuple[str, Piece]] = field(default_factory=list)
    added: list[Piece] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)


def changed(old: Mapping[str, str], new: Sequence[Piece]) -> PieceChanges:
    """Compares stored pieces, the hash of each by its key, with those read now.

    `unchanged` pieces may stand on other lines and under another key than before.
    """
    out = PieceChanges()
    same = _matched(old, new)
    kept = set(same.values())
    waiting: defaultdict[_Slot, deque[str]] = defaultdict(deque)
    before: dict[str, str | None] = {}
    for key in sorted(old, key=_in_order):
        section = section_of(key)
        if key in kept:
            before[section] = key
        else:
            waiting[section, before.get(section)].append(key)
    before.clear()
    left: list[Piece] = []
    for piece in new:
        section = section_of(piece.key)
        if piece.key in same:
            before[section] = same[piece.key]
            out.unchanged.append((same[piece.key], piece))
        elif slot := waiting.get((section, before.get(section))):
            out.updated.append((slot.popleft(), piece))
        else:
            left.append(piece)
    _settle(left, [key for slot in waiting.values() for key in slot], out)
    return out


def section_of(key: str) -> str:
    """The key of a piece without its number."""
    return key.rpartition("#")[0]


def _matched(old: Mapping[str, str], new: Sequence[Piece]) -> dict[str, str]:
    """New keys with the old key of the same text: under the same key if possible, else in the same section."""
    hashes = {piece.key: content_hash(piece.text) for piece in new}
    same = {key: key for key, hashed in hashes.items() if old.get(key) == hashed}
    free: defaultdict[str, list[str]] = defaultdict(list)
    for key in sorted(old.keys() - same.keys(), key=_in_order, reverse=True):
        free[old[key]].append(key)
    for key, hashed in hashes.items():
        if key not in same and free.get(hashed):
            candidates = free[hashed]
            near = [at for at, other in enumerate(candidates) if section_of(other) == section_of(key)]
            same[key] = candidates.pop(near[-1] if near else -1)
    return same


def _settle(left: list[Piece], gone: list[str], out: PieceChanges) -> None:
    """A key that is still there is a new version even if its neighbours changed too."""
    missing = dict.fromkeys(gone)
    for piece in left:
        if piece.key in missing:
            del missing[piece.key]
            out.updated.append((piece.key, piece))
        else:
            out.added.append(piece)
    out.vanished.extend(missing)


def _in_order(key: str) -> tuple[str, int]:
    section, _, number = key.rpartition("#")
    return section, int(number) if number.isdecimal() else 0
