"""The budget comes first: what is fixed, what is kept for the answer, how the rest is shared, and named ways to.

Every part gets its share, or less if it has less to say. What that leaves over flows to the parts that could use more,
the most important first; so a part without content costs nobody anything, and nothing is built to be thrown away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from recollect.config.window import ContextSettings
from recollect.errors import BudgetTooSmall, UsageError, shown
from recollect.model.capabilities import Capabilities

IDENTITY, WORKING, RECALLED, HISTORY = "identity", "working", "recalled", "history"
SCHEMAS, SKILLS, TODAY, ROSTER = "schemas", "skills", "today", "roster"
FACTS, ENTITIES, TEMPORAL, EVIDENCE = "facts", "entities", "temporal", "evidence"
INSTRUCTIONS, OVERVIEW, QUESTIONS, FLOW = "instructions", "overview", "questions", "flow"
# As they stand in a window: who one is, what holds always, what is known, what is asked.
ORDER = (
    IDENTITY,
    FLOW,
    SKILLS,
    ROSTER,
    INSTRUCTIONS,
    WORKING,
    SCHEMAS,
    OVERVIEW,
    ENTITIES,
    FACTS,
    RECALLED,
    TEMPORAL,
    EVIDENCE,
    TODAY,
    QUESTIONS,
    HISTORY,
)
WINDOW, ASSISTANT, WORKFLOW = "window", "assistant", "flow"
LAYOUTS = (WINDOW, ASSISTANT, WORKFLOW)


class Priority(IntEnum):
    """Who is served first when tokens are left over."""

    CRITICAL = 0
    HIGH = 1
    MEDIUM = 2
    LOW = 3


class Share(NamedTuple):
    """What a part may take of the budget."""

    part: str
    share: float
    priority: Priority


class Budget(NamedTuple):
    """Tokens of one window: all that may be sent, and what of it recalled memories may take at most."""

    limit: int
    recalled: int
    reserve: int  # kept free for the answer, beyond the limit


def budget_of(
    model: Capabilities | None, settings: ContextSettings, *, max_tokens: int | None, tokens: int, recall_share: float
) -> Budget:
    """How much may be sent: what the caller says, else what the model takes, else `tokens`.

    Of a model's whole window what is recalled gets a share only: it could hold more than anybody wants to pay for at
    every turn.
    """
    if model is None:
        limit = tokens if max_tokens is None else max_tokens
        return Budget(limit, limit, 0)
    reserve = min(settings.response_tokens, model.output_tokens, model.window_tokens // 2)
    window = min(int(model.window_tokens * settings.fill_share), model.window_tokens - reserve)
    if max_tokens is not None:
        limit = min(max_tokens, window)
        return Budget(limit, limit, reserve)
    return Budget(window, int(window * recall_share), reserve)


def available(budget: Budget, fixed: int) -> int:
    """What is left for the parts when the fixed costs are paid."""
    if fixed > budget.limit:
        raise BudgetTooSmall(
            f"the budget is {budget.limit} tokens, but what must be sent takes {fixed} (the prompt, system messages "
            f"and the marks around memories); raise max_tokens to at least {fixed}, or shorten the prompt"
        )
    return budget.limit - fixed


def shared(tokens: int, shares: Sequence[Share], wanted: Mapping[str, int]) -> dict[str, int]:
    """Tokens of each part: its share of them or, if that is less, what it wants; what is over flows by priority."""
    scale = tokens / max(1.0, sum(each.share for each in shares if wanted.get(each.part)))
    given = {each.part: min(int(scale * each.share), wanted.get(each.part, 0)) for each in shares}
    left = tokens - sum(given.values())
    for each in sorted(shares, key=lambda share: share.priority):
        more = min(left, wanted.get(each.part, 0) - given[each.part])
        given[each.part] += more
        left -= more
    return given


def checked_layout(value: Any) -> str:
    """The name of a layout, or a word about which there are."""
    if value not in LAYOUTS:
        raise UsageError(f"layout must be one of {', '.join(LAYOUTS)}, not {shown(value, 40)}")
    return str(value)


def shares_of(layout: str, settings: ContextSettings) -> Sequence[Share]:
    """The parts of a layout with their shares; they need not add up, what is over flows."""
    if layout == ASSISTANT:
        return _assistant(settings)
    if layout == WORKFLOW:
        return _workflow(settings)
    return (
        Share(IDENTITY, settings.identity_share, Priority.CRITICAL),
        Share(INSTRUCTIONS, settings.identity_share, Priority.CRITICAL),
        # What is in mind has its share; beyond that, what answers this prompt comes first.
        Share(RECALLED, settings.recall_share, Priority.HIGH),
        Share(WORKING, settings.working_share, Priority.HIGH),
        Share(HISTORY, settings.history_share, Priority.HIGH),
        Share(SCHEMAS, settings.schemas_share, Priority.MEDIUM),
        Share(SKILLS, settings.skills_share, Priority.MEDIUM),
        Share(ENTITIES, settings.overview_share, Priority.MEDIUM),
        Share(OVERVIEW, settings.overview_share, Priority.LOW),
        Share(QUESTIONS, settings.overview_share, Priority.LOW),
        Share(TODAY, settings.today_share, Priority.LOW),
        Share(ROSTER, settings.roster_share, Priority.LOW),
    )


def _assistant(settings: ContextSettings) -> Sequence[Share]:
    """Recalled memories by what they are; a conversation, if one is given, takes its share first."""
    priorities = {FACTS: Priority.HIGH, ENTITIES: Priority.MEDIUM, TEMPORAL: Priority.MEDIUM, EVIDENCE: Priority.LOW}
    named = settings.recall_shares
    return (
        Share(HISTORY, settings.history_share, Priority.CRITICAL),
        *(Share(part, named.get(part, 0.0), priority) for part, priority in priorities.items()),
    )


def _workflow(settings: ContextSettings) -> Sequence[Share]:
    named = settings.flow_shares
    return (
        Share(FLOW, named.get(FLOW, 0.0), Priority.CRITICAL),
        Share(RECALLED, named.get(RECALLED, 0.0), Priority.HIGH),
        Share(WORKING, named.get(WORKING, 0.0), Priority.HIGH),
        Share(HISTORY, settings.history_share, Priority.HIGH),
        Share(SCHEMAS, named.get(SCHEMAS, 0.0), Priority.MEDIUM),
    )
