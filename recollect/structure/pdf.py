"""PDF through pypdf (the extra `pdf`): the text of each page, under a heading for the page.

Lines of a PDF are no lines of a file, so a place names the page instead: its anchor is `page=3`, as in a link.
"""

from __future__ import annotations

import io
import logging
import time
from typing import Any

from recollect.errors import MissingExtra, UsageError
from recollect.limits import DOCUMENT_BYTES_MAX, PDF_PAGES_MAX, PDF_SECONDS_MAX
from recollect.structure import plain
from recollect.structure.blocks import Block, Blocks, short_title
from recollect.structure.piece import BlockType, Document, Parsed, PieceSizes
from recollect.structure.sections import parsed_blocks

_MAGIC = b"%PDF-"
_MAGIC_WITHIN = 1024  # bytes; mail programs and servers put lines before it


def is_pdf(head: bytes) -> bool:
    """Whether a file that begins so is a PDF, whatever it is called."""
    return head.lstrip().startswith(_MAGIC)


def read(document: Document, sizes: PieceSizes) -> Parsed:
    """The pieces of a PDF. `UsageError` says what keeps it from being read."""
    return parsed_blocks(_blocks(document.data), document.path, sizes, with_lines=False)


def _blocks(data: bytes) -> Blocks:
    if _MAGIC not in data[:_MAGIC_WITHIN]:
        raise UsageError("is not a PDF, whatever its name says")
    reader = _opened(data)
    out = Blocks(title=_title(reader))
    line = chars = 0
    until = time.monotonic() + PDF_SECONDS_MAX
    for number in range(1, min(len(reader.pages), PDF_PAGES_MAX) + 1):
        if time.monotonic() > until:
            out.notes.append(f"takes too long to read; what follows page {number - 1} is left out")
            break
        text = _page_text(reader, number, out)
        chars += len(text)
        if chars > DOCUMENT_BYTES_MAX:
            out.notes.append(f"holds too much text; what follows page {number - 1} is left out")
            break
        paragraphs = [block for block in plain.read(text).items if block.text.strip()]
        if paragraphs:
            name = f"Page {number}"
            out.items.append(Block(BlockType.PROSE, name, line + 1, line + 1, 1, name, None, f"page={number}"))
            out.items += [_below(block, line + 1) for block in paragraphs]
            line += 1 + text.count("\n") + 1
    if len(reader.pages) > PDF_PAGES_MAX:
        out.notes.append(f"has {len(reader.pages)} pages; the first {PDF_PAGES_MAX} were read")
    if not out.items:
        raise UsageError("holds no text, only pictures; it needs text recognition first")
    return out


def _opened(data: bytes) -> Any:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise MissingExtra("reading PDFs needs: pip install 'recollect[pdf]'") from None
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it reports every oddity of every page
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UsageError("is encrypted; save it without a password first")
        len(reader.pages)
    except UsageError:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError) as error:
        raise UsageError(f"is a PDF that cannot be read ({type(error).__name__})") from None
    except Exception as error:  # its parser meets whatever bytes hold; a broken file is the file's fault
        raise UsageError(f"is a PDF that cannot be read ({type(error).__name__})") from None
    return reader


def _title(reader: Any) -> str | None:
    try:
        return short_title(str(reader.metadata.title or "")) or None if reader.metadata else None
    except Exception:  # the title is decoration
        return None


def _page_text(reader: Any, number: int, out: Blocks) -> str:
    try:
        text = str(reader.pages[number - 1].extract_text() or "")
    except Exception as error:  # one broken page does not take the others with it
        out.notes.append(f"page {number} cannot be read ({type(error).__name__})")
        return ""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def _below(block: Block, line: int) -> Block:
    """A paragraph of a page; what looks like a heading there is one line of it."""
    return block._replace(first=block.first + line, last=block.last + line, level=0, title="")
