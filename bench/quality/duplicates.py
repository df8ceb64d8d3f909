"""How well repeats are told from texts that only look like them.

Two sources. SICK (`$RECOLLECT_EVAL_DATA/sick`): pairs of sentences that people judged; only those where each follows
from the other, at the highest relatedness, may be called the same. And pairs made here from statements: every one is
changed in one thing that matters (a number, name, date, negation, quantity, modal, direction, path, version, tense,
opposite) and must stay apart, or in wording alone and should be found.

    python -m bench.quality.duplicates ../shared/data
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

from recollect.perceive.sameness.sense import says_the_same

SURELY_THE_SAME = 4.8  # relatedness, of 5


class Pair(NamedTuple):
    """Two texts, what one has that the other has not, and whether they say the same all the same."""

    one: str
    other: str
    differs_in: str
    same: bool


def measure(data_folder: Path) -> dict[str, Any]:
    """`precision`: of all pairs called the same, the share that is; `kept_apart`: of those that differ, by what they
    differ in; `found`: of those that say the same, the share that is called so, by source. `wrong`: what was merged."""
    pairs = [*_of_people(data_folder), *made()]
    called = [pair for pair in pairs if says_the_same(pair.one, pair.other)]
    wrong = [pair for pair in called if not pair.same]
    return {
        "pairs": len(pairs),
        "called_same": len(called),
        "precision": (len(called) - len(wrong)) / len(called),
        "kept_apart": _shares(pairs, called, same=False),
        "found": _shares(pairs, called, same=True),
        "wrong": [(pair.one, pair.other) for pair in wrong],
    }


def _shares(pairs: list[Pair], called: list[Pair], *, same: bool) -> dict[str, tuple[float, int]]:
    """(share that was judged right, pairs) by what they differ in."""
    every = Counter(pair.differs_in for pair in pairs if pair.same is same)
    merged = Counter(pair.differs_in for pair in called if pair.same is same)
    right = merged if same else every - merged
    return {name: (right[name] / count, count) for name, count in sorted(every.items())}


def _of_people(folder: Path) -> Iterator[Pair]:
    found = sorted((folder / "sick").glob("*.jsonl.gz"))
    for path in found:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                same = line["label"] == "ENTAILMENT" and line["relatedness"] >= SURELY_THE_SAME
                label = "SICK, same" if same else f"SICK, {line['label'].lower()}"
                yield Pair(line["a"], line["b"], label, same)


# --- pairs made from statements --------------------------------------------------------------------------------------

STATEMENTS = """
    Ana uses Helix for 3 Rust projects
    Ana lives in Rome with her sister
    Ben moved from Lima to Oslo in 2019
    The deployment of Atlas failed on 5 May
    Carla prefers tea and coffee in the morning
    The login page answers in 120 ms
    Ben paid $1,200 for the red bike
    On Friday, Ana met Ben in Galway
    Dana can open the vault after 6 pm
    The API allows 100 requests per minute
    Ana's brother works at Acme as a designer
    The config is in src/app/config.py
    Version 2.4.1 of the parser supports JSON
    All tests pass on Linux and Windows
    Eva manages the team of Ben
    The meeting starts at 10:30 on Monday
    Ana has two cats and a dog
    Ben is allergic to peanuts and shellfish
    The server runs PostgreSQL 16 on port 5432
    Ana said that the release is ready
    Dana likes hiking in the mountains
    Ben does not eat meat any more
    Carla must renew the licence before 12 June
    Ana is using vim for most of her work
