"""Markdown, read line by line: the blocks of CommonMark and GitHub's tables.

Only the outer blocks are told apart, since only they divide a document: a heading inside a list or a quote belongs to
it. No recursion, and no line is looked at more than a few times, whatever the nesting. Where CommonMark lets a code
block or comment that is never closed swallow the rest of a document, it ends at the next blank line here, and a note
says so.
"""

from __future__ import annotations

import re

from recollect.structure.blocks import Blocks, indent_of
from recollect.structure.piece import BlockType

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]++(.*+))?$")
_ATX_END = re.compile(r"(?:^|(?<=[ \t]))#++$")  # hashes that close a heading
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_BREAK = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*(.*)$")
_ITEM = re.compile(r"( {0,3}(?:[-+*]|\d{1,9}[.)]))(?:([ \t]+)(?=\S)|[ \t]*$)")
_INTERRUPTING_ITEM = re.compile(r" {0,3}(?:[-+*]|1[.)])[ \t]+\S")
_DELIMITERS = re.compile(r" {0,3}\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$")
_CELL_END = re.compile(r"(?<!\\)\|")
_TITLE_LINE = re.compile(r"title[ \t]*[:=][ \t]*(.+)", re.IGNORECASE)
_LANGUAGE = re.compile(r"\{?\.?([\w+#.-]+)")

# HTML blocks: how one begins, and what ends it; None is a blank line.
_RAW = re.compile(r" {0,3}<(script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_MARKED = ((" {0,3}<!--", "-->"), (r" {0,3}<\?", "?>"), (r" {0,3}<!\[CDATA\[", "]]>"), (" {0,3}<![A-Za-z]", ">"))
_MARKED_HTML = tuple((re.compile(begin), end) for begin, end in _MARKED)
_BLOCK_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link "
    "main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead "
    "title tr track ul"
)
_BLOCK_TAG = re.compile(rf" {{0,3}}</?(?:{_BLOCK_TAGS.replace(' ', '|')})(?=\s|/?>|$)", re.IGNORECASE)
_ATTRIBUTE = r"""(?:\s++[\w:.@-]++(?:\s*+=\s*+(?:[^\s"'=<>`]++|'[^']*+'|"[^"]*+"))?+)"""
_LONE_TAG = re.compile(rf" {{0,3}}<(?:[A-Za-z][\w-]*+{_ATTRIBUTE}*+\s*+/?|/[A-Za-z][\w-]*+\s*+)>[ \t]*$")
_TABS = 4  # columns of indentation that make code


def read(text: str) -> Blocks:
    """The blocks of a Markdown text."""
    return _MarkdownReader(text.split("\n")).read()


