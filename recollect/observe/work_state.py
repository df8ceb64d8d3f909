"""Where the work stood when a session ended or its context was compacted.

Told from what the session did: files that were edited, those not committed, how far the plan was, what still failed.
And from what its agent planned and said last, in its own words: what is done, what comes next, what was decided. There
is one such record for each task and branch of a project, written anew by the next session. An agent that noted the
state of its work itself (`remember_this`) knows better, and nothing is written beside its note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.clock import Clock, from_us, to_us
from recollect.code.history import uncommitted
from recollect.config import LiveConfig
from recollect.hook import places
from recollect.hook.plans import DONE, GOING, OPEN
from recollect.ingest.compaction_notes import lines_of, notes_of
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.scope import Scope
from recollect.store.base import Store, Tx
from recollect.store.observed import StoredEvent

if TYPE_CHECKING:
    from recollect.ingest.pipeline import Ingest
    from recollect.ingest.revision import Revision

CATEGORY = "work_state"
SOURCE = "observer_state"
ATTRIBUTE = "work"  # under which a record's attributes hold what it is the state of
FILES_TOLD = 8
STEPS_TOLD = 6  # of a plan, of each sort
SAID_TOLD = 3  # decisions, and next steps that stand in no plan
STATES_MAX = 50
HALF_LIFE_DAYS = 7.0
_NEXT = re.compile(
    r"(?:next|to.?do|remaining|still (?:to do|open|missing)|left to do|follow.?up)\b(?: steps?)?[: ]*", re.IGNORECASE
)


class Task(NamedTuple):
    """What a session works for: a task somebody named, and the branch of the work tree it is in."""

    spec: str
    branch: str
    tree: str


class AgentWords(NamedTuple):
    """What an agent planned, as [text, state] and perhaps a number, and the end of what it said last."""

    plan: Sequence[Sequence[str]] = ()
    tail: str = ""


class WorkStates:
    """Notes the state of work over one store."""

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

    def note(self, session_pk: int, session_id: str, scope_pk: int, root: str, *, over: bool = True) -> str | None:
        """Write down where a session left the work; the id of the record, None if there is nothing to say. Once it is
        `over`, its words are kept nowhere else."""
        noted = (
            self._noted(session_pk, session_id, scope_pk, root) if self._config.current.observe.work_states else None
        )
        if over:
            self._store.write(lambda tx: tx.agent_work.forget_words(session_pk))
        return noted

    def _noted(self, session_pk: int, session_id: str, scope_pk: int, root: str) -> str | None:
        with self._store.read() as tx:
            events = tx.observed.events(session_pk)
            words = AgentWords(*tx.agent_work.words(session_pk))
            scope = tx.scopes.load(scope_pk)
            assert scope is not None, "a session has a scope"
            states = _states(tx, scope, self._clock())
            here = scope.project is not None and tx.observed.project_at(root) == scope.project
        if any(_is_the_agents(record, events) for record in states):
            return None
        task = task_of(events, root)
        content = told(events, words, uncommitted(Path(task.tree)) if here and edited(events) else ())
        if not content:
            return None
        before = next((record for record in states if _is_of(record, task)), None)
        files = edited(events)
        if before is not None:
            if before.content != content:
                changes = {"content": content, "metadata": {**before.metadata, "related_files": files}}
                self._revision().update(before.id, changes, visible=None, reason="a later session", actor="observer")
            return before.id
        item = {
            "content": content,
            "metadata": {"related_files": files},
            "attributes": {ATTRIBUTE: {"branch": task.branch, **({"spec": task.spec} if task.spec else {})}},
        }
        fields = {"source": SOURCE, "category": CATEGORY, "kind": "episodic", "half_life_days": HALF_LIFE_DAYS}
        stored = self._ingest().add(
            [item], scope=scope, session_id=session_id, fields=fields, infer=False, actor="observer"
        )
        return stored.ids[0] if stored.ids else None


def task_of(events: Sequence[StoredEvent], root: str) -> Task:
    """What a session works for, by its last word on it."""

    def last(name: str) -> str | None:
        found = (event.detail[name] for event in reversed(events) if isinstance(event.detail.get(name), str))
        return next(found, None)

    tree = last("tree") or root
    if tree != root and places.workplace(tree)[1] != root:
        tree = root
    branch = last("branch")
    return Task(last("spec") or "", places.branch_of(tree) if branch is None else branch, tree)


def told(events: Sequence[StoredEvent], words: AgentWords = AgentWords(), open_files: Sequence[str] = ()) -> str:
    """The state of the work in a few sentences; nothing if no file was edited, nothing planned and nothing failed."""
    files = edited(events)
    failed = open_failure(events)
    plan = _plan(events)
    if not files and failed is None and not words.plan:
        return ""
    day = from_us(events[-1].at).date().isoformat()
    sentences = [f"Work of {day}" + (f" edited {_listed(files)}." if files else " edited nothing.")]
    if plan is not None and plan[1]:
        sentences.append(f"Of its plan {plan[0]} of {plan[1]} steps were done.")
    sentences += _planned(words.plan)
    sentences += _said(words, events[-1].at)
    if open_files:
        sentences.append(f"Not committed: {_listed(open_files)}.")
    if failed is not None:
        named = f" in {failed.files[0].path}" if failed.files else ""
        sentences.append(f"{failed.tool or 'A tool'} still failed{named}: {failed.error or 'without a word'}")
    return " ".join(sentences)


def _planned(plan: Sequence[Sequence[str]]) -> list[str]:
    """The steps of a plan by how far they are, in the agent's words."""
    named = ((DONE, "Done"), (GOING, "In progress"), (OPEN, "Next"))
    by_state = {state: [step[0] for step in plan if step[1] == state and step[0]] for state, _ in named}
    told = {state: steps[-STEPS_TOLD:] if state == DONE else steps[:STEPS_TOLD] for state, steps in by_state.items()}
    return [f"{word}: {'; '.join(told[state])}." for state, word in named if told[state]]


