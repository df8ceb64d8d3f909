"""The formats of documents, an entry for each: what it is called, how its files are told, and which module reads it.

To read one more format, write the module that reads it and add its entry; nothing else asks for a format by its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recollect.structure import chats, code, markdown, pdf, plain, rst, webpage
from recollect.structure.blocks import Blocks
from recollect.structure.piece import Document, Parsed, PieceSizes
from recollect.structure.sections import parsed_blocks

_HTML_HEAD = re.compile(rb"\s*(?:<!doctype html|<html[\s>])", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFormat:
    """One format. `read` makes pieces or turns of a document, or says with a `UsageError` why it cannot.

    `begins` tells the format by the first bytes alone, whatever the file is called; `holds` is what has to be true of
    them besides the name.
    """

    name: str
    read: Callable[[Document, PieceSizes], Parsed]
    aliases: tuple[str, ...] = ()  # what callers may say instead of the name
    suffixes: tuple[str, ...] = ()  # of file names
    binary: bool = False  # read from bytes: no text can be given in it
    begins: Callable[[bytes], bool] | None = None
    holds: Callable[[bytes], bool] | None = None


def _in_blocks(blocks_of: Callable[[str], Blocks]) -> Callable[[Document, PieceSizes], Parsed]:
    """A reader of texts that are divided by headings."""
    return lambda document, sizes: parsed_blocks(blocks_of(document.text), document.path, sizes)


_ALL = (
    DocumentFormat(
        name="markdown",
        read=_in_blocks(markdown.read),
        aliases=("md",),
        suffixes=(".md", ".markdown", ".mdx", ".mkd", ".mdown"),
    ),
    DocumentFormat(name="rst", read=_in_blocks(rst.read), aliases=("restructuredtext",), suffixes=(".rst", ".rest")),
    DocumentFormat(
        name="html",
        read=_in_blocks(webpage.read),
        aliases=("htm",),
        suffixes=(".html", ".htm", ".xhtml"),
        begins=lambda head: _HTML_HEAD.match(head) is not None,
    ),
    DocumentFormat(
        name="text",
        read=_in_blocks(plain.read),
        aliases=("txt", "plain"),
        suffixes=(".txt", ".text", ".log", ".adoc", ".org", ".srt", ".vtt"),
    ),
    DocumentFormat(name="pdf", read=pdf.read, suffixes=(".pdf",), binary=True, begins=pdf.is_pdf),
    DocumentFormat(
        name="chat",
        read=chats.read,
        aliases=("jsonl", "chatgpt", "claude"),
        suffixes=(".json", ".jsonl", ".ndjson"),
        holds=chats.looks_like_chat,
    ),
    DocumentFormat(name="code", read=code.read),
)
FORMATS: Mapping[str, DocumentFormat] = {entry.name: entry for entry in _ALL}
BY_WORD: Mapping[str, DocumentFormat] = {word: entry for entry in _ALL for word in (entry.name, *entry.aliases)}
BY_SUFFIX: Mapping[str, DocumentFormat] = {suffix: entry for entry in _ALL for suffix in entry.suffixes}
