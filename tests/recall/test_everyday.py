"""Ordinary questions about a person's weeks with an assistant: what they said is among the first three hits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import Memory

FOUND_AT_LEAST = 22  # of the 24 questions below, in the first three; the static model does not know every paraphrase

WEEKS = {
    "2026-08-03": [
        ("user", "Hi, I'm Rosa, 41, I teach chemistry at a school in Ghent and I live on Steenstraat."),
        ("assistant", "Nice to meet you, Rosa! How can I help?"),
        ("user", "My son Emiel is 12 and my daughter Lotte is 7. Lotte is allergic to peanuts, badly."),
        ("assistant", "I will keep peanuts out of every recipe."),
        ("user", "My husband Wim drives the tram, early shifts mostly."),
    ],
    "2026-08-09": [
        ("user", "We bought a caravan last week, a second-hand Hobby, for 6,200 euros."),
        ("assistant", "Congratulations! Where will the first trip go?"),
        ("user", "To the Ardennes, the campsite in La Roche, from 21 to 24 August."),
        ("user", "For the marks of my classes I keep everything in LibreOffice Calc."),
        ("assistant", "Noted."),
    ],
    "2026-08-17": [
        ("user", "My dentist is Dr. Maes, and I have an appointment on 2 September at 8:30."),
        ("assistant", "Saved: Dr. Maes, 2 September, 8:30."),
        ("user", "Please answer me in short sentences, I read you on the bus."),
        ("user", "I swim every Wednesday evening at the Rozebroeken pool."),
        ("assistant", "Enjoy the water! Do you swim with somebody?"),
        ("user", "With my friend Katrien, we were at school together."),
    ],
    "2026-08-30": [
        ("user", "The caravan leaks at the roof window. The repair costs 340 euros, the garage in Aalst does it."),
        ("assistant", "That is annoying. When will it be ready?"),
        ("user", "In two weeks. And I moved my marks from LibreOffice to Google Sheets, the school wants it."),
        ("user", "Emiel plays the trumpet now, he gave up the piano."),
        ("assistant", "A trumpet! Do the neighbours know?"),
    ],
    "2026-09-06": [
        ("user", "The dentist moved my appointment to 16 September, same hour."),
        ("assistant", "Changed to 16 September at 8:30."),
        ("user", "We chose the school trip: the planetarium in Brussels, because the bus is free."),
        ("user", "My mother Hilde turns 70 on 12 October, we will have dinner at De Graslei."),
        ("assistant", "A fine occasion!"),
    ],
}
QUESTIONS = {
    "How old am I?": "41",
    "Where do I live?": "Steenstraat",
    "What do I teach?": "chemistry",
    "Which subject does Rosa teach?": "chemistry",
    "What is my son called?": "Emiel is 12",
    "What is Lotte allergic to?": "peanuts, badly",
    "What does my husband do?": "drives the tram",
    "What did we buy?": "bought a caravan",
    "What did the caravan cost?": "6,200",
    "Where are we going in August?": "La Roche",
    "Who is my dentist?": "Dr. Maes, and",
    "When is my appointment at the dentist?": "16 September, same",
    "How should you answer me?": "short sentences",
    "When do I swim?": "every Wednesday",
    "With whom do I swim?": "Katrien",
    "Who repairs the caravan?": "garage in Aalst",
    "How much is the repair?": "340",
    "Where do I keep the marks?": "Google Sheets",
    "Which instrument does Emiel play?": "trumpet now",
    "Where does the school trip go?": "planetarium",
    "Why did we choose the planetarium?": "bus is free",
    "How old will my mother be?": "turns 70",
    "When is Hilde's birthday?": "12 October",
    "Where do we have dinner for my mother's birthday?": "De Graslei",
}


@pytest.fixture(scope="module")
def mem() -> Iterator[Memory]:
    with recollect.open(":memory:", config={"upkeep.after_session": False}) as memory:
        for day, said in WEEKS.items():
            turns = [
                {"role": role, "content": text, "timestamp": day} | ({"name": "Rosa"} if role == "user" else {})
                for role, text in said
            ]
            memory.add(turns, session_id=day, user_id="rosa")
        yield memory


def test_what_was_said_is_among_the_first_three(mem: Memory) -> None:
    found = {question: mem.search(question, user_id="rosa", top_k=3) for question in QUESTIONS}
    missed = [
        question for question, hits in found.items() if not any(QUESTIONS[question] in hit.content for hit in hits)
    ]
    assert len(QUESTIONS) - len(missed) >= FOUND_AT_LEAST, missed
    refused = [question for question, hits in found.items() if hits.abstained]
    assert len(refused) <= 1, refused


@pytest.mark.parametrize(
    ("mine", "hers"),
    [
        ("Where do I live?", "Where does Rosa live?"),
        ("What do I teach?", "What does Rosa teach?"),
        ("When do I swim?", "When does Rosa swim?"),
        ("Who is my dentist?", "Who is Rosa's dentist?"),
    ],
)
def test_the_first_person_of_a_question_is_the_user(mem: Memory, mine: str, hers: str) -> None:
    first, third = (mem.search(question, user_id="rosa")[0] for question in (mine, hers))
    assert first.id == third.id


@pytest.mark.parametrize("said", ["The user lives in Lisbon", "Ana lives in Lisbon", "I live in Lisbon"])
@pytest.mark.parametrize("asked", ["Where do I live?", "Where does Ana live?"])
def test_whoever_is_the_grammatical_person_of_a_statement(said: str, asked: str) -> None:
    with recollect.open(":memory:") as memory:
        memory.add(["Ana has two cats", "The user works at Fjord", said, "I like tea"], user_id="ana")
        found = memory.search(asked, user_id="ana")
        assert found[0].content == said
        assert not found.abstained


EXTRA = """Ana uses a MacBook|Ana uses Linux at work|Ana drinks green tea|Ana is 34 years old|Ana lives in Porto
Ana plays the cello|Ana's sister is called Marta|Ana works at Fjord|Ana uses Firefox|Ana rides a blue bike
Ana speaks Portuguese|Ana is allergic to nuts|Ana runs on Sundays|Ana reads crime novels|Ana uses a standing desk
Ana's manager is Prakash|Ana has two cats|Ana prefers window seats|Ana was born in Braga|Ana uses Slack now"""


def test_the_kind_of_thing_asked_for_weighs_more_than_a_shared_name() -> None:
    with recollect.open(":memory:") as memory:
        memory.add("Ana switched her editor from vim to Helix", user_id="ana")
        for fact in EXTRA.replace("\n", "|").split("|"):
            memory.add(fact, user_id="ana")
            found = memory.search("which editor does Ana use now?", user_id="ana")
            assert "Helix" in found[0].content, fact
