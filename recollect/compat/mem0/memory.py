"""`Memory` as mem0 has it, over one store of ours.

A memory is a text that was given, or a statement that was drawn from a message. Messages are kept as they were said
besides: a search goes by them, and answers with what was drawn from them, or with the message itself where nothing was.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from recollect import memory as ours
from recollect.clock import from_us
from recollect.compat.mem0.conditions import EXPIRES, FACTS, conditions, expiry, unexpired
from recollect.compat.mem0.identity import IDS, ValidationError, ids_of, ids_to_write, plain_text, sight
from recollect.errors import ConfigInvalid, NotFound, UsageError, shown
from recollect.facade import arguments
from recollect.facade.handle import engine_in_use
from recollect.limits import PAGE_RECORDS_MAX, TOP_K_MAX
from recollect.model.record import Record
from recollect.model.result import HistoryEntry, Hit, Receipt
from recollect.wiring import open_memory

TOP_K = 20
PROCEDURAL = "procedural_memory"

_UNSET: Any = object()
_IMMUTABLE = {*IDS, "actor_id"}  # who a memory is of is not said in its metadata
STORE_FILE = "recollect.db"  # in the folder where mem0 keeps its vectors

_MEANINGLESS = {
    "llm": "no language model is needed; give llm= to use one",
    "embedder": "texts are embedded on this machine; give embedder= for another model",
    "reranker": "give reranker= for one of ours",
    "graph_store": "relations are kept in the same store",
    "history_db_path": "history is kept in the same store",
    "custom_instructions": "statements are drawn by rules, not by a prompt",
    "custom_fact_extraction_prompt": "statements are drawn by rules, not by a prompt",
    "custom_update_memory_prompt": "what changes is decided by rules, not by a prompt",
}


class Memory:
    """mem0's `Memory`. `recollect` is the memory beneath it, with history, undo, `as_of` and the rest of the verbs.

    `config` is one of mem0's; `memory` an open memory of ours instead, which is then its owner's to close. Other
    arguments are those of `recollect.open`.
    """

    def __init__(self, config: Any = None, *, memory: ours.Memory | None = None, **options: Any) -> None:
        if memory is not None and (config is not None or options):
            raise UsageError("give an open memory, or what it takes to open one")
        self._owns = memory is None
        self.config = config
        self.recollect = open_memory(store_path(config), **options) if memory is None else memory

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any], **options: Any) -> Self:
        """A memory by mem0's configuration. What of it has no meaning here is named in a warning."""
        return cls(config_dict, **options)

    def add(
        self,
        /,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: Any = None,
        agent_id: Any = None,
        run_id: Any = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None,
        expiration_date: Any = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
        **_: Any,
    ) -> dict[str, Any]:
        """Remember a text or messages. The answer lists the memories made of them.

        `timestamp` is when it was said. `prompt` has no meaning: nothing is asked of a language model.
        """
        ids = ids_to_write({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        if memory_type not in (None, PROCEDURAL):
            raise ValidationError(
                f"Invalid 'memory_type'. Please pass {PROCEDURAL} to create procedural memories.",
                "VALIDATION_002",
                f"Use '{PROCEDURAL}' to create procedural memories.",
            )
        kept = {name: value for name, value in (metadata or {}).items() if name not in _IMMUTABLE}
        if expiration_date is not None:
            kept[EXPIRES] = expiry(expiration_date)
        content, kind = _to_remember(messages, infer=infer, procedure=memory_type is not None)
        if not content:
            return {"results": []}
        receipt = self.recollect.add(
            content,
            kind=kind,
            metadata=kept or None,
            timestamp=timestamp,
            infer=infer,
            user_id=ids.get("user_id"),
            agent_id=ids.get("agent_id"),
            session_id=ids.get("run_id"),
        )
        return {"results": added(receipt, verbatim=kind is not None or isinstance(content, str))}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """A memory by its id, or None."""
        record = self._record(memory_id)
        return None if record is None else item(record)

    def get_all(
        self,
        /,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = TOP_K,
        limit: int | None = None,
        show_expired: bool = False,
        **whose: Any,
    ) -> dict[str, Any]:
        """Memories, newest first. Whose is said in `filters`, or as mem0 had it before 2.0 by `user_id=` and so on."""
        most = _most(top_k if limit is None else limit, PAGE_RECORDS_MAX)
        where, reach = self._asked(filters, whose, show_expired)
        if not most:
            return {"results": []}
        page = self.recollect.get_all(kinds=FACTS, filters=where, limit=most, **reach)
        return {"results": [item(record, scored=False) for record in page]}

    def search(
        self,
        /,
        query: str,
        *,
        top_k: int = TOP_K,
        limit: int | None = None,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
        rerank: bool = False,
        explain: bool = False,
        reference_date: Any = None,
        show_expired: bool = False,
        **whose: Any,
    ) -> dict[str, Any]:
        """Find memories, best first. `reference_date` asks for what was true then; `rerank` changes nothing.

        There is no `threshold` unless one is given: scores here are not mem0's.
        """
        most = _most(top_k if limit is None else limit, TOP_K_MAX)
        asked = plain_text(query, "query")
        where, reach = self._asked(filters, whose, show_expired)
        if not most:
            return {"results": []}
        found = self.recollect.search(
            asked,
            top_k=most,
            filters=where,
            threshold=threshold,
            as_of=reference_date,
            explain=explain,
            **reach,
        )
        rows = []
        for record, hit in memories_of(self.recollect, found)[:most]:
            row = item(record, round(hit.score, 6))
            if found.trace is not None:
                row["score_details"] = {step.source: step.contribution for step in found.trace.hits.get(hit.id, ())}
            rows.append(row)
        return {"results": rows}

    def update(
        self,
        /,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = _UNSET,
        data: str | None = None,
        **_: Any,
    ) -> dict[str, str]:
        """Change a memory. Metadata is added to what is there; the version before stays in the history."""
        text = data if text is None else text
        if text is None and metadata is None and expiration_date is _UNSET:
            raise UsageError("At least one of text, metadata, or expiration_date must be provided.")
        record = self._record(memory_id)
        if record is None:
            raise NotFound(f"Memory with id {memory_id} not found. Please provide a valid 'memory_id'")
        changed = {name: value for name, value in (metadata or {}).items() if name not in _IMMUTABLE}
        if expiration_date is not _UNSET:
            changed[EXPIRES] = expiry(expiration_date)
        self.recollect.update(memory_id, content=text, **_metadata(record.metadata, changed))
        return {"message": "Memory updated successfully!"}

    def delete(self, /, memory_id: str, **_: Any) -> dict[str, str]:
        """Forget a memory; `memory.recollect.undo` brings it back."""
        if self._record(memory_id) is None:
            raise NotFound(f"Memory with id {memory_id} not found")
        self.recollect.delete(memory_id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, /, user_id: Any = None, agent_id: Any = None, run_id: Any = None, **_: Any) -> dict[str, str]:
        """Forget everything of a user, an agent, a run, and what they said."""
        ids = ids_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        if not ids:
            raise UsageError(
                "At least one filter is required to delete all memories. If you want to delete all memories, use the "
                "`reset()` method."
            )
        self.recollect.delete_all(
            user_id=ids.get("user_id"), agent_id=ids.get("agent_id"), session_id=ids.get("run_id")
        )
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """What happened to a memory, oldest first; of one that never was, nothing."""
        try:
            return history_rows(memory_id, self.recollect.history(memory_id))
        except UsageError:
            return []

    def reset(self) -> None:
        """Erase the whole store. This cannot be undone."""
        self.recollect.delete_all(reach="all", hard=True)

    def chat(self, query: str) -> None:
        """mem0 has the name and nothing behind it."""
        raise NotImplementedError("Chat function not implemented yet.")

    def close(self) -> None:
        """Let go of the store, unless it was given by whoever opened it."""
        if self._owns:
            self.recollect.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _record(self, memory_id: Any) -> Record | None:
        try:
            return self.recollect.get(memory_id)
        except UsageError:  # no id of ours, so nothing has it
            return None

    def _asked(
        self, filters: Mapping[str, Any] | None, whose: Mapping[str, Any], show_expired: bool
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Conditions and reach of a read."""
        unknown = whose.keys() - set(IDS)
        if unknown:
            raise UsageError(f"unknown argument {sorted(unknown)[0]!r}")
        ids = ids_of(whose)
        where = conditions(filters, ids)
        if not show_expired:
            today = from_us(engine_in_use(self.recollect).clock()).date()
            where = {"AND": [where, unexpired(today)]}
        return where, sight(self.recollect, {**ids_of(filters or {}), **ids})


def _to_remember(given: Any, *, infer: bool, procedure: bool) -> tuple[str | list[dict[str, Any]] | None, str | None]:
    """(what to give to `add`, of which kind). Instructions to a model are nothing that was said."""
    if isinstance(given, str) and (infer or procedure):
        return (given if given.strip() else None), "procedural" if procedure else None
    if isinstance(given, str):
        given = {"role": "user", "content": given}  # taken as it is, it is what a user said
    listed = [given] if isinstance(given, Mapping) else given
    if not isinstance(listed, list):
        raise ValidationError(
            "messages must be str, dict, or list[dict]",
            "VALIDATION_003",
            "Convert your input to a string, dictionary, or list of dictionaries.",
        )
    said = [
        dict(each)
        for each in listed
        if isinstance(each, Mapping) and each.get("role") not in (None, "system") and each.get("content")
    ]
    if procedure:
        return "\n".join(f"{each['role']}: {each['content']}" for each in said) or None, "procedural"
    return said, None if infer else "semantic"


def _metadata(held: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that make `update` add to what is held; a day on which it expires can be taken away again."""
    if not changed:
        return {}
    merged = {name: value for name, value in {**held, **changed}.items() if name != EXPIRES or value is not None}
    return {"metadata": merged} if merged else {"clear": ("metadata",) if held else ()}


def _most(given: Any, ceiling: int) -> int:
    return min(arguments.count(given, "top_k", 10**9, least=0), ceiling)


def store_path(config: Any) -> str | os.PathLike[str] | None:
    """Where a configuration of mem0 keeps things, None for our own default. Warns, once for all, of what it ignores."""
    given = _plain(config)
    ignored = [name for name in given if name in _MEANINGLESS and given[name] is not None]
    ignored += [name for name in given if name not in _MEANINGLESS and name not in ("vector_store", "version")]
    folder, rest = _vector_store(given.get("vector_store"))
    ignored += [f"vector_store.{name}" for name in rest]
    if ignored:
        said = "; ".join(f"{name} ({_MEANINGLESS[name]})" if name in _MEANINGLESS else name for name in ignored)
        warnings.warn(f"of mem0's configuration this has no meaning in Recollect: {said}", UserWarning, stacklevel=4)
    if folder is None or folder == ":memory:":
        return folder
    Path(folder).mkdir(parents=True, exist_ok=True)
    return Path(folder) / STORE_FILE


def _plain(config: Any) -> dict[str, Any]:
    """A configuration as a mapping: given as one, or as mem0's own `MemoryConfig` with what was set in it."""
    if config is None:
        return {}
    if isinstance(config, Mapping):
        return dict(config)
    dumped = getattr(config, "model_dump", None)
    if dumped is None:
        raise ConfigInvalid(f"mem0's configuration is an object such as {{'vector_store': …}}, not {shown(config, 60)}")
    return dict(dumped(exclude_unset=True))


def _vector_store(given: Any) -> tuple[str | None, list[str]]:
    """(the folder of a vector store on disk, the parts that say nothing to us)."""
    if given is None:
        return None, []
    if not isinstance(given, Mapping):
        raise ConfigInvalid(f"vector_store is an object with provider and config, not {shown(given, 60)}")
    inner = given.get("config") or {}
    path = inner.get("path") if isinstance(inner, Mapping) else None
    ignored = [name for name in given if name != "config"]
    ignored += [f"config.{name}" for name in inner if name != "path"] if isinstance(inner, Mapping) else ["config"]
    return (None if path is None else os.fspath(path)), ignored


def item(record: Record, score: float | None = None, *, scored: bool = True) -> dict[str, Any]:
    """A memory. What mem0 keeps beside the text is there if it is set, as in mem0."""
    metadata = {name: value for name, value in record.metadata.items() if name != EXPIRES}
    out: dict[str, Any] = {
        "id": record.id,
        "memory": record.content,
        "hash": hashlib.md5(record.content.encode(), usedforsecurity=False).hexdigest(),
        "metadata": metadata or None,
        "score": score,
        "created_at": record.created_at.isoformat(),
        "updated_at": record.updated_at.isoformat(),
    }
    if not scored:
        del out["score"]
    beside = {
        "user_id": record.scope.user_id,
        "agent_id": record.scope.agent_id,
        "run_id": record.session_id,
        "actor_id": record.speaker,
        "role": record.role,
        EXPIRES: record.metadata.get(EXPIRES),
    }
    return out | {name: value for name, value in beside.items() if value is not None}


def added(receipt: Receipt, *, verbatim: bool) -> list[dict[str, Any]]:
    """What an `add` made: the statements, or with `verbatim` the texts as given. A repeat names what was there."""
    wanted = set(receipt.ids if verbatim else receipt.statements)
    rows = []
    for record in receipt.records:
        if record.id in wanted:
            event = "NONE" if record.id in receipt.merged else "ADD"
            row: dict[str, Any] = {"id": record.id, "memory": record.content, "event": event}
            rows.append(row | {"actor_id": record.speaker, "role": record.role} if verbatim and record.role else row)
    return rows


def history_rows(memory_id: str, entries: Sequence[HistoryEntry]) -> list[dict[str, Any]]:
    """What happened to a memory, oldest first."""
    return list(_rows(memory_id, entries))


def _rows(memory_id: str, entries: Sequence[HistoryEntry]) -> Iterator[dict[str, Any]]:
    before: Record | None = None
    for entry in entries:
        after = entry.record
        known = after or before
        event = "DELETE" if after is None else "ADD" if before is None else "UPDATE"
        yield {
            "id": entry.operation.id,
            "memory_id": memory_id,
            "old_memory": before.content if before else None,
            "new_memory": after.content if after else None,
            "event": event,
            "created_at": known.created_at.isoformat() if known else entry.at.isoformat(),
            "updated_at": entry.at.isoformat(),
            "is_deleted": after is None,
            "actor_id": known.speaker if known else None,
            "role": known.role if known else None,
        }
        before = after


def memories_of(memory: ours.Memory, hits: Iterable[Hit]) -> list[tuple[Record, Hit]]:
    """Each memory with the hit that speaks for it, best first.

    A turn from which something was drawn is none itself, even when all of that has been forgotten since.
    """
    found: dict[str, tuple[Record, Hit]] = {}
    engine = engine_in_use(memory)
    with engine.store.read() as tx:
        now = engine.clock()
        for hit in hits:
            pk = tx.records.find_pk(hit.id, now=now)
            ever = tx.statements.drawn_from([pk], past=True)
            live = tx.statements.drawn_from([pk]) if ever else [pk]
            loaded = tx.records.load(live)
            for drawn in live:
                found.setdefault(loaded[drawn].id, (loaded[drawn], hit))
    return list(found.values())
