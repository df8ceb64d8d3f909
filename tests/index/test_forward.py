"""What each row says, against the obvious: a dict of rows that counts everything anew for every question."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.index import forward as forward_module
from recollect.index.forward import NAME_WORDS_MAX, PASSAGES_MAX, Forward, ForwardRow
from recollect.language.terms import telling, terms_of

WORDS = ("tea", "rome", "helix", "vim", "ana", "ruiz", "bo", "grand", "hotel")
NAMES = ("Ana", "Ana Ruiz", "Bo", "ana", "The Grand Hotel", "the", "user")
PKS = range(1, 13)

passages = st.lists(st.lists(st.sampled_from(WORDS), max_size=4), min_size=1, max_size=3)
rows = st.builds(
    ForwardRow,
    pk=st.sampled_from(PKS),
    passages=passages,
    speaker=st.none() | st.sampled_from(NAMES),
    session_pk=st.none() | st.integers(1, 2),
)
batches = st.tuples(st.lists(rows, max_size=6), st.lists(st.sampled_from(PKS), max_size=4))


class Model:
    """Everything by looking at all rows."""

    def __init__(self) -> None:
        self.rows: dict[int, ForwardRow] = {}

    def apply(self, puts: Sequence[ForwardRow], deletes: Sequence[int]) -> None:
        for pk in deletes:
            self.rows.pop(pk, None)
        for row in puts:
            self.rows[row.pk] = row

    def terms(self, pk: int) -> list[tuple[str, int]]:
        if pk not in self.rows:
            return []
        return [(term, number) for number, passage in enumerate(self.rows[pk].passages) for term in passage]

    def held(self, pk: int) -> set[str]:
        """The terms of its text and of the name of who said it."""
        speaker = self.rows[pk].speaker
        return {term for term, _ in self.terms(pk)} | set(terms_of(speaker or ""))

    def neighbours(self, pk: int) -> tuple[int, int]:
        """The turns around a row in its session, in the order of their keys."""
        row = self.rows.get(pk)
        if row is None or row.session_pk is None:
            return 0, 0
        turns = sorted(other.pk for other in self.rows.values() if other.session_pk == row.session_pk)
        at = turns.index(pk)
        return turns[at - 1] if at else 0, turns[at + 1] if at + 1 < len(turns) else 0

    def named_in(self, pk: int, names: Sequence[str]) -> set[str]:
        said = [term for term, _ in self.terms(pk)]
        found = set()
        for name in names:
            words = telling(terms_of(name))
            runs = (said[i : i + len(words)] for i in range(len(said)))
            if 0 < len(words) <= NAME_WORDS_MAX and any(run == words for run in runs):
                found.add(name)
        return found


def said(forward: Forward, pk: int) -> list[tuple[str, int]]:
    words = forward.words(np.array([pk]))
    by_code = {code: term for term, code in forward._terms.items()}
    return [(by_code[code], number) for code, number in zip(words.term.tolist(), words.passage.tolist(), strict=True)]


def named(forward: Forward, pks: np.ndarray, ids: np.ndarray) -> np.ndarray:
    found = forward.named_by(forward.spoken_by(pks), ids)
    return np.zeros((len(pks), len(ids)), dtype=np.bool_) if found is None else found


def code_of(forward: Forward, name: str) -> int:
    return forward._speakers[name]


def agree(forward: Forward, model: Model, met: set[str]) -> None:
    live = model.rows
    pks = np.array(PKS)
    counted = [pk for pk in live if not live[pk].drawn]
    assert forward.count() == len(counted)
    assert {pk: said(forward, pk) for pk in PKS} == {pk: model.terms(pk) for pk in PKS}
    assert forward.lengths(pks).tolist() == [len(model.terms(pk)) for pk in PKS]
    spoken = sum(len(model.terms(pk)) for pk in counted)
    assert forward.length_mean() == max(1.0, spoken / max(1, len(counted)))
    holders = Counter(term for pk in counted for term in model.held(pk))
    assert forward.holders(forward.term_ids(WORDS)).tolist() == [holders[term] for term in WORDS]
    around = [model.neighbours(pk) for pk in PKS]
    assert forward.before(pks).tolist() == [before for before, _ in around]
    assert forward.after(pks).tolist() == [after for _, after in around]
    codes = forward.spoken_by(np.array(sorted(live), dtype=np.int64))
    speakers = {pk: live[pk].speaker for pk in sorted(live)}
    by_code = {code: name for name, code in forward.speakers_of(codes).items()}
    assert [by_code.get(code) for code in codes.tolist()] == list(speakers.values())
    assert set(by_code.values()) == {name for name in speakers.values() if name is not None}
    for name in met:
        own = [pk for pk, speaker in speakers.items() if speaker == name]
        assert forward.rows_of([code_of(forward, name)], 100).tolist() == own, name
    assert len(forward._names) - 1 == len(met)
    names = [set(terms_of(live[pk].speaker or "")) if pk in live else set() for pk in PKS]
    over = named(forward, pks, forward.term_ids(WORDS)) & np.isin(pks, list(live))[:, None]
    assert over.tolist() == [[term in name for term in WORDS] for name in names]
    assert forward.asks(np.array(sorted(live), dtype=np.int64)).tolist() == [live[pk].asks for pk in sorted(live)]
    for pk in PKS:
        expected = {code_of(forward, name) for name in model.named_in(pk, sorted(met))}
        assert forward.named_in(pk) == expected


@settings(max_examples=120)
@given(st.lists(batches, max_size=8))
def test_any_sequence_of_changes(steps: list[tuple[list[ForwardRow], list[int]]]) -> None:
    forward, model, met = Forward(), Model(), set[str]()
    for puts, deletes in steps:
        forward.apply(puts, deletes)
        model.apply(puts, deletes)
        met |= {row.speaker for row in {row.pk: row for row in puts}.values() if row.speaker is not None}
        agree(forward, model, met)


@given(st.lists(batches, min_size=1, max_size=4))
def test_applying_twice_changes_nothing(steps: list[tuple[list[ForwardRow], list[int]]]) -> None:
    forward, model, met = Forward(), Model(), set[str]()
    for puts, deletes in steps:
        for _ in range(2):
            forward.apply(puts, deletes)
            model.apply(puts, deletes)
        met |= {row.speaker for row in {row.pk: row for row in puts}.values() if row.speaker is not None}
    agree(forward, model, met)


@pytest.mark.parametrize("order", [(1, 2, 3, 4), (4, 3, 2, 1), (2, 4, 1, 3)])
def test_turns_that_come_back_stand_where_they_stood(order: tuple[int, ...]) -> None:
    turns = {pk: ForwardRow(pk, [["tea"]], "Ana", 1) for pk in range(1, 6)}
    forward = Forward()
    forward.apply(list(turns.values()), [])
    forward.apply([], [1, 2, 3, 4])
    assert forward.before(np.array([5])).tolist() == [0]
    for pk in order:
        forward.apply([turns[pk]], [])
    assert forward.before(np.arange(1, 6)).tolist() == [0, 1, 2, 3, 4]
    assert forward.after(np.arange(1, 6)).tolist() == [2, 3, 4, 5, 0]


def test_arrays_grow_with_rows_terms_and_names() -> None:
    """Every array is outgrown at once, by new words in texts and in names."""
    forward = Forward()
    count = 2_500
    for first in range(1, count, 500):
        forward.apply(
            [
                ForwardRow(pk, [[f"w{pk}", "tea"] * 5], f"given{pk} family{pk}", pk % 7)
                for pk in range(first, first + 500)
            ],
            [],
        )
    assert forward.count() == count
    assert forward.holders(forward.term_ids(["tea", "w1", "w2500", "nothing"])).tolist() == [count, 1, 1, 0]
    assert forward.before(np.array([count])).tolist() == [count - 7]
    assert said(forward, 1_777)[:2] == [("w1777", 0), ("tea", 0)]


def test_words_of_names_take_room_too() -> None:
    """The words of a batch just fit; those of its speakers' names come on top."""
    forward = Forward()
    room = len(forward._state.holders)
    words = [f"w{number}" for number in range(room)]
    forward.apply(
        [ForwardRow(1, [words[:1]], "Given Family", None), ForwardRow(2, [words[1:]], "Other Name", None)], []
    )
    assert forward.holders(forward.term_ids([words[0], words[-1], "famili"])).tolist() == [1, 1, 1]
    forward.apply([ForwardRow(3, [["famili"]], None, None)], [])
    assert forward.holders(forward.term_ids(["famili"])).tolist() == [2]


