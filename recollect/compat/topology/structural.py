"""How a document is divided (RFC-014 §3.1): sections, their tree, and what a heading says about its section.

`SectionType` here is what a section is for. The core's type of the same name is what a piece is made of: prose, code, a
table. Wrong trees are survived: a section that is its own ancestor is walked once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

PREVIEW_CHARS = 100  # of a text that stands for the whole


class SectionType(StrEnum):
    OVERVIEW = "overview"
    TUTORIAL = "tutorial"
    HOWTO = "howto"
    REFERENCE = "reference"
    EXPLANATION = "explanation"
    INTRODUCTION = "introduction"
    INSTALLATION = "installation"
    QUICKSTART = "quickstart"
    CONFIGURATION = "configuration"
    API = "api"
    EXAMPLES = "examples"
    TROUBLESHOOTING = "troubleshooting"
    FAQ = "faq"
    LIMITATIONS = "limitations"
    CHANGELOG = "changelog"
    UNKNOWN = "unknown"


# The first type one of whose words stands in the heading; so "Getting started" installs, and an FAQ troubleshoots.
_HEADINGS = {
    SectionType.OVERVIEW: "overview, introduction, about",
    SectionType.INSTALLATION: "install, setup, getting started",
    SectionType.QUICKSTART: "quickstart, quick start",
    SectionType.CONFIGURATION: "config, settings, options",
    SectionType.API: "api, reference, specification",
    SectionType.EXAMPLES: "example, usage, demo",
    SectionType.TROUBLESHOOTING: "troubleshoot, debug, common issues, faq",
    SectionType.LIMITATIONS: "limit, caveat, known issues, restrictions",
    SectionType.CHANGELOG: "changelog, history, release notes, what's new",
    # Beyond RFC-014, which has these types and no words for them:
    SectionType.TUTORIAL: "tutorial",
    SectionType.HOWTO: "how to, how-to, howto",
    SectionType.EXPLANATION: "explanation",
}
_WORDS = tuple((kind, tuple(words.split(", "))) for kind, words in _HEADINGS.items())


def infer_section_type(title: str) -> SectionType:
    """What a section is for, by its heading."""
    lowered = title.lower()
    return next((kind for kind, words in _WORDS if any(word in lowered for word in words)), SectionType.UNKNOWN)


@dataclass
class DocumentSection:
    """A heading and the text below it, up to the next heading. `word_count` and `content` are without subsections."""

    id: str
    title: str
    level: int
    section_type: SectionType = SectionType.UNKNOWN
    content: str = ""
    line_start: int = 0
    line_end: int = 0
    parent_id: str | None = None
    child_ids: list[str] = field(default_factory=list)
    word_count: int = 0
    has_code: bool = False
    has_admonitions: bool = False


@dataclass
class DocumentTree:
    """The sections of one document. `root_id` is its first section of level 1."""

    file_path: str
    root_id: str = ""
    _sections: dict[str, DocumentSection] = field(default_factory=dict)

    def add_section(self, section: DocumentSection) -> None:
        """Take a section in; one with the same id is replaced."""
        self._sections[section.id] = section
        if section.level == 1 and not self.root_id:
            self.root_id = section.id

    def get_section(self, section_id: str) -> DocumentSection | None:
        return self._sections.get(section_id)

    def get_children(self, section_id: str) -> list[DocumentSection]:
        """The sections directly below one."""
        section = self._sections.get(section_id)
        return self._known(section.child_ids) if section else []

    def get_ancestors(self, section_id: str) -> list[DocumentSection]:
        """From the section's parent up to the root."""
        above: dict[str, DocumentSection] = {}
        current = self._sections.get(section_id)
        while current is not None and current.parent_id:
            current = self._sections.get(current.parent_id)
            if current is None or current.id in above or current.id == section_id:
                break
            above[current.id] = current
        return list(above.values())

    def get_siblings(self, section_id: str) -> list[DocumentSection]:
        """The other sections directly below the same one."""
        section = self._sections.get(section_id)
        parent = self._sections.get(section.parent_id) if section and section.parent_id else None
        return self._known(child for child in parent.child_ids if child != section_id) if parent else []

    def get_section_path(self, section_id: str) -> list[str]:
        """The headings from the root down to a section, its own included."""
        section = self._sections.get(section_id)
        above = [each.title for each in reversed(self.get_ancestors(section_id))]
        return [*above, section.title] if section else above

    def find_by_title(self, title: str, fuzzy: bool = False) -> list[DocumentSection]:
        """Sections with this heading, in any case; `fuzzy` finds it inside longer ones too."""
        wanted = title.lower()
        return [
            section
            for section in self._sections.values()
            if section.title.lower() == wanted or (fuzzy and wanted in section.title.lower())
        ]

    def find_by_type(self, section_type: SectionType) -> list[DocumentSection]:
        return [section for section in self._sections.values() if section.section_type == section_type]

    def find_by_level(self, level: int) -> list[DocumentSection]:
        return [section for section in self._sections.values() if section.level == level]

    def iter_depth_first(self) -> Iterator[DocumentSection]:
        """Every section once, each before those below it: the root's first, then those of other beginnings.

        RFC-014 walks from the root only, and so loses what stands before it or under a second heading of level 1.
        """
        seen: set[str] = set()
        starts = [self.root_id, *(key for key, section in self._sections.items() if not self._has_parent(section))]
        waiting = [*reversed(self._sections), *reversed(starts)]  # the whole list last: circles have no beginning
        while waiting:
            key = waiting.pop()
            section = self._sections.get(key)
            if section is None or key in seen:
                continue
            seen.add(key)
            yield section
            waiting.extend(reversed(section.child_ids))

    def _has_parent(self, section: DocumentSection) -> bool:
        return section.parent_id is not None and section.parent_id in self._sections

    def _known(self, ids: Iterable[str]) -> list[DocumentSection]:
        return [self._sections[key] for key in ids if key in self._sections]
