"""What a conversation came to: the gist of each exchange, one summary of many, and statements for keeping.

The gist of an exchange is worked out once and kept by the number of the exchange, so that a conversation that grows
by one is read from where it was. In a summary a point is worth what it tells that the others do not yet tell, by the
tokens that it takes. What is told twice counts less the second time, so the summary spreads over the conversation
instead of dwelling on its favourite topic.
"""

from __future__ import annotations

import heapq
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from threading import Lock
from typing import Any, NamedTuple

from recollect.config.window import ContextSettings
from recollect.context.condense import CHARS_PER_TOKEN, POINT_TOKENS, Point, chosen, points_of
from recollect.context.exchanges import STEPS_MAX, Deed, TalkExchange, exchanges_of
from recollect.model.messages import read_messages

GISTS_KEPT = 4_096
KEPT_CHARS_MAX = 200_000  # a longer exchange is not kept: its points are few, but reading it is seldom repeated
_ASKED_SHARE, _DEEDS_SHARE = 0.45, 0.75  # of a line
_LINE_TOKENS = 4  # its mark, its verb and its arrow
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
SHARE = 0.2  # of a conversation that is told
TOKENS_MAX = 8_000
FILES, ERRORS = "Files changed", "Errors met"


class Side(NamedTuple):
    """What one side said in an exchange."""

    speaker: str
    points: tuple[Point, ...]


class ExchangeGist(NamedTuple):
    """An exchange in points."""

    asked: Side
    done: Side
    deeds: tuple[Deed, ...]
    at: datetime | None
    tokens: float  # of all of it, about


def gist_of(exchange: TalkExchange, *, code_lines_max: int) -> ExchangeGist:
    """The gist of an exchange; the same one again costs a look-up."""
    key = (exchange.number, code_lines_max)
    with _lock:
        found = _kept.get(key)
        if found is not None:
            _kept.move_to_end(key)
            return found
    gist = _read(exchange, code_lines_max)
    if exchange.chars <= KEPT_CHARS_MAX:
        with _lock:
            _kept[key] = gist
            while len(_kept) > GISTS_KEPT:
                _kept.popitem(last=False)
    return gist


def forget() -> None:
    """Let go of what was kept."""
    with _lock:
        _kept.clear()


def line_of(gist: ExchangeGist, tokens: float) -> str:
    """The exchange in one line of about so many tokens: `asked … → did …`; "" if it says nothing."""
    deeds = deeds_told(gist.deeds, tokens * _DEEDS_SHARE)
    room = tokens - len(deeds) / CHARS_PER_TOKEN - _LINE_TOKENS
    asked = chosen(gist.asked.points, room * (_ASKED_SHARE if gist.done.points and not deeds else 1.0))
    done = chosen(gist.done.points, room - sum(point.tokens for point in asked))
    before = _said(asked, "asked" if any(point.is_question for point in asked) else "said")
    after = "; ".join(part for part in (deeds, _said(done, "")) if part)
    if not before and not after:
        return ""
    day = f"{gist.at:%Y-%m-%d} " if gist.at else ""
    return f"- {day}{before or 'said little'}{f' → {after}' if after else ''}"


def _said(points: list[Point], verb: str) -> str:
    said = "; ".join(point.text for point in points)
    return f"{verb} {said}".strip() if said else ""


def deeds_told(deeds: tuple[Deed, ...], tokens: float) -> str:
    """What was done, each once with how often; what failed first, then what changed a file, as far as there is room."""
    counts = Counter(deed.told for deed in deeds)
    last = {deed.told: deed for deed in deeds}
    ranked = sorted(last.values(), key=lambda deed: (deed.error is None, deed.changed is None))
    shown: list[str] = []
    for deed in ranked:
        told = f"{deed.short}{f' ({counts[deed.told]}×)' if counts[deed.told] > 1 else ''}"
        tokens -= len(told) / CHARS_PER_TOKEN
        if shown and tokens < 0:
            break
        shown.append(told)
    return "; ".join(shown + ([f"{len(ranked) - len(shown)} more"] if len(ranked) > len(shown) else []))


def _read(exchange: TalkExchange, code_lines_max: int) -> ExchangeGist:
    asked = [point for one in exchange.asked for point in points_of(one.text, code_lines_max=code_lines_max)]
    spoken = [one for one in exchange.done if not one.is_result][-STEPS_MAX:]
    done = [point for one in spoken for point in points_of(one.text, code_lines_max=code_lines_max)]
    return ExchangeGist(
        Side(next((one.name for one in exchange.asked if one.name), "user"), tuple(asked)),
        Side(next((one.name for one in spoken if one.name), "assistant"), tuple(done)),
        tuple(exchange.deeds),
        exchange.at,
        exchange.chars / CHARS_PER_TOKEN,
    )


_kept: OrderedDict[tuple[int, int], ExchangeGist] = OrderedDict()
_lock = Lock()


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


class ToldTurn(NamedTuple):
    """A sentence, what it stands under, and who said it when."""

    text: str
    headings: tuple[str, ...] = ()
    speaker: str | None = None
    role: str | None = None
    at: datetime | None = None


def told_in(messages: Any, settings: ContextSettings) -> Iterator[ToldTurn]:
    """The sentences that tell most, then what was done to files and what went wrong."""
    exchanges = exchanges_of(message for message in read_messages(messages) if not message.is_system)
    size = sum(each.chars for each in exchanges) / CHARS_PER_TOKEN
    tokens = min(TOKENS_MAX, max(settings.summary_tokens_min, SHARE * size))
    gists = [gist_of(each, code_lines_max=settings.code_lines_max) for each in worth_reading(exchanges, tokens)]
    for pick in picked(gists, tokens):
        role = "assistant" if pick.at[1] else "user"
        speaker = None if pick.speaker == role else pick.speaker
        if not pick.point.is_question:
            yield ToldTurn(pick.point.whole, (), speaker, role, pick.said_at)
    yield from _done(gists)


def _done(gists: Sequence[ExchangeGist]) -> Iterator[ToldTurn]:
    deeds = [deed for gist in gists for deed in gist.deeds]
    for name in Counter(deed.changed for deed in deeds if deed.changed):
        yield ToldTurn(f"Changed the file {name}", (FILES,))
    for error in Counter(deed.error for deed in deeds if deed.error):
        yield ToldTurn(error, (ERRORS,))
