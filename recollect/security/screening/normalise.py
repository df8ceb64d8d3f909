"""A text as a model would read it: what hides instructions from rules and from people is undone.

A model reads letters from other alphabets that look like Latin ones, text in Unicode tags that no person sees, base64,
digits for letters, words with blanks between their letters. `normalised` gives the plain text, and beside it what was
decoded, and names of the disguises that it found. It is for judging alone: what is stored stays as it came.

Everything is bounded, and linear in the length of the text. A plain text costs one look.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from recollect.language.expression import expression

CHARS_MAX = 200_000  # of a text that is looked at; longer ones are stored in pieces
PIECES_MAX = 16  # decoded from one text
PIECE_CHARS_MAX = 8_000  # looked at of each of them
DEPTH_MAX = 2  # encodings inside encodings

_RUN_MIN = 16  # characters of base64 or hexadecimal digits that may hold words
_LETTERS_MIN = 0.7  # share of letters and blanks in what counts as decoded text
_CONFUSABLES = Path(__file__).resolve().parent / "confusables.txt"

# What a text of ASCII has when it is more than words and punctuation. The first is one quick look, and most texts have
# nothing of it; the others are asked only then.
_MARKED = expression(r"[<>&%\\*_`~@$|+/0-9]")
_SPELT_OUT = expression(r"(?:^|[ ._-])[A-Za-z][ ._-][A-Za-z][ ._-][A-Za-z](?![A-Za-z])")
_UNUSUAL = expression(
    r"[<>]|&[#a-z]|%[0-9A-Fa-f]{2}|\\[ux][0-9A-Fa-f]|[A-Za-z][*_`~]+[A-Za-z]|[A-Za-z][0-9@$|]|[0-9@$|][A-Za-z]|[0-9A-Fa-f]{16}"
)
_WORD_CHARS_MAX = 15  # of a word; a longer run of letters may be an encoding
_INVISIBLE = expression(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]+"
)
_TAGS = expression("[\U000e0020-\U000e007e]+")
_SELECTORS = expression(
    "[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
)  # one chooses how a letter looks; several hide bytes
_MARKS = expression("[\u0300-\u036f]{2,}")
_WORD = expression(r"\w+")
_TAG = expression(r"</?[A-Za-z!?][^<>]{0,2000}>")
_INSIDE_WORDS = expression(r"(?<=[A-Za-z])[*_`~]{1,3}(?=[A-Za-z])")
_SPACED = expression(r"(?<![A-Za-z0-9])[A-Za-z0-9@$!](?:[ ._*/-][A-Za-z0-9@$!](?![A-Za-z0-9])){2,}")
_BETWEEN_LETTERS = expression(r"[ ._*/-]")
_LEET_WORD = expression(r"(?<![A-Za-z0-9@$!|/+=_-])[A-Za-z0-9@$!|]{3,24}+(?![A-Za-z0-9@$!|/+=_-]|[.][A-Za-z])")
_ENCODED = expression(r"[A-Za-z0-9+/_-]{16,}+={0,2}")
_NUMBER = expression(r"[0-9]{3}|^[0-9]+[A-Za-z]{1,3}$|^[A-Za-z][0-9]{1,2}[A-Za-z]?$")  # a number with its unit, a name
_HEX = expression(r"(?<![A-Za-z0-9])(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ ,:]?){8,}+")
_ESCAPED = expression(r"\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}")
_URL_ENCODED = expression(r"(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9+._-]){4,}+")
_LEET_MIX = expression(r"[A-Za-z][0134578@$]|[0134578@$][A-Za-z]")
_LEET_WORDS_MIN, _LEET_SURE_MIN, _LEET_SHARE = 4, 2, 0.4
_LEET = str.maketrans("0134578@$!|", "oieastbasil")


class Normalised(NamedTuple):
    """The plain text, texts that were decoded from parts of it, and what they and it were hidden by."""

    text: str
    decoded: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


def normalised(text: str) -> Normalised:
    """What a model would read. A text without any disguise comes back as it is."""
    if len(text) > CHARS_MAX:
        text = text[:CHARS_MAX]
    if text.isascii() and not _is_unusual(text):
        return Normalised(text)
    return _Undoing().whole(text)


def _is_unusual(text: str) -> bool:
    if _MARKED.search(text) and _UNUSUAL.search(text):
        return True
    return max(map(len, text.split()), default=0) > _WORD_CHARS_MAX or bool(_SPELT_OUT.search(text))


class _Undoing:
    """One text's undoing: collects what was decoded and how it had been hidden."""

    def __init__(self) -> None:
        self._decoded: dict[str, None] = {}
        self._hidden: dict[str, None] = {}

    def whole(self, text: str) -> Normalised:
        plain = self._plain(text)
        self._look_into(plain, depth=1)
        if _is_all_leet(plain):
            self._note("leet", plain.translate(_LEET))
        return Normalised(self._respelt(plain), tuple(map(self._respelt, self._decoded)), tuple(self._hidden))

    def _plain(self, text: str) -> str:
        """The text with letters as they look, without what nobody sees, and without markup."""
        if not text.isascii():
            text = self._seen(text)
            text = self._likened(unicodedata.normalize("NFKC", text))
        if "&" in text or "<" in text:
            text = self._unmarked(text)
        if _ESCAPED.search(text):
            text = _ESCAPED.sub(lambda found: chr(int(found[0][2:], 16)), text)
        text = _INSIDE_WORDS.sub("", text)
        return self._joined(text)

    # --- what nobody sees ---------------------------------------------------------------------------------------

    def _seen(self, text: str) -> str:
        for found in _TAGS.finditer(text):
            self._note("tags", "".join(chr(ord(each) - 0xE0000) for each in found[0]))
        for found in _SELECTORS.finditer(text):
            self._note("selectors", _bytes_of_selectors(found[0]).decode("utf-8", "ignore"))
        text = _SELECTORS.sub("", _TAGS.sub("", text))
        return _MARKS.sub("", _INVISIBLE.sub(self._unseen, text))

    def _unseen(self, found: re.Match[str]) -> str:
        """Nothing; an invisible character between two letters is a disguise, at the end of a word it is typography."""
        text, start, end = found.string, found.start(), found.end()
        if (
            start > 0
            and end < len(text)
            and text[start - 1].isascii()
            and text[start - 1].isalpha()
            and text[end].isalpha()
        ):
            self._hidden.setdefault("invisible")
        return ""

    def _likened(self, text: str) -> str:
        """Words of letters that only look Latin, in Latin letters; words of other alphabets stay."""
        if text.isascii():
            return text
        latin = sum(each.isascii() and each.isalpha() for each in text)
        mostly_latin = 2 * latin >= sum(map(str.isalpha, text))
        return _WORD.sub(lambda found: self._likened_word(found[0], mostly_latin), text)

    def _likened_word(self, word: str, mostly_latin: bool) -> str:
        if word.isascii():
            return word
        looks = word.translate(_confusables())
        if not looks.isascii() and not any(each.isascii() and each.isalpha() for each in word):
            return word
        if looks == word or not (mostly_latin or any(each.isascii() and each.isalpha() for each in word)):
            return word
        self._hidden.setdefault("homoglyphs")
        return looks

    # --- markup and spelling ------------------------------------------------------------------------------------

    def _unmarked(self, text: str) -> str:
        if "&" in text:
            text = html.unescape(text)
        return _TAG.sub(" ", self._uncommented(text))

    def _uncommented(self, text: str) -> str:
        """Comments of HTML are decoded texts of their own. No pattern: one would begin at every `<!--` anew."""
        kept: list[str] = []
        at = 0
        while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin)) >= 0:
            self._note("comment", text[begin + 4 : end])
            kept.append(text[at:begin])
            at = end + 3
        return " ".join([*kept, text[at:]])

    def _joined(self, text: str) -> str:
        def join(found: re.Match[str]) -> str:
            self._hidden.setdefault("spaced")
            return _BETWEEN_LETTERS.sub("", found[0])

        return _SPACED.sub(join, text)

    def _respelt(self, text: str) -> str:
        """Words that are written with digits for letters, with letters: names of versions and units keep theirs."""

        def respell(found: re.Match[str]) -> str:
            word = found[0]
            if word.isalpha() or not _is_leet(word):
                return word
            self._hidden.setdefault("leet")
            return word.translate(_LEET)

        return _LEET_WORD.sub(respell, text)

    # --- what is encoded ----------------------------------------------------------------------------------------

    def _look_into(self, text: str, depth: int) -> None:
        for name, found in _decodings(text):
            if len(self._decoded) >= PIECES_MAX:
                return
            plain = self._plain(found[:PIECE_CHARS_MAX])
            self._note(name, plain)
            if depth < DEPTH_MAX:
                self._look_into(plain, depth + 1)

    def _note(self, name: str, found: str) -> None:
        if len(self._decoded) < PIECES_MAX and found.strip():
            self._hidden.setdefault(name)
            self._decoded.setdefault(found[:PIECE_CHARS_MAX])


