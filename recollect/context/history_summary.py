"""One summary of many exchanges: the points that tell most, in their order, with dates, files, errors and counts.

A point is worth what it tells that the others do not yet tell, by the tokens that it takes. What is told twice counts
less the second time, so the summary spreads over the conversation instead of dwelling on its favourite topic.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from recollect.context.condense import CHARS_PER_TOKEN, POINT_TOKENS, Point
from recollect.context.exchanges import TalkExchange
from recollect.context.history_gist import ExchangeGist

EXCHANGES_READ_MIN, EXCHANGES_READ_MAX = 128, 2_000  # of a longer conversation …
TOKENS_PER_EXCHANGE = 20  # … as many as could have a place in the summary, by signs of something to keep
LISTED_MAX = 8  # files, errors
_LISTS_SHARE = 0.3  # of a summary that files and errors may take
_PERSON_FACTOR, _MACHINE_FACTOR = 1.3, 0.8
_AGAIN = 0.5  # what telling something once more is worth, each time
_FADED_MAX = 16
_FADED = [_AGAIN**times for times in range(_FADED_MAX + 1)]
_NOVELTY_POWER = 0.25  # "step 12 of it" tells little after "step 11 of it"
_COST_POWER = 0.8
_SIGNS = (
    "decid",
    "agree",
    "prefer",
    "must",
    "never",
    "instead",
    "deadline",
    "rror",
    "fix",
    "because",
    "plan",
    "name",
    "202",
)
_SIGNS_KEPT = 20_000


class Pick(NamedTuple):
    """A point of a conversation, with who made it and when."""

    at: tuple[int, int, int]  # exchange, side, place in it
    speaker: str
    said_at: datetime | None
    point: Point


def summary_of(gists: Sequence[ExchangeGist], tokens: float, *, of: int) -> str:
    """A summary of about so many tokens of these gists, which stand for `of` exchanges; "" if they tell nothing."""
    lists = list(_lists(gists, tokens * _LISTS_SHARE))
    head = _head(gists, of)
    room = tokens - sum(len(line) / CHARS_PER_TOKEN + 1 for line in (head, *lists))
    told = list(_told(picked(gists, room)))
    return "\n".join([head, *told, *lists]) if told or lists else ""


def worth_reading(exchanges: Sequence[TalkExchange], tokens: float) -> Sequence[TalkExchange]:
    """The exchanges, or those among very many that show most signs of something to keep, in their order."""
    count = int(min(EXCHANGES_READ_MAX, max(EXCHANGES_READ_MIN, tokens / TOKENS_PER_EXCHANGE)))
    if len(exchanges) <= count:
        return exchanges
    best = heapq.nlargest(count, range(len(exchanges)), key=lambda at: _signs(exchanges[at]))
    return [exchanges[at] for at in sorted(best)]


def picked(gists: Sequence[ExchangeGist], tokens: float) -> list[Pick]:
    """The points that tell most within so many tokens, in the order of the conversation."""
    picks = [
        Pick((at, side, place), who.speaker, gist.at, point)
        for at, gist in enumerate(gists)
        for side, who in enumerate((gist.asked, gist.done))
        for place, point in enumerate(who.points)
    ]
    often: Counter[str] = Counter()
    said: set[str] = set()
    heap = [(-_worth(pick, often), number) for number, pick in enumerate(picks)]
    heapq.heapify(heap)
    taken: list[Pick] = []
    while heap and tokens > 0:
        _, number = heapq.heappop(heap)
        pick = picks[number]
        if pick.point.tokens > tokens or pick.point.text in said:
            continue
        worth = _worth(pick, often)
        if heap and worth < -heap[0][0]:  # it was worth more before others told the same
            heapq.heappush(heap, (-worth, number))
            continue
        taken.append(pick)
        said.add(pick.point.text)
        tokens -= pick.point.tokens
        often.update(key for key, _ in pick.point.tells)
    return sorted(taken)


def _worth(pick: Pick, often: Counter[str]) -> float:
    gain = sum([weight * _FADED[min(often[key], _FADED_MAX)] for key, weight in pick.point.tells])
    gain *= (gain / pick.point.weight) ** _NOVELTY_POWER
    side = _MACHINE_FACTOR if pick.at[1] else _PERSON_FACTOR
    return float(gain * pick.point.factor * side / (pick.point.tokens + POINT_TOKENS) ** _COST_POWER)


def _signs(exchange: TalkExchange) -> float:
    """How much an exchange looks as if it held something to keep, at a glance; remembered, as most come again."""
    number = exchange.number
    found = _glances.get(number)
    if found is None:
        if len(_glances) >= _SIGNS_KEPT:
            _glances.clear()
        found = _glances[number] = _glance(exchange)
    return found


def _glance(exchange: TalkExchange) -> float:
    said = "\n".join(message.text[:2_000] for message in exchange.asked + exchange.done if message.result_of is None)
    changed = any(call.changed for message in exchange.done for call in message.calls)
    return len([sign for sign in _SIGNS if sign in said]) + min(len(said), 600) / 300 + 3 * changed


_glances: dict[int, float] = {}


def _told(picks: Sequence[Pick]) -> Iterator[str]:
    """The picks in lines, one a day, or one in all; who speaks is said when it changes."""
    for day, said in groupby(picks, key=lambda pick: pick.said_at and f"{pick.said_at:%Y-%m-%d}"):
        sides = []
        for speaker, several in groupby(said, key=lambda pick: pick.speaker):
            sides.append(f"{speaker}: " + "; ".join(pick.point.text for pick in several))
        yield f"{day} " * bool(day) + ". ".join(sides)


def _head(gists: Sequence[ExchangeGist], of: int) -> str:
    days = [f"{gist.at:%Y-%m-%d}" for gist in gists if gist.at]
    when = "" if not days else f", {days[0]}" if days[0] == days[-1] else f", {days[0]} to {days[-1]}"
    return f"Summary of {of} earlier exchange{'s' * (of > 1)}{when}:"


def _lists(gists: Sequence[ExchangeGist], tokens: float) -> Iterator[str]:
    """What files were changed and which errors met, the most frequent first."""
    deeds = [deed for gist in gists for deed in gist.deeds]
    for name, counted in (
        ("Files changed", Counter(deed.changed for deed in deeds if deed.changed)),
        ("Errors met", Counter(deed.error for deed in deeds if deed.error)),
    ):
        shown = [f"{what}{f' ({times}×)' if times > 1 else ''}" for what, times in counted.most_common(LISTED_MAX)]
        while shown and (len(line := f"{name}: {'; '.join(shown)}") / CHARS_PER_TOKEN) > tokens:
            shown.pop()
        if shown:
            tokens -= len(line) / CHARS_PER_TOKEN
            more = f"; {len(counted) - len(shown)} more" if len(counted) > len(shown) else ""
            yield line + more
