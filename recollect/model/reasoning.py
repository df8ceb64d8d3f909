"""What reasoning over memory answers with: the questions that were asked, what each found, and what it all comes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from recollect.model.edge import Edge
from recollect.model.result import Hit

RULES = "rules"  # who judged, where it was no model

State = Literal["sufficient", "gaps", "complex"]
Why = Literal["asked", "part", "compared", "inner", "event", "counted", "bridge", "gap", "sub_question"]
StepKind = Literal["recall", "walk", "sub_question", "bridge", "judgement", "synthesis"]
Stopped = Literal["sufficient", "depth", "questions", "calls", "tokens", "time", "nothing new"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Whether what was found answers a question. `by` is the model that said so, or `rules`.

    `gaps` are words, names or facts of the question that nothing found speaks of.
    """

    state: State
    by: str = RULES
    reasons: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """A relation that was followed from a record that was found to one that was not."""

    edge: Edge
    source: str
    target: str

    def to_dict(self) -> dict[str, Any]:
        return {"source": self.source, "target": self.target, "edge": self.edge.to_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """One question of the tree. `why` says what made it one, `via` which record led to it, by the name `name`."""

    question: str
    depth: int
    why: Why
    judgement: Judgement
    hits: tuple[Hit, ...] = ()
    followed: tuple[Followed, ...] = ()
    children: tuple[Inquiry, ...] = ()
    answer: str | None = None
    via: str | None = None
    name: str | None = None

    def walk(self) -> Iterator[Inquiry]:
        """This question and all below it, in the order they were asked."""
        yield self
        for child in self.children:
            yield from child.walk()

    def to_dict(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "depth": self.depth,
            "why": self.why,
            "via": self.via,
            "name": self.name,
            "judgement": self.judgement.to_dict(),
            "answer": self.answer,
            "hits": [_brief(hit) for hit in self.hits],
            "followed": [each.to_dict() for each in self.followed],
            "children": [child.to_dict() for child in self.children],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that was done, in order: `count` records were found, or shown to the model."""

    kind: StepKind
    question: str
    count: int
    depth: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning:
    """The answer to a question, or, without a language model, the evidence for one.

    `evidence` are the hits of the whole tree, each once, best first: a record counts by what the question itself makes
    of it and by the chain of names that leads to it. `citations` are the records that the answer cites, all of them
    among the evidence; what it cites besides is named in `missing`, as is everything that could not take part.
    `depth` is how deep the questions went, `stopped` why no further one was asked.
    """

    question: str
    tree: Inquiry
    steps: tuple[Step, ...]
    evidence: tuple[Hit, ...]
    stopped: Stopped
    answer: str | None = None
    citations: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    model: str | None = None
    calls: int = 0
    tokens: int = 0

    @property
    def depth(self) -> int:
        return max(node.depth for node in self.tree.walk())

    def to_dict(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "answer": self.answer,
            "citations": list(self.citations),
            "results": [hit.to_dict() for hit in self.evidence],
            "tree": self.tree.to_dict(),
            "steps": [step.to_dict() for step in self.steps],
            "missing": list(self.missing),
            "model": self.model,
            "calls": self.calls,
            "tokens": self.tokens,
            "depth": self.depth,
            "stopped": self.stopped,
        }


def _brief(hit: Hit) -> dict[str, Any]:
    """A hit as the tree names it; all about it stands among the evidence."""
    when = hit.event_time or hit.created_at
    return {"id": hit.id, "memory": hit.content, "score": round(hit.score, 6), "when": when.isoformat()}
