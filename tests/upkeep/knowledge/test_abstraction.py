"""The tree of summaries: every record below one path, in step with the records, and no trace of what was erased."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_llm import Answering, broken
from hypothesis import given
from hypothesis import strategies as st
from properties.tables import examples, looking_at, open_quick, visible_state
from upkeep.upkeep_runs import Crash, abandon, dying_at, holds, run_steps, table

from recollect.memory import Memory
from recollect.model.tokens import estimate_tokens
from recollect.upkeep.knowledge import gist
from recollect.upkeep.knowledge.abstraction import AbstractionStep, insert

ABOUT = {
    "pottery": "Ana fired the {} bowl in the kiln of the pottery",
    "sailing": "Ben sailed the {} boat across the bay with the harbour club",
    "baking": "Cleo baked the {} bread with flour from the old mill",
}
WORDS = "amber birch cedar delta ember fjord grove heath islet jasper knoll lagoon maple nadir onyx pearl".split()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with open_quick(path) as opened:
        yield opened


def fill(memory: Memory, count: int = 12, **scope: str) -> list[str]:
    return [memory.add(text.format(word), **scope).id for text in ABOUT.values() for word in WORDS[:count]]


def nodes(path: Path, level: str | None = None) -> list[dict[str, object]]:
    sql = "SELECT * FROM summary WHERE live = 1 AND (? IS NULL OR level = ?) ORDER BY pk"
    return table(path, sql, level, level)


def texts(path: Path) -> str:
    return "\n".join(f"{node['label']} {node['text']}" for node in nodes(path))


def members(path: Path) -> dict[str, int]:
    sql = (
        "SELECT r.id, m.summary_pk FROM summary_member m JOIN summary s ON s.pk = m.summary_pk AND s.live = 1 "
        "JOIN record r ON r.pk = m.record_pk"
    )
    found = table(path, sql)
    assert len({row["id"] for row in found}) == len(found), "a record is in two clusters"
    return {row["id"]: row["summary_pk"] for row in found}


def grow(memory: Memory, **more: object) -> dict[str, int]:
    return dict(run_steps(memory, AbstractionStep(), **more).counts)


def test_every_record_is_below_one_path_to_the_top(memory: Memory, path: Path) -> None:
    ids = fill(memory)
    grow(memory)
    (top,) = nodes(path, "global")
    domains = {node["pk"]: node for node in nodes(path, "domain")}
    clusters = {node["pk"]: node for node in nodes(path, "cluster")}
    assert members(path).keys() == set(ids)
    assert set(members(path).values()) == clusters.keys()
    assert all(node["parent_pk"] in domains for node in clusters.values())
    assert all(node["parent_pk"] == top["pk"] for node in domains.values())
    assert all(5 <= int(str(node["records"])) <= 20 for node in clusters.values())
    assert top["records"] == sum(int(str(node["records"])) for node in clusters.values()) == len(ids)
    assert int(str(top["tokens"])) <= 200
    assert all(node["text"] for node in nodes(path))
    assert estimate_tokens(str(top["text"])) == top["tokens"]


def test_a_summary_says_only_what_records_say(memory: Memory, path: Path) -> None:
    fill(memory)
    grow(memory)
    said = {text.format(word) for text in ABOUT.values() for word in WORDS}
    for node in nodes(path, "cluster"):
        assert {part.removesuffix("…") for part in str(node["text"]).split(gist.BETWEEN)} <= said


def test_a_second_run_changes_nothing(memory: Memory, path: Path) -> None:
    fill(memory)
    grow(memory)
    before = nodes(path)
    assert grow(memory) == {}
    assert nodes(path) == before


def test_a_run_has_nothing_to_undo(memory: Memory, path: Path) -> None:
    fill(memory)
    before = visible_state(path)
    report = run_steps(memory, AbstractionStep())
    assert report.operation is None
    assert visible_state(path) == before


def test_a_new_record_goes_to_its_nearest_cluster(memory: Memory, path: Path) -> None:
    ids = fill(memory)
    grow(memory)
    untouched = {node["pk"]: node["made_at"] for node in nodes(path, "cluster")}
    new = memory.add("Ana fired the crimson bowl in the kiln of the pottery").id
    pk = table(path, "SELECT pk FROM record WHERE id = ?", new)[0]["pk"]
    engine = memory._engine
    assert insert(engine.store, engine.config, engine.clock, [pk]) == 1
    home = members(path)[new]
    assert home in {members(path)[each] for each in ids[:12]}
    rewritten = {node["pk"] for node in nodes(path, "cluster") if untouched.get(node["pk"]) != node["made_at"]}
    assert rewritten == {home}
    assert nodes(path, "global")[0]["records"] == len(ids) + 1
    assert grow(memory) == {}


def test_a_cluster_that_outgrows_itself_is_split(memory: Memory, path: Path) -> None:
    fill(memory)
    grow(memory)
    engine = memory._engine
    for number in range(16):
        new = memory.add(f"Ana fired the {random.Random(number).getrandbits(30):x} bowl in the kiln of the pottery").id
        insert(
            engine.store, engine.config, engine.clock, [table(path, "SELECT pk FROM record WHERE id = ?", new)[0]["pk"]]
        )
    assert len(members(path)) == 36 + 16
    assert max(int(str(node["records"])) for node in nodes(path, "cluster")) <= 20


def test_when_much_is_new_the_tree_is_drawn_up_again(memory: Memory, path: Path) -> None:
    fill(memory, 6)
    grow(memory)
    before = {node["pk"] for node in nodes(path)}
    fill(memory, 16)
    grow(memory)
    assert before.isdisjoint({node["pk"] for node in nodes(path)})
    assert table(path, "SELECT 1 FROM summary WHERE live = 0") == []
    assert len(members(path)) == 48


def test_what_is_deleted_leaves_every_text_above_it_at_once(memory: Memory, path: Path) -> None:
    ids = fill(memory, 6)
    grow(memory)
    told, said = next((each, said) for each in ids if (said := memory.get(each).content) in texts(path))
    gone = memory.delete(told)
    assert said not in texts(path)
    grow(memory)
    assert said not in texts(path)
    assert all(node["text"] for node in nodes(path))
    memory.undo(str(gone.operation))
    grow(memory)
    assert said in texts(path)


def test_what_is_erased_leaves_no_trace(memory: Memory, path: Path) -> None:
    fill(memory, 6)
    secret = memory.add("Ana fired the zanzibari bowl in the kiln of the pottery", importance=1.0).id
    grow(memory)
    assert "zanzibari" in texts(path)
    blobs = {node["pk"]: node["centroid"] for node in nodes(path)}
    above = members(path)[secret]
    memory.delete(secret, hard=True)
    assert holds(path, "zanzibari") == []
    assert {node["pk"]: node["centroid"] for node in nodes(path)}[above] is None
    grow(memory)
    assert holds(path, "zanzibari") == []
    assert {node["pk"]: node["centroid"] for node in nodes(path)}[above] != blobs[above]


def test_a_statement_that_speaks_for_a_turn_takes_its_words_along(memory: Memory, path: Path) -> None:
    for word in WORDS[:6]:
        memory.add([{"role": "user", "name": "Ana", "content": f"I bought a {word} lamp in the city"}], session_id="s")
    grow(memory)
    stated = table(path, "SELECT id, content FROM record WHERE turn_pk IS NOT NULL")
    told = next(row for row in stated if row["content"] in texts(path))
    memory.delete(told["id"])
    assert told["content"] not in texts(path)
    grow(memory)
    assert told["content"] not in texts(path)
    assert all(node["text"] for node in nodes(path))


def test_what_changes_while_a_tree_is_built_is_not_in_it(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody erases a record after it was read and before the new tree is in place."""
    fill(memory, 6)
    secret = memory.add("Ana fired the zanzibari bowl in the kiln of the pottery", importance=1.0).id
    monkeypatch.setattr(
        "recollect.upkeep.knowledge.abstraction.drawn_up", _then(lambda: memory.delete(secret, hard=True))
    )
    grow(memory)
    assert "zanzibari" not in texts(path)
    assert all(node["text"] for node in nodes(path))
    memory._engine.store.scrub()
    assert holds(path, "zanzibari") == []


