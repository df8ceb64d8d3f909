"""`search`: what counts, what is found at once, what is said when something could not take part."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ticking import Ticking

import recollect
from recollect import Memory
from recollect.errors import SearchTimeout, UsageError
from recollect.index import follow
from recollect.recall import select
from recollect.recall.quality import Stopwatch
from recollect.recall.question.intent import KINDS
from recollect.recall.ranking.rank import part_weights
from recollect.wiring import open_memory


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with open_memory(":memory:", embedder="fake", clock=clock) as memory:
        yield memory


def contents(found: Any) -> list[str]:
    return [hit.content for hit in found]


# --- what counts ----------------------------------------------------------------------------------------------------

FILTERS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "nothing": ({}, {"plain", "opinion", "tagged", "january", "later", "of s1"}),
    "kinds": ({"kinds": ["opinion"]}, {"opinion"}),
    "one kind": ({"kinds": "opinion"}, {"opinion"}),
    "no kind": ({"kinds": []}, set()),
    "categories": ({"categories": ["preference", "decision"]}, {"opinion", "tagged"}),
    "tags": ({"tags": ["a"]}, {"tagged"}),
    "all of the tags": ({"tags": ["a", "z"]}, set()),
    "tiers": ({"tiers": ["archive"]}, {"archived"}),
    "the archive too": (
        {"tiers": ["archive", "longterm"], "kinds": ["semantic"]},
        {"plain", "tagged", "january", "later", "archived", "of s1"},
    ),
    "session": ({"session_id": "s1"}, {"of s1"}),
    "run": ({"run_id": "s1"}, {"of s1"}),
    "no such session": ({"session_id": "s9"}, set()),
    "after": ({"after": "2026-05-01"}, {"plain", "opinion", "tagged", "later", "of s1"}),
    "before": ({"before": "2026-02-01"}, {"january"}),
    "between": ({"after": "2026-01-01", "before": "2026-01-02"}, {"january"}),
    "as of January": ({"as_of": "2026-01-20"}, {"january", "over"}),
    "as of June": ({"as_of": "2026-06-20"}, {"plain", "opinion", "tagged", "january", "later", "of s1"}),
    "filters": ({"filters": {"metadata.n": {"gte": 2}}}, {"tagged"}),
    "filters that ask for the archive": ({"filters": {"tier": "archive"}}, {"archived"}),
    "several": ({"kinds": ["semantic"], "tags": ["a"], "filters": {"NOT": {"metadata.n": 5}}}, {"tagged"}),
    "user": ({"user_id": "ana"}, {"plain", "opinion", "tagged", "january", "later", "of s1", "ana's"}),
    "user and session": ({"user_id": "ana", "session_id": "s1"}, {"of s1"}),
    "all": ({"reach": "all", "after": "2026-05-01"}, {"plain", "opinion", "tagged", "later", "of s1", "ana's"}),
}


def fill(memory: Memory) -> None:
    memory.add("note plain", source="s")
    memory.add("note opinion", kind="opinion")
    memory.add("note tagged", tags=["a", "b"], category="decision", metadata={"n": 2})
    memory.add("note archived", tier="archive")
    memory.add("note january", timestamp="2026-01-01")
    memory.add("note over", valid_from="2026-01-10", valid_until="2026-02-01")
    memory.add("note later", valid_from="2026-06-01")
    memory.add("note of s1", session_id="s1")
    memory.add("note ana's", user_id="ana")
    memory.delete(memory.add("note deleted").id)
    memory.update(memory.add("note before").id, content="changed", kind="entity", tier="archive")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Memory]]:
    """The same records three ways: indexes warm, indexes cold, and warm with filters checked after the search."""
    path = tmp_path_factory.mktemp("search") / "m.db"
    clock = Ticking()
    warm = open_memory(path, embedder="fake", clock=clock)
    fill(warm)
    patch = pytest.MonkeyPatch()
    patch.setattr(follow, "_WARM_DELAY_S", 3600)
    patch.setattr(follow, "SMALL_ROWS", -1)
    cold = open_memory(path, embedder="fake", clock=clock)
    yield {"warm": warm, "cold": cold}
    cold.close()
    warm.close()
    patch.undo()


@pytest.mark.parametrize("place", ["warm", "warm, checked afterwards", "cold"])
@pytest.mark.parametrize("case", FILTERS)
def test_conditions_decide_what_is_found_wherever_the_answer_comes_from(
    places: dict[str, Memory], monkeypatch: pytest.MonkeyPatch, place: str, case: str
) -> None:
    if "checked" in place:
        monkeypatch.setattr(select, "LISTED_MAX", 0)
    memory = places[place.partition(",")[0]]
    given, expected = FILTERS[case]
    found = memory.search("note", top_k=100, **given)
    assert {hit.content.removeprefix("note ") for hit in found if hit.content != "changed"} == expected
    assert found.quality.level == ("text_plus_disk_vectors" if place == "cold" else "full")
    listed = {record.content.removeprefix("note ") for record in memory.get_all(**given)}
    assert listed - {"changed"} == expected


def test_conditions_are_part_of_the_search_not_of_its_results(mem: Memory) -> None:
    """However many better matches a condition rules out, the ones it allows are found."""
    mem.add([f"tea tea tea {i}" for i in range(400)], user_id="ben")
    mem.add([f"tea tea tea {i}" for i in range(400)], tags=["common"])
    mem.add("some tea for ana in a much longer sentence about other things", user_id="ana", tags=["rare"])
    assert contents(mem.search("tea", user_id="ana", tags=["rare"], top_k=1))[0].startswith("some tea")
    assert len(mem.search("tea", user_id="ana", filters={"tags": "rare"}, top_k=5)) == 1


def test_warm_and_cold_agree_on_the_order_of_clear_cases(places: dict[str, Memory]) -> None:
    for question in ("tagged", "opinion", "note january"):
        tops = {name: memory.search(question, top_k=1)[0].content for name, memory in places.items()}
        assert tops["warm"] == tops["cold"] == f"note {question.removeprefix('note ')}"


def test_a_cold_search_ranks_by_words_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with recollect.open(tmp_path / "m.db", embedder=None) as first:
        first.add("the harbour of Oslo")
        first.add([f"the harbour of town {i}" for i in range(30)])
    monkeypatch.setattr(follow, "_WARM_DELAY_S", 3600)
    monkeypatch.setattr(follow, "SMALL_ROWS", -1)
    with recollect.open(tmp_path / "m.db", embedder=None) as cold:
        found = cold.search("the harbour of Oslo")
        assert found[0].content == "the harbour of Oslo"
        assert found.quality.level == "degraded"


# --- two times ------------------------------------------------------------------------------------------------------


def test_known_at_answers_from_what_we_believed_then(mem: Memory, clock: Ticking) -> None:
    home = mem.add("Ana lives in Oslo").id
    gone = mem.add("Ana owns a boat").id
    then = clock.skip(1)
    mem.update(home, content="Ana lives in Rome")
    mem.delete(gone)
    mem.add("Ana likes tea")
    later = clock.skip(1)
    assert set(contents(mem.search("Ana", known_at=then))) == {"Ana lives in Oslo", "Ana owns a boat"}
    assert set(contents(mem.search("Ana", known_at=later))) == {"Ana lives in Rome", "Ana likes tea"}
    assert set(contents(mem.search("Ana"))) == {"Ana lives in Rome", "Ana likes tea"}
    assert mem.search("Ana", known_at=then)[0].version == 1
    assert any("earlier versions" in note for note in mem.search("Ana", known_at=then).missing)


def test_as_of_and_known_at_are_two_questions(mem: Memory, clock: Ticking) -> None:
    mem.add("the office is in Oslo", valid_from="2026-01-01", valid_until="2026-03-01")
    then = clock.skip(1)
    mem.add("the office is in Bergen", valid_from="2026-01-01", valid_until="2026-03-01")
    assert set(contents(mem.search("office", as_of="2026-02-01"))) == {
        "the office is in Oslo",
        "the office is in Bergen",
    }
    assert contents(mem.search("office", as_of="2026-02-01", known_at=then)) == ["the office is in Oslo"]
    assert not mem.search("office")


def test_a_plan_is_found_before_it_begins_and_what_ended_is_not(mem: Memory, clock: Ticking) -> None:
    mem.add("the party is on", valid_from="next month", valid_until="2026-07-01")
    assert contents(mem.search("party")) == ["the party is on"]
    clock.skip(60)
    assert not mem.search("party")


# --- how many -------------------------------------------------------------------------------------------------------


def test_top_k_threshold_and_tokens_cut_from_the_end(mem: Memory) -> None:
    mem.add([f"green tea number {i}" for i in range(20)])
    every = contents(mem.search("green tea", top_k=20))
    assert len(every) == 20
    assert contents(mem.search("green tea")) == every[:10]
    mem.add("coffee, black, at seven")
    scored = mem.search("green tea", top_k=30)
    floor = scored[19].score - 0.01  # having been found before moves scores a little
    some = mem.search("green tea", top_k=30, threshold=floor)
    assert contents(some) == contents(scored)[:20]
    assert all(hit.score >= floor for hit in some)
    assert len(mem.search("green tea", threshold=1.0)) == 0


def test_a_search_that_is_out_of_time_answers_with_what_is_there(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        mem.add(f"the gate code is {number}")
    whole = mem.search("gate code", top_k=2)
    spent = {"plan": 0.0, "gather": 100_000.0, "rank": 100_000.0}
    monkeypatch.setattr(Stopwatch, "total_ms", lambda watch: max(spent.get(name, 0.0) for name in watch.stages))
    unranked = mem.search("gate code", top_k=2)
    assert len(unranked) == 2
    assert any("rank: no time was left of recall.timeout_s (60 s)" in one for one in unranked.missing)
    spent["gather"] = 0.0
    unfinished = mem.search("gate code", top_k=2)
    assert contents(unfinished) == contents(whole)
    assert any(one.startswith("finish: no time was left") for one in unfinished.missing)
    assert not whole.missing
    spent["gather"] = 100_000.0
    with pytest.raises(SearchTimeout, match=r"raise recall\.timeout_s"):
        mem.search("gate code", kinds=["schema"])


def test_how_many_come_when_nobody_says_is_a_setting() -> None:
    with open_memory(":memory:", embedder=None, config={"recall.top_k": 3}) as memory:
        memory.add([f"the gate code is {number}" for number in range(6)])
        assert len(memory.search("gate code")) == 3
        assert len(memory.search("gate code", top_k=5)) == 5


def test_max_tokens_leaves_out_what_does_not_fit(mem: Memory) -> None:
    mem.add([f"tea {'word ' * 40}{i}" for i in range(10)])
    found = mem.search("tea", max_tokens=120)
    assert 0 < len(found) <= 2
    assert sum(len(hit.content) for hit in found) <= 120 * 4
    assert len(mem.search("tea", max_tokens=1)) == 0
    assert mem.search("tea", max_tokens=1).abstained


# --- how it came about ----------------------------------------------------------------------------------------------


def test_the_trace_adds_up_to_the_score(mem: Memory) -> None:
    mem.add(["green tea", "black tea", "green apples", "tea tea tea", "something else"])
    found = mem.search("green tea", explain=True)
    assert found.trace.hits.keys() == {hit.id for hit in found}
    for hit in found:
        steps = found.trace.hits[hit.id]
        moves = found.trace.moves[hit.id]
        assert sum(step.contribution for step in steps) == pytest.approx(moves[0].score)
        assert moves[-1].score == hit.score
        assert {step.source for step in steps} <= part_weights(mem.config.ranking).keys()
        assert "text" in {step.source for step in steps} or hit.content == "something else"
        assert all(step.rank >= 1 for step in steps)


def test_quality_says_how_it_went(mem: Memory) -> None:
    mem.add(["green tea", "black tea"])
    quality = mem.search("tea").quality
    assert quality.candidates == 2
    usual = part_weights(mem.config.ranking)
    assert quality.weights.keys() == usual.keys()
    by_question = {"text", "vector", "static", "time", "graph"}  # these lean with the kind of question
    assert all(quality.weights[name] == usual[name] for name in usual.keys() - by_question)


def test_the_weights_that_run_are_those_of_the_configuration(tmp_path: Path) -> None:
    chosen = {f"ranking.{name}": round(0.01 * at, 2) for at, name in enumerate(PARTS.values(), start=1)}
    with recollect.open(tmp_path / "m.db", embedder="fake", config=chosen) as mem:
        mem.add(["green tea", "black tea"])
        ran = mem.search("tea", explain=True)
        lean = ran.trace.plan["lean"]
        leans = {"text": "text", "vector": "vector", "static": "vector", "time": "temporal", "graph": "graph"}
        for part, name in PARTS.items():
            expected = chosen[f"ranking.{name}"] * (lean[leans[part]] if part in leans else 1.0)
            assert ran.quality.weights[part] == pytest.approx(expected, abs=1e-3), part
        assert set(ran.quality.weights) == {*PARTS}


PARTS = {  # of a score, with the setting that weighs each
    "text": "words",
    "vector": "dense",
    "static": "static",
    "speaker": "participant",
    "date": "date",
    "year": "year",
    "phrase": "phrase",
    "feedback": "feedback",
    "link": "link",
    "shared": "share",
    "joined": "joined",
    "entity": "entity",
    "place": "place",
    "facets": "facets",
    "files": "files",
    "stated": "stated",
    "time": "time",
    "graph": "graph",
    "length": "length",
    "later": "later",
    "overtaken": "overtaken",
}


def test_weights_act_on_one_search_alone(mem: Memory) -> None:
    mem.add(["green tea is in the kitchen", "the kettle stands beside black tea"])
    usual = mem.search("green tea", explain=True)
    changed = mem.search("green tea", weights={"text": 0, "vector": 2.5}, explain=True)
    assert changed.quality.weights["text"] == 0.0
    assert changed.quality.weights["vector"] == pytest.approx(2.5 * usual.quality.weights["vector"])
    assert changed.quality.weights["phrase"] == usual.quality.weights["phrase"]
    assert changed.trace is not None
    for steps in changed.trace.hits.values():
        assert not any(step.source == "text" and step.contribution for step in steps)
    assert mem.search("green tea").quality.weights == usual.quality.weights


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ({"tex": 1}, "did you mean text?"),
        ({"text": -1}, "from 0 to 10"),
        ({"text": 11}, "from 0 to 10"),
        ({"text": float("nan")}, "from 0 to 10"),
        ({"text": True}, "from 0 to 10"),
        ({"text": "much"}, "from 0 to 10"),
        ("text", "must be an object"),
    ],
)
def test_weights_that_make_no_sense_are_refused(mem: Memory, weights: Any, told: str) -> None:
    mem.add("green tea")
    with pytest.raises(UsageError, match=re.escape(told)):
        mem.search("tea", weights=weights)


def test_the_rest_of_quality(mem: Memory) -> None:
    mem.add(["green tea", "black tea"])
    quality = mem.search("tea").quality
    assert quality.strategy == "mmr"
    assert quality.intent in KINDS
    assert 0.0 < quality.ndcg <= 1.0
    assert 0.0 < quality.answerable <= 1.0
    assert quality.latency_ms > 0
    assert quality.stages_ms.keys() >= {"gather", "rank", "load"}
    assert 0.0 < quality.relevancy <= 1.0


def test_without_an_embedder_search_works_by_words_and_says_so() -> None:
    with open_memory(":memory:", embedder=None) as memory:
        receipt = memory.add("Ana lives in Oslo")
        assert any("no embedder" in note for note in receipt.missing)
        found = memory.search("Oslo")
        assert contents(found) == ["Ana lives in Oslo"]
        assert any("no embedder" in note for note in found.missing)
        assert found.quality.level == "text_only"


def test_with_an_embedder_nothing_is_missing(mem: Memory) -> None:
    assert mem.add("Ana lives in Oslo").missing == ()
    assert mem.search("Oslo").missing == ()


def test_meaning_finds_what_shares_no_word() -> None:
    with open_memory(":memory:", embedder="wordllama") as memory:
        memory.add(["Ana adopted a kitten last spring", "The invoice is due on Monday", "Bread needs flour"])
        assert contents(memory.search("which pets does she have?", top_k=1)) == ["Ana adopted a kitten last spring"]


def test_a_search_is_counted_as_an_access_without_making_a_version(mem: Memory) -> None:
    record_id = mem.add("green tea").id
    for _ in range(3):
        mem.search("tea")
    mem._engine.access.flush()
    record = mem.get(record_id)
    assert (record.access_count, record.version) == (3, 1)
    assert record.last_access is not None
    assert [op.verb for op in mem.operations()] == ["add"]


# --- at once --------------------------------------------------------------------------------------------------------


def test_what_was_just_written_is_found_and_what_was_changed_is_not(mem: Memory) -> None:
    for number in range(20):
        record_id = mem.add(f"fresh item{number}").id
        assert mem.search(f"item{number}")[0].id == record_id
        mem.update(record_id, content=f"renamed thing{number}")
        assert mem.search(f"thing{number}", top_k=1)[0].id == record_id
        assert f"fresh item{number}" not in contents(mem.search(f"item{number}", top_k=100))
        mem.delete(record_id)
        assert record_id not in {hit.id for hit in mem.search(f"thing{number}", top_k=100)}


def test_a_bulk_load_is_found_at_once_as_well(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake", config={"index.catch_up_rows": 100}) as memory:
        memory.add("first")
        memory.search("first")
        memory.add([f"bulk item{i}" for i in range(1_000)])
        assert memory.search("item777", top_k=1)[0].content == "bulk item777"


def other_memory(path: Path, call: Callable[[Memory], object]) -> None:
    with recollect.open(path, embedder="fake") as other:
        call(other)


def test_another_memory_s_writes_appear_without_reopening(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    mine = memory.add("mine").id
    assert contents(memory.search("mine")) == ["mine"]
    other_memory(path, lambda other: other.add("written elsewhere"))
    assert contents(memory.search("elsewhere", top_k=1)) == ["written elsewhere"]
    other_memory(path, lambda other: other.update(mine, content="changed elsewhere"))
    assert "mine" not in contents(memory.search("mine"))
    assert memory.search("changed", top_k=1)[0].id == mine
    other_memory(path, lambda other: other.delete(mine))
    assert mine not in {hit.id for hit in memory.search("changed elsewhere")}


def test_another_process_s_writes_appear_without_reopening(memory: Memory, tmp_path: Path) -> None:
    memory.add("mine")
    memory.search("mine")
    code = (
        "import recollect, sys\nwith recollect.open(sys.argv[1], embedder='fake') as m: m.add('from another process')"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(recollect.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "m.db")], check=True, env=environment, timeout=60)
    assert contents(memory.search("another process", top_k=1)) == ["from another process"]


# --- sources --------------------------------------------------------------------------------------------------------


def derive(mem: Memory, content: str, *turns: str) -> str:
    record_id = mem.add(content).id
    for turn in turns:
        mem.relate(record_id, turn, "derived_from")
    return record_id


def test_a_hit_carries_the_turns_it_rests_on(mem: Memory) -> None:
    first, second = mem.add(
        [
            {"role": "user", "content": "I bought a house", "name": "Ana", "metadata": {"page": 3}},
            {"role": "user", "content": "in Bergen"},
        ],
        session_id="s1",
        infer=False,
    ).records
    derive(mem, "Ana owns property", first.id, second.id)
    (hit,) = [hit for hit in mem.search("who owns property?") if hit.kind == "semantic"]
    assert {source.id for source in hit.sources} == {first.id, second.id}
    source = next(source for source in hit.sources if source.id == first.id)
    assert (source.metadata, source.session_id, source.created_at) == ({"page": 3}, "s1", first.created_at)
    assert hit.to_dict()["sources"][0].keys() >= {"id", "metadata", "session_id", "created_at"}


def test_a_turn_is_its_own_source(mem: Memory) -> None:
    turn = mem.add({"role": "user", "content": "I bought a house"}, session_id="s1").id
    (hit,) = mem.search("house")
    assert [source.id for source in hit.sources] == [turn]


def test_a_statement_nobody_derived_has_no_sources(mem: Memory) -> None:
    mem.add("Ana owns property")
    assert mem.search("property")[0].sources == ()


def test_sources_the_reader_may_not_see_stay_hidden(mem: Memory) -> None:
    turn = mem.add({"role": "user", "content": "a private talk"}, user_id="ana").id
    derive(mem, "Bergen is rainy", turn)
    assert mem.search("Bergen", user_id="ben")[0].sources == ()
    assert [source.id for source in mem.search("Bergen rainy", user_id="ana", kinds=["semantic"])[0].sources] == [turn]


def test_archived_turns_are_still_sources(mem: Memory) -> None:
    turn = mem.add({"role": "user", "content": "I bought a house"}).id
    derive(mem, "Ana owns property", turn)
    mem.update(turn, tier="archive")
    assert [source.id for source in mem.search("property")[0].sources] == [turn]


def test_earlier_versions_rest_on_their_turns_too(mem: Memory, clock: Ticking) -> None:
    turn = mem.add({"role": "user", "content": "I bought a house"}).id
    fact = derive(mem, "Ana owns property", turn)
    then = clock.skip(1)
    mem.update(fact, content="Ana owns a house")
    (hit,) = mem.search("property", known_at=then)
    assert [source.id for source in hit.sources] == [turn]


# --- trust ----------------------------------------------------------------------------------------------------------


def test_trust_falls_with_age_doubt_and_flags(mem: Memory, clock: Ticking) -> None:
    sure, doubtful = mem.add("tea is green").id, mem.add("tea is blue", confidence=0.2).id
    hits = {hit.id: hit for hit in mem.search("tea")}
    assert hits[sure].trust.accuracy > hits[doubtful].trust.accuracy
    fresh = hits[sure].trust
    clock.skip(30)
    aged = mem.search("tea is green", top_k=1)[0].trust
    assert aged.freshness == pytest.approx(fresh.freshness / 2, rel=1e-3)
    mem.update(sure, flagged=True)
    assert mem.search("tea is green", top_k=1)[0].trust.accuracy < aged.accuracy
    for trust in (fresh, aged):
        assert all(0.0 <= value <= 1.0 for value in trust.to_dict().values())
