"""HTML, read tag by tag: headings, paragraphs, lists, tables, code; scripts, styles and menus are left out.

A small reader of our own: the standard library's takes quadratic time on some broken pages, and neither keeps lines the
way we need them. There is no tree and no recursion, so nesting costs nothing; entities are those HTML defines, so none
can be defined to explode; a tag that is never closed ends where the next one begins.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from html import unescape

from recollect.structure.blocks import Block, Blocks, short_title
from recollect.structure.piece import BlockType

LIST_DEPTH_MAX = 8
QUOTED_CHARS_MAX = 4 << 20  # of one attribute; pictures are written into pages that way
ATTRIBUTES_MAX = 256
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*)")
_STOP = re.compile("[<>\"']")
_MARKUP = re.compile(r"<!--|<!\[CDATA\[|<[!?]")
_ENDS = {"<!--": "-->", "<![CDATA[": "]]>"}
_ID = re.compile(r"""(?<![\w-])(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_ALT = re.compile(r"""(?<![\w-])alt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_CLASS_LANGUAGE = re.compile(r"""(?:language|lang|highlight|source)-([\w+#-]+)""")
_SPACES = re.compile(r"\s+")
_NEWLINES = re.compile(r"\n")

_SILENT = frozenset("template noscript svg math iframe object canvas nav button select head title".split())
_RAW = frozenset("script style".split())  # tags inside are text
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset("ul ol menu dl".split())
_HOLDERS = _LISTS | {"blockquote", "table", "pre", "code"}
_BLOCKS = frozenset(
    "address article aside body blockquote caption dd details dialog div dl dt fieldset figcaption figure footer form "
    "header hgroup hr html legend li main menu ol p pre section summary table tbody td tfoot th thead tr ul".split()
)


def read(text: str) -> Blocks:
    """The blocks of an HTML page."""
    return _PageReader(text).read()


class _PageReader:
    """Follows the tags with a few counters: how deep in lists, quotes, tables, code and hidden elements we are."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.out = Blocks()
        self._line_starts = [0, *(found.end() for found in _NEWLINES.finditer(page))]
        self._words: list[str] = []
        self._began = 0
        self._silent = ""  # the element whose content is left out, and how deep in it we are
        self._silent_depth = 0
        self._lists = self._quotes = self._tables = self._pre = 0
        self._heading = 0
        self._anchor: str | None = None
        self._language: str | None = None
        self._item = ""
        self._rows: list[str] = []
        self._cells: list[str] = []
        self._table_began = 0
        self._title = False
        self._absent: set[str] = set()

    def read(self) -> Blocks:
        page, at = self.page, 0
        while at < len(page):
            tag_at = page.find("<", at)
            if tag_at < 0:
                self._say(page[at:], at)
                break
            if tag_at > at:
                self._say(page[at:tag_at], at)
            at = self._markup(tag_at)
        if self._silent not in ("", "head"):
            self.out.notes.append(f"a {self._silent} is never closed; what follows it is left out")
        self._flush(len(page))
        self._end_table(len(page))
        return self.out

    def _markup(self, at: int) -> int:
        """Reads what begins with this `<`; where to go on."""
        if (found := _TAG.match(self.page, at)) and (end := _tag_end(self.page, found.end())):
            name = found[2].lower()
            if found[1]:
                self._close(name, at)
            elif name in _RAW:
                return self._raw_end(name, end)
            else:
                self._open(name, self.page[found.end() : end - 1], at)
            return end
        if found := _MARKUP.match(self.page, at):
            mark = _ENDS.get(found[0], ">")
            closed = -1 if mark in self._absent else self.page.find(mark, found.end())
            if closed >= 0:
                return closed + len(mark)
            self._absent.add(mark)
            return found.end()
        self._say("<", at)
        return at + 1

    def _raw_end(self, name: str, at: int) -> int:
        """Where a script or style ends; one that is not closed hides the rest, as in a browser."""
        found = re.compile(f"</{name}[^>]*>", re.IGNORECASE).search(self.page, at)
        if not found:
            self.out.notes.append(f"the {name} on line {self._line(at)} is never closed; what follows is left out")
            return len(self.page)
        return found.end()

    def _open(self, name: str, rest: str, at: int) -> None:
        if self._silent == "head" and (name in _BLOCKS or name in _HEADINGS):
            self._silent = ""  # the end of a head may be left out
        self._title = self._title or (name == "title" and self._silent in ("", "head"))
        if self._silent:
            self._silent_depth += name == self._silent
            return
        if name in _BLOCKS or name in _HEADINGS or name in _SILENT:
            self._flush(at)
        if name in _SILENT:
            self._silent, self._silent_depth = name, 1
        elif name in _HEADINGS:
            self._heading, self._anchor = _HEADINGS[name], _value(_ID, rest) or self._anchor
        elif name in _HOLDERS:
            self._enter(name, rest, at)
        elif name in ("li", "dt", "dd"):
            self._item = "  " * min(max(self._lists - 1, 0), LIST_DEPTH_MAX) + "- "
        elif name in ("br", "hr"):
            self._say("\n", at, kept=True)
        elif name == "img":
            self._say(_value(_ALT, rest) or "", at)
        elif name in ("section", "article", "div", "a", "span"):
            self._anchor = _value(_ID, rest) or self._anchor

    def _enter(self, name: str, rest: str, at: int) -> None:
        """An element that says what the text in it is."""
        if name in _LISTS:
            self._lists += 1
        elif name == "blockquote":
            self._quotes += 1
        elif name == "table":
            self._table_began = self._table_began if self._tables else at
            self._tables += 1
        else:
            self._pre += name == "pre"
            self._language = (self._language or _language(rest)) if self._pre else None

    def _close(self, name: str, at: int) -> None:
        if self._silent:
            self._close_silent(name)
            return
        if name in _BLOCKS or name in _HEADINGS:
            self._flush(at)
        if name in _LISTS:
            self._lists = max(0, self._lists - 1)
            self._item = self._item if self._lists else ""
        elif name == "blockquote":
            self._quotes = max(0, self._quotes - 1)
        elif name == "pre":
            self._pre, self._language = max(0, self._pre - 1), None
        elif name == "tr":
            self._end_row()
        elif name == "table":
            self._tables = max(0, self._tables - 1)
            if not self._tables:
                self._end_table(at)

    def _close_silent(self, name: str) -> None:
        self._silent_depth -= name == self._silent
        if name == "title" and self._title:
            self._title = False
            self.out.title = short_title(unescape("".join(self._words))) or None
            self._words = []
        if self._silent_depth <= 0:
            self._silent = ""

    def _say(self, text: str, at: int, *, kept: bool = False) -> None:
        if not text or (self._silent and not self._title):
            return
        if not self._words:
            if text.isspace() and not self._pre:
                return
            self._began = at + (len(text) - len(text.lstrip()))
        self._words.append(text if kept or self._pre else _SPACES.sub(" ", text))

    def _flush(self, at: int) -> None:
        """What was said since the last block becomes a block, or a cell of the table it stands in."""
        text, self._words = unescape("".join(self._words)), []
        level, self._heading = self._heading, 0
        if self._tables:
            if text := " ".join(text.split()):
                self._cells.append(text)
            return
        text = text.strip("\n").rstrip() if self._pre else text.strip()
        if not text or text.isspace():
            return
        first, last = self._line(self._began), self._line(at)
        if level:
            self.out.add_heading(level, text, short_title(text), first, last, self._anchor)
            self._anchor = None
            return
        self.out.items.append(Block(self._type(), self._item + text, first, last, language=self._language))
        self._item = " " * len(self._item)

    def _type(self) -> BlockType:
        if self._pre:
            return BlockType.CODE
        if self._quotes:
            return BlockType.QUOTE
        return BlockType.LIST if self._lists else BlockType.PROSE

    def _end_row(self) -> None:
        if self._cells:
            self._rows.append(" | ".join(self._cells))
        self._cells = []

    def _end_table(self, at: int) -> None:
        self._end_row()
        if self._rows:
            text, self._rows = "\n".join(self._rows), []
            self.out.items.append(Block(BlockType.TABLE, text, self._line(self._table_began), self._line(at)))

    def _line(self, at: int) -> int:
        return bisect_right(self._line_starts, max(0, min(at, len(self.page) - 1)))


def _tag_end(page: str, at: int) -> int:
    """The position after the `>` of a tag, whose attributes may hold one in quotes; 0 if another tag begins before."""
    for _ in range(ATTRIBUTES_MAX):
        found = _STOP.search(page, at)
        if found is None or found[0] == "<":
            return 0
        if found[0] == ">":
            return found.end()
        closed = page.find(found[0], found.end(), found.end() + QUOTED_CHARS_MAX)
        at = closed + 1 if closed >= 0 else found.end()
    return 0


def _value(pattern: re.Pattern[str], rest: str) -> str | None:
    found = pattern.search(rest)
    value = next((each for each in found.groups() if each is not None), "") if found else ""
    return short_title(unescape(value)) or None


def _language(rest: str) -> str | None:
    found = _CLASS_LANGUAGE.search(rest)
    return found[1].lower() if found else None
