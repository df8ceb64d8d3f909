"""RFC-014's values without a store, continued: document trees, chunks, facets, nodes."""

from __future__ import annotations

from timeit import timeit
from typing import ClassVar

import pytest

from recollect.compat.topology import (
    ConfidenceLevel,
    ContentFacets,
    DiataxisType,
    DocumentSection,
    DocumentTree,
    FacetedIndex,
    FacetExtractor,
    FacetQuery,
    MemoryNode,
    PersonaType,
    PositionType,
    SectionType,
    SpatialContext,
    StructuralChunker,
    VerificationState,
    infer_section_type,
)
from recollect.errors import UsageError

GUIDE = """Read this first.

# Atlas

About the whole.

## Install

```sh
# not a heading
pip install atlas
```

## Limitations

No offline mode.

### Known issues

> [!NOTE]
> It is slow.

# Appendix

More.
"""


# --- documents


@pytest.mark.parametrize(
    ("title", "type_"),
    [
        ("Overview", "overview"),
        ("Introduction", "overview"),
        ("Getting Started", "installation"),
        ("Quick start", "quickstart"),
        ("Configuration options", "configuration"),
        ("API Reference", "api"),
        ("Usage examples", "examples"),
        ("FAQ", "troubleshooting"),
        ("Known Issues", "limitations"),
        ("What's new", "changelog"),
        ("A tutorial", "tutorial"),
        ("How to sail", "howto"),
        ("Ana", "unknown"),
    ],
)
def test_a_heading_says_what_a_section_is_for(title: str, type_: str) -> None:
    assert infer_section_type(title) is SectionType(type_)


def tree() -> DocumentTree:
    return StructuralChunker().parse_document("a.md", GUIDE)


def named(found: list[DocumentSection]) -> list[str]:
    return [section.title for section in found]


def test_a_document_becomes_a_tree() -> None:
    guide = tree()
    (atlas,) = guide.find_by_title("atlas")
    assert guide.root_id == atlas.id
    assert named(guide.get_children(atlas.id)) == ["Install", "Limitations"]
    (issues,) = guide.find_by_title("issues", fuzzy=True)
    assert guide.get_section_path(issues.id) == ["Atlas", "Limitations", "Known issues"]
    assert named(guide.get_ancestors(issues.id)) == ["Limitations", "Atlas"]
    (install,) = guide.find_by_type(SectionType.INSTALLATION)
    assert named(guide.get_siblings(install.id)) == ["Limitations"]
    assert named(guide.find_by_level(1)) == ["Atlas", "Appendix"]
    assert (install.has_code, issues.has_admonitions, install.has_admonitions) == (True, True, False)
    assert (install.line_start, install.line_end) == (7, 13)
    assert install.word_count == len(install.content.split())


def test_no_section_is_lost() -> None:
    assert named(list(tree().iter_depth_first())) == [
        "Atlas",
        "Install",
        "Limitations",
        "Known issues",
        "",
        "Appendix",
    ]


def test_what_is_not_there_is_nothing() -> None:
    guide = tree()
    assert guide.get_section("nobody") is None
    for ask in (guide.get_children, guide.get_ancestors, guide.get_siblings, guide.get_section_path):
        assert ask("nobody") == []
    assert list(DocumentTree("a.md").iter_depth_first()) == []


def test_sections_that_are_their_own_ancestors_are_walked_once() -> None:
    circle = DocumentTree("a.md")
    circle.add_section(DocumentSection("a", "A", 2, parent_id="b", child_ids=["b"]))
    circle.add_section(DocumentSection("b", "B", 3, parent_id="a", child_ids=["a", "gone"]))
    assert [section.id for section in circle.iter_depth_first()] == ["a", "b"]
    assert [section.id for section in circle.get_ancestors("a")] == ["b"]
    assert circle.get_section_path("b") == ["A", "B"]


def test_a_very_deep_tree_is_walked() -> None:
    deep = DocumentTree("a.md")
    for i in range(5_000):
        deep.add_section(DocumentSection(str(i), "x", 1 + (i > 0), parent_id=str(i - 1), child_ids=[str(i + 1)]))
    assert sum(1 for _ in deep.iter_depth_first()) == 5_000


def test_a_section_is_a_chunk() -> None:
    chunks = StructuralChunker().chunk_document("a.md", GUIDE)
    limits = next(cut for cut in chunks if cut[2].title == "Limitations")
    chunk, where, section = limits
    assert chunk.id == f"struct_{section.id}"
    assert chunk.chunk_type.value == "micro"
    assert chunk.summary.startswith("Limitations: ")
    assert chunk.themes == ("limitations",)
    assert chunk.token_count == int(section.word_count * 1.3)
    assert where.section_path == ("Atlas", "Limitations")
    assert chunk.turn_range == where.line_range == (section.line_start, section.line_end)
    assert any(chunk.summary.startswith("Untitled: Read this") for chunk, *_ in chunks)


