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
from recollect.index.keys import each_once
from recollect.language.terms import telling, terms_of

NAME_WORDS_MAX = 6  # longer titles are not looked for inside other rows
PASSAGES_MAX = 255  # a longer text has all the rest in its last passage
_NOBODY = 0  # the code of no speaker, and the key of no neighbour
_GROWTH = 1.5
_ROWS_MIN, _TOKENS_MIN = 1_024, 16_384
_NO_CODES: frozenset[int] = frozenset()

Array = NDArray[Any]


class ForwardRow(NamedTuple):
    """One live row: telling terms by passage, who said it, the session it is a turn of (None: not a turn), and whether
    it asks something. What was `drawn` from a turn says its words again, and does not count."""

    pk: int
    passages: Sequence[Sequence[str]]
    speaker: str | None
    session_pk: int | None
    asks: bool = False
    drawn: bool = False


def asks(text: str) -> bool:
    """Whether a text asks something."""
    return "?" in text or "？" in text


class RowWords(NamedTuple):
    """Terms of several rows, one after the other: which row (its place in the question), which term, which passage.

    `first` is where the terms of each row begin.
    """

    row: Array
    term: Array
    passage: Array
    first: Array


class _ForwardState(NamedTuple):
    """One moment's arrays. `start` to `held` are indexed by row key."""

    tokens: Array
    passages: Array
    start: Array
    length: Array
    before: Array
    after: Array
    speaker: Array
    held: Array
    asks: Array
    counted: Array  # rows whose words count
    holders: Array  # rows that hold each term, in their text or in the name of who said them
    rows: int  # that count
    used: int  # tokens in use, garbage included
    spoken: int  # tokens of live rows that count


