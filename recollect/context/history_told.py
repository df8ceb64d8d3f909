"""What a conversation came to, as statements of its speakers rather than as text: for keeping it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from recollect.config.window import ContextSettings
from recollect.context.condense import CHARS_PER_TOKEN
from recollect.context.exchanges import exchanges_of
from recollect.context.history_gist import ExchangeGist, gist_of
from recollect.context.history_summary import picked, worth_reading
from recollect.model.messages import read_messages

SHARE = 0.2  # of a conversation that is told
TOKENS_MAX = 8_000
FILES, ERRORS = "Files changed", "Errors met"


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
