"""One reasoning's way to a language model: what fits is shown, what would cost too much is not asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.errors import ProviderError
from recollect.model.result import Hit
from recollect.providers.base import Llm
from recollect.providers.tokens import Counter
from recollect.reason.budget import Spending
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


class Failed(NamedTuple):
    """Why there is no answer, in words for `missing`."""

    why: str


class AskingModel:
    """Calls of one reasoning. Not for several threads."""

    def __init__(self, llm: Llm, counter: Counter, key: bytes, spending: Spending, *, output_max: int) -> None:
        self._llm = llm
        self._counter = counter
        self._key = key
        self._spending = spending
        self._output_max = output_max
        self._away: Failed | None = None
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
        said = self._complete(question, hits, JUDGE, output, asked, answered, kept=kept)
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
        said = self._complete(question, hits, SYNTHESISE, tokens, (), answered)
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
        kept: int = 0,
    ) -> str | Failed | None:
        if self._away is not None:  # whoever did not answer is not asked again: it takes a minute each time
            return self._away
        prompt = self._fitting(question, hits, instructions, output + kept, asked, answered)
        if prompt is None:
            self._spending.stop("tokens")
            return None
        cost = self._counter.count(instructions) + self._counter.count(prompt) + _FRAME_TOKENS
        try:
            said = self._llm.complete(prompt, instructions=instructions, max_tokens=output)
        except ProviderError as error:
            self._spending.spend(cost)
            self._away = Failed(f"{self._llm.name} did not answer ({error.code})")
            return self._away
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
