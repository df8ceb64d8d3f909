"""`assess`: whether a question can be answered from memory, how sure that is, and why.

What a search finds decides: it knows the share of such questions that have an answer. The area the answer lies in can
only lower it, when its records are in doubt or nothing new has come for long. How near the question is to an area says
next to nothing: on questions without an answer in LoCoMo's development half it is no better than chance (AUROC 0.53,
against 0.89), since those are about the same things as the others. It only names the area where nothing is found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.clock import Clock
from recollect.config import Config, LiveConfig
from recollect.deadline import TimedCalls, within
from recollect.errors import ProviderError
from recollect.ingest.embedding import Embedding
from recollect.model.knowledge import Assessment, Domain, KnowledgeMap, Level
from recollect.model.query import Criteria
from recollect.model.result import Recollection
from recollect.model.scope import Reach, Scope
from recollect.providers.base import Vectors
from recollect.providers.health import embed_in_time
from recollect.recall.known.domains import area_of, domain_of, knowledge
from recollect.recall.question.query import Query
from recollect.store.base import Store, Tx
from recollect.store.summaries import DOMAIN, SummaryNode
from recollect.upkeep.knowledge.stored_tree import space_of_tree

TOP_K = 5
DOUBT_COST = 0.5  # lost when every record of the area is in doubt
SILENCE_COST = 0.3  # lost when nothing new came for ages: old knowledge is still knowledge


class Assessing:
    """What a store knows, and how well. `search` answers a query; it need not count as a use of what it finds."""

    def __init__(
        self,
        store: Store,
        embedding: Embedding,
        search: Callable[[Query], Recollection],
        config: LiveConfig,
        clock: Clock,
    ) -> None:
        self._store = store
        self._embedding = embedding
        self._calls = TimedCalls()
        self._search = search
        self._config = config
        self._clock = clock

    def map(self, scope: Scope, reach: Reach = Reach.SCOPE) -> KnowledgeMap:
        """The domains of what may be seen from a scope."""
        with self._store.read() as tx:
            return knowledge(tx, tx.scopes.visible(scope, reach), self._config.current, now=self._clock())

    def assess(self, question: str, criteria: Criteria) -> Assessment:
        """How well a question can be answered from what these criteria let see."""
        found = self._search(Query(text=question, criteria=criteria, top_k=TOP_K))
        known = bool(found.hits) and not found.abstained
        direction = None if known else self.direction(question)
        with self._store.read() as tx:
            visible = tx.scopes.visible(criteria.scope, criteria.reach)
            node = (
                area_of(tx, visible, {hit.id: hit.score for hit in found})
                if known
                else self._nearest(tx, visible, direction)
            )
            domain = None if node is None else self._domain(tx, node)
        confidence = _confidence(found, domain) if found.hits else 0.0
        return Assessment(
            level=level_of(confidence, found, self._config.current),
            confidence=confidence,
            domain=domain.label or None if domain is not None else None,
            reasons=tuple(_reasons(found, domain)),
        )

    def _domain(self, tx: Tx, node: SummaryNode) -> Domain:
        doubts = tx.relations.by_domain(node.pk).get(node.pk, 0)
        return domain_of(node, self._config.current, now=self._clock(), doubts=doubts)

    def direction(self, question: str) -> tuple[str, Vectors] | None:
        """Where a question points, by the model whose vectors the tree is built on."""
        with self._store.read() as tx:
            space = space_of_tree(tx)
        model = next((one for one in self._embedding.models if space is not None and one.name == space.name), None)
        if model is None:
            return None
        try:
            with within(self._config.current.recall.timeout_s):
                return model.name, embed_in_time(self._calls, model, [question])[0]
        except ProviderError:  # the search has said so
            return None

    def _nearest(
        self, tx: Tx, visible: Sequence[int] | None, towards: tuple[str, Vectors] | None
    ) -> SummaryNode | None:
        """The area that a question is about, if it is about any."""
        space = space_of_tree(tx)
        if towards is None or space is None or space.name != towards[0]:
            return None
        nodes = [node for _, node in tx.summaries.of_level(visible, DOMAIN, space=space) if node.centroid is not None]
        alike = [float(node.centroid @ towards[1]) for node in nodes if node.centroid is not None]
        if not alike or max(alike) < self._config.current.domains.similarity:
            return None
        return nodes[alike.index(max(alike))]


def level_of(confidence: float, found: Recollection, config: Config) -> Level:
    if not found.hits or confidence <= config.domains.uncertain:
        return Level.UNKNOWN
    sure = confidence > config.domains.confident and not found.abstained and not _has_ended(found)
    return Level.CONFIDENT if sure else Level.UNCERTAIN


def _has_ended(found: Recollection) -> bool:
    """Whether what answers best holds no more, and what is said instead was not found."""
    if not found.hits or found.hits[0].current:
        return False
    return {hit.id for hit in found}.isdisjoint(found.hits[0].replaced_by)


def _confidence(found: Recollection, domain: Domain | None) -> float:
    if domain is None:
        return found.quality.answerable
    doubt, silence = DOUBT_COST * domain.uncertainty, SILENCE_COST * (1.0 - domain.freshness)
    return found.quality.answerable * (1.0 - doubt) * (1.0 - silence)


def _reasons(found: Recollection, domain: Domain | None) -> list[str]:
    share = round(100 * found.quality.answerable)
    if not found.hits:
        out = ["nothing stored has anything to do with it"]
    elif found.abstained:
        out = [found.reason or "what is stored does not seem to answer it"]
    else:
        out = [f"{share} % of questions for which so much is found have an answer"]
    if _has_ended(found):
        out.append(f"what answers it best holds no more: {found.hits[0].standing}")
    if domain is not None:
        out.append(f"it is about {domain.label or 'an area'}, of which {domain.records} records are known")
        if domain.uncertainty > 0:
            out.append(f"{round(100 * domain.uncertainty)} % of them are in doubt")
        if domain.freshness < 1.0:
            out.append(f"nothing new came in since {domain.newest.date().isoformat()}")
    elif found.hits and not found.abstained:
        out.append("it is in no area of the map yet")
    return [*out, *found.missing]
