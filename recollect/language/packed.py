"""The sentences of a text as an encoder reads them: none too short to say anything, none about several things.

The best sentence of a turn tells better than the whole turn whether it answers a question.
"""

from __future__ import annotations

from itertools import pairwise

from recollect.language.spoken import each_sentence

WORDS_MIN, WORDS_MAX = 4, 50
SENTENCES_MAX = 12  # of a record; in a longer text each part holds more


def packed_sentences(text: str) -> list[str]:
    """The parts of a text, in order, each of whole sentences where that fits; none for a text that is one part."""
    pieces = [piece for sentence in each_sentence(text) for piece in _pieces(sentence.text)]
    words = [len(piece.split()) for piece in pieces]
    least = max(WORDS_MIN, -(-sum(words) // SENTENCES_MAX))
    parts: list[str] = []
    open_words = 0  # of the last part, while it takes more; 0 when it is full
    for piece, count in zip(pieces, words, strict=True):
        if open_words:
            parts[-1] += " " + piece
        else:
            parts.append(piece)
        open_words = 0 if open_words + count >= least else open_words + count
    if open_words and len(parts) > 1:  # a short end belongs to what it follows
        end = parts.pop()
        parts[-1] += " " + end
    return parts if len(parts) > 1 else []


def _pieces(sentence: str) -> list[str]:
    """A sentence, or one that is too long in pieces of equal length."""
    words = sentence.split()
    count = -(-len(words) // WORDS_MAX)
    cuts = [len(words) * part // count for part in range(count + 1)] if count else []
    return [" ".join(words[start:end]) for start, end in pairwise(cuts)]
