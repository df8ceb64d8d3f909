"""What a word is, once for all who look for words in a text.

- `WORD`: letters and digits, joined inside by apostrophes and hyphens: "don't", "well-known", "3rd". For whoever asks
  which words a text has.
- `LETTERS`: letters alone, joined inside by apostrophes: "don't", but "well" and "known". For grammar, where a number
  is no word and the halves of a compound are looked up.
- `PLAIN`: runs of letters and digits and nothing else: "don", "t". For phrases that are looked up word by word, written
  without apostrophes.

Terms of the text indexes are another thing: they keep identifiers, paths and versions whole (`language.terms`).
"""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
PLAIN = re.compile(r"[^\W_]+")


def words_in(text: str) -> list[str]:
    """The words of a text in small letters."""
    return WORD.findall(text.lower())
