"""What each row says, in order: its telling terms, the passages they stand in, its neighbours in the conversation.

The text index finds rows by their words; this one answers what is in a row once it is a candidate, so that ranking can
look at passages, neighbouring turns and word distances without reading the database. Everything is in arrays indexed by
the row's key; readers work on a snapshot and never wait.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Pks
from recollect.model.terms import telling, terms_of

NAME_WORDS_MAX = 6  # longer titles are not looked for inside other rows
PASSAGES_MAX = 255  # a longer text has all the rest in its last passage
_NOBODY = 0  # the code of no speaker, and the key of no neighbour
_GROWTH = 1.5
_ROWS_MIN, _TOKENS_MIN = 1_024, 16_384
_NO_CODES: frozenset[int] = frozenset()

Array = NDArray[Any]


class ForwardRow(NamedTuple):
    """One live row: telling terms by passage, who said it, and the session it is a turn of (None: not a turn)."""

    pk: int
    passages: Sequence[Sequence[str]]
    speaker: str | None
    session_pk: int | None


class Words(NamedTuple):
    """Terms of several rows, one after the other: which row (its place in the question), which term, which passage."""

    row: Array
    term: Array
    passage: Array


class _State(NamedTuple):
    """One moment's arrays. `start`, `length`, `before`, `after` and `speaker` are indexed by row key."""

    tokens: Array
    passages: Array
    start: Array
    length: Array
    before: Array
    after: Array
    speaker: Array
    holders: Array  # rows that hold each term
    rows: int
    used: int  # tokens in use, garbage included
    spoken: int  # tokens of live rows


