"""Lines of a file that nobody vouches for, on their way into a store: as far as anybody's word is believed.

A file may make itself less believed, never more. What is too large or refused by screening is left out, with all that
hangs on it. Confidence is bounded, times lie between a bound and now, and what says that somebody here confirmed, used
or asked to keep a record is not taken over. Vectors and shorter forms of a text are made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import orjson

from recollect.config import Config
from recollect.exchange.checked import ExportLine
from recollect.ingest.perceiving import STATED, levels
from recollect.ingest.screening import READ, in_quarantine, marked_columns, quarantined_columns
from recollect.limits import METADATA_BYTES_MAX
from recollect.model.screening import ATTRIBUTE, Screening, ScreeningAction, is_quarantined
from recollect.security.screening.screen import Screen
from recollect.store.rows import from_json, to_json
from recollect.store.tables import VECTORS, Table

CLOCKS_DIFFER = timedelta(days=1)  # what is dated later than that from now has not happened
ORIGINAL_SOURCE = "original_source"  # in the metadata of a record: what it said about its origin
_DAY_US = 86_400_000_000
_SOURCE_CHARS_MAX = 200
# For which time something holds is what it says, not when it was said.
_TOLD_TIMES = frozenset({"valid_from", "valid_until", "from_at"})
_NOT_TAKEN = VECTORS | {"feedback"}
_BELIEVED = ("record", "record_before", "edge", "edge_before")  # tables with a confidence
_NOT_OURS: dict[str, Any] = {  # what was done with a record elsewhere says nothing here
    "user_verified": 0,
    "access_count": 0,
    "access_sessions": 0,
    "last_access": None,
    "success_count": 0,
    "failure_count": 0,
    "decay_rate": None,
    "half_life_days": None,
    "provenance_sessions": None,
}
_OWN_VECTOR = "embedding"  # an attribute: a vector that a design brings itself
_STRENGTH_MAX = _WEIGHT_MAX = 1.0
_WORDS = ("subject", "predicate", "object", "speaker", "category", "tags", "metadata", "place", "facets")
# Sources by which upkeep knows what it made itself: less believed than what anybody said, and made anew by it.
_KEPT_SOURCES = frozenset({"upkeep", "inferred", "observer_inferred"})
_SEVERITY = (ScreeningAction.KEEP, ScreeningAction.MARK, ScreeningAction.QUARANTINE, ScreeningAction.REFUSE)
_APART = _SEVERITY[2:]
_PHRASE_CHARS_MIN = 20  # what is shorter instructs nobody
_PHRASES_MAX = 50  # of one row that are judged; the rest is judged as one


@dataclass(slots=True)
class Tally:
    """What became of the lines of a file."""

    rejected_size: int = 0
    rejected_injection: int = 0
    flagged: int = 0
    quarantined: int = 0
    confidence: int = 0
    times: int = 0
    vectors: int = 0

    def figures(self) -> dict[str, Any]:
        """As a report has it."""
        return {
            "rejected_size": self.rejected_size,
            "rejected_injection": self.rejected_injection,
            "flagged": self.flagged,
            "quarantined": self.quarantined,
            "clamped": {"confidence": self.confidence, "times": self.times},
        }

    def warnings(self) -> tuple[str, ...]:
        """In words, what a person should know."""
        told = [
            (self.rejected_size, "records are too large (`ingest.content_bytes_max`); they were left out"),
            (self.rejected_injection, "records give orders to their reader; they were refused"),
            (self.times, "rows have times that cannot be; they were moved to the nearest that can"),
            (self.vectors, "vectors of the file were left out; they are made here"),
        ]
        return (*(f"{count} {what}" for count, what in told if count), *in_quarantine(self.quarantined))


@dataclass(slots=True, kw_only=True)
class Quarantine:
    """One file that is taken in as anybody's word. `source` is what its records say about where they come from."""

    screen: Screen
    config: Config
    now: int
    source: str
    tally: Tally = field(default_factory=Tally)
    dropped: dict[str, set[int]] = field(default_factory=lambda: {"record": set(), "entity": set(), "edge": set()})
    bereft: set[int] = field(default_factory=set)  # relations that lost a member

    def of(self, lines: Iterable[ExportLine]) -> Iterator[ExportLine]:
        """Each line as it may be stored; those that may not are left out."""
        for line in lines:
            values = self._admitted(line.table, dict(line.values))
            if values is not None:
                yield line._replace(values=values)

    def _admitted(self, table: Table, values: dict[str, Any]) -> dict[str, Any] | None:
        if table.name in _NOT_TAKEN:
            self.tally.vectors += table.name == "vector"
            return None
        if self._hangs_on_dropped(table, values):
            if table.name in self.dropped:
                self.dropped[table.name].add(values["pk"])
            return None
        if table.name == "record" and not self._record(values):
            self.dropped["record"].add(values["pk"])
            return None
        if table.name == "entity" and not self._entity(values):
            self.dropped["entity"].add(values["pk"])
            return None
        if table.name == "edge":
            self._edge(values)
        if table.name in ("record", "edge"):  # since when it is known here: a file does not tell what was known when
            values["recorded_at"] = self.now
            values |= {"retired_at": self.now} if values.get("retired_at") is not None else {}
        self._believe_less(table, values)
        self._within_time(table, values)
        return values

    def _hangs_on_dropped(self, table: Table, values: Mapping[str, Any]) -> bool:
        for name, column in table.columns.items():
            if values.get(name) in self.dropped.get(column.refers, ()):
                if table.name == "member":
                    self.bereft.add(values["edge_pk"])
                return True
        return False

    def _record(self, values: dict[str, Any]) -> bool:
        """Whether a record may come in, its columns as far as they are believed."""
        large = len(values["content"].encode()) > self.config.ingest.content_bytes_max
        if large or any(len(values.get(name) or "") > METADATA_BYTES_MAX for name in ("metadata", "attributes")):
            self.tally.rejected_size += values.get("head_pk") is None
            return False
        attributes = from_json(values.get("attributes"), {})
        attributes.pop(_OWN_VECTOR, None)
        apart = is_quarantined(attributes)
        if not apart:
            attributes.pop(ATTRIBUTE, None)  # nobody but the gate of this store says what was screened
        values["attributes"] = to_json(attributes) if attributes else None
        if not self._screened(values, apart=apart):
            return False
        values |= {name: value for name, value in _NOT_OURS.items() if name in values}
        values["strength"] = min(values["strength"], _STRENGTH_MAX)
        self._say_where_from(values)
        if values.get("perceived") not in (None, READ):
            values["perceived"] = self._shorter_forms(values["content"])
        return True

    def _screened(self, values: dict[str, Any], *, apart: bool) -> bool:
        """Screen a text and the words beside it, as of no role: the file says who speaks, and would say a person."""
        beside = (values.get(name) for name in _WORDS)
        found = self._look([values["content"], *_phrases(beside, besides=values["content"])])
        head = values.get("head_pk") is None
        if found.action == ScreeningAction.REFUSE or (found.action in _APART and not head):
            self.tally.rejected_injection += head
            return False
        if found.action == ScreeningAction.QUARANTINE:
            values |= {**quarantined_columns(values, found), "perceived": READ}
            apart = True
        elif found.action == ScreeningAction.MARK and not apart:
            values |= marked_columns(values, found)
            self.tally.flagged += head
        self.tally.quarantined += apart and head
        return True

    def _look(self, texts: Iterable[str]) -> Screening:
        """The worst of several texts. Each is judged alone: words that do not belong together read like no sentence."""
        found = [self.screen.screen(text) for text in texts]
        return max(found, key=lambda each: (_SEVERITY.index(each.action), each.injection))

    def _say_where_from(self, values: dict[str, Any]) -> None:
        told = values.get("source")
        drawn = told == STATED and values.get("turn_pk") is not None  # then its turn says where it comes from
        if drawn or told in _KEPT_SOURCES or told == self.source:
            return
        values["source"] = self.source
        if told:
            metadata = from_json(values.get("metadata"), {})
            values["metadata"] = to_json({ORIGINAL_SOURCE: told[:_SOURCE_CHARS_MAX]} | metadata)

    def _shorter_forms(self, content: str) -> str:
        """Windows show these instead of the text, so they are made of the text, not read from the file."""
        from recollect.perceive.traits.fidelity import fidelity_of

        made = levels(fidelity_of(content, summary_bytes_max=self.config.ingest.summary_bytes_max))
        return orjson.dumps(made).decode()

    def _entity(self, values: dict[str, Any]) -> bool:
        """A name is a text, too; what is said about it is made anew."""
        values.pop("summary", None)
        return self._look([values["name"], *_phrases([values.get("aliases")])]).action not in _APART

    def _edge(self, values: dict[str, Any]) -> None:
        values["weight"] = min(values["weight"], _WEIGHT_MAX)
        quoted = _phrases([values.get("evidence")])
        if quoted and self._look(quoted).action in _APART:
            values["evidence"] = None

    def _believe_less(self, table: Table, values: dict[str, Any]) -> None:
        most = self.config.security.import_confidence_max
        if table.name in _BELIEVED and (values.get("confidence") or 0.0) > most:
            values["confidence"] = most
            self.tally.confidence += table.name == "record" and values.get("head_pk") is None

    def _within_time(self, table: Table, values: dict[str, Any]) -> None:
        """Times of keeping are moved to the nearest that can be, which leaves their order as it is."""
        latest = self.now + int(CLOCKS_DIFFER / timedelta(microseconds=1))
        earliest = self.now - self.config.security.import_age_days * _DAY_US
        moved = False
        for name, column in table.columns.items():
            at = values.get(name)
            if column.sort != "time" or at is None or name in _TOLD_TIMES or table.name == "gap":
                continue
            if name == "event_time":  # what happened may be long ago, not yet to come
                if at > latest:
                    values[name], moved = None, True
            elif not earliest <= at <= latest:
                values[name], moved = min(max(at, earliest), self.now), True
        self.tally.times += moved


def _phrases(columns: Iterable[str | None], *, besides: str = "") -> list[str]:
    """The longer texts in columns, which may be JSON; without those that are a part of another text."""
    found: dict[str, None] = {}
    for column in columns:
        for text in _texts_in(column):
            if len(text) >= _PHRASE_CHARS_MIN and text not in besides:
                found[text] = None
    texts = list(found)
    return texts if len(texts) <= _PHRASES_MAX else [*texts[:_PHRASES_MAX], "\n".join(texts[_PHRASES_MAX:])]


def _texts_in(column: str | None) -> Iterator[str]:
    if not column:
        return
    if not column.startswith(("{", "[")):
        yield column
        return
    try:
        waiting: list[Any] = [orjson.loads(column)]
    except orjson.JSONDecodeError:  # a text that begins like JSON
        waiting = [column]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
