"""reStructuredText, read line by line: titles, directives, literal blocks, tables, lists.

What docutils would make of roles and substitutions is of no interest here; only the outer blocks are told apart.
Comments are left out.
"""

from __future__ import annotations

import re

from recollect.limits import SECTION_DEPTH_MAX
from recollect.structure.blocks import Blocks, indent_of
from recollect.structure.piece import BlockType

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1+\s*$")
_DIRECTIVE = re.compile(r"\.\.[ \t]+(?:\|[^|]+\|[ \t]+)?([\w:.+-]+?)[ \t]*::(?:[ \t]+(.*))?$")
_TARGET = re.compile(r"\.\.[ \t]+_([^:]+):|\.\.[ \t]+\[")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|(?:\d{1,4}|[a-zA-Z#])[.)]|\((?:\d{1,4}|[a-zA-Z#])\))[ \t]+\S")
_FIELD = re.compile(r":[^:\s][^:]*:(?:[ \t]|$)")
_GRID = re.compile(r"\+[-=+]{3,}\+\s*$")
_SIMPLE = re.compile(r"=+(?:[ \t]+=+)+\s*$")
_DIRECTIVES = {  # what their body is, if not prose
    **dict.fromkeys(
        "code code-block sourcecode literalinclude parsed-literal math doctest testcode prompt highlight "
        "productionlist graphviz mermaid".split(),
        BlockType.CODE,
    ),
    **dict.fromkeys("table list-table csv-table".split(), BlockType.TABLE),
    **dict.fromkeys("toctree contents hlist".split(), BlockType.LIST),
}
_SHORT_RULE = 4  # an underline of at least this counts even if its title is longer


def read(text: str) -> Blocks:
    """The blocks of a reStructuredText."""
    return _RstReader(text.split("\n")).read()


class _RstReader:
    """Each method below `read` takes the line a block may begin on, and returns the line after it, or 0: not one."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.out = Blocks()
        self._styles: list[tuple[str, bool]] = []  # of titles, in the order they were first used
        self._anchor: str | None = None
        self._literal = False  # the paragraph before ended with `::`

    def read(self) -> Blocks:
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            if not line or line.isspace():
                at += 1
                continue
            literal, self._literal = self._literal, False
            if indent_of(line):
                at = self._indented(at, BlockType.CODE if literal else BlockType.QUOTE)
            else:
                at = self._marked(at) or self._title(at) or self._table(at) or self._list(at) or self._paragraph(at)
        return self.out

    def _marked(self, at: int) -> int:
        """Explicit markup: a directive, a target, a comment."""
        line = self.lines[at]
        if not (line.startswith(".. ") or line.rstrip() in ("..", "__")):
            return 0
        end = self._body_end(at)
        if target := _TARGET.match(line):
            self._anchor = (target[1] or "").strip() or self._anchor
        elif found := _DIRECTIVE.match(line):
            name = found[1].rpartition(":")[2].lower()
            kind = _DIRECTIVES.get(name, BlockType.PROSE)
            language = (found[2] or "").strip().lower() or None
            self.out.add(kind, self.lines, at, end, language if kind is BlockType.CODE else None)
        return end

    def _body_end(self, at: int) -> int:
        """The line after everything indented below this one."""
        end = at + 1
        for below in range(at + 1, len(self.lines)):
            line = self.lines[below]
            if line and not line.isspace():
                if not indent_of(line):
                    break
                end = below + 1
        return end

    def _indented(self, at: int, type: BlockType) -> int:
        end = self._body_end(at)
        self.out.add(type, self.lines, at, end)
        return end

    def _title(self, at: int) -> int:
        line = self.lines[at]
        over = _RULE.match(line)
        if over and at + 2 < len(self.lines):
            text, under = self.lines[at + 1].strip(), self.lines[at + 2].rstrip()
            if text and under == line.rstrip() and not _RULE.match(text):
                return self._headed(at, at + 3, text, (over[1], True))
        if not over and at + 1 < len(self.lines) and (under_rule := _RULE.match(self.lines[at + 1])):
            length = len(self.lines[at + 1].rstrip())
            if length >= min(len(line.rstrip()), _SHORT_RULE):
                return self._headed(at, at + 2, line.strip(), (under_rule[1], False))
        return at + 1 if over and len(line.rstrip()) >= _SHORT_RULE and not _SIMPLE.match(line) else 0

    def _headed(self, at: int, end: int, title: str, style: tuple[str, bool]) -> int:
        if style not in self._styles:
            self._styles.append(style)
        level = min(self._styles.index(style) + 1, SECTION_DEPTH_MAX)
        self.out.add_heading(level, title, "\n".join(self.lines[at:end]), at + 1, end, self._anchor)
        self._anchor = None
        return end

    def _table(self, at: int) -> int:
        line = self.lines[at]
        if _GRID.match(line):
            end = at + 1
            while end < len(self.lines) and self.lines[end].startswith(("+", "|")):
                end += 1
        elif _SIMPLE.match(line):
            end = self._simple_table_end(at)
        else:
            return 0
        self.out.add(BlockType.TABLE, self.lines, at, end)
        return end

    def _simple_table_end(self, at: int) -> int:
        """After the rule that a blank line follows; without one, at the first blank line."""
        for end in range(at + 1, len(self.lines)):
            after = self.lines[end + 1] if end + 1 < len(self.lines) else ""
            if _SIMPLE.match(self.lines[end]) and not after.strip():
                return end + 1
            if not self.lines[end].strip() and not indent_of(after) and not after.startswith(("=", "\\")):
                return end
        return len(self.lines)

    def _list(self, at: int) -> int:
        if not (_ITEM.match(self.lines[at]) or _FIELD.match(self.lines[at])):
            return 0
        end = at + 1
        for below in range(at + 1, len(self.lines)):
            line = self.lines[below]
            if not line or line.isspace():
                continue
            if not (indent_of(line) or _ITEM.match(line) or _FIELD.match(line)):
                break
            end = below + 1
        self.out.add(BlockType.LIST, self.lines, at, end)
        return end

    def _paragraph(self, at: int) -> int:
        end = at + 1
        while end < len(self.lines) and self.lines[end].strip():
            if end + 1 < len(self.lines) and self.lines[end + 1].strip() and not indent_of(self.lines[end]):
                rule = _RULE.match(self.lines[end + 1])
                if rule and len(self.lines[end + 1].rstrip()) >= len(self.lines[end].rstrip()) and end > at:
                    break
            end += 1
        code = self.lines[at].startswith(">>>")
        self.out.add(BlockType.CODE if code else BlockType.PROSE, self.lines, at, end, "python" if code else None)
        self._literal = self.lines[end - 1].rstrip().endswith("::")
        return end
