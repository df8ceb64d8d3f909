"""What a model is given to see, and what of it came from memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from recollect.ids import ID_CHARS
from recollect.model.capabilities import Capabilities
from recollect.model.fence import cited
from recollect.model.knowledge import Area
from recollect.model.messages import Message
from recollect.model.question import Question
from recollect.model.result import Hit


class Detail(StrEnum):
    """How much of a memory is shown, most first. The last three stand for several at once."""

    FULL = "full"
    SUMMARY = "summary"
    KEY_FACT = "key_fact"
    TAG = "tag"
    CLUSTER = "cluster"
    DOMAIN = "domain"
    GLOBAL = "global"


class Mode(StrEnum):
    """How much is recalled for a prompt."""

    MINIMAL = "minimal"  # only what is in mind: "thanks, go on"
    STANDARD = "standard"
    DEEP = "deep"  # for questions of several parts: more of them, and what is related


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A record in a window, and how much of it. `id` is None for a summary of several."""

    id: str | None
    detail: Detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a window: what it was given, what it took."""

    name: str
    text: str
    tokens: int
    budget: int
    items: tuple[Item, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        items = [{"id": item.id, "detail": item.detail.value} for item in self.items]
        return {"name": self.name, "tokens": self.tokens, "budget": self.budget, "items": items}


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations:
    """The ids that an answer cites: those of the window in full, and those that it never showed."""

    ids: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.ids) and not self.unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowQuality:
    """How well a window shows what was found for its prompt.

    Of `candidates` that the search brought, `packed` are shown, in `tokens`. `relevancy` is the mean score of those
    shown; `ndcg` how much of what all were worth is shown, the first counting most: 1 when nothing was left out.
    `answerable` is the share of such questions that have an answer here.
    """

    candidates: int = 0
    packed: int = 0
    tokens: int = 0
    relevancy: float = 0.0
    ndcg: float = 0.0
    answerable: float = 0.0

    def to_dict(self) -> dict[str, float]:
        return {name: round(getattr(self, name), 4) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextWindow:
    """What to send to a model: instructions and memories, the conversation so far, the prompt.

    `text` is all of it but the prompt, for models that take one text. `tokens` counts everything that `to_openai`
    sends and is at most `limit`; they are exact where the model's vocabulary is published (`exact`). `hits` are the
    records recalled for this prompt that made it into the window, best first, with figures of that in `quality`.
    `missing` says what could not take
    part, `abstained` that nothing stored seems to answer, `area` what the prompt is about and how well that is known.
    """

    prompt: str
    system: str
    text: str
    history: tuple[Message, ...] = ()
    parts: tuple[Part, ...] = ()
    hits: tuple[Hit, ...] = ()
    questions: tuple[Question, ...] = ()
    tokens: int = 0
    limit: int = 0
    reserve: int = 0
    exact: bool = False
    mode: Mode = Mode.STANDARD
    model: Capabilities | None = None
    abstained: bool = False
    missing: tuple[str, ...] = ()
    quality: WindowQuality = WindowQuality()
    area: Area | None = None
    stages_ms: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text

    def to_openai(self) -> list[dict[str, str]]:
        """Messages for a chat of OpenAI's, and of whoever speaks its language."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, *_said(self)]

    def to_anthropic(self) -> dict[str, Any]:
        """`system` and `messages` for Anthropic's: `client.messages.create(model=…, max_tokens=…, **window…)`."""
        system = {"system": self.system} if self.system else {}
        return {**system, "messages": _said(self)}

    def part(self, name: str) -> Part | None:
        """The part of that name, if it has any content."""
        return next((part for part in self.parts if part.name == name), None)

    @property
    def ids(self) -> tuple[str, ...]:
        """Every record in the window, in its order."""
        return tuple(dict.fromkeys(item.id for part in self.parts for item in part.items if item.id is not None))

    def citations(self, answer: str) -> Citations:
        """Which of the records an answer cites as `#id`, and which ids it made up.

        What a line names as said instead of its record counts as shown.
        """
        beside = (id_ for hit in self.hits for id_ in (*hit.replaced_by, *(doubt.id for doubt in hit.may_have_changed)))
        shown = {id_[:ID_CHARS]: id_ for id_ in (*beside, *self.ids)}
        named = cited(answer)
        known = [shown[id_[:ID_CHARS]] for id_ in named if shown.get(id_[:ID_CHARS], "").startswith(id_)]
        unknown = [id_ for id_ in named if not shown.get(id_[:ID_CHARS], "").startswith(id_)]
        return Citations(ids=tuple(dict.fromkeys(known)), unknown=tuple(unknown))

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "system": self.system,
            "messages": _said(self),
            "tokens": self.tokens,
            "limit": self.limit,
            "reserve": self.reserve,
            "exact": self.exact,
            "mode": self.mode.value,
            "model": self.model.model if self.model else None,
            "parts": [part.to_dict() for part in self.parts],
            "results": [hit.to_dict() for hit in self.hits],
            "questions": [each.to_dict() for each in self.questions],
            "abstained": self.abstained,
            "missing": list(self.missing),
            "quality": self.quality.to_dict(),
            "area": None if self.area is None else self.area.to_dict(),
            "stages_ms": self.stages_ms,
        }


def _said(window: ContextWindow) -> list[dict[str, str]]:
    """The conversation so far and the prompt."""
    said = [{"role": message.role, "content": message.text} for message in window.history]
    return [*said, {"role": "user", "content": window.prompt}] if window.prompt else said
