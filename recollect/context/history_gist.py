"""The gist of an exchange, worked out once: what both sides said, in points, and what was done.

Kept by the number of the exchange, so that a conversation that grows by one is read from where it was.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from datetime import datetime
from threading import Lock
from typing import NamedTuple

from recollect.context.condense import CHARS_PER_TOKEN, Point, chosen, points_of
from recollect.context.exchanges import STEPS_MAX, Deed, TalkExchange

GISTS_KEPT = 4_096
KEPT_CHARS_MAX = 200_000  # a longer exchange is not kept: its points are few, but reading it is seldom repeated
_ASKED_SHARE, _DEEDS_SHARE = 0.45, 0.75  # of a line
_LINE_TOKENS = 4  # its mark, its verb and its arrow


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
