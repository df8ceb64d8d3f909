"""The words a talk is made of, the newest weighing most: what a prompt shares with it, and what it is about."""

from __future__ import annotations

from heapq import nlargest

from recollect.language.terms import telling, terms_of
from recollect.language.words import WRITTEN
from recollect.limits import GIST_CHARS_MAX
from recollect.perceive.traits.topics import term_and_worth

KEEP = 0.85  # of a word's weight per text that does not repeat it
FORGET_BELOW = 0.1  # some fourteen texts later
ABOUT_FROM = 0.3  # what the talk is about was said in its last seven texts
WORDS_MAX = 512  # of one talk
Told = dict[str, tuple[float, str]]  # by term: what a word is worth, and how it was written


def telling_words(text: str) -> Told:
    """Terms of the words of a text that say what it is about: what each is worth, and how it was written."""
    found: Told = {}
    text = text[:GIST_CHARS_MAX]
    for word in WRITTEN.findall(text):
        term, worth = term_and_worth(word)
        if term and term not in found:
            found[term] = (worth, word)
    if not found and not text.isascii():  # a script without spaces, whose words are pairs of characters
        return {term: (1.0, term) for term in telling(terms_of(text))}
    return found


class TalkWords:
    """Words by weight. Not safe to share between threads: its mind takes turns."""

    def __init__(self) -> None:
        self._weights: dict[str, float] = {}
        self._written: dict[str, str] = {}

    def add(self, words: Told) -> None:
        """A text with these words was said."""
        kept = {term: weight * KEEP for term, weight in self._weights.items() if weight * KEEP >= FORGET_BELOW}
        kept.update(dict.fromkeys(words, 1.0))
        self._weights = dict(nlargest(WORDS_MAX, kept.items(), key=_weight)) if len(kept) > WORDS_MAX else kept
        self._written |= {term: word for term, (_, word) in words.items()}
        if len(self._written) > 2 * WORDS_MAX:
            self._written = {term: word for term, word in self._written.items() if term in self._weights}

    def shared(self, words: Told) -> float:
        """How much of a text the talk has had before, from 0 to 1; a text of one word is not judged by that alone."""
        every = sum(worth for worth, _ in words.values())
        return sum(worth * self._weights.get(term, 0.0) for term, (worth, _) in words.items()) / (1.0 + every)

    def strongest(self, count: int) -> tuple[str, ...]:
        """The words the talk is about now, the newest and most telling first."""
        lately = [term for term, weight in self._weights.items() if weight >= ABOUT_FROM]
        best = nlargest(count, lately, key=lambda term: self._weights[term] * _worth(self._written[term]))
        return tuple(self._written[term] for term in best)

    def fade(self, factor: float) -> None:
        """The talk turns to something else: what was said counts so much less."""
        self._weights = {term: weight * factor for term, weight in self._weights.items()}

    def clear(self) -> None:
        self._weights, self._written = {}, {}


def _weight(item: tuple[str, float]) -> float:
    return item[1]


def _worth(word: str) -> float:
    return 0.5 + term_and_worth(word)[1]
