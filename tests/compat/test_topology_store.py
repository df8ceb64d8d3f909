"""RFC-014's unified store: nodes and edges that last, found from every side, in one Recollect file."""

from __future__ import annotations

import gc
import multiprocessing
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.compat.topology import (
    Chunk,
    ChunkType,
    ConceptEdge,
    ContentFacets,
    DiataxisType,
    DocumentSection,
    FacetQuery,
    MemoryNode,
    PersonaType,
    PositionType,
    RelationType,
    SectionType,
    SpatialContext,
    SpatialQuery,
    StructuralChunker,
    UnifiedMemoryStore,
    VerificationState,
)
from recollect.errors import NotFound, StoreClosed, UsageError
from tests.ticking import Ticking

DIMS = 4
ODD = [
    "'; DROP TABLE record; --",
    "<script>alert(1)</script>",
    "émoji 🧠 \u202ertl\u202c 日本語",
    "a" * 256,
    "%s {0} ${HOME}",
    "00000000-0000-4000-8000-000000000000",
    "D41D8CD98F00B204E9800998ECF8427E",
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[UnifiedMemoryStore]:
    with UnifiedMemoryStore(tmp_path / "unified", DIMS, embedder="fake") as opened:
        yield opened


def node(id: str, content: str = "", *edges: ConceptEdge, **more: Any) -> MemoryNode:
    return MemoryNode(id=id, content=content or f"what {id} says", outgoing_edges=list(edges), **more)


def in_section(*titles: str, **more: Any) -> SpatialContext:
    return SpatialContext(PositionType.DOCUMENT, section_path=titles, heading_level=len(titles), **more)


def edge(source: str, target: str, relation: RelationType = RelationType.RELATES_TO, **more: Any) -> ConceptEdge:
    return ConceptEdge(source, target, relation, **more)


def ids(nodes: list[MemoryNode]) -> list[str]:
    return [each.id for each in nodes]


def found(pairs: list[tuple[MemoryNode, float]]) -> dict[str, float]:
    return {each.id: round(score, 4) for each, score in pairs}


def got(store: UnifiedMemoryStore, id: str) -> MemoryNode:
    one = store.get_node(id)
    assert one is not None
    return one


# --- what the RFC sketches


def test_a_hybrid_query_keeps_what_meets_all_of_it(tmp_path: Path) -> None:
    store = UnifiedMemoryStore(base_path=tmp_path, embedding_dims=384)
    store.add_node(
        MemoryNode(
            id="n1",
            content="Caching improves performance",
            spatial=in_section("Design", "Caching"),
            facets=ContentFacets(diataxis_type=DiataxisType.EXPLANATION),
        )
    )
    results = store.query(
        text_query="caching",
        spatial_query=SpatialQuery(section_contains="Design"),
        facet_query=FacetQuery(diataxis_type=DiataxisType.EXPLANATION),
    )
    assert [each.id for each, _ in results] == ["n1"]
    assert results[0][1] == pytest.approx((1.0 + 1.0 + 0.8) / 3)


def test_a_store_is_saved_and_loaded(tmp_path: Path) -> None:
    store = UnifiedMemoryStore(base_path=tmp_path)
    store.add_node(MemoryNode(id="test", content="hello world"))
    store.save()
    loaded = UnifiedMemoryStore.load(tmp_path)
    assert got(loaded, "test").content == "hello world"


# --- nodes


FULL = MemoryNode(
    id="full",
    content="All of it",
    chunk=Chunk("c1", ChunkType.MICRO, (1, 9), "sum", 12, ("api",), "All"),
    spatial=SpatialContext(
        PositionType.CODE,
        file_path="src/atlas/sync.py",
        line_range=(1, 9),
        char_range=(10, 90),
        module_path="atlas.sync",
        class_name="Store",
        function_name="open",
        scope_depth=1,
    ),
    section=DocumentSection("s1", "API", 2, SectionType.API, "All of it", 1, 9, "s0", ["s2"], 3, True, True),
    facets=ContentFacets(
        DiataxisType.REFERENCE,
        PersonaType.EXPERT,
        (PersonaType.NOVICE,),
        VerificationState.VERIFIED,
        domain_tags=("api", "cli"),
        is_time_sensitive=True,
        last_verified="2026-05-01",
        source_type="code",
        source_authority=0.5,
    ),
    outgoing_edges=[
        ConceptEdge("full", "other", RelationType.SUPPORTS, 0.5, "a reason", True, "2026-05-01T10:00:00"),
        ConceptEdge("full", "third", RelationType.CONTRADICTS),
    ],
    created_at="2026-05-01T10:00:00",
    updated_at="2026-05-02T10:00:00",
    embedding=(0.5, -1.0, 0.25, 2.0),
)


def test_everything_about_a_node_outlives_the_store(tmp_path: Path) -> None:
    with UnifiedMemoryStore(tmp_path, DIMS, embedder="fake") as first:
        first.add_node(FULL)
        assert got(first, "full") == FULL
    with UnifiedMemoryStore.load(tmp_path, DIMS, embedder="fake") as second:
        assert got(second, "full") == FULL


def test_a_section_that_says_something_else_than_the_node_is_kept_as_it_is(store: UnifiedMemoryStore) -> None:
    section = DocumentSection("s1", "API", 2, SectionType.API, "the whole section")
    store.add_node(node("n", "a part of it", section=section))
    assert got(store, "n").section == section


@pytest.mark.parametrize("id_", ODD)
def test_any_text_is_an_id(store: UnifiedMemoryStore, id_: str) -> None:
    store.add_node(node(id_, "kept", edge(id_, "other")))
    assert got(store, id_).id == id_
    assert got(store, id_).outgoing_edges == [edge(id_, "other")]


def test_ids_that_look_alike_are_different_nodes(store: UnifiedMemoryStore) -> None:
    alike = ["N1", "n1", "n1 ", "d41d8cd98f00b204e9800998ecf8427e", "d41d8cd9-8f00-b204-e980-0998ecf8427e"]
    store.add_nodes([node(each, f"node {at}") for at, each in enumerate(alike)])
    assert [got(store, each).content for each in alike] == [f"node {at}" for at in range(len(alike))]


def test_what_is_not_there_is_none_or_empty(store: UnifiedMemoryStore) -> None:
    assert store.get_node("nobody") is None
    assert store.get_node(7) is None  # type: ignore[arg-type]
    assert store.get_recent() == store.query() == []
    for ask in (store.find_contradictions, store.find_elaborations, store.find_dependencies, store.find_related):
        assert ask("nobody") == []
    assert store.query(relationship_from="nobody") == []
    assert store.query_by_section("Nowhere") == []


def test_a_node_stored_again_becomes_its_next_version(store: UnifiedMemoryStore) -> None:
    store.add_node(node("n", "old words", edge("n", "m"), spatial=in_section("Design")))
    store.add_node(node("n", "new words", facets=ContentFacets(domain_tags=("cli",))))
    now = got(store, "n")
    assert (now.content, now.spatial, now.facets) == ("new words", None, ContentFacets(domain_tags=("cli",)))
    assert ids(store.query_by_section("Design")) == []
    assert [e.target_id for e in now.outgoing_edges] == ["m"]  # RFC-014 withdraws no edge by leaving it out
    (record,) = store.memory.get_all().records
    assert [entry.content for entry in store.memory.history(record.id)] == ["old words", "new words"]


def test_storing_the_same_again_changes_nothing(store: UnifiedMemoryStore) -> None:
    store.add_node(FULL)
    store.add_node(FULL)
    assert got(store, "full") == FULL
    (record,) = store.memory.get_all().records
    assert record.version == 1


def test_recent_nodes_are_the_newest_by_their_own_dates(store: UnifiedMemoryStore) -> None:
    days = {"a": "2026-03-01T00:00:00", "b": "2026-05-01T00:00:00", "c": "2026-04-01T00:00:00"}
    store.add_nodes([node(id_, created_at=day) for id_, day in days.items()])
    assert ids(store.get_recent()) == ["b", "c", "a"]
    assert ids(store.get_recent(limit=1)) == ["b"]
    assert [(each.id, score) for each, score in store.query(limit=2)] == [("b", 1.0), ("c", 1.0)]


def test_a_date_that_is_none_is_kept_as_it_is(store: UnifiedMemoryStore) -> None:
    store.add_node(node("n", created_at="", updated_at="soon"))
    assert (got(store, "n").created_at, got(store, "n").updated_at) == ("", "soon")
    assert ids(store.get_recent()) == ["n"]


def test_many_nodes_are_stored_all_or_not_at_all(store: UnifiedMemoryStore) -> None:
    with pytest.raises(UsageError):
        store.add_nodes([node("a"), node("b", "\x00")])
    assert store.get_recent() == []
    store.add_nodes([])
    store.add_nodes([node("a", "first"), node("a", "second")])
    assert got(store, "a").content == "second"
    assert len(store.memory.operations()) == 1


@pytest.mark.parametrize(
    "bad",
    [
        node("", "text"),
        node("n", " "),
        node("n" * 257),
        node("n", "half \ud800"),
        node("n", "x", edge("n", "m", confidence=1.5)),
        node("n", "x", edge("n", "n")),
        node("n", "x", edge("n", "")),
        node("n", "x", edge("n", "m", "hates")),  # type: ignore[arg-type]
        node("n", "x", edge("n", "m", evidence="w" * 1_001)),
        node("n", "x", edge("n", "m", evidence=["a"])),
        node("n", "x", embedding=(1.0, float("nan"), 0.0, 0.0)),
        node("n", "x", embedding=("a", "b", "c", "d")),
        node("n", "x", facets=ContentFacets(diataxis_type="poem")),  # type: ignore[arg-type]
        node("n", "x", spatial=SpatialContext("nowhere")),  # type: ignore[arg-type]
        "no node",
    ],
    ids=lambda bad: str(bad)[:60],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(store: UnifiedMemoryStore, bad: Any) -> None:
    with pytest.raises(UsageError):
        store.add_node(bad)
    assert store.memory.operations() == []


@pytest.mark.parametrize("limit", [0, -1, True, "ten", 10**9])
def test_limits_are_checked(store: UnifiedMemoryStore, limit: Any) -> None:
    for ask in (
        lambda: store.get_recent(limit),
        lambda: store.query(text_query="x", limit=limit),
        lambda: store.query_spatial(SpatialQuery(), limit),
        lambda: store.find_related("n", depth=limit),
    ):
        with pytest.raises(UsageError):
            ask()


def test_labels_that_do_not_exist_are_refused(store: UnifiedMemoryStore) -> None:
    store.add_node(node("n", "", edge("n", "m")))
    for ask in (
        lambda: store.query_facets(FacetQuery(diataxis_type="poem")),  # type: ignore[arg-type]
        lambda: store.query(facet_query=FacetQuery(verification_states=("maybe",))),  # type: ignore[arg-type]
        lambda: store.query(relationship_from="n", relationship_type="hates"),  # type: ignore[arg-type]
    ):
        with pytest.raises(UsageError):
            ask()


# --- from every side


@pytest.fixture
def library(store: UnifiedMemoryStore) -> UnifiedMemoryStore:
    def facets(type_: DiataxisType, persona: PersonaType, *more: PersonaType) -> ContentFacets:
        return ContentFacets(type_, persona, more, domain_tags=("cli",))

    store.add_nodes(
        [
            node(
                "intro",
                "Caching from the start",
                spatial=in_section("Guide", "Design", file_path="docs/a.md"),
                facets=facets(DiataxisType.TUTORIAL, PersonaType.NOVICE),
            ),
            node(
                "deep",
                "Caching in depth",
                spatial=in_section("Guide", "Design", "Limits", file_path="docs/b.md"),
                facets=facets(DiataxisType.TUTORIAL, PersonaType.EXPERT, PersonaType.NOVICE),
            ),
            node(
                "code",
                "def cache(): ...",
                spatial=SpatialContext(
                    PositionType.CODE, file_path="src/atlas/cache.py", module_path="atlas.cache", function_name="cache"
                ),
            ),
            node("bare", "Caching without a place"),
        ]
    )
    return store


def test_nodes_are_found_by_place(library: UnifiedMemoryStore) -> None:
    assert found(library.query_spatial(SpatialQuery(section_contains="design"))) == {"intro": 1.0, "deep": 1.0}
    assert found(library.query_spatial(SpatialQuery(file_pattern="docs/*.md", heading_level_max=2))) == {
        "intro": 1.0,
        "deep": 0.5,
    }
    assert found(library.query_spatial(SpatialQuery(module_prefix="atlas", in_function="cache"))) == {"code": 1.0}
    assert set(found(library.query_spatial(SpatialQuery()))) == {"intro", "deep", "code"}
    assert library.query_spatial(SpatialQuery(section_contains="Appendix")) == []


def test_nodes_are_found_by_section_and_file(library: UnifiedMemoryStore) -> None:
    assert ids(library.query_by_section("Design")) == ["intro", "deep"]
    assert ids(library.query_by_section("design", file_path="docs/b.md")) == ["deep"]
    assert ids(library.query_by_section("design", file_path="b.md")) == []


def test_nodes_are_found_by_facets(library: UnifiedMemoryStore) -> None:
    query = FacetQuery(diataxis_type=DiataxisType.TUTORIAL, persona=PersonaType.NOVICE, domain_tags=("cli",))
    assert found(library.query_facets(query)) == {"intro": 1.0, "deep": 0.9}
    assert found(library.query_facets(query, limit=1)) == {"intro": 1.0}
    assert set(found(library.query_facets(FacetQuery()))) == {"intro", "deep"}
    assert library.query_facets(FacetQuery(domain_tags=("cli", "api"))) == []


def test_words_are_found_inside_the_content_in_any_case(library: UnifiedMemoryStore) -> None:
    assert found(library.query(text_query="CACHING")) == {"bare": 0.8, "deep": 0.8, "intro": 0.8}
    assert found(library.query(text_query="achin", limit=1)) == {"bare": 0.8}
    assert found(library.query(text_query="100%_")) == {}
    library.add_node(node("ß", "Große Straße"))
    assert found(library.query(text_query="STRASSE")) == {}
    assert found(library.query(text_query="STRAẞE")) == {"ß": 0.8}


def test_sides_are_averaged_and_all_of_them_hold(library: UnifiedMemoryStore) -> None:
    tutorials = FacetQuery(persona=PersonaType.NOVICE)
    place = SpatialQuery(section_contains="Design", heading_level_max=2)
    assert found(library.query(spatial_query=place, facet_query=tutorials)) == {"intro": 1.0, "deep": 0.6}
    assert found(library.query(text_query="depth", spatial_query=place, facet_query=tutorials)) == {
        "deep": round((0.7 + 0.5 + 0.8) / 3, 4),
    }
    assert library.query(text_query="def", spatial_query=place) == []
    assert found(library.query(facet_query=FacetQuery(), limit=1)) == {"bare": 1.0}  # asks for nothing: the newest


def test_words_of_a_crowd_are_found_behind_a_filter(store: UnifiedMemoryStore) -> None:
    many = [node(f"n{i}", f"number {i}", spatial=in_section("Design")) for i in range(60)]
    store.add_nodes([*many, node("rare", "the needle", spatial=in_section("Design"))])
    store.add_nodes([node(f"m{i}", "the needle", spatial=in_section("Other")) for i in range(30)])
    asked = SpatialQuery(section_contains="Design")
    assert found(store.query(text_query="needle", spatial_query=asked, limit=3)) == {"rare": 0.9}


# --- relations


@pytest.fixture
def web(store: UnifiedMemoryStore) -> UnifiedMemoryStore:
    needs, more, against = RelationType.DEPENDS_ON, RelationType.ELABORATES, RelationType.CONTRADICTS
    store.add_nodes(
        [
            node("a", "", edge("a", "b", needs), edge("a", "x", against, confidence=0.4, auto_extracted=True)),
            node("b", "", edge("b", "c", needs)),
            node("c"),
            node("x"),
            node("d", "", edge("d", "a", more)),
        ]
    )
    return store


def test_relations_are_walked_the_way_they_mean(web: UnifiedMemoryStore) -> None:
    assert ids(web.find_contradictions("a")) == ["x"]
    assert ids(web.find_contradictions("x")) == ["a"]
    assert ids(web.find_elaborations("a")) == ["d"]
    assert ids(web.find_elaborations("d")) == []
    assert ids(web.find_dependencies("a")) == ["b", "c"]
    assert sorted(ids(web.find_related("c", depth=1))) == ["b"]
    assert sorted(ids(web.find_related("c"))) == ["a", "b"]


def test_a_node_shows_the_edges_of_both_ends(web: UnifiedMemoryStore) -> None:
    a = got(web, "a")
    assert [(e.relation.value, e.target_id) for e in a.outgoing_edges] == [("depends_on", "b"), ("contradicts", "x")]
    assert [(e.relation.value, e.source_id) for e in a.incoming_edges] == [("elaborates", "d")]


def test_a_query_starts_from_a_node(web: UnifiedMemoryStore) -> None:
    assert set(found(web.query(relationship_from="a"))) == {"a", "b", "c", "x", "d"}
    assert found(web.query(relationship_from="a", relationship_type=RelationType.DEPENDS_ON)) == {"b": 1.0}
    assert found(web.query(relationship_from="x", relationship_type=RelationType.CONTRADICTS)) == {"a": 1.0}
    assert found(web.query(text_query="what b", relationship_from="a")) == {"b": 0.8}


def test_the_graph_of_a_store_is_the_graph_of_its_edges(web: UnifiedMemoryStore) -> None:
    graph = web.concept_graph()
    assert graph.stats["total_edges"] == 5
    assert graph.find_dependencies("a") == ["b", "c"]
    path = graph.find_path("d", "c")
    assert path is not None
    assert len(path) == 3


def test_an_edge_may_name_a_node_that_comes_later(store: UnifiedMemoryStore) -> None:
    store.add_node(node("a", "", edge("a", "later", RelationType.ELABORATES, evidence="a hunch")))
    assert store.get_node("later") is None
    assert store.find_related("a") == []
    assert store.query(text_query="later") == []
    assert [record.content for record in store.memory.get_all()] == ["what a says"]
    store.add_node(node("later", "here it is", created_at="2026-05-01T00:00:00"))
    assert got(store, "later").incoming_edges == [edge("a", "later", RelationType.ELABORATES, evidence="a hunch")]
    assert ids(store.find_elaborations("later")) == ["a"]
    assert found(store.query(text_query="here")) == {"later": 0.8}
    assert store.memory.search("here it is")[0].content == "here it is"


def test_two_nodes_meet_in_one_that_nobody_stored(store: UnifiedMemoryStore) -> None:
    store.add_nodes([node("a", "", edge("a", "rfc")), node("b", "", edge("b", "rfc"))])
    assert ids(store.find_related("a")) == ["b"]


def test_dependencies_may_run_in_circles(store: UnifiedMemoryStore) -> None:
    needs = RelationType.DEPENDS_ON
    store.add_nodes([node("a", "", edge("a", "b", needs)), node("b", "", edge("b", "a", needs))])
    assert ids(store.find_dependencies("a")) == ["b"]
    assert got(store, "b").outgoing_edges == [edge("b", "a", needs)]
    store.add_node(node("b", "", edge("b", "a", needs, confidence=0.5)))
    assert [e.confidence for e in got(store, "b").outgoing_edges] == [0.5]


def test_a_long_chain_of_dependencies_is_followed_to_its_end(store: UnifiedMemoryStore) -> None:
    store.add_nodes([node(f"n{i}", "", edge(f"n{i}", f"n{i + 1}", RelationType.DEPENDS_ON)) for i in range(40)])
    assert len(store.find_dependencies("n0")) == 39


def test_an_edge_told_again_is_the_same_edge(store: UnifiedMemoryStore) -> None:
    guess = edge("a", "b", confidence=0.4, auto_extracted=True)
    store.add_node(node("a", "", guess))
    sure = replace(guess, confidence=1.0, auto_extracted=False, evidence="Ana confirmed it")
    store.add_node(node("a", "", sure))
    assert got(store, "a").outgoing_edges == [sure]
    store.add_node(node("b", "", edge("b", "a", confidence=0.2, auto_extracted=True)))  # told from the other end
    assert store.concept_graph().to_dict()["edges"] == [sure.to_dict()]


def test_pruning_fades_edges_from_their_own_dates_and_is_undone(tmp_path: Path) -> None:
    clock = Ticking()
    with UnifiedMemoryStore(tmp_path, DIMS, embedder="fake", clock=clock) as store:
        old = edge("a", "b", confidence=0.35, auto_extracted=True, timestamp="2020-01-01T00:00:00")
        store.add_node(node("a", "", old, replace(old, target_id="c", confidence=1.0, auto_extracted=False)))
        report = store.memory.prune()
        assert report["retired"] == 1
        assert [e.target_id for e in got(store, "a").outgoing_edges] == ["c"]
        store.memory.undo(report.operation)
        assert len(got(store, "a").outgoing_edges) == 2


# --- one store


def test_what_the_memory_stores_are_nodes_too(store: UnifiedMemoryStore, tmp_path: Path) -> None:
    guide = tmp_path / "guide.md"
    guide.write_text("# Atlas\n\n## Limitations\n\nThere is no offline mode at all.\n", encoding="utf-8")
    store.memory.ingest(guide)
    decided = store.memory.add("We use SQLite", category="decision", infer=False).id
    (under,) = store.query_by_section("Limitations")
    assert "no offline mode" in under.content
    assert got(store, decided).content == "We use SQLite"
    store.add_node(replace(got(store, decided), outgoing_edges=[edge(decided, under.id, RelationType.SUPPORTS)]))
    assert ids(store.find_related(decided)) == [under.id]
    record = store.memory.get(decided)
    assert record is not None
    assert record.category == "decision"


def test_what_stands_under_limitations_is_found_there_and_nothing_else_is(
    store: UnifiedMemoryStore, tmp_path: Path
) -> None:
    sections = (
        "# CTF",
        "A format.",
        "## Features",
        "It streams.",
        "## Limitations",
        "No random access.",
        "## FAQ",
        "Ask.",
    )
    (tmp_path / "ctf.md").write_text("\n\n".join(sections))
    store.memory.ingest(tmp_path / "ctf.md")
    (node,) = store.query_by_section("Limitations")
    assert node.content == "## Limitations\n\nNo random access."
    assert node.spatial is not None
    assert node.spatial.section_path == ("CTF", "Limitations")


def test_a_node_and_its_edges_are_one_operation_to_undo(store: UnifiedMemoryStore) -> None:
    store.add_node(node("a", "first"))
    store.add_node(node("b", "second", edge("b", "a"), edge("b", "later")))
    (operation, *_) = store.memory.operations(limit=1)
    undone = store.memory.undo(operation.id)
    assert store.get_node("b") is None
    assert got(store, "a").incoming_edges == []
    store.memory.undo(undone.operation)
    assert ids(store.find_related("a")) == ["b"]


def test_undoing_what_fulfilled_an_edge_leaves_it_awaited(store: UnifiedMemoryStore) -> None:
    store.add_node(node("a", "", edge("a", "later")))
    store.add_node(node("later", "here"))
    (operation, *_) = store.memory.operations(limit=1)
    store.memory.undo(operation.id)
    assert store.get_node("later") is None
    assert store.find_related("a") == []
    store.add_node(node("later", "again"))
    assert ids(store.find_related("a")) == ["later"]


def test_a_deleted_node_can_be_stored_again(store: UnifiedMemoryStore) -> None:
    store.add_node(node("n", "once", edge("n", "m")))
    (record,) = store.memory.get_all().records
    store.memory.delete(record.id)
    assert store.get_node("n") is None
    store.add_node(node("n", "twice"))
    assert got(store, "n").content == "twice"
    assert found(store.query(text_query="twice")) == {"n": 0.8}
    (operation, *_) = store.memory.operations(limit=1)
    store.memory.undo(operation.id)
    assert store.get_node("n") is None


def test_chunks_of_a_document_become_nodes(store: UnifiedMemoryStore) -> None:
    text = "# Atlas\n\nAbout.\n\n## Limitations\n\nNo offline mode.\n"
    store.add_nodes(
        node(chunk.id, chunk.content, chunk=chunk, spatial=spatial, section=section)
        for chunk, spatial, section in StructuralChunker().chunk_document("docs/a.md", text)
    )
    (only,) = store.query_by_section("limitations", file_path="docs/a.md")
    assert only.section is not None
    assert only.section.section_type is SectionType.LIMITATIONS


def test_two_stores_share_a_folder(tmp_path: Path) -> None:
    with UnifiedMemoryStore(tmp_path, embedder="fake") as one, UnifiedMemoryStore(tmp_path, embedder="fake") as other:
        one.add_node(node("n", "seen by both"))
        assert got(other, "n").content == "seen by both"
        assert ids(other.get_recent()) == ["n"]


def test_threads_may_write_at_once(store: UnifiedMemoryStore) -> None:
    def write(name: str) -> None:
        for i in range(10):
            store.add_node(node(f"{name}{i}", "", edge(f"{name}{i}", "hub")))

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    store.add_node(node("hub"))
    assert len(store.find_related("hub", depth=1)) == 40


def _add_in_a_process(folder: str) -> None:
    UnifiedMemoryStore(folder, embedder="fake").add_node(node("there", "from elsewhere"))  # never closed, as in RFC-014


def test_a_store_that_nobody_closed_has_kept_everything(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        pool.submit(_add_in_a_process, str(tmp_path)).result()
    with UnifiedMemoryStore(tmp_path, embedder="fake") as store:
        assert got(store, "there").content == "from elsewhere"


def test_a_store_closes_itself_when_nobody_holds_it(tmp_path: Path) -> None:
    store = UnifiedMemoryStore(tmp_path, embedder="fake")
    memory = store.memory
    del store
    gc.collect()
    with pytest.raises(StoreClosed):
        memory.add("too late")


def test_save_leaves_one_whole_file(store: UnifiedMemoryStore, tmp_path: Path) -> None:
    store.add_node(node("n", "kept"))
    store.save()
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "memory.db").write_bytes((store.base_path / "memory.db").read_bytes())
    with UnifiedMemoryStore(tmp_path / "copy", embedder="fake") as copy:
        assert got(copy, "n").content == "kept"


NAMES = st.sampled_from("abcdef")
TOLD = st.lists(st.tuples(NAMES, NAMES, st.sampled_from(RelationType)).filter(lambda t: t[0] != t[1]), max_size=10)


@given(TOLD)
def test_the_store_walks_as_the_graph_does(told: list[tuple[str, str, RelationType]]) -> None:
    with TemporaryDirectory() as folder, UnifiedMemoryStore(folder, embedder=None) as store:
        store.add_nodes([node(name, "", *(edge(*each) for each in told if each[0] == name)) for name in "abcdef"])
        graph = store.concept_graph()
        for name in "abcdef":
            assert set(ids(store.find_related(name))) == graph.get_neighborhood(name, 2) - {name}
            assert set(ids(store.find_dependencies(name))) == set(graph.find_dependencies(name)) - {name}
            assert set(ids(store.find_contradictions(name))) == {e.target_id for e in graph.find_contradictions(name)}


# --- outside the profile ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id_", ["ctf", "docs/ctf.md:12", "deadbeef", "d41d8cd98f00b204e9800998ecf8427e"])
def test_the_verbs_of_the_memory_take_the_ids_of_nodes(store: UnifiedMemoryStore, id_: str) -> None:
    edge = ConceptEdge(id_, "reader", RelationType.DEPENDS_ON, 0.6, auto_extracted=True)
    store.add_nodes(
        [
            MemoryNode(id=id_, content="Traces are CTF", outgoing_edges=[edge]),
            MemoryNode(id="reader", content="A reader is needed"),
        ]
    )
    memory = store.memory
    record = memory.get(id_)
    assert record is not None
    assert (record.content, memory.explain(id_).record.id) == ("Traces are CTF", record.id)
    assert [near.content for near in memory.related(id_)] == ["A reader is needed"]
    memory.update(id_, content="Traces are CTF2")
    assert [entry.record.content for entry in memory.history(id_) if entry.record][-1] == "Traces are CTF2"
    memory.delete(id_)
    assert store.get_node(id_) is None
    with pytest.raises(NotFound, match="nobody"):
        memory.delete("nobody")


def test_an_edge_has_an_id_by_which_it_is_confirmed(store: UnifiedMemoryStore) -> None:
    told = ConceptEdge("a", "b", RelationType.SUPPORTS, 0.6, auto_extracted=True)
    store.add_nodes([node("a", "", told), node("b")])
    (edge,) = got(store, "a").outgoing_edges
    store.memory.confirm(edge.id[:8])
    (edge,) = got(store, "a").outgoing_edges
    assert (edge.confidence, edge.auto_extracted) == (1.0, False)
    assert store.concept_graph().get_outgoing("a")[0].id == edge.id
    store.memory.unrelate(edge.id)
    assert got(store, "a").outgoing_edges == []


# --- odd questions, and settings of RFC-014 ---------------------------------------------------------------------------


def test_a_place_of_none_is_any_place(library: UnifiedMemoryStore) -> None:
    placed = {each.id for each in library.get_recent(100) if each.spatial is not None}
    assert placed
    assert {each.id for each, _ in library.query_spatial(None, limit=100)} == placed


def test_a_type_of_relation_alone_says_nothing(web: UnifiedMemoryStore) -> None:
    newest = ids(web.get_recent(100))
    assert ids([each for each, _ in web.query(relationship_type=RelationType.DEPENDS_ON, limit=100)]) == newest
    with pytest.raises(UsageError, match="relationship_type"):
        web.query(relationship_type="hates")  # type: ignore[arg-type]


def test_a_file_is_no_folder_of_a_store(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(UsageError, match="is a file"):
        UnifiedMemoryStore(tmp_path / "notes.txt", embedder="fake")


def test_a_node_does_not_show_an_edge_to_one_that_was_deleted(store: UnifiedMemoryStore) -> None:
    store.add_nodes([node("a", "", edge("a", "b")), node("b")])
    store.memory.delete("b")
    assert got(store, "a").outgoing_edges == []
    store.add_node(node("b"))
    assert [each.target_id for each in got(store, "a").outgoing_edges] == ["b"]


def test_dependencies_end_where_the_settings_say(tmp_path: Path) -> None:
    with UnifiedMemoryStore(tmp_path, embedder="fake", config={"graph.dependency_depth": 2}) as store:
        store.add_nodes([node(f"n{at}", "", edge(f"n{at}", f"n{at + 1}", RelationType.DEPENDS_ON)) for at in range(5)])
        assert ids(store.find_dependencies("n0")) == ["n1", "n2"]
        assert len(store.memory.dependencies("n0").records) == 2


@pytest.mark.parametrize(
    ("settings", "scores"),
    [
        ({}, {"both": 0.9}),
        ({"structure.score_aggregation": "min"}, {"both": 0.8}),
        ({"structure.score_aggregation": "max"}, {"both": 1.0}),
        ({"structure.combine_strategy": "union"}, {"both": 0.9, "placed": 0.5, "said": 0.4}),
        (
            {"structure.combine_strategy": "union", "structure.score_aggregation": "max"},
            {"both": 1.0, "placed": 1.0, "said": 0.8},
        ),
    ],
)
def test_sides_are_put_together_as_the_settings_say(
    tmp_path: Path, settings: dict[str, str], scores: dict[str, float]
) -> None:
    with UnifiedMemoryStore(tmp_path, embedder="fake", config=settings) as store:
        store.add_nodes(
            [
                node("both", "tea is green", spatial=in_section("Drinks")),
                node("said", "tea is black"),
                node("placed", "coffee", spatial=in_section("Drinks")),
                node("neither", "milk"),
            ]
        )
        found_now = store.query(text_query="tea", spatial_query=SpatialQuery(section_contains="Drinks"))
        assert {each.id: round(score, 2) for each, score in found_now} == scores


def test_texts_are_as_verified_as_the_settings_say(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Tea\n\nGreen tea steeps for two minutes.\n")
    with UnifiedMemoryStore(
        tmp_path / "s", embedder="fake", config={"structure.default_verification": "verified"}
    ) as s:
        s.memory.ingest(tmp_path / "a.md")
        s.memory.settle()
        assert [each.id for each, _ in s.query_facets(FacetQuery(verification_state=VerificationState.VERIFIED))]
        assert not s.query_facets(FacetQuery(verification_state=VerificationState.UNVERIFIED))