def test_a_row_without_telling_words_is_a_row() -> None:
    forward = Forward()
    for _ in range(2):
        forward.apply([ForwardRow(1, [[]], "Ana", 1), ForwardRow(2, [["tea"]], "Ana", 1)], [])
    assert (forward.count(), forward.length_mean()) == (2, 1.0)
    assert forward.after(np.array([1])).tolist() == [2]
    assert forward.rows_of([code_of(forward, "Ana")], 5).tolist() == [1, 2]
    forward.apply([], [1])
    assert forward.count() == 1


def test_the_newest_rows_of_a_speaker_come_first() -> None:
    forward = Forward()
    forward.apply([ForwardRow(pk, [["tea"]], "Ana" if pk % 2 else "Bo", None) for pk in range(1, 21)], [])
    ana, bo = code_of(forward, "Ana"), code_of(forward, "Bo")
    assert forward.rows_of([ana], 3).tolist() == [15, 17, 19]
    assert forward.rows_of([ana, bo], 2).tolist() == [17, 18, 19, 20]
    assert forward.rows_of([], 2).tolist() == []


def test_changing_a_row_often_does_not_push_out_the_others() -> None:
    forward = Forward()
    forward.apply([ForwardRow(pk, [["tea"]], "Ana", None) for pk in range(1, 6)], [])
    for _ in range(10):
        forward.apply([ForwardRow(5, [["tea"]], "Ana", None)], [])
    assert forward.rows_of([code_of(forward, "Ana")], 5).tolist() == [1, 2, 3, 4, 5]


