"""Asks a language model in the background, within what it may cost.

Two budgets: one for a run, so that other jobs get their turn, and one for a day (UTC), kept in the store and shared by
all processes. Tokens are estimated, those of the answer included. What went wrong is counted beside them, for `health`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import orjson

from recollect.clock import DAY_US, SECOND_US, Clock, from_us
from recollect.config import LiveConfig
from recollect.errors import ProviderError, ProviderUnavailable
from recollect.model.tokens import estimate_tokens
from recollect.providers.base import Llm
from recollect.store.base import Store, Tx

FAILURES_IN_A_ROW_MAX = 3  # a model that fails so often is away, or will not follow
NEXT_RUN_S = 5.0  # other jobs may run in between
_LEDGER = "model_tokens"  # meta: what was spent today, and what failed


class OutOfTokens(Exception):
    """The budget of this run, or of the whole day (`today`), is used up. `wait_s`: when to go on."""

    def __init__(self, wait_s: float, *, today: bool) -> None:
        super().__init__("out of tokens")
        self.wait_s = wait_s
        self.today = today


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What background jobs spent on the model on one day, and how often it failed them."""

    day: str
    tokens: int = 0
    asked: int = 0
    failed: int = 0


def ledger(tx: Tx, now: int) -> Ledger:
    """Today's."""
    day = from_us(now).date().isoformat()
    text = tx.meta.text(_LEDGER)
    kept = Ledger(**orjson.loads(text)) if text else Ledger(day=day)
    return kept if kept.day == day else Ledger(day=day)


def later(tx: Tx, kind: str, now: int, spent: OutOfTokens) -> None:
    """Have a job of this kind go on when there are tokens again."""
    tx.jobs.enqueue_once(kind, now=now, delay_s=spent.wait_s)


class BudgetedModel:
    """One run's questions. Not for several threads."""

    def __init__(self, llm: Llm, store: Store, config: LiveConfig, clock: Clock) -> None:
        self._llm = llm
        self._store = store
        self._config = config
        self._clock = clock
        self._spent = 0
        self._in_a_row = 0
        self.unavailable = False  # whether the last question did not reach the model: what it was about waits

    def complete(self, prompt: str, *, instructions: str, max_tokens: int) -> str | None:
        """The model's answer; None if it gave none, which is counted. `OutOfTokens` before a budget is overdrawn."""
        asked = estimate_tokens(instructions) + estimate_tokens(prompt)
        self._refuse_beyond_budget(asked + max_tokens)
        try:
            answer = self._llm.complete(prompt, instructions=instructions, max_tokens=max_tokens)
        except ProviderError as error:
            self.unavailable = isinstance(error, ProviderUnavailable)
            self._note(0 if self.unavailable else asked, failed=True)
            return None
        self.unavailable = False
        self._note(asked + estimate_tokens(answer))
        return answer

    @property
    def away(self) -> bool:
        """Whether the model failed so often in a row that asking on is no use."""
        return self._in_a_row >= FAILURES_IN_A_ROW_MAX

    def understood(self, well: bool) -> None:
        """Say whether the last answer made sense."""
        if well:
            self._in_a_row = 0
        else:
            self._note(0, failed=True, asked=False)

    def _refuse_beyond_budget(self, tokens: int) -> None:
        settings, now = self._config.current.perceive, self._clock()
        if self._spent and self._spent + tokens > settings.model_run_tokens:
            raise OutOfTokens(NEXT_RUN_S, today=False)
        with self._store.read() as tx:
            today = ledger(tx, now)
        if today.tokens + tokens > settings.model_day_tokens:
            raise OutOfTokens((DAY_US - now % DAY_US) / SECOND_US, today=True)

    def _note(self, tokens: int, *, asked: bool = True, failed: bool = False) -> None:
        self._spent += tokens
        self._in_a_row += failed

        def write(tx: Tx) -> None:
            kept = ledger(tx, self._clock())
            entry = replace(kept, tokens=kept.tokens + tokens, asked=kept.asked + asked, failed=kept.failed + failed)
            tx.meta.note(_LEDGER, orjson.dumps(entry).decode())

        self._store.write(write)
