"""The tokens of a plain word, read from the tokenizer's file without the library that can do it for any text.

To load that library and have it read the file takes 55 ms, and a process that asks one question and ends needs a
handful of words. This takes 15 ms, and is for the one file whose checksum it knows.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from zlib import crc32

_FILE_CRC = 0x3FAF5800  # of wordllama's l2_supercat tokenizer
_VOCABULARY, _MERGES, _END = b'"vocab": {', b'"merges": [\n      "', b'"\n    ]\n'
_BETWEEN = b'",\n      "'
_BEGIN_OF_WORD = "▁".encode()


class Spelling:
    """Byte-pair encoding by the vocabulary and the merges of one file."""

    def __init__(self, data: bytes) -> None:
        merges = data.index(_MERGES)
        self._vocabulary = data[data.index(_VOCABULARY) : merges]
        pairs = data[merges + len(_MERGES) : data.rindex(_END)].split(_BETWEEN)
        self._order = dict(zip(pairs, range(len(pairs)), strict=True))

    def ids(self, word: str) -> tuple[int, ...]:
        """What `WordLlamaEmbedder.token_ids` gives for a word that is `plain`."""
        pieces = [_BEGIN_OF_WORD, *(letter.encode() for letter in word)]
        never = len(self._order)
        while len(pieces) > 1:
            order = [self._order.get(b"%b %b" % pair, never) for pair in pairwise(pieces)]
            first = min(order)
            if first == never:
                break
            at = order.index(first)
            pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
        return tuple(map(self._id, pieces))

    def _id(self, piece: bytes) -> int:
        key = b'\n      "%b": ' % piece
        begin = self._vocabulary.index(key) + len(key)
        return int(self._vocabulary[begin : begin + 6].split(b",")[0])


def plain(word: str) -> bool:
    """Whether a word is made of letters and digits that each have a token of their own."""
    return word.isascii() and word.isalnum()


def read_spelling(path: Path) -> Spelling | None:
    """The spelling in a tokenizer's file; None for a file that is not the one known here."""
    try:
        data = path.read_bytes()
    except OSError:  # the library says what is wrong with it
        return None
    return Spelling(data) if crc32(data) == _FILE_CRC else None