def test_text_before_the_first_heading_comes_first() -> None:
    cuts = StructuralChunker().chunk_document("f.md", "intro\n\n# A\nx\n\n## B\ny\n\n# C\nz\n")
    assert [chunk.content.strip() for chunk, _, _ in cuts] == ["intro", "x", "y", "z"]


def test_a_small_maximum_alone_is_a_minimum_too() -> None:
    cuts = StructuralChunker(max_chunk_size=60).chunk_document("f.md", "# A\n\n" + "word " * 40)
    assert len(cuts) > 1
    assert all(len(chunk.content) <= 60 for chunk, _, _ in cuts)


def test_a_long_section_is_cut_and_nothing_of_it_is_lost() -> None:
    code = "```py\n" + "\n".join(f"call({i})" for i in range(200)) + "\n```"
    prose = "\n\n".join(f"Paragraph {i} says something about sailing." for i in range(40))
    chunks = StructuralChunker(max_chunk_size=600).chunk_document("a.md", f"# Long\n\n{prose}\n\n{code}\n")
    assert len(chunks) > 4
    assert all(len(chunk.content) <= 600 for chunk, *_ in chunks)
    said = "\n".join(chunk.content for chunk, *_ in chunks)
    assert all(f"call({i})" in said for i in range(200))
    assert all(f"Paragraph {i} " in said for i in range(40))
    assert [chunk.id[-2:] for chunk, *_ in chunks[:2]] == ["_0", "_1"]
    assert "(part 1)" in chunks[0][0].summary


def test_a_code_block_that_fits_is_not_cut() -> None:
    code = "```py\n" + "x = 1\n\n" * 40 + "```"
    text = f"# A\n\n{'word ' * 80}\n\n{code}\n"
    chunks = StructuralChunker(max_chunk_size=500).chunk_document("a.md", text)
    assert any(code in chunk.content for chunk, *_ in chunks)


@pytest.mark.parametrize("sizes", [(0, 10), (20, 10)])
def test_sizes_that_make_no_sense_are_refused(sizes: tuple[int, int]) -> None:
    with pytest.raises(UsageError):
        StructuralChunker(*sizes)


# --- facets


def test_nodes_are_found_by_their_facets() -> None:
    index = FacetedIndex()
    index.add("n1", ContentFacets(diataxis_type=DiataxisType.TUTORIAL))
    index.add("n2", ContentFacets(diataxis_type=DiataxisType.TUTORIAL))
    index.add("n3", ContentFacets(diataxis_type=DiataxisType.REFERENCE))
    assert index.query(FacetQuery(diataxis_type=DiataxisType.TUTORIAL)) == [("n1", 1.0), ("n2", 1.0)]
    assert len(index.query(FacetQuery())) == 3


def test_every_part_of_a_question_has_to_hold() -> None:
    index = FacetedIndex()
    index.add("a", ContentFacets(primary_persona=PersonaType.NOVICE, domain_tags=("cli", "api"), source_type="docs"))
    index.add("b", ContentFacets(secondary_personas=(PersonaType.NOVICE,), domain_tags=("cli",)))
    assert index.query(FacetQuery(persona=PersonaType.NOVICE)) == [("a", 1.0), ("b", 0.7)]
    assert index.query(FacetQuery(persona=PersonaType.NOVICE, domain_tags=("cli", "api"))) == [("a", 1.0)]
    assert index.query(FacetQuery(domain_tags=("cli", "config"))) == []
    assert index.query(FacetQuery(source_types=("docs", "code"))) == [("a", 1.0)]
    assert index.query(FacetQuery(persona=PersonaType.EXPERT)) == []


def test_states_are_alternatives_and_levels_a_least() -> None:
    index = FacetedIndex()
    for level in ConfidenceLevel:
        index.add(level.value, ContentFacets(confidence=level, verification_state=VerificationState.DISPUTED))
    assert {n for n, _ in index.query(FacetQuery(min_confidence=ConfidenceLevel.MODERATE))} == {"high", "moderate"}
    states = (VerificationState.VERIFIED, VerificationState.DISPUTED)
    assert len(index.query(FacetQuery(verification_states=states))) == 4
    assert index.query(FacetQuery(verification_states=states[:1])) == []


def test_a_node_that_is_added_again_is_replaced() -> None:
    index = FacetedIndex()
    index.add("a", ContentFacets(domain_tags=("cli",)))
    index.add("a", ContentFacets(domain_tags=("api",), diataxis_type=DiataxisType.HOWTO))
    assert index.query(FacetQuery(domain_tags=("cli",))) == []
    assert index.get_facets("a") == ContentFacets(domain_tags=("api",), diataxis_type=DiataxisType.HOWTO)
    assert index.get_facets("b") is None
    stats = index.stats()
    assert (stats["total_nodes"], stats["domain_tags"], stats["by_diataxis"]) == (1, {"api": 1}, {"howto": 1})


