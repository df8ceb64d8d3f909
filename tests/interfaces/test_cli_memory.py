"""`recollect memory`: figures, pruning, the hybrid query, and the graph drawn."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from commands import Done, Run

import recollect
from recollect.interfaces.cli import main
from recollect.memory import Memory

pytestmark = pytest.mark.usefixtures("environment")

HOSTILE = '</text><script>alert("x")</script> & <img src=https://example.org/x> \u202e ]]> \x1b[31m'


class Stored(NamedTuple):
    cache: str
    redis: str
    stale: str
    lone: str


@pytest.fixture
def stored(run: Run, tmp_path: Path) -> Stored:
    with recollect.open(tmp_path / "memory.db", embedder="fake") as memory:
        texts = ["Prices are cached for a day", "Redis runs beside it", "Nothing is ever stale", "Ana sails"]
        made = Stored(*(memory.add(text, infer=False).id for text in texts))
        place = {"position_type": "document", "file_path": "docs/cache.md", "section_path": ["Design", "Cache"]}
        facets = {"diataxis_type": "howto", "primary_persona": "novice", "domain_tags": ["cli"]}
        memory.update(made.cache, place=place, facets=facets)
        memory.relate(made.cache, made.redis, "depends_on")
        memory.relate(made.stale, made.cache, "contradicts", confidence=0.2)
    return made


def opened(tmp_path: Path) -> Memory:
    return recollect.open(tmp_path / "memory.db", embedder="fake")


# --- figures


def test_the_group_explains_itself(run: Run) -> None:
    done = run("memory")
    assert done.code == 0
    for name in ("stats", "prune", "query", "graph"):
        assert f" {name} " in done.out
        assert run("memory", name, "--help").code == 0
    assert " memory " in run("--help").out


def test_stats_count_places_facets_and_relations(run: Run, stored: Stored) -> None:
    data = run("memory", "stats", "-o", "json").data
    assert (data["nodes"], data["edges"], data["auto_extracted"], data["max_out_degree"]) == (4, 2, 0, 1)
    assert data["by_label"] == {"depends_on": 1, "contradicts": 1}
    assert data["by_diataxis_type"]["howto"] == 1
    assert data["by_position_type"] == {"document": 1}
    assert (data["files"], data["sections"]) == (1, 2)
    assert "by label" in run("memory", "stats").out


def test_stats_are_those_of_the_scope(run: Run, stored: Stored, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        hers = memory.add("Ana likes tea", user_id="ana", infer=False).id
        memory.relate(hers, stored.lone, "supports")
    assert run("memory", "stats", "-o", "json").data["edges"] == 3
    mine = run("memory", "stats", "-u", "ana", "-o", "json").data
    others = run("memory", "stats", "-u", "ben", "-o", "json").data
    assert (mine["nodes"], mine["edges"], others["nodes"], others["edges"]) == (5, 3, 4, 2)


def test_an_empty_store_has_figures(run: Run) -> None:
    data = run("memory", "stats", "-o", "json").data
    assert (data["nodes"], data["edges"], data["avg_out_degree"], data["by_label"]) == (0, 0, 0.0, {})


# --- pruning


def test_pruning_asks_and_refuses_where_nobody_can_answer(run: Run, stored: Stored) -> None:
    done = run("memory", "prune")
    assert done.code == 2
    assert "--yes" in done.err
    assert run("memory", "stats", "-o", "json").data["edges"] == 2


class Terminal(io.TextIOWrapper):
    """A stream that somebody sits at."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("said", "code", "left"), [("n\n", 1, 2), ("y\n", 0, 1)])
