"""Whether a hit still holds, as a few words beside it: on the page and in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.model.anchor import code_of_row
from recollect.model.ending import in_words


def standing(row: Mapping[str, Any]) -> str:
    """Since when it does not, what is said now, what may have changed it; nothing for what holds, or is no hit."""
    ends = row.get("ended_at") or row.get("valid_until")
    return in_words(
        until=str(ends)[:10] if ends else None,
        replaced_by=row.get("replaced_by") or (),
        partly=bool(row.get("partly_ended")),
        may_have_changed=[doubt["id"] for doubt in row.get("may_have_changed") or ()],
        code=code_of_row(row),
    )
