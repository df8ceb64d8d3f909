"""Statements that come after their turn: a model's, in place of what was drawn from it before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.config import LiveConfig
from recollect.ingest.embedding import Embedding
from recollect.ingest.material import prepare_stated
from recollect.ingest.writer import MaterialWriter
from recollect.model.columns import RecordRow
from recollect.store.base import Tx
from recollect.store.journal import Op

if TYPE_CHECKING:
    from recollect.perceive.statements.propositions import Proposition


class Restating:
    """Stores what a turn states, inside the transaction of whoever found it."""

    def __init__(self, embedding: Embedding, config: LiveConfig) -> None:
        self._embedding = embedding
        self._config = config

    def __call__(self, tx: Tx, op: Op, turn_pk: int, stated: Sequence[Proposition]) -> None:
        row = RecordRow(**(tx.records.columns_of(turn_pk) or {}))
        tx.records.retire(op, tx.statements.lose_turns(op, [turn_pk]))
        material = prepare_stated(row, stated, self._embedding, self._config.current)
        MaterialWriter(tx, op, material).note_read([turn_pk])
