"""Counting tokens, and cutting texts to a number of them: the one place that says how long a text is for a model.

Published vocabularies are counted through splintr: its wheel carries them, nothing is fetched, and each loads on first
use (10 to 120 ms, 1 to 30 MB). Whatever looks like a special token is text here, as it is for a provider that is sent a
message. For a model whose vocabulary is not published, o200k's count is multiplied by a ratio by script: vocabularies
of one generation cut English much alike and differ in how well they know other scripts and code. Messages cost their
words, and what the template of a chat puts around them.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from math import ceil
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from recollect.config.window import ContextSettings, ModelsSettings
from recollect.model.capabilities import ESTIMATED
from recollect.model.messages import IMAGE_TYPES
from recollect.providers.capabilities import capabilities

if TYPE_CHECKING:
    from splintr import AnyTokenizer

COUNTS_KEPT = 16_384  # of texts that were counted before; the same memories are packed again and again
HEAD_CHARS_MIN = 8192
CHARS_PER_TOKEN = 8  # what a cut looks at first; code and prose have three to five
DEFAULT = "o200k_base"
# Those that work on bytes give the beginning of a text back, byte for byte; the others normalise it first.
BYTE_LEVEL = frozenset("o200k_base cl100k_base llama3 qwen3 deepseek_v3 mistral_v3 kimi_k2 kimi_k3 glm4 phi4".split())
NORMALISED = frozenset("gemma2 gemma3 gemma4 llama2 codellama mistral_v1 mistral_v2".split())

PORTION_CHARS = 1 << 18  # a single word of ten million letters takes seconds and gigabytes in one piece
SEAM_WITHIN_CHARS = 2000
_LONE = re.compile("[\ud800-\udfff]")  # half a character; no UTF-8 has it
_SEAM = re.compile(r"(?<=[^\W\d_])[ \n](?=[^\W\d_])")  # between two words: no token of any vocabulary crosses it
# Ranges of Unicode: first character, script. Marks of ASCII stand apart, they tell code from prose.
_RANGES = (
    (0x0000, "latin"),
    (0x0080, "accented"),
    (0x0370, "greek"),
    (0x0400, "cyrillic"),
    (0x0530, "caucasian"),
    (0x0590, "semitic"),
    (0x0900, "indic"),
    (0x0E00, "southeast"),
    (0x10A0, "caucasian"),
    (0x1100, "hangul"),
    (0x1200, "other"),
    (0x1780, "southeast"),
    (0x1800, "other"),
    (0x1E00, "accented"),
    (0x1F00, "greek"),
    (0x2000, "other"),
    (0x3040, "kana"),
    (0x3100, "other"),
    (0x3400, "han"),
    (0xA000, "other"),
    (0xAC00, "hangul"),
    (0xD7B0, "other"),
    (0xF900, "han"),
    (0xFB00, "other"),
    (0x20000, "han"),
    (0x30000, "other"),
)
IMAGE_TOKENS = 1600  # about the most a provider takes for a picture of ordinary size


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


class Ratios(NamedTuple):
    """Tokens for each token of o200k, by script."""

    latin: float
    marks: float
    accented: float
    greek: float
    cyrillic: float
    caucasian: float
    semitic: float
    indic: float
    southeast: float
    hangul: float
    kana: float
    han: float
    other: float


# Claude 3 to 4.6: by script as the last tokenizer that was published (Claude 2, measured on manuals and messages in
# 29 languages), English and code raised to what others report of the API: 20 % and 30 % above o200k. From 4.7 on the
# same text takes up to 35 % more (Anthropic); we expect the most. A model nobody knows: above the mean of the published
# families, which is 10 % too high for most of them on English and code, and up to 20 % too low for a few elsewhere.
RATIOS = {
    "claude": Ratios(1.20, 1.70, 5.0, 3.6, 1.9, 4.1, 3.1, 4.3, 4.6, 2.0, 1.5, 1.3, 1.2),
    "claude-4.7": Ratios(1.62, 2.30, 5.0, 3.6, 2.0, 4.1, 3.1, 4.3, 4.6, 2.0, 1.6, 1.5, 1.6),
    ESTIMATED: Ratios(1.10, 1.20, 1.5, 1.9, 1.25, 4.3, 1.6, 2.7, 1.4, 1.15, 1.05, 1.15, 1.1),
}


def scaled(text: str, tokens: int, ratios: Ratios) -> int:
    """The count of o200k as that of another vocabulary; at least one for a text that is not empty."""
    if not text:
        return 0
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    by_script = np.bincount(_scripts()[codes], minlength=len(ratios))
    return max(1, ceil(tokens * float(by_script @ np.array(ratios)) / len(codes)))


@cache
def _scripts() -> NDArray[np.uint8]:
    """The script of every character, as its place in Ratios: one byte each, 1.1 MB."""
    places = {script: place for place, script in enumerate(Ratios._fields)}
    firsts = [first for first, _ in _RANGES] + [0x110000]
    table = np.repeat(np.array([places[script] for _, script in _RANGES], np.uint8), np.diff(firsts))
    table[[code for code in range(0x80) if not (chr(code).isalnum() or chr(code).isspace())]] = places["marks"]
    return table


class Frame(NamedTuple):
    """Tokens around each message, its role included, and once for the conversation and the answer it asks for."""

    message: int
    conversation: int


# OpenAI's by its own account (3, the role, 3 for the answer). Those of open models by their templates. Claude's from
# what counting a single short message adds, rounded up.
_FRAMES = {
    "o200k_base": Frame(4, 3),
    "cl100k_base": Frame(4, 3),
    "claude": Frame(4, 4),
    "claude-4.7": Frame(4, 4),
    "llama3": Frame(5, 5),
    "qwen3": Frame(5, 3),
    "phi4": Frame(5, 3),
    "glm4": Frame(3, 4),
    "gemma2": Frame(5, 4),
    "gemma3": Frame(5, 4),
    "gemma4": Frame(5, 4),
}
_WIDEST = Frame(5, 5)


def frame_of(tokenizer: str) -> Frame:
    """What surrounds the messages of models with that tokenizer; the widest there is, if nobody knows."""
    return _FRAMES.get(tokenizer, _WIDEST)


def words_of(messages: Iterable[Mapping[str, Any]]) -> tuple[list[str], int]:
    """Every text inside the messages, and how many pictures there are beside."""
    texts: list[str] = []
    pictures = 0
    for message in messages:
        for key, value in message.items():
            if key == "role" or value is None:
                continue
            for part in value if isinstance(value, list | tuple) else [value]:
                if isinstance(part, Mapping) and part.get("type") in IMAGE_TYPES:
                    pictures += 1
                else:
                    texts.append(_text(part))
    return texts, pictures


def _text(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, bytes):
        return b64encode(part).decode("ascii")
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return str(part["text"])
    return orjson.dumps(part, default=_plain, option=orjson.OPT_NON_STR_KEYS).decode("utf-8")


def _plain(value: object) -> str:
    return b64encode(value).decode("ascii") if isinstance(value, bytes) else str(value)
