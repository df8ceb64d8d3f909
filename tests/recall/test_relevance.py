"""Whether a search finds what a person would: one conversation of two friends, and what one might ask about it.

Not a benchmark; a floor. With the default model, which comes with the package.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean

import pytest

import recollect
from recollect import Memory

SESSIONS: dict[str, list[tuple[str, str]]] = {
    "2024-01-14": [
        ("Maya", "Hey Tomas! Happy new year. How was the trip home?"),
        ("Tomas", "Long. My flight from Lisbon was cancelled and I slept at the airport."),
        ("Maya", "Oh no. Did they at least give you a hotel voucher?"),
        ("Tomas", "Nothing. I ended up on the floor next to a vending machine."),
        ("Maya", "Awful. I spent the holidays repainting my kitchen, it's dark green now."),
        ("Tomas", "Bold choice! Did you do it alone?"),
        ("Maya", "My sister Irene came over and helped with the ceiling."),
        ("Tomas", "Nice of her. Any plans for this year?"),
        ("Maya", "I signed up for a pottery class, it starts in February."),
        ("Tomas", "I want to run a half marathon, the one in Porto in the autumn."),
        ("Maya", "You? Running?"),
        ("Tomas", "My doctor says my blood pressure is too high, so yes."),
    ],
    "2024-03-02": [
        ("Tomas", "Big news: I accepted an offer, I'm leaving the bank."),
        ("Maya", "Finally! Where are you going?"),
        ("Tomas", "A small company called Windrose, they build navigation software for sailors."),
        ("Maya", "That fits you so well. When do you start?"),
        ("Tomas", "On the first of April, no joke."),
        ("Maya", "Congratulations! I made my first bowl in class. It leaks."),
        ("Tomas", "A bowl that leaks is called a colander."),
        ("Maya", "Very funny. The teacher, Mr. Okafor, says the glaze was too thin."),
        ("Tomas", "Keep it anyway, the first one matters."),
        ("Maya", "I put my keys in it. By the way, we adopted a cat."),
        ("Tomas", "What? What's its name?"),
        ("Maya", "Biscuit. He is orange and completely deaf."),
        ("Tomas", "Poor thing. Is the landlord fine with that?"),
        ("Maya", "She doesn't know yet."),
    ],
    "2024-05-19": [
        ("Maya", "I'm allergic to peanuts, as it turns out. I found out the hard way on Friday."),
        ("Tomas", "What happened? Are you alright?"),
        ("Maya", "Satay sauce. I spent the night in the emergency room, but I'm fine now."),
        ("Tomas", "That's scary. Do you carry something with you now?"),
        ("Maya", "Yes, two pens, one in my bag and one at the office."),
        ("Tomas", "Good. I moved last week, I live near the harbour now."),
        ("Maya", "Do you have a view?"),
        ("Tomas", "Fourth floor, no lift, and I can see the lighthouse from my desk."),
        ("Maya", "I'm jealous. How is the training going?"),
        ("Tomas", "Slow. I hurt my left knee and had to pause for three weeks."),
        ("Maya", "Take it easy. Swimming might be better for a while."),
        ("Tomas", "That's what the physiotherapist said too."),
    ],
    "2024-08-25": [
        ("Tomas", "How was Iceland?"),
        ("Maya", "Incredible. We drove around the whole ring road in a tiny camper van."),
        ("Tomas", "Who is we?"),
        ("Maya", "Me and Irene. She drove, I was afraid of the gravel roads."),
        ("Tomas", "Did you see the northern lights?"),
        ("Maya", "No, in summer it never gets dark. But we saw puffins and a whale."),
        ("Tomas", "I've been learning to play the cello, don't laugh."),
        ("Maya", "Since when do you play an instrument?"),
        ("Tomas", "Since June. I rent one, it's cheaper than buying."),
        ("Maya", "Play something at my birthday then, it's on September 12."),
        ("Tomas", "In three weeks? I know exactly one song."),
        ("Maya", "One song is enough."),
    ],
    "2024-11-10": [
        ("Tomas", "I did it, I finished in Porto: two hours and eleven minutes."),
        ("Maya", "Bravo! How is the knee?"),
        ("Tomas", "It held. I'm already registered for Valencia next year."),
        ("Maya", "My pots are in an exhibition at the public library, can you believe it?"),
        ("Tomas", "From leaking bowls to an exhibition! When can I come?"),
        ("Maya", "The opening is on November 22 at six."),
        ("Tomas", "I'll be there. I may bring Clara."),
        ("Maya", "Who is Clara?"),
        ("Tomas", "We met in the orchestra for beginners, she plays the viola."),
        ("Maya", "Then definitely bring her. The landlord found out about Biscuit, too."),
        ("Tomas", "And?"),
        ("Maya", "She loves him. She brings him sardines."),
    ],
}

# What is asked, and words of the turn that answers.
QUESTIONS = {
    "What colour is Maya's kitchen?": "dark green",
    "Who helped Maya paint?": "My sister Irene",
    "Why was Tomas stuck at the airport?": "flight from Lisbon was cancelled",
    "What is the name of Maya's cat?": "Biscuit. He is orange",
    "What does the company build where Tomas works?": "Windrose",
    "When did Tomas start his new job?": "first of April",
    "What is Maya allergic to?": "allergic to peanuts",
    "Which knee did Tomas hurt?": "left knee",
    "Where does Tomas live?": "near the harbour",
    "How did Maya travel around Iceland?": "camper van",
    "Which instrument is Tomas learning to play?": "the cello",
    "When is Maya's birthday?": "September 12",
    "How long did Tomas take for the half marathon in Porto?": "eleven minutes",
    "What did the teacher say about the glaze?": "Okafor",
    "Where is Maya's pottery exhibition?": "public library",
    "How did Tomas meet Clara?": "orchestra for beginners",
    "What animals did Maya see in Iceland?": "puffins",
    "What did Tomas announce on March 2?": "leaving the bank",
}
TOP = 4


@pytest.fixture(scope="module")
def talk() -> Iterator[Memory]:
    with recollect.open(":memory:") as memory:
        for day, turns in SESSIONS.items():
            memory.add(
                [
                    {"role": "user", "name": who, "content": text, "timestamp": f"{day}T10:{minute:02}:00Z"}
                    for minute, (who, text) in enumerate(turns)
                ],
                session_id=day,
            )
        yield memory


def test_the_conversation_is_long_enough() -> None:
    turns = [text for session in SESSIONS.values() for _, text in session]
    assert len(turns) >= 60
    for answer in QUESTIONS.values():
        assert sum(answer in text for text in turns) == 1, answer


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_answer_is_among_the_first(talk: Memory, question: str) -> None:
    found = [hit.content for hit in talk.search(question, top_k=TOP)]
    assert any(QUESTIONS[question] in content for content in found), found


def test_most_answers_come_first(talk: Memory) -> None:
    first = [QUESTIONS[question] in talk.search(question, top_k=1)[0].content for question in QUESTIONS]
    assert mean(first) >= 0.6


def test_answers_score_clearly_above_the_rest(talk: Memory) -> None:
    """On average, and for nearly every question: the answer against what comes after the first five."""
    answers, others = [], []
    for question, words in QUESTIONS.items():
        hits = talk.search(question, top_k=15)
        answers.append(next(hit.score for hit in hits if words in hit.content))
        others.append(mean([hit.score for hit in hits[5:] if words not in hit.content] or [0.0]))
    assert mean(answers) > mean(others) + 0.1
    assert sum(answer > other + 0.05 for answer, other in zip(answers, others, strict=True)) >= len(answers) - 1


@pytest.mark.parametrize(
    "question",
    [
        "How do I configure the PostgreSQL connection pool?",
        "quarterly revenue forecast spreadsheet",
        "Which vaccine protects against yellow fever?",
    ],
)
def test_what_was_never_said_scores_low(talk: Memory, question: str) -> None:
    answers = [talk.search(asked, top_k=1)[0].score for asked in QUESTIONS]
    strange = [hit.score for hit in talk.search(question, top_k=3)]
    assert max(strange, default=0.0) < min(mean(answers) / 1.5, max(answers))


def test_who_is_asked_about_counts(talk: Memory) -> None:
    """The same words about the one and the other: each question finds turns of its own person first."""
    for who in ("Maya", "Tomas"):
        speakers = [hit.speaker for hit in talk.search(f"What is {who} planning for this year?", top_k=3)]
        assert speakers.count(who) >= 2, speakers


def test_the_day_that_is_asked_about_counts(talk: Memory) -> None:
    for day, words in (("2024-05-19", "May 19"), ("2024-08-25", "25 August 2024"), ("2024-11-10", "November 10th")):
        sessions = [hit.session_id for hit in talk.search(f"What did they talk about on {words}?", top_k=5)]
        assert sessions.count(day) >= 4, (words, sessions)


def test_one_session_alone(talk: Memory) -> None:
    hits = talk.search("What did the landlord say about Biscuit?", session_id="2024-11-10", top_k=3)
    assert all(hit.session_id == "2024-11-10" for hit in hits)
    assert any("Biscuit" in hit.content or "sardines" in hit.content for hit in hits)


def test_every_score_is_explained(talk: Memory) -> None:
    for question in QUESTIONS:
        found = talk.search(question, explain=True, top_k=10)
        assert found.trace is not None
        for hit in found:
            steps, moves = found.trace.hits[hit.id], found.trace.moves[hit.id]
            assert sum(step.contribution for step in steps) == pytest.approx(moves[0].score, abs=1e-6)
            assert moves[-1].score == hit.score
