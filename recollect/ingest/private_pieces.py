"""A document without the personal data and the secrets that the policy takes out, before it becomes records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from recollect.ids import new_id
from recollect.ingest.pieces import Difference, PieceChange, text_digest
from recollect.model.columns import RecordRow
from recollect.security.screening.policy import TIER, WORDED, Privacy
from recollect.structure.piece import Parsed, SectionTree

_KEY_BEGINS = re.compile(r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS = re.compile(r"-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_REST_OF_KEY = "[secret:private-key]"


class PrivateDocument:
    """What the policy leaves of a document, and what a receipt says about it."""

    def __init__(self, parsed: Parsed, privacy: Privacy) -> None:
        self._privacy = privacy
        self._noted: dict[str, None] = {}
        texts = list(self._texts(piece.text for piece in parsed.pieces))
        pieces = tuple(
            replace(piece, text=text, title=piece.title and self._admit(piece.title))
            if text != piece.text or (piece.title and self._admit(piece.title) != piece.title)
            else piece
            for piece, text in zip(parsed.pieces, texts, strict=True)
        )
        tree = parsed.tree and SectionTree(
            sections=tuple(replace(each, title=self._admit(each.title)) for each in parsed.tree.sections)
        )
        self.parsed = replace(parsed, pieces=pieces, tree=tree, title=parsed.title and self._admit(parsed.title))

    @property
    def flags(self) -> tuple[str, ...]:
        return tuple(self._noted)

    def give_tiers(self, changes: Difference) -> None:
        """Seal of new and revised pieces what their tier hides, where the policy is `tier`."""
        if self._privacy.personal != TIER:
            return
        for row in changes.added:
            row.id = row.id or new_id()
            self._noted |= dict.fromkeys(self._privacy.admit_row(row))
        for change in changes.revised:
            row = replace(self._row_of(change), **change.columns)
            self._noted |= dict.fromkeys(self._privacy.admit_row(row))
            names = WORDED & change.columns.keys() | {"content", "content_hash", "security", "sealed", "perceived"}
            change.columns |= {name: getattr(row, name) for name in names}
            change.box = row.box
        for change in changes.moved:  # what it says is the same, and so is what is sealed of it
            for name in ("metadata", "tags"):
                change.columns.pop(name, None)
        changes.moved = [change for change in changes.moved if change.columns]

    def digest(self, text: str) -> str:
        """What the text of a piece is known by when the document comes again."""
        return self._privacy.digest(text, text_digest)

    def _row_of(self, change: PieceChange) -> RecordRow:
        return RecordRow(
            id=change.stored.id, scope_pk=0, content="", content_hash="", created_at=0, updated_at=0, recorded_at=0
        )

    def _admit(self, text: str) -> str:
        """A title: there is no row to seal anything of it beside."""
        return self._admitted(text, self._privacy.unsealed)

    def _admitted(self, text: str, privacy: Privacy) -> str:
        admitted = privacy.admit(text)
        self._noted |= dict.fromkeys(admitted.flags)
        return admitted.text

    def _texts(self, given: Iterable[str]) -> Iterator[str]:
        """The texts of pieces as they may be stored. A private key may begin in one piece and end in a later one."""
        within = False
        for text in given:
            end = _KEY_ENDS.search(text) if within else None
            if within and end is None:
                yield _REST_OF_KEY
                continue
            own = text if end is None else _REST_OF_KEY + text[end.end() :]
            begins = [match.end() for match in _KEY_BEGINS.finditer(own)]
            within = bool(begins) and self._privacy.replaces and not _KEY_ENDS.search(own, begins[-1])
            yield self._admitted(own, self._privacy.by_secrets)
