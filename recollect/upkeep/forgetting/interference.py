"""Records that compete: asked about one, people remember the other.

"The staging gateway listens on port 8080" and "the production gateway listens on port 9090" say different things in one
frame of words. Whoever looks for one finds both, and mistakes one for the other. What differs in one place only is
something else: the same in other words, or a contradiction, which consolidation looks after.

Replay joins two that compete by `interferes_with`, from the weaker to the stronger. The weaker fades faster from then
on, until it is used again: what is asked for is not to be forgotten for being like something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

import numpy as np

from recollect.index.follow import Indexes
from recollect.language.terms import telling, terms_of
from recollect.language.words import WORD
from recollect.store import edges
from recollect.store.base import Store, Tx
from recollect.store.journal import Op
from recollect.upkeep.forgetting.strength import fading
from recollect.upkeep.runs.run import Run

INTERFERES = "interferes_with"
METHOD = "replay"
DIFFERENCES_MIN = 2  # what is spoken of, and what is said of it
DIFFERENCE_WORDS_MAX = 4
COMMON_SHARE = 0.45  # of the words of the longer text, in their order
WORDS_MIN, WORDS_MAX = 4, 40
NEIGHBOURS = 12


_TALK = re.compile(r"\?|[.!]\s+\S")  # asks something, or says several things: no note that is looked for by its frame


class Competing(NamedTuple):
    """Two records that compete. The first was gone over."""

    pk: int
    other_pk: int
    common: float  # the share of words that they have in common


def compete(one: str, other: str) -> float | None:
    """The share of common words of two texts that compete; None of texts that do not, and of questions and talk."""
    if _TALK.search(one) or _TALK.search(other):
        return None
    first, second = WORD.findall(one.lower()), WORD.findall(other.lower())
    longer = max(len(first), len(second))
    if min(len(first), len(second)) < WORDS_MIN or longer > WORDS_MAX:
        return None
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    common = sum(end - start for kind, start, end, _, _ in blocks if kind == "equal") / longer
    if common < COMMON_SHARE:
        return None
    told = 0
    for kind, a, b, c, d in blocks:
        if kind == "equal":
            continue
        if max(b - a, d - c) > DIFFERENCE_WORDS_MAX:
            return None
        told += kind == "replace" and _tells(first[a:b], second) and _tells(second[c:d], first)
    return common if told >= DIFFERENCES_MIN else None


def _tells(stretch: Sequence[str], other: Sequence[str]) -> bool:
    """Whether a stretch says something that the other text does not: a number, or a word that is not on every page."""
    words = [word for word in stretch if word not in other]
    return any(word.isdigit() for word in words) or bool(telling(terms_of(" ".join(words))))


def find_competing(
    store: Store, indexes: Indexes, pks: Sequence[int], *, similarity: float, now: int
) -> list[Competing]:
    """Of these records those that compete with another of their scope, and with which."""
    with store.read() as tx:
        texts = tx.records.linkable(pks, now=now)
    near = {pk: _neighbours(indexes, pk, texts[pk][0], similarity, now) for pk in pks if pk in texts}
    with store.read() as tx:
        texts |= tx.records.linkable({other for found in near.values() for other in found}, now=now)
        found: dict[frozenset[int], Competing] = {}
        for pk, others in near.items():
            for other in others:
                pair = frozenset((pk, other))
                common = compete(texts[pk][1], texts[other][1]) if other in texts and pair not in found else None
                if common is not None and not tx.relations.is_joined(pk, other, even_withdrawn=INTERFERES):
                    found[pair] = Competing(pk, other, common)
    return list(found.values())


def join_competing(tx: Tx, op: Op, *, run: Run, found: Iterable[Competing]) -> None:
    """Have the weaker of each two give way from now on."""
    for each in found:
        ends = tx.records.linkable((each.pk, each.other_pk), now=op.at)
        if len(ends) < 2 or tx.relations.is_joined(each.pk, each.other_pk, even_withdrawn=INTERFERES):
            continue
        weaker, stronger = _by_strength(tx, each, run, op.at)
        tx.edges.insert(op, [_edge(weaker, stronger, each.common)])
        weak_id, strong_id = tx.records.ids([weaker])[0], tx.records.ids([stronger])[0]
        run.note("gives way", weak_id, f"competes with {strong_id}, which is stronger")


def _by_strength(tx: Tx, pair: Competing, run: Run, now: int) -> tuple[int, int]:
    """(weaker, stronger): by what is left of their strength, then by use; of two that are equal the older gives way."""
    of = tx.imprints.of([pair.pk, pair.other_pk])
    state = fading(of, now, run.config)
    rank = {
        pk: (bool(state.never[at]), round(float(state.strength[at]), 3), int(of.uses[at]), int(of.used_at[at]), pk)
        for at, pk in enumerate(of.pks.tolist())
    }
    weaker, stronger = sorted((pair.pk, pair.other_pk), key=lambda pk: rank.get(pk, (False, 0.0, 0, 0, pk)))
    return weaker, stronger


def _edge(weaker: int, stronger: int, common: float) -> edges.NewEdge:
    share = round(common, 3)
    return edges.pair(
        weaker,
        stronger,
        INTERFERES,
        weight=0.1,  # nothing is found by it
        confidence=1.0,
        auto_extracted=True,
        evidence=[f"{share:.0%} of their words in common, different in what they say"],
        attributes={"method": METHOD},
    )


def _neighbours(indexes: Indexes, pk: int, scope_pk: int, similarity: float, now: int) -> list[int]:
    among = indexes.columns.select(scope_pks=[scope_pk], tiers=["longterm"], drawn=False, now=now)
    own_row = np.array([pk], dtype=np.int64)
    found: dict[int, None] = {}
    for index in list(indexes.vectors.values()):
        own = index.vectors(own_row)[0]
        if own.any():
            near = index.search(own, limit=NEIGHBOURS, among=among)
            alike = zip(near.pks.tolist(), near.scores.tolist(), strict=True)
            found |= dict.fromkeys(other for other, cosine in alike if cosine >= similarity and other != pk)
    return list(found)
