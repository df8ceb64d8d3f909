"""A question made ready: what its words are worth where it is asked, and where it points."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config.reading import RankingSettings
from recollect.index.base import Mask, Pks
from recollect.index.forward import Forward, ForwardRow
from recollect.language.terms import telling, terms_of
from recollect.providers.embedders.fake import FakeEmbedder
from recollect.providers.embedders.wordllama import WordLlamaEmbedder
from recollect.recall.ranking import asked as asked_module
from recollect.recall.ranking.asked import LIGHT_SHARE, OWN_NAME_SHARE, direction_of, question_of
from recollect.recall.ranking.lexical import perfect

TEXTS = ("tea in Rome", "Rome again and again", "a boat", "tea tea tea", "nothing of the kind", "the")


class Among:
    """Some rows of a store."""

    scope_pks = None

    def __init__(self, pks: Sequence[int], total: int) -> None:
        self._pks = np.array(sorted(pks), dtype=np.int64)
        self.count, self.total = len(pks), total

    def allows(self, pks: Pks) -> Mask:
        return np.isin(pks, self._pks)

    def pks(self) -> Pks:
        return self._pks


@pytest.fixture(scope="module")
def forward() -> Forward:
    made = Forward()
    made.apply([ForwardRow(pk, [telling(terms_of(text))], None, None) for pk, text in enumerate(TEXTS, start=1)], [])
    return made


def idf(rows: int, holders: float) -> float:
    return math.log(1 + (rows - holders + 0.5) / (holders + 0.5))


def test_of_the_whole_store(forward: Forward) -> None:
    question = question_of(forward, "Tea in Rome, or a submarine?", Among(range(1, 7), 6))
    assert question.terms == ("tea", "rome", "submarin")
    assert question.rows == 6
    assert question.ids[2] == -1
    np.testing.assert_allclose(question.worth, [idf(6, 2), idf(6, 2), idf(6, 0)])
    by = RankingSettings()
    assert perfect(question, by) == pytest.approx((by.saturation + 1) * sum(question.worth))


def test_the_name_of_whom_it_is_all_about_and_light_words_are_worth_less(forward: Forward) -> None:
    plain = question_of(forward, "Where does Ana use the boat?", Among(range(1, 7), 6))
    own = question_of(forward, "Where does Ana use the boat?", Among(range(1, 7), 6), own={"ana"})
    assert own.terms == ("ana", "use", "boat")
    np.testing.assert_allclose(own.worth / plain.worth, [OWN_NAME_SHARE, 1, 1])
    np.testing.assert_allclose(plain.worth[1], LIGHT_SHARE * idf(6, 0))
    alone = question_of(forward, "Ana?", Among(range(1, 7), 6), own={"ana"})
    np.testing.assert_allclose(alone.worth, [idf(6, 0)])


def test_the_name_of_who_speaks_is_worth_what_all_their_rows_make_of_it() -> None:
    made = Forward()
    said = [("tea", "Ana"), ("rome", "assistant"), ("boat", "Ana")]
    made.apply([ForwardRow(pk, [[text]], who, None) for pk, (text, who) in enumerate(said, start=1)], [])
    ana, boat = question_of(made, "Ana's boat", Among(range(1, 4), 3), own={"ana", "user"}).worth
    assert ana == pytest.approx(idf(3, 2))
    assert boat == pytest.approx(idf(3, 1))


@given(pks=st.sets(st.integers(1, 6)))
def test_a_small_scope_is_counted(forward: Forward, pks: set[int]) -> None:
    question = question_of(forward, "tea rome boat submarine", Among(sorted(pks), 6))
    said = [set(terms_of(TEXTS[pk - 1])) for pk in pks]
    holders = [sum(term in words for words in said) for term in question.terms]
    np.testing.assert_allclose(question.worth, [idf(len(pks), df) for df in holders])
    assert question.rows == len(pks)


def test_a_large_scope_takes_the_shares_of_the_store(forward: Forward, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked_module, "COUNTED_ROWS_MAX", 2)
    question = question_of(forward, "tea submarine", Among([1, 2, 3], 6))
    np.testing.assert_allclose(question.worth, [idf(3, 1), idf(3, 0)])
    counted = question_of(forward, "tea submarine", Among([3, 4], 6))
    np.testing.assert_allclose(counted.worth, [idf(2, 1), idf(2, 0)])


@pytest.mark.parametrize("text", ["", "?!", "…", "—"])
def test_nothing_is_asked(forward: Forward, text: str) -> None:
    for among in (Among([1, 2], 6), Among(range(1, 7), 6), Among([], 6)):
        question = question_of(forward, text, among)
        assert question.terms == ()
        assert perfect(question, RankingSettings()) == 1.0


def test_function_words_alone_are_asked_for(forward: Forward) -> None:
    question = question_of(forward, "what is it", Among(range(1, 7), 6))
    assert question.terms == ("what", "is", "it")
    assert question.ids.tolist() == [-1, -1, -1]


# --- where it points ------------------------------------------------------------------------------------------------


@given(text=st.text(max_size=40))
def test_a_model_without_word_vectors_embeds_the_text(forward: Forward, text: str) -> None:
    question = question_of(forward, text, Among(range(1, 7), 6))
    np.testing.assert_array_equal(direction_of(text, question, FakeEmbedder()), FakeEmbedder().embed([text])[0])


def test_a_static_model_weighs_words_by_how_rare_they_are(forward: Forward) -> None:
    """Rome stands in two rows, the submarine in none: it points to the submarine."""
    model = WordLlamaEmbedder()
    text = "What about Rome and the submarine?"
    question = question_of(forward, text, Among(range(1, 7), 6))
    direction = direction_of(text, question, model)
    rome, submarine = model.word_vectors(["Rome", "submarine"])
    expected = question.worth[0] * rome + question.worth[1] * submarine
    np.testing.assert_allclose(direction, expected / np.linalg.norm(expected), atol=1e-5)
    assert direction.dtype == np.float32


@pytest.mark.parametrize(
    "text", ["?", "", "the", "¿…?", "北京", "parse_config", "don't", "Ana's", "naïve", "12", "\ud800"]
)
def test_any_question_has_a_direction(forward: Forward, text: str) -> None:
    model = WordLlamaEmbedder()
    direction = direction_of(text, question_of(forward, text, Among(range(1, 7), 6)), model)
    assert direction.shape == (256,)
    assert np.isfinite(direction).all()
    assert np.linalg.norm(direction) == pytest.approx(1.0, abs=1e-5) or not direction.any()


def test_the_parts_come_together(forward: Forward) -> None:
    text = "Where was tea on 8 May 2023?"
    asked = question_of(forward, text, Among(range(1, 7), 6))
    assert asked.text == text
    assert (asked.cues.days, asked.cues.years) == (((5, 8),), (2023,))
    assert asked.direction is None, "a model says where it points"
