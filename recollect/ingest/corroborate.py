"""A repeat speaks for the record that is there: it is surer, counted, and rests on one turn more.

Each time a further session says it, a share of what is missing to certainty is made up for, as much as whoever repeats
it is believed: `c + (1 - c) · k · c_new`, with `trust.corroboration_bonus` for k. A session that has said it before
brings half of that, and so does, outside any session, whoever says it again within `ingest.duplicate_window_s`: they
are likelier to repeat themselves than to have it from elsewhere. It is never less sure than what it was told with:
whoever says it again and is certain has said so. What was flagged as wrong gets no surer by being repeated, and what a
person confirmed cannot get any surer.

No version is made of it, since the record says what it said; what was thought of it before stays known, and undo takes
it back with the rest of the operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from recollect.config.keeping import TrustSettings
from recollect.model.columns import RecordRow
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.rows import from_json, to_json

CORROBORATIONS = "corroborations"  # attribute of a record: how often it was said again
AGAIN_SHARE = 0.5
SESSIONS_MAX = 1_000  # that one record lists
_FULL_STRENGTH = 1.0  # what a new record has


class Corroboration(NamedTuple):
    """A row that says what a record says, and the turn it was drawn from, if it was.

    One that is `recalled` came out of this memory just before (`ingest.echo`), and is no reason to believe it more.
    """

    pk: int
    row: RecordRow
    turn_pk: int | None = None
    recalled: bool = False


def corroborate(tx: Tx, op: Op, sayings: Iterable[Corroboration], *, scale: TrustSettings, window_us: int) -> list[str]:
    """Let these speak for the records they repeat; the ids of the records, each once, in the order of the sayings."""
    by_record: dict[int, list[Corroboration]] = {}
    for saying in sayings:
        by_record.setdefault(saying.pk, []).append(saying)
    names: dict[int, str] = {}
    ids = []
    links: list[tuple[int, int]] = []
    for pk, several in by_record.items():
        old = tx.records.columns_of(pk)
        assert old is not None
        _name_sessions(tx, names, [old["session_pk"], *(saying.row.session_pk for saying in several)])
        lately = op.at - old["updated_at"] < window_us
        tx.records.adjust(op, pk, old, _spoken_for(old, several, names, scale, lately=lately) | {"updated_at": op.at})
        links += dict.fromkeys((pk, saying.turn_pk) for saying in several if saying.turn_pk is not None)
        ids.append(str(old["id"]))
    tx.edges.insert_links(op, "derived_from", links)  # no circle: the turns are new, nothing is derived into them
    return ids


def _spoken_for(
    old: Mapping[str, Any],
    sayings: list[Corroboration],
    names: Mapping[int, str],
    scale: TrustSettings,
    *,
    lately: bool,
) -> dict[str, Any]:
    """The columns of a record after these have spoken for it."""
    sessions = list(from_json(old["provenance_sessions"], ()))
    own = names.get(old["session_pk"])
    if own is not None and own not in sessions:
        sessions.insert(0, own)
    confidence = old["confidence"]
    for saying in sayings:
        session = names.get(saying.row.session_pk or 0)
        again = lately if session is None else session in sessions
        if saying.recalled:
            continue
        if session is not None and not again:
            sessions.append(session)
        if not old["flagged"]:
            gain = scale.corroboration_bonus * saying.row.confidence * (AGAIN_SHARE if again else 1.0)
            confidence = max(confidence + (1.0 - confidence) * gain, saying.row.confidence)
    attributes = from_json(old["attributes"], {})
    attributes[CORROBORATIONS] = attributes.get(CORROBORATIONS, 0) + sum(not saying.recalled for saying in sayings)
    kept = any(saying.row.decay_rate == 0.0 for saying in sayings)  # asked to be remembered: it does not fade
    return ({"decay_rate": 0.0} if kept else {}) | {
        "confidence": confidence,
        "attributes": to_json(attributes),
        "provenance_sessions": to_json(sessions[:SESSIONS_MAX]),
        "strength": max(_FULL_STRENGTH, old["strength"]),
        "importance": max(old["importance"], *(saying.row.importance for saying in sayings)),
    }


def _name_sessions(tx: Tx, names: dict[int, str], session_pks: Iterable[int | None]) -> None:
    """Look up the names that are not known yet."""
    wanted = {pk for pk in session_pks if pk is not None} - names.keys()
    if wanted:
        names.update(tx.sessions.names(wanted))
