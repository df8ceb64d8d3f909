"""How a document is divided: sections, their tree, what a heading says about its section, and chunks cut along it.

`SectionType` here is what a section is for. The core's type of the same name is what a piece is made of: prose, code, a
table. Wrong trees are survived: a section that is its own ancestor is walked once.

Headings and the cutting of long sections are the core's. So a code block that fits a chunk is never cut, and one that
does not is cut between its lines: RFC-014 would drop its end.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from recollect.compat.topology.spatial import HeadingStretch, PositionType, SpatialContext, one_line_end, stretches
from recollect.config.writing import StructureSettings
from recollect.errors import UsageError
from recollect.limits import CONTENT_BYTES_CEILING
from recollect.structure import markdown, plain
from recollect.structure.piece import PieceSizes
from recollect.structure.sections import pieces_of_blocks

_DEFAULTS = StructureSettings()
_UNTITLED = "Untitled"
_PART_CHARS = 80  # of a part, in its title
_TOKENS_PER_WORD = 1.3
_ADMONITION = re.compile(
    r"^\s*(?:> *\[!\w+\]|!!! *\w|:::+ *\w|\.\. (?:note|warning|tip|caution|important|danger)::|"
    r"(?:> *)?\*\*(?:note|warning|tip|caution|important|danger)\b)",
    re.IGNORECASE | re.MULTILINE,
)
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


class ChunkType(StrEnum):
    """How much a chunk holds. RFC-014 makes only the smallest."""

    MICRO = "micro"


@dataclass(frozen=True, slots=True)
class Chunk:
    """One stretch: from which turn or line to which, what it is about, and how long it is.

    `content` is the text itself, which RFC-014 leaves in the section; where a section was cut, each chunk has a part.
    """

    id: str
    chunk_type: ChunkType
    turn_range: tuple[int, int] = (0, 0)
    summary: str = ""
    token_count: int = 0
    themes: tuple[str, ...] = ()
    content: str = ""


Cut = tuple[Chunk, SpatialContext, DocumentSection]


class StructuralChunker:
    """Cuts Markdown by its sections. A section is one chunk, unless it has more than `max_chunk_size` characters."""

    def __init__(
        self,
        min_chunk_size: int = _DEFAULTS.chunk_chars_min,
        max_chunk_size: int = _DEFAULTS.chunk_chars_max,
        preserve_code_blocks: bool = True,
    ) -> None:
        if max_chunk_size < min_chunk_size == _DEFAULTS.chunk_chars_min:
            min_chunk_size = max_chunk_size  # who gives only a small maximum means both
        if not 1 <= min_chunk_size <= max_chunk_size:
            raise UsageError("a chunk has at least 1 character, and max_chunk_size is not below min_chunk_size")
        self.min_chunk_size = min_chunk_size
        self.max_chunk_size = max_chunk_size
        self.preserve_code_blocks = preserve_code_blocks

    def parse_document(self, file_path: str, content: str) -> DocumentTree:
        """The tree of a document's sections. Text before the first heading is a section of level 0 without a title."""
        tree = DocumentTree(file_path=file_path)
        content = one_line_end(content)
        lines = content.split("\n")
        above: list[DocumentSection] = []
        for stretch in stretches(content):
            body = "\n".join(lines[stretch.body - 1 : stretch.last])
            if not stretch.level and not body.strip():
                continue
            section = _section(file_path, stretch, body)
            while above and above[-1].level >= section.level:
                above.pop()
            if above:
                section.parent_id = above[-1].id
                above[-1].child_ids.append(section.id)
            tree.add_section(section)
            if section.level:
                above.append(section)
        return tree

    def chunk_document(self, file_path: str, content: str) -> list[Cut]:
        """(chunk, position, section) for everything that a document says, in its order."""
        tree = self.parse_document(file_path, content)
        in_order = sorted(tree.iter_depth_first(), key=lambda section: section.line_start)
        return [cut for section in in_order for cut in self._chunks(section, tree)]

    def _chunks(self, section: DocumentSection, tree: DocumentTree) -> Iterator[Cut]:
        if not section.content.strip():
            return
        path = tuple(title for title in tree.get_section_path(section.id) if title)
        title = path[-1] if path else _UNTITLED
        spatial = SpatialContext(
            position_type=PositionType.DOCUMENT,
            file_path=tree.file_path,
            section_path=path,
            line_range=(section.line_start, section.line_end),
            heading_level=section.level,
        )
        if len(section.content) <= self.max_chunk_size:
            head = f"{title}: {section.content[:PREVIEW_CHARS]}..."
            yield _chunk(f"struct_{section.id}", section, section.content, head), spatial, section
            return
        for number, part in enumerate(self._parts(section.content)):
            head = f"{title} (part {number + 1}): {part[:_PART_CHARS]}..."
            yield _chunk(f"struct_{section.id}_{number}", section, part, head), spatial, section

    def _parts(self, content: str) -> list[str]:
        sizes = PieceSizes(self.min_chunk_size, self.max_chunk_size, CONTENT_BYTES_CEILING)
        blocks = markdown.read(content) if self.preserve_code_blocks else plain.read(content)
        return [piece.text for piece in pieces_of_blocks(blocks, path=None, sizes=sizes)[0]]


def _section(file_path: str, stretch: HeadingStretch, body: str) -> DocumentSection:
    name = f"{file_path}:{stretch.first}:{stretch.title}"
    return DocumentSection(
        id=hashlib.md5(name.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:12],
        title=stretch.title,
        level=stretch.level,
        section_type=infer_section_type(stretch.title),
        content=body,
        line_start=stretch.first,
        line_end=stretch.last,
        word_count=len(body.split()),
        has_code="```" in body or "~~~" in body,
        has_admonitions=bool(_ADMONITION.search(body)),
    )


def _chunk(id: str, section: DocumentSection, content: str, summary: str) -> Chunk:
    known = section.section_type is not SectionType.UNKNOWN
    return Chunk(
        id=id,
        chunk_type=ChunkType.MICRO,
        turn_range=(section.line_start, section.line_end),
        summary=summary,
        token_count=int(len(content.split()) * _TOKENS_PER_WORD),
        content=content,
        themes=(section.section_type.value,) if known else (),
    )
