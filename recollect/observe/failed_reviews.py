"""Reports of tests and reviews become warnings, and lose their sting when what failed passes.

A critical or high failure is kept as an `error_pattern` that waits for nobody: a tool said it, not a guess. The same
failure again is known by its test, its file and its words without what differs each time. One that passes later gains
its cure: the files that were edited between the last failure and the pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.clock import Clock
from recollect.hook.failure import normalised, print_of_bytes
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.result import Receipt
from recollect.model.scope import Scope
from recollect.observe.reports import Failure, FailureReport, read_report
from recollect.observe.standing import REPORTED as SOURCE
from recollect.store.base import Store, Tx
from recollect.store.journal import adopt
from recollect.store.rows import from_json, to_json

if TYPE_CHECKING:
    from recollect.ingest.pipeline import Ingest
    from recollect.ingest.revision import Revision

CATEGORY = "error_pattern"
TAG = "qa_failure"
CONFIDENCE = 0.8
KEPT = ("critical", "high")
ATTRIBUTE = "review"  # under which a record's attributes hold what it was reported as
KNOWN_MAX = 2_000
CURE_FILES = 5
_VERB = "report_failure"


class _Reported(NamedTuple):
    """What a record was reported as."""

    key: str
    test: str
    failing: bool
    times: int
    last_us: int

    @classmethod
    def of(cls, attributes: Mapping[str, Any]) -> _Reported | None:
        kept = attributes.get(ATTRIBUTE)
        if not isinstance(kept, dict) or not isinstance(kept.get("key"), str):
            return None
        times, last = kept.get("times"), kept.get("last_us")
        return cls(
            key=kept["key"],
            test=str(kept.get("test", "")),
            failing=bool(kept.get("failing")),
            times=times if isinstance(times, int) else 1,
            last_us=last if isinstance(last, int) else 0,
        )


class FailedReviews:
    """Takes reports over one store."""

    def __init__(
        self, store: Store, clock: Clock, *, ingest: Callable[[], Ingest], revision: Callable[[], Revision]
    ) -> None:
        self._store = store
        self._clock = clock
        self._ingest = ingest
        self._revision = revision

    def report(
        self, text: str, *, scope: Scope, spec: str | None, session_id: str | None, actor: str | None
    ) -> Receipt:
        """Keep what failed, count what failed before, and cure what passes now. All of it is one operation."""
        told = read_report(text)
        wanted = {_key(each): each for each in told.failures if each.severity in KEPT}
        with self._store.read() as tx:
            known = _known(tx, scope, self._clock())
        by_key = {reported.key: record for record, reported in known}
        passed = set(told.passed)
        cured = [(record, reported) for record, reported in known if reported.failing and reported.test in passed]
        done = [self._cure(record, reported, scope, actor) for record, reported in cured if reported.key not in wanted]
        new = {key: each for key, each in wanted.items() if key not in by_key}
        stored = self._stored(new, scope=scope, spec=spec, session_id=session_id, actor=actor) if new else None
        again = [by_key[key] for key in wanted if key in by_key]
        operations = [each.operation for each in (*done, *([stored] if stored else ())) if each.operation]
        operation = self._store.write(lambda tx: self._join(tx, scope, again, operations, actor))
        ids = (*(stored.ids if stored else ()), *(record.id for record in again), *(each.ids[0] for each in done))
        return Receipt(
            operation=operation,
            ids=ids,
            records=stored.records if stored else (),
            merged=tuple(record.id for record in again),
            flags=_flags(told, again, done, kept=len(wanted)),
            event="ADD" if new else "UPDATE" if ids else "NONE",
            count=len(ids),
        )

    def _stored(
        self, new: Mapping[str, Failure], *, scope: Scope, spec: str | None, session_id: str | None, actor: str | None
    ) -> Receipt:
        tags = [TAG, *([f"spec_{spec}"] if spec else [])]
        return self._ingest().add(
            [_item(key, each, self._clock()) for key, each in new.items()],
            scope=scope,
            session_id=session_id,
            fields={"source": SOURCE, "category": CATEGORY, "confidence": CONFIDENCE, "tags": tags, "kind": "semantic"},
            infer=False,
            actor=actor,
        )

    def _cure(self, record: Record, reported: _Reported, scope: Scope, actor: str | None) -> Receipt:
        with self._store.read() as tx:
            edited = tx.observed.edited(tx.scopes.visible(scope), after=reported.last_us, limit=CURE_FILES)
        how = f"after edits of {', '.join(edited)}" if edited else "later; what was edited is not known"
        content = f"{record.content.partition(_PASSED)[0].rstrip()}{_PASSED}{how}."
        listed = record.metadata.get("related_files")
        files = [*(listed if isinstance(listed, list) else []), *edited]
        attributes = record.attributes | {ATTRIBUTE: record.attributes[ATTRIBUTE] | {"failing": False}}
        changes = {
            "content": content,
            "attributes": attributes,
            "metadata": {**record.metadata, "related_files": list(dict.fromkeys(files))},
        }
        return self._revision().update(record.id, changes, visible=None, reason="it passes now", actor=actor)

    def _join(
        self, tx: Tx, scope: Scope, again: Sequence[Record], operations: Sequence[str], actor: str | None
    ) -> str | None:
        if not again and not operations:
            return None
        at = self._clock()
        op = tx.journal.begin(_VERB, at=at, scope_pk=tx.scopes.ensure(scope), actor=actor)
        for pk in tx.records.pks_of([record.id for record in again]):
            old = tx.records.columns_of(pk)
            assert old is not None
            attributes = from_json(old["attributes"], {})
            kept = attributes[ATTRIBUTE]
            attributes[ATTRIBUTE] = kept | {"times": kept.get("times", 1) + 1, "failing": True, "last_us": at}
            tx.records.adjust(op, pk, old, {"attributes": to_json(attributes), "updated_at": at})
        op.finish(len(again))
        adopt(op, operations)
        return op.id


_PASSED = " It passed "


def _key(failure: Failure) -> str:
    told = "\0".join((failure.test, failure.file, normalised(failure.description)))
    return print_of_bytes(told.encode("utf-8", "replace"))


def _item(key: str, failure: Failure, at: int) -> dict[str, Any]:
    where = f"{failure.file}:{failure.line}" if failure.line else failure.file
    named = " in ".join(part for part in (failure.test, where) if part)
    tried = f" Tried: {failure.tried}." if failure.tried else ""
    wanted = f" Recommended: {failure.recommendation}." if failure.recommendation else ""
    return {
        "content": f"{named + ': ' if named else ''}{failure.description}.{tried}{wanted}".replace("..", "."),
        "metadata": {"related_files": [failure.file]} if failure.file else {},
        "importance": 0.9 if failure.severity == "critical" else 0.7,
        "attributes": {
            ATTRIBUTE: {"key": key, "test": failure.test, "failing": True, "times": 1, "last_us": at},
        },
    }


def _known(tx: Tx, scope: Scope, now: int) -> list[tuple[Record, _Reported]]:
    found = tx.records.latest(Criteria(scope=scope, categories=(CATEGORY,)), now=now, limit=KNOWN_MAX)
    loaded = tx.records.load(found)
    reported = ((loaded[pk], _Reported.of(loaded[pk].attributes)) for pk in found if pk in loaded)
    return [(record, each) for record, each in reported if each is not None and record.source == SOURCE]


def _flags(told: FailureReport, again: Sequence[Record], done: Sequence[Receipt], *, kept: int) -> tuple[str, ...]:
    """What became of each thing, for the receipt."""
    mild = len(told.failures) - kept
    return (
        f"read as {told.form}",
        *(f"recurred:{record.id}" for record in again),
        *(f"cured:{each.ids[0]}" for each in done),
        *([f"{mild} milder or repeated ones left out"] if mild else []),
        *([f"{told.left_out} beyond the first {len(told.failures)} left out"] if told.left_out else []),
    )
