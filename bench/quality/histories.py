"""What survives of a conversation that is made to fit: key words, names and numbers of the turns that questions need.

    python -m bench.quality --set history

Beside it the newest turns that fit into the same number of tokens, which is what most programs send.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import mean, median
from typing import Any, NamedTuple

from bench.quality.figures import Figure
from bench.quality.sets import Conversation, load
from recollect.config.window import ContextSettings
from recollect.context.history import compress
from recollect.language.terms import telling, terms_of
from recollect.providers.tokens import Counter as Tokens
from recollect.providers.tokens import counter_for

MODEL = "gpt-4o"
BUDGETS = (2_000, 4_000)
SETS = ("locomo", "realtalk", "beam100k")
PLENTY = 1_000_000  # tokens: what is kept when nobody asks for less
CHARS_PER_TOKEN = 4  # where the baseline cuts
LINES_TOGETHER = 3  # in which half of a turn's words must stand for it to be told
_MANY = 10_000
_RUNS = 5
_FILES = ("src/auth.py", "src/store.py", "db/schema.sql", "web/login.ts", "tests/test_auth.py", "deploy/chart.yaml")
_ERRORS = (
    "KeyError: 'dsn'",
    "TypeError: expected str, got None",
    "ImportError: no module named gateway",
    "TimeoutError: no answer from db-1 after 30 s",
    "AssertionError: 401 is not 200",
)
_DECISIONS = (
    "We decided to sign tokens with RS256.",
    "We agreed on Postgres 16 instead of MySQL.",
    "Sessions must expire after 45 days.",
    "I prefer tabs, never spaces.",
    "The deadline is 14 March.",
)


class Kept(NamedTuple):
    """Shares of what was looked for: words that stand anywhere, and turns whose words stand together."""

    words: float
    turns: float


def measure(baselines: bool) -> Iterator[Figure]:
    counter = counter_for(MODEL)
    for name in SETS:
        for budget in (*BUDGETS, PLENTY):
            yield from _of_set(name, budget, counter)
    yield from _of_coding(counter)
    yield from _speed(counter)


def _of_set(name: str, budget: int, counter: Tokens) -> Iterator[Figure]:
    ours, theirs, ratios = [], [], []
    for conversation in load(name):
        messages = _messages(conversation)
        needed = _needed(conversation)
        if not needed:
            continue
        history = compress(messages, budget, counter, ContextSettings())
        ours.append(kept(needed, [message.text for message in history.messages]))
        theirs.append(kept(needed, _newest(messages, history.tokens, counter)))
        ratios.append(counter.count_messages([_plain(each) for each in messages]) / history.tokens)
    at = f"{name} at {budget // 1000}K" if budget != PLENTY else f"{name}, room enough"
    note = f"{mean(ratios):.1f} tokens became one"
    yield Figure(
        name=f"words kept, {at}",
        value=mean(each.words for each in ours),
        baseline=mean(each.words for each in theirs),
        note=note,
    )
    yield Figure(
        name=f"turns told, {at}", value=mean(each.turns for each in ours), baseline=mean(each.turns for each in theirs)
    )
    if budget == PLENTY:
        yield Figure(name=f"ratio, {name}", value=min(ratios), note="the least of its conversations")


def kept(needed: Sequence[str], texts: Sequence[str]) -> Kept:
    """How much of the needed texts stands in those that were kept."""
    lines = [set(_keys(line)) for text in texts for line in _lines(text)]
    where: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        for key in line:
            where.setdefault(key, []).append(number)
    words, turns = [], []
    for text in needed:
        keys = set(_keys(text))
        if not keys:
            continue
        words.append(sum(key in where for key in keys) / len(keys))
        near = Counter(number + step for key in keys for number in where.get(key, ()) for step in range(LINES_TOGETHER))
        together = max((_found(keys, lines, last) for last, _ in near.most_common(20)), default=0)
        turns.append(together * 2 >= len(keys))
    return Kept(mean(words), mean(turns))


def _found(keys: set[str], lines: Sequence[set[str]], last: int) -> int:
    return len(keys.intersection(*[set().union(*lines[max(0, last - LINES_TOGETHER + 1) : last + 1])]))


def _keys(text: str) -> list[str]:
    return telling(terms_of(text))


def _lines(text: str) -> list[str]:
    return [part for line in text.split("\n") for part in line.replace(" → ", "; ").replace(". ", "; ").split("; ")]


def _messages(conversation: Conversation) -> list[dict[str, Any]]:
    first = conversation.turns[0].speaker
    return [
        {"role": "user" if turn.speaker == first else "assistant", "content": turn.text, "timestamp": turn.date}
        for turn in conversation.turns
    ]


def _needed(conversation: Conversation) -> list[str]:
    gold = {turn for question in conversation.questions if question.answerable for turn in question.gold}
    return [turn.text for turn in conversation.turns if turn.id in gold]


def _plain(message: dict[str, Any]) -> dict[str, str]:
    return {"role": message["role"], "content": message["content"] or ""}


def _newest(messages: Sequence[dict[str, Any]], tokens: int, counter: Tokens) -> list[str]:
    """The newest messages that fit, word for word, and the end of the one that does not."""
    out: list[str] = []
    for message in reversed(messages):
        text, left = message["content"] or "", tokens
        tokens -= counter.count_messages([_plain(message)])
        if tokens < 0:
            return [*out, text[-CHARS_PER_TOKEN * left :]]
        out.append(text)
    return out


def coding_session(exchanges: int, seed: int = 7) -> tuple[list[dict[str, Any]], list[str]]:
    """A session of work with tools, and what must not be lost of it: files, errors, decisions."""
    chance = random.Random(seed)
    messages: list[dict[str, Any]] = []
    needed: list[str] = []
    for number in range(exchanges):
        file, error, said = chance.choice(_FILES), chance.choice(_ERRORS), chance.choice(_DECISIONS)
        needed += [file, error] if number % 3 == 0 else [said]
        code = "\n".join(f"    value_{line} = compute({line}, scale={number})" for line in range(30))
        log = "\n".join(f"DEBUG worker-{line % 7} handled request {line} in {line % 13} ms" for line in range(120))
        failed = f"{log}\n{error}\n2 failed, 31 passed in 4.1s" if number % 3 == 0 else f"{log}\n33 passed in 4.0s"
        messages += [
            {"role": "user", "content": f"Please look at step {number} of the login. {said if number % 3 else ''}"},
            {
                "role": "assistant",
                "content": f"Let me see.\n```python\n{code}\n```",
                "tool_calls": [
                    {"id": f"e{number}", "function": {"name": "edit_file", "arguments": f'{{"path": "{file}"}}'}},
                    {"id": f"r{number}", "function": {"name": "bash", "arguments": '{"command": "pytest -q"}'}},
                ],
            },
            {"role": "tool", "tool_call_id": f"e{number}", "content": "ok"},
            {"role": "tool", "tool_call_id": f"r{number}", "content": failed},
            {"role": "assistant", "content": "Done, the tests are run." if number % 3 else "It fails, I will see why."},
        ]
    return messages, sorted(set(needed))


def _of_coding(counter: Tokens) -> Iterator[Figure]:
    messages, needed = coding_session(60)
    history = compress(messages, 2_000, counter, ContextSettings())
    yield Figure(
        name="kept, coding at 2K",
        value=_standing(needed, [each.text for each in history.messages]),
        baseline=_standing(needed, _newest(messages, 2_000, counter)),
        note=f"of {len(needed)} files, errors and decisions; {history.ratio:.0f} tokens became one",
    )


def _standing(needed: Sequence[str], texts: Sequence[str]) -> float:
    """The share of these that stand in the texts, but for articles and the full stop."""
    everything = set(_keys(" ".join(texts)))
    return mean(set(_keys(each)) <= everything for each in needed)


def _speed(counter: Tokens) -> Iterator[Figure]:
    turns = [turn.text for conversation in load("locomo") for turn in conversation.turns]
    times, again = [], []
    for run in range(_RUNS):
        messages = [
            {"role": "assistant" if at % 2 else "user", "content": f"{turns[at % len(turns)]} {run} {at}"}
            for at in range(_MANY)
        ]
        times.append(_timed(messages, counter))
        again.append(_timed([*messages, {"role": "user", "content": "And now?"}], counter))
    for name, took in (("new", median(times)), ("one more", median(again))):
        yield Figure(name=f"messages/s, {name}", value=_MANY / took, note=f"{1e3 * took:.0f} ms for {_MANY:,}")


def _timed(messages: Sequence[dict[str, Any]], counter: Tokens) -> float:
    start = time.process_time()
    compress(messages, 4_000, counter, ContextSettings())
    return time.process_time() - start
