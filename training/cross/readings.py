"""What the reader of questions learns from: a question, a passage, and whether the passage answers the question.

Stories give a question its evidence turns, and as counterexamples the turns of the same life that lie nearest by the
encoder; a question written to be unanswerable has counterexamples alone. Such questions can be told by themselves,
without reading anything (they ask for prices and names), so `told.jsonl` has a turn for each that does answer it,
written by hand: what a question asks for says nothing about whether it is answered. SQuAD 2.0 gives sentences of a
paragraph: those around the answer, others of the same paragraph, and those around the plausible answer of a question
that has none.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from training import measure
from training.body import Body, Words
from training.stories import Asked, Story, Turn, sentences

NEAREST = 4  # counterexamples of an answerable question
NEAREST_OF_NONE = 5  # of an unanswerable one: none of its turns is to be taken
AWAY = 1  # counterexamples from anywhere in the life
UNASKED = 2  # counterexamples of a turn that answers another question
WINDOW_WORDS = 50  # of an article, about as long as a turn of a chat
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]{2,}")  # a capitalised word after the first


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    question: str
    passage: str
    answers: bool


def shown(turn: Turn) -> str:
    """A turn as the reader sees it: who speaks, and what is said."""
    return f"{turn.speaker}: {turn.text}"


def of_stories(stories: Sequence[Story], body: Body, words: Words, seed: int) -> list[Reading]:
    """Readings of every question; the nearest turns are those of `body`, which is the encoder as it was published."""
    rng = random.Random(seed)
    device = torch.device("cpu")
    names = sorted({name for story in stories for turn in story.turns for name in _NAME.findall(turn.text)})
    found: list[Reading] = []
    for story in stories:
        with torch.autocast("cpu", torch.bfloat16):
            turns = measure.embedded(body, words, [turn.text for turn in story.turns], device)
            asked = measure.embedded(body, words, [question.text for question in story.questions], device)
        for question, cosines in zip(story.questions, asked @ turns.T, strict=True):
            found += _of_question(story, question, cosines.argsort()[::-1].tolist(), names, rng)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A turn that would answer a question of a story that none of its turns answers."""

    story: str
    question: str
    text: str


def told(path: Path) -> list[Told]:
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    return [Told(story=line["story"], question=line["question"], text=line["told"]) for line in lines]


def of_told(every: Sequence[Told], stories: Sequence[Story], seed: int) -> list[Reading]:
    """Readings of the turns written for questions of these stories, each with its question and with others."""
    rng = random.Random(seed)
    speakers = {
        s.id: next((turn.speaker for turn in s.turns if turn.role == "user"), s.turns[0].speaker) for s in stories
    }
    ours = [each for each in every if each.story in speakers]
    found: list[Reading] = []
    for each in ours:
        passage = f"{speakers[each.story]}: {each.text}"
        found.append(Reading(question=each.question, passage=passage, answers=True))
        others = rng.sample([other.question for other in ours if other.story != each.story], UNASKED)
        found += [Reading(question=other, passage=passage, answers=False) for other in others]
    return found


def _of_question(
    story: Story, question: Asked, nearest: Sequence[int], names: Sequence[str], rng: random.Random
) -> list[Reading]:
    wrong = [place for place in nearest if place not in question.evidence | question.outdated]
    count = NEAREST if question.evidence else NEAREST_OF_NONE
    taken = wrong[:count] + rng.sample(wrong[count:], min(AWAY, len(wrong[count:])))
    found = [_reading(question.text, story.turns[place], True) for place in sorted(question.evidence)]
    found += [_reading(question.text, story.turns[place], False) for place in taken]
    for place in sorted(question.evidence)[:1]:
        changed = _another_named(question.text, story.turns[place].text, names, rng)
        if changed:
            found.append(_reading(changed, story.turns[place], False))
    return found


def _reading(question: str, turn: Turn, answers: bool) -> Reading:
    return Reading(question=question, passage=shown(turn), answers=answers)


def _another_named(question: str, text: str, names: Sequence[str], rng: random.Random) -> str | None:
    """The question asked of somebody or something that the turn does not name; None where the two share no name."""
    shared = [name for name in _NAME.findall(question) if name in text]
    others = [name for name in rng.sample(names, min(5, len(names))) if name not in text and name not in question]
    return question.replace(shared[0], others[0]) if shared and others else None


def of_articles(path: Path, seed: int) -> list[Reading]:
    """Readings of a file in the form of SQuAD 2.0."""
    rng = random.Random(seed)
    articles: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["data"]
    return [
        reading
        for article in articles
        for paragraph in article["paragraphs"]
        for asked in paragraph["qas"]
        for reading in _of_article(asked, paragraph["context"], rng)
    ]


def _of_article(asked: dict[str, Any], context: str, rng: random.Random) -> Iterable[Reading]:
    spans = asked["answers"] or asked.get("plausible_answers") or []
    if not spans:
        return
    parts = sentences(context)
    answer = spans[0]["text"]
    at = next(
        (place for place in _by_distance(parts, context, spans[0]["answer_start"]) if answer in parts[place]), None
    )
    if at is None:
        return
    around = _window(parts, at, rng)
    yield Reading(question=asked["question"], passage=around, answers=not asked["is_impossible"])
    away = [place for place in range(len(parts)) if answer not in parts[place]]
    if not asked["is_impossible"] and away:
        passage = _window(parts, rng.choice(away), rng)
        if not any(span["text"] in passage for span in spans):
            yield Reading(question=asked["question"], passage=passage, answers=False)


def _by_distance(parts: Sequence[str], context: str, start: int) -> list[int]:
    """Places of the sentences, the one that holds a character first, then those near it."""
    starts = [context.find(part) for part in parts]
    ends = [begin + len(part) for begin, part in zip(starts, parts, strict=True)]
    return sorted(range(len(parts)), key=lambda place: max(starts[place] - start, start - ends[place], 0))


def _window(parts: Sequence[str], at: int, rng: random.Random) -> str:
    """A sentence with neighbours, up to about the length of a turn."""
    first = last = at
    while True:
        wider = [(first - 1, last)] * (first > 0) + [(first, last + 1)] * (last + 1 < len(parts))
        fitting = [(a, b) for a, b in wider if sum(len(part.split()) for part in parts[a : b + 1]) <= WINDOW_WORDS]
        if not fitting:
            return " ".join(parts[first : last + 1])
        first, last = rng.choice(fitting)