class Forward:
    """Rows by key. `apply` belongs to one thread, the rest to all."""

    def __init__(self) -> None:
        self._terms: dict[str, int] = {}
        self._speakers: dict[str | None, int] = {None: _NOBODY}
        self._names: list[str] = [""]  # by code
        self._by_name: dict[tuple[int, ...], set[int]] = {}  # codes of speakers by the telling words of their names
        self._name_terms: list[tuple[int, ...]] = [()]  # each word of a name once, by code
        self._bearers: dict[int, list[int]] = {}  # codes of the speakers that have a word in their name
        self._spoken: dict[int, list[int]] = {}  # rows of each speaker, newest last; may hold rows that are gone
        self._last: dict[int, int] = {}  # newest turn of each session
        self._session: dict[int, int] = {}  # session of each turn; only the feeding thread looks
        self._state = _ForwardState(
            np.zeros(_TOKENS_MIN, np.int32),
            np.zeros(_TOKENS_MIN, np.uint8),
            np.zeros(_ROWS_MIN, np.int64),
            np.zeros(_ROWS_MIN, np.int32),
            np.zeros(_ROWS_MIN, np.int64),
            np.zeros(_ROWS_MIN, np.int64),
            np.zeros(_ROWS_MIN, np.int32),
            np.zeros(_ROWS_MIN, np.bool_),
            np.zeros(_ROWS_MIN, np.bool_),
            np.zeros(_ROWS_MIN, np.bool_),
            np.zeros(_ROWS_MIN, np.int32),
            rows=0,
            used=0,
            spoken=0,
        )

    # --- feeding ------------------------------------------------------------------------------------------------

    def apply(self, puts: Sequence[ForwardRow], deletes: Collection[int]) -> None:
        """Insert or replace rows, drop others. Idempotent; a pk in both is put."""
        coming = {row.pk: row for row in puts}
        leaving = [pk for pk in dict.fromkeys(deletes) if pk not in coming]
        terms, numbers, lengths = self._encoded(coming.values())
        codes = [self._speaker(row.speaker) for row in coming.values()]
        state = self._roomy(max([0, *coming, *leaving]), len(terms))
        pks = np.array([*coming, *leaving], dtype=np.int64)
        gone, gone_tokens = self._forget(state, pks)
        for pk in leaving:
            self._unlink(state, pk)
        state.tokens[state.used : state.used + len(terms)] = terms
        state.passages[state.used : state.used + len(terms)] = numbers
        self._place(state, list(coming.values()), codes, lengths)
        counted = np.array([not row.drawn for row in coming.values()], dtype=np.bool_)
        row = np.repeat(np.arange(len(lengths)), lengths)
        said = counted[row]
        self._count(state, row[said], terms[said], np.where(counted, codes, _NOBODY).tolist(), 1)
        self._state = state._replace(
            rows=state.rows - gone + int(counted.sum()),
            used=state.used + len(terms),
            spoken=state.spoken - gone_tokens + int(said.sum()),
        )

    def _encoded(self, rows: Collection[ForwardRow]) -> tuple[Array, Array, Array]:
        """Term codes and passage numbers of all rows one after the other, and how many each row has."""
        known = self._terms
        terms = [known.setdefault(term, len(known)) for row in rows for passage in row.passages for term in passage]
        numbers = [
            number
            for row in rows
            for n, passage in enumerate(row.passages)
            for number in (min(n, PASSAGES_MAX),) * len(passage)
        ]
        lengths = [sum(map(len, row.passages)) for row in rows]
        return np.array(terms, np.int32), np.array(numbers, np.uint8), np.array(lengths, np.int32)

    def _place(self, state: _ForwardState, rows: Sequence[ForwardRow], codes: Sequence[int], lengths: Array) -> None:
        """Say where each row's terms are, who said it, and what it stands between."""
        pks = np.array([row.pk for row in rows], dtype=np.int64)
        state.start[pks] = state.used + np.cumsum(lengths) - lengths
        state.length[pks] = lengths
        state.held[pks] = True
        state.asks[pks] = [row.asks for row in rows]
        state.counted[pks] = [not row.drawn for row in rows]
        listed = state.speaker[
            pks
        ].tolist()  # a row that was there before, even if it is gone, is in its speaker's list
        state.speaker[pks] = codes
        for row, code, earlier in zip(rows, codes, listed, strict=True):
            if code not in (_NOBODY, earlier):
                self._spoken.setdefault(code, []).append(row.pk)
            if row.session_pk != self._session.get(row.pk):
                self._unlink(state, row.pk)
                if row.session_pk is not None:
                    self._link(state, row.pk, row.session_pk)

    def _forget(self, state: _ForwardState, pks: Pks) -> tuple[int, int]:
        """Take rows out of the counts; how many there were that counted, and how many terms those had."""
        held = pks[state.held[pks]]
        counted = held[state.counted[held]]
        words = _words(state, counted)
        self._count(state, words.row, words.term, state.speaker[counted].tolist(), -1)
        state.length[held] = 0
        state.held[held] = False
        return len(counted), len(words.row)

    def _count(self, state: _ForwardState, rows: Array, terms: Array, speakers: Sequence[int], step: int) -> None:
        """Each row counts once for each term of its text and of its speaker's name.

        People seldom say their own names: by its text alone, the name over half of all rows would be the rarest word.
        """
        names = [(row, term) for row, code in enumerate(speakers) for term in self._name_terms[code]]
        named = np.array(names, dtype=np.int64).reshape(-1, 2)
        size = len(state.holders)
        said = rows.astype(np.int64) * size + terms
        once = each_once(np.concatenate([said, named[:, 0] * size + named[:, 1]])) % size
        np.add.at(state.holders, once, step)

    def _speaker(self, name: str | None) -> int:
        if name is not None and name not in self._speakers:
            self._names.append(name)
            self._speakers[name] = code = len(self._names) - 1
            every = terms_of(name)
            own = tuple(dict.fromkeys(self._terms.setdefault(term, len(self._terms)) for term in every))
            self._name_terms.append(own)
            for term in own:
                self._bearers.setdefault(term, []).append(code)
            words = tuple(self._terms[term] for term in telling(every))
            if 0 < len(words) <= NAME_WORDS_MAX:
                self._by_name.setdefault(words, set()).add(code)
        return self._speakers[name]

    def _link(self, state: _ForwardState, pk: int, session_pk: int) -> None:
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

    def _unlink(self, state: _ForwardState, pk: int) -> None:
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

    def _roomy(self, pk_max: int, tokens: int) -> _ForwardState:
        """Arrays large enough for what comes; the old ones stay as they are for who reads them."""
        state = self._state
        if pk_max >= len(state.start):
            size = int(max(pk_max + 1, len(state.start) * _GROWTH))
            state = state._replace(
                start=_grown(state.start, size),
                length=_grown(state.length, size),
                before=_grown(state.before, size),
                after=_grown(state.after, size),
                speaker=_grown(state.speaker, size),
                held=_grown(state.held, size),
                asks=_grown(state.asks, size),
                counted=_grown(state.counted, size),
            )
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
        return {self._names[code]: code for code in each_once(codes).tolist() if code != _NOBODY}

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
        return {code for words, codes in self._by_name.copy().items() if known.issuperset(words) for code in codes}

    def rows_of(self, codes: Collection[int], limit: int) -> Pks:
        """The newest rows of these speakers, at most `limit` each."""
        state = self._state
        rows = []
        for code in codes:
            own = np.array(self._spoken.get(code, [])[-limit:], dtype=np.int64)
            rows.append(own[_cells(state.held, own) & (_cells(state.speaker, own) == code)])
        return each_once(np.concatenate([*rows, np.empty(0, np.int64)]))

    def words(self, pks: Pks) -> RowWords:
        """The terms of these rows."""
        return _words(self._state, pks)

    def lengths(self, pks: Pks) -> Array:
        """How many telling terms each row has."""
        return _cells(self._state.length, pks)

    def length_mean(self) -> float:
        state = self._state
        return max(1.0, state.spoken / max(1, state.rows))

    def before(self, pks: Pks) -> Pks:
        """The turn before each row, 0 where there is none."""
        return _cells(self._state.before, pks)

    def after(self, pks: Pks) -> Pks:
        """The turn after each row, 0 where there is none."""
        return _cells(self._state.after, pks)

    def spoken_by(self, pks: Pks) -> Array:
        """The code of who said each row."""
        return _cells(self._state.speaker, pks)

    def asks(self, pks: Pks) -> Array:
        """Which rows ask something."""
        return _cells(self._state.asks, pks).astype(np.bool_)

    def named_by(self, speakers: Array, term_ids: Array) -> Array | None:
        """Which of the terms stand in the names of these speakers: one truth per speaker and term; None: none does."""
        out: Array | None = None
        for column, term in enumerate(term_ids.tolist()):
            bearers = np.array(self._bearers.get(term, ()), dtype=np.int64)
            if len(bearers):
                bears = np.zeros(int(max(speakers.max(initial=0), bearers.max())) + 1, dtype=np.bool_)
                bears[bearers] = True
                out = np.zeros((len(speakers), len(term_ids)), dtype=np.bool_) if out is None else out
                out[:, column] = bears[speakers]
        return out

    def holders(self, term_ids: Array) -> Array:
        """In how many rows each term stands, in the text or over it as a name; 0 for one that was never met."""
        counts = self._state.holders
        known = (term_ids >= 0) & (term_ids < len(counts))
        return np.where(known, counts[np.where(known, term_ids, 0)], 0)


def _words(state: _ForwardState, pks: Pks) -> RowWords:
    start, length = _cells(state.start, pks), _cells(state.length, pks)
    length = np.where(start + length <= len(state.tokens), length, 0)  # a row newer than this snapshot is empty
    ends = np.cumsum(length)
    first = ends - length
    row = np.repeat(np.arange(len(pks)), length)
    at = np.arange(len(row))
    at += (start - first)[row]
    return RowWords(row, state.tokens[at], state.passages[at], first)


def _cells(column: Array, pks: Pks) -> Array:
    """What a column holds for these rows; nothing yet for one newer than its snapshot."""
    try:
        return column[pks]  # numpy looks at the bounds anyway
    except IndexError:
        return np.where(pks < len(column), column[np.minimum(pks, len(column) - 1)], 0)


def _grown(array: Array, size: int) -> Array:
    out = np.zeros(size, dtype=array.dtype)
    out[: len(array)] = array
    return out
