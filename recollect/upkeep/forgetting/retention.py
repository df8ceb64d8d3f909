"""Retention: records that a rule names are forgotten, softly or for good; rules that are kept are applied by upkeep.

What a person confirmed or asked to be remembered is spared, unless the rule names it. A record whose time is earlier
than that of one stored before it came while the clock was set back: its age is not believed, and it is spared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from recollect.clock import Clock, from_us, to_us
from recollect.errors import UsageError
from recollect.ingest.removal import Removal
from recollect.model.audit import AuditEvent
from recollect.model.query import Criteria
from recollect.model.result import Report
from recollect.model.retention import ParsedRule, parse_rule
from recollect.model.scope import Reach
from recollect.store.base import Store, Tx
from recollect.store.journal import Op
from recollect.store.leaving import RetentionRule
from recollect.upkeep.runs.run import Run

VERB = "retain"
EXAMPLES = 10  # ids that a report shows
PORTION = 200
RULES_MAX = 100


class _Named(NamedTuple):
    """The records that a rule takes, and how many it spares: by a person's word, and because of the clock."""

    pks: list[int]
    spared: int
    doubtful: int


class Retention:
    """Applies rules over one store, and keeps them."""

    def __init__(self, store: Store, clock: Clock, removal: Removal) -> None:
        self._store = store
        self._clock = clock
        self._removal = removal

    def apply(self, text: str, *, dry_run: bool, hard: bool, actor: str | None) -> Report:
        """Forget what a rule names, as one operation; in a dry run only say what that is."""
        rule = parse_rule(text)
        with self._store.read() as tx:
            found = named_by(tx, rule, now=self._clock(), live=not hard)
            ids = tx.records.ids(found.pks[:EXAMPLES])
        figures = {
            "rule": rule.text,
            "count": len(found.pks),
            "examples": list(ids),
            "spared": found.spared,
            "dry_run": dry_run,
            "hard": hard,
        }
        notes = _doubts(found.doubtful)
        if dry_run or not found.pks:
            return Report(figures=figures, warnings=notes)

        def still(tx: Tx) -> list[int]:
            return named_by(tx, rule, now=self._clock(), live=not hard).pks

        done = self._removal.delete_named(still, verb=VERB, hard=hard, actor=actor)
        return Report(
            figures=figures | {"count": done.count}, warnings=(*notes, *done.missing), operation=done.operation
        )

    def keep(self, name: str, text: str, *, hard: bool) -> Report:
        """Have upkeep apply a rule from now on."""
        rule = parse_rule(text)
        if not rule.waits:
            raise UsageError("a rule that is kept needs age>… or unused>…: it would take records as they are stored")

        def work(tx: Tx) -> bool:
            if len(tx.leaving.rules()) >= RULES_MAX:
                raise UsageError(f"{RULES_MAX} rules are kept already; drop one first")
            known = tx.leaving.keep_rule(RetentionRule(name, rule.text, hard, self._clock()))
            self._noted(tx, name, "kept")
            return known

        replaced = self._store.write(work)
        return self.listed(("it takes the place of another rule of that name",) if replaced else ())

    def drop(self, name: str) -> Report:
        """Have upkeep apply a rule no longer."""

        def work(tx: Tx) -> bool:
            known = tx.leaving.drop_rule(name)
            self._noted(tx, name, "dropped")
            return known

        if not self._store.write(work):
            raise UsageError("no rule of that name is kept; `retain` without a rule lists them")
        return self.listed()

    def listed(self, notes: tuple[str, ...] = ()) -> Report:
        """The rules that are kept."""
        with self._store.read() as tx:
            rules = tx.leaving.rules()
        shown = [
            {"name": each.name, "rule": each.rule, "hard": each.hard, "made_at": from_us(each.made_at).isoformat()}
            for each in rules
        ]
        return Report(figures={"rules": shown, "count": len(shown)}, warnings=notes)

    def _noted(self, tx: Tx, name: str, what: str) -> None:
        detail: dict[str, Any] = {"what": f"retention rule {what}", "rule": tx.audit.hashed("rule", name)}
        tx.audit.append(AuditEvent.POLICY_CHANGED, at=self._clock(), verb=VERB, detail=detail)


class RetentionStep:
    """The step that applies the rules that are kept: soft ones in the run's operation, hard ones each in its own."""

    name = "retain"

    def __init__(self, forget_files: Callable[[], None]) -> None:
        self._forget_files = forget_files

    def run(self, run: Run) -> None:
        with run.store.read() as tx:
            rules = tx.leaving.rules() if run.scope_pks is None else []  # rules are about the whole store
        for at, kept in enumerate(rules):
            if kept.hard and not run.dry_run:
                self._erase(run, kept)
            else:
                self._forget(run, kept)
            run.progress((at + 1) / len(rules))

    def _forget(self, run: Run, kept: RetentionRule) -> None:
        rule = parse_rule(kept.rule)
        with run.store.read() as tx:
            found = named_by(tx, rule, now=run.clock(), live=not kept.hard)
        run.problems += _doubts(found.doubtful)
        for start in range(0, len(found.pks), PORTION):
            part = found.pks[start : start + PORTION]
            run.portion(partial(_forget, run=run, rule=rule, pks=part, name=kept.name))

    def _erase(self, run: Run, kept: RetentionRule) -> None:
        removal = Removal(run.store, run.clock, after_erasure=self._forget_files)
        done = Retention(run.store, run.clock, removal).apply(kept.rule, dry_run=False, hard=True, actor=run.actor)
        run.counts["erased"] += done["count"]
        run.problems += done.warnings


def _forget(tx: Tx, op: Op, *, run: Run, rule: ParsedRule, pks: Sequence[int], name: str) -> None:
    """Those that the rule still names: somebody may have confirmed or used them since."""
    going = sorted({*pks} & {*named_by(tx, rule, now=op.at, live=True, among=pks).pks})
    going = sorted({*going, *tx.statements.lose_turns(op, going)})
    for record_id in tx.records.ids(tx.records.retire(op, going)):
        run.note("retired", record_id, f"by the rule {name}")


def named_by(tx: Tx, rule: ParsedRule, *, now: int, live: bool, among: Sequence[int] | None = None) -> _Named:
    """The records that a rule takes."""
    moment = from_us(now)
    take = partial(_matching, tx, rule, now=now, live=live)
    pks, every = take(sparing=True), take(sparing=False)
    born_before = rule.born_before(moment)
    doubtful: set[int] = set()
    if born_before is not None:
        doubtful = tx.leaving.stored_after(to_us(born_before), pks)
    chosen = [pk for pk in pks if pk not in doubtful and (among is None or pk in set(among))]
    return _Named(chosen, len(every) - len(pks), len(doubtful))


def _matching(tx: Tx, rule: ParsedRule, *, now: int, live: bool, sparing: bool) -> list[int]:
    criteria = Criteria(reach=Reach.ALL, filters=rule.filter(from_us(now), sparing=sparing))
    return tx.records.named(criteria, now=now, live=live)


def _doubts(count: int) -> tuple[str, ...]:
    told = f"{count} records were stored while the clock was set back: how old they are is not known, and they stay"
    return (told,) if count else ()
