"""What a file is, by its name and its first bytes, and the text its bytes stand for."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import PurePath

from recollect.errors import UsageError, shown
from recollect.structure.formats import BY_SUFFIX, BY_WORD, FORMATS, DocumentFormat
from recollect.structure.languages import ALIASES, EXTENSIONS, FILE_NAMES, GRAMMARS, INTERPRETERS

HEAD_BYTES = 8192  # of a file, enough to tell what it is
_PROSE_NAMES = re.compile(
    r"(?:readme|changelog|changes|license|copying|authors|notice|contributing|todo)", re.IGNORECASE
)
_WORD = re.compile(r"[a-z]+")
_CPP_SIGNS = re.compile(r"^\s*(?:class|namespace|template\s*<|using\s+\w+\s*=|public:|private:)", re.MULTILINE)
_CONTROLS = bytes(set(range(32)) - {7, 8, 9, 10, 12, 13, 27})
_CONTROLS_SHARE = 0.05  # of the first bytes; no text holds so many

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\x7fELF",
    b"SQLite format 3",
    b"BZh",
    b"\xfd7zXZ",
    b"7z\xbc\xaf",
    b"RIFF",
    b"OggS",
    b"ID3",
    b"\xca\xfe\xba\xbe",
    b"MZ\x90",
)


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a document is: its format, and the language where that is code or data."""

    format: DocumentFormat
    language: str | None = None

    @property
    def name(self) -> str:
        return self.format.name


def named(format: str) -> Recognised:
    """The format a caller asks for by its name, or a programming language."""
    word = format.strip().lower() if isinstance(format, str) else ""
    if word in BY_WORD:
        return Recognised(BY_WORD[word])
    language = ALIASES.get(word, word)
    if language in GRAMMARS or language in EXTENSIONS.values():
        return _code(language)
    raise UsageError(
        f"cannot read the format {shown(format, 20)}; known: {', '.join(FORMATS)}, and languages such as python"
    )


def detect(path: str | None, head: bytes) -> Recognised | None:
    """The format of a file or text; None if it holds no text that could be read."""
    name = PurePath(path).name.lower() if path else ""
    suffix = PurePath(name).suffix
    for entry in FORMATS.values():
        if entry.binary and (suffix in entry.suffixes or (entry.begins and entry.begins(head))):
            return Recognised(entry)  # if only its name says so, its reader will say that it is none
    if is_binary(head):
        return None
    return _by_name(name, suffix, head) or _by_content(name, head)


def is_binary(head: bytes) -> bool:
    """Whether these are no letters, in whatever encoding."""
    if head.startswith(_MAGIC):
        return True
    if head.startswith(tuple(bom for bom, _ in _BOMS)):
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return b"\x00" in head or controls > len(head) * _CONTROLS_SHARE


def text_of(data: bytes) -> tuple[str, str | None]:
    """The text some bytes stand for, lines ended by \\n, and a note if that had to be guessed.

    UTF-8, or what a byte order mark says. Else most of it is UTF-8 and the rest is marked as broken, or it is read as
    Western European. `UsageError` if it is no text.
    """
    text, note = _decoded(data)
    if "\x00" in text:
        raise UsageError("holds NUL characters, so it is no text")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, note


def _decoded(data: bytes) -> tuple[str, str | None]:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            try:
                return data.decode(encoding), None
            except UnicodeDecodeError:
                return data.decode(encoding, "replace"), f"holds bytes that are not {encoding[:6].upper()}"
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError:
        pass
    if b"\x00" in data:
        raise UsageError("holds NUL characters, so it is no text")
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if broken <= sum(map(len, re.findall(r"[^\x00-\x7f\ufffd]+", text))):
        return text, f"holds {broken} broken characters; otherwise it is UTF-8"
    try:
        return data.decode("cp1252"), "is not UTF-8; read as Windows-1252"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "is not UTF-8; read as Latin-1"


def _by_name(name: str, suffix: str, head: bytes) -> Recognised | None:
    entry = BY_SUFFIX.get(suffix)
    if entry is not None and name not in FILE_NAMES and (entry.holds is None or entry.holds(head)):
        return Recognised(entry)
    language = FILE_NAMES.get(name) or EXTENSIONS.get(suffix)
    if suffix == ".h" and _CPP_SIGNS.search(head.decode("utf-8", "replace")):
        language = "cpp"
    return _code(language) if language else None


def _by_content(name: str, head: bytes) -> Recognised:
    for entry in FORMATS.values():
        if entry.begins and entry.begins(head):
            return Recognised(entry)
    text = head.decode("utf-8", "replace")
    if text.startswith("#!"):
        words = _WORD.findall(text.partition("\n")[0])
        return _code(next((INTERPRETERS[word] for word in reversed(words) if word in INTERPRETERS), "shell"))
    prose = not name or _PROSE_NAMES.match(name)
    return Recognised(FORMATS["markdown" if prose and _looks_like_markdown(text) else "text"])


def _code(language: str) -> Recognised:
    return Recognised(FORMATS["code"], language)


def _looks_like_markdown(text: str) -> bool:
    return re.search(r"^(?:#{1,6} \S|```|~~~|\|[-: |]+\|\s*$|[-*] \S|\d+\. \S|> \S)", text, re.MULTILINE) is not None
