"""The static embedder: WordLlama's table of token vectors, read without WordLlama's code (docs/adr/0004).

A text's vector is the sum of its tokens' vectors, scaled to length 1. Every token has the same weight;
weighing words by how rare they are is for the searcher, who knows the corpus (`word_vectors`).

The tokens of a plain word are read from the tokenizer's file without the library that can do it for any text. To load
that library and have it read the file takes 55 ms, and a process that asks one question and ends needs a handful of
words. `Spelling` takes 15 ms, and is for the one file whose checksum it knows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import pairwise
from mmap import mmap
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np

from recollect.errors import MissingExtra, ProviderError, UsageError
from recollect.providers.base import Vectors
from recollect.providers.embedders._vectors import scale_to_unit, utf8_prefix

if TYPE_CHECKING:
    from tokenizers import Encoding

MODEL = "l2_supercat_256"
DIMENSIONS = 256
TOKENS_PER_TEXT_MAX = 4_096  # some 16 kB of prose, and 4 MB of rows while pooling; the mean hardly moves later
TOKEN_CHARS_MAX = 16  # the longest token of this vocabulary: a longer text has more tokens than we read
HEADER_BYTES_MAX = 1 << 20
WORD_CHARS_MAX = 32  # what is longer is a text, and seldom comes again
SPELLED_MAX = 64  # words of a process before it loads the library, which then takes a tenth of the time for each
TELLING_LENGTH = 20.0  # of the vector of a word that is neither common nor rare: "dentist", "plumber"
RARITY_MAX = 2.0  # names and words of other languages come in many tokens, and their vectors are longer still

_TOKENIZER_FILE = "tokenizers/l2_supercat_tokenizer_config.json"
_WEIGHTS_FILE = f"weights/{MODEL}.safetensors"
_TENSOR = "embedding.weight"
Halves = np.ndarray[tuple[int, ...], np.dtype[np.float16]]
_ONES = np.ones(TOKENS_PER_TEXT_MAX, dtype=np.float32)
_FILE_CRC = 0x3FAF5800  # of wordllama's l2_supercat tokenizer
_VOCABULARY, _MERGES, _END = b'"vocab": {', b'"merges": [\n      "', b'"\n    ]\n'
_BETWEEN = b'",\n      "'
_BEGIN_OF_WORD = "▁".encode()


class WordLlamaEmbedder:
    """256 dimensions, some 30 µs a text, no download and no server.

    Building one costs nothing: the files are read at the first text, once per process. Reads at most
    `TOKENS_PER_TEXT_MAX` tokens of a text. Safe for use by many threads, and in processes forked at any time.
    """

    inline = True
    dimensions = DIMENSIONS
    name = f"wordllama:{MODEL}"

    def __init__(self, model: str = "", *, dimensions: int = DIMENSIONS) -> None:
        if model not in ("", MODEL):
            raise UsageError(f"wordllama comes with one model, {MODEL!r}, not {model!r}")
        if dimensions != DIMENSIONS:
            raise UsageError(f"wordllama:{MODEL} has {DIMENSIONS} dimensions, not {dimensions}")

    def __repr__(self) -> str:
        return "WordLlamaEmbedder()"

    def embed(self, texts: Sequence[str]) -> Vectors:
        return scale_to_unit(self._sums([self.token_ids(text) for text in texts]))

    def word_vectors(self, words: Sequence[str]) -> Vectors:
        """One row per word (or text): the sum of its tokens' vectors, not scaled.

        Long vectors belong to telling words, short ones to filler, so a weighted sum of these rows, scaled to
        length 1, lives in the same space as what `embed` returns.
        """
        return self._sums(
            [_ids_of_word(word) if len(word) <= WORD_CHARS_MAX else self.token_ids(word) for word in words]
        )

    def rarity(self, words: Sequence[str]) -> Vectors:
        """How rare each word is in the language at large, 1 for a word that is neither common nor rare.

        The model learned it from its own corpus: "called" has 0.1, "sister" 0.8, "quark" 1.3.
        """
        rows = self.word_vectors(words)
        rarity: Vectors = np.einsum("ij,ij->i", rows, rows) / np.float32(TELLING_LENGTH**2)
        return rarity.clip(max=RARITY_MAX)

    def _sums(self, of_texts: Sequence[Sequence[int]]) -> Vectors:
        take = _table().take
        rows = np.zeros((len(of_texts), DIMENSIONS), dtype=np.float32)
        for row, ids in zip(rows, of_texts, strict=True):
            if ids:
                # A product with ones sums in BLAS: 4 µs a text; `sum(axis=0)` takes 5, one big reduceat 14.
                np.dot(_ONES[: len(ids)], take(ids), out=row)
        return rows

    def token_ids(self, text: str) -> list[int]:
        """The rows of the table a text is made of, in order, at most `TOKENS_PER_TEXT_MAX`."""
        encode = _load().encode
        text = text[: TOKENS_PER_TEXT_MAX * TOKEN_CHARS_MAX]
        # One text a call, on purpose. Larger batches run on the tokenizer's own threads, which do not survive
        # a fork: the child waits for them forever. A batch of one stays on this thread and is as fast, and
        # TOKENIZERS_PARALLELISM remains the host program's to set.
        try:
            (encoding,) = encode([text], add_special_tokens=False)
        except TypeError:  # a lone surrogate
            (encoding,) = encode([utf8_prefix(text, len(text) * 4)], add_special_tokens=False)
        ids: list[int] = encoding.ids
        return ids[:TOKENS_PER_TEXT_MAX]


@lru_cache(maxsize=1 << 12)  # questions repeat their words; what a word is made of never changes
def _ids_of_word(word: str) -> tuple[int, ...]:
    few = _ids_of_word.cache_info().misses <= SPELLED_MAX and not _load.cache_info().currsize
    if few and plain(word) and (spelling := _spelling()) is not None:
        return spelling.ids(word)
    return tuple(WordLlamaEmbedder().token_ids(word))


class VectorTable:
    """One row per token id, read from half precision as they are needed.

    A program meets a small part of the vocabulary, and the rest takes no memory: the file is mapped, and what holds the
    rows is backed by nothing until it is written. Widening them at each use would cost 6 µs a text, this costs 2.
    """

    def __init__(self, halves: Halves) -> None:
        self._halves = halves
        # Not `np.zeros`: numpy asks for huge pages, and a few rows here and there would take all of it.
        self._rows: Vectors = np.frombuffer(mmap(-1, 4 * halves.size), dtype=np.float32).reshape(halves.shape)
        self._read = np.zeros(len(halves), dtype=bool)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._rows.shape

    def take(self, ids: Sequence[int]) -> Vectors:
        """The rows of these tokens. Threads that race for a row write the same into it."""
        wanted = np.array(ids)
        if not self._read.take(wanted).all():
            self._rows[wanted] = self._halves[wanted]
            self._read[wanted] = True
        return self._rows.take(wanted, axis=0)


class _Model(NamedTuple):
    encode: Callable[..., list[Encoding]]
    table: VectorTable


# Not behind a lock: threads that race for the first text both load and one copy is dropped, whereas a lock
# that another thread holds during a fork stays locked in the child.
@cache
def _load() -> _Model:
    from tokenizers import Tokenizer

    folder = _package_folder()
    try:
        tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER_FILE))
    except Exception as exc:  # tokenizers raises bare Exception for a file it cannot read
        raise _unreadable(exc) from exc
    table = _table()
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if table.shape != (tokenizer.get_vocab_size(), DIMENSIONS):
        raise ProviderError(f"wordllama's weights have shape {table.shape}, which does not fit its tokenizer")
    _spelling.cache_clear()  # one of the two is enough
    # The fast variant, since tokenizers 0.20, leaves out the offsets nobody here asks for.
    return _Model(getattr(tokenizer, "encode_batch_fast", tokenizer.encode_batch), table)


@cache
def _table() -> VectorTable:
    try:
        return read_table(_package_folder() / _WEIGHTS_FILE)
    except ProviderError:
        raise
    except Exception as exc:
        raise _unreadable(exc) from exc


@cache
def _spelling() -> Spelling | None:
    """For questions that come before the first text."""
    return read_spelling(_package_folder() / _TOKENIZER_FILE)


def _unreadable(error: Exception) -> ProviderError:
    return ProviderError(f"wordllama's files cannot be read, reinstall it: {error}")


def _package_folder() -> Path:
    """Where the wheel put its files. Importing it takes 130 ms and configures the root logger."""
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise MissingExtra("the default embedder needs: pip install 'wordllama'")
    return Path(spec.origin).parent


def read_table(path: Path) -> VectorTable:
    """The table in a safetensors file: 8 bytes of header length, a JSON header, then little-endian halves."""
    with path.open("rb") as file:
        header_bytes = int.from_bytes(file.read(8), "little")
        if header_bytes > HEADER_BYTES_MAX:
            raise ProviderError(f"{path.name} is not a safetensors file")
        entry = json.loads(file.read(header_bytes))[_TENSOR]
    if entry["dtype"] != "F16" or len(entry["shape"]) != 2:
        raise ProviderError(f"{path.name} holds {entry['dtype']} {entry['shape']}, expected a table of F16")
    start = 8 + header_bytes + entry["data_offsets"][0]
    return VectorTable(np.memmap(path, dtype="<f2", mode="r", offset=start, shape=tuple(entry["shape"])))


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
