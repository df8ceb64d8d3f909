"""Counting tokens, and cutting texts to a number of them: the one place that says how long a text is for a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from threading import Lock
from typing import Any

from recollect.config.window import ContextSettings, ModelsSettings
from recollect.model.capabilities import ESTIMATED
from recollect.providers.capabilities import capabilities
from recollect.providers.tokens_encodings import BYTE_LEVEL, DEFAULT, NORMALISED, encoding
from recollect.providers.tokens_messages import IMAGE_TOKENS, frame_of, words_of
from recollect.providers.tokens_ratios import RATIOS, scaled

COUNTS_KEPT = 16_384  # of texts that were counted before; the same memories are packed again and again
HEAD_CHARS_MIN = 8192
CHARS_PER_TOKEN = 8  # what a cut looks at first; code and prose have three to five


class Counter:
    """Counts as one tokenizer does. Safe to share between threads; counts of earlier texts are kept, the texts are not.

    `exact` says whether the vocabulary is that of the model. If not, counts are ratios, and lean to the high side.
    """

    def __init__(self, tokenizer: str) -> None:
        self.tokenizer = tokenizer
        self.exact = tokenizer in BYTE_LEVEL or tokenizer in NORMALISED
        self._ratios = None if self.exact else RATIOS.get(tokenizer, RATIOS[ESTIMATED])
        self._encoding = tokenizer if self.exact else DEFAULT
        self._kept: dict[tuple[int, int], int] = {}
        self._keeping = Lock()

    def count(self, text: str) -> int:
        """Tokens of a text; 0 only for an empty one."""
        key = (len(text), hash(text))
        found = self._kept.get(key)
        return self._counted(key, text) if found is None else found

    def count_many(self, texts: Iterable[str]) -> list[int]:
        """Tokens of each text, in order."""
        return [self.count(text) for text in texts]

    def count_messages(self, messages: Sequence[Mapping[str, Any]]) -> int:
        """Tokens of a conversation with all that a provider puts around its messages; 0 for none."""
        texts, pictures = words_of(messages)
        frame = frame_of(self.tokenizer)
        around = frame.message * len(messages) + frame.conversation if messages else 0
        return sum(self.count_many(texts)) + pictures * IMAGE_TOKENS + around

    def cut(self, text: str, tokens: int) -> str:
        """The beginning of a text, whole characters and never more than that many tokens; the text if it fits.

        It ends between tokens, close to the limit.
        """
        if tokens <= 0:
            return ""
        head, ids, size = self._head(text, tokens)
        if len(head) == len(text) and size <= tokens:
            return text
        fitting = len(ids) * tokens // size
        while fitting > 0:
            beginning = text[: encoding(self._piecewise).chars(ids[:fitting])]
            excess = self._raw(beginning) - tokens
            if excess <= 0:
                return beginning
            fitting -= max(1, excess * len(ids) // size)
        return ""

    @property
    def _piecewise(self) -> str:
        """The vocabulary whose seams a cut follows: our own, if its tokens are pieces of the text."""
        return self._encoding if self._encoding in BYTE_LEVEL else DEFAULT

    def _head(self, text: str, tokens: int) -> tuple[str, list[int], int]:
        """So much of a text that the cut lies inside it, its pieces and its size: nobody encodes a book for a page."""
        chars = max(HEAD_CHARS_MIN, tokens * CHARS_PER_TOKEN)
        while True:
            head = text[:chars]
            ids = encoding(self._piecewise).ids(head)
            size = len(ids) if self.tokenizer == self._piecewise else self._raw(head)
            if len(head) == len(text) or size > tokens:
                return head, ids, size
            chars *= 2

    def _counted(self, key: tuple[int, int], text: str) -> int:
        tokens = self._raw(text)
        with self._keeping:
            if len(self._kept) >= COUNTS_KEPT:
                for old in list(islice(self._kept, COUNTS_KEPT // 4)):
                    del self._kept[old]
            self._kept[key] = tokens
        return tokens

    def _raw(self, text: str) -> int:
        tokens = encoding(self._encoding).count(text)
        return tokens if self._ratios is None else scaled(text, tokens, self._ratios)


def counter_for(
    model: str | None, *, models: ModelsSettings | None = None, context: ContextSettings | None = None
) -> Counter:
    """The counter of a model, by any of its names; one that leans to the high side for a model nobody knows."""
    return _counter(capabilities(model, models=models, context=context).tokenizer)


@cache
def _counter(tokenizer: str) -> Counter:
    return Counter(tokenizer)
