"""A tree of questions that a language model asks: it judges what was found, names gaps, or divides the question.

The model is asked within what may be spent: what fits is shown, what would cost too much is not asked.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from recollect.deadline import TimedCalls, within
from recollect.errors import ProviderError
from recollect.language.terms import query_terms
from recollect.model.reasoning import Followed, Inquiry, Judgement, Stopped, Why
from recollect.model.result import Hit, Recollection
from recollect.providers.base import Llm
from recollect.providers.tokens import Counter
from recollect.reason.asking_memory import AskingMemory, nothing
from recollect.reason.budget import Spending
from recollect.reason.coverage import judged
from recollect.reason.prompts import (
    JUDGE,
    JUDGEMENT_TOKENS,
    SYNTHESIS_TOKENS,
    SYNTHESISE,
    Answered,
    Verdict,
    prompt_of,
    verdict_from_json,
)

_FRAME_TOKENS = 16  # what a provider puts around a message


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


class Failed(NamedTuple):
    """Why there is no answer, in words for `missing`."""

    why: str


class AskingModel:
    """Calls of one reasoning. Not for several threads."""

    def __init__(
        self, llm: Llm, counter: Counter, key: bytes, spending: Spending, *, output_max: int, calls: TimedCalls
    ) -> None:
        self._calls = calls
        self._llm = llm
        self._counter = counter
        self._key = key
        self._spending = spending
        self._output_max = output_max
        self._away: Failed | None = None
        self._longest_s = 0.0  # that a call took
        self.shown = 0  # records that the last call was shown

    def judge(
        self, question: str, hits: Sequence[Hit], asked: Sequence[str], answered: Sequence[Answered]
    ) -> Verdict | Failed | None:
        """Whether the hits answer; None if nothing is left for that. A call is kept for the answer in the end."""
        if self._spending.calls_left <= 1:
            self._spending.stop("calls")
            return None
        kept = SYNTHESIS_TOKENS + self._counter.count(SYNTHESISE) + self._counter.count(question) + _FRAME_TOKENS
        output = min(JUDGEMENT_TOKENS, self._output_max)
        seconds = self._spending.seconds_to_judge
        said = self._complete(question, hits, JUDGE, output, asked, answered, seconds=seconds, kept=kept)
        if not isinstance(said, str):
            return said
        try:
            return verdict_from_json(said)
        except ProviderError as error:
            return Failed(f"a judgement that makes sense: {error.message} ({error.code})")

    def synthesise(self, question: str, hits: Sequence[Hit], answered: Sequence[Answered]) -> str | Failed | None:
        """An answer from all that was found; None if no call is left."""
        if self._spending.calls_left < 1:
            self._spending.stop("calls")
            return None
        tokens = min(SYNTHESIS_TOKENS, self._output_max)
        seconds = self._spending.seconds_left
        said = self._complete(question, hits, SYNTHESISE, tokens, (), answered, seconds=seconds)
        if isinstance(said, str) and not said.strip():
            return Failed(f"{self._llm.name} said nothing")
        return said.strip() if isinstance(said, str) else said

    def _complete(
        self,
        question: str,
        hits: Sequence[Hit],
        instructions: str,
        output: int,
        asked: Sequence[str],
        answered: Sequence[Answered],
        *,
        seconds: float,
        kept: int = 0,
    ) -> str | Failed | None:
        if self._away is not None:  # whoever did not answer is not asked again: it takes a minute each time
            return self._away
        if seconds <= (self._longest_s if kept else 0.0):  # a judgement that is broken off would cost the answer, too
            self._spending.stop("time")
            return None
        prompt = self._fitting(question, hits, instructions, output + kept, asked, answered)
        if prompt is None:
            self._spending.stop("tokens")
            return None
        cost = self._counter.count(instructions) + self._counter.count(prompt) + _FRAME_TOKENS
        try:
            began = time.monotonic()
            with within(seconds):
                said = self._calls.ask(
                    self._llm.name,
                    lambda: self._llm.complete(prompt, instructions=instructions, max_tokens=output),
                )
        except ProviderError as error:
            self._spending.spend(cost)
            self._away = Failed(f"{self._llm.name} did not answer ({error.code})")
            return self._away
        self._longest_s = max(self._longest_s, time.monotonic() - began)
        self._spending.spend(cost + self._counter.count(said))
        return said

    def _fitting(
        self,
        question: str,
        hits: Sequence[Hit],
        instructions: str,
        kept: int,
        asked: Sequence[str],
        answered: Sequence[Answered],
    ) -> str | None:
        """The prompt with as many of the best hits as the tokens left allow; None if it does not fit at all."""
        room = self._spending.tokens_left - kept - self._counter.count(instructions) - _FRAME_TOKENS
        shown = len(hits)
        while True:
            prompt = prompt_of(question, hits[:shown], self._key, asked=asked, answered=answered)
            size = self._counter.count(prompt)
            if size <= room:
                self.shown = shown
                return prompt
            if not shown:
                return None
            shown = min(shown - 1, max(0, int(shown * room / size))) if room > 0 else 0
