"""What a question asks about time: the window its answer lies in, or the event the window is counted from.

This is about when something *happened* (`event_time`): "What did we work on last week?" prefers what was said last
week, whatever its words. The dates of `recall.question.cues` are another thing: they are weighed as words of the
question, so that "the party on 3 May" also finds a text that was written later and speaks of that day. A question may
have both.

"When did Ana move?" asks *for* a time and names none: it has no window.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from recollect.clock import DAY_US, to_us
from recollect.language.base import Language
from recollect.language.calendar import moved
from recollect.language.finding import TimeMention
from recollect.language.found import Relation
from recollect.language.spoken import language_for

Window = tuple[int | None, int | None]

_WINDOWS_MAX = 8
_VAGUE = ("week", "weekend", "fortnight", "month", "quarter", "year", "decade")


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
    language = language_for(text)
    mentions = [each for each in language.times(text, now) if each.kind != "repeating" and each.grain != "second"]
    if event := _event_in(text, mentions, language):
        when, (begin, end) = event
        dated = [each for each in mentions if begin <= each.span[0] < end]
        if dated:  # "since the deployment last week"
            return _windows([replace(dated[0], relation=when.relation)])
        return _windows(mentions) if mentions else when
    if mentions:
        return _windows(mentions)
    if surface := language.recently_in(text):
        end_us = to_us(now)
        return When(relation="in", windows=((end_us - int(recent_days * DAY_US), None),), surface=surface)
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


def _event_in(text: str, mentions: list[TimeMention], language: Language) -> tuple[When, tuple[int, int]] | None:
    """The event that the question counts from, and where it stands."""
    for event in language.event_in(text):
        begin, end = event.span
        if not any(each.span[0] <= begin < each.span[1] for each in mentions):
            when = When(relation=event.relation, anchor=text[begin:end], surface=text[event.begin : end])
            return when, (begin, end)
    return None