""".strip().split("\n")
NAMES = ("Ana", "Ben", "Carla", "Dana", "Eva", "Rome", "Lima", "Oslo", "Galway", "Acme", "Atlas", "Linux", "PostgreSQL")
OTHER_NAMES = ("Finn", "Gwen", "Turin", "Zenit", "SQLite")
DAYS = ("Monday", "Friday", "Sunday")
MONTHS = ("May", "June", "August")
Change = Callable[[str], Iterator[str]]


def made() -> Iterator[Pair]:
    """Every statement with every change that fits it."""
    for statement in map(str.strip, STATEMENTS):
        for what, change in DIFFERENCES.items():
            for other in change(statement):
                if other != statement:
                    yield from (Pair(statement, other, what, False), Pair(other, statement, what, False))
        for what, change in REWORDINGS.items():
            for other in change(statement):
                if other != statement:
                    yield Pair(statement, other, what, True)
    for one, other in combinations(map(str.strip, STATEMENTS), 2):
        yield Pair(one, other, "everything", False)


def _replacing(pattern: str, *others: str) -> Change:
    """The text with one thing that matches exchanged for one of the others."""

    def change(text: str) -> Iterator[str]:
        for match, other in product(re.finditer(pattern, text), others):
            yield text[: match.start()] + other + text[match.end() :]

    return change


def _digits(text: str) -> Iterator[str]:
    for at, mark in enumerate(text):
        if mark.isdigit():
            yield f"{text[:at]}{(int(mark) + 1) % 10}{text[at + 1 :]}"
            yield f"{text[:at]}{mark}0{text[at + 1 :]}"


def _swapped(text: str) -> Iterator[str]:
    """Two names in each other's place."""
    found = [match for name in NAMES for match in re.finditer(rf"\b{name}\b", text)]
    for first, last in combinations(sorted(found, key=lambda match: match.start()), 2):
        if first[0] != last[0] and text[first.end() : last.start()].strip() != "and":
            yield text[: first.start()] + last[0] + text[first.end() : last.start()] + first[0] + text[last.end() :]


def _negated(text: str) -> Iterator[str]:
    words = text.split()
    for at in range(1, len(words)):
        yield " ".join([*words[:at], "not", *words[at:]])
    for helper in ("is", "can", "must", "has"):
        yield re.sub(rf"\b{helper}\b", f"{helper} not", text, count=1)
        yield re.sub(rf"\b{helper}\b", f"{helper}n't", text, count=1)
    yield f"It is not true that {text}"
    yield f"{text}, or not"
    yield text.replace("does not eat", "eats").replace(" any more", "")
    for one, other in (("uses", "does not use"), ("lives", "never lives"), ("prefers", "doesn't prefer")):
        yield text.replace(one, other)


_VERBS = "uses lives moved failed prefers answers paid met open works supports pass manages starts runs likes eat renew"
_PAST = {
    "uses": "used",
    "lives": "lived",
    "is": "was",
    "can": "could",
    "manages": "managed",
    "works": "worked",
    "has": "had",
    "starts": "started",
    "prefers": "preferred",
    "must": "had to",
    "are": "were",
}
_OPPOSITES = (
    ("before", "after"),
    ("after", "before"),
    ("allows", "forbids"),
    ("failed", "succeeded"),
    ("likes", "dislikes"),
    ("from Lima to Oslo", "from Oslo to Lima"),
    ("with", "without"),
    ("pass", "fail"),
    ("starts", "ends"),
    ("red", "blue"),
    ("brother", "sister"),
    ("her", "his"),
    ("morning", "evening"),
    ("open", "close"),
)
_IDENTIFIERS = (("config.py", "config.pyc"), ("src/app", "src/lib"), ("2.4.1", "2.4.1-rc1"), ("JSON", "JSONL"))
_MODALS = ("may", "might", "should", "will", "would", "could", "cannot")


def _every(table: Sequence[tuple[str, str]]) -> Change:
    return lambda text: (re.sub(rf"\b{one}\b", other, text, count=1) for one, other in table)


