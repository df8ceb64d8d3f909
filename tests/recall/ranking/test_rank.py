"""One score from many parts: each part by itself, and what holds for all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recollect
from recollect import Memory
from recollect.clock import to_us
from recollect.config.reading import RankingSettings
from recollect.index.forward import Forward, ForwardRow
from recollect.language.terms import query_terms, telling, terms_of
from recollect.providers.embedders.fake import FakeEmbedder
from recollect.recall.question.cues import cues_of
from recollect.recall.ranking.channels import ModelView
from recollect.recall.ranking.ground import Ground
from recollect.recall.ranking.lexical import WeighedQuestion, worth_of
from recollect.recall.ranking.rank import STEEPNESS, CandidateEvidence, Ranked, part_weights, rank

Row = tuple[str, str | None]  # text, speaker
EPOCH = "2001-01-01"
SETTINGS = RankingSettings()
WEIGHTS = part_weights(SETTINGS)
PARTICIPANTS_MAX = SETTINGS.participants_max


class Conversation:
    """Rows 1, 2, 3 … of one session, and questions about them."""

    def __init__(self, rows: Sequence[Row | str], *, dates: Sequence[str] = (), session: int | None = None) -> None:
        told = [row if isinstance(row, tuple) else (row, None) for row in rows]
        self.texts = [text for text, _ in told]
        self.forward = Forward()
        self.forward.apply(
            [
                ForwardRow(pk, [telling(terms_of(text))], who, session, asks="?" in text)
                for pk, (text, who) in enumerate(told, start=1)
            ],
            [],
        )
        days = [*dates, *[EPOCH] * (len(rows) - len(dates))]
        self.times = np.array([to_us(datetime.fromisoformat(day).replace(tzinfo=UTC)) for day in days], dtype=np.int64)

    def ask(self, text: str, *, vectors: bool = False, pks: Sequence[int] | None = None, **more: Any) -> Ranked:
        chosen = np.arange(1, len(self.texts) + 1) if pks is None else np.array(pks, dtype=np.int64)
        terms = tuple(query_terms(text))
        ids = self.forward.term_ids(terms)
        count = self.forward.count()
        question = WeighedQuestion(terms, ids, worth_of(self.forward.holders(ids), count), count)
        direction = FakeEmbedder().embed([text])[0] if vectors else None
        own = FakeEmbedder().embed([self.texts[pk - 1] for pk in chosen]) if vectors else np.zeros((len(chosen), 0))
        asked = replace(question, text=text, cues=cues_of(text), direction=direction)
        more = {"settings": SETTINGS, "weights": WEIGHTS, "similarity_min": 0.0, **more}
        channel = None if direction is None else ModelView(direction, own, own.any(axis=1))
        evidence = CandidateEvidence(own=channel, elsewhere=np.zeros(len(chosen)))
        return rank(Ground(self.forward, chosen, chosen, self.times[chosen - 1]), asked, evidence, **more)

    def part(self, name: str, text: str, *, vectors: bool = False) -> list[float]:
        """What a part put in, by row, as a share of its weight times the bend."""
        ranked = self.ask(text, vectors=vectors)
        put = dict(zip(ranked.pks.tolist(), ranked.parts[name].tolist(), strict=True))
        total = {
            pk: -np.log(1 - score) / STEEPNESS for pk, score in zip(ranked.pks.tolist(), ranked.scores, strict=True)
        }
        bend = {pk: score / (total[pk] or 1) for pk, score in zip(ranked.pks.tolist(), ranked.scores, strict=True)}
        return [round(put[pk] / (bend[pk] or 1) / ranked.weights[name], 9) for pk in sorted(put)]


# --- what always holds ----------------------------------------------------------------------------------------------

WORDS = ("tea", "rome", "helix", "2023", "May", "Ana", "Bo", "the", "12")
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
speakers = st.sampled_from((None, "Ana", "Bo", "user", "assistant"))


@settings(max_examples=150)
@given(
    rows=st.lists(st.tuples(texts, speakers), min_size=1, max_size=12),
    question=texts.filter(str.strip),
    vectors=st.booleans(),
    session=st.sampled_from((None, 1)),
)
def test_scores_are_sums_of_their_parts(rows: list[Row], question: str, vectors: bool, session: int | None) -> None:
    days = [f"2023-05-{day:02}" for day in range(1, len(rows) + 1)]
    ranked = Conversation(rows, dates=days, session=session).ask(question, vectors=vectors)
    assert sorted(ranked.pks.tolist()) == list(range(1, len(rows) + 1))
    assert ((ranked.scores >= 0) & (ranked.scores <= 1)).all()
    assert (np.diff(ranked.scores) <= 1e-12).all(), "best first"
    assert all((part >= 0).all() for part in ranked.parts.values())
    np.testing.assert_allclose(np.sum(list(ranked.parts.values()), axis=0), ranked.scores, atol=1e-9)
    assert ranked.parts.keys() <= WEIGHTS.keys()
    assert ("vector" in ranked.parts) == vectors


def test_equals_are_ordered_newest_first() -> None:
    assert Conversation(["tea", "tea", "rome", "tea"]).ask("tea").pks.tolist() == [4, 2, 1, 3]


def test_no_candidates() -> None:
    ranked = Conversation(["tea"]).ask("tea", pks=[])
    assert ranked.pks.tolist() == ranked.scores.tolist() == []


def test_one_record() -> None:
    ranked = Conversation(["tea in Rome"]).ask("tea in Rome", vectors=True)
    assert ranked.pks.tolist() == [1]
    assert 0.6 < ranked.scores[0] <= 1


@pytest.mark.parametrize("question", ["?!", "…"])
@pytest.mark.parametrize("vectors", [False, True])
def test_a_question_without_words_scores_nothing(question: str, vectors: bool) -> None:
    ranked = Conversation(["tea", "rome"]).ask(question, vectors=vectors)
    assert not ranked.scores.any()


def test_a_question_of_function_words_is_left_to_meaning() -> None:
    rows = ["tea", "what is it", "rome"]
    assert Conversation(rows).ask("what is it").scores.tolist() == [0, 0, 0]
    ranked = Conversation(rows).ask("what is it", vectors=True)
    assert ranked.pks[0] == 2


def test_a_digit_of_any_script_is_a_word() -> None:
    """Some digits have no value that `int` would read."""
    for digits in ("፩", "๒", "²", "①", "١٢", "12", "2023"):
        assert len(Conversation([f"room {digits}", "tea"]).ask(f"room {digits}?").pks) == 2


# --- each part ------------------------------------------------------------------------------------------------------


def test_text_is_the_share_of_the_question_met() -> None:
    whole, half, none = Conversation(["tea rome", "tea boat", "vim"]).part("text", "tea rome")
    assert 1 > whole > half > none == 0


def test_vector_is_the_cosine() -> None:
    shares = Conversation(["tea", "rome"]).part("vector", "tea", vectors=True)
    assert shares == [pytest.approx(1.0, abs=1e-6), 0]


FOUR_EACH = [(f"word{number}", "Ana" if number % 2 else "Bo") for number in range(8)]


def test_speaker_is_who_the_question_names() -> None:
    talk = Conversation(FOUR_EACH)
    assert talk.part("speaker", "What does Ana say of word2?") == [0, 1] * 4
    assert talk.part("speaker", "What do Ana and Bo say?") == [1] * 8
    assert talk.part("speaker", "What does Carla say of word2?") == [0] * 8


def test_a_whole_name_must_be_named() -> None:
    talk = Conversation([("tea", "Ana Ruiz")] * 4 + [("tea", "Ana Diaz")] * 4)
    assert talk.part("speaker", "What does Ana Diaz drink?") == [0] * 4 + [1] * 4
    assert talk.part("speaker", "What does Ana drink?") == [0] * 8


def test_the_one_named_counts_however_many_others_speak() -> None:
    crowd = [("tea", f"Name{number}") for number in range(PARTICIPANTS_MAX + 3)]
    talk = Conversation([*[("tea", "Ana")] * 4, *crowd])
    assert talk.part("speaker", "What does Ana drink?") == [1] * 4 + [0] * len(crowd)


def test_who_speaks_rarely_is_no_participant() -> None:
    """A title field looks like a speaker who says one thing."""
    titles = Conversation([(f"word{number} tea", f"Title{number}") for number in range(8)])
    assert titles.part("speaker", "Title3 tea") == [0] * 8


@pytest.mark.parametrize(("person", "machine"), [("user", "assistant"), ("User", "AI"), ("human", "assistant")])
def test_in_a_chat_with_a_machine_the_person_counts(person: str, machine: str) -> None:
    talk = Conversation([("tea", person), ("tea", machine), ("rome", person), ("vim", "tool")])
    assert talk.part("speaker", "tea") == [1, 0, 1, 0]


def test_a_person_with_a_name_counts_the_same_and_a_mere_question_does_not() -> None:
    talk = Conversation([("tea", "Ana"), ("tea", "assistant"), ("tea?", "Ana"), ("rome", "Ana")])
    assert talk.part("speaker", "tea") == [1, 0, 0, 1]


def test_of_two_turns_about_one_thing_the_later_stands_above_as_far_as_the_present_is_asked_about() -> None:
    said = [("tea", "user"), ("rome", "assistant"), ("tea", "user")]
    past, present = (Conversation(said).ask("tea", vectors=True, present=present) for present in (0.0, 0.9))
    assert "later" not in past.parts
    assert past.scores[0] == past.scores[1]
    assert present.pks.tolist()[:2] == [3, 1]
    assert present.scores[0] > 1.05 * present.scores[1]


def test_what_a_machine_says_again_is_no_later_word() -> None:
    said = [("tea", "user"), ("rome", "user"), ("tea", "assistant")]
    ranked = Conversation(said).ask("tea", vectors=True, present=1.0)
    assert ranked.pks.tolist()[0] == 1


def test_notes_without_a_speaker_are_not_ordered_by_age() -> None:
    ranked = Conversation(["tea", "rome", "tea"]).ask("tea", vectors=True, present=1.0)
    assert "later" not in ranked.parts


def test_where_only_one_side_is_there_nobody_is_preferred() -> None:
    assert Conversation([("tea", "user")] * 5).part("speaker", "tea") == [0] * 5
    assert Conversation(["tea"] * 5).part("speaker", "tea") == [0] * 5


def test_date_is_the_day_a_row_was_said() -> None:
    talk = Conversation(["tea"] * 3, dates=["2023-05-08", "2023-05-09", "2023-07-01"])
    assert talk.part("date", "tea on 8 May 2023") == [1, 0.6, 0]
    assert talk.part("date", "tea in May") == [0.5, 0.5, 0]
    assert "date" not in talk.ask("tea").parts
    assert "date" not in talk.ask("tea in 2023").parts


def test_the_words_of_a_date_are_a_field_of_the_row() -> None:
    talk = Conversation(["tea", "tea"], dates=["2023-05-08", "2022-06-09"])
    for question in ("tea 2023", "tea in May", "tea on the 8th", "tea, 8"):
        first, second = talk.part("text", question)
        assert first > second, question


def test_year_is_what_a_row_speaks_of() -> None:
    talk = Conversation(["tea in 1999", "tea in 2003", "tea in 2001 or 1980", "tea"])
    assert talk.part("year", "tea between 1998 and 2002") == [1, 0, 1, 0]
    assert "year" not in talk.ask("tea").parts


def test_phrase_is_words_that_stay_together() -> None:
    talk = Conversation(["red tea house", "red boat vim helix emacs tea boat house", "house", "red tea"])
    assert talk.part("phrase", "red tea house") == [1, 0.5, 0, 0.5]
    assert talk.part("phrase", "tea") == [0] * 4


def test_feedback_is_nearness_to_the_best() -> None:
    rows = ["tea house garden", "tea house roof", "tea house door", "garden roof door", "vim helix emacs"]
    *_, near, far = Conversation(rows).part("feedback", "tea house", vectors=True)
    assert near > far
    assert "feedback" not in Conversation(rows).ask("tea house").parts


def many_titles(count: int = PARTICIPANTS_MAX + 3) -> list[Row]:
    return [(f"filler{number} text", f"Title{number}") for number in range(count)]


def test_link_follows_what_the_best_rows_name() -> None:
    """The film names its director; the question does not; the row about the director is linked."""
    rows: list[Row] = [
        ("Night Boat was directed by Maria Lopez", "Night Boat"),
        ("She was born in Oslo", "Maria Lopez"),
        ("He was born in Rome", "Bo Smith"),
        *many_titles(),
    ]
    shares = Conversation(rows).part("link", "Where was the director of Night Boat born?")
    assert shares[1] > 0.5
    assert shares[0] == shares[2] == 0
    assert not any(shares[3:])


def test_link_is_no_news_if_the_question_names_it() -> None:
    rows: list[Row] = [
        ("Night Boat was directed by Maria Lopez", "Night Boat"),
        ("Born in Oslo", "Maria Lopez"),
        *many_titles(),
    ]
    assert not any(Conversation(rows).part("link", "Did Maria Lopez make Night Boat?"))


def test_no_link_where_speakers_are_participants() -> None:
    rows: list[Row] = [("tea with Bo", "Ana"), ("rome", "Bo")] * 5
    assert "link" not in Conversation(rows).ask("tea").parts


def test_shared_is_rare_words_in_common_with_the_best() -> None:
    rows = ["tea zanzibar", "zanzibar boat", "boat vim", *["filler vim"] * 8]
    shares = Conversation(rows).part("shared", "tea")
    assert shares[1] > 0
    assert not any(shares[2:])
    assert max(shares) == 1


def test_joined_goes_on_from_the_best_row() -> None:
    """Two rows hold "born"; the one that shares the director with the row about the film is meant."""
    rows = ["Night Boat, directed by Lopez", "Lopez was born in Oslo", "Smith was born in Rome", *["filler vim"] * 8]
    film, director, other, *rest = Conversation(rows).part("joined", "Where was the director of Night Boat born?")
    assert director > 0.2 > other == 0
    assert not any(rest)
    assert 0 <= film < director, "the row about the director leads back, and brings less"


def test_a_joined_row_that_brings_something_is_worth_more() -> None:
    rows = ["Night Boat of Lopez", "Lopez was born", "Lopez was tired", *["filler vim"] * 8]
    _, brings, repeats, *_ = Conversation(rows).part("joined", "Where was the maker of Night Boat born?")
    assert brings > repeats > 0


def test_turns_are_not_joined() -> None:
    rows = ["Night Boat, directed by Lopez", "Lopez was born in Oslo", *["filler vim"] * 8]
    assert not any(Conversation(rows, session=1).part("joined", "Where was the director of Night Boat born?"))


def test_a_word_of_many_rows_joins_nothing() -> None:
    rows = ["boat vim", "vim rome", *["vim tea"] * 10]
    assert not any(Conversation(rows).part("joined", "boat"))


def test_an_answer_counts_with_its_question() -> None:
    """The same words around it, but only one turn answers somebody's question."""
    asked = [("Do you like oolong?", "Ana"), ("A lot", "Bo"), ("Fine", "Ana")]
    told = [("I like oolong.", "Ana"), ("A lot", "Bo"), ("Fine", "Ana")]
    assert answer(asked) > answer(told) > 0


