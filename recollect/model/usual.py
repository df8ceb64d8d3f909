"""What is usually known of things of a sort, and how to ask for it: a field each; and fields of one's own.

A line names a sort of thing and what should be known of it: `project: budget, licence = licensed under | open source`.
After `=` stand words by which a statement tells it; the name itself always does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from recollect.model.entity import EntityType

FIELDS_MAX, WORDS_MAX, WORD_CHARS_MAX = 50, 20, 60
_NAME = re.compile(r"[^\W\d_][\w -]{0,39}")
_LINE = re.compile(r"[;\n]")


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to know. `words` are regular expressions for whole words."""

    name: str
    words: str
    question: str

    def is_in(self, said: str) -> bool:
        return re.search(rf"\b(?:{self.words})\b", said, re.IGNORECASE) is not None


def own_field(name: str, words: tuple[str, ...] = ()) -> Field:
    """A field of one's own: it has no question but the plain one."""
    spelt = "|".join(re.escape(word) for word in (name, *words))
    return Field(name, spelt, f"May I ask for the {name} of {{name}}?")


@lru_cache(maxsize=16)
def usual_of(text: str) -> Mapping[str, tuple[Field, ...]]:
    """The fields that a setting spells out, by the sort of thing; `ValueError` says what is wrong with it."""
    fields: dict[str, dict[str, Field]] = {}
    for line in filter(None, (part.strip() for part in _LINE.split(text))):
        sort, colon, listed = (part.strip() for part in line.partition(":"))
        if not colon or sort not in set(EntityType):
            raise ValueError(f"each line names one of {', '.join(EntityType)}, then a colon, then what to know of it")
        for entry in filter(None, (part.strip() for part in listed.split(","))):
            name, _, told = (part.strip() for part in entry.partition("="))
            words = tuple(filter(None, (part.strip() for part in told.split("|"))))
            if _NAME.fullmatch(name) is None or len(words) > WORDS_MAX or any(len(w) > WORD_CHARS_MAX for w in words):
                raise ValueError(
                    "a field is `name` or `name = words | other words`; its name has letters, digits, spaces and "
                    f"hyphens, 40 at most; {WORDS_MAX} words of {WORD_CHARS_MAX} characters at most stand after it"
                )
            fields.setdefault(sort, {})[name] = own_field(name, words)
    if sum(map(len, fields.values())) > FIELDS_MAX:
        raise ValueError(f"at most {FIELDS_MAX} fields")
    return {sort: tuple(own.values()) for sort, own in fields.items()}
