"""The store's own words in PostgreSQL's spelling."""

from __future__ import annotations

import re
from functools import lru_cache

from recollect.store.dialect import DialectSpelling, spell

# Where no function of PostgreSQL's own fits, the schema makes one (`migrations/`).
_SPELLING = DialectSpelling(
    functions={
        "KEYS": "each_key",
        "EACH_KEY": "each_key",
        "EACH_ITEM": "each_item",
        "EACH_VALUE": "each_value",
        "JSON_TEXT": "json_text",
        "JSON_INT": "json_int",
        "JSON_NUMBER": "json_number",
        "JSON_PART": "json_part",
        "JSON_TYPE": "json_type",
        "JSON_AT": "json_at",
        "JSON_VALUE": "to_jsonb",
        "JSON_PUT": "json_put",
        "AS_JSON": "as_json",
        "JSON_DROP": "json_drop",
        "JSON_OF": "json_of",
        "JSON_LIST": "json_list",
        "FOLDED": "folded",
        "ASCII_LOWER": "ascii_lower",
        "PLACE_IN": "strpos",
        "LARGER": "larger",
        "SMALLER": "smaller",
    },
    by_index="",
    order="ORDER BY {}",
    nocase="ascii_lower({})",
    held="FOR UPDATE",
    unheld="FOR UPDATE SKIP LOCKED",
)
_KEYS = re.compile(r"\b(NOT )?IN KEYS\((\?\d*)\)")
# With a condition: the planner finds the order.
_CROSS = re.compile(r"\bCROSS JOIN (?=\w+(?:\([^()]*\))?(?: \w+)? (?:BY_INDEX\(\w+\) )?ON\b)")
_PARAMETER = re.compile(r"('(?:[^']|'')*')|\?(\d*)")


@lru_cache(maxsize=4096)
def spelled(sql: str) -> str:
    """The statement as PostgreSQL reads it. Statements are few and used often, so each is spelled once."""
    sql = _KEYS.sub(lambda found: f"{'<> ALL' if found[1] else '= ANY'} ({found[2]})", sql)
    return _numbered(spell(_CROSS.sub("JOIN ", sql), _SPELLING))


def _numbered(sql: str) -> str:
    """`?` as `$1`, `$2` …, outside of texts. One without a number follows the largest so far, as SQLite has it."""
    last = 0

    def number(found: re.Match[str]) -> str:
        nonlocal last
        if found[1] is not None:
            return found[1]
        own = int(found[2]) if found[2] else last + 1
        last = max(last, own)
        return f"${own}"

    return _PARAMETER.sub(number, sql)