@pytest.mark.parametrize(
    ("asker", "speaker"), [("Ana", "Ana"), ("user", "assistant"), ("assistant", "user"), ("Ana", None), (None, "Bo")]
)
def test_only_people_answer_one_another(asker: str | None, speaker: str | None) -> None:
    asked = [("Do you like oolong?", asker), ("A lot", speaker), ("Fine", asker)]
    told = [("I like oolong.", asker), ("A lot", speaker), ("Fine", asker)]
    assert answer(asked) == answer(told) > 0


def answer(rows: list[Row]) -> float:
    return Conversation(rows, session=1).part("text", "oolong")[1]


def test_a_row_that_shows_no_evidence_is_no_answer() -> None:
    """It neither holds a word of the question nor is near its meaning; all other parts do not help it."""
    talk = Conversation([("tea", "Ana"), ("rome", "Ana"), ("boat", "Bo")] * 4)
    ranked = talk.ask("Does Ana like tea?", vectors=True, similarity_min=0.2)
    assert set(ranked.pks.tolist()) == {1, 2, 4, 5, 7, 8, 10, 11}, "Ana's name stands over her rows"
    assert set(talk.ask("tea", vectors=True, similarity_min=0.2).pks.tolist()) == {1, 4, 7, 10}


def test_weights_are_the_callers() -> None:
    talk = Conversation(["tea", "rome"])
    plain = talk.ask("tea", weights={**dict.fromkeys(WEIGHTS, 0.0), "text": 1.0})
    assert {name for name, part in plain.parts.items() if part.any()} == {"text"}


# --- through the front door -----------------------------------------------------------------------------------------


@pytest.fixture
def mem() -> Memory:
    memory = recollect.open(":memory:", embedder="fake")
    memory.add(["tea in Rome", "a boat in the harbour", "what is it"])
    return memory


@pytest.mark.parametrize("question", ["?!", "…", "the", "what is it", "፩", "tea " * 300, "🦊", "a.b.c", "-"])
def test_any_question_is_answered(mem: Memory, question: str) -> None:
    with mem:
        found = mem.search(question, explain=True)
        assert all(0 <= hit.score <= 1 for hit in found)
        scores = [hit.score for hit in found]
        assert scores == sorted(scores, reverse=True)
        assert found.trace is not None
        for hit in found:
            ranked = found.trace.moves[hit.id][0].score
            assert sum(step.contribution for step in found.trace.hits[hit.id]) == pytest.approx(ranked, abs=1e-9)


def test_a_question_without_words_finds_nothing(mem: Memory) -> None:
    with mem:
        assert mem.search("?!").abstained


def test_an_empty_memory() -> None:
    with recollect.open(":memory:", embedder="fake") as memory:
        assert memory.search("tea").abstained