def _said(words: AgentWords, at: int) -> list[str]:
    """What the agent said last that was decided; and what comes next, where its plan does not say."""
    notes = notes_of(lines_of(words.tail), now=from_us(at)) if words.tail else []
    decided = [each.bare for each in notes if each.category == "decision" and not _NEXT.match(each.bare)][:SAID_TOLD]
    going_on = any(step[1] in (GOING, OPEN) for step in words.plan)
    coming = [_NEXT.sub("", each.bare) for each in notes if each.category == CATEGORY or _NEXT.match(each.bare)]
    found = [f"Decided: {'; '.join(each.rstrip('.') for each in decided)}."] if decided else []
    if coming and not going_on:
        found.append(f"To do: {'; '.join(each.rstrip('.') for each in coming[:SAID_TOLD])}.")
    return found


def edited(events: Sequence[StoredEvent]) -> list[str]:
    """Files that were edited, the last one first."""
    paths = [
        file.path
        for event in reversed(events)
        if event.type == "tool"
        for file in event.files
        if file.kind in ("edit", "write")
    ]
    return list(dict.fromkeys(paths))


def open_failure(events: Sequence[StoredEvent]) -> StoredEvent | None:
    """The last call that failed and did not go well afterwards."""
    well: set[tuple[str | None, str]] = set()
    event: StoredEvent
    for event in reversed(events):
        about = event.target or next((file.path for file in event.files), "")
        if event.type == "tool":
            well.add((event.tool, about))
        elif event.type == "tool_failed" and (event.tool, about) not in well:
            return event
    return None


def _plan(events: Sequence[StoredEvent]) -> tuple[int, int] | None:
    for event in reversed(events):
        figures = event.detail.get("figures") if event.type == "plan" else None
        if figures == {} or (isinstance(figures, dict) and "planned" in figures):
            continue  # one step of a plan, or a plan that is yet to be agreed upon
        if isinstance(figures, dict) and all(isinstance(each, int) for each in figures.values()):
            done = sum(count for state, count in figures.items() if state in ("completed", "done"))
            return done, sum(figures.values())
    return None


def _listed(files: Sequence[str]) -> str:
    more = len(files) - FILES_TOLD
    return ", ".join(files[:FILES_TOLD]) + (f" and {more} more" if more > 0 else "")


def _states(tx: Tx, scope: Scope, now: int) -> list[Record]:
    found = tx.records.latest(Criteria(scope=scope, categories=(CATEGORY,)), now=now, limit=STATES_MAX)
    loaded = tx.records.load(found)
    return [loaded[pk] for pk in found if pk in loaded]


def task_in(record: Record) -> tuple[str, str]:
    """The task and the branch that a record is the state of; neither of one that an agent wrote."""
    kept: Any = record.attributes.get(ATTRIBUTE)
    kept = kept if isinstance(kept, dict) else {}
    return str(kept.get("spec", "")), str(kept.get("branch", ""))


def _is_of(record: Record, task: Task) -> bool:
    return record.source == SOURCE and task_in(record) == (task.spec, task.branch)


def _is_the_agents(record: Record, events: Sequence[StoredEvent]) -> bool:
    """Whether an agent noted the state itself while this session went on."""
    return record.source != SOURCE and to_us(record.updated_at) >= events[0].at