def _then(also: object) -> object:
    from recollect.upkeep.knowledge.tree import drawn_up

    def both(*given: object) -> object:
        tree = drawn_up(*given)  # type: ignore[arg-type]
        also()  # type: ignore[operator]
        return tree

    return both


def test_scopes_have_trees_of_their_own(memory: Memory, path: Path) -> None:
    fill(memory, 6, user_id="ana")
    memory.add("Ben keeps the secret recipe", user_id="ben")
    grow(memory)
    tops = nodes(path, "global")
    assert len(tops) == 2
    for top in tops:
        (scope,) = table(path, "SELECT user_id FROM scope WHERE pk = ?", top["scope_pk"])
        assert ("secret recipe" in str(top["text"])) == (scope["user_id"] == "ben")
    with memory._engine.store.read() as tx:
        ben = tx.sql.value("SELECT pk FROM scope WHERE user_id = 'ben'")
        assert [each.records for each in tx.summaries.global_summary([ben])] == [1]
        everything = [row[0] for row in tx.sql.all("SELECT pk FROM record")]
        assert all("secret" in held.summary.text for held in tx.summaries.nodes_for([ben], everything))


def test_summaries_for_some_records_come_from_the_nearest_level_up(memory: Memory, path: Path) -> None:
    ids = fill(memory)
    grow(memory)
    with memory._engine.store.read() as tx:
        pks = [tx.sql.value("SELECT pk FROM record WHERE id = ?", (each,)) for each in ids[:3]]
        found = tx.summaries.nodes_for(None, pks)
    levels = [held.summary.level.value for held in found]
    assert levels == sorted(levels, key=["cluster", "domain", "global"].index)
    assert found[-1].pks == tuple(pks)
    assert all(set(held.pks) <= set(pks) for held in found)


