"""Named ways to share a budget: a whole window, an assistant's block of memories, a workflow's step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.config.window import ContextSettings
from recollect.context.budget import (
    ENTITIES,
    EVIDENCE,
    FACTS,
    FLOW,
    HISTORY,
    IDENTITY,
    INSTRUCTIONS,
    OVERVIEW,
    QUESTIONS,
    RECALLED,
    ROSTER,
    SCHEMAS,
    SKILLS,
    TEMPORAL,
    TODAY,
    WORKING,
    Priority,
    Share,
)
from recollect.errors import UsageError, shown

WINDOW, ASSISTANT, WORKFLOW = "window", "assistant", "flow"
LAYOUTS = (WINDOW, ASSISTANT, WORKFLOW)


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