class Forward:
    """Rows by key. `apply` belongs to one thread, the rest to all."""

    def __init__(self) -> None:
        self._terms: dict[str, int] = {}
        self._speakers: dict[str | None, int] = {None: _NOBODY}
        self._names: list[str] = [""]  # by code
        self._by_name: dict[tuple[int, ...], set[int]] = {}  # codes of speakers by the telling words of their names
        self._spoken: dict[int, list[int]] = {}  # rows of each speaker, newest last; may hold rows that are gone
        self._last: dict[int, int] = {}  # newest turn of each session
        self._session: dict[int, int] = {}  # session of each turn; only the feeding thread looks
        self._state = _State(
            np.empty(_TOKENS_MIN, np.int32), np.empty(_TOKENS_MIN, np.uint8), np.zeros(_ROWS_MIN, np.int64),
            np.zeros(_ROWS_MIN, np.int32), np.zeros(_ROWS_MIN, np.int64), np.zeros(_ROWS_MIN, np.int64),
            np.zeros(_ROWS_MIN, np.int32), np.zeros(_ROWS_MIN, np.int32), rows=0, used=0, spoken=0,
        )  # fmt: skip

    # --- feeding ------------------------------------------------------------------------------------------------

    def apply(self, puts: Sequence[ForwardRow], deletes: Collection[int]) -> None:
        """Insert or replace rows, drop others. Idempotent; a pk in both is put."""
        coming = {row.pk: row for row in puts}
        state = self._roomy(max([0, *coming, *deletes]), sum(len(p) for row in puts for p in row.passages))
        rows, spoken = state.rows, state.spoken
        for pk in {*coming, *deletes}:
            spoken -= int(state.length[pk])
            rows -= self._forget(state, pk)
        for pk in deletes:
            if pk not in coming:
                self._unlink(state, pk)
        used = state.used
        for row in coming.values():
            used = self._put(state, row, used)
        spoken += used - state.used
        self._state = state._replace(rows=rows + len(coming), used=used, spoken=spoken)

    def _put(self, state: _State, row: ForwardRow, used: int) -> int:
        terms = [self._terms.setdefault(term, len(self._terms)) for passage in row.passages for term in passage]
        numbers = [min(n, PASSAGES_MAX) for n, passage in enumerate(row.passages) for _ in passage]
        end = used + len(terms)
        state.tokens[used:end] = terms
        state.passages[used:end] = numbers
        state.start[row.pk], state.length[row.pk] = used, len(terms)
        code = self._speaker(row.speaker)
        state.speaker[row.pk] = code
        if code != _NOBODY:
            self._spoken.setdefault(code, []).append(row.pk)
        np.add.at(state.holders, np.unique(np.array(terms, dtype=np.int64)), 1)
        if row.session_pk is not None and row.pk not in self._session:
            self._link(state, row.pk, row.session_pk)
        return end

    def _speaker(self, name: str | None) -> int:
        if name is not None and name not in self._speakers:
            self._names.append(name)
            self._speakers[name] = code = len(self._names) - 1
            words = tuple(self._terms.setdefault(term, len(self._terms)) for term in telling(terms_of(name)))
            if 0 < len(words) <= NAME_WORDS_MAX:
                self._by_name.setdefault(words, set()).add(code)
        return self._speakers[name]

    def _forget(self, state: _State, pk: int) -> int:
        """Take a row's terms out of the counts; 1 if it was there. An empty text is marked by a start alone."""
        if not state.start[pk] and not state.length[pk]:
            return 0
        start, length = int(state.start[pk]), int(state.length[pk])
        np.subtract.at(state.holders, np.unique(state.tokens[start : start + length]), 1)
        state.start[pk] = state.length[pk] = 0
        return 1

    def _link(self, state: _State, pk: int, session_pk: int) -> None:
        """Put a turn where it belongs in its session: nearly always at the end."""
        after, before = 0, self._last.get(session_pk, 0)
        while before > pk:
            after, before = before, int(state.before[before])
        state.before[pk], state.after[pk] = before, after
        if before:
            state.after[before] = pk
        if after:
            state.before[after] = pk
        else:
            self._last[session_pk] = pk
        self._session[pk] = session_pk

    def _unlink(self, state: _State, pk: int) -> None:
        session_pk = self._session.pop(pk, None)
        if session_pk is None:
            return
        before, after = int(state.before[pk]), int(state.after[pk])
        if before:
            state.after[before] = after
        if after:
            state.before[after] = before
        else:
            self._last[session_pk] = before
        state.before[pk] = state.after[pk] = 0

    def _roomy(self, pk_max: int, tokens: int) -> _State:
        """Arrays large enough for what comes; the old ones stay as they are for who reads them."""
        state = self._state
        if pk_max >= len(state.start):
            size = int(max(pk_max + 1, len(state.start) * _GROWTH))
            state = state._replace(
                start=_grown(state.start, size), length=_grown(state.length, size), before=_grown(state.before, size),
                after=_grown(state.after, size), speaker=_grown(state.speaker, size),
            )  # fmt: skip
        if state.used + tokens > len(state.tokens):
            size = int(max(state.used + tokens, len(state.tokens) * _GROWTH))
            state = state._replace(tokens=_grown(state.tokens, size), passages=_grown(state.passages, size))
        if len(self._terms) + tokens > len(state.holders):
            size = int(max(len(self._terms) + tokens, len(state.holders) * _GROWTH))
            state = state._replace(holders=_grown(state.holders, size))
        return state

    # --- asking -------------------------------------------------------------------------------------------------

    def count(self) -> int:
        return self._state.rows

    def term_ids(self, terms: Sequence[str]) -> Array:
        """Codes of terms; -1 for one that was never met."""
        return np.array([self._terms.get(term, -1) for term in terms], dtype=np.int64)

    def speakers_of(self, codes: Array) -> dict[str, int]:
        """The names behind these codes."""
        return {self._names[code]: code for code in np.unique(codes).tolist() if code != _NOBODY}

    def named_in(self, pk: int) -> set[int]:
        """Codes of speakers, or titles, whose whole name stands in a row."""
        terms = self.words(np.array([pk])).term.tolist()
        found: set[int] = set()
        for start in range(len(terms)):
            for end in range(start + 1, min(start + NAME_WORDS_MAX, len(terms)) + 1):
                found |= self._by_name.get(tuple(terms[start:end]), _NO_CODES)
        return found

    def names_in(self, terms: Sequence[str]) -> set[int]:
        """Codes of speakers whose whole name is among these terms."""
        known = set(self.term_ids(terms).tolist())
        return {code for words, codes in self._by_name.items() if known.issuperset(words) for code in codes}

    def rows_of(self, codes: Collection[int], limit: int) -> Pks:
        """The newest rows of these speakers, at most `limit` each."""
        state = self._state
        rows = [pk for code in codes for pk in self._spoken.get(code, [])[-limit:] if state.length[pk]]
        return np.unique(np.array(rows, dtype=np.int64))

    def speaker_count(self) -> int:
        return len(self._names) - 1

    def words(self, pks: Pks) -> Words:
        """The terms of these rows."""
        state = self._state
        start, length = state.start[pks], state.length[pks]
        length = np.where(start + length <= len(state.tokens), length, 0)  # a row newer than this snapshot is empty
        row = np.repeat(np.arange(len(pks)), length)
        at = np.repeat(start - np.concatenate(([0], np.cumsum(length)[:-1])), length) + np.arange(int(length.sum()))
        return Words(row, state.tokens[at], state.passages[at])

    def lengths(self, pks: Pks) -> Array:
        """How many telling terms each row has."""
        return self._state.length[pks]

    def length_mean(self) -> float:
        state = self._state
        return max(1.0, state.spoken / max(1, state.rows))

    def before(self, pks: Pks) -> Pks:
        """The turn before each row, 0 where there is none."""
        return self._state.before[pks]

    def after(self, pks: Pks) -> Pks:
        """The turn after each row, 0 where there is none."""
        return self._state.after[pks]

    def spoken_by(self, pks: Pks) -> Array:
        """The code of who said each row."""
        return self._state.speaker[pks]

    def holders(self, term_ids: Array) -> Array:
        """In how many rows each term stands; 0 for one that was never met."""
        counts = self._state.holders
        known = (term_ids >= 0) & (term_ids < len(counts))
        return np.where(known, counts[np.where(known, term_ids, 0)], 0)


def _grown(array: Array, size: int) -> Array:
    out = np.zeros(size, dtype=array.dtype)
    out[: len(array)] = array
    return out
