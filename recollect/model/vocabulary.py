"""Words of one's own, and the fields that texts can be filtered by through them.

A line names a field and what may stand in it: `component: billing, ingest, k8s = Kubernetes`. Of `k8s = Kubernetes` the
first is how it is written and the second how it is kept. A field without words can only be filled by a language model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

FIELDS_MAX, TERMS_MAX, TERM_CHARS_MAX, VALUES_MAX = 20, 2_000, 100, 32
ALSO_OURS = ("people", "technologies", "topics")  # fields that `add` fills as well: what is found is added to them
_TAKEN = frozenset(
    "file_paths urls emails versions dates language code_language sentiment summary key_fact tag tokens".split()
)
_FIELD = re.compile(r"[a-z][a-z0-9_]{0,39}")
_LINE = re.compile(r"[;\n]")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Fields by name, each with its values by how they are written, in small letters."""

    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    pattern: re.Pattern[str] | None = None  # any of the words

    def found_in(self, text: str) -> dict[str, tuple[str, ...]]:
        """What of it stands in a text as whole words, in the order of the text, by field."""
        if self.pattern is None:
            return {}
        said = list(dict.fromkeys(match[0].casefold() for match in self.pattern.finditer(text)))
        found = {
            name: dict.fromkeys(terms[each] for each in said if each in terms) for name, terms in self.fields.items()
        }
        return {name: tuple(values)[:VALUES_MAX] for name, values in found.items() if values}


EMPTY = Vocabulary()


@lru_cache(maxsize=16)
def vocabulary_of(text: str) -> Vocabulary:
    """The vocabulary that a setting spells out; `ValueError` says what is wrong with it."""
    fields: dict[str, dict[str, str]] = {}
    for line in filter(None, (part.strip() for part in _LINE.split(text))):
        name, colon, listed = (part.strip() for part in line.partition(":"))
        if not colon or _FIELD.fullmatch(name) is None or name in _TAKEN:
            raise ValueError("each line names a field in small letters that is not taken, then a colon, then its words")
        terms = fields.setdefault(name, {})
        for entry in filter(None, (part.strip() for part in listed.split(","))):
            written, _, kept = (part.strip() for part in entry.partition("="))
            if not written or len(entry) > TERM_CHARS_MAX:
                raise ValueError(f"a word has 1 to {TERM_CHARS_MAX} characters, `written` or `written = kept`")
            terms[written.casefold()] = kept or written
            terms.setdefault((kept or written).casefold(), kept or written)
    words = sorted({word for terms in fields.values() for word in terms}, key=lambda word: (-len(word), word))
    if len(fields) > FIELDS_MAX or len(words) > TERMS_MAX:
        raise ValueError(f"at most {FIELDS_MAX} fields and {TERMS_MAX} words")
    spelt = "|".join(map(re.escape, words))
    return Vocabulary(fields, re.compile(rf"(?<!\w)(?:{spelt})(?!\w)", re.IGNORECASE) if words else None)