def test_a_person_decides_knowing_how_much_goes(
    run: Run, stored: Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, code: int, left: int
) -> None:
    asked = Terminal(io.BytesIO(), encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stdin", Terminal(io.BytesIO(said.encode()), encoding="utf-8"))
    monkeypatch.setattr(sys, "stderr", asked)
    assert main(["memory", "prune"]) == code
    assert b"1 relation will be forgotten" in asked.buffer.getvalue()  # type: ignore[attr-defined]
    with opened(tmp_path) as memory:
        assert memory.topology()["edges"] == left


def test_a_dry_run_only_tells(run: Run, stored: Stored) -> None:
    data = run("memory", "prune", "--dry-run", "-o", "json").data
    assert (data["retired"], data["dry_run"], data["operation"]) == (1, True, None)
    assert run("memory", "stats", "-o", "json").data["edges"] == 2


def test_pruning_is_one_operation_to_undo(run: Run, stored: Stored) -> None:
    data = run("memory", "prune", "--yes", "-o", "json").data
    assert data["retired"] == 1
    assert run("memory", "stats", "-o", "json").data["by_label"] == {"depends_on": 1}
    assert run("undo", data["operation"]).code == 0
    assert run("memory", "stats", "-o", "json").data["edges"] == 2


def test_the_bar_and_the_crowd_can_be_named(run: Run, stored: Stored) -> None:
    assert run("memory", "prune", "--dry-run", "--min-confidence", "0.1", "-o", "json").data["retired"] == 0
    assert run("memory", "prune", "--dry-run", "--min-confidence", "1", "-o", "json").data["retired"] == 1
    assert run("memory", "prune", "--dry-run", "--min-confidence", "2").code == 2
    assert run("memory", "prune", "--dry-run", "--max-edges", "0").code == 2


def test_pruning_is_never_for_a_scope(run: Run, stored: Stored) -> None:
    done = run("memory", "prune", "--yes", "-u", "ana")
    assert done.code == 2
    assert "-u" in done.err


# --- the hybrid query


def contents(done: Done) -> list[str]:
    return [hit["memory"] for hit in done.data["results"]]


def test_a_query_combines_words_place_facets_and_relations(run: Run, stored: Stored) -> None:
    assert contents(run("memory", "query", "prices", "--section", "design", "-o", "json")) == [
        "Prices are cached for a day"
    ]
    assert contents(
        run(
            "memory",
            "query",
            "prices",
            "--file",
            "docs/",
            "--diataxis",
            "howto",
            "--persona",
            "novice",
            "--domain",
            "cli",
            "-o",
            "json",
        )
    ) == ["Prices are cached for a day"]
    assert contents(run("memory", "query", "prices", "--section", "Appendix", "-o", "json")) == []
    assert contents(run("memory", "query", "--from", stored.redis, "-o", "json"))
    assert contents(
        run("memory", "query", "redis", "--from", stored.cache, "--relation", "depends_on", "-o", "json")
    ) == ["Redis runs beside it"]
    assert contents(run("memory", "query", "ana", "--from", stored.lone, "-o", "json")) == []


def test_a_query_is_timed(run: Run, stored: Stored) -> None:
    shown = run("memory", "query", "prices").out
    assert re.search(r"in \d+\.\d ms", shown)
    assert "ms: plan" in shown
    assert run("memory", "query", "-", "-o", "json", stdin="prices").data["results"]
    assert len(contents(run("memory", "query", "prices", "-k", "1", "-o", "json"))) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["--diataxis", "poem"],
        ["--persona", "nobody"],
        ["--certainty", "sure"],
        ["--relation", "supports"],
        ["--from", "nobody"],
        ["--limit", "0"],
        ["--limit", "many"],
        ["-o", "yaml"],
    ],
    ids=" ".join,
)
def test_a_query_that_makes_no_sense_is_refused(run: Run, stored: Stored, words: list[str]) -> None:
    done = run("memory", "query", "prices", *words)
    assert done.code == 2
    assert done.err.startswith("error [E")


# --- the graph


def test_a_graph_is_drawn_as_a_tree(run: Run, stored: Stored) -> None:
    shown = run("memory", "graph", stored.cache).out
    first, *branches, figures = shown.splitlines()
    assert first.startswith("Prices are cached for a day  " + stored.cache[:8])
    assert {branch.lstrip("├└─ ").split("  ")[0] for branch in branches} == {"—depends_on→", "—contradicts—"}
    assert figures == "3 records, 2 relations"
    assert "←depends_on—" in run("memory", "graph", stored.redis).out


