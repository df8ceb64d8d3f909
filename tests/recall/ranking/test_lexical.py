"""The lexical score against its formula, written out word by word.

t(w,d) = tf(w,d) / (1 - b + b len(d)/avg)        turn          p(w,s) = the same with its own b, for passage s of d
c(w,d) = own t(w,d) + neighbour t(w,previous) + neighbour t(w,next) + speaker [w in the speaker's name] + date [w in the
         date], with answered t(w,previous) where d answers the turn before it
sat(x) = (k + 1) x / (x + k)                     idf(w) = ln(1 + (N - df + .5)/(df + .5))
lex(d) = max over s of sum over w of idf(w) sat(p(w,s) + c(w,d)), divided by (k + 1) sum over w of idf(w)

The figures are settings, `ranking.*`; the formula holds for whatever they are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.config.reading import RankingSettings
from recollect.index.forward import Forward, ForwardRow
from recollect.recall.ranking import lexical as lexical_module
from recollect.recall.ranking.ground import Ground
from recollect.recall.ranking.lexical import Lexical, WeighedQuestion, holders_among, lexical, match, worth_of

WORDS = ("tea", "rome", "helix", "vim", "boat")
Passages = list[list[str]]

passages = st.lists(st.lists(st.sampled_from(WORDS), max_size=5), min_size=1, max_size=4)
rows = st.lists(st.tuples(passages, st.none() | st.integers(1, 2)), min_size=1, max_size=9).map(
    lambda drawn: [ForwardRow(pk, words, None, session) for pk, (words, session) in enumerate(drawn, start=1)]
)


def asking(forward: Forward, terms: Sequence[str]) -> WeighedQuestion:
    ids = forward.term_ids(terms)
    return WeighedQuestion(tuple(terms), ids, worth_of(forward.holders(ids), forward.count()), forward.count())


def fed(rows: Sequence[ForwardRow]) -> Forward:
    forward = Forward()
    forward.apply(rows, [])
    return forward


def standing(forward: Forward, pks: Sequence[int] | np.ndarray) -> Ground:
    keys = np.array(pks, dtype=np.int64)
    return Ground(forward, keys, keys, np.zeros(len(keys), dtype=np.int64))


def blank(pks: Sequence[int], terms: Sequence[str]) -> np.ndarray:
    return np.zeros((len(pks), len(terms)))


share = st.floats(0.0, 1.0)
chosen = st.just(RankingSettings()) | st.builds(
    RankingSettings,
    saturation=st.floats(0.1, 5.0),
    length_norm=share,
    passage_length_norm=share,
    own_field=share,
    neighbour_field=share,
    answered_field=share,
    speaker_field=st.floats(0.0, 10.0),
    date_field=share,
)


class Formula:
    """The score as it is written down, for one row at a time."""

    def __init__(
        self, rows: Sequence[ForwardRow], terms: Sequence[str], looked_at: Sequence[int], by: RankingSettings
    ) -> None:
        self.by = by
        self.rows = {row.pk: row for row in rows}
        self.terms = terms
        said = {row.pk: [word for passage in row.passages for word in passage] for row in rows}
        self.said = said
        self.mean = max(1.0, sum(map(len, said.values())) / len(rows))
        holders = {term: sum(term in words for words in said.values()) for term in terms}
        self.idf = {t: math.log(1 + (len(rows) - df + 0.5) / (df + 0.5)) for t, df in holders.items()}
        around = {pk for one in looked_at for pk in (one, *self.neighbours(one)) if pk}
        lengths = [len(passage) for pk in around for passage in self.rows[pk].passages if passage]
        self.passage_mean = max(1.0, sum(lengths) / len(lengths)) if lengths else 1.0  # of the passages looked at

    def neighbours(self, pk: int) -> tuple[int, int]:
        row = self.rows[pk]
        if row.session_pk is None:
            return 0, 0
        turns = [other for other in sorted(self.rows) if self.rows[other].session_pk == row.session_pk]
        at = turns.index(pk)
        return turns[at - 1] if at else 0, turns[at + 1] if at + 1 < len(turns) else 0

    def turn(self, term: str, pk: int) -> float:
        words = self.said.get(pk, [])
        norm = self.by.length_norm
        return words.count(term) / (1 - norm + norm * len(words) / self.mean)

    def context(self, term: str, pk: int, named: bool, dated: bool, answers: bool) -> float:
        before, after = self.neighbours(pk)
        by = self.by
        previous = (by.answered_field if answers else by.neighbour_field) * self.turn(term, before)
        around = previous + by.neighbour_field * self.turn(term, after)
        return by.own_field * self.turn(term, pk) + around + by.speaker_field * named + by.date_field * dated

    def score(self, pk: int, named: Sequence[bool], dated: Sequence[bool], answers: bool) -> float:
        best = 0.0
        for passage in self.rows[pk].passages:
            tf = Counter(passage)
            total = 0.0
            for at, term in enumerate(self.terms):
                norm = self.by.passage_length_norm
                there = tf[term] / (1 - norm + norm * len(passage) / self.passage_mean) if tf[term] else 0.0
                total += self.idf[term] * self.saturated(there + self.context(term, pk, named[at], dated[at], answers))
            best = max(best, total)
        return best / ((self.by.saturation + 1) * sum(self.idf.values()))

    def saturated(self, x: float) -> float:
        k = self.by.saturation
        return (k + 1) * x / (x + k)


@settings(max_examples=150)
@given(
    rows=rows,
    terms=st.lists(st.sampled_from((*WORDS, "unmet")), min_size=1, max_size=5, unique=True),
    by=chosen,
    data=st.data(),
)
def test_the_score_is_the_formula(
    rows: list[ForwardRow], terms: list[str], by: RankingSettings, data: st.DataObject
) -> None:
    forward = fed(rows)
    pks = sorted(data.draw(st.sets(st.sampled_from([row.pk for row in rows]), min_size=1)))
    flags = st.lists(
        st.lists(st.booleans(), min_size=len(terms), max_size=len(terms)), min_size=len(pks), max_size=len(pks)
    )
    named, dated = data.draw(flags), data.draw(flags)
    answers = data.draw(st.lists(st.booleans(), min_size=len(pks), max_size=len(pks)))
    found = lexical(
        standing(forward, pks),
        asking(forward, terms),
        np.array(named, dtype=float),
        np.array(dated, dtype=float),
        np.array(answers),
        settings=by,
    )
    formula = Formula(rows, terms, pks, by)
    expected = [formula.score(pk, named[at], dated[at], answers[at]) for at, pk in enumerate(pks)]
    np.testing.assert_allclose(found.score, expected, rtol=0, atol=1e-9)
    assert ((found.score >= 0) & (found.score <= 1)).all()
    assert matched(found) == {
        (at, word, place)
        for at, pk in enumerate(pks)
        for place, said in enumerate(formula.said[pk])
        for word, term in enumerate(terms)
        if said == term
    }


def matched(found: Lexical) -> set[tuple[int, int, int]]:
    matches = found.matches
    return set(zip(matches.row.tolist(), matches.term.tolist(), matches.place.tolist(), strict=True))


# --- each field by itself -------------------------------------------------------------------------------------------


def scores(rows: Sequence[ForwardRow], terms: Sequence[str], **fields: np.ndarray) -> list[float]:
    forward, pks = fed(rows), np.array([row.pk for row in rows])
    none = blank(pks, terms)
    return lexical(
        standing(forward, pks),
        asking(forward, terms),
        fields.get("named", none),
        fields.get("dated", none),
        settings=RankingSettings(),
    ).score.tolist()


def test_a_neighbour_of_the_same_session_lends_its_words() -> None:
    turns = [ForwardRow(1, [["tea"]], None, 1), ForwardRow(2, [["yes"]], None, 1), ForwardRow(3, [["yes"]], None, 2)]
    tea, beside, elsewhere = scores(turns, ["tea"])
    assert tea > beside > 0
    assert elsewhere == 0


def test_length_is_measured_by_the_rows_asked_of() -> None:
    """Long rows of another scope must not make all rows here look short."""
    rows = [ForwardRow(1, [["tea"]], None, None), ForwardRow(2, [["tea", *["yes"] * 5]], None, None)]
    long = ForwardRow(3, [["yes"] * 200], None, None)
    alone = fed(rows)
    within = replace(asking(alone, ["tea"]), ids=(crowded := fed([*rows, long])).term_ids(["tea"]), length_mean=3.5)
    pks, none = np.array([1, 2]), blank([1, 2], ["tea"])
    expected = lexical(standing(alone, pks), asking(alone, ["tea"]), none, none, settings=RankingSettings()).score
    np.testing.assert_allclose(
        lexical(standing(crowded, pks), within, none, none, settings=RankingSettings()).score, expected
    )


def test_an_answer_takes_on_more_of_its_question() -> None:
    turns = [ForwardRow(1, [["tea"]], None, 1), ForwardRow(2, [["yes"]], None, 1)]
    forward, pks = fed(turns), np.array([1, 2])
    none = blank(pks, ["tea"])
    plain, answer = (
        lexical(
            standing(forward, pks), asking(forward, ["tea"]), none, none, answering, settings=RankingSettings()
        ).score
        for answering in (None, np.array([False, True]))
    )
    assert answer[0] == plain[0]
    assert answer[1] > plain[1] > 0


def test_holders_among_rows() -> None:
    rows = [
        ForwardRow(1, [["tea", "tea"], ["tea"]], "Ana", 1),
        ForwardRow(2, [["ana"]], "Ana", 1),
        ForwardRow(3, [["rome"]], "Bo", 2),
    ]
    forward = fed(rows)
    ids = forward.term_ids(["tea", "ana", "rome", "bo", "unmet"])
    assert holders_among(forward, np.array([1, 2, 3]), ids).tolist() == forward.holders(ids).tolist() == [1, 2, 1, 1, 0]
    assert holders_among(forward, np.array([2]), ids).tolist() == [0, 1, 0, 0, 0]
    assert holders_among(forward, np.empty(0, np.int64), ids).tolist() == [0] * 5
    assert holders_among(forward, np.array([1]), ids[:0]).tolist() == []


def test_names_weigh_more_than_dates() -> None:
    two = [ForwardRow(1, [["yes"]], None, None), ForwardRow(2, [["yes"]], None, None)]
    named = scores(two, ["ana"], named=np.array([[1.0], [0.0]]))
    dated = scores(two, ["2023"], dated=np.array([[1.0], [0.0]]))
    assert named[1] == dated[1] == 0
    assert named[0] > dated[0] > 0
    assert named[0] == pytest.approx(2 / 3.2)


def test_a_long_text_is_judged_by_its_best_passage() -> None:
    filler = [["yes"] * 10] * 5
    together = ForwardRow(1, [["tea", "rome"], *filler], None, None)
    apart = ForwardRow(2, [["tea", *["yes"] * 9], ["rome", *["yes"] * 9], *filler[:4], ["yes", "yes"]], None, None)
    best, spread = scores([together, apart], ["tea", "rome"])
    assert best > spread


def test_unknown_words_stay_in_the_divisor() -> None:
    one = [ForwardRow(1, [["tea"]], None, None)]
    assert scores(one, ["tea"])[0] > scores(one, ["tea", "unmet"])[0] > scores(one, ["tea", "unmet", "unheard"])[0] > 0
    assert scores(one, ["unmet"]) == [0]


def test_rare_words_are_worth_more() -> None:
    worth = worth_of(np.array([0, 1, 5, 10, 12]), 10)
    assert (np.diff(worth) <= 0).all()
    assert (worth > 0).all()
    assert worth[3] == worth[4] == pytest.approx(math.log(1 + 0.5 / 10.5))
    assert worth_of(np.array([0]), 0)[0] > 0


def test_no_rows() -> None:
    forward = fed([ForwardRow(1, [["tea"]], None, None)])
    found = lexical(
        standing(forward, []), asking(forward, ["tea"]), np.zeros((0, 1)), np.zeros((0, 1)), settings=RankingSettings()
    )
    assert found.score.tolist() == found.matches.row.tolist() == []


def test_rows_of_nothing() -> None:
    assert scores([ForwardRow(1, [[]], None, 1), ForwardRow(2, [[]], None, 1)], ["tea"]) == [0, 0]


def test_the_table_of_terms_grows_and_is_left_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """More terms than it has room for, then another question: nothing of the first shows."""
    monkeypatch.setattr(lexical_module, "_lookup", lexical_module._Lookup())
    words = [f"w{number}" for number in range(70_000)]
    forward = fed([ForwardRow(1, [words], None, None)])
    pks = np.array([1])
    assert match(forward, pks, forward.term_ids(["w69999", "w3"]))[0].place.tolist() == [3, 69_999]
    assert match(forward, pks, forward.term_ids(["w5"]))[0].place.tolist() == [5]
    assert match(forward, pks, forward.term_ids(["unmet"]))[0].place.tolist() == []
    assert match(forward, pks, forward.term_ids([]))[0].place.tolist() == []
    assert (lexical_module._lookup.table == -1).all()


def test_many_terms_at_once() -> None:
    """Words shared with a seed may be as many as a long text holds."""
    words = [f"w{number}" for number in range(40_000)]
    forward = fed([ForwardRow(1, [words], None, None)])
    found, _ = match(forward, np.array([1]), forward.term_ids(words))
    assert found.term.tolist() == list(range(40_000))
