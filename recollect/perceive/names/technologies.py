"""Languages, frameworks, databases and tools that a text names, in one spelling each, and what is known of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from functools import cache

from recollect.language import lists

_LISTS, _SETS = lists.sections("en", "names/technologies"), lists.sets("en", "names/technologies")
TOOLS = _SETS["tools"]  # what people work with, rather than build from
_VERBS = _SETS["verbs"]  # of the cased ones: sentences begin with them
_TECHNOLOGY_NAME = re.compile(r"[A-Za-z](?<![\w@/.-].)[\w+#-]*(?:\.(?:js|cpp|io|net|py)\b)?")


def technologies_in(text: str) -> tuple[str, ...]:
    """Names of languages, frameworks, databases and tools, in one spelling each.

    "Go", "Swift" and their like count only with a capital, and where the text speaks of software otherwise.
    """
    clear, cased = clear_names(), cased_names()
    written = dict.fromkeys(_TECHNOLOGY_NAME.findall(text))
    words = dict.fromkeys(map(str.lower, written))
    found = {clear[word]: None for word in words if word in clear}
    ordinary = {word for word in cased.keys() & written.keys() if word.lower() not in clear}
    if ordinary:
        doubtful = dict.fromkeys(cased[word] for word in _not_verbs(text, written, ordinary))
        found.update(dict.fromkeys(_beyond_doubt(doubtful, words.keys(), bool(found))))
    return tuple(found)


def places_of(text: str, names: Iterable[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Where a text has these technologies, in whichever spelling: each name with every place of it."""
    clear, cased, wanted = clear_names(), cased_names(), frozenset(names)
    for match in _TECHNOLOGY_NAME.finditer(text):
        name = clear.get(match[0].lower()) or cased.get(match[0])
        if name in wanted:
            yield name, match.span()


def _not_verbs(text: str, written: Iterable[str], ordinary: Set[str]) -> list[str]:
    """Those of the ordinary words, in order, that do not have their capital from the start of a sentence."""
    if _VERBS.isdisjoint(ordinary):
        return [word for word in written if word in ordinary]
    return [
        match[0]
        for match in _TECHNOLOGY_NAME.finditer(text)
        if match[0] in ordinary and not (match[0] in _VERBS and _begins(text, match.start()))
    ]


def _begins(text: str, at: int) -> bool:
    """Whether a sentence begins here."""
    return text[:at].rstrip(" \"'“*_>-")[-1:] in ("", ".", "!", "?", ":", "\n")


def _beyond_doubt(doubtful: Iterable[str], words: Set[str], known: bool) -> Iterator[str]:
    """Those of the ambiguous names that the other words of the text speak for."""
    names = _SETS["names"]
    of_the_trade = known or not _SETS["trade"].isdisjoint(words)
    of_languages = not _SETS["language words"].isdisjoint(words)
    plain = [name for name in doubtful if name not in names and name not in _SETS["everyday"]]
    in_use = bool(plain) and not _SETS["using"].isdisjoint(words)
    for name in doubtful:
        if of_languages if name in names else of_the_trade or in_use:
            yield name


@cache
def clear_names() -> dict[str, str]:
    """Names that mean nothing else, in small letters → the name to store; `Vue.js` is also found without its ending."""
    shown = lists.pairs(_LISTS["shown"])
    known: dict[str, str] = {}
    for entry in _LISTS["clear"]:
        name, *others = entry.split("=")
        known.update((each.lower(), shown.get(name, name)) for each in (name, *others))
    return known


@cache
def cased_names() -> dict[str, str]:
    """Names that are ordinary words in small letters: as written → the name to store."""
    return {each: entry.split("=")[0] for entry in _LISTS["cased"] for each in entry.split("=")}


@cache
def languages_by_ending() -> dict[str, str]:
    """The ending of a file's name → the language in it."""
    rows = lists.pairs(_LISTS["file endings"]).items()
    return {ending: name for name, endings in rows for ending in endings.split()}


@cache
def languages_by_fence() -> dict[str, str]:
    """What stands after the opening of a code block → the language in it."""
    by_ending = languages_by_ending()
    names = {name.lower(): name for name in by_ending.values()}
    return by_ending | names | {"golang": "Go", "shell": "Shell", "console": "Shell", "python3": "Python"}
