"""What a file is, by its name and its first bytes, and the text its bytes stand for."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import PurePath

from recollect.errors import UsageError, shown
from recollect.structure import chats, pdf
from recollect.structure.languages import ALIASES, EXTENSIONS, FILE_NAMES, GRAMMARS, INTERPRETERS

HEAD_BYTES = 8192  # of a file, enough to tell what it is
FORMATS = ("markdown", "rst", "html", "text", "pdf", "chat", "code")
_FORMAT_ALIASES = {
    "md": "markdown",
    "restructuredtext": "rst",
    "htm": "html",
    "txt": "text",
    "plain": "text",
    "jsonl": "chat",
    "chatgpt": "chat",
    "claude": "chat",
}
_SUFFIXES = {
    **dict.fromkeys((".md", ".markdown", ".mdx", ".mkd", ".mdown"), "markdown"),
    ".rst": "rst",
    ".rest": "rst",
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    ".pdf": "pdf",
    ".jsonl": "chat",
    ".ndjson": "chat",
    **dict.fromkeys((".txt", ".text", ".log", ".adoc", ".org", ".srt", ".vtt"), "text"),
}
_PROSE_NAMES = re.compile(
    r"(?:readme|changelog|changes|license|copying|authors|notice|contributing|todo)", re.IGNORECASE
)
_HTML_HEAD = re.compile(rb"\s*(?:<!doctype html|<html[\s>])", re.IGNORECASE)
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
class Format:
    name: str
    language: str | None = None  # of code and data


def named(format: str) -> Format:
    """The format a caller asks for: one of `FORMATS`, or a programming language."""
    word = format.strip().lower() if isinstance(format, str) else ""
    word = _FORMAT_ALIASES.get(word, word)
    if word in FORMATS:
        return Format(word)
    language = ALIASES.get(word, word)
    if language in GRAMMARS or language in EXTENSIONS.values():
        return Format("code", language)
    raise UsageError(
        f"cannot read the format {shown(format, 20)}; known: {', '.join(FORMATS)}, and languages such as python"
    )


def detect(path: str | None, head: bytes) -> Format | None:
    """The format of a file or text; None if it holds no text that could be read."""
    if head.lstrip().startswith(pdf.MAGIC):
        return Format("pdf")
    name = PurePath(path).name.lower() if path else ""
    suffix = PurePath(name).suffix
    if suffix == ".pdf":
        return Format("pdf")  # which will say that it is none
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


def _by_name(name: str, suffix: str, head: bytes) -> Format | None:
    if suffix in (".json", ".jsonl", ".ndjson"):
        chat = chats.looks_like_chat(head.decode("utf-8", "replace"))
        return Format("chat") if chat else Format("code", "json")
    if suffix in _SUFFIXES and name not in FILE_NAMES:
        return Format(_SUFFIXES[suffix])
    language = FILE_NAMES.get(name) or EXTENSIONS.get(suffix)
    if suffix == ".h" and _CPP_SIGNS.search(head.decode("utf-8", "replace")):
        language = "cpp"
    return Format("code", language) if language else None


def _by_content(name: str, head: bytes) -> Format:
    if _HTML_HEAD.match(head):
        return Format("html")
    text = head.decode("utf-8", "replace")
    if text.startswith("#!"):
        words = _WORD.findall(text.partition("\n")[0])
        return Format("code", next((INTERPRETERS[word] for word in reversed(words) if word in INTERPRETERS), "shell"))
    if not name or _PROSE_NAMES.match(name):
        return Format("markdown" if _looks_like_markdown(text) else "text")
    return Format("text")


def _looks_like_markdown(text: str) -> bool:
    return re.search(r"^(?:#{1,6} \S|```|~~~|\|[-: |]+\|\s*$|[-*] \S|\d+\. \S|> \S)", text, re.MULTILINE) is not None
