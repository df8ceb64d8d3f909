"""What is known, at a distance: how fast its tree and its patterns are made, and whether `assess` knows what it knows.

    python -m bench.quality.knowing [records]

Speed on turns made from templates, in one scope: whole figures of a run, the writing included. `assess` on LoCoMo's
development half: its confidence for questions that have an answer against those that have none (AUROC), beside the
search's best score, and beside nothing but the nearness of the question to a domain.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator, Sequence

import recollect
from bench.quality.figures import Figure
from bench.quality.measures import auroc
from bench.quality.rankers import Engine, settle
from bench.quality.sets import NoData, load
from recollect.ingest.embedding import Embedding
from recollect.insight.assess import Assessing
from recollect.model.query import Criteria
from recollect.model.scope import Reach
from recollect.store import summaries
from recollect.upkeep.consolidation.patterns import PatternsStep
from recollect.upkeep.knowledge.abstraction import AbstractionStep, insert
from recollect.upkeep.knowledge.stored_tree import space_of_tree
from recollect.upkeep.runs.activity import Activity
from recollect.upkeep.runs.run import UpkeepStep
from recollect.upkeep.runs.runner import Runner

RECORDS = 10_000
INSERTS = 20
_SESSION = 250
_PEOPLE = "Ana Ben Cleo Dora Emil Fay Gus Hana Ivo Jun".split()
_DOINGS = (
    "I bought a {0} {1} at the {2} market",
    "I painted the {1} in the {2} with {0} colours",
    "My {0} {1} broke in the {2} last week",
    "I want to visit the {2} because of its {0} {1}",
    "I learned how to repair a {0} {1} at the {2}",
    "I prefer the {0} {1} to the one from the {2}",
)
_KINDS = "amber blue copper dusty early faded green heavy ivory jade large mellow narrow old pale quiet".split()
_THINGS = "lamp kettle violin bicycle carpet camera teapot jacket ladder mirror clock basket drum lantern".split()
_PLACES = "harbour library museum garden station bakery theatre chapel orchard workshop tower bridge".split()


def measure(baselines: bool, records: int = RECORDS) -> list[Figure]:
    return [*_speed(records), *_assessed(baselines)]


def turns(count: int) -> Iterator[str]:
    """So many different sentences, the same every time."""
    chance = random.Random(5)
    for number in range(count):
        said = chance.choice(_DOINGS).format(chance.choice(_KINDS), chance.choice(_THINGS), chance.choice(_PLACES))
        yield f"{said}, number {number}"


def upkept(memory: recollect.Memory, *steps: UpkeepStep) -> float:
    """Run these steps; how many seconds that took."""
    engine = memory._engine
    begin = time.perf_counter()
    Runner(engine.store, engine.config, engine.clock, Activity()).run("maintain", steps)
    return time.perf_counter() - begin


def _speed(records: int) -> list[Figure]:
    with recollect.open(":memory:") as memory:
        _fill(memory, list(turns(records)))
        engine = memory._engine
        with engine.store.read() as tx:
            stated = int(tx.sql.value("SELECT count(*) FROM record WHERE turn_pk IS NOT NULL"))
        patterns = upkept(memory, PatternsStep(Embedding(engine.embedder, engine.store)))
        rebuilt = upkept(memory, AbstractionStep())
        inserts = sorted(_insert(memory, text) for text in list(turns(records + INSERTS))[-INSERTS:])
    slowest = inserts[int(0.95 * (len(inserts) - 1))]
    return [
        Figure(name="records/s, tree rebuilt", value=records / rebuilt, note=f"{records:,} in {rebuilt:.2f} s"),
        Figure(name="records/s, put into the tree", value=1 / slowest, note=f"p95 {slowest * 1e3:.0f} ms"),
        Figure(name="statements/s, patterns", value=stated / patterns, note=f"{stated:,} in {patterns:.2f} s"),
    ]


def _fill(memory: recollect.Memory, said: Sequence[str]) -> None:
    for start in range(0, len(said), _SESSION):
        speaker = _PEOPLE[start // _SESSION % len(_PEOPLE)]
        messages = [{"role": "user", "name": speaker, "content": text} for text in said[start : start + _SESSION]]
        memory.add(messages, session_id=f"s{start}")
    settle(memory)


def _insert(memory: recollect.Memory, text: str) -> float:
    engine = memory._engine
    record_id = memory.add(text).id
    with engine.store.read() as tx:
        pk = int(tx.sql.value("SELECT pk FROM record WHERE id = ?", (record_id,)))
    begin = time.perf_counter()
    insert(engine.store, engine.config, engine.clock, [pk])
    return time.perf_counter() - begin


def _assessed(baselines: bool) -> list[Figure]:
    try:
        conversations = load("locomo")
    except (NoData, SystemExit) as missing:
        return [Figure(name="AUROC of assess", value=None, note=str(missing))]
    found: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in ("assess", "score", "domain")}
    for conversation in conversations:
        ranker = Engine()
        ranker.index(conversation.turns)
        assert ranker._memory is not None
        memory = ranker._memory
        upkept(memory, AbstractionStep())
        for question in conversation.questions:
            for name, value in _judged(memory, question.text).items():
                found[name][0 if question.answerable else 1].append(value)
        ranker.close()
    values = {name: auroc(*own) for name, own in found.items()}
    count = sum(len(part) for part in found["assess"])
    figures = [
        Figure(
            name="AUROC of assess",
            value=values["assess"],
            baseline=values["score"] if baselines else None,
            note=f"{count} questions; beside the best score",
        )
    ]
    if baselines:
        figures.append(Figure(name="AUROC of nearness to a domain alone", value=values["domain"], note=f"{count}"))
    return figures


def _judged(memory: recollect.Memory, question: str) -> dict[str, float]:
    engine = memory._engine
    assert engine.embedder is not None
    assessing = Assessing(
        engine.store, Embedding(engine.embedder, engine.store), engine.recall.search, engine.config, engine.clock
    )
    found = memory.search(question, top_k=10)
    with engine.store.read() as tx:
        space = space_of_tree(tx)
        assert space is not None
        domains = [
            node.centroid
            for _, node in tx.summaries.of_level(None, summaries.DOMAIN, space=space)
            if node.centroid is not None
        ]
    direction = engine.embedder.embed([question])[0]
    return {
        "assess": assessing.assess(question, Criteria(reach=Reach.ALL)).confidence,
        "score": found[0].score if len(found) else 0.0,
        "domain": max((float(each @ direction) for each in domains), default=0.0),
    }


if __name__ == "__main__":
    for figure in measure(True, int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS):
        print(figure.name, figure.value, figure.baseline, figure.note)
