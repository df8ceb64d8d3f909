"""Documents cut where their author divided them (RFC-014 §3.2).

Headings and the cutting of long sections are the core's. So a code block that fits a chunk is never cut, and one that
does not is cut between its lines: RFC-014 would drop its end.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from recollect.compat.topology.chunks import Chunk, ChunkType
from recollect.compat.topology.spatial import HeadingStretch, PositionType, SpatialContext, one_line_end, stretches
from recollect.compat.topology.structural import (
    PREVIEW_CHARS,
    DocumentSection,
    DocumentTree,
    SectionType,
    infer_section_type,
)
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
