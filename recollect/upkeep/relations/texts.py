"""Live records as texts that may speak of each other: read, compared, and looked up again before an edge is kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from recollect.ingest.requests import STATEMENTS
from recollect.perceive.relations.compared import ComparedText
from recollect.store.base import Tx
from recollect.store.rows import from_json
from recollect.store.stretches import TextRow


class LiveText:
    """A live record, cut into what it is compared by when that is first asked for."""

    def __init__(self, row: TextRow) -> None:
        self.row = row
        self.pk = row.pk
        self.content = row.content

    @cached_property
    def text(self) -> ComparedText:
        return ComparedText.of(self.content)

    @cached_property
    def file_path(self) -> str | None:
        path = from_json(self.row.place, {}).get("file_path")
        return path if isinstance(path, str) else None

    @property
    def is_code(self) -> bool:
        """Code refers to code in other ways than prose does."""
        return self.row.source == "code"

    @property
    def is_statement(self) -> bool:
        return self.row.kind in STATEMENTS

    def is_unchanged(self, tx: Tx) -> bool:
        """Whether the record still is as it was read."""
        return tx.records.is_at_version(self.pk, self.row.version)


def live_texts(tx: Tx, pks: Iterable[int], kinds: Sequence[str]) -> dict[int, LiveText]:
    """Live records of these kinds by key, but for those of whole documents."""
    return {pk: LiveText(row) for pk, row in tx.stretches.texts(pks, kinds).items()}
