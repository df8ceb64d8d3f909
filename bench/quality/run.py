"""One ranker over one set: every question of every conversation, then the averages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.quality import measures
from bench.quality.measures import Found
from bench.quality.rankers import Ranker
from bench.quality.sets import Conversation, Question

MEASURES = ("R@5", "R@10", "nDCG@10", "sessions R@10", "newer first", "AUROC")


@dataclass(slots=True)
class Tally:
    """Figures question by question."""

    values: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in MEASURES})
    categories: dict[str, list[float]] = field(default_factory=dict)  # R@10
    top_answerable: list[float] = field(default_factory=list)
    top_unanswerable: list[float] = field(default_factory=list)
    query_ms: list[float] = field(default_factory=list)

    def note(self, question: Question, found: Found, sessions: dict[str, str]) -> None:
        ranked = [turn for turn, _ in found]
        top = found[0][1] if found else 0.0
        (self.top_answerable if question.answerable else self.top_unanswerable).append(top)
        if question.newer and question.older:
            self.values["newer first"].append(measures.newer_first(ranked, question.newer, question.older))
        if not question.answerable or not question.gold:
            return
        self.values["R@5"].append(measures.recall_at(ranked, question.gold, 5))
        self.values["R@10"].append(measures.recall_at(ranked, question.gold, 10))
        self.values["nDCG@10"].append(measures.ndcg_at(ranked, question.gold))
        of_sessions = list(dict.fromkeys(sessions[turn] for turn in ranked))
        gold = {sessions[turn] for turn in question.gold}
        self.values["sessions R@10"].append(measures.recall_at(of_sessions, gold, 10))
        self.categories.setdefault(question.category, []).append(self.values["R@10"][-1])

    def averages(self) -> dict[str, float]:
        found = {name: measures.mean(values) for name, values in self.values.items()}
        found["AUROC"] = measures.auroc(self.top_answerable, self.top_unanswerable)
        return {name: value for name, value in found.items() if value is not None}


def run(ranker: Ranker, conversations: Sequence[Conversation]) -> Tally:
    tally = Tally()
    for conversation in conversations:
        ranker.index(conversation.turns)
        sessions = {turn.id: turn.session for turn in conversation.turns}
        for question in conversation.questions:
            start = time.perf_counter()
            found = ranker.rank(question.text)
            tally.query_ms.append((time.perf_counter() - start) * 1e3)
            tally.note(question, found, sessions)
    ranker.close()
    return tally
