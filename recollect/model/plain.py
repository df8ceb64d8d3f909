"""Text that may stand in a context or a record: no NUL, no half characters, no megabytes of base64."""

from __future__ import annotations

import re

TEXT_CHARS_MAX = 1 << 24  # of a longer text the beginning and the end are kept
RUN_CHARS = 2_048  # letters and digits without a space: what people paste and mean, keys and hashes, is shorter
TOOL_RUN_CHARS = 256  # … and of what a tool prints
_SAMPLE_CHARS = 4_096
_CONTROL_SHARE = 0.1  # of a text that is none
_KB = 1024

_DATA_URL = re.compile(
    r"data:(?P<type>[\w.+-]+/[\w.+-]+)?(?:;[\w.+-]+=[\w.+-]+)*;base64,[A-Za-z0-9+/=_%\s-]{0,76}"
    r"[A-Za-z0-9+/=_%-]*"
)
_RUN = re.compile(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{TOOL_RUN_CHARS},}}={{0,2}}")
_WRAPPED = re.compile(r"(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,76}\r?\n[ \t]*){4,}[A-Za-z0-9+/]{0,76}={0,2}")
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_LOWER, _UPPER, _DIGIT = re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]")


def plain(text: str, *, run_chars: int = RUN_CHARS) -> str:
    """The text as it can be kept and counted; the same object where nothing had to be done.

    Data that stands in it in base64, without a space for `run_chars`, becomes a word on its size.
    """
    if len(text) > TEXT_CHARS_MAX:
        text = middle_cut(text, TEXT_CHARS_MAX)
    if not text.isascii():
        text = _whole_characters(text)
    if len(text) >= TOOL_RUN_CHARS:
        text = _without_binary(text, run_chars)
    return text.replace("\x00", "") if "\x00" in text else text


def decoded(data: bytes | bytearray | memoryview) -> str:
    """Bytes as the text that they are, or as a word that they are none."""
    raw = bytes(data)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return binary(len(raw))


def binary(size: int, what: str = "binary") -> str:
    """What stands for so many bytes that are no text."""
    return f"[{what}, {max(1, round(size / _KB)):,} KB]" if size >= _KB else f"[{what}]"


def medium_of(mime: str | None) -> str:
    """What a person calls a type of data: image, audio, video, else file."""
    kind = (mime or "").partition("/")[0].lower()
    return kind if kind in ("image", "audio", "video") else "file" if mime else "binary"


def middle_cut(text: str, chars: int) -> str:
    """The beginning and the end of a text, two to one, with a word in between on how much is missing."""
    if len(text) <= chars:
        return text
    mark = f"\n[… {len(text) - chars:,} characters left out …]\n"
    room = max(0, chars - len(mark))
    tail = room // 3
    return text[: room - tail] + mark + (text[-tail:] if tail else "")


def _whole_characters(text: str) -> str:
    """Halves of characters put together where they meet, replaced where they do not."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _without_binary(text: str, run_chars: int) -> str:
    sample = text[:_SAMPLE_CHARS]
    odd = 0 if sample.isprintable() else sample.count("\x00") + len(_CONTROL.findall(sample))
    if odd > _CONTROL_SHARE * len(sample):
        return binary(len(text))
    if ";base64," in text:
        text = _DATA_URL.sub(lambda found: binary(_bytes(found[0]), medium_of(found["type"])), text)
    text = _RUN.sub(lambda found: found[0] if _is_wording(found[0], run_chars) else binary(_bytes(found[0])), text)
    if "\n" not in text:
        return text
    return _WRAPPED.sub(lambda found: found[0] if len(found[0]) < run_chars else binary(_bytes(found[0])), text)


def _is_wording(run: str, run_chars: int) -> bool:
    """A long run is data if it mixes what words do not mix; "aaaa…" is somebody's text."""
    return len(run) < run_chars or not all(sign.search(run) for sign in (_LOWER, _UPPER, _DIGIT))


def _bytes(base64: str) -> int:
    return len(base64) * 3 // 4
