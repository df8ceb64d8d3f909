"""What searches give away beyond their answers, with each defence and without: by scores and by time.

Scores: records whose texts are withheld (confidential) are found and scored all the same. Somebody who may search, and
knows what sort of sentence it is, asks 100 times: three words are unknown, of 33 candidates each, and the candidate
that scores best is kept. What is told is the share of words that are right in the end; one in 33 is chance.

Time: a search in a scope where a withheld record answers, and in one where nothing is. What is told is how well one
search's time alone tells the two apart (AUC: .5 is chance, 1 is always).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import recollect
from bench.child import run
from bench.measure import Figure, Stopwatch, latency
from bench.plan import Plan
from recollect.memory import Memory

GROUP = "oracles"
PROBES = 100
_NAMES = (
    "Ana Ben Carla Dora Emil Fatma Greta Hugo Ida Jonas Kira Leo Mara Nils Olga Paul Rosa Sven Tara Uwe Vera Willi "
    "Xenia Yara Zoe Arthur Bella Caspar Daria Edgar Flora Georg Hanna"
).split()
_ILLNESSES = (
    "asthma diabetes cancer epilepsy depression migraine arthritis anaemia hepatitis leukaemia malaria psoriasis "
    "anxiety insomnia gout lupus pneumonia measles mumps tuberculosis scoliosis glaucoma dementia bronchitis eczema "
    "hernia appendicitis tinnitus vertigo rabies cholera typhus shingles"
).split()
_PLACES = (
    "Lisbon Oslo Lima Rome Paris Berlin Madrid Vienna Prague Dublin Athens Warsaw Zurich Cairo Tokyo Sydney Boston "
    "Denver Toronto Havana Quito Delhi Seoul Nairobi Tunis Riga Milan Porto Basel Ghent Turin Leeds Malmo"
).split()
_SLOTS = (_NAMES, _ILLNESSES, _PLACES)
_DEFENCES: dict[str, dict[str, Any]] = {
    "exact scores": {},
    "scores in steps": {"coarse_scores": True},
    "scores with noise": {"noisy_scores": True},
    "scores in steps, with noise": {"coarse_scores": True, "noisy_scores": True},
}


def measure_once(folder: Path, plan: Plan) -> list[Figure]:
    """One figure for each defence. Secrets lie in stores of their own, in memory."""
    secrets, asked = (12, 150) if plan.searches > 100 else (2, 20)
    found = run("bench.oracles:attacks", secrets=secrets, asked=asked)
    return [Figure(**figure) for figure in found]


def attacks(secrets: int, asked: int) -> list[dict[str, Any]]:
    """In a child: the climb under each defence, then the clock with and without even time."""
    figures = [_climbed(name, security, secrets) for name, security in _DEFENCES.items()]
    figures += [_timed(name, security, asked) for name, security in (("", {}), (", even", {"even_timing": True}))]
    return [figure.to_dict() for figure in figures]


def sentence(words: Sequence[str]) -> str:
    return f"{words[0]} is treated for {words[1]} at the clinic in {words[2]}"


@contextmanager
def _store(security: dict[str, Any], secrets: Sequence[Sequence[str]]) -> Iterator[Memory]:
    """Each secret in a scope of its own, withheld, among a few texts that are not."""
    with recollect.open(":memory:", config={"security": security}) as memory:
        for at, words in enumerate(secrets):
            memory.add({"content": sentence(words), "security": "confidential"}, user_id=f"u{at}", infer=False)
            memory.add(["The bus leaves at eight", "Tea is in the kitchen"], user_id=f"u{at}", infer=False)
        memory.settle()
        yield memory


def _climbed(name: str, security: dict[str, Any], count: int) -> Figure:
    chance = random.Random(7)
    secrets = [[chance.choice(slot) for slot in _SLOTS] for _ in range(count)]
    right, times = 0, []
    with _store(security, secrets) as memory:
        for at, words in enumerate(secrets):
            guess, took = _climb(memory.scoped(user_id=f"u{at}"), random.Random(at))
            times += took
            right += sum(mine == theirs for mine, theirs in zip(guess, words, strict=True))
    share = right / (count * len(_SLOTS))
    note = f"{PROBES} probes find {share:.0%} of the words of a withheld text; chance is {1 / len(_NAMES):.0%}"
    return latency(GROUP, f"climb by {name}", times, note=note)


def _climb(handle: Memory, chance: random.Random) -> tuple[list[str], list[float]]:
    """Word by word: of all candidates the one with the best score, and among equals any."""
    guess, times = [chance.choice(slot) for slot in _SLOTS], []
    for place, slot in sorted(enumerate(_SLOTS), key=lambda each: each[0] != 1):  # the weightiest word first
        scores: dict[str, float] = {}
        for word in slot:
            watch = Stopwatch()
            found = handle.search(sentence([*guess[:place], word, *guess[place + 1 :]]), top_k=10)
            times.append(watch.ms)
            scores[word] = max((hit.score for hit in found if hit.security == "confidential"), default=0.0)
        best = max(scores.values())
        guess[place] = chance.choice([word for word in slot if scores[word] == best])
    return guess, times


def _timed(name: str, security: dict[str, Any], asked: int) -> Figure:
    """The same questions in a scope with an answer and in one without, in turns."""
    chance = random.Random(3)
    secret = [chance.choice(slot) for slot in _SLOTS]
    there: list[float] = []
    not_there: list[float] = []
    with _store(security, [secret]) as memory:
        full, empty = memory.scoped(user_id="u0"), memory.scoped(user_id="nobody")
        for _ in range(asked):
            question = sentence([chance.choice(slot) for slot in _SLOTS])
            for handle, times in ((full, there), (empty, not_there)):
                watch = Stopwatch()
                handle.search(question)
                times.append(watch.ms)
    told = auc(there, not_there)
    note = f"one search tells whether there is something in a scope with AUC {max(told, 1 - told):.2f}"
    return latency(GROUP, f"time of a search{name}", there, note=note)


def auc(larger: Sequence[float], smaller: Sequence[float]) -> float:
    """How often one of the first exceeds one of the second."""
    wins = sum((a > b) + 0.5 * (a == b) for a in larger for b in smaller)
    return wins / (len(larger) * len(smaller))
