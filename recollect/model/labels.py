"""What a record is filed under, besides its text: its tags, its category and the words of its metadata.

Whoever files something under "groceries" looks for it there, so these words are searched like the last words of the
text. Numbers and keys are not: an id or a page that somebody kept beside a record is no word that it is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from recollect.model.record import DEFAULT_CATEGORY

LABEL_CHARS_MAX = 64  # a longer value of metadata is a text of its own
LABEL_TERMS_MAX = 32
_SHORTEST = 3
_PLAIN = frozenset({*DEFAULT_CATEGORY.values(), "turn"})  # what is filed under nothing in particular


def label_terms(category: str | None, tags: Any, metadata: Any) -> list[str]:
    """The terms of a row's labels, each once; `tags` and `metadata` are JSON, as the row holds them, or its values."""
    if tags is None and metadata is None and (category is None or category in _PLAIN):
        return []
    from recollect.language.terms import telling, terms_of  # with stemmers and lists, which no reader needs

    labels = [] if category is None or category in _PLAIN else [category.replace("_", " ")]
    labels += _read(tags) if tags else ()
    terms = [term for label in labels for term in telling(terms_of(label))]
    if metadata:
        terms += _words(_texts(_read(metadata)))
    return list(dict.fromkeys(terms))[:LABEL_TERMS_MAX]


def _read(value: Any) -> Any:
    return orjson.loads(value) if isinstance(value, str | bytes) else value


def _texts(value: Any) -> Iterator[str]:
    """Short texts in a piece of metadata, however deep."""
    if isinstance(value, str):
        if len(value) <= LABEL_CHARS_MAX:
            yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _words(texts: Iterable[str]) -> Iterator[str]:
    """Terms that are words, not numbers or codes."""
    from recollect.language.terms import telling, terms_of

    for text in texts:
        for term in telling(terms_of(text)):
            if len(term) >= (_SHORTEST if term.isascii() else 1) and not any(map(str.isdecimal, term)):
                yield term
