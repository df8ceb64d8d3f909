"""Languages, frameworks, databases and tools that a text names, in one spelling each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set

from recollect.perceive.names import technology_words as trade

_WORD = re.compile(r"[A-Za-z](?<![\w@/.-].)[\w+#-]*(?:\.(?:js|cpp|io|net|py)\b)?")


def technologies_in(text: str) -> tuple[str, ...]:
    """Names of languages, frameworks, databases and tools, in one spelling each.

    "Go", "Swift" and their like count only with a capital, and where the text speaks of software otherwise.
    """
    clear, cased = trade.clear(), trade.cased()
    written = dict.fromkeys(_WORD.findall(text))
    words = dict.fromkeys(map(str.lower, written))
    found = {clear[word]: None for word in words if word in clear}
    ordinary = {word for word in cased.keys() & written.keys() if word.lower() not in clear}
    if ordinary:
        doubtful = dict.fromkeys(cased[word] for word in _not_verbs(text, written, ordinary))
        found.update(dict.fromkeys(_beyond_doubt(doubtful, words.keys(), bool(found))))
    return tuple(found)


def _not_verbs(text: str, written: Iterable[str], ordinary: Set[str]) -> list[str]:
    """Those of the ordinary words, in order, that do not have their capital from the start of a sentence."""
    if trade.VERBS.isdisjoint(ordinary):
        return [word for word in written if word in ordinary]
    return [
        match[0]
        for match in _WORD.finditer(text)
        if match[0] in ordinary and not (match[0] in trade.VERBS and _begins(text, match.start()))
    ]


def _begins(text: str, at: int) -> bool:
    """Whether a sentence begins here."""
    return text[:at].rstrip(" \"'“*_>-")[-1:] in ("", ".", "!", "?", ":", "\n")


def _beyond_doubt(doubtful: Iterable[str], words: Set[str], known: bool) -> Iterator[str]:
    """Those of the ambiguous names that the other words of the text speak for."""
    of_the_trade = known or not trade.TRADE.isdisjoint(words)
    of_languages = not trade.LANGUAGE_WORDS.isdisjoint(words)
    plain = [name for name in doubtful if name not in trade.NAMES and name not in trade.EVERYDAY]
    in_use = bool(plain) and not trade.USING.isdisjoint(words)
    for name in doubtful:
        if of_languages if name in trade.NAMES else of_the_trade or in_use:
            yield name
