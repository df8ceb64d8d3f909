"""RFC-014's values without a store: places, the concept graph, and what is extracted from texts."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from timeit import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.compat import topology
from recollect.compat.topology import (
    ConceptEdge,
    ConceptGraph,
    PositionType,
    RelationType,
    SpatialContext,
    SpatialExtractor,
    SpatialQuery,
    TopologyExtractor,
    spatial_match,
)

NOW = datetime(2026, 5, 13, 12, tzinfo=UTC)
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


def context(**more: object) -> SpatialContext:
    return SpatialContext(**{"position_type": PositionType.DOCUMENT, **more})  # type: ignore[arg-type]


def edge(source: str, target: str, relation: RelationType = RelationType.ELABORATES, **more: object) -> ConceptEdge:
    return ConceptEdge(source, target, relation, **more)  # type: ignore[arg-type]


def graph_of(*edges: ConceptEdge) -> ConceptGraph:
    graph = ConceptGraph()
    for each in edges:
        graph.add_edge(each)
    return graph


def test_everything_the_rfc_names_is_exported() -> None:
    for name in topology.__all__:
        assert getattr(topology, name) is not None


# --- places


def test_a_section_is_found_in_the_path_in_any_case() -> None:
    here = context(file_path="docs/rfc.md", section_path=("Design", "Architecture", "Caching"), heading_level=3)
    assert spatial_match(here, SpatialQuery(section_contains="caching")) == 1.0
    assert spatial_match(here, SpatialQuery(section_contains="Design > Arch")) == 1.0
    assert spatial_match(here, SpatialQuery(section_contains="Limitations")) == 0.0


def test_files_are_matched_by_globs() -> None:
    here = context(file_path="src/atlas/sync/store.py")
    assert spatial_match(here, SpatialQuery(file_pattern="src/**/*.py")) == 1.0
    assert spatial_match(here, SpatialQuery(file_pattern="src/*")) == 1.0
    assert spatial_match(here, SpatialQuery(file_pattern="docs/*.md")) == 0.0


def test_what_lies_deeper_than_asked_counts_for_half_and_what_is_under_no_heading_in_full() -> None:
    query = SpatialQuery(heading_level_max=2)
    assert [spatial_match(context(heading_level=level), query) for level in (0, 1, 2, 3)] == [1.0, 1.0, 1.0, 0.5]


def test_code_is_matched_by_module_class_and_function() -> None:
    here = SpatialContext(PositionType.CODE, module_path="atlas.sync", class_name="Store", function_name="open")
    assert spatial_match(here, SpatialQuery(module_prefix="atlas", in_class="Store", in_function="open")) == 1.0
    assert spatial_match(here, SpatialQuery(module_prefix="other")) == 0.0
    assert spatial_match(here, SpatialQuery(in_class="Cache")) == 0.0
    assert spatial_match(context(), SpatialQuery(in_function="open")) == 0.0


def test_what_a_context_does_not_say_is_not_held_against_it() -> None:
    query = SpatialQuery(file_pattern="docs/*", section_contains="Design", module_prefix="atlas", line_range=(1, 2))
    assert spatial_match(context(), query) == 1.0
    assert spatial_match(context(), SpatialQuery()) == 1.0


def test_lines_have_to_overlap() -> None:
    here = context(line_range=(10, 20))
    asked = [(1, 9), (1, 10), (15, 16), (20, 30), (21, 30)]
    assert [spatial_match(here, SpatialQuery(line_range=each)) for each in asked] == [0.0, 1.0, 1.0, 1.0, 0.0]


def test_a_match_takes_microseconds() -> None:
    here = context(file_path="docs/a.md", section_path=("A", "B"))
    query = SpatialQuery(file_pattern="docs/*.md", section_contains="B")
    assert timeit(lambda: spatial_match(here, query), number=10_000) < 1.0


@pytest.mark.parametrize(
    ("here", "shown"),
    [
        (context(file_path="a.md", line_range=(3, 4), section_path=("A", "B")), "a.md:3 [A > B]"),
        (SpatialContext(PositionType.CODE, module_path="atlas", function_name="run"), "atlas.run"),
        (SpatialContext(PositionType.EXTERNAL, url="https://example.org", anchor="top"), "https://example.org#top"),
        (SpatialContext(PositionType.EXTERNAL), ""),
        (SpatialContext(PositionType.CONVERSATION, line_range=(7, 7)), "turn:7"),
    ],
)
def test_a_place_is_told_in_one_line(here: SpatialContext, shown: str) -> None:
    assert str(here) == shown


def test_a_context_and_a_place_of_the_core_say_the_same() -> None:
    here = context(file_path="a.md", line_range=(3, 4), section_path=("A",), heading_level=1, anchor="a")
    assert SpatialContext.at(here.place) == here
    assert here.place.char_range is None
    assert SpatialContext.at(context().place) == context()


def test_markdown_gives_a_piece_for_each_heading() -> None:
    pieces = SpatialExtractor.from_markdown("a.md", GUIDE)
    assert [where.section_path for _, where in pieces] == [
        (),
        ("Atlas",),
        ("Atlas", "Install"),
        ("Atlas", "Limitations"),
        ("Atlas", "Limitations", "Known issues"),
        ("Appendix",),
    ]
    lines = GUIDE.split("\n")
    for text, where in pieces:
        first, last = where.line_range
        assert text == "\n".join(lines[first - 1 : last])
    assert [where.heading_level for _, where in pieces] == [0, 1, 2, 2, 3, 1]


def test_markdown_lines_are_counted_from_where_the_text_begins() -> None:
    (_, first), (_, last) = SpatialExtractor.from_markdown("a.md", "# A\n\ntext\n# B", line_start=101)
    assert (first.line_range, last.line_range) == ((101, 103), (104, 104))


def test_headings_that_skip_levels_leave_no_stale_parent() -> None:
    found = SpatialExtractor.from_markdown("a.md", "# A\n### B\n### C\n## D\n")
    assert [where.section_path for _, where in found] == [("A",), ("A", "B"), ("A", "C"), ("A", "D")]


def test_python_gives_classes_their_methods_and_functions() -> None:
    code = (
        "import os\n\nclass Store:\n    def open(self):\n        return 1\n\n    class Inner:\n        pass\n\n"
        "@cache\nasync def run():\n    pass\n"
    )
    pieces = SpatialExtractor.from_python("src/atlas/sync.py", code)
    assert [(p.class_name, p.function_name, p.scope_depth, p.line_range) for _, p in pieces] == [
        ("Store", None, 0, (3, 8)),
        ("Store", "open", 1, (4, 5)),
        ("Inner", None, 1, (7, 8)),
        (None, "run", 0, (11, 12)),
    ]
    assert {p.module_path for _, p in pieces} == {"atlas.sync"}
    assert pieces[1][0] == "def open(self):\n        return 1"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(end: str) -> None:
    code = end.join(["class A:", "    def f(self):", "        return 1", "", "def g(): ...", ""])
    pieces = SpatialExtractor.from_python("a.py", code)
    assert [(here.function_name, text.split()[0], here.line_range) for text, here in pieces] == [
        (None, "class", (1, 3)),
        ("f", "def", (2, 3)),
        ("g", "def", (5, 5)),
    ]
    sections = SpatialExtractor.from_markdown("a.md", end.join(["# A", "x", "## B", "y"]))
    assert [(here.section_path, here.line_range) for _, here in sections] == [(("A",), (1, 2)), (("A", "B"), (3, 4))]


@pytest.mark.parametrize("code", ["def broken(:", "x = '\x00'", "(" * 5_000], ids=["syntax", "nul", "deep"])
def test_what_is_no_python_is_one_piece(code: str) -> None:
    ((text, where),) = SpatialExtractor.from_python("atlas.py", code)
    assert (text, where.module_path) == (code, "atlas")


# --- the concept graph


def test_the_shortest_path_is_found() -> None:
    graph = graph_of(edge("A", "B"), edge("B", "C"), edge("A", "C", RelationType.RELATES_TO))
    path = graph.find_path("A", "C")
    assert path is not None
    assert len(path) == 1
    assert graph.find_path("A", "A") == []
    assert graph.find_path("A", "Z") is None
    assert [str(each) for each in graph_of(edge("A", "B"), edge("B", "C")).find_path("A", "C") or ()] == [
        "A --elaborates--> B",
        "B --elaborates--> C",
    ]


def test_a_path_may_be_too_long() -> None:
    chain = graph_of(*(edge(a, b) for a, b in pairwise("ABCDEFG")))
    assert chain.find_path("A", "F") is not None
    assert chain.find_path("A", "G") is None
    assert chain.find_path("A", "G", max_depth=6) is not None


def test_a_relation_that_goes_both_ways_is_walked_from_either_end() -> None:
    graph = graph_of(edge("A", "B", RelationType.CONTRADICTS, confidence=0.4, evidence="why"))
    (back,) = graph.find_contradictions("B")
    assert (back.source_id, back.target_id, back.confidence, back.evidence) == ("B", "A", 0.4, "why")
    assert graph.find_path("B", "A") == [back]
    assert back.is_bidirectional
    assert not edge("A", "B").is_bidirectional


def test_edges_are_listed_by_relation() -> None:
    graph = graph_of(edge("A", "B"), edge("A", "C", RelationType.SUPPORTS))
    assert [e.target_id for e in graph.get_outgoing("A")] == ["B", "C"]
    assert [e.target_id for e in graph.get_outgoing("A", RelationType.SUPPORTS)] == ["C"]
    assert [e.source_id for e in graph.get_incoming("B", RelationType.ELABORATES)] == ["A"]
    assert graph.get_incoming("nobody") == []


def test_dependencies_are_followed_to_the_end_and_not_round_in_circles() -> None:
    needs = RelationType.DEPENDS_ON
    graph = graph_of(*(edge(a, b, needs) for a, b in ("AB", "BC", "AC", "CD")), edge("D", "E"))
    assert sorted(graph.find_dependencies("A")) == ["B", "C", "D"]
    assert set(graph_of(edge("A", "B", needs), edge("B", "A", needs)).find_dependencies("A")) == {"A", "B"}


def test_a_neighbourhood_ends_at_its_depth() -> None:
    graph = graph_of(*(edge(a, b) for a, b in pairwise("ABCDE")))
    assert [graph.get_neighborhood("A", depth) for depth in (1, 2)] == [{"A", "B"}, {"A", "B", "C"}]
    assert graph.get_neighborhood("C", depth=1) == {"B", "C", "D"}
    assert graph.get_neighborhood("nobody") == {"nobody"}


def test_a_hub_is_walked_once() -> None:
    spokes = [edge("hub", f"n{i}", RelationType.RELATES_TO) for i in range(2_000)]
    graph = graph_of(*spokes, *(edge(f"n{i}", "hub") for i in range(2_000)))
    assert timeit(lambda: graph.get_neighborhood("n1", depth=9), number=1) < 0.5


def test_pruning_removes_what_is_not_sure() -> None:
    related = RelationType.RELATES_TO
    graph = graph_of(edge("A", "B", related, confidence=0.9), edge("A", "C", related, confidence=0.2))
    assert graph.prune(min_confidence=0.5) == 1
    assert [e.target_id for e in graph.get_outgoing("A")] == ["B"]
    assert graph.get_outgoing("C") == []
    assert graph.get_incoming("C") == []


def test_pruning_fades_what_was_extracted_by_whole_weeks_and_once() -> None:
    day = (NOW - timedelta(days=20)).isoformat()
    graph = graph_of(
        edge("A", "B", confidence=0.8, auto_extracted=True, timestamp=day),
        edge("A", "C", confidence=0.8, timestamp=day),
    )
    for _ in range(3):
        assert graph.prune(now=NOW) == 0
    assert [e.confidence for e in graph.get_outgoing("A")] == [pytest.approx(0.8 * 0.95**2), 0.8]
    graph.prune(now=NOW + timedelta(days=1))
    assert graph.get_outgoing("A")[0].confidence == pytest.approx(0.8 * 0.95**3)
    assert graph.prune(now=NOW + timedelta(days=365)) == 1


@pytest.mark.parametrize("timestamp", ["", "yesterday", "9999-99-99"])
def test_a_timestamp_that_is_none_fades_nothing(timestamp: str) -> None:
    graph = graph_of(edge("A", "B", confidence=0.31, auto_extracted=True, timestamp=timestamp))
    assert graph.prune(now=NOW) == 0


def test_of_a_crowd_the_surest_stay() -> None:
    graph = graph_of(*(edge("hub", f"n{i}", confidence=0.9 - i / 100) for i in range(10)))
    assert graph.prune(max_edges_per_node=4) == 6
    assert [e.target_id for e in graph.get_outgoing("hub")] == ["n0", "n1", "n2", "n3"]
    assert graph.stats == {"total_edges": 4, "nodes_with_edges": 1, "avg_out_degree": 4.0, "max_out_degree": 4}


def test_an_empty_graph_has_figures_too() -> None:
    assert ConceptGraph().stats == {"total_edges": 0, "nodes_with_edges": 0, "avg_out_degree": 0, "max_out_degree": 0}
    assert ConceptGraph().prune() == 0


EDGES = st.builds(
    ConceptEdge,
    st.sampled_from("ABCD"),
    st.sampled_from("EFGH"),
    st.sampled_from(RelationType),
    st.floats(0, 1),
    st.text(max_size=5),
    st.booleans(),
    st.just(""),
)


@given(st.lists(EDGES, max_size=12))
def test_a_graph_survives_being_written_down(edges: list[ConceptEdge]) -> None:
    graph = graph_of(*edges)
    again = ConceptGraph.from_dict(graph.to_dict())
    assert len(graph.to_dict()["edges"]) == len(edges)
    for node in "ABCDEFGH":
        assert sorted(map(repr, again.get_outgoing(node))) == sorted(map(repr, graph.get_outgoing(node)))
        assert again.get_neighborhood(node, 2) == graph.get_neighborhood(node, 2)


def test_an_unknown_relation_is_refused() -> None:
    with pytest.raises(ValueError, match="hates"):
        ConceptGraph.from_dict({"edges": [{"source_id": "A", "target_id": "B", "relation": "hates"}]})


def test_an_edge_with_an_unknown_relation_changes_nothing() -> None:
    graph = graph_of(edge("a", "b"))
    with pytest.raises(ValueError, match="nope"):
        graph.add_edge(ConceptEdge("a", "c", "nope"))  # type: ignore[arg-type]
    graph.add_edge(ConceptEdge("a", "c", "supports"))  # type: ignore[arg-type]
    assert [each["relation"] for each in graph.to_dict()["edges"]] == ["elaborates", "supports"]
    assert graph.prune() == 0


def test_what_else_is_noted_of_an_edge_is_left_out() -> None:
    told = {"source_id": "a", "target_id": "b", "relation": "supports", "session_id": "s"}
    (edge,) = ConceptGraph.from_dict({"edges": [told]}).get_outgoing("a")
    assert "session_id" not in edge.to_dict()


def test_references_and_objections_are_found_without_a_model() -> None:
    extractor = TopologyExtractor()
    (found,) = extractor.extract_heuristic_relationships("a", "See n7 for details.", ["n7", "n8"], ["x", "y"])
    assert (found.target_id, found.relation, found.confidence) == ("n7", RelationType.RELATES_TO, 0.9)
    assert found.auto_extracted
    edges = extractor.extract_heuristic_relationships(
        "a", "However, the cache of the store is never emptied", ["b"], ["the cache of the store is emptied daily"]
    )
    assert [e.relation for e in edges] == [RelationType.CONTRADICTS]
    assert edges[0].confidence == 0.5
    assert extractor.extract_heuristic_relationships("a", "Ana likes tea", ["b"], ["Ben sails"]) == []


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("This design is superseded by rfc-12.", RelationType.SUPERSEDES),
        ("It is required by rfc-12 and nothing else.", RelationType.DEPENDS_ON),
        ("See rfc-12 for the details.", RelationType.ELABORATES),
        ("An example is in rfc-12.", RelationType.EXEMPLIFIES),
    ],
)
def test_an_extracted_relation_leads_the_way_it_reads(text: str, relation: RelationType) -> None:
    extractor = TopologyExtractor()
    passive = extractor.extract_heuristic_relationships("n1", text, ["rfc-12"], ["Queues"])
    assert ("rfc-12", "n1", relation) in {(e.source_id, e.target_id, e.relation) for e in passive}
    assert ("n1", "rfc-12", relation) not in {(e.source_id, e.target_id, e.relation) for e in passive}
    active = extractor.extract_heuristic_relationships("n1", "It supersedes rfc-12.", ["rfc-12"], ["Queues"])
    assert ("n1", "rfc-12", RelationType.SUPERSEDES) in {(e.source_id, e.target_id, e.relation) for e in active}


class Answering:
    """A model that says what it is told to."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked = ""

    async def generate(self, prompt: str) -> Answering:
        self.asked = prompt
        return self

    @property
    def text(self) -> str:
        return self.answer


