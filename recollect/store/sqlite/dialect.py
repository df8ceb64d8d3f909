"""The store's own words in SQLite's spelling."""

from __future__ import annotations

from functools import lru_cache

from recollect.store.dialect import spell

_SPELLING = {"KEYS": "carray", "EACH_KEY": "carray", "EACH_ITEM": "json_each"}


@lru_cache(maxsize=4096)
def spelled(sql: str) -> str:
    """The statement as SQLite reads it. Statements are few and used often, so each is spelled once."""
    return spell(sql, _SPELLING)
