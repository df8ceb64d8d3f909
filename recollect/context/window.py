"""`context`: resolve, bear in mind, recall, share the budget, fill each part, render; never a token too many.

What each part would like to say is found out first, then the budget is shared, then each part is filled on its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from recollect.clock import Clock
from recollect.config import Config, LiveConfig
from recollect.context import beside
from recollect.context.beside import Standing
from recollect.context.budget import (
    ASSISTANT,
    ENTITIES,
    EVIDENCE,
    FACTS,
    FLOW,
    HISTORY,
    IDENTITY,
    INSTRUCTIONS,
    ORDER,
    OVERVIEW,
    QUESTIONS,
    RECALLED,
    ROSTER,
    SCHEMAS,
    SKILLS,
    TEMPORAL,
    TODAY,
    WORKING,
    Budget,
    available,
    budget_of,
    shared,
    shares_of,
)
from recollect.context.forms import offered
from recollect.context.judged import JudgedWindows
from recollect.context.mode import asks, names_no_topic, speaks_of_oneself, tokens_for, width_of
from recollect.context.parts import (
    NOTHING_KNOWN,
    UNSURE,
    Filled,
    Filling,
    Lines,
    Memories,
    OwnWords,
    Section,
    Talk,
    block,
    plain_text,
    slot_lines,
    system_text,
)
from recollect.context.recalling import Recalling, Sizes, above, floor_of, levels_of, query_ahead, query_for, unsaid
from recollect.context.request import OWN_PARTS, Request
from recollect.deadline import within
from recollect.index.follow import Indexes
from recollect.language.terms import query_terms
from recollect.model.capabilities import Capabilities
from recollect.model.context import ContextWindow, Detail, Item, Mode, WindowQuality
from recollect.model.fence import sealing_key
from recollect.model.knowledge import Area, Level
from recollect.model.question import Question
from recollect.model.record import Brief, Kind, SecurityTier
from recollect.model.result import Hit, Recollection
from recollect.model.working import Exchange, Slot, SlotSource
from recollect.providers.capabilities import capabilities
from recollect.providers.tokens import Counter, counter_for
from recollect.recall.pipeline import ReadPath
from recollect.recall.quality import Stopwatch, ndcg_of_part, relevancy
from recollect.recall.question.cues import cues_of
from recollect.recall.question.present import asks_for_the_present
from recollect.recall.question.query import Query
from recollect.recall.unsealing import Unsealing
from recollect.store.base import Store
from recollect.working.mind import Heard, Mind
from recollect.working.talk_words import telling_words

GIST_TOKENS = 24  # the shortest line of a memory: its id, its trust, who said it, a few words
AREA_ROOM_MIN = 300  # tokens for memories, below which a line about what is known would take the place of one
SLACK_TOKENS = 8  # the marks are random, so are their tokens
DEAR_MARK = "3f8c1e6b2d9a"  # one that takes many
MET_SCORE_MIN = 0.5  # what scores less for a prompt that asks nothing is as likely there by chance
_MARK = re.compile(r"[0-9a-f]{12}")
HEADING_TOKENS = 6  # of a part, where there are several
_ANSWERS = (RECALLED, FACTS, TEMPORAL, EVIDENCE)  # parts that answer the prompt
_FIRST = {INSTRUCTIONS: 0, RECALLED: 1, FACTS: 1}  # to be filled; other parts leave out what these show
# What gives way first when rendering takes a few tokens more than its lines did.
_GIVES_WAY = (
    ROSTER,
    TODAY,
    QUESTIONS,
    OVERVIEW,
    ENTITIES,
    SKILLS,
    SCHEMAS,
    EVIDENCE,
    TEMPORAL,
    HISTORY,
    FACTS,
    RECALLED,
    WORKING,
    INSTRUCTIONS,
    FLOW,
    IDENTITY,
)
FACT_KINDS = (Kind.SEMANTIC.value, Kind.OPINION.value, Kind.PROCEDURAL.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSetting:
    """What one window is built with."""

    request: Request
    config: Config
    counter: Counter
    model: Capabilities | None
    mode: Mode
    heard: Heard | None
    slots: Sequence[Slot]
    exchanges: Sequence[Exchange]
    now: int
    unsure: bool = False  # nothing stored seems to answer: little is shown, and that it is uncertain is said

    @property
    def instructing(self) -> tuple[str, ...]:
        """System messages of the conversation: theirs to say, whatever it costs."""
        return tuple(message.text for message in self.request.history if message.is_system)


class Windows:
    """Builds windows over one store. `key` seals what comes from memory."""

    def __init__(
        self,
        store: Store,
        indexes: Indexes,
        recall: ReadPath,
        config: LiveConfig,
        clock: Clock,
        key: bytes,
        unsealing: Callable[[], Unsealing],
    ) -> None:
        self._unsealing = unsealing
        self._store = store
        self._recall = recall
        self._config = config
        self._clock = clock
        self._key = key
        self._standing = Standing(store, indexes, recall.screened)
        self._recalling = Recalling(store, recall, self._standing)
        self._sizes = Sizes(config.current.recall.record_tokens)
        self.judged = JudgedWindows(store, config, clock)

    def build(self, request: Request, mind: Mind | None = None, questions: Sequence[Question] = ()) -> ContextWindow:
        """What to send for a prompt, within `context.timeout_s`. With a mind it is heard there, and what is shown comes
        to it.
        """
        with within(self._config.current.context.timeout_s):
            return self._built(request, mind, questions)

    def _built(self, request: Request, mind: Mind | None, questions: Sequence[Question]) -> ContextWindow:
        watch = Stopwatch()
        with watch.stage("mind"):
            setting = self._setting(request, mind)
        budget = self._budget(setting)
        # What is sent at least has room for one memory in a few words: no budget that is taken shows nothing of it.
        room = available(budget, self._fixed(setting) + GIST_TOKENS) + GIST_TOKENS
        with watch.stage("recall"):
            query, found = self._recalled(setting, min(room, budget.recalled))
        setting = _settled(setting, found)
        if setting.mode is Mode.MINIMAL:
            found = None
        with watch.stage("gather"):
            parts = [*self._own(setting), *self._standing_parts(setting), *_asking(questions, setting.counter)]
        area = self._area(setting, found)
        with watch.stage("offer"):
            parts += self._recalled_parts(setting, query, found, min(room, _most(setting, budget)), area)
        with watch.stage("fill"):
            filled = _with_the_gist(parts, room, _filled(parts, self._shared(setting, room, parts)))
            if RECALLED in filled:
                self._sizes.note(filled[RECALLED].part.tokens, len(filled[RECALLED].part.items))
        with watch.stage("render"):
            window = self._fitting(setting, budget, parts, filled, found)
        if window.hits:
            self._recall.used(window.hits, query)
        if found is not None and setting.config.context.self_tuning:
            at_most = min(room, budget.recalled)
            self.judged.shown(levels_of(window.hits, found, at_most, setting.config.context))
        if mind is not None:
            self._bring_to_mind(mind, setting, window, questions)
            self._prepare(request, mind, area)
        return replace(window, questions=tuple(questions), area=area, stages_ms=watch.stages)

    def _area(self, setting: WindowSetting, found: Recollection | None) -> Area | None:
        """What the prompt is about, as far as the map tells; nothing where too little was found to say."""
        if found is None or found.abstained or not setting.config.context.reflect:
            return None
        request = setting.request
        if request.criteria.known_at is not None:
            return None  # the map is of today
        return beside.area_asked(
            self._store, request.criteria, request.prompt, found.hits, now=setting.now, config=setting.config
        )

    def _shared(self, setting: WindowSetting, room: int, parts: Sequence[Filling]) -> dict[str, int]:
        """Tokens of each part, after what the headings of several take."""
        wanted = {part.name: part.wanted for part in parts if part.wanted}
        headings = HEADING_TOKENS * len(wanted) if len(wanted) > 1 else 0
        return shared(max(0, room - headings), shares_of(setting.request.layout, setting.config.context), wanted)

    def _prepare(self, request: Request, mind: Mind, area: Area | None) -> None:
        """Search ahead for what will be asked next, while the model answers.

        Of an area that is known little more is prepared: what there is of it is needed to be found.
        """
        top_k = self._sizes.fitting(self._config.current.context.tokens, self._config.current.recall)
        also = area.label if area is not None and area.weak else ""
        mind.anticipate(
            lambda prediction: self._recall.search(query_ahead(request, prediction, top_k, also), for_use=False)
        )

    def _setting(self, request: Request, mind: Mind | None) -> WindowSetting:
        config, now = self._config.current, self._clock()
        heard = None if mind is None else mind.heard(request.prompt, now)
        exchanges = () if mind is None else mind.exchanges()
        slots = () if mind is None else mind.in_mind(now)
        named = request.model is not None
        return WindowSetting(
            request=request,
            config=config,
            now=now,
            heard=heard,
            slots=slots,
            exchanges=exchanges,
            counter=counter_for(request.model, models=config.models, context=config.context),
            model=capabilities(request.model, models=config.models, context=config.context) if named else None,
            mode=request.mode or width_of(request.prompt),
        )

    def _budget(self, setting: WindowSetting) -> Budget:
        settings, request = setting.config.context, setting.request
        share = settings.memory_share if setting.mode is Mode.DEEP else settings.recall_share
        return budget_of(
            setting.model,
            settings,
            max_tokens=request.max_tokens,
            tokens=tokens_for(setting.mode, request.layout, settings),
            recall_share=settings.task_recall_share if request.task else share,
        )

    def _fixed(self, setting: WindowSetting) -> int:
        """What must be sent: the prompt, system messages, and the frame of whatever memory has to say.

        The same for the same request: a figure that an error names must do the next time, whatever the marks are then.
        """
        marked = _MARK.sub(DEAR_MARK, block([Section(RECALLED, ["-"])], self._key))
        system = system_text(setting.instructing, (), max(marked, NOTHING_KNOWN, key=setting.counter.count), "")
        said = [{"role": "system", "content": system}, {"role": "user", "content": setting.request.prompt}]
        return setting.counter.count_messages(said) + SLACK_TOKENS

    def _own(self, setting: WindowSetting) -> list[Filling]:
        request, counter = setting.request, setting.counter
        parts: list[Filling] = [OwnWords(name, request.own.get(name, ""), counter) for name in OWN_PARTS]
        talk = [message for message in request.history if not message.is_system]
        return [*parts, Talk(HISTORY, talk, counter, setting.config.context)]

    def _standing_parts(self, setting: WindowSetting) -> list[Filling]:
        """What belongs into the window whatever is asked, with the names its heading costs counted in."""
        criteria, now, config = setting.request.criteria, setting.now, setting.config
        lists = {INSTRUCTIONS: self._standing.instructions(criteria, now=now, config=config)}
        if setting.mode is not Mode.MINIMAL and not setting.unsure:
            lists[SCHEMAS] = self._standing.patterns(criteria, now=now, config=config)
        lists[TODAY] = self._standing.today(criteria, setting.request.session, now=now, config=config)
        told_by = self._standing.told_by(lists[INSTRUCTIONS]) if lists[INSTRUCTIONS] else None
        most = {TODAY: config.context.unsure_tokens} if setting.unsure else {}
        parts: list[Filling] = [
            Memories(
                name,
                offered(
                    self._shown(hits),
                    self._briefs(hits),
                    setting.counter,
                    told_by=told_by if name == INSTRUCTIONS else None,
                ),
                "relevance",
                most.get(name),
            )
            for name, hits in lists.items()
            if hits
        ]
        return [*parts, Lines(WORKING, slot_lines(setting.slots), setting.counter)]

    def _recalled(self, setting: WindowSetting, room: int) -> tuple[Query, Recollection | None]:
        query = query_for(setting.request, setting.heard, self._sizes.fitting(room, self._config.current.recall))
        if setting.mode is Mode.MINIMAL:
            return query, None
        found = self._recalling.answer(query, setting.request, setting.heard, now=setting.now, config=setting.config)
        found = replace(found, hits=self._shown(found.hits))
        found = unsaid(found, setting.request.history, setting.exchanges)
        if setting.request.first:
            found = self._led(found, query, setting.request.first)
        if setting.request.results is not None:
            found = replace(found, hits=found.hits[: setting.request.results])
        if setting.model is None or setting.request.max_tokens is not None:
            return query, found
        return query, above(found, floor_of(room, setting.config.context, self.judged.floor(setting.config)))

    def _led(self, found: Recollection, query: Query, tags: tuple[str, ...]) -> Recollection:
        """With what answers and has these tags before all else."""
        own = self._recall.in_time(replace(query, criteria=replace(query.criteria, tags=tags)))
        if own.abstained or not own.hits:
            return found
        hits = {hit.id: hit for hit in (*self._shown(own.hits), *found.hits)}
        return replace(found, hits=tuple(hits.values()), abstained=False, reason=None)

    def _recalled_parts(
        self, setting: WindowSetting, query: Query, found: Recollection | None, room: int, area: Area | None
    ) -> list[Filling]:
        if found is None:
            return []
        request = setting.request
        wide = setting.mode is Mode.DEEP or request.layout == ASSISTANT
        if request.layout == ASSISTANT:
            by_sort = sorted_hits(self._recall, query, found)._asdict()
            parts = [self._memories(part, hits, setting, room) for part, hits in by_sort.items()]
        else:
            parts = [self._memories(RECALLED, found.hits, setting, room)]
        if setting.unsure or request.criteria.known_at is not None:  # what follows is told as of today
            return parts
        left_out = [hit.id for hit in found.hits[int(room / max(1.0, self._sizes.tokens)) :]]
        general: beside.Told = []
        if area is not None and room >= AREA_ROOM_MIN and (area.level is not Level.CONFIDENT or area.missing):
            general.append((f"- {area.in_words}", Item(id=None, detail=Detail.DOMAIN)))
        if left_out or setting.mode is Mode.DEEP:
            everything = setting.mode is Mode.DEEP
            general += beside.in_general(self._store, request.criteria, left_out, everything=everything)
        if general:
            parts.append(Lines(OVERVIEW, general, setting.counter))
        if wide:
            told = beside.profiles(self._store, request.criteria, request.prompt, now=setting.now)
            parts.append(Lines(ENTITIES, told, setting.counter))
        return parts

    def _memories(self, part: str, hits: Sequence[Hit], setting: WindowSetting, room: int) -> Filling:
        request = setting.request
        terms, past = (
            frozenset(query_terms(request.prompt)),
            not asks_for_the_present(request.prompt, cues_of(request.prompt)),
        )
        nearest = self._recall.nearest_parts(request.prompt, hits)
        offers = offered(hits, self._briefs(hits), setting.counter, terms, nearest=nearest, past=past)
        return Memories(part, offers, request.order, room)

    def _bring_to_mind(
        self, mind: Mind, setting: WindowSetting, window: ContextWindow, questions: Sequence[Question]
    ) -> None:
        """Of what is shown: the best of the records, the pattern that fits best, and what is worth asking."""
        best = [hit for hit in window.hits if hit.kind is not Kind.SCHEMA][: setting.config.working.recalled_slots]
        short = self._briefs(best)
        told = {hit.id: short[hit.id].summary or hit.content for hit in best if hit.id in short}
        mind.recalled([(hit.id, told[hit.id], hit.score) for hit in best if hit.id in told])
        shown = {part.name: part for part in window.parts}
        patterns = [hit.id for hit in window.hits if hit.kind is Kind.SCHEMA]
        if SCHEMAS in shown:
            patterns += [item.id for item in shown[SCHEMAS].items if item.id is not None]
        words = frozenset(telling_words(setting.request.prompt))
        with self._store.read() as tx:
            kept = tx.records.load(tx.records.pks_of(patterns)).values() if patterns else ()
        plain = [record for record in kept if record.security is SecurityTier.CLEARTEXT]
        fits = [(len(words.intersection(telling_words(record.content))), record) for record in plain]
        shared, fit = max(fits, key=lambda each: each[0], default=(0, None))
        if shared and fit is not None:
            mind.noted(fit.content, SlotSource.SCHEMA, setting.now, record_id=fit.id)
        for question in questions if QUESTIONS in shown else ():
            mind.noted(question.text, SlotSource.QUESTION, setting.now, about=question.records)

    def _shown(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Hits as the caller may see them: with the texts of sensitive ones where those are shown.

        What is about code that is gone is left out: nobody asked for it, and a person is to look at it first.
        """
        hits = [hit for hit in hits if not hit.is_orphan]
        if all(hit.security is SecurityTier.CLEARTEXT for hit in hits):
            return tuple(hits)
        return self._unsealing().hits(hits)

    def _briefs(self, hits: Sequence[Hit]) -> dict[str, Brief]:
        if not hits:
            return {}
        with self._store.read() as tx:
            return tx.records.briefs([hit.id for hit in hits])

    def _fitting(
        self,
        setting: WindowSetting,
        budget: Budget,
        parts: Sequence[Filling],
        filled: dict[str, Filled],
        found: Recollection | None,
    ) -> ContextWindow:
        """The window; if it takes a token too many, what matters least gives way."""
        window = self._rendered(setting, budget, filled, found)
        tried = 0
        while filled and (over := window.tokens - budget.limit) > 0:
            tried += 1
            filled = _less(parts, filled, over * tried)
            window = self._rendered(setting, budget, filled, found)
        return window

    def _rendered(
        self, setting: WindowSetting, budget: Budget, filled: Mapping[str, Filled], found: Recollection | None
    ) -> ContextWindow:
        ordered = [filled[name] for name in ORDER if name in filled]
        history = tuple(message for each in ordered for message in each.messages)
        key = sealing_key(self._key, setting.request.criteria.scope, setting.request.criteria.reach)
        memories = block([each.section for each in ordered if each.section is not None], key)
        system = system_text(setting.instructing, [each.own for each in ordered], memories, _honestly(setting, found))
        said = [(message.role, message.text) for message in history]
        window = ContextWindow(
            prompt=setting.request.prompt,
            system=system,
            text=plain_text(system, said),
            history=history,
            parts=tuple(each.part for each in ordered),
            hits=tuple(hit for each in ordered if each.part.name in _ANSWERS for hit in each.hits),
            limit=budget.limit,
            reserve=budget.reserve,
            exact=setting.counter.exact,
            mode=setting.mode,
            model=setting.model,
            abstained=found is not None and found.abstained,
            missing=_missing(setting, found),
            quality=_quality(ordered, found),
        )
        return replace(window, tokens=setting.counter.count_messages(window.to_openai()))


