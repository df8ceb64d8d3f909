"""The store's own words in SQLite's spelling."""

from __future__ import annotations

from functools import lru_cache

from recollect.store.dialect import spell

_FUNCTIONS = {
    "KEYS": "carray",
    "EACH_KEY": "carray",
    "EACH_ITEM": "json_each",
    "JSON_AT": "json_extract",
    "JSON_TYPE": "json_type",
    "JSON_PUT": "json_set",
    "JSON_DROP": "json_remove",
    "JSON_OF": "json_object",
    "JSON_LIST": "json_group_array",
    "FOLDED": "casefold",  # ours: `store.sqlite.connection` gives it to every connection
    "PLACE_IN": "instr",
}


@lru_cache(maxsize=4096)
def spelled(sql: str) -> str:
    """The statement as SQLite reads it. Statements are few and used often, so each is spelled once."""
    return spell(sql, _FUNCTIONS, lambda name: f"INDEXED BY {name}")
