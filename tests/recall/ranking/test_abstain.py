"""When the answer is not here: each sign by itself, what a reason may say, and that scores keep their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.clock import to_us
from recollect.config.reading import RankingSettings
from recollect.index.forward import Forward, ForwardRow
from recollect.language.terms import query_terms, telling, terms_of
from recollect.providers.embedders.wordllama import WordLlamaEmbedder
from recollect.recall.question.cues import cues_of
from recollect.recall.ranking.abstain import (
    PEOPLE_MAX,
    PERSON_BEST,
    READ_ROWS,
    Answerability,
    Rarity,
    Reads,
    answerability,
    bent,
)
from recollect.recall.ranking.asked import direction_of
from recollect.recall.ranking.channels import ModelView
from recollect.recall.ranking.ground import Ground
from recollect.recall.ranking.lexical import WeighedQuestion, worth_of
from recollect.recall.ranking.rank import CandidateEvidence, part_weights, rank
from recollect.recall.ranking.wanted import wanted_of

Row = tuple[str, str | None]  # text, speaker
EMBEDDER = WordLlamaEmbedder()
WEIGHTS = part_weights(RankingSettings())


class Store:
    """Rows 1, 2, 3 … of one session, ranked and judged as a search does."""

    def __init__(self, rows: Sequence[Row | str], *, day: str = "2024-05-01", vectors: bool = True) -> None:
        told = [row if isinstance(row, tuple) else (row, None) for row in rows]
        self.texts = [text for text, _ in told]
        self.forward = Forward()
        self.forward.apply(
            [ForwardRow(pk, [telling(terms_of(text))], who, 1) for pk, (text, who) in enumerate(told, start=1)], []
        )
        self.times = np.full(len(told), to_us(datetime.fromisoformat(day).replace(tzinfo=UTC)), dtype=np.int64)
        self.vectors = EMBEDDER.embed(self.texts) if vectors and told else None
        self.read: list[int] = []  # rows whose text was asked for

    def judge(
        self,
        text: str,
        settings: RankingSettings = RankingSettings(),
        weights: dict[str, float] = WEIGHTS,
        rarity: Rarity = EMBEDDER.rarity,
        reads: Reads | None = None,
    ) -> Answerability:
        pks = np.arange(1, len(self.texts) + 1)
        terms = tuple(query_terms(text))
        ids = self.forward.term_ids(terms)
        question = WeighedQuestion(terms, ids, worth_of(self.forward.holders(ids), len(pks)), len(pks))
        direction = None if self.vectors is None else direction_of(text, question, EMBEDDER)
        asked = replace(question, text=text, cues=cues_of(text), direction=direction)
        vectors = np.zeros((len(pks), 0)) if self.vectors is None else self.vectors
        own = None if direction is None else ModelView(direction, vectors, vectors.any(axis=1))
        ground = Ground(self.forward, pks, pks, self.times)
        evidence = CandidateEvidence(own=own, elsewhere=np.zeros(len(pks)))
        ranked = rank(ground, asked, evidence, settings=settings, weights=weights, similarity_min=0.0)
        return answerability(
            ground,
            asked,
            ranked,
            settings=settings,
            texts=self.contents,
            rarity=rarity,
            reads=reads,
        )

    def contents(self, pks: np.ndarray) -> list[str]:
        self.read += pks.tolist()
        return [self.texts[pk - 1] for pk in pks.tolist()]


TRIP = [
    ("Ana", "I went to Porto in March and stayed in a small hotel near the river."),
    ("Ben", "How was your trip? Did you eat well?"),
    ("Ana", "My favourite was the grilled octopus. I also bought a blue ceramic lamp for my desk."),
    ("Ben", "I stayed home and repaired my old bicycle, the chain was completely rusty."),
    ("Ana", "You and your bicycle! Will you ride it to work?"),
    ("Ben", "Yes, I will ride my bicycle to the office from Monday on."),
    ("Ana", "My sister visits me next week, I will show her the harbour."),
    ("Ben", "I am baking rye bread with my own sourdough now."),
]
CHAT = [(text, who) for who, text in TRIP]


# --- nothing near ----------------------------------------------------------------------------------------------------


def test_an_empty_store_says_that_it_is_empty() -> None:
    verdict = Store([]).judge("What is the capital of Peru?")
    assert verdict == Answerability(share=0.0, abstained=True, reasons=("nothing is stored here",))


@pytest.mark.parametrize("vectors", [True, False])
def test_one_fact_does_not_answer_everything(vectors: bool) -> None:
    verdict = Store(["Ana likes tea"], vectors=vectors).judge("what is the capital of Peru?")
    assert verdict.abstained
    assert "nothing near in words or meaning" in verdict.reasons
    assert "never mentioned: 'capital', 'Peru'" in verdict.reasons


@pytest.mark.parametrize("vectors", [True, False])
def test_one_fact_answers_what_it_says(vectors: bool) -> None:
    store = Store(["Ana drinks green tea in the morning"], vectors=vectors)
    assert not store.judge("Which tea does Ana drink?").abstained


@pytest.mark.parametrize(
    "question",
    ["How do I renew my passport?", "Who won the world cup in hockey?", "what is the exchange rate of the dollar"],
)
def test_questions_about_something_else_abstain(question: str) -> None:
    assert Store(CHAT).judge(question).abstained


@pytest.mark.parametrize(
    "question",
    ["Where did Ana stay in Porto?", "What did Ana buy for her desk?", "What bread is Ben baking?", "rusty chain"],
)
def test_questions_about_what_was_said_do_not(question: str) -> None:
    verdict = Store(CHAT).judge(question)
    assert not verdict.abstained
    assert verdict.share > 0.5


@pytest.mark.parametrize(
    ("rare", "ordinary"),
    [
        ("What is the tungsten like?", "What is the evening like?"),
        ("Which chromodynamics does Ana show to her sister?", "Which building does Ana show to her sister?"),
        ("What does Ben bake with lactose?", "What does Ben bake with others?"),
    ],
)
def test_an_unknown_word_says_the_more_the_rarer_it_is_in_the_language(rare: str, ordinary: str) -> None:
    store = Store(CHAT)
    knows_words, counts_words = store.judge(rare), store.judge(rare, rarity=lambda words: None)
    assert knows_words.share < store.judge(ordinary).share
    assert knows_words.share < counts_words.share


def test_rarity_is_asked_only_about_words_that_no_record_holds() -> None:
    asked: list[str] = []

    def rarity(words: Sequence[str]) -> None:
        asked.extend(words)

    Store(CHAT).judge("Which hotel near the fjord did Ana book?", rarity=rarity)
    assert asked == ["fjord", "book"]


def test_a_long_prompt_is_not_refused_for_the_words_that_are_new_in_it() -> None:
    prompt = (
        "This afternoon the gearbox of our dishwasher gave up, the technician charged a fortune, and on the way home "
        "the tram was cancelled because of the thunderstorm. So I would rather cycle. What did Ben do about the rusty "
        "chain of his old bicycle, and will he ride it to the office?"
    )
    assert not Store(CHAT).judge(prompt).abstained


def test_new_words_do_not_count_in_a_request_for_advice() -> None:
    strange: list[str] = []
    Store(CHAT).judge("Can you recommend a zarzuela in Tegucigalpa?", rarity=strange.extend)
    assert not strange
    Store(CHAT).judge("Where is a zarzuela in Tegucigalpa?", rarity=strange.extend)
    assert strange == ["zarzuela", "Tegucigalpa"]


def test_function_words_are_not_called_unknown() -> None:
    verdict = Store(CHAT).judge("how are you")
    assert verdict.abstained
    assert verdict.reasons == ("nothing near in words or meaning",)


def test_the_larger_the_store_the_closer_a_match_must_be() -> None:
    one = Store(["The tide was high at the harbour"])
    many = Store([*one.texts, *(f"Entry {n}: the ledger was balanced again" for n in range(300))])
    question = "Which boats leave the harbour on Sundays?"
    assert many.judge(question).share < one.judge(question).share


def test_a_request_for_advice_has_a_lower_bar() -> None:
    store, named, asked = Store(CHAT), "gift for a friend", "Can you suggest a gift for a friend?"
    plain, advice = store.judge(named), store.judge(asked)
    assert not store.judge(asked, RankingSettings(abstain_below=2 * advice.share)).abstained
    assert store.judge(named, RankingSettings(abstain_below=2 * plain.share)).abstained
    assert store.judge(asked, RankingSettings(abstain_below=3.1 * advice.share)).abstained


# --- a name never met -------------------------------------------------------------------------------------------------


def test_an_unknown_name_lowers_the_share_and_is_named() -> None:
    store = Store(CHAT)
    known, unknown = store.judge("Did the trip to Porto please her?"), store.judge("Did the trip to Lisbon please her?")
    assert unknown.share < known.share
    assert any(reason.startswith("never mentioned: 'Lisbon'") for reason in unknown.reasons)
    assert not any("Porto" in reason for reason in known.reasons)


def test_who_speaks_is_no_unknown_name() -> None:
    verdict = Store(CHAT).judge("What happened to the bicycle of Ben?")
    assert not any("Ben" in reason for reason in verdict.reasons)


# --- somebody else ----------------------------------------------------------------------------------------------------


def test_the_wrong_person_is_told_from_the_right_one() -> None:
    store = Store(CHAT)
    right, wrong = store.judge("Why did Ben repair his bicycle?"), store.judge("Why did Ana repair her bicycle?")
    assert wrong.share < right.share
    assert "about somebody else: Ana is named, but what matches was said by Ben" in wrong.reasons
    assert not any("somebody else" in reason for reason in right.reasons)


def test_asking_about_a_thing_does_not_make_it_the_asker_s() -> None:
    asking = [("How was your sailing trip with the wooden boat?", "Ben"), ("Lovely, it was so calm.", "Ana")]
    telling_it = [("My sailing trip with the wooden boat was lovely.", "Ben"), ("Lovely, it was so calm.", "Ana")]
    question = "How was the sailing trip of Ben with the wooden boat?"
    filler = [("Good morning to everybody here", "Ana"), ("The weather turned cold", "Ben")]
    assert Store([*asking, *filler]).judge(question).share <= Store([*telling_it, *filler]).judge(question).share


def test_few_rows_are_read_and_only_when_one_of_few_people_is_named() -> None:
    store = Store([*CHAT, *((f"Ana counts boats, day {n}", "Ana") for n in range(40))])
    store.judge("Which boats were counted?")
    assert not store.read
    store.judge("Which boats did Ana count?")
    assert 0 < len(store.read) <= 2 * PERSON_BEST


def test_in_a_crowd_nobody_is_somebody_else() -> None:
    crowd = [("I repaired my bicycle", "Ben"), *((f"Hello from row {n}", f"Guest{n}") for n in range(PEOPLE_MAX))]
    verdict = Store([*crowd, ("Good morning", "Ana")]).judge("Why did Ana repair her bicycle?")
    assert not any("somebody else" in reason for reason in verdict.reasons)


# --- years ------------------------------------------------------------------------------------------------------------

CAREER = ["Cleo taught chemistry in Turin from 1998 to 2004.", "Cleo directed the museum of Turin from 2010 to 2015."]


def test_a_year_that_no_record_speaks_of() -> None:
    store = Store(CAREER)
    known, unknown = (
        store.judge("What did Cleo direct in Turin in 2010?"),
        store.judge("What did Cleo direct in Turin in 1987?"),
    )
    assert unknown.share < known.share / 2
    assert "no record speaks of 1987" in unknown.reasons
    assert not known.reasons


def test_both_ends_of_a_span_belong_in_one_record() -> None:
    store = Store(CAREER)
    together, apart = store.judge("Cleo in Turin from 2010 to 2015"), store.judge("Cleo in Turin from 2004 to 2010")
    assert apart.share < together.share


def test_the_date_of_a_turn_counts_as_its_year() -> None:
    question = "What did Cleo paint in 2023?"
    assert (
        Store(["Cleo painted a door"], day="2023-06-01").judge(question).share
        > Store(["Cleo painted a door"], day="2019-06-01").judge(question).share
    )


# --- what is asked for is not said ------------------------------------------------------------------------------------


def _large(*rows: str) -> Store:
    """A store that has said enough for its silence to tell."""
    return Store([*rows, *(f"Ledger line {n}: " + "sugar flour butter salt pepper vinegar " * 10 for n in range(400))])


def test_a_topic_without_what_is_asked_of_it() -> None:
    store = _large("The dinner for the casting team was held on the terrace of the Harbour House")
    known = store.judge("What was the terrace like at the dinner for the casting team in the Harbour House?")
    unsaid = store.judge("What was the atmosphere like at the dinner for the casting team in the Harbour House?")
    assert unsaid.share < 0.7 * known.share
    assert "what matches says nothing of 'atmosphere'" in unsaid.reasons
    assert not any("says nothing" in reason for reason in known.reasons)


def test_a_small_store_is_silent_about_most_things() -> None:
    rows = "The dinner for the casting team was held on the terrace of the Harbour House"
    question = "What was the atmosphere like at the dinner for the casting team in the Harbour House?"
    assert Store([rows]).judge(question).share > 1.4 * _large(rows).judge(question).share


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What was the atmosphere like at the dinner?", ["atmospher", "dinner"]),
        ("Which specific criteria did Ana use for the list?", ["criterion"]),
        ("How many days passed before the fair?", []),
        ("Have I ever met Ben?", []),
        ("When was the fair?", []),
        ("rye bread", []),
        ("¿Qué color tiene la casa?", []),
    ],
)
def test_what_a_question_wants(question: str, wanted: list[str]) -> None:
    terms = query_terms(question)
    assert [terms[place] for place in wanted_of(question, terms, frozenset({"ana", "ben"}))] == wanted


# --- all together -----------------------------------------------------------------------------------------------------


def test_caution_decides_what_each_sign_may_take() -> None:
    store, question = Store(CAREER), "What did Cleo direct in Turin in 1987?"
    assert (
        store.judge(question, RankingSettings(doubt_year=0.0)).share
        > store.judge(question, RankingSettings(doubt_year=0.5)).share
    )
    assert store.judge(question, RankingSettings(abstain_below=1.0)).abstained
    assert not store.judge("xylophone", RankingSettings(abstain_below=0.0)).abstained


def test_the_verdict_does_not_hang_on_the_weights_of_an_intent() -> None:
    store, question = Store(CHAT), "Where did Ana stay in Porto?"
    usual = store.judge(question)
    assert store.judge(question, weights={**WEIGHTS, "vector": 0.6, "date": 0.4}).share == pytest.approx(usual.share)


WORDS = ("tea", "Porto", "1998", "Ana", "Ben", "what", "which", "was", "bicycle", "the", "?")
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)


@given(
    rows=st.lists(st.tuples(sentences, st.sampled_from((None, "Ana", "Ben", "user", "assistant"))), max_size=8),
    question=sentences,
    vectors=st.booleans(),
)
def test_any_question_gets_a_share_and_an_abstention_a_reason(rows: list[Row], question: str, vectors: bool) -> None:
    verdict = Store(rows, vectors=vectors).judge(question)
    assert 0.0 <= verdict.share <= 1.0
    assert verdict.reasons or not verdict.abstained
    assert all(verdict.reasons), "no empty reason"


def test_reasons_quote_the_question_and_nothing_that_is_stored() -> None:
    verdict = Store([("The vault code is swordfish", "Ben"), ("Good morning", "Ana")]).judge(
        "What is the vault number of Ana?"
    )
    assert not any(word in reason for reason in verdict.reasons for word in ("swordfish", "code"))


@given(st.lists(st.floats(0, 1), max_size=20), st.floats(0, 1))
def test_bent_scores_keep_their_order(scores: list[float], share: float) -> None:
    best_first = np.sort(np.array(scores))[::-1]
    out = bent(best_first, share)
    assert (np.diff(out) <= 1e-12).all()
    assert ((out >= 0) & (out <= share + 1e-12)).all()


# --- the reader ------------------------------------------------------------------------------------------------------

OF_ANA = [
    ("We bought a Yaris last week, it is red and runs well.", "Ana"),
    ("The harbour was full of people in the evening.", "Ana"),
    ("My sister visits me next week.", "Ana"),
    ("I am baking rye bread with my own sourdough now.", "Ana"),
]
PRICE = "How much did we pay for the Yaris?"
NOT_SAID = "what is near does not say what is asked"


class Reader:
    """Says the same of every text, and remembers what it read."""

    def __init__(self, odds: float | None) -> None:
        self.odds = odds
        self.texts: list[str] = []

    def __call__(self, question: str, texts: Sequence[str]) -> np.ndarray | None:
        self.texts += texts
        return None if self.odds is None else np.full(len(texts), self.odds)


def test_a_price_that_the_reader_does_not_find_is_not_known() -> None:
    reader = Reader(-4.0)
    found = Store(OF_ANA).judge(PRICE, reads=reader)
    assert found.abstained
    assert found.reasons[0] == NOT_SAID
    assert len(reader.texts) == READ_ROWS
    assert reader.texts[0] == "Ana: We bought a Yaris last week, it is red and runs well."


def test_a_price_that_the_reader_finds_is_known() -> None:
    assert not Store(OF_ANA).judge(PRICE, reads=Reader(2.0)).abstained


def test_without_a_reader_or_with_one_that_cannot_read_a_price_is_judged_by_nearness() -> None:
    store = Store(OF_ANA)
    assert store.judge(PRICE) == store.judge(PRICE, reads=Reader(None))
    assert not store.judge(PRICE).abstained


def test_an_ordinary_question_is_not_read() -> None:
    reader = Reader(-4.0)
    assert not Store(OF_ANA).judge("Who visits me next week, my sister?", reads=reader).abstained
    assert not reader.texts


def test_a_question_that_names_nothing_is_not_read() -> None:
    reader = Reader(-4.0)
    assert (
        not Store([*OF_ANA, ("We decided to paint the kitchen.", "Ana")])
        .judge("What did we decide?", reads=reader)
        .abstained
    )
    assert not reader.texts


def test_talk_among_people_is_not_read() -> None:
    reader = Reader(-4.0)
    Store(CHAT).judge("How much did Ana pay for the ceramic lamp?", reads=reader)
    assert not reader.texts


def test_the_setting_turns_reading_off() -> None:
    reader = Reader(-4.0)
    assert not Store(OF_ANA).judge(PRICE, RankingSettings(doubt_unread=0.0), reads=reader).abstained
    assert not reader.texts


def test_what_the_reader_finds_counts_where_nothing_else_is_near() -> None:
    far = "What is the melting point of tungsten carbide?"
    store = Store(OF_ANA)
    assert store.judge(far).abstained
    assert store.judge(far, reads=Reader(-4.0)).abstained
    assert not store.judge(far, reads=Reader(2.0)).abstained
