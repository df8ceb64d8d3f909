"""What people, agents or a model say about code: part of the graph, and truth when the graph is made anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import write

import recollect
from recollect import Memory
from recollect.errors import NotFound, UsageError
from recollect.model.said_of_code import RELATIONS

FILES = {
    "src/auth.py": """
        class Session:
            def refresh(self):
                return self

        def login(name):
            return Session().refresh()
        """,
    "src/audit.py": "def record(who):\n    return who\n",
    "src/cli.py": "from src.auth import login\n\ndef main():\n    login('ana')\n",
    "app.toml": "[app]\nport = 1\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "atlas", FILES)


@pytest.fixture
def memory(tmp_path: Path, root: Path) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", config={"codegraph.check_s": 0}) as opened:
        opened.code.index(root)
        yield opened


def reached(memory: Memory, asked: str) -> dict[str, float]:
    return {item.label: round(item.score, 3) for item in memory.code.impact(asked)}


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_link_is_an_edge_of_the_graph(memory: Memory, relation: str) -> None:
    kept = memory.code.link("record", relation, "login", why="by a queue", weight=0.5, confidence=0.8, by="ana")
    (edge,) = memory.code.edges(relation)
    assert (edge.source_path, edge.source_symbol) == ("src/audit.py", "record")
    assert (edge.target_path, edge.target_symbol) == ("src/auth.py", "login")
    share = memory.config.codegraph.impact[relation]
    assert (edge.weight, edge.confidence, edge.resolved, edge.said) == (share * 0.5, 0.8, "said", kept.id)
    start, end = ("record", "src/auth.py::login") if relation == "flows_to" else ("login", "src/audit.py::record")
    assert reached(memory, start)[end] == pytest.approx(share * 0.4)
    (note,) = memory.code.notes()
    assert (note.by, note.relation, note.about) == ("ana", relation, ("src/audit.py::record", "src/auth.py::login"))
    assert note.text == f"src/audit.py::record {relation} src/auth.py::login: by a queue"


def test_files_are_joined_too_and_what_is_no_code(memory: Memory) -> None:
    memory.code.link("app.toml", "depends_logically", "src/audit.py")
    assert reached(memory, "src/audit.py") == {"app.toml": 0.7}
    assert reached(memory, "app.toml") == {}


@pytest.mark.parametrize(
    ("kind", "relation"),
    [
        ("pattern", "applies_pattern"),
        ("invariant", "depends_logically"),
        ("decision", "depends_logically"),
        ("data_flow", "depends_logically"),
    ],
)
def test_a_note_is_a_node_that_its_places_are_joined_with(memory: Memory, kind: str, relation: str) -> None:
    kept = memory.code.note(kind, "The token is never logged", "login", confidence=0.5)
    node = f"#{kept.id[:8]}"
    (edge,) = memory.code.edges(relation)
    assert (edge.source_symbol, edge.target_path) == ("login", node)
    assert "src/auth.py" in reached(memory, node)
    record = memory.get(kept.id)
    assert (record.category, record.scope.project, record.confidence) == (kind, "atlas", 0.5)


def test_a_data_flow_goes_from_place_to_place_and_a_trace_follows_it(memory: Memory) -> None:
    memory.code.note("data_flow", "names reach the audit", ["main", "login", "record"])
    flows = [(edge.source_symbol, edge.target_symbol) for edge in memory.code.edges("flows_to")]
    assert flows == [("main", "login"), ("login", "record")]
    steps = {item.label: item.note for item in memory.code.trace("login")}
    assert steps["src/audit.py::record"].startswith("flows_to, said in #")
    assert steps["src/cli.py::main"].startswith("gets what is returned")
    assert "src/audit.py::record" in reached(memory, "login")


def test_a_link_may_end_at_a_note(memory: Memory) -> None:
    node = f"#{memory.code.note('decision', 'Ports are fixed', 'src/cli.py').id[:8]}"
    memory.code.link("app.toml", "depends_logically", node)
    assert reached(memory, node) == {"app.toml": 0.7, "src/cli.py": 0.7}


def test_impact_shows_what_is_known_about_what_it_reaches(memory: Memory, root: Path) -> None:
    memory.code.note("invariant", "The token is never logged", "login")
    memory.code.note("invariant", "Refreshing is idempotent", "Session.refresh")
    warning = memory.add(
        "main() leaves the queue open", category="gotcha", metadata={"related_files": ["src/cli.py"]}, project="atlas"
    )
    told = memory.code.impact("login").records
    assert [(each.kind, each.text) for each in told] == [("invariant", "The token is never logged")]
    memory.confirm(warning.id)
    assert [each.kind for each in memory.code.impact("login").records] == ["invariant", "gotcha"]
    assert [each.text for each in memory.code.impact("record").records] == []
    memory.flag(warning.id, reason="it is not so")
    assert [each.kind for each in memory.code.impact("login").records] == ["invariant"]
    memory.add("another project", category="invariant", metadata={"related_files": ["src/auth.py"]}, project="beta")
    assert len(memory.code.impact("login").records) == 1
    (root / "src/auth.py").unlink()
    assert memory.code.impact("src/cli.py").records == ()  # its code is gone


def test_what_waits_for_review_is_no_edge(memory: Memory) -> None:
    kept = memory.code.link("record", "depends_logically", "login", needs_review=True, by="a model")
    assert memory.code.edges("depends_logically") == []
    assert [each.counts for each in memory.code.notes()] == [False]
    memory.confirm(kept.id)
    assert len(memory.code.edges("depends_logically")) == 1
    memory.flag(kept.id, reason="it is not so")
    assert memory.code.edges("depends_logically") == []


def test_undo_delete_and_redo_take_an_edge_away_and_bring_it_back(memory: Memory) -> None:
    kept = memory.code.link("record", "depends_logically", "login")
    assert kept.operation is not None
    undone = memory.undo(kept.operation)
    assert memory.code.edges("depends_logically") == []
    assert undone.operation is not None
    memory.undo(undone.operation)
    assert len(memory.code.edges("depends_logically")) == 1
    memory.delete(kept.id)
    assert memory.code.edges("depends_logically") == []


def test_what_was_said_outlives_the_graph_and_follows_its_code(memory: Memory, root: Path) -> None:
    memory.code.link("login", "flows_to", "record")
    memory.code.forget(root=str(root))
    memory.code.index(root)
    assert len(memory.code.edges("flows_to")) == 1
    (root / "src/core").mkdir()
    (root / "src/audit.py").rename(root / "src/core/audit.py")
    memory.code.index(root)
    (edge,) = memory.code.edges("flows_to")
    assert edge.target_path == "src/core/audit.py"
    text = (root / "src/auth.py").read_text(encoding="utf-8")
    (root / "src/auth.py").write_text(
        "import os\n\n" + text.replace("return Session", "return Session"), encoding="utf-8"
    )
    (edge,) = memory.code.edges("flows_to")
    assert edge.confidence == 1.0
    (root / "src/auth.py").write_text(text.replace("().refresh()", "()"), encoding="utf-8")
    (edge,) = memory.code.edges("flows_to")
    assert edge.confidence == pytest.approx(memory.config.codegraph.drifted_trust)
    (root / "src/auth.py").write_text("x = 1\n", encoding="utf-8")
    assert memory.code.edges("flows_to") == []
    assert [(each.state, each.counts) for each in memory.code.notes()] == [("drifted", False)]
    (root / "src/auth.py").write_text(text, encoding="utf-8")
    assert len(memory.code.edges("flows_to")) == 1


def test_a_confirmed_note_keeps_its_place_after_its_file_moved(memory: Memory, root: Path) -> None:
    kept = memory.code.note("invariant", "Records are kept", "record")
    (root / "src/audit.py").rename(root / "src/journal.py")
    memory.code.index(root)
    memory.confirm(kept.id)
    assert [(each.about, each.counts) for each in memory.code.notes()] == [(("src/journal.py::record",), True)]
    assert [each.id for each in memory.code.impact("src/journal.py").records] == [kept.id]


def test_what_was_said_is_exported_with_the_rest(memory: Memory, root: Path, tmp_path: Path) -> None:
    memory.code.link("login", "flows_to", "record", confidence=0.9)
    memory.code.note("invariant", "Records are kept", "record")
    memory.export(tmp_path / "all.jsonl")
    with recollect.open(":memory:", embedder="fake") as other:
        other.code.index(root)
        other.import_(tmp_path / "all.jsonl")
        assert [(each.kind, each.confidence) for each in other.code.notes()] == [("invariant", 1.0), ("code_link", 0.9)]
        assert len(other.code.edges("flows_to")) == 1


def test_a_handle_sees_what_its_scope_sees(memory: Memory) -> None:
    ana, rex = (memory.scoped(project="atlas", user_id=name) for name in ("ana", "rex"))
    ana.code.link("login", "flows_to", "record")
    assert len(ana.code.edges("flows_to")) == 1
    assert rex.code.edges("flows_to") == []
    assert len(rex.code.notes()) == 0
    assert len(memory.code.edges("flows_to")) == 1  # the owner sees all


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("login", "calls", "record"), "relation is one of"),
        (("login", "flows_to", "login"), "two different things"),
        (("login", "flows_to", "#00000000"), "no note"),
        (("src", "flows_to", "login"), "a folder is no place"),
        (("../x.py", "flows_to", "login"), "outside"),
    ],
)
def test_links_that_mean_nothing_are_refused(memory: Memory, given: tuple[str, str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        memory.code.link(*given)
    with pytest.raises(NotFound):
        memory.code.link("nothing_like_it", "flows_to", "login")
    with pytest.raises(UsageError):
        memory.code.link("login", "flows_to", "record", weight=2.0)
    assert len(memory.code.notes()) == 0


def test_notes_that_mean_nothing_are_refused(memory: Memory, root: Path) -> None:
    (root / ".env").write_text("KEY=1", encoding="utf-8")
    for kind, about in (("fact", "login"), ("pattern", []), ("pattern", ["login"] * 6)):
        with pytest.raises(UsageError):
            memory.code.note(kind, "text", about)
    for place in ("src/none.py", ".env", "src/auth.py::none", "src/auth.py::login::x"):
        with pytest.raises(NotFound):
            memory.code.note("pattern", "text", place)
    with pytest.raises(UsageError):
        memory.code.note("pattern", " ", "login")
    assert len(memory.code.notes()) == 0


def test_attributes_of_any_shape_are_no_link(memory: Memory) -> None:
    """Whoever may add a record may give it attributes: what is no link is none, and breaks nothing."""
    shapes = [
        1,
        {},
        {"places": "src/auth.py"},
        {"places": ["src/auth.py", 2]},
        {"places": ["src/auth.py"] * 9, "relation": "flows_to"},
        {"places": ["src/auth.py"], "relation": "flows_to", "source": 0, "target": 5},
        {"places": ["src/auth.py"], "relation": "calls"},
        {"places": ["src/auth.py", "src/cli.py"], "relation": "flows_to", "weight": 1e9},
    ]
    for number, shape in enumerate(shapes):
        memory.add(
            f"link {number}",
            category="code_link",
            metadata={"related_files": ["src/auth.py", "src/cli.py"]},
            attributes={"code": shape},
            project="atlas",
        )
    assert [edge for edge in memory.code.edges() if edge.resolved == "said"] == []


def test_notes_are_paged_and_found_by_their_place(memory: Memory) -> None:
    for number in range(5):
        memory.code.note("pattern", f"pattern number {number} of its own", "login" if number % 2 else "src/cli.py")
    first = memory.code.notes(limit=3)
    assert (len(first), first.total, first.next) == (3, 5, 3)
    assert len(memory.code.notes(limit=3, start=3)) == 2
    assert memory.code.notes("src/auth.py").total == 2
    assert memory.code.notes("src").total == 5


def test_what_is_said_again_is_one_record(memory: Memory) -> None:
    first = memory.code.note("pattern", "Handlers never sleep", "login")
    assert memory.code.note("pattern", "Handlers never sleep", "login").event == "NONE"
    memory.code.note("pattern", "Handlers never sleep", "main")
    (note,) = memory.code.notes()
    assert (note.id, note.about) == (first.id, ("src/auth.py::login", "src/cli.py::main"))
    assert len(memory.code.edges("applies_pattern")) == 2
    memory.code.link("login", "flows_to", "record", why="by a queue")
    memory.code.link("login", "flows_to", "record", why="by a queue", weight=0.5, confidence=0.4)
    (edge,) = memory.code.edges("flows_to")
    assert (edge.weight, edge.confidence) == (memory.config.codegraph.impact["flows_to"] * 0.5, 0.4)
    memory.code.link("login", "flows_to", "record", why="by hand")
    assert len(memory.code.edges("flows_to")) == 2