def test_a_model_is_asked_and_only_what_makes_sense_is_believed() -> None:
    model = Answering("DEPENDS_ON: [b] - needs it\n- Contradicts: [c]\nhates: [b] - no\nSUPPORTS: [z] - who\nnothing")
    edges = asyncio.run(TopologyExtractor(model).extract_relationships("a", "text", ["b", "c"], ["B", "C"]))
    assert [(e.target_id, e.relation.value, e.evidence) for e in edges] == [
        ("b", "depends_on", "needs it"),
        ("c", "contradicts", ""),
    ]
    assert {e.confidence for e in edges} == {0.8}
    assert "[b]: B" in model.asked
    assert asyncio.run(TopologyExtractor().extract_relationships("a", "text", ["b"], ["B"])) == []


def test_a_model_may_number_its_lines_and_speak_before_it_names() -> None:
    model = Answering("1. **Depends on**: the rules of [b] - needs them\n2) SUPPORTS: [c]: agrees")
    edges = asyncio.run(TopologyExtractor(model).extract_relationships("a", "text", ["b", "c"], ["B", "C"]))
    assert [(e.target_id, e.relation.value, e.evidence) for e in edges] == [
        ("b", "depends_on", "the rules of needs them"),
        ("c", "supports", "agrees"),
    ]


def test_a_model_is_believed_only_about_what_it_was_shown() -> None:
    ids = [f"n{number}" for number in range(30)]
    model = Answering("SUPPORTS: [n9] - seen\nSUPPORTS: [n20] - never seen")
    edges = asyncio.run(TopologyExtractor(model).extract_relationships("a", "text", ids, ids))
    assert "[n9]" in model.asked
    assert "[n20]" not in model.asked
    assert [e.target_id for e in edges] == ["n9"]
