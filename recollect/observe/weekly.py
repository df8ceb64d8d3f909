"""Once a week: files of which one surely comes after the other become a record that says so.

A pair that a session shows is looked at when that session is concluded. This looks at all that a project's sessions and
its history say, so that a pair which has grown sure since becomes a record too, or the one that is there gains its
direction. All of a pass is one operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.clock import DAY_US, SECOND_US, Clock
from recollect.code.pairs import FIRST_SESSIONS
from recollect.code.together import pairs_of, project_row
from recollect.config import LiveConfig
from recollect.model.code import PairedFile
from recollect.model.query import Criteria
from recollect.model.record import Record, Tier
from recollect.model.scope import Scope
from recollect.observe.conclusions import ACTOR, INFERRED_FIELDS, as_item
from recollect.observe.inference import FilesTogether, FromWatching, inferred
from recollect.observe.standing import ATTRIBUTE
from recollect.store.base import Store, Tx
from recollect.store.journal import adopt

if TYPE_CHECKING:
    from recollect.ingest.pipeline import Ingest
    from recollect.ingest.revision import Revision

CATEGORY = "causal_dependency"
FILES_MAX = 500  # of a project that are looked at, those of most sessions first
PAIRS_MAX = 50  # of a project that become records in one pass
KNOWN_MAX = 2_000
PROJECTS_MAX = 50
_TIERS = tuple(tier.value for tier in Tier)
_LAST = "pairs_looked_at"  # meta: when


class _Directed(NamedTuple):
    """Two files of a scope, the second of which comes after the first."""

    scope_pk: int
    first: str
    pair: PairedFile
    sessions: tuple[str, ...]


class WeeklyPairs:
    """Looks at the pairs of all projects of one store, every `observe.pairs_days`."""

    def __init__(
        self,
        store: Store,
        config: LiveConfig,
        clock: Clock,
        *,
        ingest: Callable[[], Ingest],
        revision: Callable[[], Revision],
    ) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._ingest = ingest
        self._revision = revision

    def run_if_due(self) -> list[str]:
        """The ids of the records that were made or gained a direction; none where it is not time yet."""
        days, now = self._config.current.observe.pairs_days, self._clock()
        with self._store.read() as tx:
            last = int(tx.meta.text(_LAST) or 0)
        if days == 0 or not self._config.current.observe.infer or now < last + days * DAY_US:
            return []
        self._store.write(lambda tx: tx.meta.note(_LAST, str(now)))
        return self.run()

    def run(self) -> list[str]:
        """Look now, whatever the day."""
        with self._store.read() as tx:
            scopes = tx.agent_work.scopes(limit=PROJECTS_MAX)
            found = [each for scope_pk in scopes for each in self._directed(tx, scope_pk)]
        by_scope: dict[int, list[_Directed]] = {}
        for each in found:
            by_scope.setdefault(each.scope_pk, []).append(each)
        return [id_ for scope_pk, pairs in by_scope.items() for id_ in self._kept(scope_pk, pairs)]

    def _directed(self, tx: Tx, scope_pk: int) -> list[_Directed]:
        """The pairs of a project that are sure and have a direction."""
        scope = tx.scopes.load(scope_pk)
        project = None if scope is None or scope.project is None else project_row(tx, scope.project)
        if project is None:
            return []
        config, now_s = self._config.current, self._clock() // SECOND_US
        out: list[_Directed] = []
        for path in tx.agent_work.often_touched(scope_pk, sessions_min=FIRST_SESSIONS, limit=FILES_MAX):
            for pair in pairs_of(tx, project, path, config.codegraph, now_s=now_s):
                if pair.weight > config.observe.pairs_weight and pair.follows:
                    sessions = tx.agent_work.sessions_with(scope_pk, path, pair.path)
                    if len(sessions) >= FIRST_SESSIONS:
                        out.append(_Directed(scope_pk, path, pair, sessions))
        return sorted(out, key=lambda each: -each.pair.weight)[:PAIRS_MAX]

    def _kept(self, scope_pk: int, pairs: list[_Directed]) -> list[str]:
        """Make a record of each pair, or give the one that is there its direction."""
        with self._store.read() as tx:
            scope = tx.scopes.load(scope_pk)
            assert scope is not None, "a session has a scope"
            known = _known(tx, scope, self._clock())
        wanted = {each.key: each for each in map(self._worded, pairs) if each is not None}
        new = [each for key, each in wanted.items() if key not in known]
        gained = [
            (known[key], each)
            for key, each in wanted.items()
            if key in known and known[key].metadata.get("required_with") != _required(each)
        ]
        operations, ids = self._written(scope, new, gained)
        if operations:
            self._store.write(lambda tx: self._joined(tx, scope_pk, operations))
        return ids

    def _written(
        self, scope: Scope, new: list[FromWatching], gained: list[tuple[Record, FromWatching]]
    ) -> tuple[list[str], list[str]]:
        operations: list[str] = []
        ids: list[str] = []
        if new:
            stored = self._ingest().add(
                [as_item(each) for each in new],
                scope=scope,
                fields=INFERRED_FIELDS,
                infer=False,
                actor=ACTOR,
                seen_in=[each.sessions for each in new],
            )
            operations += [stored.operation] if stored.operation else []
            ids += stored.ids
        for record, each in gained:
            changes: dict[str, Any] = {"metadata": {**record.metadata, "required_with": _required(each)}}
            if record.attributes.get("worded") is None:
                changes["content"] = each.content
            done = self._revision().update(record.id, changes, visible=None, reason="weekly", actor=ACTOR)
            operations += [done.operation] if done.operation else []
            ids.append(record.id)
        return operations, ids

    def _worded(self, each: _Directed) -> FromWatching | None:
        signal = FilesTogether(
            first=each.first,
            second=each.pair.path,
            steps=each.pair.steps or 1.0,
            follows=True,
            times=len(each.sessions),
            last_at_s=int(each.pair.last_at.timestamp()),
            sessions=each.sessions,
            surety=each.pair.weight,
        )
        return next(iter(inferred([signal], self._config.current.observe)), None)

    def _joined(self, tx: Tx, scope_pk: int, operations: list[str]) -> None:
        op = tx.journal.begin("observe", at=self._clock(), scope_pk=scope_pk, actor=ACTOR, reason="weekly")
        op.finish(0)
        adopt(op, operations)


def _required(each: FromWatching) -> list[str]:
    return list(each.required_with or ())


def _known(tx: Tx, scope: Scope, now: int) -> dict[str, Record]:
    """What was concluded of pairs of files, by its key; what was archived too: a person may not want it."""
    criteria = Criteria(scope=scope, categories=(CATEGORY,), tiers=_TIERS)
    found = tx.records.load(tx.records.latest(criteria, now=now, limit=KNOWN_MAX)).values()
    kept = ((record.attributes.get(ATTRIBUTE), record) for record in found)
    return {key: record for each, record in kept if isinstance(each, dict) and isinstance(key := each.get("key"), str)}
