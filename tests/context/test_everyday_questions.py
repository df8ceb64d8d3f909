"""What people ask every day gets its answer into the window, however few words they use and however old it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from commands import Run
from interfaces.rest_server import client

import recollect
from recollect import Memory
from recollect.clock import to_us
from recollect.model.context import ContextWindow
from recollect.model.scope import Scope
from recollect.verbs.toolsets.run import run as run_tool

NOW = to_us(datetime(2026, 11, 16, 12, tzinfo=UTC))  # a Monday
TOKENS = 900
TALKS = {
    "2026-06-03": (
        "My name is Ana Duarte and I am 34 years old.",
        "I live in Lisbon, in a small flat near the river.",
        "I work as a data engineer at Galp.",
    ),
    "2026-06-12": (
        "I like hiking and Thai food.",
        "I am allergic to peanuts.",
        "My sister Rita has two kids.",
        "My birthday is on March 4.",
    ),
    "2026-06-20": (
        "We decided to use Postgres for the reporting project.",
        "Ben owns the deployment of the reporting project.",
        "The deadline of the reporting project is December 18.",
    ),
    "2026-07-05": (
        "I bought a red bike from Decathlon.",
        "My boyfriend Miguel drives an old Volvo.",
        "Our dog is called Bolota.",
    ),
    "2026-07-21": (
        "We are moving to Coimbra on January 15.",
        "I want to learn the cello next year.",
        "I get up at six and go running before work.",
    ),
    "2026-08-02": (
        "I prefer short answers without emojis.",
        "My phone is a Pixel 9.",
        "I speak Portuguese, English and some German.",
        "I ran 10 km for the first time in May.",
        "Never call me before nine in the morning.",
    ),
    "2026-11-10": ("I had dinner with Rita at the new ramen place.", "The boiler broke and the plumber came."),
    "2026-11-15": (
        "We talked about the route of the hike in Gerês.",
        "I have a dentist appointment on November 17 at nine.",
    ),
}
DISTRACTORS = [
    f"I {did} {what}."
    for did in ("watched", "read about", "photographed", "cleaned", "described")
    for what in (
        "the old lighthouse",
        "a documentary on whales",
        "the espresso machine",
        "the garden shed",
        "the museum of tiles",
        "the quarterly slides",
        "a bus timetable",
        "the kitchen tap",
    )
]
ANSWERS = {
    "Where do I live?": "Lisbon",
    "What is my name?": "Ana Duarte",
    "Who am I?": "Ana Duarte",
    "Where do I work?": "Galp",
    "How old am I?": "34 years",
    "What do I like?": "hiking",
    "What do you know about me?": "Ana Duarte",
    "Tell me about myself.": "Ana Duarte",
    "What did we decide?": "Postgres",
    "What did we talk about yesterday?": "Gerês",
    "What happened last week?": "ramen",
    "What are my plans for tomorrow?": "dentist",
    "When do we move?": "Coimbra",
    "What should I do next?": "dentist",
    "What's my job?": "data engineer",
    "What do I do for a living?": "data engineer",
    "What did I buy?": "red bike",
    "Do I have a dog?": "Bolota",
    "What is my dog called?": "Bolota",
    "When is my birthday?": "March 4",
    "What can't I eat?": "peanuts",
    "Am I allergic to anything?": "peanuts",
    "Who is Ben?": "Ben owns",
    "Who is Miguel?": "boyfriend Miguel",
    "Where are we going to live?": "Coimbra",
    "What do I want to learn?": "cello",
    "When do I get up?": "at six",
    "How do I want my answers?": "short answers",
    "What phone do I have?": "Pixel 9",
    "Which languages do I speak?": "Portuguese",
    "Who came when the boiler broke?": "plumber",
    "What did I eat with Rita?": "ramen",
    "What did I say?": "dentist",
    "What do I have to do this week?": "dentist",
    "What's new?": "dentist",
    "Do you remember me?": "Ana Duarte",
    "Do you know my name?": "Ana Duarte",
    "What do you remember?": "Ana Duarte",
    "Can you help me with what I told you?": "dentist",
    "What have I told you?": "dentist",
    "How many kids does Rita have?": "two kids",
    "Who owns it?": "Ben owns",
    "When is it due?": "December 18",
    "What was it again?": "dentist",
    "What are we using?": "Postgres",
    "What do I own?": "bike",
    "What's the plan?": "dentist",
    "What comes next?": "dentist",
    "Where am I from?": "Lisbon",
    "What do I need?": "dentist",
    "What am I doing tomorrow?": "dentist",
    "What is going on?": "dentist",
    "What did I do last week?": "ramen",
    "When did we last talk?": "Gerês",
    "What do I eat?": "Thai",
    "Who is my sister?": "Rita",
    "When did I run 10 km for the first time?": "10 km",
    "When is it too early to call me?": "before nine",
    "What did I do in July?": "red bike",
}
KNOWN_OF_NOTHING = (
    "Explain quantum chromodynamics to a physicist",
    "How does quantum chromodynamics confine quarks?",
    "What is the capital of Peru?",
    "What is the plot of Hamlet?",
    "When did the Berlin Wall fall?",
    "How many moons does Jupiter have?",
    "How do submarines dive and surface?",
    "What causes inflation in an economy?",
    "Which wine goes with lobster?",
    "What is the tax rate for corporations in Ireland?",
)
WANT_NOTHING = ("thanks!", "ok", "haha", "great, thank you")


def filled(memory: Memory) -> None:
    """Months of talk, none of it of today."""
    for day, said in TALKS.items():
        memory.add(
            [{"role": "user", "content": text, "timestamp": f"{day}T20:00:00Z"} for text in said],
            user_id="ana",
            session_id=day,
        )
    memory.add(
        [{"role": "user", "content": text, "timestamp": "2026-09-14T20:00:00Z"} for text in DISTRACTORS],
        user_id="ana",
        session_id="september",
    )
    memory.settle()


@pytest.fixture(scope="module")
def ana() -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="minilm", clock=lambda: NOW) as memory:
        filled(memory)
        yield memory.scoped(user_id="ana")


@pytest.mark.parametrize(("question", "answer"), ANSWERS.items())
def test_an_everyday_question_has_its_answer_in_the_window(ana: Memory, question: str, answer: str) -> None:
    window = ana.context(question, max_tokens=TOKENS)
    assert answer in window.text
    assert any(answer in hit.content for hit in window.hits)


@pytest.mark.parametrize(("question", "answer"), list(ANSWERS.items())[:14])
def test_what_is_in_mind_does_not_take_the_place_of_the_answer(ana: Memory, question: str, answer: str) -> None:
    session = f"asking {question}"
    ana.context("The espresso machine in the garden shed is broken.", session_id=session, max_tokens=TOKENS)
    window = ana.context(question, session_id=session, max_tokens=TOKENS)
    assert any(answer in hit.content for hit in window.hits)


@pytest.mark.parametrize("said", WANT_NOTHING)
def test_who_wants_nothing_gets_little(ana: Memory, said: str) -> None:
    window = ana.context(said)
    assert (window.mode, window.hits, window.abstained) == ("minimal", (), False)
    (standing,) = (part for part in window.parts if part.text)  # "never call me before nine" holds whatever is said
    assert standing.name == "instructions"
    assert "before nine" in standing.text
    assert standing.tokens < 100


def assert_says_that_it_knows_nothing(window: ContextWindow) -> None:
    assert window.abstained
    assert "Memory is not sure that any of this answers" in window.text or "Memory holds nothing" in window.text
    ids = window.text.count("\n#")  # random, so that each costs a token more or less
    assert window.tokens < 350 + ids


@pytest.mark.parametrize("prompt", KNOWN_OF_NOTHING)
def test_what_nothing_is_known_about_costs_few_tokens_and_says_so(ana: Memory, prompt: str) -> None:
    assert_says_that_it_knows_nothing(ana.context(prompt))


def test_what_nothing_is_known_about_costs_few_tokens_without_a_model_as_well() -> None:
    with recollect.open(":memory:", embedder=None, clock=lambda: NOW) as memory:
        filled(memory)
        assert_says_that_it_knows_nothing(memory.context(KNOWN_OF_NOTHING[0], user_id="ana"))


def test_a_window_that_holds_the_answer_does_not_say_that_there_is_none(ana: Memory) -> None:
    for question in ("Who am I?", "What do you know about me?", "Where do I live?"):
        window = ana.context(question)
        assert not window.abstained
        assert "Memory" not in window.text.rpartition("[/recollect")[2]


def test_who_somebody_is_does_not_drown_in_what_they_said_since(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake", clock=lambda: NOW) as memory:
        filled(memory)
        memory.add(
            [
                {"role": "user", "content": f"I like album number {n} of the band.", "timestamp": "2026-10-01"}
                for n in range(700)
            ],
            user_id="ana",
            session_id="music",
        )
        assert "Ana Duarte" in memory.context("What do you know about me?", user_id="ana").text


@pytest.mark.parametrize("question", ["Where do I live?", "What is my name?", "What do you know about me?"])
def test_tools_rest_and_the_shell_tell_it_as_well(question: str, tmp_path: Path, run: Run) -> None:
    path = Path(os.environ["RECOLLECT_DB"])
    with recollect.open(path) as memory:
        filled(memory)
        told = [run_tool("get_context", {"prompt": question}, Scope(user_id="ana"), memory=memory)["text"]]
    with client(path) as rest:
        answer = rest.post("/v1/context", json={"prompt": question, "user_id": "ana", "max_tokens": TOKENS})
        told.append(answer.json()["text"])
    told.append(run("context", question, "-u", "ana").out)
    assert [ANSWERS[question] in text for text in told] == [True] * 3
