"""What a word is, once for all modules that look for words in a text.

Seven patterns, because seven things are meant; a module takes the one whose meaning it needs:

- `WORD`: letters and digits, joined inside by apostrophes and hyphens: "don't", "well-known", "3rd". Which words a text
  has.
- `SPOKEN`: the same, but a hyphen parts words: "well", "known". For words that are looked up as terms, where the halves
  of a compound are terms of their own.
- `LETTERS`: letters alone, joined by apostrophes. For grammar, where a number is no word.
- `PLAIN`: letters and digits and nothing else: "don", "t". For phrases that are listed without apostrophes.
- `JOINED`: as `WORD`, and joined by full stops, colons and slashes too: "3:30", "1.5", "and/or". For comparing two
  texts, where a figure must stay whole.
- `WRITTEN`: everything that is written without a blank and begins and ends with a letter or a digit: "C++20",
  "src/app.py". For showing words again as they were written.
- `RUN`: letters, digits and underscores, nothing else. For texts of any sort, code included, that are compared word by
  word.

Terms of the text indexes are another thing: they keep identifiers, paths and versions whole *and* in parts
(`language.terms`).
"""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
SPOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
PLAIN = re.compile(r"[^\W_]+")
JOINED = re.compile(r"[^\W_]+(?:['’.:/\-][^\W_]+)*")
WRITTEN = re.compile(r"[^\W_](?:[\w'’+#./:@-]*\w)?")
RUN = re.compile(r"\w+")


def words_in(text: str) -> list[str]:
    """The words of a text in small letters."""
    return WORD.findall(text.lower())
