"""A way to do something: told by somebody or learnt by doing it again and again; and a tool that an agent has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.model.record import Record

SKILL, TOOL = "skill", "tool"  # categories, and the keys of their attributes
_LAPLACE = 1  # successes and failures that one without any is taken to have had


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """Steps that lead to something, and how often they did. `last` is how it ended when it was last used."""

    id: str
    name: str
    steps: tuple[str, ...]
    task: str = ""
    tools: tuple[str, ...] = ()
    successes: int = 0
    failures: int = 0
    last: str | None = None
    learnt: bool = False  # from what was done, not from what somebody told
    score: float = 0.0  # how well it fits what was asked

    @property
    def success_ratio(self) -> float | None:
        """The share of uses that ended well; None before there was any."""
        uses = self.successes + self.failures
        return None if not uses else self.successes / uses

    @property
    def worth(self) -> float:
        """How well it fits, and how far it can be relied on: by few uses not much is said."""
        reliable = (self.successes + _LAPLACE) / (self.successes + self.failures + 2 * _LAPLACE)
        return self.score * (0.5 + reliable)

    def to_dict(self) -> dict[str, Any]:
        ratio = self.success_ratio
        return {
            "id": self.id,
            "name": self.name,
            "task": self.task,
            "steps": list(self.steps),
            "tools": list(self.tools),
            "successes": self.successes,
            "failures": self.failures,
            "success_ratio": None if ratio is None else round(ratio, 4),
            "last": self.last,
            "learnt": self.learnt,
            "score": round(self.score, 4),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTool:
    """A tool that an agent has, as its host describes it."""

    id: str
    name: str
    description: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.id, "name": self.name, "description": self.description, "parameters": self.parameters}


def skill_of(record: Record, score: float = 0.0) -> Skill | None:
    """A record as a skill; None for one that has no steps."""
    told = record.attributes.get(SKILL)
    found: Mapping[str, Any] = told if isinstance(told, Mapping) else record.attributes
    steps = found.get("steps")
    if not isinstance(steps, list) or not steps:
        return None
    learnt = not isinstance(told, Mapping) or bool(told.get("learnt"))
    # What upkeep counted in conversations, and what was told of uses since.
    counted = record.attributes if not isinstance(told, Mapping) else {}
    return Skill(
        id=record.id,
        name=str(found.get("name") or record.content.partition(":")[0]),
        task=str(found.get("task") or ""),
        steps=tuple(str(step) for step in steps),
        tools=tuple(str(tool) for tool in found.get("tools") or ()),
        successes=record.success_count + int(counted.get("successes") or 0),
        failures=record.failure_count + int(counted.get("failures") or 0),
        last=None if record.attributes.get("last") is None else str(record.attributes["last"]),
        learnt=learnt,
        score=score,
    )


def told_skill(name: str, task: str, steps: Sequence[str]) -> str:
    """What is stored of a skill, in words that a search finds and a model reads."""
    said = " ".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    return f"{name}: {task}. Steps: {said}" if task else f"{name}. Steps: {said}"


def tool_of(record: Record) -> KnownTool | None:
    """A record as a tool; None for one that is none."""
    told = record.attributes.get(TOOL)
    if not isinstance(told, Mapping):
        return None
    return KnownTool(
        id=record.id,
        name=str(told.get("name")),
        description=str(told.get("description") or ""),
        parameters=dict(told.get("parameters") or {}),
    )
