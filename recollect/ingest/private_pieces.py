"""A document without the personal data and the secrets that the policy takes out, before it becomes records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from recollect.ingest.pieces import Difference
from recollect.security.screening.policy import REPLACE, TIER, Privacy
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
        """Write into new and revised pieces the tier that their texts have, where the policy is `tier`."""
        if self._privacy.personal != TIER:
            return
        for row in changes.added:
            self._privacy.admit_row(row)
        for change in changes.revised:
            security = self._privacy.admit(change.columns["content"]).security
            assert security is not None
            change.columns["security"] = security.value

    def _admit(self, text: str) -> str:
        admitted = self._privacy.admit(text)
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
            within = bool(begins) and self._privacy.secrets == REPLACE and not _KEY_ENDS.search(own, begins[-1])
            yield self._admit(own)
