"""About how many tokens a text is, with nothing loaded: for upkeep and perception. Budgets ask `providers.tokens`."""

from __future__ import annotations

import re
from math import ceil

# Fitted to the tokenizer inside the wordllama wheel; 5 % off per text on chat and Markdown, 7 % on code. Against the
# larger vocabularies of today (o200k) it is 14 % too high on English prose, 25 % on code, 14 % too low on other
# languages in Latin letters. No fit without a vocabulary came below 3 to 16 %, so it stays as simple as it is.
_PER_WORD, _PER_CHAR, _PER_MARK = 0.45, 0.13, 0.98
_MARK = re.compile(r"[^\w\s]|[_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")  # … or an ideograph


_ASCII_MARKS = bytes(code for code in range(128) if _MARK.match(chr(code)))
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


def estimate_tokens(text: str) -> int:
    """About as many tokens as common tokenizers make of a text; 0 only for an empty one."""
    return ceil(_PER_WORD * len(text.split()) + _PER_CHAR * len(text) + _PER_MARK * _marks_in(text))


def _marks_in(text: str) -> int:
    """How many marks: in ASCII as many as are gone when they are taken out, which is quicker than to find each."""
    plain = text.encode("ascii", "ignore")
    marks = len(plain) - len(plain.translate(None, _ASCII_MARKS))
    if len(plain) < len(text):
        marks += len(_MARK.findall("".join(_BEYOND_ASCII.findall(text))))
    return marks