def test_without_a_record_the_strongest_relations_are_drawn(run: Run, stored: Stored) -> None:
    data = run("memory", "graph", "-o", "json").data
    assert [edge["label"] for edge in data["edges"]] == ["depends_on", "contradicts"]
    assert {node["id"] for node in data["nodes"]} == {stored.cache, stored.redis, stored.stale}
    only = run("memory", "graph", "--label", "contradicts", "-o", "json").data
    assert [edge["label"] for edge in only["edges"]] == ["contradicts"]
    assert len(run("memory", "graph", "--limit", "2", "-o", "json").data["nodes"]) == 2


def test_nothing_related_is_said(run: Run, stored: Stored) -> None:
    assert "1 record, 0 relations" in run("memory", "graph", stored.lone).out
    assert "nothing is related yet" in run("memory", "graph", "--label", "causes").out


def test_a_circle_is_drawn_once_with_hints(run: Run, stored: Stored, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.relate(stored.redis, stored.stale, "supports")
    shown = run("memory", "graph", stored.cache).out
    assert shown.count(stored.stale[:8]) == 1
    assert shown.count("Nothing is ever stale") == 2


def test_records_of_others_are_not_drawn(run: Run, stored: Stored, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        hers = memory.add("Ana likes tea", user_id="ana", infer=False).id
        memory.relate(hers, stored.lone, "supports")
    assert "tea" in run("memory", "graph", stored.lone, "-u", "ana").out
    assert "tea" not in run("memory", "graph", stored.lone, "-u", "ben").out
    assert "tea" not in run("memory", "graph", "-u", "ben").out
    assert run("memory", "graph", hers, "-u", "ben").code == 2


@pytest.mark.parametrize("kind", ["svg", "html"])
def test_a_drawing_is_one_file_that_fetches_nothing_and_is_the_same_each_time(
    run: Run, stored: Stored, tmp_path: Path, kind: str
) -> None:
    assert run("memory", "graph", "--format", kind, "--file", "one").code == 0
    done = run("memory", "graph", "--file", f"two.{kind}", "-o", "json")
    assert done.data == {"path": f"two.{kind}", "nodes": 3, "edges": 2}
    drawing = (tmp_path / "one").read_text(encoding="utf-8")
    assert drawing == (tmp_path / f"two.{kind}").read_text(encoding="utf-8")
    assert drawing == run("memory", "graph", "--format", kind).out
    assert "Prices are cached for a" in drawing
    addresses = set(re.findall(r"https?://[^\"'\s<]+", drawing))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(script|link|img|iframe|image|use|object)\b", drawing)


def test_a_drawing_shows_what_was_only_guessed(run: Run, stored: Stored, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory._engine.relating.relate(
            [(stored.lone, None, 0), (stored.redis, None, 1)],
            "supports",
            visible=None,
            confidence=0.5,
            auto_extracted=True,
        )
    picture = run("memory", "graph", "--format", "svg").out
    tree = ElementTree.fromstring(picture)
    dashed = [line for line in tree.iter("{http://www.w3.org/2000/svg}line") if line.get("class") == "guess"]
    assert len(dashed) == 1
    shown = re.search(r"\(0\.50\? ([0-9a-f]{8})\)", run("memory", "graph", stored.lone).out)
    assert shown is not None
    assert run("confirm", shown[1]).code == 0  # what was guessed can be confirmed by the id beside it
    assert "?" not in run("memory", "graph", stored.lone).out


def test_hostile_names_stay_text(run: Run, stored: Stored, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        bad = memory.add(HOSTILE, category='x"><script>', infer=False).id
        memory.relate(bad, stored.cache, '"><script>alert(1)</script>')
    picture = run("memory", "graph", "--format", "svg").out
    tree = ElementTree.fromstring(picture)  # well-formed, whatever it says
    assert {element.tag.partition("}")[2] for element in tree.iter()} <= {
        "svg",
        "title",
        "style",
        "defs",
        "marker",
        "path",
        "rect",
        "g",
        "line",
        "text",
        "circle",
    }
    page = run("memory", "graph", "--format", "html").out
    for drawing in (picture, page):
        assert "<script" not in drawing
        assert "<img" not in drawing
        assert "\u202e" not in drawing
        assert "\x1b" not in drawing
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in page
    shown = run("memory", "graph", bad).out
    assert "\x1b[31m" not in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize(
    "words",
    [
        ["nobody"],
        ["--format", "png"],
        ["--file", "x.txt"],
        ["--limit", "0"],
        ["--limit", "1000"],
        ["--depth", "0"],
        ["--format", "svg", "--file", "no/such/folder/x.svg"],
        ["00000000-0000-4000-8000-000000000000"],
    ],
    ids=" ".join,
)
def test_a_graph_that_makes_no_sense_is_refused(run: Run, stored: Stored, words: list[str]) -> None:
    start = [] if len(words) == 1 else [stored.cache]
    done = run("memory", "graph", *start, *words)
    assert done.code == 2
    assert done.err.startswith("error [E")


def test_forty_records_are_readable(run: Run, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        ids = memory.add([f"Record number {i} of many" for i in range(60)], infer=False).ids
        for i in range(1, 60):
            memory.relate(ids[(i - 1) // 2], ids[i], "elaborates")
    shown = run("memory", "graph", ids[0], "--depth", "6").out
    assert "40 records, 39 relations; 20 more: raise --limit" in shown
    assert max(map(len, shown.splitlines())) <= 120
    picture = ElementTree.fromstring(run("memory", "graph", ids[0], "--depth", "6", "--format", "svg").out)
    circles = list(picture.iter("{http://www.w3.org/2000/svg}circle"))
    places = [(float(c.get("cx", 0)), float(c.get("cy", 0))) for c in circles]
    assert len(circles) == 40
    assert min(abs(x - u) + abs(y - v) for i, (x, y) in enumerate(places) for u, v in places[:i]) > 15


def test_the_verbs_behind_it(memory: Memory) -> None:
    a, b, c = memory.add(["one", "two", "three"], infer=False).ids
    memory.relate(a, b, "supports", confidence=0.5)
    memory.relate(b, c, "supports")
    memory.relate(members=[(a, "subject"), (b, "object"), (c, "context")], label="meets", family="context")
    found = memory.relations()
    assert [edge.label for edge in found.edges][-1] == "supports"
    assert {record.id for record in found} == {a, b, c}
    assert [edge.weight * edge.confidence for edge in memory.relations(labels=["supports"]).edges] == [1.0, 0.5]
    assert len(memory.relations(limit=1).edges) == 1
    memory.delete(c)
    assert [edge.label for edge in memory.relations().edges] == ["supports"]
    assert memory.topology()["edges"] == 1


def test_nodes_of_the_topology_profile_are_drawn_by_their_own_ids(run: Run, tmp_path: Path) -> None:
    from recollect.compat.topology import ConceptEdge, MemoryNode, RelationType, UnifiedMemoryStore

    with UnifiedMemoryStore(tmp_path / "unified", embedder="fake") as store:
        told = ConceptEdge("ctf", "reader", RelationType.DEPENDS_ON)
        store.add_nodes(
            [
                MemoryNode(id="ctf", content="Traces are CTF", outgoing_edges=[told]),
                MemoryNode(id="reader", content="A reader is needed"),
            ]
        )
    db = ("--db", str(tmp_path / "unified" / "memory.db"))
    assert "—depends_on→" in run(*db, "memory", "graph", "ctf").out
    assert "A reader is needed" in run(*db, "memory", "query", "--from", "ctf").out
    assert run(*db, "memory", "graph", "nobody").code == 2