def test_matches_is_the_mean_of_what_each_part_scores() -> None:
    facets = ContentFacets(diataxis_type=DiataxisType.HOWTO, domain_tags=("cli",))
    assert facets.matches(FacetQuery()) == 1.0
    assert facets.matches(FacetQuery(domain_tags=("cli", "api"))) == 0.5
    assert facets.matches(FacetQuery(diataxis_type=DiataxisType.HOWTO, persona=PersonaType.EXPERT)) == 0.5


def test_ten_thousand_nodes_are_searched_in_milliseconds() -> None:
    index = FacetedIndex()
    for i in range(10_000):
        index.add(str(i), ContentFacets(diataxis_type=list(DiataxisType)[i % 4], domain_tags=(f"d{i % 100}",)))
    query = FacetQuery(diataxis_type=DiataxisType.HOWTO, domain_tags=("d5",))
    assert timeit(lambda: index.query(query), number=10) < 0.5


def test_facets_come_from_words_and_from_the_section() -> None:
    extract = FacetExtractor().extract_from_text
    learned = extract("Learn it step by step: a walkthrough for a beginner at the command line, in the terminal.")
    assert (learned.diataxis_type, learned.primary_persona) == (DiataxisType.TUTORIAL, PersonaType.NOVICE)
    assert "cli" in learned.domain_tags
    assert (learned.source_type, learned.source_authority) == ("docs", 0.9)
    plain = extract("Ana sails.", source_type="user")
    assert (plain.diataxis_type, plain.primary_persona, plain.source_authority) == (None, PersonaType.PRAGMATIST, 0.7)
    section = DocumentSection("s", "Anything", 2, section_type=SectionType.API)
    assert extract("Learn it step by step.", section).diataxis_type is DiataxisType.REFERENCE


def test_certain_words_and_doubtful_ones_set_the_level() -> None:
    extract = FacetExtractor().extract_from_text
    assert extract("It must always hold and never fail.").confidence is ConfidenceLevel.HIGH
    assert extract("Maybe it might work, possibly, usually.").confidence is not ConfidenceLevel.HIGH
    assert extract("It holds.").confidence is ConfidenceLevel.MODERATE


def test_a_node_is_told_in_one_line() -> None:
    node = MemoryNode(
        id="n",
        content="x" * 120,
        spatial=SpatialContext(PositionType.CODE, module_path="atlas"),
        section=DocumentSection("s", "S", 1, section_type=SectionType.API),
        facets=ContentFacets(diataxis_type=DiataxisType.REFERENCE),
    )
    assert node.summary() == f"atlas [api] (reference) {'x' * 100}..."
    assert MemoryNode(id="n", content="short").summary() == "short"


def test_a_subclass_may_bring_its_own_wording() -> None:
    class Ours(FacetExtractor):
        DIATAXIS_PATTERNS: ClassVar = {**FacetExtractor.DIATAXIS_PATTERNS, DiataxisType.TUTORIAL: [r"\bkata\b"]}
        PERSONA_PATTERNS: ClassVar = {PersonaType.EXPERT: [r"\bsensei\b"]}
        DOMAIN_KEYWORDS: ClassVar = {"aikido": [r"\bdojo\b", r"\bsensei\b"]}

    text = "The sensei shows the kata in the dojo; the API of the sensor is documented."
    plain, ours = FacetExtractor().extract_from_text(text), Ours().extract_from_text(text)
    assert plain.diataxis_type is DiataxisType.REFERENCE
    assert (ours.diataxis_type, ours.primary_persona) == (DiataxisType.TUTORIAL, PersonaType.EXPERT)
    assert ours.domain_tags == ("aikido", *plain.domain_tags)


def test_one_state_may_be_named_alone() -> None:
    asked = FacetQuery(verification_state=VerificationState.VERIFIED)
    assert asked == FacetQuery(verification_states=(VerificationState.VERIFIED,))
    assert asked.has_constraints()
    assert not FacetQuery().has_constraints()


def test_one_facet_of_a_hundred_thousand_nodes_takes_milliseconds() -> None:
    index, types = FacetedIndex(), list(DiataxisType)
    for number in range(100_000):
        index.add(f"n{number}", ContentFacets(diataxis_type=types[number % len(types)]))
    question = FacetQuery(diataxis_type=types[0])
    assert len(index.query(question)) == 100_000 // len(types)
    assert min(timeit(lambda: index.query(question), number=1) for _ in range(5)) < 0.05
