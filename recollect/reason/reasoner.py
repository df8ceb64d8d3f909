"""`reason`: recall, judge what is missing, follow it up, and put together what was found."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.deadline import TimedCalls
from recollect.index.follow import Indexes
from recollect.model.capabilities import Capabilities
from recollect.model.fence import sealing_key
from recollect.model.query import Criteria
from recollect.model.reasoning import Inquiry, Reasoning, Stopped
from recollect.model.result import Hit, Recollection
from recollect.providers.base import Llm
from recollect.providers.capabilities import capabilities
from recollect.providers.tokens import counter_for
from recollect.reason.asking_memory import AskingMemory
from recollect.reason.budget import Spending, allowance
from recollect.reason.by_model import AskingModel
from recollect.reason.prompts import cited_in
from recollect.reason.rarity import Weighing
from recollect.reason.walk import Walking
from recollect.recall.graph import GraphReading
from recollect.recall.pipeline import ReadPath
from recollect.store.base import Store

NO_MODEL = "an answer: there is no language model (llm=), this is the evidence for one"


class Reasoner:
    """Reasoning over one store; `key` seals the marks around records that a model is shown."""

    def __init__(
        self,
        store: Store,
        indexes: Indexes,
        recall: ReadPath,
        graph: GraphReading,
        config: LiveConfig,
        clock: Clock,
        llm: Llm | None,
        key: bytes,
    ) -> None:
        self._walking = Walking(store, graph, config, clock, recall.screened)
        self._weighing = Weighing(store, indexes, clock)
        self._recall = recall
        self._config = config
        self._llm = llm
        self._calls = TimedCalls(share=1.0)
        self._key = key

    def reason(
        self,
        question: str,
        criteria: Criteria,
        *,
        depth: int | None = None,
        model: str | None = None,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        asked_in: str | None = None,
    ) -> Reasoning:
        """The answer with the tree of its evidence; without a language model the tree."""
        config = self._config.current
        known = self._known(model)
        spending = Spending(allowance(config.reason, known, depth=depth, calls=max_calls, tokens=max_tokens))
        memory = AskingMemory(
            self._recall,
            self._walking,
            self._weighing,
            criteria,
            records=config.reason.records,
            spending=spending,
            asked_in=asked_in,
        )
        if known is not None and not known.known:
            said = f"what {known.model} can take: the model is not known, a window of {known.window_tokens} was assumed"
            memory.missing[said] = None
        if self._llm is None or known is None or not spending.allowed.calls:
            return self._by_rules(question, memory, NO_MODEL if self._llm is None else f"an answer: {_BUDGET['calls']}")
        counter = counter_for(known.model, models=config.models, context=config.context)
        key = sealing_key(self._key, criteria.scope, criteria.reach)
        asking = AskingModel(self._llm, counter, key, spending, output_max=known.output_tokens, calls=self._calls)
        return self._by_model(question, memory, asking, self._llm.name)

    def _known(self, model: str | None) -> Capabilities | None:
        name = model if model is not None else self._llm.name if self._llm is not None else None
        config = self._config.current
        return None if name is None else capabilities(name, models=config.models, context=config.context)

    def _by_rules(self, question: str, memory: AskingMemory, missing: str) -> Reasoning:
        tree, stopped = _asked_by_rules(question, memory)
        return _reasoning(tree, memory, memory.evidence.ordered(), stopped, missing=[missing])

    def _by_model(self, question: str, memory: AskingMemory, asking: AskingModel, name: str) -> Reasoning:
        from recollect.reason.by_model import ByModel  # tables of words are read when the first question comes

        by_model = ByModel(memory, asking, name, memory.spending.allowed.depth)
        tree = by_model.inquire(question)
        stopped = by_model.stopped(tree)
        said: list[str] = []
        if tree.judgement.by != name:  # it failed, or may not be asked
            if memory.spending.calls:
                said.append(f"a judgement by {name}: the questions were asked by rules")
            tree, stopped = _asked_by_rules(question, memory, by_model.first)
        evidence = memory.evidence.ordered()
        answer = tree.answer
        if answer is None:
            written = asking.synthesise(question, evidence, by_model.answered)
            if isinstance(written, str):
                answer = written
                memory.note("synthesis", question, asking.shown, 0)
            else:
                said.append(f"an answer: {written.why if written else _BUDGET[memory.spending.stopped or 'calls']}")
        return _reasoning(tree, memory, evidence, stopped, answer=answer, model=name, missing=said)


def _asked_by_rules(question: str, memory: AskingMemory, found: Recollection | None = None) -> tuple[Inquiry, Stopped]:
    from recollect.reason.by_rules import ByRules  # see above

    rules = ByRules(memory, memory.spending.allowed.depth)
    tree = rules.inquire(question, found=found)
    return tree, rules.stopped(tree, memory.evidence.ordered())


_BUDGET = {
    "calls": "no call to the language model was left (max_calls)",
    "tokens": "the question with its evidence does not fit into the tokens that were left (max_tokens)",
    "time": "no time was left to write it (reason.timeout_s)",
}


def _reasoning(
    tree: Inquiry,
    memory: AskingMemory,
    evidence: tuple[Hit, ...],
    stopped: Stopped,
    *,
    answer: str | None = None,
    model: str | None = None,
    missing: Sequence[str] = (),
) -> Reasoning:
    cited, invented = cited_in(answer, {hit.id for hit in evidence}) if answer else ((), ())
    said = [*missing, *(f"a record {each}, which the answer cites: none was found by that id" for each in invented)]
    if answer and not cited:
        said.append("citations: the answer names no record it rests on")
    return Reasoning(
        question=tree.question,
        tree=tree,
        steps=tuple(memory.steps),
        evidence=evidence,
        stopped=stopped,
        answer=answer,
        citations=cited,
        missing=tuple(dict.fromkeys([*memory.missing, *said])),
        model=model,
        calls=memory.spending.calls,
        tokens=memory.spending.tokens,
    )
