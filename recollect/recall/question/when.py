"""What a question asks about time: the window its answer lies in, or the event the window is counted from.

This is about when something *happened* (`event_time`): "What did we work on last week?" prefers what was said last
week, whatever its words. The dates of `recall.question.cues` are another thing: they are weighed as words of the
question, so that "the party on 3 May" also finds a text that was written later and speaks of that day. A question may
have both.

"When did Ana move?" asks *for* a time and names none: it has no window.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from recollect.clock import DAY_US, to_us
from recollect.language.calendar import moved
from recollect.language.en.times import times_in
from recollect.language.finding import TimeMention
from recollect.language.found import Relation

Window = tuple[int | None, int | None]

_WINDOWS_MAX = 8
_RECENT = re.compile(r"\b(?:recently|lately|these days|of late|nowadays)\b", re.IGNORECASE)
_VAGUE = ("week", "weekend", "fortnight", "month", "quarter", "year", "decade")
_NOT_EVENTS = re.compile(
    r"(?:that|this|it|then|them|him|her|us|me|you|all|now|long|too long|the fact|the house|the world|the corner"
    r"|(?:our|these|those|the|my|this) (?:chat|conversation|discussion|exchange|message|session|talk)s?)\b"
    r"(?=\s*(?:$|[?.!,]))",
    re.IGNORECASE,
)
_IDIOM = re.compile(
    r"\b(?:look\w*|nam\w+|tak\w+|chas\w+|ask\w*|go|went|soon|ever|shortly|right|just)\s+$", re.IGNORECASE
)
_PLAIN_IDIOMS = ("soon", "ever", "shortly", "right", "just")
# A determiner, a subject, a name or an "-ing": what follows is an event, not a preposition's usual company.
_EVENT = re.compile(
    r"\b(?P<relation>(?i:since|after|before|until|till|during|around the time of))\s+"
    r"(?P<anchor>(?:(?i:the|our|my|his|her|their|your|its|that|this|an?|we|i|you|he|she|they|it)\b|[A-Z]\w*|\w+ing\b)"
    r"[^,;?!]*?)(?=(?<!\s)\s*+(?:[,;?!]|\.(?:\s|$)|$))"
)
_RELATIONS: dict[str, Relation] = {
    "since": "since",
    "after": "after",
    "before": "before",
    "until": "until",
    "till": "until",
    "during": "around",
    "around the time of": "around",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """Windows of event time in microseconds, end exclusive, None where open.

    With an `anchor` there are no windows yet: the event has to be found first, and `anchored` puts its time in.
    """

    relation: Relation
    windows: tuple[Window, ...] = ()
    anchor: str | None = None
    surface: str = ""

    @property
    def resolved(self) -> bool:
        return bool(self.windows)


def when_of(text: str, now: datetime, *, recent_days: float) -> When | None:
    """What the question asks about time, None if nothing. `recent_days` is what "recently" means."""
    now = now if now.tzinfo else now.replace(tzinfo=UTC)
    mentions = [each for each in times_in(text, now) if each.kind != "repeating" and each.grain != "second"]
    if event := _event_in(text, mentions):
        when, (begin, end) = event
        dated = [each for each in mentions if begin <= each.span[0] < end]
        if dated:  # "since the deployment last week"
            return _windows([replace(dated[0], relation=when.relation)])
        return _windows(mentions) if mentions else when
    if mentions:
        return _windows(mentions)
    if match := _RECENT.search(text):
        end_us = to_us(now)
        return When(relation="in", windows=((end_us - int(recent_days * DAY_US), None),), surface=match[0])
    return None


def anchored(when: When, event_time: int) -> When:
    """The same question once its event has been found. An event that is `around` lasts a day either side."""
    windows: dict[Relation, Window] = {
        "since": (event_time, None),
        "after": (event_time + 1, None),
        "before": (None, event_time),
        "until": (None, event_time + 1),
    }
    window = windows.get(when.relation, (event_time - DAY_US, event_time + DAY_US))
    return replace(when, windows=(window,))


def between(start: int | None, end: int | None, *, surface: str = "") -> When:
    """A window that a caller gave as such."""
    return When(relation="between" if None not in (start, end) else "in", windows=((start, end),), surface=surface)


def _windows(mentions: list[TimeMention]) -> When:
    """Several times of one kind are all asked about; of different kinds ("after May, before July") they are one."""
    windows = [_window_of(each) for each in mentions[:_WINDOWS_MAX]]
    surface = ", ".join(each.surface for each in mentions[:_WINDOWS_MAX])
    starts = [start for start, end in windows if end is None and start is not None]
    ends = [end for start, end in windows if start is None and end is not None]
    if len(windows) == 2 and len(starts) == len(ends) == 1 and starts[0] < ends[0]:
        return When(relation="between", windows=((starts[0], ends[0]),), surface=surface)
    return When(relation=mentions[0].relation, windows=tuple(dict.fromkeys(windows)), surface=surface)


def _window_of(mention: TimeMention) -> Window:
    """The mention's window; a vague one ("a couple of weeks ago", "around May") reaches to both sides."""
    if mention.relation in ("in", "around", "between"):
        start, end = _widened(mention)
        return to_us(start), to_us(end)
    opens, closes = mention.window
    return None if opens is None else to_us(opens), None if closes is None else to_us(closes)


def _widened(mention: TimeMention) -> tuple[datetime, datetime]:
    start, end = mention.start, mention.end
    if (end - start).days <= 1 and mention.grain in _VAGUE:
        half = (moved(start, mention.grain, 1) - start) / 2
        start, end = start - half, end + half
    if mention.relation == "around":
        length = max(end - start, (moved(start, "hour", 1) - start))
        start, end = start - length, end + length
    if start == end:  # an hour named is that hour
        end = moved(start, "hour" if mention.grain in ("hour", "minute") else "minute", 1)
    return start, end


def _event_in(text: str, mentions: list[TimeMention]) -> tuple[When, tuple[int, int]] | None:
    """The event that the question counts from, and where it stands."""
    for match in _EVENT.finditer(text):
        begin, end = match.span("anchor")
        is_time = any(each.span[0] <= begin < each.span[1] for each in mentions)
        if is_time or _NOT_EVENTS.match(match["anchor"]) or _IDIOM.search(text[: match.start()]):
            continue
        relation = _RELATIONS[" ".join(match["relation"].lower().split())]
        return When(relation=relation, anchor=match["anchor"], surface=text[match.start() : end]), (begin, end)
    return None
