"""What took a statement's place: named to a caller who speaks of the old one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.clock import from_us
from recollect.errors import StatementEnded
from recollect.model.query import Criteria
from recollect.store.base import Tx

_NAMED_MAX = 3  # successors that a message names


def refuse_if_ended(tx: Tx, pk: int, row: Mapping[str, Any], *, at: int, visible: Criteria | None) -> None:
    """A statement that has ended, or whose place another one took, can be neither confirmed nor corrected.

    Whoever does so has an old answer before them: a second successor would stand beside the first, and what nobody is
    told any more would be certain. The error names what is said instead, as far as the caller may see it.
    """
    until = row["valid_until"]
    over = until is not None and (until <= at or until == row["valid_from"])
    now_said = tx.endings.successors(pk, visible, now=at)
    ended = f" ended on {from_us(until).date()}" if over else ""
    if now_said:
        named = ", ".join(now_said[:_NAMED_MAX]) + (", …" if len(now_said) > _NAMED_MAX else "")
        raise StatementEnded(
            f"this statement{ended}{' and' if over else ''} was replaced by {named}; use that one",
            replaced_by=tuple(now_said),
        )
    if over:
        raise StatementEnded(
            f"this statement{ended}; update it with clear=['valid_until'] if it holds again, "
            "or with another content to change what is told of the past"
        )
