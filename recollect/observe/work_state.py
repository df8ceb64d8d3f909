"""Where the work stood when a session ended or its context was compacted, told from what the session did.

Files that were edited, how far the plan was, and what still failed: nothing that anybody said. There is one such record
for each branch of a project, written anew by the next session. An agent that noted the state of its work itself
(`remember_this`) knows better, and nothing is written beside its note.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from recollect.clock import Clock, from_us, to_us
from recollect.ingest.pipeline import Ingest
from recollect.ingest.revision import Revision
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.scope import Scope
from recollect.store.base import Store, Tx
from recollect.store.observed import StoredEvent

CATEGORY = "work_state"
SOURCE = "observer_state"
ATTRIBUTE = "work"  # under which a record's attributes hold what it is the state of
FILES_TOLD = 8
HALF_LIFE_DAYS = 7.0
STATES_MAX = 50
_HEAD_CHARS = 300


class WorkStates:
    """Notes the state of work over one store."""

    def __init__(
        self, store: Store, clock: Clock, *, ingest: Callable[[], Ingest], revision: Callable[[], Revision]
    ) -> None:
        self._store = store
        self._clock = clock
        self._ingest = ingest
        self._revision = revision

    def note(self, session_pk: int, session_id: str, scope_pk: int, root: str) -> str | None:
        """Write down where a session left the work; the id of the record, None if there is nothing to say."""
        with self._store.read() as tx:
            events = tx.observed.events(session_pk)
            scope = tx.scopes.load(scope_pk)
            assert scope is not None, "a session has a scope"
            states = _states(tx, scope, self._clock())
        content = told(events)
        if not content or any(_is_the_agents(record, events) for record in states):
            return None
        branch = branch_of(root)
        before = next((record for record in states if _is_of(record, branch)), None)
        files = edited(events)
        if before is not None:
            if before.content != content:
                changes = {"content": content, "metadata": {**before.metadata, "related_files": files}}
                self._revision().update(before.id, changes, visible=None, reason="a later session", actor="observer")
            return before.id
        item = {
            "content": content,
            "metadata": {"related_files": files},
            "attributes": {ATTRIBUTE: {"branch": branch}},
        }
        fields = {"source": SOURCE, "category": CATEGORY, "kind": "episodic", "half_life_days": HALF_LIFE_DAYS}
        stored = self._ingest().add(
            [item], scope=scope, session_id=session_id, fields=fields, infer=False, actor="observer"
        )
        return stored.ids[0] if stored.ids else None


def told(events: Sequence[StoredEvent]) -> str:
    """The state of the work in a few sentences; nothing if no file was edited and nothing failed."""
    files = edited(events)
    failed = open_failure(events)
    if not files and failed is None:
        return ""
    day = from_us(events[-1].at).date().isoformat()
    sentences = [f"Work of {day}" + (f" edited {_listed(files)}." if files else " edited nothing.")]
    if (plan := _plan(events)) is not None:
        done, all_ = plan
        sentences.append(f"Of its plan {done} of {all_} steps were done.")
    if failed is not None:
        named = f" in {failed.files[0].path}" if failed.files else ""
        sentences.append(f"{failed.tool or 'A tool'} still failed{named}: {failed.error or 'without a word'}")
    return " ".join(sentences)


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


def branch_of(root: str) -> str:
    """The branch of a work tree as its own file says; "" where nobody can tell. Nothing is run."""
    try:
        git = Path(root) / ".git"
        if git.is_file():
            git = Path(root, git.read_text(encoding="utf-8")[:4096].removeprefix("gitdir:").strip())
        if not (git / "HEAD").is_file():  # a pipe would be waited for
            return ""
        with open(git / "HEAD", encoding="utf-8") as file:
            head = file.read(_HEAD_CHARS).strip()
    except (OSError, ValueError):
        return ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else ""


def _plan(events: Sequence[StoredEvent]) -> tuple[int, int] | None:
    for event in reversed(events):
        figures = event.detail.get("figures") if event.type == "plan" else None
        if isinstance(figures, dict) and all(isinstance(each, int) for each in figures.values()) and figures:
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


def _is_of(record: Record, branch: str) -> bool:
    kept: Any = record.attributes.get(ATTRIBUTE)
    return record.source == SOURCE and isinstance(kept, dict) and kept.get("branch", "") == branch


def _is_the_agents(record: Record, events: Sequence[StoredEvent]) -> bool:
    """Whether an agent noted the state itself while this session went on."""
    return record.source != SOURCE and to_us(record.updated_at) >= events[0].at