def test_what_is_secret_flagged_archived_or_over_is_not_summed_up(memory: Memory, path: Path) -> None:
    fill(memory, 6)
    secret = memory.add("Ana fired the zanzibari bowl").id
    with looking_at(path) as db:
        db.execute("UPDATE record SET security = 'confidential' WHERE id = ?", (secret,))
    memory.add("Ana fired the peruvian bowl", valid_until="2020-05-13")
    memory.add("Ana fired the lapland bowl", tier="archive")
    grow(memory)
    assert not any(word in texts(path) for word in ("zanzibari", "peruvian", "lapland"))
    assert len(members(path)) == 18


def test_without_vectors_there_is_a_tree_all_the_same(path: Path) -> None:
    with open_quick(path, embedder=None) as memory:
        ids = fill(memory, 8)
        grow(memory)
        assert members(path).keys() == set(ids)
        memory.add("Ana fired the crimson bowl")
        grow(memory)
        assert len(members(path)) == len(ids) + 1


@pytest.mark.parametrize("portion", range(6))
def test_a_process_that_dies_leaves_the_tree_in_use_whole(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    fill(memory, 6)
    grow(memory)
    fill(memory, 16)
    before = nodes(path)
    with dying_at(monkeypatch, portion), pytest.raises(Crash):
        grow(memory)
    after = nodes(path)
    assert after == before or len(members(path)) == 48
    abandon(path)
    grow(memory)
    assert len(members(path)) == 48
    assert table(path, "SELECT 1 FROM summary WHERE live = 0") == []


def test_a_model_words_domains_and_a_broken_one_does_not(memory: Memory, path: Path) -> None:
    fill(memory, 6)
    run_steps(memory, AbstractionStep(Answering(lambda prompt: "Ana fired bowls in the kiln.")))
    (top,) = nodes(path, "global")
    assert top["text"] == "Ana fired bowls in the kiln."
    fill(memory, 16)
    report = run_steps(memory, AbstractionStep(Answering(broken)))
    assert report.problems
    assert all(node["text"] for node in nodes(path))


def test_records_that_say_nothing_are_summed_up_too(memory: Memory, path: Path) -> None:
    for text in ("!!!", "…", "ok", "ok ok", "👍"):
        memory.add(text)
    grow(memory)
    assert nodes(path, "global")[0]["records"] == 5


@examples(15)
@given(st.lists(st.sampled_from(["add", "delete", "undo", "run", "update", "erase"]), max_size=14), st.integers(0, 99))
def test_whatever_happens_the_tree_fits_the_records(
    tmp_path_factory: pytest.TempPathFactory, acts: list[str], seed: int
) -> None:
    path = tmp_path_factory.mktemp("tree") / "m.db"
    chance = random.Random(seed)
    with open_quick(path, config={"perceive.relations": "off"}) as memory:
        ids = fill(memory, 3)
        operations: list[str] = []
        for act in [*acts, "run"]:
            if act == "add":
                ids.append(memory.add(f"Ana fired the {chance.choice(WORDS)} bowl number {chance.random()}").id)
            elif act == "run":
                grow(memory)
            elif act == "undo" and operations:
                memory.undo(operations.pop())
            elif ids and act == "delete":
                operations.append(str(memory.delete(ids.pop(chance.randrange(len(ids)))).operation))
            elif ids and act == "erase":
                operations.clear()
                memory.delete(ids.pop(chance.randrange(len(ids))), hard=True)
            elif ids and act == "update":
                operations.clear()
                memory.update(chance.choice(ids), content=f"Ben sailed the {chance.random()} boat")
        live = {row["id"] for row in table(path, "SELECT id FROM record WHERE head_pk IS NULL AND retired_at IS NULL")}
        assert members(path).keys() & live == live
        tops = nodes(path, "global")
        assert sum(int(str(top["records"])) for top in tops) == len(live)
        contents = {row["content"] for row in table(path, "SELECT content FROM record WHERE retired_at IS NULL")}
        for node in nodes(path, "cluster"):
            for part in str(node["text"]).split(gist.BETWEEN):
                assert not part or any(part.removesuffix("…") in content for content in contents)
