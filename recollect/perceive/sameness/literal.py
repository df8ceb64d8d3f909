"""What must be the same to the letter for two texts to say the same: values, names, options, layout.

`perceive.sameness` brings wording to one form and does not mind case or a mark at the end. For most words that is so;
for "hunter2!", "WHO", "-F" or a line of code it is not.
"""

from __future__ import annotations

import re
from collections import Counter

_SENTENCE_END = ".!?…"
_AROUND = "\"'“”‘’()[],;:"
_CONTRACTION = re.compile(r"[A-Za-z]+['’][A-Za-z]+")
_INDENTED = re.compile(r"\n[ \t]+\S")


def alike_to_the_letter(one: str, other: str) -> bool:
    """Whether two texts that say the same in other wording also hold the same values and names, as they are written."""
    if one == other:
        return True
    if _INDENTED.search(one) or _INDENTED.search(other):
        return False
    first, second = _marked(one), _marked(other)
    return not (first[0] - second[0] - second[1]) and not (second[0] - first[0] - first[1])


def _marked(text: str) -> tuple[Counter[str], Counter[str]]:
    """Words that mean what they are to the letter, and those with a capital only because they begin a sentence."""
    marked: Counter[str] = Counter()
    begins: Counter[str] = Counter()
    beginning = True
    for raw in text.split():
        word = raw.strip(_AROUND)
        bare = word.rstrip(_SENTENCE_END)
        if bare.isalpha() or _CONTRACTION.fullmatch(bare):
            if bare[1:] != bare[1:].lower():
                marked[bare] += 1
            elif bare[:1].isupper() and bare.split("'")[0].split("’")[0] != "I":
                (begins if beginning else marked)[bare] += 1
        elif word:
            marked[word.rstrip(".?…")] += 1  # an exclamation mark may belong to it: "hunter2!"
        beginning = raw[-1] in _SENTENCE_END
    return marked, begins