DIFFERENCES: dict[str, Change] = {
    "a number": _digits,
    "a number word": _replacing(r"\b(?:two|3|100)\b", "four", "five", "twelve"),
    "a name": _replacing(rf"\b(?:{'|'.join(NAMES)})\b", *OTHER_NAMES),
    "a date": lambda text: (
        other
        for table in (DAYS, MONTHS)
        for other in _replacing(rf"\b(?:{'|'.join(table)})\b", *table, "September", "Tuesday")(text)
    ),
    "a day more": lambda text: iter((f"{text} yesterday", f"{text} last week", f"Tomorrow {text}")),
    "a negation": _negated,
    "a quantity": lambda text: (
        other
        for word in ("most", "some", "few", "no", "only", "many", "almost all")
        for other in _replacing(r"\b(?:All|the|two|a)\b", word)(text)
        if not text.startswith("All") or word != "all"
    ),
    "a modal": lambda text: (
        other for modal in _MODALS for other in _replacing(rf"\b(?:{_VERBS.replace(' ', '|')})\b", f"{modal} be")(text)
    ),
    "a direction": _swapped,
    "an opposite": _every(_OPPOSITES),
    "a tense": _every(tuple(_PAST.items())),
    "an identifier": lambda text: (
        other for one, other_part in _IDENTIFIERS for other in _replacing(re.escape(one), other_part)(text)
    ),
    "a question": lambda text: iter((f"{text}?",)),
    "a doubt": lambda text: iter((f"Maybe {text}", f"I think {text}", f"If {text}", f"{text}, supposedly")),
    "a word more": lambda text: (
        f"{before} {more} {after}".strip()
        for more in ("old", "daily", "again", "secretly", "second")
        for at in (m.start() for m in re.finditer(" ", text))
        for before, after in ((text[:at], text[at + 1 :]),)
    ),
    "a word less": lambda text: (
        " ".join([*words[:at], *words[at + 1 :]])
        for words in (text.split(),)
        for at in range(len(words))
        if words[at] not in ("the", "a", "an", "The") and not (words[at] == "that" and at)
    ),
}

_SHORT = (("does not", "doesn't"), ("said that the", "said the"), ("is using", "uses"))
_SPELT = (
    ("$1,200", "1200 dollars"),
    ("two", "2"),
    ("3", "three"),
    ("5 May", "May 5th"),
    ("12 June", "12th of June"),
    ("6 pm", "6pm"),
    ("6 pm", "6:00 p.m."),
    ("licence", "license"),
    ("likes hiking", "likes to hike"),
    ("120 ms", "120ms"),
    ("does not eat meat any more", "no longer eats meat"),
)
_OPENINGS = ("By the way,", "Well,", "Oh,", "And", "To be honest,", "Yes,", "Please note that")
_REORDERED = (
    ("tea and coffee", "coffee and tea"),
    ("peanuts and shellfish", "shellfish and peanuts"),
    ("Linux and Windows", "Windows and Linux"),
    (r"On Friday, (.*)", r"\1 on Friday"),
    (r"(Ben .*) in 2019", r"In 2019, \1"),
    (r"(The deployment .*) on 5 May", r"On 5 May, \1"),
    (r"(The meeting starts at 10:30) on Monday", r"On Monday \1"),
    (r"(Carla .*) before 12 June", r"Before 12 June, \1"),
)


def _without_articles(text: str) -> Iterator[str]:
    yield re.sub(r"\bthe ", "", text, count=1)
    yield re.sub(r"\ba (?!few)", "the ", text, count=1)


REWORDINGS: dict[str, Change] = {
    "case": lambda text: iter((text.lower(), text if re.search(r"[/_\d]", text) else text.upper())),
    "punctuation": lambda text: iter((f"{text}.", f"{text}!", f'"{text}"', f"  {text} ", text.replace(",", ""))),
    "an opening": lambda text: (f"{opening} {text}" for opening in _OPENINGS),
    "a filler": lambda text: (
        text.replace(f" {verb} ", f" {filler} {verb} ", 1)
        for filler in ("actually", "really", "also", "basically")
        for verb in _VERBS.split()
        if f" {verb} " in text and " not " not in text
    ),
    "an article": _without_articles,
    "a contraction": _every(_SHORT),
    "a spelling": lambda text: (re.sub(rf"(?<!\S){re.escape(one)}(?!\S)", other, text) for one, other in _SPELT),
    "order": _every(_REORDERED),
}


if __name__ == "__main__":
    json.dump(measure(Path(sys.argv[1])), sys.stdout, indent=1)