def _filled(parts: Sequence[Filling], budgets: Mapping[str, int]) -> dict[str, Filled]:
    """Each part with its words. Standing instructions and what was recalled come first, others do not repeat them."""
    filled: dict[str, Filled] = {}
    already: set[str] = set()
    for part in sorted(parts, key=lambda part: _FIRST.get(part.name, len(_FIRST))):
        done = part.filled(budgets.get(part.name, 0), already)
        if done is not None:
            filled[part.name] = done
            already.update(item.id for item in done.part.items if item.id is not None)
    return filled


def _with_the_gist(parts: Sequence[Filling], room: int, filled: dict[str, Filled]) -> dict[str, Filled]:
    """Where shares of a very small room leave no place for what answers, that gets the room before all others."""
    answering = [part for part in parts if part.name in _ANSWERS and part.wanted]
    if not answering or any(part.name in filled for part in answering):
        return filled
    for part in answering:
        gist = part.filled(room, ())
        if gist is not None:
            rest = room - gist.part.tokens - 2 * HEADING_TOKENS
            others = [other for other in parts if other.name in filled and filled[other.name].part.tokens <= rest]
            return {part.name: gist, **({others[0].name: filled[others[0].name]} if others else {})}
    return filled


def _less(parts: Sequence[Filling], filled: Mapping[str, Filled], over: int) -> dict[str, Filled]:
    """The same with the part that matters least shorter by at least so many tokens."""
    name = next(name for name in _GIVES_WAY if name in filled)
    part = next(part for part in parts if part.name == name)
    already = {item.id for other, each in filled.items() if other != name for item in each.part.items if item.id}
    shorter = part.filled(max(0, filled[name].part.tokens - over), already)
    rest = {other: each for other, each in filled.items() if other != name}
    return rest if shorter is None else {**rest, name: shorter}


