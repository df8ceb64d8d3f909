"""Of a long text the sentences that a question is about: what is shown when the whole would cost too much."""

from __future__ import annotations

import re

from recollect.language.terms import terms_of

LONG_CHARS = 360  # shorter texts are shown whole, or as they were perceived
EXTRACT_CHARS = 320
READ_CHARS_MAX = 20_000  # of a longer text the beginning is looked at
SENTENCES_MAX = 120
LEFT_OUT = " … "

_END = re.compile(r"(?<=[.!?。！？])\s+|(?<!\s)[^\S\n]*+\n\s*(?:[-*•]\s+)?")


def extract(text: str, wanted: frozenset[str]) -> str | None:
    """The sentences that hold most of the wanted terms, in their order; None where the text is short or none does."""
    if len(text) <= LONG_CHARS or not wanted:
        return None
    sentences = [part for part in _END.split(text[:READ_CHARS_MAX]) if part][:SENTENCES_MAX]
    held = [wanted.intersection(terms_of(sentence)) for sentence in sentences]
    chosen: list[int] = []
    unmet, left = set(wanted), EXTRACT_CHARS
    while unmet:
        at = max(range(len(sentences)), key=lambda at: len(held[at] & unmet) / (40 + len(sentences[at])), default=None)
        if at is None or not held[at] & unmet or (chosen and len(sentences[at]) > left):
            break
        chosen.append(at)
        unmet -= held[at]
        left -= len(sentences[at])
    return _joined(sentences, sorted(chosen)) if chosen else None


def _joined(sentences: list[str], chosen: list[int]) -> str:
    out = "" if chosen[0] == 0 else LEFT_OUT.lstrip()
    for before, at in zip([None, *chosen], chosen, strict=False):
        out += ("" if before is None else " " if at == before + 1 else LEFT_OUT) + _cut(sentences[at])
    return out if chosen[-1] == len(sentences) - 1 else out + LEFT_OUT.rstrip()


def _cut(sentence: str) -> str:
    """A sentence, or the beginning of one that is a paragraph."""
    if len(sentence) <= 2 * EXTRACT_CHARS:
        return sentence
    return sentence[: 2 * EXTRACT_CHARS].rpartition(" ")[0] + "…"
