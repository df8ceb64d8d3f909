"""A tree of questions that a language model asks: it judges what was found, names gaps, or divides the question."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.language.terms import query_terms
from recollect.model.reasoning import Followed, Inquiry, Judgement, Stopped, Why
from recollect.model.result import Hit, Recollection
from recollect.reason.asking_memory import AskingMemory, nothing
from recollect.reason.asking_model import AskingModel, Failed
from recollect.reason.coverage import judged
from recollect.reason.prompts import Answered, Verdict


class ByModel:
    """Builds one tree. Not for several threads."""

    def __init__(self, memory: AskingMemory, model: AskingModel, name: str, depth_max: int) -> None:
        self._memory = memory
        self._model = model
        self._name = name
        self._depth_max = depth_max
        self._asked: list[str] = []
        self._cut = False
        self.first: Recollection | None = None  # what the question itself found
        self.answered: list[Answered] = []

    def inquire(self, question: str, depth: int = 0, why: Why = "asked", found: Recollection | None = None) -> Inquiry:
        """The question, what the model made of what it found, and what it asked because of that."""
        self._asked.append(question)
        if found is None:
            asked = self._memory.ask(question, why, depth)
            found = nothing(question) if asked is None else asked
        self.first = found if self.first is None else self.first
        verdict = self._verdict(question, found.hits, depth)
        if verdict is None:
            return Inquiry(question=question, depth=depth, why=why, judgement=judged(question, found), hits=found.hits)
        return self._node(question, depth, why, found, verdict)

    def stopped(self, root: Inquiry) -> Stopped:
        """Why no further question was asked."""
        if self._memory.spending.stopped is not None:
            return self._memory.spending.stopped
        if root.judgement.state == "sufficient":
            return "sufficient"
        open_ends = any(node.judgement.state != "sufficient" and not node.children for node in root.walk())
        return "depth" if self._cut else "nothing new" if open_ends else "sufficient"

    def _verdict(self, question: str, hits: Sequence[Hit], depth: int) -> Verdict | None:
        """None where the model is not asked, or says nothing that can be used: rules judge then."""
        if depth >= self._depth_max:
            self._cut = True
            return None
        verdict = self._model.judge(question, hits, self._asked, self.answered)
        if isinstance(verdict, Failed):
            self._memory.missing[verdict.why] = None
            return None
        if verdict is not None:
            self._memory.note("judgement", question, self._model.shown, depth)
        return verdict

    def _node(self, question: str, depth: int, why: Why, found: Recollection, verdict: Verdict) -> Inquiry:
        if verdict.answer is not None and depth:
            self.answered.append(Answered(question, verdict.answer))
        hits, followed = list(found.hits), list[Followed]()
        children: list[Inquiry] = []
        for gap in verdict.gaps:
            walked = self._memory.walk(gap.question, hits, query_terms(gap.question), depth)
            hits += walked.hits
            followed += walked.followed
            children += self._below(gap.question, depth + 1, "gap")
        for each in verdict.questions:
            children += self._below(each, depth + 1, "sub_question")
        gaps = tuple(gap.missing for gap in verdict.gaps)
        return Inquiry(
            question=question,
            depth=depth,
            why=why,
            hits=tuple(hits),
            followed=tuple(followed),
            judgement=Judgement(state=verdict.state, by=self._name, gaps=gaps),
            children=tuple(children),
            answer=verdict.answer,
        )

    def _below(self, question: str, depth: int, why: Why) -> list[Inquiry]:
        """One more question, unless it was asked before or no further one may be."""
        found = self._memory.ask(question, why, depth)
        return [] if found is None else [self.inquire(question, depth, why, found)]
