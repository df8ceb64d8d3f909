"""What a session begins with, part by part, the most pressing first; what comes last is left out where it is tight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.model.fence import Shown, line
from recollect.model.observed import BriefPart
from recollect.model.record import Record
from recollect.observe.saying import fitting


class BriefSection(NamedTuple):
    """A part before it is known how much of it fits: a heading, and what stands below it."""

    name: str
    heading: str
    items: Sequence[Record | str]
    files: tuple[str, ...] = ()


class FittingSection(NamedTuple):
    """As much of a part as fits."""

    told: BriefPart
    lines: tuple[Shown | str, ...]


def brief_within(sections: Sequence[BriefSection], tokens: int, now: int) -> list[FittingSection]:
    """As many parts as fit, in their order; the last of them perhaps cut short."""
    found: list[FittingSection] = []
    shown: list[Shown | str] = []
    for section in sections:
        if not section.items:
            continue
        fit = fitting([section.heading, *section.items], tokens, now, after=shown)
        if len(fit) > 1:
            shown += fit
            found.append(FittingSection(_part(section, fit), tuple(fit)))
        if len(fit) <= len(section.items):
            break
    return found


def _part(section: BriefSection, lines: Sequence[Shown | str]) -> BriefPart:
    return BriefPart(
        name=section.name,
        text="\n".join(map(line, lines)),
        ids=tuple(each.id for each in lines if isinstance(each, Shown)),
        files=section.files,
    )
