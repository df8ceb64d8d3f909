"""The job that finds relations: what it finds, in one scope, once, and taken back with the text it was found in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ticking import Ticking

from recollect import Memory
from recollect.ingest.requests import RELATIONS_JOB
from recollect.store.jobs import Job
from recollect.upkeep.jobs.worker import JobWorker
from recollect.upkeep.relations import relations_by_rules as relations
from recollect.upkeep.relations.relations_by_rules import RelationsByRules
from recollect.wiring import open_memory

KETTLE = """\
# Kettle

The kettle stands in the kitchen on the second floor, where Ana put it in May. It depends on [the wiring](wiring.md).

## Cleaning

Vinegar removes the chalk that hard water leaves behind. Boil it twice with fresh water before you make tea again.

## Example

Ana filled it with vinegar on a Friday, boiled it twice, and nobody on the second floor tasted the difference.
"""
WIRING = """\
# Wiring

Ben drew the wiring of the kitchen, the fuses and the sockets, and keeps the plan of it in the drawer beside the door.

## Fuses

The kettle has a fuse of its own. [Cleaning](kettle.md#cleaning) has the details of what else may end its life early.
"""
DRINKS, NOT = "Ana drinks coffee at work", "Ana does not drink coffee at work"
Edges = set[tuple[str, str, str]]


@pytest.fixture
def mem(monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """No thread of its own: the job runs when the test says so."""
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as memory:
        yield memory


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "kettle.md").write_text(KETTLE, encoding="utf-8")
    (folder / "wiring.md").write_text(WIRING, encoding="utf-8")
    return folder


def look(memory: Memory, progress: Callable[[float], bool] = lambda share: True) -> None:
    engine = memory._engine
    job = Job(pk=0, kind=RELATIONS_JOB, payload={}, attempts=1)
    RelationsByRules(engine.store, engine.indexes, engine.config, engine.clock).run(job, progress)


def forget_progress(memory: Memory) -> None:
    memory._engine.store.write(lambda tx: tx.sql.run("DELETE FROM meta WHERE key = 'relations_seen'"))


def found(memory: Memory) -> Edges:
    """(label, first words of the one, of the other) of every live edge that was found."""
    with memory._engine.store.read() as tx:
        rows = tx.sql.all(
            "SELECT e.label, a.content, b.content FROM edge e JOIN member x ON x.edge_pk = e.pk AND x.position = 0 "
            "JOIN member y ON y.edge_pk = e.pk AND y.position = 1 JOIN record a ON a.pk = x.record_pk "
            "JOIN record b ON b.pk = y.record_pk WHERE e.auto_extracted = 1 AND e.retired_at IS NULL"
        )
        live = tx.sql.value("SELECT count(*) FROM edge WHERE auto_extracted = 1 AND retired_at IS NULL")
    named = [(label, _name(one), _name(other)) for label, one, other in rows]
    assert len(named) == live == len(set(named)), "an edge was found twice"
    return set(named)


def _name(content: str) -> str:
    return content.partition("\n")[0].strip("# ")


IN_DOCS = {
    ("depends_on", "Kettle", "Wiring"),
    ("elaborates", "Cleaning", "Fuses"),
    ("exemplifies", "Example", "Kettle"),
}


# --- what is found --------------------------------------------------------------------------------------------------


def test_links_and_titles_of_documents_become_relations(mem: Memory, docs: Path) -> None:
    mem.ingest("docs")
    look(mem)
    assert found(mem) == IN_DOCS


def test_an_edge_says_how_it_was_found_and_waits_for_somebodys_word(mem: Memory, docs: Path) -> None:
    mem.ingest("docs")
    look(mem)
    kettle = next(hit for hit in mem.get_all().records if hit.content.startswith("# Kettle"))
    (edge,) = mem.related(kettle.id, labels=["depends_on"]).edges
    assert (edge.auto_extracted, edge.confidence) == (True, 0.9)
    assert edge.evidence == ("It depends on [the wiring](wiring.md).",)
    assert edge.attributes == {"method": "pattern", "read_in": kettle.id}


def test_statements_that_cannot_both_be_true_contradict_each_other(mem: Memory) -> None:
    one, other = mem.add([DRINKS, NOT, "Ben drinks tea at home"]).ids[:2]
    look(mem)
    assert found(mem) == {("contradicts", NOT, DRINKS)}
    assert [record.id for record in mem.contradictions(one)] == [other]
    assert {hit.id for hit in mem.search("does Ana drink coffee?")} >= {one, other}  # it marks, nothing more


def test_a_statement_refers_to_the_document_it_names(mem: Memory, docs: Path) -> None:
    mem.ingest("docs")
    mem.add("Ben wrote docs/wiring.md, says Ana")
    look(mem)
    assert found(mem) - IN_DOCS == {("relates_to", "Ben wrote docs/wiring.md, says Ana", "Wiring")}


def test_documents_refer_to_code(mem: Memory, docs: Path) -> None:
    (docs / "brew.py").write_text("class Brewer:\n    def steep(self) -> str:\n        return 'tea'\n")
    (docs / "tea.md").write_text("# Tea\n\nHow long the leaves need is decided in `Brewer.steep`, and nowhere else.\n")
    mem.ingest("docs")
    look(mem)
    (edge,) = {edge for edge in found(mem) if edge[1] == "Tea"}
    assert edge == ("relates_to", "Tea", "class Brewer:")


def test_a_link_to_what_comes_later_is_found_when_it_comes(mem: Memory, docs: Path) -> None:
    mem.ingest("docs/kettle.md")
    look(mem)
    assert found(mem) == {("exemplifies", "Example", "Kettle")}
    later = mem.ingest("docs/wiring.md")
    look(mem)
    assert found(mem) == IN_DOCS
    mem.undo(later)
    assert found(mem) == {("exemplifies", "Example", "Kettle")}


def test_a_table_of_contents_is_no_reference(mem: Memory, docs: Path) -> None:
    parts = [f"Part {letter}" for letter in "abcdefghijkl"]
    listed = "\n".join(f"- [{part}](#{part.lower().replace(' ', '-')})" for part in parts)
    told = "\n\n".join(f"## {part}\n\n" + f"What there is to say of {part} is told here. " * 3 for part in parts)
    (docs / "long.md").write_text(f"# Long\n\n{listed}\n\n{told}\n")
    mem.ingest("docs/long.md")
    look(mem)
    assert found(mem) == set()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"role": "user", "content": DRINKS}, {"role": "user", "content": NOT}),
        ("Ana drinks coffee today", "Ana does not drink coffee today"),
        (DRINKS, "Ben does not drink coffee at home"),
    ],
    ids=["turns", "of a day", "of somebody else"],
)
def test_what_may_both_be_true_does_not_contradict(mem: Memory, first: Any, second: Any) -> None:
    mem.add([first, second], session_id="s", infer=False)
    look(mem)
    assert found(mem) == set()


# --- settings -------------------------------------------------------------------------------------------------------


def test_what_is_not_wanted_is_looked_for_once_it_is(monkeypatch: pytest.MonkeyPatch, docs: Path) -> None:
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)
    path = docs / "m.db"
    with open_memory(path, embedder="fake", config={"perceive.relations": "off"}) as memory:
        memory.ingest("docs")
        memory.add([DRINKS, NOT])
        look(memory)
        assert found(memory) == set()
    with open_memory(path, embedder="fake", config={"perceive.relations": "documents"}) as memory:
        look(memory)
        assert found(memory) == IN_DOCS


def test_less_sure_relations_are_kept_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)
    with open_memory(":memory:", embedder="fake", config={"perceive.relation_min": 0.5}) as memory:
        memory.add("The gateway keeps session tokens in its cache")
        memory.add("The login page needs the gateway for session tokens in its cache")
        look(memory)
        assert {edge[0] for edge in found(memory)} == {"depends_on"}


# --- once, in one scope, and taken back -----------------------------------------------------------------------------


def test_looking_again_finds_nothing_more(mem: Memory, docs: Path) -> None:
    mem.ingest("docs")
    mem.add([DRINKS, NOT])
    look(mem)
    before = found(mem)
    for _ in range(2):
        look(mem)
        forget_progress(mem)
        look(mem)
    assert found(mem) == before


@given(st.lists(st.sampled_from([DRINKS, NOT, "Ana likes docs/a.md", "Ben has 3 cats", "Ben has 4 cats"]), max_size=8))
def test_any_statements_are_related_once(texts: list[str]) -> None:
    with open_memory(":memory:", embedder="fake", config={"store.durable": False}) as memory:
        for text in texts:
            memory.add(text)
        look(memory)
        with memory._engine.store.read() as tx:
            before = tx.sql.all("SELECT pk, label, retired_at FROM edge ORDER BY pk")
        forget_progress(memory)
        look(memory)
        with memory._engine.store.read() as tx:
            assert tx.sql.all("SELECT pk, label, retired_at FROM edge ORDER BY pk") == before


def test_scopes_are_never_related(mem: Memory, docs: Path) -> None:
    mem.ingest("docs/kettle.md", project="atlas")
    mem.ingest("docs/wiring.md", project="borea")
    mem.add(DRINKS, user_id="ana")
    mem.add(NOT, user_id="ben")
    mem.add(NOT)
    look(mem)
    assert found(mem) == {("exemplifies", "Example", "Kettle")}


def test_a_stated_relation_stays_as_it_is(mem: Memory) -> None:
    one, other = mem.add([DRINKS, NOT]).ids
    stated = mem.relate(other, one, "contradicts", confidence=0.4)
    look(mem)
    assert found(mem) == set()
    (edge,) = mem.related(one).edges
    assert (edge.id, edge.confidence, edge.auto_extracted) == (stated, 0.4, False)


def test_the_newer_of_two_does_not_contradict_the_older(mem: Memory) -> None:
    one, other = mem.add([DRINKS, NOT]).ids
    mem.relate(other, one, "updates")
    look(mem)
    assert found(mem) == set()


def test_an_edge_somebody_withdrew_stays_away(mem: Memory) -> None:
    one = mem.add([DRINKS, NOT]).ids[0]
    look(mem)
    mem.unrelate(mem.related(one).edges[0].id)
    forget_progress(mem)
    look(mem)
    assert found(mem) == set()


def test_two_that_need_each_other_are_merely_related_one_way(mem: Memory, docs: Path) -> None:
    plan = "Ben drew the plan of it. " * 5
    (docs / "wiring.md").write_text(f"# Wiring\n\n{plan} It depends on [it](kettle.md).\n")
    mem.ingest("docs")
    look(mem)
    labels = {edge for edge in found(mem) if {edge[1], edge[2]} == {"Kettle", "Wiring"}}
    assert labels == {("depends_on", "Kettle", "Wiring"), ("relates_to", "Wiring", "Kettle")}


def test_undoing_the_text_takes_the_edges_back_and_redoing_brings_them_again(mem: Memory, docs: Path) -> None:
    receipt = mem.ingest("docs")
    look(mem)
    taken_back = mem.undo(receipt)
    assert found(mem) == set()
    mem.undo(taken_back)
    assert found(mem) == IN_DOCS


def test_a_changed_text_loses_what_it_no_longer_says_and_undo_restores_it(mem: Memory, docs: Path) -> None:
    mem.ingest("docs")
    look(mem)
    page = docs / "kettle.md"
    page.write_text(KETTLE.replace("It depends on [the wiring](wiring.md).", "It is red, and Ben likes it that way."))
    again = mem.ingest("docs")
    look(mem)
    assert found(mem) == IN_DOCS - {("depends_on", "Kettle", "Wiring")}
    mem.undo(again)
    assert found(mem) == IN_DOCS


def test_a_word_about_a_record_does_not_make_it_be_read_again(mem: Memory) -> None:
    one = mem.add([DRINKS, NOT]).ids[0]
    look(mem)
    mem.unrelate(mem.related(one).edges[0].id)
    mem.confirm(one)
    look(mem)
    assert found(mem) == set()


# --- stopping and crashing ------------------------------------------------------------------------------------------


def test_a_run_that_is_stopped_goes_on_where_it_was(mem: Memory, monkeypatch: pytest.MonkeyPatch, docs: Path) -> None:
    monkeypatch.setattr(relations, "PORTION", 2)
    mem.ingest("docs")
    mem.add([DRINKS, "Ana has a cat", "Ben has a boat", NOT])
    runs = 0
    while True:
        runs += 1
        try:
            look(mem, lambda share: False)
        except InterruptedError:
            continue
        break
    assert runs > 3
    assert found(mem) == IN_DOCS | {("contradicts", NOT, DRINKS)}


def test_a_crash_between_finding_and_keeping_loses_and_doubles_nothing(
    mem: Memory, monkeypatch: pytest.MonkeyPatch, docs: Path
) -> None:
    monkeypatch.setattr(relations, "PORTION", 3)
    mem.ingest("docs")
    whole, times = relations.keep, 0

    def crashing(tx: Any, *args: Any, **more: Any) -> int:
        nonlocal times
        times += 1
        made = whole(tx, *args, **more)
        if times == 2:
            raise OSError("the power went")
        return made

    monkeypatch.setattr(relations, "keep", crashing)
    with pytest.raises(OSError, match="power"):
        look(mem)
    look(mem)
    assert found(mem) == IN_DOCS


def test_a_portion_that_somebody_else_has_kept_is_left_alone(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    mem.add([DRINKS, NOT])
    kept = RelationsByRules._keep

    def late(self: RelationsByRules, tx: Any, **given: Any) -> None:
        if given["found"]:
            tx.sql.run("INSERT OR REPLACE INTO meta VALUES ('relations_seen', '99')")
        kept(self, tx, **given)

    monkeypatch.setattr(RelationsByRules, "_keep", late)
    look(mem)
    assert found(mem) == set()


def test_what_was_changed_meanwhile_is_not_related(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    old, _ = mem.add([DRINKS, NOT]).ids
    looked = RelationsByRules._found_in

    def slowly(self: RelationsByRules, *given: Any) -> Any:
        out = looked(self, *given)
        if any(each.relations for each in out):
            mem.update(old, content="Ana drinks what there is")
        return out

    monkeypatch.setattr(RelationsByRules, "_found_in", slowly)
    look(mem)
    assert found(mem) == set()


# --- the queue ------------------------------------------------------------------------------------------------------


def test_an_ingest_queues_the_job_and_the_worker_does_it(monkeypatch: pytest.MonkeyPatch, docs: Path) -> None:
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)
    clock = Ticking()
    with open_memory(":memory:", embedder="fake", clock=clock) as memory:
        memory.ingest("docs")
        with memory._engine.store.read() as tx:
            assert tx.jobs.waiting(RELATIONS_JOB)
        clock.skip(1)
        memory._engine.worker.run_pending()
        assert found(memory) == IN_DOCS
        again = memory.ingest("docs")
        assert again.count == 0
        with memory._engine.store.read() as tx:
            assert not tx.jobs.waiting(RELATIONS_JOB)


def test_without_vectors_words_find_what_may_be_contradicted() -> None:
    with open_memory(":memory:", embedder=None) as memory:
        memory.add([DRINKS, NOT])
        look(memory)
        assert found(memory) == {("contradicts", NOT, DRINKS)}
