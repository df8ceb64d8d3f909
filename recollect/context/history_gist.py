"""The gist of an exchange, worked out once: what both sides said, in points, and what was done.

Kept by the number of the exchange, so that a conversation that grows by one is read from where it was.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime
from threading import Lock
from typing import NamedTuple

from recollect.context.condense import CHARS_PER_TOKEN, Point, chosen, points_of
from recollect.context.exchanges import Deed, Exchange

GISTS_KEPT = 4_096
KEPT_CHARS_MAX = 200_000  # a longer exchange is not kept: its points are few, but reading it is seldom repeated
DEEDS_SHOWN = 6
_ASKED_SHARE = 0.45


class Side(NamedTuple):
    """What one side said in an exchange."""

    speaker: str
    points: tuple[Point, ...]


class Gist(NamedTuple):
    """An exchange in points."""

    asked: Side
    done: Side
    deeds: tuple[Deed, ...]
    at: datetime | None
    tokens: float  # of all of it, about


def gist_of(exchange: Exchange, *, code_lines_max: int) -> Gist:
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


def line_of(gist: Gist, tokens: float) -> str:
    """The exchange in one line of about so many tokens: `asked … → did …`; "" if it says nothing."""
    told = _deeds_told(gist.deeds)
    deeds = "; ".join(told)
    room = max(0.0, tokens - len(deeds) / CHARS_PER_TOKEN - 4)
    asked = chosen(gist.asked.points, room * (_ASKED_SHARE if gist.done.points else 1.0))
    room -= sum(point.tokens for point in asked)
    done = chosen(gist.done.points, room)
    before = _said(asked, "asked" if any(point.is_question for point in asked) else "said")
    after = "; ".join(part for part in (deeds, _said(done, "")) if part)
    if not before and not after:
        return ""
    day = f"{gist.at:%Y-%m-%d} " if gist.at else ""
    return f"- {day}{before or 'said little'}{f' → {after}' if after else ''}"


def _said(points: list[Point], verb: str) -> str:
    said = "; ".join(point.text for point in points)
    return f"{verb} {said}".strip() if said else ""


def _deeds_told(deeds: tuple[Deed, ...]) -> list[str]:
    """What was done, each once with how often; those that changed a file or failed first."""
    counts: dict[str, int] = {}
    last: dict[str, Deed] = {}
    for deed in deeds:
        counts[deed.told] = counts.get(deed.told, 0) + 1
        last[deed.told] = deed
    ranked = sorted(last.values(), key=lambda deed: (deed.changed is None) + (deed.error is None))[:DEEDS_SHOWN]
    shown = [f"{deed.short}{f' ({counts[deed.told]}×)' if counts[deed.told] > 1 else ''}" for deed in ranked]
    return shown + ([f"{len(last) - len(ranked)} more"] if len(last) > len(ranked) else [])


def _read(exchange: Exchange, code_lines_max: int) -> Gist:
    asked = [point for one in exchange.asked for point in points_of(one.text, code_lines_max=code_lines_max)]
    spoken = [one for one in exchange.done if not one.is_result]
    done = [point for one in spoken for point in points_of(one.text, code_lines_max=code_lines_max)]
    return Gist(
        Side(next((one.name for one in exchange.asked if one.name), "user"), tuple(asked)),
        Side(next((one.name for one in spoken if one.name), "assistant"), tuple(done)),
        tuple(exchange.deeds), exchange.at, exchange.chars / CHARS_PER_TOKEN,
    )  # fmt: skip


_kept: OrderedDict[tuple[int, int], Gist] = OrderedDict()
_lock = Lock()
