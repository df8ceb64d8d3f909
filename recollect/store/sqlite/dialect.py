"""The store's own words in SQLite's spelling."""

from __future__ import annotations

from functools import lru_cache

from recollect.store.dialect import DialectSpelling, spell

_SPELLING = DialectSpelling(
    functions={
        "KEYS": "carray",
        "EACH_KEY": "carray",
        "EACH_ITEM": "json_each",
        "EACH_VALUE": "json_each",
        "JSON_TEXT": "json_extract",
        "JSON_INT": "json_extract",
        "JSON_NUMBER": "json_extract",
        "JSON_PART": '"->"',
        "JSON_TYPE": "json_type",
        "JSON_AT": "json_extract",
        "JSON_VALUE": "",
        "JSON_PUT": "json_set",
        "AS_JSON": "json",
        "JSON_DROP": "json_remove",
        "JSON_OF": "json_object",
        "JSON_LIST": "json_group_array",
        "FOLDED": "casefold",  # ours: `store.sqlite.connection` gives it to every connection
        "ASCII_LOWER": "lower",
        "PLACE_IN": "instr",
        "LARGER": "max",
        "SMALLER": "min",
    },
    by_index="INDEXED BY {}",
    order="",
    nocase="{} COLLATE NOCASE",
    held="",
    unheld="",
)


@lru_cache(maxsize=4096)
def spelled(sql: str) -> str:
    """The statement as SQLite reads it. Statements are few and used often, so each is spelled once."""
    return spell(sql, _SPELLING)
