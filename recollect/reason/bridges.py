"""From a record to the next by a name that the question does not hold.

"Who was the first president of the association that publishes the Harbour Review?" The best record says that the
Harbour Review is published by the Tide Society; what it leaves open is `first president`. Both together are the next
question: "first president Tide Society". What that finds is worth the more, the more of the open words it holds, the
rarer the name that joins the two, and the more of the question the first record holds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from recollect.language.terms import query_terms, telling, terms_of
from recollect.model.result import Hit
from recollect.perceive.names.mentions import mentions_in
from recollect.reason.coverage import open_words, said_by
from recollect.reason.rarity import Worth

NAMES_A_RECORD = 8
_COVERED_POWER, _HALF = 0.75, 0.5  # how hard a share of the words, and what is surer anyway, counts


class Bridge(NamedTuple):
    """A question made of what a record leaves open and a name it holds."""

    seed: Hit
    name: str
    question: str
    left: tuple[str, ...]  # terms of the question that the seed does not hold
    joint: frozenset[str]  # terms of the name that the question does not hold
    strength: float  # of the seed and the name, 0 to 1


class Reached(NamedTuple):
    """A hit beyond a bridge; `value` how well it goes on from the seed, `covers` how much of what was left open."""

    hit: Hit
    value: float
    covers: float


Weigh = Callable[[Sequence[str]], Worth]


def bridges_of(question: str, seeds: Iterable[Hit], known: Collection[str], weigh: Weigh) -> tuple[list[Bridge], Worth]:
    """The ways on from these records, the best first. `known` are terms that no name may consist of: nobody learns from
    what was asked anyway."""
    named = [(seed, name, terms) for seed in seeds for name, terms in _new_names(seed, known)]
    worth = weigh([question, *(name for _, name, _ in named)])
    asked = query_terms(question)
    found: dict[str, Bridge] = {}
    for seed, name, terms in named:
        words = open_words(question, said_by(seed))
        left = tuple(dict.fromkeys(term for word in words for term in telling(terms_of(word))))
        held = 1.0 - worth.total(left) / (worth.total(asked) or 1.0)
        if not left or held <= 0:
            continue
        bridge = Bridge(seed, name, f"{' '.join(words)} {name}", left, terms, float(held**_HALF) * worth.rarity(terms))
        if bridge.question not in found or found[bridge.question].strength < bridge.strength:
            found[bridge.question] = bridge
    return sorted(found.values(), key=lambda bridge: -bridge.strength), worth


def reached(bridge: Bridge, hits: Iterable[Hit], worth: Worth) -> list[Reached]:
    """Of what the bridge's question found the records that hold its name and something of what was left open."""
    out: list[Reached] = []
    for hit in hits:
        held = said_by(hit)
        covers = worth.share(bridge.left, held)
        if hit.id != bridge.seed.id and covers > 0 and held.issuperset(bridge.joint):
            value = bridge.strength * covers**_COVERED_POWER * max(0.0, hit.score) ** _HALF
            out.append(Reached(hit, float(value), covers))
    return sorted(out, key=lambda each: -each.value)


def _new_names(seed: Hit, known: Collection[str]) -> list[tuple[str, frozenset[str]]]:
    """Names in a record that the question does not hold, in their order, each with its terms that are new."""
    found: dict[frozenset[str], str] = {}
    for mention in mentions_in(seed.content):
        terms = frozenset(telling(terms_of(mention.surface))) - frozenset(known)
        if terms:
            found.setdefault(terms, mention.surface)
    return [(name, terms) for terms, name in found.items()][:NAMES_A_RECORD]
