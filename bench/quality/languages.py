"""Across languages: what is told in one language and asked in another.

    python -m bench.quality.languages [EMBEDDER …]

`facts_in_three_languages.json` holds facts of an ordinary life, each told and asked in English, German and Spanish; the
question does not repeat the words of the fact. All facts are told in one language, then asked in each: nine figures of
first hits and nine of top 3. The stories of `bench.quality.everyday` that are not in English follow where they are.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import recollect
from bench.quality import everyday
from bench.quality.everyday import AskedOfIt, Life, Outcome, Said
from bench.quality.figures import Figure
from bench.quality.sets import NoData
from recollect.config import Config

FACTS = Path(__file__).with_name("facts_in_three_languages.json")
LANGUAGES = ("en", "de", "es")
DEFAULT = Config().embedder
_BEGAN = datetime(2025, 1, 6, 12, tzinfo=UTC)

Fact = Mapping[str, Mapping[str, str]]  # by language: how it is said, and asked


def measure(baselines: bool) -> list[Figure]:
    """Figures of the default embedder and of the one that is made for several languages."""
    embedders = (DEFAULT, "multilingual") if baselines else (DEFAULT,)
    return [figure for embedder in embedders for figure in measured_with(embedder)]


def measured_with(embedder: str) -> Iterator[Figure]:
    where = "" if embedder == DEFAULT else f", {embedder}"
    facts: Sequence[Fact] = json.loads(FACTS.read_text(encoding="utf-8"))
    for said in LANGUAGES:
        by_question = {asked: _life(facts, said, asked) for asked in LANGUAGES}
        with everyday.told(by_question[said], embedder=embedder) as memory:
            for asked, life in by_question.items():
                yield from _asked(memory, life).figures(f", said in {said} and asked in {asked}{where}")
    with suppress(NoData):
        lives = [life for life in everyday.stories() if life.language != "en"]
        outcome = everyday.measured(lives, in_context=False, embedder=embedder)
        yield from outcome.figures(f", stories not in English{where}")


def _asked(memory: recollect.Memory, life: Life) -> Outcome:
    outcome = Outcome()
    for question in life.questions:
        found = memory.search(question.text, user_id=everyday.user_of(life))
        hits = [everyday.turns_of(hit) for hit in found]
        for name, depth in (("first hit", 1), ("top 3", 3)):
            outcome.note(name, any(turns & question.evidence for turns in hits[:depth]))
    return outcome


def _life(facts: Sequence[Fact], said: str, asked: str) -> Life:
    """The facts in one language, a day each, and their questions in one."""
    turns = [
        Said(session=str(at), date=_BEGAN + timedelta(days=at), role="user", name="Ana", text=fact[said]["said"])
        for at, fact in enumerate(facts)
    ]
    questions = [
        AskedOfIt(
            text=fact[asked]["asked"],
            category=asked,
            evidence=frozenset([str(at)]),
            outdated=frozenset(),
            answerable=True,
        )
        for at, fact in enumerate(facts)
    ]
    return Life(id=f"{said} {asked}", user="ana", turns=turns, questions=questions, language=said)


if __name__ == "__main__":
    for name in sys.argv[1:] or [DEFAULT]:
        for each in measured_with(name):
            print(f"{each.name}: {each.value:.3f} of {each.note}", flush=True)