def _asking(questions: Sequence[Question], counter: Counter) -> list[Filling]:
    """What the memory would like to know: made of records, so it stands between the marks too."""
    lines = [(f"- {each.text}", Item(id=None, detail=Detail.FULL)) for each in questions]
    return [Lines(QUESTIONS, lines, counter)] if lines else []


def _settled(setting: WindowSetting, found: Recollection | None) -> WindowSetting:
    """What the search found decides how much is shown, unless the caller did.

    Where it found no answer, a prompt that wants nothing ("thanks!") gets nothing, and any other the few nearest
    records: the search may be wrong about that.
    """
    request = setting.request
    if found is None or request.mode is not None or not request.prompt.strip():
        return setting
    if names_no_topic(request.prompt) and not asks(request.prompt) and not any(map(_surely_met, found.hits)):
        return replace(setting, mode=Mode.MINIMAL)
    return replace(setting, unsure=found.abstained)


def _surely_met(hit: Hit) -> bool:
    return hit.score >= MET_SCORE_MIN


def _most(setting: WindowSetting, budget: Budget) -> int:
    """Tokens for what was recalled: all of its budget, and little where that seems to be no answer."""
    if not setting.unsure:
        return budget.recalled
    settings = setting.config.context
    of_oneself = asks(setting.request.prompt) and speaks_of_oneself(setting.request.prompt)
    return min(budget.recalled, settings.profile_tokens if of_oneself else settings.unsure_tokens)


