"""What was said before: found, so that a repeat speaks for the record that is there instead of becoming another one.

Turns are kept word for word, every one: two people who say "ok" are two turns. Only a turn that is delivered again,
with its own timestamp into its own session, is the same turn. Statements are kept once in a scope, however often and
in whatever wording they come (`perceive.sameness`). They are found by two numbers, both in indexes: the hash of the
text, and that of its sense within its scope. Neither needs a comparison with other texts, so it costs the same in a
store of a million records as in an empty one; and the second one cannot meet that of another scope.

What else must agree, so that nothing is lost by the repeat: the kind and the tier, until when it holds, the day that a
text names or on which something happened, who says "I", and what a caller attached to it. A category is no other
statement: one that is given anew is the record's from then on (`ingest.addition`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from recollect.clock import DAY_US, SECOND_US, from_us
from recollect.ingest.recognition import Repeats
from recollect.language.en.times import times_in
from recollect.model.columns import RecordRow
from recollect.perceive.sameness.literal import alike_to_the_letter
from recollect.perceive.sameness.sense import Sense, sense_of, senses_agree
from recollect.store.base import Tx
from recollect.store.rows import from_json

STATEMENTS = frozenset(("semantic", "procedural", "opinion"))  # kinds that say what is so
HAPPENED = "experience"  # the category of what was so once: on another day it was another time
CANDIDATES_MAX = 64  # records that are looked at for each text, oldest first
_GIVEN = ("source", "role", "security")  # what tells records apart that were given as they are
_JUST_NOW_US = 60 * SECOND_US  # what begins within this time begins with being stored
_FAR_US = 400 * DAY_US  # a time that is the same seen from so far apart does not depend on when it was said

_DELIVERED = ("content", "session_pk", "event_time", "role", "speaker", "kind", "category", "metadata", "attributes")


class _Said(NamedTuple):
    row: RecordRow
    sense: Sense
    number: int


def repeats(tx: Tx, rows: Sequence[RecordRow], *, at: int, overlap: float, drawn: bool) -> Repeats:
    """Which statements among the rows, scopes and times filled in, repeat a record or one another.

    `drawn` ones come from turns. They may repeat what was given as a statement, but not the other way round: what
    somebody gave is found by itself, and what is drawn only through its turn.
    """
    said = {
        position: _Said(row, sense, sense.number(row.scope_pk))
        for position, row in enumerate(rows)
        if _is_statement(row) and (sense := sense_of(row.content))
    }
    known = _known(tx, said) if said else {}
    found = Repeats({}, {}, {position: new.number for position, new in said.items()})
    first: dict[int, list[int]] = {}
    for position, new in said.items():
        stored = (
            pk
            for pk, old in known.get(new.number, {}).items()
            if (drawn or old.turn_pk is None)
            and _repeats(new, old, at=at, overlap=overlap, drawn=drawn, alike_dated=drawn is (old.turn_pk is not None))
        )
        earlier = first.setdefault(new.number, [])
        within = (
            other
            for other in earlier
            if _repeats(new, said[other].row, at=at, overlap=overlap, drawn=drawn, alike_dated=True)
        )
        if (pk := next(stored, None)) is not None:
            found.stored[position] = pk
        elif (other := next(within, None)) is not None:
            found.within[position] = other
        else:
            earlier.append(position)
    return found


def repeated_texts(tx: Tx, rows: Sequence[RecordRow], *, at: int, overlap: float) -> Repeats:
    """The same for very many at once, by their texts alone; what they are found by is kept when they are read."""
    given = [(position, row) for position, row in enumerate(rows) if _is_statement(row)]
    known = _of_hashes(tx, [row for _, row in given])
    found = Repeats({}, {}, {})
    first: dict[tuple[str, int], int] = {}
    for position, row in given:
        key = _text_key(row)
        olds = [(pk, old) for pk, old in known.get(key, {}).items() if old.turn_pk is None]
        earlier = first.setdefault(key, position)
        if not olds and earlier == position:
            continue
        new = _Said(row, sense_of(row.content), 0)
        same = partial(_repeats, new, at=at, overlap=overlap, drawn=False, alike_dated=True)
        if (pk := next((pk for pk, old in olds if same(old)), None)) is not None:
            found.stored[position] = pk
        elif earlier != position and earlier not in found.stored and same(rows[earlier]):
            found.within[position] = earlier
    return found


def told_before(tx: Tx, rows: Sequence[RecordRow], *, at: int, overlap: float) -> Repeats:
    """Which of the rows, scopes and times filled in, some record says already, whatever the kind of either.

    For notes on what was said elsewhere: what somebody gave or a turn states is there, and needs no note.
    """
    said = {
        position: _Said(row, sense, sense.number(row.scope_pk))
        for position, row in enumerate(rows)
        if (sense := sense_of(row.content))
    }
    known = _known(tx, said) if said else {}
    found = Repeats({}, {}, {position: new.number for position, new in said.items()})
    first: dict[int, int] = {}
    for position, new in said.items():
        old = next((pk for pk, row in known.get(new.number, {}).items() if _told(new, row, at, overlap)), None)
        if old is not None:
            found.stored[position] = old
        elif new.number in first and _told(new, rows[first[new.number]], at, overlap):
            found.within[position] = first[new.number]
        else:
            first.setdefault(new.number, position)
    return found


def _told(new: _Said, old: RecordRow, at: int, overlap: float) -> bool:
    return (
        senses_agree(new.sense, sense_of(old.content), overlap=overlap)
        and _sealed_alike(new.row, old)
        and alike_to_the_letter(new.row.content, old.content)
        and _hold_now(new.row, old, at)
        and _same_times(new.row, old, alike_dated=False)
    )


def note(tx: Tx, found: Repeats, stored: Mapping[int, int]) -> None:
    """Keep what the rows are found by that were stored now: by their position, the keys they have got."""
    _keep(tx, [(found.senses[position], pk) for position, pk in stored.items() if position in found.senses])


def note_text(tx: Tx, pk: int, row: RecordRow) -> None:
    """The same for a record that has got another text. What it said before finds it no more: texts are compared."""
    if _is_statement(row):
        _keep(tx, [(sense_of(row.content).number(row.scope_pk), pk)])


def _keep(tx: Tx, senses: Sequence[tuple[int, int]]) -> None:
    tx.sayings.note_senses(senses)


def delivered_again(tx: Tx, turns: Sequence[RecordRow]) -> dict[int, int]:
    """Positions of turns that their session holds already, with the keys they have there.

    It takes a timestamp of their own: without one, nothing tells a retry from somebody who says the same again. As many
    are taken for the same as the session holds, so two that were alike when they came are two when they come again.
    """
    dated = {at: turn for at, turn in enumerate(turns) if turn.session_pk is not None and turn.event_time is not None}
    held: dict[tuple[str, int | None], list[tuple[int, RecordRow]]] = {}
    for session_pk in {turn.session_pk for turn in dated.values()}:
        hashes = {turn.content_hash for turn in dated.values() if turn.session_pk == session_pk}
        for pk, row in tx.sayings.in_session(hashes, session_pk):
            held.setdefault((row.content_hash, session_pk), []).append((pk, row))
    found: dict[int, int] = {}
    taken: set[int] = set()
    for position, turn in dated.items():
        for pk, old in held.get((turn.content_hash, turn.session_pk), ()):
            if pk not in taken and all(getattr(old, name) == getattr(turn, name) for name in _DELIVERED):
                found[position] = pk
                taken.add(pk)
                break
    return found


def _is_statement(row: RecordRow) -> bool:
    return row.role is None and row.place is None and row.kind in STATEMENTS


def _known(tx: Tx, said: dict[int, _Said]) -> dict[int, dict[int, RecordRow]]:
    """Records that may say the same, by the number of the sense that found them; oldest first."""
    found: dict[int, dict[int, RecordRow]] = {}
    for number, pk, row in tx.sayings.by_sense({new.number for new in said.values()}):
        found.setdefault(number, {})[pk] = row
    # By their texts those that were stored before there were senses, or came by another way.
    unfound = [new for new in said.values() if new.number not in found]
    by_text = _of_hashes(tx, [new.row for new in unfound])
    return found | {new.number: by_text.get(_text_key(new.row), {}) for new in unfound}


def _of_hashes(tx: Tx, rows: Sequence[RecordRow]) -> dict[tuple[str, int], dict[int, RecordRow]]:
    """Records with the very text of a row and in its scope, by both; oldest first."""
    hashes, scopes = {row.content_hash for row in rows}, {row.scope_pk for row in rows}
    found: dict[tuple[str, int], dict[int, RecordRow]] = {}
    if not hashes:
        return found
    for pk, row in tx.sayings.by_hash(hashes, scopes, limit=CANDIDATES_MAX * len(hashes)):
        found.setdefault(_text_key(row), {})[pk] = row
    return found


def _text_key(row: RecordRow) -> tuple[str, int]:
    return row.content_hash, row.scope_pk


def _repeats(new: _Said, old: RecordRow, *, at: int, overlap: float, drawn: bool, alike_dated: bool) -> bool:
    """Whether a new row says what the other says, and nothing would be lost with it."""
    row = new.row
    return (
        all(getattr(row, name) == getattr(old, name) for name in ("scope_pk", "kind", "tier", "valid_until"))
        and senses_agree(new.sense, sense_of(old.content), overlap=overlap)
        and (row.speaker == old.speaker or not new.sense.personal)
        and _sealed_alike(row, old)
        and alike_to_the_letter(row.content, old.content)
        and (drawn or _attached_alike(row, old))
        and _hold_now(row, old, at)
        and _same_times(row, old, alike_dated=alike_dated)
    )


def _sealed_alike(new: RecordRow, old: RecordRow) -> bool:
    """Two addresses look alike where both are taken out; the hash of what is sealed tells them apart."""
    return (new.sealed is None and old.sealed is None) or new.content_hash == old.content_hash


def _attached_alike(new: RecordRow, old: RecordRow) -> bool:
    """Whether the old record has all that a caller attached to the new one: it would be lost otherwise."""
    if any(getattr(new, name) != getattr(old, name) for name in _GIVEN) or _day(new) != _day(old):
        return False
    if new.category != old.category and HAPPENED in (new.category, old.category):
        return False  # what was so once, and what is so
    begins = new.valid_from
    if begins is not None and begins < new.created_at - _JUST_NOW_US and begins != old.valid_from:
        return False  # said to hold since a time of its own
    if new.metadata != old.metadata:
        mine, theirs = from_json(new.metadata, {}), from_json(old.metadata, {})
        if any(name not in theirs or theirs[name] != value for name, value in mine.items()):
            return False
    return set(from_json(new.tags, ())) <= set(from_json(old.tags, ()))


def _day(row: RecordRow) -> int | None:
    """The day that a caller, or the text itself, gives a record; one given to neither is no other day."""
    return None if row.event_time is None else row.event_time // DAY_US


def _hold_now(new: RecordRow, old: RecordRow, at: int) -> bool:
    """What holds from a day to come is another statement than what holds already."""
    if old.valid_until is not None and old.valid_until <= at:
        return False
    starts = [row.valid_from for row in (new, old)]
    return starts[0] == starts[1] or all(start is None or start <= at for start in starts)


def _same_times(new: RecordRow, old: RecordRow, *, alike_dated: bool) -> bool:
    """Whether both speak of the same time: what happened, of the same day; "yesterday", of the same yesterday.

    What a row has for its time may be when it was said or the time that its text names. Rows that are not dated alike
    agree only on times that do not depend on it.
    """
    when, before = ((row.event_time or row.created_at, row.valid_from or row.created_at) for row in (new, old))
    if HAPPENED in (new.category, old.category) and when[0] // DAY_US != before[0] // DAY_US:
        return False
    if new.event_time is not None and old.event_time is not None and _is_passing(new) and _day(new) != _day(old):
        return False
    if not alike_dated:
        when, before = (new.created_at, new.created_at), (new.created_at - _FAR_US, new.created_at - _FAR_US)
    return all(
        _named(new.content, here) == _named(new.content, there) for here, there in zip(when, before, strict=True)
    )


def _is_passing(row: RecordRow) -> bool:
    """What is told as past, on another day happened again: "Ben called me"."""
    return bool(from_json(row.attributes, {}).get("tense") == "past")


def _named(text: str, seen_from: int) -> list[object]:
    """The times that a text names; what repeats has none of its own."""
    return [each.window for each in times_in(text, from_us(seen_from)) if each.kind != "repeating"]
