"""The words of a summary, taken from what it sums up: its most telling facts, none twice, as many as fit.

Nothing is written anew, so nothing can be said that no record says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from recollect.language.terms import telling, terms_of
from recollect.model.entity import fold
from recollect.model.tokens import estimate_tokens

BETWEEN = "; "
LABEL_TOPICS = 3
_SAME_SHARE = 0.6  # of its telling words that another fact has, too: it says the same
_LOOKED_AT = 40  # facts, best first, that a text is made of


def joined(facts: Iterable[str]) -> str:
    """All of them."""
    return BETWEEN.join(dict.fromkeys(_plain(fact) for fact in facts))


def told(facts: Iterable[str], *, tokens_max: int) -> str:
    """As many of the facts, best first, as fit and say something new; at least the first, cut if it must be."""
    chosen: list[str] = []
    said: list[frozenset[str]] = []
    left = tokens_max
    for fact in islice(facts, _LOOKED_AT):
        plain = _plain(fact)
        terms = frozenset(telling(terms_of(plain)))
        if any(len(terms & other) > _SAME_SHARE * max(1, len(terms)) for other in said):
            continue
        cost = estimate_tokens(plain) + bool(chosen)
        if cost > left and not chosen:
            return _cut(plain, tokens_max)
        if cost <= left:
            chosen.append(plain)
            said.append(terms)
            left -= cost
    return BETWEEN.join(chosen)


def first_fact(text: str) -> str:
    """What a text made here says first."""
    return text.partition(BETWEEN)[0]


def label_of(topics: Sequence[Iterable[str]], *, name: str | None = None) -> str:
    """A few words for what texts are about: whom, if that is one, and the topics that most of them share."""
    counted = Counter(topic for own in topics for topic in dict.fromkeys(own))
    names = set(fold(name).split()) if name else set()
    common = [topic for topic, _ in counted.most_common(LABEL_TOPICS + len(names)) if topic not in names]
    words = ", ".join(common[:LABEL_TOPICS])
    return f"{name}: {words}" if name and words else name or words


def _plain(fact: str) -> str:
    return fact.strip().rstrip(" .;,")


def _cut(fact: str, tokens_max: int) -> str:
    words = fact.split()
    while len(words) > 1 and estimate_tokens(" ".join(words)) > tokens_max:
        words.pop()
    return " ".join(words) + "…"