def test_all_beyond_the_last_passage_is_in_it() -> None:
    forward = Forward()
    forward.apply([ForwardRow(1, [["tea"]] * (PASSAGES_MAX + 10), None, None)], [])
    assert forward.words(np.array([1])).passage.tolist() == [*range(PASSAGES_MAX), *[PASSAGES_MAX] * 10]


def test_names_among_terms() -> None:
    forward = Forward()
    forward.apply([ForwardRow(1, [["rome"]], "Ana Ruiz", None), ForwardRow(2, [["rome"]], "Bo", None)], [])
    assert forward.names_in(["ruiz", "tea", "ana"]) == {code_of(forward, "Ana Ruiz")}
    assert forward.names_in(["ana"]) == set()
    assert forward.names_in([]) == set()


def test_a_name_is_as_common_as_the_rows_it_stands_over() -> None:
    """Nobody says their own name, but asking for it does not tell one row from another."""
    forward = Forward()
    forward.apply([ForwardRow(pk, [["tea"]], "Ana Ana" if pk % 2 else "Bo", 1) for pk in range(1, 9)], [])
    ids = forward.term_ids(["ana", "bo", "tea", "unmet"])
    assert forward.holders(ids).tolist() == [4, 4, 8, 0]
    forward.apply([ForwardRow(1, [["tea", "ana"]], "Ana Ana", 1), ForwardRow(3, [["tea"]], "Bo", 1)], [2])
    assert forward.holders(ids).tolist() == [3, 4, 7, 0]
    assert named(forward, np.array([1, 3, 900]), ids).tolist() == [
        [True, False, False, False],
        [False, True, False, False],
        [False] * 4,
    ]


def test_a_row_of_the_future_is_empty() -> None:
    """A search may hear of a row from another index before this one has it."""
    forward = Forward()
    forward.apply([ForwardRow(1, [["tea"]], "Ana", 1)], [])
    late = np.array([1, 5_000_000])
    assert forward.words(late).row.tolist() == [0]
    assert forward.lengths(late).tolist() == [1, 0]
    assert forward.before(late).tolist() == [0, 0]
    assert forward.after(late).tolist() == [0, 0]
    assert forward.spoken_by(late).tolist() == [1, 0]
    assert forward.asks(late).tolist() == [False, False]


def test_readers_are_never_disturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    """While one thread changes rows and the arrays grow, whoever reads gets terms that exist, and no error."""
    monkeypatch.setattr(forward_module, "_ROWS_MIN", 8)
    monkeypatch.setattr(forward_module, "_TOKENS_MIN", 16)
    forward = Forward()
    done = threading.Event()
    failures: list[BaseException] = []
    rounds = 300

    def read() -> None:
        pks = np.arange(0, rounds + 50)
        try:
            while not done.is_set():
                words = forward.words(pks)
                if len(words.term):
                    assert 0 <= words.term.min() <= words.term.max() < len(forward._terms)
                assert len(words.row) == len(words.term) == len(words.passage)
                assert (forward.holders(words.term) >= 0).all()
                around = np.concatenate([forward.before(pks), forward.after(pks)])
                assert forward.lengths(around).min() >= 0
                forward.speakers_of(forward.spoken_by(pks))
                forward.names_in(["ana", "tea"])
                forward.rows_of(range(1, len(forward._names)), 5)
                forward.named_in(7)
                assert forward.length_mean() >= 1.0
        except BaseException as error:
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    rng = np.random.default_rng(4)
    for pk in range(1, rounds + 1):
        again = int(rng.integers(1, pk + 1))
        text = [[f"w{pk}", "tea"] * int(rng.integers(1, 6))]
        forward.apply(
            [ForwardRow(pk, text, f"Name{pk}", 1), ForwardRow(again, text[:1], "Ana", 1)],
            [int(rng.integers(1, pk + 1))],
        )
    done.set()
    for reader in readers:
        reader.join()
    assert not failures, failures[0]
