"""A tree of questions that rules ask, without a language model: parts of the question, and bridges from what was found.

A bridge leads from a record to the next by a name that the question does not hold. "Who was the first president of the
association that publishes the Harbour Review?" The best record says that the Harbour Review is published by the Tide
Society; what it leaves open is `first president`. Both together are the next question: "first president Tide Society".
What that finds is worth the more, the more of the open words it holds, the rarer the name that joins the two, and the
more of the question the first record holds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from recollect.language.terms import query_terms, telling, terms_of
from recollect.model.reasoning import Inquiry, Judgement, Stopped, Why
from recollect.model.result import Hit, Recollection
from recollect.perceive.names.mentions import mentions_in
from recollect.reason.asking_memory import AskingMemory, nothing
from recollect.reason.coverage import judged, open_words, said_by
from recollect.reason.parts import QuestionPart, meant_in, parts_of
from recollect.reason.rarity import Worth

SEEDS_MAX, BRIDGES_MAX = 3, 16  # records that names lead on from, and names that are followed
SEEDS_BEYOND, BRIDGES_BEYOND = 2, 3  # … from what a name led to
SHOWN_BRIDGES, SHOWN_HITS = 4, 5  # of a question, in the tree
_STANDS_ALONE: frozenset[Why] = frozenset({"part"})  # questions beside each other: each leads on by itself
_LEADS_TO: frozenset[Why] = frozenset({"inner", "event"})  # … or to what the question is about
_ALL_OF_IT = 0.99
NAMES_A_RECORD = 8
_COVERED_POWER, _HALF = 0.75, 0.5  # how hard a share of the words, and what is surer anyway, counts


class ByRules:
    """Builds one tree. Not for several threads."""

    def __init__(self, memory: AskingMemory, depth_max: int) -> None:
        self._memory = memory
        self._depth_max = depth_max
        self._cut = False  # whether there was more to ask below
        self._meant: frozenset[str] = frozenset()  # words of the question that stand for a name

    def inquire(self, question: str, depth: int = 0, why: Why = "asked", found: Recollection | None = None) -> Inquiry:
        """The question, what it found and what was asked because of that; not asked again if it was `found` before."""
        self._meant |= meant_in(question)
        if found is None:
            asked = self._memory.ask(question, why, depth)
            found = nothing(question) if asked is None else asked
        parts = [part for part in parts_of(question) if self._memory.is_new(part.question)]
        judgement = judged(question, found, parts, meant=self._meant)
        node = Inquiry(question=question, depth=depth, why=why, judgement=judgement, hits=found.hits)
        if why in _LEADS_TO:
            return node
        if depth >= self._depth_max:
            self._cut = True
            return node
        if _is_settled(question, found, judgement):
            return self._walked(node, found)
        return self._deeper(node, found, parts)

    def stopped(self, root: Inquiry, evidence: Sequence[Hit]) -> Stopped:
        """Why no further question was asked."""
        if self._memory.spending.stopped is not None:
            return self._memory.spending.stopped
        cut_short = self._cut and not root.children
        if root.judgement.state == "sufficient":
            return "sufficient"
        if not cut_short and not judged(root.question, evidence, meant=self._meant).gaps:
            return "sufficient"
        return "depth" if self._cut else "nothing new"

    def _deeper(self, node: Inquiry, found: Recollection, parts: Sequence[QuestionPart]) -> Inquiry:
        """Parts first: they may say what the rest of the question is about."""
        children = [
            self.inquire(part.question, node.depth + 1, part.why)
            for part in parts
            if self._memory.is_new(part.question)  # the part before may have asked it
        ]
        node = self._walked(node, found)
        if not any(child.why in _STANDS_ALONE for child in children):
            about = [child.hits[0] for child in children if child.hits]
            seeds = list({hit.id: hit for hit in (*found.hits[:SEEDS_MAX], *about)}.values())
            children += self._beyond(node.question, seeds, frozenset(terms_of(node.question)), node.depth + 1)
        return replace(node, children=tuple(children))

    def _walked(self, node: Inquiry, found: Recollection) -> Inquiry:
        """With what relations lead to: a record may hold every word of a question and still not say why."""
        wanted = {term for word in _open(node.question, found) for term in telling(terms_of(word))}
        walked = self._memory.walk(node.question, found, wanted, node.depth)
        return replace(node, hits=(*node.hits, *walked.hits), followed=walked.followed)

    def _beyond(
        self,
        question: str,
        seeds: Sequence[Hit],
        known: frozenset[str],
        depth: int,
        *,
        share: float = 1.0,
        limit: int = BRIDGES_MAX,
    ) -> list[Inquiry]:
        """Where names in the seeds lead; `share` is what the way to the seeds is worth."""
        bridges, worth = bridges_of(question, seeds, known, self._memory.weigh)
        asked: list[tuple[Bridge, list[Reached]]] = []
        for bridge in bridges[:limit]:
            found = self._memory.ask(bridge.question, "bridge", depth)
            ways = reached(bridge, found, worth) if found is not None else []
            if ways:
                asked.append((bridge, ways))
            for way in ways:
                self._memory.evidence.join(bridge.seed, way.hit, share * way.value)
        if bridges:
            self._memory.note("bridge", question, len({way.hit.id for _, ways in asked for way in ways}), depth)
        asked.sort(key=lambda each: -each[1][0].value)
        led = _one_way(asked)[:SHOWN_BRIDGES]
        nodes = [_node(bridge, ways, depth, self._meant) for bridge, ways in led]
        return self._further(nodes, led, known, depth, share)

    def _further(
        self,
        nodes: list[Inquiry],
        asked: Sequence[tuple[Bridge, list[Reached]]],
        known: frozenset[str],
        depth: int,
        share: float,
    ) -> list[Inquiry]:
        """On from the best records that were reached, if they leave something open themselves."""
        for at, (bridge, ways) in enumerate(asked[:SEEDS_BEYOND]):
            best = ways[0]
            if best.covers >= _ALL_OF_IT:
                continue
            if depth >= self._depth_max:
                self._cut = True
                continue
            deeper = self._beyond(
                bridge.question,
                [best.hit],
                known | frozenset(terms_of(bridge.question)),
                depth + 1,
                share=share * best.value,
                limit=BRIDGES_BEYOND,
            )
            nodes[at] = replace(nodes[at], children=tuple(deeper))
        return nodes


def _one_way(asked: Sequence[tuple[Bridge, list[Reached]]]) -> list[tuple[Bridge, list[Reached]]]:
    """The same without those that lead back to where a better one came from."""
    found: dict[frozenset[str], tuple[Bridge, list[Reached]]] = {}
    for bridge, ways in asked:
        found.setdefault(frozenset((bridge.seed.id, ways[0].hit.id)), (bridge, ways))
    return list(found.values())


def _node(bridge: Bridge, ways: Sequence[Reached], depth: int, meant: frozenset[str]) -> Inquiry:
    hits = tuple(way.hit for way in ways[:SHOWN_HITS])
    judgement = judged(bridge.question, hits, meant=meant)
    return Inquiry(
        question=bridge.question,
        depth=depth,
        why="bridge",
        judgement=judgement,
        hits=hits,
        via=bridge.seed.id,
        name=bridge.name,
    )


def _is_settled(question: str, found: Recollection, judgement: Judgement) -> bool:
    """Whether the best record alone speaks of all that is asked."""
    return judgement.state == "sufficient" and not open_words(question, said_by(found[0]))


def _open(question: str, found: Sequence[Hit]) -> list[str]:
    """What the best record does not speak of."""
    return open_words(question, said_by(found[0]) if len(found) else frozenset())


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
