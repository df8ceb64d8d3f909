"""Texts as the tokens of one published vocabulary, through splintr: its wheel carries them, nothing is fetched.

Vocabularies load on first use (10 to 120 ms, 1 to 30 MB). Whatever looks like a special token is text here, as it is
for a provider that is sent a message.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from splintr import AnyTokenizer

DEFAULT = "o200k_base"
# Those that work on bytes give the beginning of a text back, byte for byte; the others normalise it first.
BYTE_LEVEL = frozenset("o200k_base cl100k_base llama3 qwen3 deepseek_v3 mistral_v3 kimi_k2 kimi_k3 glm4 phi4".split())
NORMALISED = frozenset("gemma2 gemma3 gemma4 llama2 codellama mistral_v1 mistral_v2".split())

PORTION_CHARS = 1 << 18  # a single word of ten million letters takes seconds and gigabytes in one piece
SEAM_WITHIN_CHARS = 2000
_LONE = re.compile("[\ud800-\udfff]")  # half a character; no UTF-8 has it
_SEAM = re.compile(r"(?<=[^\W\d_])[ \n](?=[^\W\d_])")  # between two words: no token of any vocabulary crosses it


class Encoding:
    """One vocabulary. `count` is exact but for a single word of more than 262,144 characters."""

    def __init__(self, name: str) -> None:
        from splintr import Tokenizer

        self.name = name
        self._tokenizer: AnyTokenizer = Tokenizer.from_pretrained(name)

    def count(self, text: str) -> int:
        if len(text) <= PORTION_CHARS:
            return len(self.ids(text))
        counted: dict[str, int] = {}  # what repeats itself for megabytes is counted once
        total = 0
        for portion in _portions(text):
            if portion not in counted:
                counted[portion] = len(self.ids(portion))
            total += counted[portion]
        return total

    def ids(self, text: str) -> list[int]:
        try:
            return self._tokenizer.encode_ordinary(text)
        except UnicodeEncodeError:
            return self._tokenizer.encode_ordinary(_LONE.sub("\ufffd", text))

    def chars(self, ids: list[int]) -> int:
        """How many whole characters these first tokens of a text stand for. Byte-level vocabularies only."""
        return len(self._tokenizer.decode_bytes(ids).decode("utf-8", "ignore"))


@cache
def encoding(name: str) -> Encoding:
    """The vocabulary of that name, loaded once."""
    return Encoding(name)


def _portions(text: str) -> list[str]:
    """The text in pieces that end between two words, where there is such a place."""
    pieces, start = [], 0
    while len(text) - start > PORTION_CHARS:
        end = start + PORTION_CHARS
        seams = [found.start() for found in _SEAM.finditer(text, end - SEAM_WITHIN_CHARS, end)]
        end = seams[-1] if seams else end
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]]
