"""mem0's configuration: what of it means something here, and one word about the rest."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.errors import ConfigInvalid, shown

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
