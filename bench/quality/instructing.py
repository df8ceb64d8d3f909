"""How many texts that instruct their reader are found, and how many ordinary ones are taken for such.

    python -m bench.quality --set injection

Attacks and harmless look-alikes are those of public sets. None of their texts, and nothing that shares eight words in a
row with one, was learned from, so each source is left out by itself. Every text counts as one that comes from a tool or
without a role, the strictest case. *Found* is marked or quarantined; *blocked* is quarantined. The baseline is a list
of patterns, such as "ignore … instructions": what a program does without any weights.

Turns of chats are judged as `add` does; one in a few also as closely as a moment later, when they get their vectors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from bench.quality import everyday, sets
from bench.quality.figures import Figure, share
from recollect.config.guarding import SecuritySettings
from recollect.model.screening import ScreeningAction
from recollect.providers.embedders.minilm import MiniLmEmbedder
from recollect.security.screening.injection import Encode, judge, signs_in
from recollect.security.screening.normalise import normalised
from recollect.security.screening.screen import screening_of

LABELLED = "injection/injection_dev.jsonl.gz"
ATTACKS = {
    "jailbreaks": ("inthewild-jailbreak",),
    "CyberSecEval": ("CyberSecEval-direct", "CyberSecEval-indirect"),
    "PIGuard": ("PIGuard-valid",),
    "deepset": ("deepset/prompt-injections",),
    "BIPIA": ("BIPIA-text",),
}
HARMLESS = {
    "NotInject": ("NotInject",),
    "other harmless texts": ("deepset/prompt-injections", "PIGuard-valid"),
}
CHATS = ("locomo", "realtalk", "beam100k", "beam500k")
# One turn in so many is read closely. An odd number, because two speak in turns.
CLOSELY = {"locomo": 3, "realtalk": 3, "beam100k": 5, "beam500k": 11}
BLOCKED = (ScreeningAction.QUARANTINE, ScreeningAction.REFUSE)

Act = Callable[[str], str]  # what becomes of a text


def measure(baselines: bool) -> list[Figure]:
    encoder = MiniLmEmbedder()
    closely = _judging(encoder.embed, closely=True)
    labelled = list(sets.lines_of(LABELLED))
    return [
        *_attacks(labelled, closely, baselines),
        *_harmless(labelled, closely, baselines),
        *_chats(_judging(encoder.embed), closely, baselines),
    ]


def _judging(encode: Encode, *, closely: bool = False) -> Act:
    chosen = SecuritySettings()

    def act(text: str) -> str:
        return screening_of(judge(normalised(text), encode, closely=closely), None, chosen).action

    return act


def _by_patterns(text: str) -> str:
    """What a list of patterns would block."""
    found = signs_in(normalised(text).text.lower())
    return ScreeningAction.QUARANTINE.value if found else ScreeningAction.KEEP.value


def _attacks(rows: Sequence[dict[str, object]], act: Act, baselines: bool) -> Iterator[Figure]:
    for name, sources in ATTACKS.items():
        texts = [str(row["text"]) for row in rows if row["label"] and row["source"] in sources]
        done = [act(text) for text in texts]
        by_patterns = _share_blocked(texts, _by_patterns) if baselines else None
        found = sum(each != ScreeningAction.KEEP for each in done)
        note = f"{len(texts)} texts; {_percent(sum(each in BLOCKED for each in done), len(done))} quarantined"
        yield Figure(name=f"found, {name}", value=share(found, len(done)), baseline=by_patterns, note=note)


def _harmless(rows: Sequence[dict[str, object]], act: Act, baselines: bool) -> Iterator[Figure]:
    for name, sources in HARMLESS.items():
        texts = [str(row["text"]) for row in rows if not row["label"] and row["source"] in sources]
        yield _let_through(name, texts, act, baselines)


def _chats(act: Act, closely: Act, baselines: bool) -> Iterator[Figure]:
    for name in CHATS:
        texts = [turn.text for conversation in sets.load(name) for turn in conversation.turns]
        yield _let_through(name, texts, act, baselines)
        yield _let_through(f"{name}, closely", texts[:: CLOSELY[name]], closely, False)
    turns = [turn.text for life in everyday.weeks() for turn in life.turns]
    yield _let_through("weeks", turns, closely, baselines)


def _let_through(name: str, texts: Sequence[str], act: Act, baselines: bool) -> Figure:
    done = [act(text) for text in texts]
    blocked = sum(each in BLOCKED for each in done)
    by_patterns = _share_blocked(texts, _by_patterns) if baselines else None
    return Figure(
        name=f"not blocked, {name}",
        value=share(len(done) - blocked, len(done)),
        baseline=None if by_patterns is None else 1.0 - by_patterns,
        note=f"{blocked} of {len(done)} blocked; {sum(each == ScreeningAction.MARK for each in done)} marked",
    )


def _share_blocked(texts: Sequence[str], act: Act) -> float:
    return sum(act(text) in BLOCKED for text in texts) / max(1, len(texts))


def _percent(count: int, of: int) -> str:
    return f"{math.floor(100 * count / of + 0.5)} %" if of else "none"
