"""Whatever is asked, however badly: an answer, an abstention with its reason, or an error that says what to do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from ticking import Ticking

import recollect
from recollect import Memory
from recollect.config.reading import RankingSettings
from recollect.errors import InvalidQuery, UsageError
from recollect.limits import TOP_K_MAX
from recollect.recall.question.intent import KINDS
from recollect.recall.question.query import STRATEGIES
from recollect.recall.ranking.rank import part_weights
from recollect.wiring import open_memory

NOTES = [
    "Ana moved from vim to Helix",
    "Ben restarts the worker with svc restart billing",
    "The price cache has no expiry",
    "Releases are cut from main on Fridays",
    'Someone wrote "AND OR NEAR" on the whiteboard',
]
ODD = {
    "100 KB": "which editor does Ana use? " * 4_000,
    "one word of 100 KB": "x" * 100_000,
    "stop words": "the of and to is a",
    "punctuation": "?!… --- ;;; ()",
    "full text syntax": '"AND OR NEAR(* ^',
    "more of it": 'content:vim* OR (NOT "a" NEAR/3 b) ^c -d +e',
    "tantivy syntax": "content:[a TO z] AND *:* ~2 {!x}",
    "SQL": "'; DROP TABLE record; --",
    "Japanese": "アナはどのエディタを使っていますか",
    "Russian": "каким редактором пользуется Ана?",
    "Arabic": "أي محرر تستخدم آنا؟",
    "Hindi": "अना कौन सा संपादक उपयोग करती है?",
    "emoji": "🐈‍⬛ 🎉 👩🏽‍💻",
    "combining marks": "A" + "\u0301" * 500,
    "control characters": "which\x07 editor\x1b[31m?",
    "numbers": "12345 67890 3.14159 0x1F",
    "newlines": "which\n\n\neditor\r\n\t?",
}
SECONDS_MAX = 1.0


@pytest.fixture(scope="module")
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="wordllama", clock=Ticking()) as memory:
        memory.add(NOTES)
        memory.search("warm up")
        yield memory


@pytest.mark.parametrize("rerank", ["mmr", "rrf"])
@pytest.mark.parametrize("question", ODD)
def test_an_odd_question_is_answered_within_a_second(mem: Memory, question: str, rerank: str) -> None:
    began = time.perf_counter()
    found = mem.search(ODD[question], explain=True, rerank=rerank)
    assert time.perf_counter() - began < SECONDS_MAX
    assert all(0.0 <= hit.score <= 1.0 for hit in found)
    assert not found.abstained or found.reason
    assert len(found.reason or "") < 300


@pytest.mark.parametrize("question", ["one word of 100 KB", "stop words", "punctuation", "Japanese", "Arabic"])
def test_what_says_nothing_here_is_not_answered(mem: Memory, question: str) -> None:
    assert mem.search(ODD[question]).abstained


def test_syntax_is_only_words(mem: Memory) -> None:
    assert mem.search('"AND OR NEAR(* ^ whiteboard')[0].content == NOTES[-1]


@pytest.mark.parametrize("question", [None, 7, b"bytes", ["a list"]])
def test_what_is_no_text_is_refused(mem: Memory, question: Any) -> None:
    with pytest.raises(UsageError, match="must be a text"):
        mem.search(question)


@pytest.mark.parametrize("question", ["half \ud83d", "a \x00 b"])
def test_broken_text_is_refused(mem: Memory, question: str) -> None:
    with pytest.raises(InvalidQuery):
        mem.search(question)


@pytest.mark.parametrize("top_k", [0, -1, TOP_K_MAX + 1, 10**12, 2.5, "5", True])
def test_a_number_of_results_that_makes_no_sense_is_refused(mem: Memory, top_k: Any) -> None:
    with pytest.raises(UsageError, match=f"from 1 to {TOP_K_MAX}"):
        mem.search("editor", top_k=top_k)


def test_the_largest_number_gives_what_there_is(mem: Memory) -> None:
    assert len(mem.search("editor", top_k=TOP_K_MAX)) == len(NOTES)


@pytest.mark.parametrize(
    "conditions",
    [
        {"after": "2026-05-02", "before": "2026-05-01"},
        {"kinds": ["opinion"], "categories": ["gotcha"]},
        {"filters": {"AND": [{"tier": "task"}, {"tier": "archive"}]}},
        {"session_id": "s1", "mode": "recent_sessions:3"},
        {"mode": "trend:1", "before": "2020-01-01"},
        {"place": "src/auth.py", "facets": {"diataxis_type": "howto"}, "tags": ["none"]},
    ],
)
def test_conditions_that_exclude_each_other_leave_nothing_and_say_so(mem: Memory, conditions: dict[str, Any]) -> None:
    found = mem.search("editor", **conditions)
    assert (len(found), found.abstained) == (0, True)
    assert found.reason


@pytest.mark.parametrize("name", ["as_of", "known_at", "after", "before"])
def test_a_time_that_cannot_be_read_is_named(mem: Memory, name: str) -> None:
    with pytest.raises(InvalidQuery, match=f"{name}: cannot read 'once upon a time'"):
        mem.search("editor", **{name: "once upon a time"})


# --- whether there is an answer -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What is the boiling point of tungsten?", "'tungsten'"),
        ("Which opera did Verdi write in Milan?", "'Verdi'"),
        ("How deep can a submarine dive?", "'submarine'"),
    ],
)
def test_a_question_about_something_else_is_not_answered(mem: Memory, question: str, named: str) -> None:
    found = mem.search(question)
    assert found.abstained
    assert named in str(found.reason)
    assert found.quality.answerable < 0.15


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which editor did Ana move to?", NOTES[0]),
        ("How does Ben restart the worker?", NOTES[1]),
        ("What expiry does the price cache have?", NOTES[2]),
        ("When are releases cut?", NOTES[3]),
    ],
)
def test_a_question_about_what_is_stored_is_answered(mem: Memory, question: str, answer: str) -> None:
    found = mem.search(question)
    assert not found.abstained
    assert found.reason is None
    assert found[0].content == answer
    assert found.quality.answerable > 0.5


def test_an_empty_store_says_so() -> None:
    with recollect.open(":memory:", embedder="fake") as empty:
        found = empty.search("anything?")
        assert (found.abstained, found.reason) == (True, "nothing is stored here")


def test_the_owner_is_told_of_other_scopes_and_a_handle_is_not() -> None:
    with recollect.open(":memory:", embedder="fake") as mem:
        mem.add("Ana likes bread", user_id="ana")
        for where in ({}, {"user_id": "ben"}):
            found = mem.search("who likes bread?", **where)
            assert found.abstained
            assert "reach='all'" in str(found.reason)
        assert mem.scoped(user_id="ben").search("who likes bread?").reason == "nothing is stored here"
        narrowed = mem.search("bread", user_id="ana", kinds=["episodic"])
        assert "meets the conditions" in str(narrowed.reason)


# --- figures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rerank", [None, *STRATEGIES])
def test_every_figure_is_set_and_within_range(mem: Memory, rerank: str | None) -> None:
    quality = mem.search("which editor does Ana use?", rerank=rerank).quality
    assert quality.candidates == len(NOTES)
    assert 0.0 < quality.latency_ms < 1_000
    assert quality.stages_ms.keys() >= {"plan", "freshen", "embed", "gather", "rank", "judge", "finish", "load"}
    assert sum(quality.stages_ms.values()) <= quality.latency_ms + 1.0
    assert quality.strategy in STRATEGIES
    assert quality.level == "full"
    assert quality.intent in KINDS
    assert all(0.0 <= figure <= 1.0 for figure in (quality.relevancy, quality.ndcg, quality.answerable))
    assert quality.weights
    assert quality.weights.keys() <= part_weights(RankingSettings()).keys()
    assert all(weight >= 0.0 for weight in quality.weights.values())
    assert quality.to_dict().keys() == set(quality.__slots__)


def test_searches_add_up_in_health() -> None:
    with open_memory(":memory:", embedder="wordllama", clock=Ticking()) as memory:
        memory.add(NOTES)
        memory.search("which editor does Ana use?")
        memory.search("anything", tags=["none"])
        health = memory.health()
        assert 0.0 < health["relevancy_avg"] <= 1.0
        assert health["searches_without_hits"] == 1


# --- why ------------------------------------------------------------------------------------------------------------


def test_a_trace_is_consistent(mem: Memory) -> None:
    found = mem.search("how does Ben restart the worker?", explain=True)
    trace, ids = found.trace, [hit.id for hit in found]
    assert set(trace.hits) == set(trace.moves) == set(trace.found_by) == set(ids)
    assert trace.plan["kind"] == found.quality.intent
    assert trace.plan["asks"]
    assert 0.0 <= trace.plan["certainty"] <= 1.0
    places: dict[str, set[int]] = {}
    for place, hit in enumerate(found, start=1):
        assert trace.moves[hit.id][0].step == "rank"
        assert (trace.moves[hit.id][-1].rank, trace.moves[hit.id][-1].score) == (place, hit.score)
        assert sum(step.contribution for step in trace.hits[hit.id]) == pytest.approx(trace.moves[hit.id][0].score)
        for move, before in zip(trace.moves[hit.id][1:], trace.moves[hit.id], strict=False):
            assert before.score + sum(move.by.values()) == pytest.approx(move.score) or not move.by
        for source, at in trace.found_by[hit.id].items():
            assert at >= 1
            assert at not in places.setdefault(source, set())
            places[source].add(at)
    assert found.to_dict()["trace"]["plan"] == trace.plan


def test_without_asking_there_is_no_trace(mem: Memory) -> None:
    found = mem.search("which editor?")
    assert found.trace is None
    assert found.to_dict()["trace"] is None


# --- people ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def office() -> Iterator[Memory]:
    """Two people who talk, and statements about them that nobody said."""
    with open_memory(":memory:", embedder="wordllama", clock=Ticking()) as memory:
        memory.add(
            [
                {"role": "user", "name": "Ana", "content": "Checkout was slow again this morning."},
                {"role": "user", "name": "Ben", "content": "I will look at the queries after lunch."},
                {"role": "user", "name": "Ben", "content": "My parrot is called Coco."},
            ],
            session_id="s1",
        )
        memory.add(["Ana's desk is on the third floor", "Ben's locker is in the basement", "The printer is out of ink"])
        yield memory


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where is Ana's desk?", "Ana's desk is on the third floor"),
        ("Where is Ben's locker?", "Ben's locker is in the basement"),
        ("What is Ben's parrot called?", "My parrot is called Coco."),
    ],
)
def test_statements_about_a_person_answer_as_their_own_words_do(office: Memory, question: str, answer: str) -> None:
    found = office.search(question)
    assert found[0].content == answer
    assert not found.abstained


def test_what_is_known_of_somebody_else_is_no_answer(office: Memory) -> None:
    assert "about somebody else: Ana is named" in str(office.search("What is Ana's parrot called?").reason)
    theirs, anothers = (office.search(f"Where is {name}'s locker?").quality.answerable for name in ("Ben", "Ana"))
    assert anothers < 0.3 < 0.9 < theirs