def _decodings(text: str) -> Iterator[tuple[str, str]]:
    """What parts of a text mean in the encodings that people and models know, where that gives words."""
    yield from _each(_ENCODED, text, "base64", _from_base64)
    yield from _each(_HEX, text, "hex", _from_hex)
    if "%" in text:
        yield from _each(_URL_ENCODED, text, "url", lambda part: unquote(part.replace("+", " ")) if "%" in part else "")
    if "rot13" in text.lower() or "rot-13" in text.lower():
        yield "rot13", codecs.decode(text, "rot13")


def _each(pattern: re.Pattern[str], text: str, name: str, decode: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    for count, found in enumerate(pattern.finditer(text)):
        if count == PIECES_MAX:
            return
        decoded = decode(found[0][: 2 * PIECE_CHARS_MAX])
        if decoded and decoded != found[0] and _is_prose(decoded):
            yield name, decoded


def _from_base64(part: str) -> str:
    body = part.rstrip("=").translate(_URL_SAFE)
    if len(body) % 4 == 1:
        body = body[:-1]
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""


def _from_hex(part: str) -> str:
    digits = re.sub(r"0x|\\x|[ ,:]", "", part)
    if len(digits) < _RUN_MIN:
        return ""
    try:
        return bytes.fromhex(digits[: len(digits) // 2 * 2]).decode("utf-8")
    except ValueError:
        return ""


def _is_prose(text: str) -> bool:
    """Whether it is words rather than what chance makes of digits."""
    letters = sum(each.isalpha() or each == " " for each in text)
    return len(text) >= 6 and letters >= _LETTERS_MIN * len(text)


def _is_leet(word: str) -> bool:
    """Whether digits stand inside a word or for its first letter: `1gn0re`, not `utf8`, `3rd`, `1500m` or `h264`."""
    word = word.rstrip("!|")
    inner = word[1:-1]
    letters = sum(map(str.isalpha, word))
    signs = len(word) - letters
    if not signs or signs > letters + 1 or _NUMBER.search(word):
        return False
    return any(not each.isalpha() for each in inner) or (word[0] in "14@$!|" and letters == len(word) - 1 > 1)


def _is_all_leet(text: str) -> bool:
    """Whether so many words have digits among their letters that every digit may stand for one."""
    words = text[:PIECE_CHARS_MAX].split()
    mixed = sum(_LEET_MIX.search(word) is not None and len(word) <= _WORD_CHARS_MAX for word in words)
    if mixed < _LEET_WORDS_MIN or mixed < _LEET_SHARE * len(words):
        return False
    return sum(map(_is_leet, words)) >= _LEET_SURE_MIN  # a list of versions and units has none


def _bytes_of_selectors(found: str) -> bytes:
    """The bytes that a run of variation selectors stands for: 256 of them, one for each."""
    return bytes(ord(each) - 0xFE00 if ord(each) < 0xFFFF else ord(each) - 0xE0100 + 16 for each in found)


_URL_SAFE = str.maketrans("-_", "+/")


@lru_cache(maxsize=1)
def _confusables() -> dict[int, str]:
    """Characters that look like an ASCII letter, by Unicode's list; read when the first such text comes."""
    lines = _CONFUSABLES.read_text(encoding="ascii").splitlines()
    return {int(code, 16): letter for code, letter in (line.split() for line in lines if not line.startswith("#"))}