class _MarkdownReader:
    """Each method below `read` takes the line a block may begin on, and returns the line after it, or 0: not one."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.out = Blocks()
        self._absent: dict[str, int] = {}  # closing marks that were looked for in vain: never looked for again
        self._starters = {
            "#": self._heading,
            "`": self._fence,
            "~": self._fence,
            ">": self._quote,
            "<": self._html,
            "-": self._break_or_list,
            "*": self._break_or_list,
            "_": self._break,
            "+": self._list,
        }
        self._starters |= dict.fromkeys("0123456789", self._list)

    def read(self) -> Blocks:
        at = self._front_matter()
        while at < len(self.lines):
            line = self.lines[at]
            lead = line.lstrip(" \t")
            if not lead or lead.isspace():
                at += 1
            elif lead is not line and indent_of(line) >= _TABS:
                at = self._indented(at)
            else:
                starter = self._starters.get(lead[0])
                at = (starter and starter(at)) or self._table(at) or self._paragraph(at)
        return self.out

    def _front_matter(self) -> int:
        mark = self.lines[0].rstrip()
        if mark not in ("---", "+++"):
            return 0
        for at in range(1, len(self.lines)):
            line = self.lines[at].rstrip()
            if line == mark or (line == "..." and mark == "---"):
                self.out.add(BlockType.CODE, self.lines, 0, at + 1, "yaml" if mark == "---" else "toml")
                return at + 1
            if not line and at == 1:
                return 0  # a break between paragraphs, not the head of a file
            if found := _TITLE_LINE.match(line):
                self.out.title = self.out.title or found[1].strip().strip("\"'")
        self.out.title = None
        return 0

    def _heading(self, at: int) -> int:
        found = _ATX.match(self.lines[at])
        if not found:
            return 0
        title = _ATX_END.sub("", (found[2] or "").rstrip(" \t")).rstrip(" \t")
        self.out.add_heading(len(found[1]), "" if title.strip("#") == "" else title, self.lines[at], at + 1, at + 1)
        return at + 1

    def _fence(self, at: int) -> int:
        found = _FENCE.match(self.lines[at])
        if not found or (found[1][0] == "`" and "`" in found[2]):
            return 0
        named = _LANGUAGE.match(found[2])
        end = self._closing_fence(at + 1, found[1][0], len(found[1]))
        if not end:
            end = self._blank_after(at + 1)
            self.out.notes.append(f"the code block on line {at + 1} is never closed")
        self.out.add(BlockType.CODE, self.lines, at, end, named[1].lower() if named else None)
        return end

    def _closing_fence(self, start: int, mark: str, length: int) -> int:
        """The line after the fence that closes one, 0 if there is none."""
        if length >= self._absent.get(mark, length + 1):
            return 0
        opening = mark * length
        for at in range(start, len(self.lines)):
            line = self.lines[at]
            if opening in line:
                closing = line.strip(" \t")
                if closing == mark * len(closing) and indent_of(line) < _TABS:
                    return at + 1
        self._absent[mark] = length
        return 0

    def _blank_after(self, at: int) -> int:
        while at < len(self.lines) and self.lines[at].strip():
            at += 1
        return at

    def _indented(self, at: int) -> int:
        start = end = at
        while at < len(self.lines):
            if self.lines[at].strip():
                if indent_of(self.lines[at]) < _TABS:
                    break
                end = at + 1
            at += 1
        self.out.add(BlockType.CODE, self.lines, start, end)
        return end

    def _quote(self, at: int) -> int:
        start = at
        at += 1
        while at < len(self.lines):
            line = self.lines[at]
            marked = line.lstrip(" ").startswith(">") and indent_of(line) < _TABS
            if not marked and (self._interrupted(at) or not self._lets_go_on(at - 1) or _ITEM.match(line)):
                break
            at += 1
        self.out.add(BlockType.QUOTE, self.lines, start, at)
        return at

    def _lets_go_on(self, at: int) -> bool:
        """Whether a quoted line is text of a paragraph, which may go on without a mark."""
        said = self.lines[at].lstrip(" ").removeprefix(">").removeprefix(" ")
        lead = said.strip(" \t>")
        return bool(lead) and indent_of(said) < _TABS and not (_ATX.match(lead) or _FENCE.match(lead))

    def _break(self, at: int) -> int:
        return at + 1 if _BREAK.match(self.lines[at]) else 0

    def _break_or_list(self, at: int) -> int:
        return self._break(at) or self._list(at)

    def _list(self, at: int) -> int:
        found = _ITEM.match(self.lines[at])
        if not found:
            return 0
        start, offset, end = at, _content_offset(found), at + 1
        blank, empty = False, found[2] is None
        for at in range(start + 1, len(self.lines)):
            line = self.lines[at]
            if not line.strip():
                blank = True
                continue
            item = _ITEM.match(line) if indent_of(line) < offset else None
            if indent_of(line) < offset:
                if item and not _BREAK.match(line):
                    offset = _content_offset(item)
                elif blank or empty or self._interrupted(at):
                    break
            blank, empty, end = False, item is not None and item[2] is None, at + 1
        self.out.add(BlockType.LIST, self.lines, start, end)
        return end

    def _html(self, at: int) -> int:
        line = self.lines[at]
        if found := _RAW.match(line):
            return self._html_until(at, f"</{found[1].lower()}>")
        for begin, end in _MARKED_HTML:
            if begin.match(line):
                return self._html_until(at, end)
        if _BLOCK_TAG.match(line) or _LONE_TAG.match(line):
            end_at = self._blank_after(at)
            self.out.add(BlockType.PROSE, self.lines, at, end_at)
            return end_at
        return 0

    def _html_until(self, start: int, mark: str) -> int:
        end = 0
        if mark not in self._absent:
            for at in range(start, len(self.lines)):
                if mark in self.lines[at].lower():
                    end = at + 1
                    break
            else:
                self._absent[mark] = 1
        if not end:
            end = self._blank_after(start)
            self.out.notes.append(f"the HTML on line {start + 1} is never closed")
        self.out.add(BlockType.PROSE, self.lines, start, end)
        return end

    def _table(self, at: int) -> int:
        if not self._begins_table(at):
            return 0
        end = at + 2
        while end < len(self.lines) and self.lines[end].strip() and not self._interrupted(end):
            end += 1
        self.out.add(BlockType.TABLE, self.lines, at, end)
        return end

    def _begins_table(self, at: int) -> bool:
        if at + 1 >= len(self.lines):
            return False
        head, delimiters = self.lines[at], self.lines[at + 1]
        if "|" not in delimiters and not ("|" in head or ":" in delimiters):
            return False
        if not _DELIMITERS.match(delimiters) or _UNDERLINE.match(delimiters):
            return False
        return _columns(head) == _columns(delimiters)

    def _paragraph(self, start: int) -> int:
        at = start + 1
        while at < len(self.lines):
            line = self.lines[at]
            if not line or line.isspace():
                break
            if line[0] in " -=" and (found := _UNDERLINE.match(line)):
                text = "\n".join(self.lines[start : at + 1])
                title = " ".join(self.lines[start:at])
                self.out.add_heading(1 if found[1][0] == "=" else 2, title, text, start + 1, at + 1)
                return at + 1
            if self._interrupted(at) or self._begins_table(at):
                break
            at += 1
        self.out.add(BlockType.PROSE, self.lines, start, at)
        return at

    def _interrupted(self, at: int) -> bool:
        """Whether a block begins here that ends the paragraph before it."""
        line = self.lines[at]
        lead = line.lstrip(" ")
        if not lead or lead[0] not in "#`~>-*_+1<" or len(line) - len(lead) >= _TABS:
            return False
        if lead[0] == "#":
            return _ATX.match(line) is not None
        if lead[0] in "`~":
            found = _FENCE.match(line)
            return found is not None and not (found[1][0] == "`" and "`" in found[2])
        if lead[0] == "<":
            return bool(_RAW.match(line) or _BLOCK_TAG.match(line) or any(b.match(line) for b, _ in _MARKED_HTML))
        return lead[0] == ">" or bool(_BREAK.match(line) or _INTERRUPTING_ITEM.match(line))


def _content_offset(item: re.Match[str]) -> int:
    """The column an item's own text begins in; what is indented that far belongs to it."""
    gap = len((item[2] or " ").expandtabs(4))
    return len(item[1]) + (gap if gap <= _TABS else 1)


def _columns(row: str) -> int:
    row = row.strip().removeprefix("|")
    if row.endswith("|") and not row.endswith("\\|"):
        row = row[:-1]
    return len(_CELL_END.findall(row)) + 1
