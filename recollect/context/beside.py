"""What stands in a window beside what the search found.

Standing instructions, patterns and what happened today belong into it whatever is asked. From further away: who and
what the prompt names, and in general what did not fit one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from recollect.clock import DAY_US
from recollect.config import Config
from recollect.index.base import Pks
from recollect.index.follow import Indexes
from recollect.model.context import Detail, Item
from recollect.model.entity import Entity
from recollect.model.fence import Shown
from recollect.model.knowledge import Area, Level, Summary, SummaryLevel
from recollect.model.query import Criteria
from recollect.model.question import Question
from recollect.model.record import Kind
from recollect.model.result import Hit
from recollect.model.roles import PEOPLE, is_machine
from recollect.model.scope import Scope
from recollect.recall.foremost import foremost
from recollect.recall.hits import load_hits
from recollect.recall.known.domains import area_of, domain_of
from recollect.recall.known.questions import open_questions
from recollect.recall.select import select
from recollect.recall.sources.base import Look
from recollect.recall.sources.entity import named_in
from recollect.store.base import Store, Tx
from recollect.store.records import Origin

INSTRUCTIONS = ("instruction", "constraint")
INSTRUCTIONS_MAX = 20
PATTERNS_MAX = 10
OF_A_PERSON = ("user_info", "preference", "constraint")
PROFILE_MAX = 100
FIRST_OF_ALL = 50
SURE = 0.7  # the confidence of an order that says itself that it lasts
LOOKED_AT = 500  # rows among which the foremost are chosen: the newest, and the first of all

Among = Callable[[Tx, list[int]], list[int]]
ENTITIES_MAX = 8
SUMMARIES_MAX = 6
AREA_HITS = 20  # that tell what a prompt is about
QUESTIONS_LOOKED_AT = 20
MISSING_MAX = 2
STANDS_FOR_MIN = 2  # a summary of one record says less than the record
_DETAILS = {
    SummaryLevel.CLUSTER: Detail.CLUSTER,
    SummaryLevel.DOMAIN: Detail.DOMAIN,
    SummaryLevel.GLOBAL: Detail.GLOBAL,
}

Told = list[tuple[Shown | str, Item]]


class Standing:
    """Looked up in the columns in memory, or in the tables while those are not there."""

    def __init__(self, store: Store, indexes: Indexes, screened: Callable[[Sequence[Hit]], list[Hit]]) -> None:
        self._screened = screened  # leaves out hits that give orders, if nobody has judged them yet
        self._store = store
        self._indexes = indexes

    def instructions(self, criteria: Criteria, *, now: int, config: Config) -> list[Hit]:
        """What an agent was told once and for all by whoever may tell it, the most important first.

        What a tool, a page or a summary put into such words is data like any other, and so is what somebody else
        wrote for all: it is recalled where it bears on a prompt.
        """
        sources = frozenset(part.strip() for part in config.context.instructing_sources.split(","))

        def instructing(tx: Tx, pks: list[int]) -> list[int]:
            origins = tx.records.origins(pks)
            return [pk for pk in pks if pk in origins and _may_instruct(origins[pk], criteria.scope, sources)]

        wanted = replace(criteria, categories=INSTRUCTIONS)
        found = self.foremost(wanted, INSTRUCTIONS_MAX, now=now, config=config, among=instructing)
        return [hit for hit in found if not hit.flags]

    def told_by(self, hits: Sequence[Hit]) -> dict[str, str]:
        """Who or what these records come from, by id, as a few words for a reader."""
        with self._store.read() as tx:
            pks = tx.records.pks_of([hit.id for hit in hits])
            origins = tx.records.origins(pks)
            ids = tx.records.ids(pks)
        return {id_: _in_words(origins[pk]) for id_, pk in zip(ids, pks, strict=True) if pk in origins}

    def patterns(self, criteria: Criteria, *, now: int, config: Config) -> list[Hit]:
        """What many records have in common."""
        return self.foremost(replace(criteria, kinds=(Kind.SCHEMA.value,)), PATTERNS_MAX, now=now, config=config)

    def today(self, criteria: Criteria, session: str | None, *, now: int, config: Config) -> list[Hit]:
        """What happened since midnight (UTC) outside of this session, the foremost first."""
        since = replace(criteria, after=now - now % DAY_US, drawn=False)

        def elsewhere(tx: Tx, pks: list[int]) -> list[int]:
            return pks if session is None else tx.records.outside_session(pks, session)

        return self.foremost(since, config.context.today_records, now=now, config=config, among=elsewhere)

    def profile(self, criteria: Criteria, *, now: int, config: Config) -> list[Hit]:
        """Who somebody is, in the words it was said with: what they told first of all first, as it is now.

        People say who they are once and early, what they like again and again: by newness a name would drown.
        """
        stated = self.foremost(replace(criteria, categories=OF_A_PERSON), LOOKED_AT, now=now, config=config)
        with self._store.read() as tx:
            told = tx.records.sayings([hit.id for hit in stated])
            chosen = _introduced(stated, told)[:PROFILE_MAX]
            said = {hit.sources[0].id if hit.sources else hit.id: hit.score for hit in chosen}
            held = tx.records.visible_versions(list(said), criteria, now=now)
            scores = {id_: score for id_, score in said.items() if id_ in held}
            by_key = dict(zip(tx.records.pks_of(list(scores)), scores.values(), strict=True))
            hits = load_hits(tx, by_key, criteria, now=now, config=config)
        return self._screened(list(hits.values()))

    def foremost(
        self, criteria: Criteria, limit: int, *, now: int, config: Config, among: Among | None = None
    ) -> list[Hit]:
        """Of what meets the criteria, and is left by `among`, what matters most now, best first."""
        in_memory = criteria.known_at is None and self._indexes.current()
        with self._store.read(criteria) as tx:
            pks = self._pks(tx, criteria, now, in_memory=in_memory)
            if among is not None and len(pks):
                pks = np.array(among(tx, pks.tolist()), dtype=np.int64)
            if not len(pks) or not limit:
                return []
            scores = foremost(tx, criteria, now=now, limit=limit, config=config, among=pks)
            hits = load_hits(tx, scores, criteria, now=now, config=config)
        return self._screened(list(hits.values()))

    def _pks(self, tx: Tx, criteria: Criteria, now: int, *, in_memory: bool) -> Pks:
        if not in_memory:
            return np.array(tx.records.matching(criteria, now=now, limit=LOOKED_AT), dtype=np.int64)
        selection, settled = select(tx, self._indexes, criteria, now=now)
        pks = selection.pks()
        if len(pks) > LOOKED_AT:
            pks = np.concatenate([pks[:FIRST_OF_ALL], pks[FIRST_OF_ALL - LOOKED_AT :]])
        return pks if settled else np.array(tx.records.matching(criteria, now=now, among=pks.tolist()), dtype=np.int64)


def _may_instruct(origin: Origin, reader: Scope, sources: frozenset[str]) -> bool:
    """Whether words for all times are obeyed in every window of a reader.

    They must be a person's, not marked by screening, in the reader's own scope or private to the reader's user. What
    was drawn from a talk must be an instruction of the reader's own that says it lasts: "allergic to peanuts" and
    "don't hold back" are no orders. What was written for all, the owner must have written.
    """
    if origin.suspect or (origin.source and origin.source not in sources) or is_machine(origin.role):
        return False
    own = origin.scope == reader or (reader.user_id is not None and origin.scope.user_id == reader.user_id)
    if origin.drawn:
        speaker = (origin.speaker or "user").casefold()
        meant = origin.category == INSTRUCTIONS[0] and origin.confidence >= SURE
        return own and meant and speaker in (*PEOPLE, (reader.user_id or "").casefold())
    return own or origin.actor is None


def _in_words(origin: Origin) -> str:
    """`user, in a conversation`; `written for project atlas`."""
    said = [part for part in (origin.role or origin.actor, origin.source and f"source {origin.source}") if part]
    where = " ".join(f"{name} {value}" for name, value in origin.scope.items())
    return ", ".join([*said, f"for {where}" if where else "for all"])


def _introduced(stated: Sequence[Hit], told: Mapping[str, tuple[str, str]]) -> list[Hit]:
    """Statements by when such a thing was first told of their subject, each as it was told last; then the others."""
    newest_last = list(reversed(stated))  # of one time and worth
    by_time = sorted(newest_last, key=lambda hit: hit.event_time or hit.created_at)
    first: dict[tuple[str, str], int] = {}
    last: dict[tuple[str, str], str] = {}
    for place, hit in enumerate(by_time):
        saying = told.get(hit.id, (hit.id, ""))
        first.setdefault(saying, place)
        last[saying] = hit.id
    place_of = {id_: first[saying] for saying, id_ in last.items()}
    return sorted(stated, key=lambda hit: place_of.get(hit.id, len(stated)))


def profiles(store: Store, criteria: Criteria, prompt: str, *, now: int) -> Told:
    """A line for each person, project or thing that a prompt names and that there is something to say about."""
    with store.read() as tx:
        look = Look(tx=tx, criteria=criteria, now=now, limit=ENTITIES_MAX, top_k=ENTITIES_MAX, selection=None)
        named = named_in(look, prompt, aliases_max=ENTITIES_MAX)
        pks = list(dict.fromkeys(pk for found in named.pks.values() for pk in found))[:ENTITIES_MAX]
        known = tx.entities.load(pks, *tx.criteria.where(criteria, now=now)) if pks else {}
    return [
        (f"- {said}", Item(id=None, detail=Detail.SUMMARY)) for pk in pks if pk in known and (said := _said(known[pk]))
    ]


def area_asked(
    store: Store, criteria: Criteria, prompt: str, hits: Sequence[Hit], *, now: int, config: Config
) -> Area | None:
    """What a prompt is about by what was found for it, how well that is known, and what of it is not."""
    scores = {hit.id: hit.score for hit in hits[:AREA_HITS]}
    if not scores:
        return None
    with store.read() as tx:
        node = area_of(tx, tx.scopes.visible(criteria.scope, criteria.reach), scores)
        if node is None or not node.label:
            return None
        doubts = tx.relations.by_domain(node.pk).get(node.pk, 0)
        asked = open_questions(tx, criteria, now=now, limit=QUESTIONS_LOOKED_AT)
    domain = domain_of(node, config, now=now, doubts=doubts)
    missing = [each.text for each in asked if _bears_on(each, prompt, scores)][:MISSING_MAX]
    sure, known = domain.confidence > config.domains.confident, domain.confidence > config.domains.uncertain
    return Area(
        label=domain.label,
        records=domain.records,
        confidence=domain.confidence,
        level=Level.CONFIDENT if sure else Level.UNCERTAIN if known else Level.UNKNOWN,
        doubts=doubts,
        newest=domain.newest if domain.freshness < 1.0 else None,
        missing=tuple(missing),
        weak=domain.confidence < config.domains.weak,
    )


def _bears_on(question: Question, prompt: str, scores: Mapping[str, float]) -> bool:
    """Whether a question that the memory has is about what was found, or about whom the prompt names."""
    if any(record in scores for record in question.records):
        return True
    return question.entity is not None and question.entity.casefold() in prompt.casefold()


def in_general(store: Store, criteria: Criteria, left_out: Sequence[str], *, everything: bool) -> Told:
    """What summaries say that stand for records left out, clusters first; of everything, if that is wanted."""
    with store.read() as tx:
        visible = tx.scopes.visible(criteria.scope, criteria.reach)
        found = _above(tx, visible, left_out)
        if everything:
            found += tx.summaries.global_summary(visible)
    return [(f"- {_line(each)}", Item(id=None, detail=_DETAILS[each.level])) for each in found]


def _above(tx: Tx, visible: Sequence[int] | None, ids: Sequence[str]) -> list[Summary]:
    """The fewest clusters and then domains that stand for most of these records."""
    missing = set(tx.records.pks_of(ids)) if ids else set()
    chosen: list[Summary] = []
    for held in tx.summaries.nodes_for(visible, missing) if missing else ():
        news = missing.intersection(held.pks)
        if held.summary.level is SummaryLevel.GLOBAL or len(news) < STANDS_FOR_MIN:
            continue
        chosen.append(held.summary)
        missing -= news
        if len(chosen) == SUMMARIES_MAX:
            break
    return chosen


def _line(summary: Summary) -> str:
    label = f"{summary.label}: " if summary.label and summary.level is not SummaryLevel.GLOBAL else ""
    return f"{label}{summary.text} ({summary.records} records)"


def _said(entity: Entity) -> str:
    """`Ana (person, also Ann): lives in Lima`; nothing where only the name is known."""
    summary = (entity.summary or "").removeprefix(f"{entity.name} ({entity.type.value}): ")  # which says it as well
    facts = [f"{name}: {value}" for name, value in entity.attributes.items() if isinstance(value, str | int | float)]
    told = "; ".join(part for part in (summary, *facts) if part)
    if not told:
        return ""
    also = f", also {', '.join(entity.aliases[:3])}" if entity.aliases else ""
    return f"{entity.name} ({entity.type.value}{also}): {told}"
