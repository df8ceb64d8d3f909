"""Fields of one's own, filled by a language model at night where `perceive.metadata` says "model".

What rules found in the words stays; the model adds to it. What it says follows from a text, so it is written beside the
text without a version. How far the step has come is noted with each portion: it goes on the next night.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from recollect.errors import ProviderError
from recollect.model.vocabulary import VALUES_MAX, Vocabulary, vocabulary_of
from recollect.perceive.by_model.fields import INSTRUCTIONS, fields_from_json, prompt_of
from recollect.providers.base import Llm
from recollect.store.base import Tx
from recollect.store.rows import from_json, to_json
from recollect.store.stretches import RowStretch
from recollect.upkeep.language_model.asking import BudgetedModel, OutOfTokens
from recollect.upkeep.runs.run import Run

FIELDS_SEEN = "fields_by_model_seen"  # meta: the newest row that a model was asked about
PORTION = 32
ANSWER_TOKENS = 200


class FieldsStep:
    """The step."""

    name = "fields"

    def __init__(self, llm: Llm | None) -> None:
        self._llm = llm

    def run(self, run: Run) -> None:
        vocabulary = vocabulary_of(run.config.perceive.vocabulary)
        wanted = run.config.perceive.metadata == "model" and vocabulary.fields
        if self._llm is None or not wanted or run.dry_run:
            return
        asking = BudgetedModel(self._llm, run.store, run.live, run.clock)
        while not asking.away:
            with run.store.read() as tx:
                here = tx.stretches.next(FIELDS_SEEN, PORTION)
                told = {each.pk: each.content for each in tx.stretches.told(here.records).values()} if here else {}
            if here is None:
                return
            try:
                found = {pk: said for pk, text in told.items() if (said := _asked(asking, text, vocabulary))}
            except OutOfTokens:
                run.problem("the model's tokens are used up; the rest of the fields is filled another night")
                return
            if asking.unavailable or asking.away:
                run.problem("the model did not fill fields; it is asked again another night")
                return
            run.store.write(partial(_keep, here=here, found=found, told=told))
            run.progress(here.share)


def _asked(asking: BudgetedModel, text: str, vocabulary: Vocabulary) -> Mapping[str, tuple[str, ...]]:
    """What the model says of a text; nothing where its answer cannot be used."""
    if asking.unavailable or asking.away:
        return {}
    answer = asking.complete(prompt_of(text, vocabulary), instructions=INSTRUCTIONS, max_tokens=ANSWER_TOKENS)
    if answer is None:
        return {}
    try:
        found = fields_from_json(answer, text, vocabulary)
    except ProviderError:
        asking.understood(False)
        return {}
    asking.understood(True)
    return found


def _keep(
    tx: Tx, *, here: RowStretch, found: Mapping[int, Mapping[str, tuple[str, ...]]], told: Mapping[int, str]
) -> None:
    """Unless another process was quicker, or a text changed meanwhile: then it comes again."""
    if not tx.stretches.move_on(FIELDS_SEEN, here):
        return
    same = tx.records.live_contents(found)
    for pk, said in found.items():
        columns = tx.records.columns_of(pk) if same.get(pk) == told[pk] else None
        if columns is not None:
            tx.stretches.note_read(pk, {"perceived": to_json(_with(from_json(columns["perceived"], {}), said))})


def _with(perceived: Mapping[str, Any], said: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    added = {
        name: list(dict.fromkeys([*(perceived.get(name) or []), *values]))[:VALUES_MAX] for name, values in said.items()
    }
    return {**perceived, **added}