def _honestly(setting: WindowSetting, found: Recollection | None) -> str:
    if found is None or setting.mode is Mode.MINIMAL:
        return ""
    if not found.hits:
        return NOTHING_KNOWN
    return UNSURE if found.abstained else ""


def _quality(filled: Sequence[Filled], found: Recollection | None) -> WindowQuality:
    """Figures of what is shown, against all that was found."""
    answering = [each for each in filled if each.part.name in _ANSWERS]
    shown = {hit.id: hit.score for each in answering for hit in each.hits}
    if found is None or not found.hits:
        return WindowQuality()
    return WindowQuality(
        candidates=len(found.hits),
        packed=len(shown),
        tokens=sum(each.part.tokens for each in answering),
        relevancy=relevancy(list(shown.values())),
        ndcg=ndcg_of_part([hit.score if hit.id in shown else 0.0 for hit in found.hits], [h.score for h in found.hits]),
        answerable=found.quality.answerable,
    )


def _missing(setting: WindowSetting, found: Recollection | None) -> tuple[str, ...]:
    said = () if found is None else found.missing
    if setting.model is None or setting.model.known:
        return said
    window = setting.model.window_tokens
    return (*said, f"the model is not known here: a window of {window} tokens was assumed (see models.like)")


class Sorted(NamedTuple):
    """Hits by what they are to an assistant, each best first."""

    facts: Sequence[Hit]
    temporal: Sequence[Hit]
    evidence: Sequence[Hit]


def sorted_hits(recall: ReadPath, query: Query, found: Recollection) -> Sorted:
    """Statements drawn from what was found and looked for in their own right; turns that they rest on are evidence."""
    stated = recall.in_time(replace(query, criteria=replace(query.criteria, kinds=FACT_KINDS)))
    known = {hit.id for hit in stated}
    facts = [*stated, *(hit for hit in found if hit.kind is not Kind.EPISODIC and hit.id not in known)]
    rests_on = {source.id for hit in facts for source in hit.sources}
    turns = [hit for hit in found if hit.kind is Kind.EPISODIC]
    return Sorted(
        facts=facts,
        temporal=[hit for hit in turns if hit.id not in rests_on],
        evidence=[hit for hit in turns if hit.id in rests_on],
    )
