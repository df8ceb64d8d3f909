"""What is compared: the engine as its users call it, and three baselines over the same texts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

import recollect
from bench.quality.measures import Found
from bench.quality.sets import Turn
from recollect.language.terms import query_terms, terms_of
from recollect.providers.registry import make_embedder

DEPTH = 50  # hits asked for: more than any measure looks at
MACHINES = ("user", "assistant")
_BATCH = 500


class Ranker(Protocol):
    def index(self, turns: Sequence[Turn]) -> None: ...

    def rank(self, question: str) -> Found: ...

    def close(self) -> None: ...


class Engine:
    """Every turn added as a message of its session; hits mapped back by their metadata.

    With the URL of a database each conversation gets a schema of its own there, which stays.
    """

    def __init__(
        self, embedder: str | None = None, config: Mapping[str, Any] | None = None, url: str | None = None
    ) -> None:
        self._options: dict[str, Any] = {"config": dict(config or {})} | ({"embedder": embedder} if embedder else {})
        self._memory: recollect.Memory | None = None
        self._url = url

    def index(self, turns: Sequence[Turn]) -> None:
        self.close()
        if self._url is None:
            self._fill(recollect.open(":memory:", **self._options), turns)
            return
        place = f"{self._url}{'&' if '?' in self._url else '?'}schema=quality_{uuid4().hex[:12]}"
        in_memory = {**self._options, "config": {**self._options["config"], "index.search": "memory"}}
        self._fill(recollect.open(place, **in_memory), turns)  # jobs that compare records need indexes in memory
        self.close()
        self._memory = memory = recollect.open(place, **self._options)
        while not memory.health()["indexes_warm"]:
            time.sleep(0.05)

    def _fill(self, memory: recollect.Memory, turns: Sequence[Turn]) -> None:
        self._memory = memory
        session: list[Turn] = []
        for turn in turns:
            if session and (turn.session != session[0].session or len(session) == _BATCH):
                add(memory, session)
                session = []
            session.append(turn)
        add(memory, session)
        settle(memory)

    @property
    def memory(self) -> recollect.Memory:
        assert self._memory is not None
        return self._memory

    def rank(self, question: str) -> Found:
        found = self.memory.search(question, top_k=DEPTH)
        return first_of_each((source.metadata["turn"], hit.score) for hit in found for source in hit.sources)

    def close(self) -> None:
        if self._memory is not None:
            self._memory.close()
            self._memory = None


def add(memory: recollect.Memory, turns: Sequence[Turn], **scope: Any) -> None:
    """Turns of one session as an application would hand them over."""
    messages = [message(turn) for turn in turns if turn.text.strip()]
    if messages:
        memory.add(messages, session_id=turns[0].session, **scope)


def message(turn: Turn) -> dict[str, Any]:
    said: dict[str, Any] = {"content": turn.text, "metadata": {"turn": turn.id}}
    said |= {"role": turn.speaker} if turn.speaker in MACHINES else {"role": "user", "name": turn.speaker[:256]}
    return said | ({"timestamp": turn.date} if turn.date else {})


def settle(memory: recollect.Memory) -> None:
    """Wait until background work is done, so that what is measured is the engine at rest."""
    while memory.health()["index_lag"] or memory.stats()["jobs"].get("ready") or memory.stats()["jobs"].get("running"):
        time.sleep(0.02)


def first_of_each(found: Any) -> Found:
    best: dict[str, float] = {}
    for turn, score in found:
        best.setdefault(turn, score)
    return list(best.items())


def shown(turn: Turn) -> str:
    """A turn as baselines index it: with its speaker and date, which the engine is given too."""
    date = turn.date.date().isoformat() if turn.date else ""
    return f"{date} {turn.speaker}: {turn.text}"


class Bm25:
    """Okapi BM25 over stems."""

    def index(self, turns: Sequence[Turn]) -> None:
        self._ids = [turn.id for turn in turns]
        bags = [Counter(terms_of(shown(turn))) for turn in turns]
        lengths = np.array([sum(bag.values()) for bag in bags], dtype=np.float64)
        self._norm = 1.2 * (0.25 + 0.75 * lengths / max(1.0, lengths.mean()))
        holders: dict[str, tuple[list[int], list[int]]] = {}
        for row, bag in enumerate(bags):
            for term, count in bag.items():
                rows, counts = holders.setdefault(term, ([], []))
                rows.append(row)
                counts.append(count)
        self._holders = holders

    def rank(self, question: str) -> Found:
        scores = np.zeros(len(self._ids))
        for term in query_terms(question):
            rows, counts = self._holders.get(term, ([], []))
            rarity = np.log1p((len(self._ids) - len(rows) + 0.5) / (len(rows) + 0.5))
            held = np.array(counts, dtype=np.float64)
            scores[rows] += rarity * 2.2 * held / (held + self._norm[rows])
        return ordered(self._ids, scores)

    def close(self) -> None: ...


class Vectors:
    """Cosine between the question and each turn."""

    def __init__(self, embedder: str) -> None:
        model = make_embedder(embedder)
        assert model is not None
        self._embed: Callable[[Sequence[str]], NDArray[np.float32]] = model.embed

    def index(self, turns: Sequence[Turn]) -> None:
        self._ids = [turn.id for turn in turns]
        self._matrix = self._embed([shown(turn) for turn in turns])

    def rank(self, question: str) -> Found:
        return ordered(self._ids, self._matrix @ self._embed([question])[0])

    def close(self) -> None: ...


class Fused:
    """Reciprocal rank fusion, k = 60."""

    def __init__(self, *rankers: Ranker, k: int = 60) -> None:
        self._rankers = rankers
        self._k = k

    def index(self, turns: Sequence[Turn]) -> None:
        for ranker in self._rankers:
            ranker.index(turns)

    def rank(self, question: str) -> Found:
        total: Counter[str] = Counter()
        for ranker in self._rankers:
            for place, (turn, _) in enumerate(ranker.rank(question), start=1):
                total[turn] += 1 / (self._k + place)  # type: ignore[assignment]
        return [(turn, float(score)) for turn, score in total.most_common()]

    def close(self) -> None: ...


def ordered(ids: Sequence[str], scores: NDArray[Any]) -> Found:
    return [(ids[row], float(scores[row])) for row in np.argsort(-scores, kind="stable").tolist()]
