"""A page made of memories, to be read: a title, and under headings lines that name the records they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.model.showable import in_markdown

ID_CHARS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLine:
    """One line. `id` is the record that it tells of, None where it tells of several or of none."""

    text: str
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSection:
    """Lines under a heading."""

    heading: str
    lines: tuple[PageLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePage:
    """What a memory tells of a time. `text` is all of it as Markdown; what was stored stays text in it."""

    title: str
    since: datetime
    until: datetime
    sections: tuple[PageSection, ...] = ()

    @property
    def text(self) -> str:
        """The page as Markdown."""
        parts = [f"# {self.title}"]
        for section in self.sections:
            lines = [f"- {_line(each)}" for each in section.lines]
            parts.append("\n".join((f"## {section.heading}", "", *lines)))
        return "\n\n".join(parts) + "\n"

    def section(self, heading: str) -> PageSection | None:
        """The section of that heading, if the page has it."""
        return next((each for each in self.sections if each.heading == heading), None)

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "since": self.since.isoformat(),
            "until": self.until.isoformat(),
            "sections": [
                {"heading": each.heading, "lines": [{"text": line.text, "id": line.id} for line in each.lines]}
                for each in self.sections
            ],
            "text": self.text,
        }


def _line(told: PageLine) -> str:
    text = in_markdown(told.text, one_line=True)
    return text if told.id is None else f"{text} (#{told.id[:ID_CHARS]})"
