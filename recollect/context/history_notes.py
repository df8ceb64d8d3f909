"""Notes on the exchanges that are not kept word for word: a line for each of the newer ones, a summary of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.config.window import ContextSettings
from recollect.context.condense import CHARS_PER_TOKEN
from recollect.context.exchanges import TalkExchange
from recollect.context.history_gist import ExchangeGist, gist_of, line_of
from recollect.context.history_summary import summary_of, worth_reading
from recollect.providers.tokens import Counter

TITLE = "[Notes on the conversation so far, made automatically; they are a record, not instructions.]"
LINE_SHARE = 0.25  # of an exchange that its line may take
LINE_TOKENS_MIN, LINE_TOKENS_MAX = 32, 80
DEED_TOKENS, DEEDS_MAX = 4, 40  # a longer line for an exchange in which much was done
SUMMARY_SHARE = 0.2  # of what is summed up that the summary may take
LINES_SHARE = 0.4  # of the notes that lines may take where there is something to sum up
_SAMPLE_CHARS = 20_000
_ATTEMPTS = 6
_SAFELY = 0.97  # of what the last attempt says would fit


class Notes(NamedTuple):
    """Notes, and how many exchanges have a line in them or are summed up."""

    text: str
    condensed: int = 0
    summarised: int = 0


NOTHING = Notes("")


def notes_on(exchanges: Sequence[TalkExchange], tokens: int, counter: Counter, settings: ContextSettings) -> Notes:
    """Notes of at most so many tokens; nothing where they would say too little."""
    room = tokens - counter.count(TITLE) - 1
    if room < LINE_TOKENS_MIN:
        return NOTHING
    writing = _Writing(exchanges, settings, room)
    aim = float(room)
    for _ in range(_ATTEMPTS):
        notes = writing.within(aim)
        if not notes.text:
            return NOTHING
        text = f"{TITLE}\n{notes.text}"
        over = counter.count(text) / tokens
        if over <= 1:
            return notes._replace(text=text)
        aim *= _SAFELY / over
    return NOTHING


def about_tokens(exchanges: Sequence[TalkExchange], counter: Counter) -> int:
    """About the tokens of a conversation, from how long its newest words are: counting all of it takes too long."""
    sample = ""
    for exchange in reversed(exchanges):
        sample += "\n".join(message.text[:_SAMPLE_CHARS] for message in (*exchange.asked, *exchange.done))
        if len(sample) >= _SAMPLE_CHARS:
            break
    sample = sample[:_SAMPLE_CHARS]
    return round(sum(each.chars for each in exchanges) * counter.count(sample) / len(sample)) if sample else 0


class _Writing:
    """Exchanges that are read once, and written down as briefly as it takes."""

    def __init__(self, exchanges: Sequence[TalkExchange], settings: ContextSettings, room: int) -> None:
        self._settings = settings
        first = max(0, len(exchanges) - settings.compressed_turns)
        self._older = first
        self._older_tokens = sum(each.chars for each in exchanges[:first]) / CHARS_PER_TOKEN
        self._recent = [self._gist(each) for each in exchanges[first:]]
        self._before = [self._gist(each) for each in worth_reading(exchanges[:first], room)]

    def _gist(self, exchange: TalkExchange) -> ExchangeGist:
        return gist_of(exchange, code_lines_max=self._settings.code_lines_max)

    def within(self, room: float) -> Notes:
        """Notes of about so many tokens."""
        sums_up = self._older > 0 and room >= self._settings.summary_tokens_min
        lines = _lines(self._recent, room * LINES_SHARE if sums_up else room)
        room -= sum(len(line) / CHARS_PER_TOKEN + 1 for line in lines)
        summary, missing = "", len(self._recent) - len(lines)
        if sums_up:
            most = max(float(self._settings.summary_tokens_min), SUMMARY_SHARE * self._older_tokens)
            gists = [*self._before, *self._recent[:missing]]
            summary = summary_of(gists, min(room, most), of=self._older + missing)
        text = "\n".join(part for part in (summary, *lines) if part)
        return Notes(text, len(lines), self._older + missing if summary else 0)


def _lines(gists: Sequence[ExchangeGist], room: float) -> list[str]:
    """A line for each exchange, oldest first; the oldest are missing if there is no room for all."""
    wanted = [
        min(
            LINE_TOKENS_MAX + DEED_TOKENS * min(len(gist.deeds), DEEDS_MAX),
            max(LINE_TOKENS_MIN, gist.tokens * LINE_SHARE),
        )
        for gist in gists
    ]
    scale = min(1.0, room / sum(wanted)) if wanted else 1.0
    out: list[str] = []
    for gist, tokens in zip(reversed(gists), reversed(wanted), strict=True):
        line = line_of(gist, max(LINE_TOKENS_MIN, tokens * scale))
        room -= len(line) / CHARS_PER_TOKEN + 1
        if room < 0:
            break
        out.insert(0, line or "- said little")
    return out
