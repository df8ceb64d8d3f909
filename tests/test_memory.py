"""The public contract, verb by verb: what may be given, what comes back, what is refused."""

from __future__ import annotations

import base64
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from ticking import START, Ticking

import recollect
from recollect import Memory, errors
from recollect.clock import SECOND_US, to_us
from recollect.facade.arguments import AddArgs, ScopeArgs
from recollect.model.record import Kind, Tier
from recollect.verbs.signature import read
from recollect.wiring import open_memory

NOWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def clock() -> Ticking:
    return Ticking(SECOND_US)


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with open_memory(":memory:", embedder="fake", clock=clock) as memory:
        yield memory


def contents(found: Any) -> list[str]:
    return [one.content for one in found]


# --- signatures -----------------------------------------------------------------------------------------------------

SIGNATURES: dict[str, dict[str, Any]] = {
    "add": {
        "kind": None,
        "category": None,
        "importance": None,
        "confidence": None,
        "tags": (),
        "metadata": None,
        "timestamp": None,
        "valid_from": None,
        "valid_until": None,
        "source": None,
        "infer": True,
        "session_id": None,
        "run_id": None,
    },
    "search": {
        "top_k": 10,
        "kinds": None,
        "categories": None,
        "tags": None,
        "filters": None,
        "as_of": None,
        "known_at": None,
        "after": None,
        "before": None,
        "threshold": None,
        "max_tokens": None,
        "explain": False,
        "session_id": None,
        "run_id": None,
    },
    "get": {},
    "get_all": {"kinds": None, "categories": None, "tags": None, "filters": None, "limit": 100, "cursor": None},
    "update": {"content": None, "kind": None, "category": None, "tags": None, "metadata": None},
    "correct": {"reason": None},
    "delete": {"reason": None, "hard": False},
    "delete_all": {"filters": None, "hard": False, "dry_run": False},
    "history": {},
    "operations": {},
    "undo": {},
    "relate": {"label": "relates_to", "weight": 1.0, "confidence": 1.0, "evidence": None, "members": None},
    "related": {"labels": None, "depth": 1},
    "path": {"max_depth": 5},
    "contradictions": {},
    "stats": {},
    "health": {},
    "doctor": {},
}
POSITIONAL = {
    "add": ["content"],
    "search": ["query"],
    "get": ["id"],
    "update": ["id"],
    "correct": ["id", "content"],
    "delete": ["id"],
    "history": ["id"],
    "undo": ["operation"],
    "relate": ["source", "target", "label"],
    "related": ["id"],
    "path": ["a", "b"],
}


@pytest.mark.parametrize("verb", SIGNATURES)
def test_verbs_take_what_the_contract_says_with_its_defaults(verb: str) -> None:
    parameters = inspect.signature(getattr(Memory, verb)).parameters
    for name, default in SIGNATURES[verb].items():
        declared = parameters[name].default if name in parameters else read(getattr(Memory, verb))[name].default
        assert declared == default, f"{verb}({name}=)"
    assert [n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD][1:] == POSITIONAL.get(
        verb, [n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD][1:]
    )


@pytest.mark.parametrize("verb", sorted(SIGNATURES.keys() - {"health", "doctor"}))
def test_every_verb_takes_the_scope(verb: str) -> None:
    assert any(p.kind is p.VAR_KEYWORD for p in inspect.signature(getattr(Memory, verb)).parameters.values())


def test_aliases_are_the_same_verbs() -> None:
    assert (Memory.recall, Memory.forget) == (Memory.search, Memory.delete)


def test_remember_takes_all_that_add_takes() -> None:
    """It is `add` of what is never to fade; nothing else tells them apart."""
    taken = {name: str(p.annotation) for name, p in inspect.signature(Memory.add).parameters.items()}
    for name, sort in AddArgs.__annotations__.items():
        assert name in ScopeArgs.__annotations__ or taken[name] == sort.__forward_arg__
    assert (
        taken.keys() - {"self", "content", "scope"} == AddArgs.__annotations__.keys() - ScopeArgs.__annotations__.keys()
    )


def test_an_unknown_argument_is_a_type_error_as_for_any_function(mem: Memory) -> None:
    with pytest.raises(TypeError, match="colour"):
        mem.add("x", colour="red")  # type: ignore[call-arg]


# --- opening and closing --------------------------------------------------------------------------------------------


def test_a_memory_is_a_context_manager_and_closing_twice_is_harmless(tmp_path: Any) -> None:
    with recollect.open(tmp_path / "m.db", embedder=None) as memory:
        memory.add("x marks the spot")
    memory.close()
    for call in (lambda: memory.add("y"), lambda: memory.search("x"), memory.get_all, memory.stats, memory.health):
        with pytest.raises(errors.StoreClosed) as caught:
            call()
        assert caught.value.code == "E1010"


def test_what_was_stored_is_there_after_reopening(tmp_path: Any) -> None:
    path = tmp_path / "deep" / "er" / "m.db"
    with recollect.open(path, embedder="fake") as memory:
        record_id = memory.add("the key is under the mat", user_id="ana", tags=["home"]).id
    with recollect.open(str(path), embedder="fake") as memory:
        assert memory.get(record_id).tags == ("home",)
        assert [hit.id for hit in memory.search("where is the key?", user_id="ana")] == [record_id]


def test_a_scoped_handle_leaves_closing_to_its_owner(mem: Memory) -> None:
    with mem.scoped(user_id="ana") as ana:
        ana.add("x")
    assert mem.add("y").count == 1


# --- add ------------------------------------------------------------------------------------------------------------


def test_a_text_becomes_one_semantic_fact(mem: Memory) -> None:
    receipt = mem.add("Ana moved from vim to Helix", user_id="ana")
    (record,) = receipt.records
    assert receipt.ids == (receipt.id,) == (record.id,)
    assert receipt.operation is not None
    assert (receipt.merged, receipt.skipped, receipt.flags, receipt.missing) == ((), (), (), ())
    assert (record.content, record.kind, record.category) == ("Ana moved from vim to Helix", Kind.SEMANTIC, "fact")
    assert (record.scope.user_id, record.version, record.tier) == ("ana", 1, Tier.LONGTERM)
    assert (record.confidence, record.importance, record.retired_at) == (1.0, 0.5, None)
    assert mem.get(receipt.id) == record


def test_messages_are_kept_verbatim_as_turns_that_follow_one_another(mem: Memory) -> None:
    receipt = mem.add(
        [
            {
                "role": "user",
                "content": "Where do I live?",
                "name": "Ana",
                "timestamp": "2026-05-03T10:00:00Z",
                "metadata": {"channel": "web"},
            },
            {"role": "assistant", "content": "In Oslo."},
        ],
        session_id="s1",
        agent_id="rex",
        project="atlas",
        metadata={"team": "core"},
    )
    asked, answered = receipt.records
    assert (asked.kind, asked.category, asked.role, asked.speaker) == (Kind.EPISODIC, "turn", "user", "Ana")
    assert asked.event_time == asked.valid_from == datetime(2026, 5, 3, 10, tzinfo=UTC)
    assert (asked.metadata, answered.metadata) == ({"team": "core", "channel": "web"}, {"team": "core"})
    assert (asked.session_id, asked.scope.items()) == ("s1", [("project", "atlas"), ("agent_id", "rex")])
    assert (answered.role, answered.content, answered.event_time) == ("assistant", "In Oslo.", None)
    (edge,) = mem.related(answered.id).edges
    assert (edge.label, edge.source, edge.target) == ("follows", answered.id, asked.id)


def test_a_later_add_goes_on_where_the_session_stopped(mem: Memory) -> None:
    first = mem.add({"role": "user", "content": "one"}, session_id="s", user_id="ana").id
    elsewhere = mem.add({"role": "user", "content": "other"}, session_id="s", user_id="ben").id
    second = mem.add({"role": "user", "content": "two"}, run_id="s", user_id="ana").id
    assert [r.id for r in mem.related(second, labels=["follows"])] == [first]
    assert len(mem.related(elsewhere)) == 0


def test_every_field_given_is_stored(mem: Memory) -> None:
    given = {
        "kind": "opinion",
        "category": "taste",
        "importance": 0.75,
        "confidence": 0.25,
        "tags": ["a", "b", "a"],
        "metadata": {"n": 1, "deep": {"x": [1, 2]}},
        "source": "interview",
        "tier": "session",
    }
    (record,) = mem.add("tea over coffee", **given).records
    stored = {name: getattr(record, name) for name in given}
    assert stored == given | {"tags": ("a", "b")}


@pytest.mark.parametrize(
    ("kind", "category"),
    [("episodic", "experience"), ("procedural", "workflow"), ("opinion", "preference"), ("snippet", "snippet")],
)
def test_a_kind_brings_its_own_category(mem: Memory, kind: str, category: str) -> None:
    assert mem.add("x", kind=kind).records[0].category == category


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (datetime(2026, 3, 1, 9, tzinfo=UTC), datetime(2026, 3, 1, 9, tzinfo=UTC)),
        (datetime(2026, 3, 1, 9), datetime(2026, 3, 1, 9, tzinfo=UTC)),
        ("2026-03-01T10:00:00+01:00", datetime(2026, 3, 1, 9, tzinfo=UTC)),
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
        (to_us(datetime(2026, 3, 1, 9, tzinfo=UTC)) / 1e6, datetime(2026, 3, 1, 9, tzinfo=UTC)),
        ("yesterday", datetime(2026, 5, 12, tzinfo=UTC)),
        ("last week", datetime(2026, 5, 4, tzinfo=UTC)),
        ("in March", datetime(2026, 3, 1, tzinfo=UTC)),
    ],
)
@pytest.mark.parametrize("argument", ["timestamp", "valid_from"])
def test_times_are_given_as_datetime_iso_or_words(mem: Memory, argument: str, given: Any, meant: datetime) -> None:
    (record,) = mem.add("x", **{argument: given}).records
    assert record.valid_from == meant
    assert record.event_time == (meant if argument == "timestamp" else None)


def test_words_for_times_mean_the_memorys_own_clock_everywhere(mem: Memory, clock: Ticking) -> None:
    old, new = mem.add("old", timestamp="last month").id, mem.add("new", timestamp="yesterday").id
    clock.skip(days=365)
    later = mem.add("later", timestamp="yesterday").id
    assert [r.id for r in mem.get_all(after="yesterday")] == [later]
    assert [r.id for r in mem.get_all(before="last month")] == [new, old]
    assert mem.update(old, valid_until="tomorrow").records[0].valid_until == datetime(2027, 5, 14, tzinfo=UTC)
    assert [r.id for r in mem.get_all(filters={"event_time": {"gte": "yesterday"}})] == [later]
    mem.relate(old, new, valid_from="yesterday")
    assert mem.related(old).edges[0].valid_from == datetime(2027, 5, 12, tzinfo=UTC)


def test_empty_messages_are_skipped_with_a_reason_and_the_others_are_kept(mem: Memory) -> None:
    receipt = mem.add([{"role": "user", "content": "  "}, {"role": "user", "content": "hello"}])
    assert [(s.index, s.reason) for s in receipt.skipped] == [(0, "empty message")]
    assert contents(receipt.records) == ["hello"]


def test_a_batch_with_a_bad_item_stores_nothing_and_names_the_item(mem: Memory) -> None:
    with pytest.raises(errors.UsageError, match="item 1: confidence"):
        mem.add([{"role": "user", "content": "fine"}, {"role": "user", "content": "bad", "confidence": 7}])
    assert len(mem.get_all()) == 0
    assert mem.operations() == []


BAD_ADDS: dict[str, tuple[dict[str, Any], type[Exception]]] = {
    "empty": ({"content": ""}, errors.UsageError),
    "only space": ({"content": " \n\t"}, errors.UsageError),
    "no text": ({"content": 5}, errors.UsageError),
    "nothing": ({"content": None}, errors.UsageError),
    "an empty list": ({"content": []}, errors.UsageError),
    "a NUL": ({"content": "a\x00b"}, errors.UsageError),
    "half a character": ({"content": "\ud800"}, errors.UsageError),
    "too long": ({"content": "x" * 9000}, errors.ContentTooLarge),
    "unknown kind": ({"content": "x", "kind": "dream"}, errors.UsageError),
    "unknown tier": ({"content": "x", "tier": "cellar"}, errors.UsageError),
    "confidence over 1": ({"content": "x", "confidence": 1.01}, errors.UsageError),
    "importance not a number": ({"content": "x", "importance": "high"}, errors.UsageError),
    "confidence NaN": ({"content": "x", "confidence": float("nan")}, errors.UsageError),
    "a tag that is a text": ({"content": "x", "tags": "abc"}, errors.UsageError),
    "an empty tag": ({"content": "x", "tags": [""]}, errors.UsageError),
    "metadata that is a list": ({"content": "x", "metadata": [1]}, errors.UsageError),
    "metadata no JSON can hold": ({"content": "x", "metadata": {"f": object()}}, errors.UsageError),
    "metadata with NaN": ({"content": "x", "metadata": {"f": float("nan")}}, errors.UsageError),
    "metadata too big": ({"content": "x", "metadata": {"f": "y" * 70_000}}, errors.ContentTooLarge),
    "a time that is none": ({"content": "x", "timestamp": "soonish"}, errors.InvalidQuery),
    "an end before the beginning": (
        {"content": "x", "valid_from": "2026-02-01", "valid_until": "2026-01-01"},
        errors.UsageError,
    ),
    "an empty scope value": ({"content": "x", "user_id": " "}, errors.UsageError),
    "half a character in the scope": ({"content": "x", "user_id": "\ud800"}, errors.UsageError),
    "an empty session": ({"content": "x", "session_id": ""}, errors.UsageError),
    "two names for two sessions": ({"content": "x", "session_id": "a", "run_id": "b"}, errors.UsageError),
    "an unknown key in a message": ({"content": {"role": "user", "content": "x", "mood": 1}}, errors.UsageError),
}


@pytest.mark.parametrize("case", BAD_ADDS)
def test_bad_input_is_refused_and_changes_nothing(mem: Memory, case: str) -> None:
    given, error = BAD_ADDS[case]
    with pytest.raises(error) as caught:
        mem.add(given.pop("content"), **given)
    assert isinstance(caught.value, errors.UsageError)
    assert caught.value.message
    assert mem.stats()["records"] == 0


def test_receipt_as_a_dictionary(mem: Memory) -> None:
    receipt = mem.add("x")
    assert receipt.to_dict() == {
        "operation": receipt.operation,
        "ids": [receipt.id],
        "statements": [],
        "count": 1,
        "merged": [],
        "skipped": [],
        "flags": [],
        "missing": [],
        "dry_run": False,
        "results": [{"id": receipt.id, "memory": "x", "event": "ADD"}],
    }


# --- scope ----------------------------------------------------------------------------------------------------------


def test_broad_records_are_seen_in_narrow_places_and_narrow_ones_nowhere_else(mem: Memory) -> None:
    mem.add("note global")
    mem.add("note atlas", project="atlas")
    mem.add("note ana", user_id="ana")
    mem.add("note ana in atlas", project="atlas", user_id="ana")
    seen: Callable[..., set[str]] = lambda **scope: {h.content for h in mem.search("note", **scope)}  # noqa: E731
    assert seen() == {"note global"}
    assert seen(project="atlas") == {"note global", "note atlas"}
    assert seen(user_id="ana") == {"note global", "note ana"}
    assert seen(user_id="ana", project="atlas") == {"note global", "note atlas", "note ana", "note ana in atlas"}
    assert seen(user_id="ben") == {"note global"}
    assert seen(reach="all") == {"note global", "note atlas", "note ana", "note ana in atlas"}


def test_reach_project_opens_the_project_but_not_its_private_corners(mem: Memory) -> None:
    mem.add("note squad", project="atlas", squad="red")
    mem.add("note agent", project="atlas", agent_id="rex")
    mem.add("note channel", project="atlas", channel="c1")
    mem.add("note user", project="atlas", user_id="ana")
    mem.add("note elsewhere", project="zeus")
    assert {h.content for h in mem.search("note", project="atlas", reach="project")} == {"note squad", "note agent"}
    assert {r.content for r in mem.get_all(project="atlas", user_id="ana", reach="project")} == {
        "note squad",
        "note agent",
        "note user",
    }


def test_a_session_says_where_a_record_comes_from_and_hides_nothing(mem: Memory) -> None:
    mem.add("from the first", session_id="s1")
    mem.add("from the second", run_id="s2")
    assert len(mem.search("from the", session_id=None)) == 2
    assert contents(mem.search("from the", session_id="s1")) == ["from the first"]
    assert contents(mem.get_all(run_id="s2")) == ["from the second"]
    assert len(mem.search("from the", session_id="s3")) == 0


def test_a_scoped_handle_reads_and_writes_for_its_scope_only(mem: Memory) -> None:
    ana, ben = mem.scoped(user_id="ana"), mem.scoped(user_id="ben")
    mine = ana.add("ana's pin is 1234").id
    assert mem.get(mine).scope.user_id == "ana"
    assert ana.get(mine).id == mine
    assert ben.get(mine) is None
    refused: list[Callable[[], object]] = [
        lambda: ben.update(mine, content="x"),
        lambda: ben.correct(mine, "x"),
        lambda: ben.delete(mine),
        lambda: ben.delete(mine, hard=True),
        lambda: ben.history(mine),
        lambda: ben.related(mine),
        lambda: ben.relate(mine, ben.add("y").id),
        lambda: ben.undo(mem.operations(user_id="ana")[0].id),
    ]
    for call in refused:
        with pytest.raises(errors.NotFound):
            call()
    assert mine not in {hit.id for hit in ben.search("pin 1234")}
    assert mem.get(mine).version == 1


def test_a_handle_cannot_be_talked_into_another_scope(mem: Memory) -> None:
    ana = mem.scoped(user_id="ana")
    with pytest.raises(errors.AccessDenied, match="holds user_id='ana' and may add nothing"):
        ana.search("x", user_id="ben")
    with pytest.raises(errors.AccessDenied):
        ana.scoped(user_id="ben")
    with pytest.raises(errors.AccessDenied) as caught:
        ana.search("x", reach="all")
    assert caught.value.code == "E4001"


def test_a_handle_adds_no_dimension_that_was_not_granted(mem: Memory) -> None:
    plans = mem.add("Phoenix: layoffs in June", project="phoenix").id
    mallory = mem.scoped(user_id="mallory")
    refused = (
        lambda: mallory.get(plans, project="phoenix"),
        lambda: mallory.search("layoffs", project="phoenix"),
        lambda: mallory.get_all(project="phoenix", reach="project"),
        lambda: mallory.update(plans, content="mine", project="phoenix"),
        lambda: mallory.delete(plans, hard=True, project="phoenix"),
        lambda: mallory.add("x", agent_id="rex"),
        lambda: mallory.scoped(project="phoenix"),
        lambda: mallory.scoped(may_add="*"),
        lambda: mallory.working.slots(channel="c"),
        lambda: mallory.turn("hello", squad="s"),
    )
    for call in refused:
        with pytest.raises(errors.AccessDenied, match="is not granted here: this caller holds user_id='mallory'"):
            call()
    assert mem.get(plans).content == "Phoenix: layoffs in June"  # type: ignore[union-attr]
    assert mem.stats()["records"] == 1


def test_a_handle_adds_what_it_was_granted_and_hands_on_no_more(mem: Memory) -> None:
    ana = mem.scoped(user_id="ana", may_add={"project": "*", "agent_id": ["rex"]})
    kept = ana.add("x", project="atlas", agent_id="rex").records[0]
    assert kept.scope.items() == [("project", "atlas"), ("agent_id", "rex"), ("user_id", "ana")]
    with pytest.raises(errors.AccessDenied, match="may add project=\\* agent_id=rex;"):
        ana.add("x", agent_id="max")
    with pytest.raises(errors.AccessDenied):
        ana.scoped(project="atlas").add("x", agent_id="rex")  # what is handed on is said
    narrower = ana.scoped(project="atlas", may_add=["agent_id=rex"])
    assert narrower.get(kept.id, agent_id="rex") is not None
    for wider in ("*", ["agent_id"], {"agent_id": ["rex", "max"]}, ["squad"]):
        with pytest.raises(errors.AccessDenied):
            ana.scoped(project="atlas", may_add=wider)
    with pytest.raises(errors.UsageError, match="held already"):
        ana.scoped(may_add={"user_id": ["ben"]})


def test_what_may_be_added_is_said_in_several_ways(mem: Memory) -> None:
    for said in (
        "*",
        ["*"],
        ("project", "squad"),
        "project",
        "project=atlas,beta",
        {"project": "*"},
        {"project": "beta"},
    ):
        assert mem.scoped(user_id="ana", may_add=said).add(str(said), project="beta").count == 1
    for wrong in ("team", ["project=", "squad"], {"project": [5]}, {"team": "*"}, 7, {"project": None}):
        with pytest.raises(errors.UsageError):
            mem.scoped(user_id="ana", may_add=wrong)  # type: ignore[arg-type]


def test_a_change_reaches_no_further_than_the_scope(mem: Memory) -> None:
    """`reach` is for reads: what another agent of the project keeps may be read from there, and not be changed."""
    theirs = mem.add("x", project="atlas", agent_id="max").id
    rex = mem.scoped(project="atlas", agent_id="rex")
    assert [record.id for record in rex.get_all(reach="project")] == [theirs]
    for call in (rex.delete, rex.confirm, rex.history, rex.get):
        with pytest.raises(TypeError, match="reach"):
            call(theirs, reach="project")  # type: ignore[call-arg]


@pytest.mark.parametrize("verb", ["doctor", "prune", "reembed"])
def test_what_concerns_the_whole_store_is_for_its_owner(mem: Memory, verb: str) -> None:
    with pytest.raises(errors.AccessDenied):
        getattr(mem.scoped(user_id="ana"), verb)()


def test_an_owner_reaches_any_record_by_its_id_and_with_a_scope_only_the_visible(mem: Memory) -> None:
    record_id = mem.add("x", user_id="ana").id
    assert mem.get(record_id) is not None
    assert mem.get(record_id, user_id="ana") is not None
    assert mem.get(record_id, user_id="ben") is None


def test_what_the_owner_did_to_the_whole_store_is_no_business_of_a_handle(mem: Memory) -> None:
    mem.add("ana's", user_id="ana")
    swept = mem.delete_all(filters={"content": {"contains": "'s"}}, reach="all")
    ben = mem.scoped(user_id="ben")
    assert swept.operation not in {op.id for op in ben.operations()}
    with pytest.raises(errors.NotFound):
        ben.undo(swept.operation)
    assert mem.undo(swept.operation).count == 1


# --- search ---------------------------------------------------------------------------------------------------------


def test_a_recollection_is_a_sequence_of_hits_best_first(mem: Memory) -> None:
    for text in ("green tea", "green tea in the morning", "black coffee"):
        mem.add(text)
    found = mem.search("green tea", top_k=2)
    assert len(found) == 2
    assert list(found) == [found[0], found[1]] == list(found.hits)
    assert found[0].content == "green tea"
    assert 1.0 >= found[0].score >= found[1].score > 0.0
    assert (found.abstained, found.reason, found.missing, found.trace) == (False, None, (), None)
    assert found.quality.level == "full"
    assert not mem.search("green", kinds=["entity"])


def test_a_hit_says_what_the_record_says(mem: Memory) -> None:
    record = mem.add("x marks the spot", metadata={"a": 1}, tags=["t"], timestamp="2026-01-01", session_id="s").records
    (hit,) = mem.search("spot")
    for name in (
        "id",
        "content",
        "kind",
        "category",
        "created_at",
        "updated_at",
        "event_time",
        "valid_from",
        "valid_until",
        "metadata",
        "tags",
        "session_id",
        "version",
        "confidence",
        "place",
    ):
        assert getattr(hit, name) == getattr(record[0], name), name
    assert 0.0 <= hit.trust.composite <= 1.0


def test_recollection_as_a_dictionary(mem: Memory) -> None:
    mem.add("x marks the spot", metadata={"a": 1})
    plain = mem.search("spot", explain=True).to_dict()
    assert plain.keys() == {"results", "abstained", "reason", "missing", "quality", "trace"}
    (result,) = plain["results"]
    assert {"id", "memory", "score", "metadata", "created_at", "updated_at"} <= result.keys()
    assert (result["memory"], result["metadata"]) == ("x marks the spot", {"a": 1})
    assert datetime.fromisoformat(result["created_at"]).tzinfo is not None
    assert list(plain["trace"]["hits"]) == [result["id"]]


def test_nothing_found_is_an_abstention_not_an_error(mem: Memory) -> None:
    found = mem.search("anything?")
    assert (len(found), bool(found), found.abstained) == (0, False, True)
    assert found.reason
    assert found.to_dict()["results"] == []


BAD_SEARCHES: dict[str, dict[str, Any]] = {
    "no text": {"query": None},
    "a NUL": {"query": "a\x00"},
    "half a character": {"query": "\udfff"},
    "no results wanted": {"top_k": 0},
    "too many results wanted": {"top_k": 1001},
    "a flag for a number": {"top_k": True},
    "threshold over 1": {"threshold": 1.5},
    "no tokens": {"max_tokens": 0},
    "unknown kind": {"kinds": ["dream"]},
    "kinds no list": {"kinds": 5},
    "unknown field": {"filters": {"colour": "red"}},
    "unknown operator": {"filters": {"kind": {"like": "x"}}},
    "half a character in a filter": {"filters": {"content": {"contains": "\ud800"}}},
    "half a character in a path": {"filters": {"metadata.\ud800": 1}},
    "a time that is none": {"as_of": "whenever"},
    "unknown reach": {"reach": "everywhere"},
    "an inner reach": {"reach": "inside"},
}


@pytest.mark.parametrize("case", BAD_SEARCHES)
def test_a_search_that_means_nothing_is_refused(mem: Memory, case: str) -> None:
    given = {"query": "x"} | BAD_SEARCHES[case]
    with pytest.raises(errors.UsageError):
        mem.search(given.pop("query"), **given)


def test_an_empty_question_gives_what_matters_most_now(mem: Memory) -> None:
    mem.add(["a detail", "another detail"], importance=0.1)
    mem.add("the production key rotates on Mondays", importance=1.0)
    found = mem.search("  ", top_k=2)
    assert found[0].content == "the production key rotates on Mondays"
    assert len(found) == 2
    assert "empty" in (found.reason or "")
    assert not found.abstained
    assert mem.search("", kinds=["schema"]).abstained


# --- get and get_all ------------------------------------------------------------------------------------------------


def test_get_gives_a_record_or_none(mem: Memory) -> None:
    record_id = mem.add("x").id
    assert mem.get(record_id).content == "x"
    assert mem.get(record_id.upper().replace("-", "")).id == record_id
    assert mem.get(NOWHERE) is None
    assert mem.get("not an id") is None
    mem.delete(record_id)
    assert mem.get(record_id) is None


def test_record_as_a_dictionary(mem: Memory) -> None:
    plain = mem.get(mem.add("x", tags=["t"], user_id="ana", timestamp="2026-01-01").id).to_dict()
    assert plain.keys() >= {"id", "memory", "content", "kind", "category", "metadata", "tags", "created_at"}
    assert (plain["memory"], plain["content"], plain["tags"], plain["user_id"]) == ("x", "x", ["t"], "ana")
    assert plain["event_time"] == "2026-01-01T00:00:00+00:00"


def test_get_all_lists_newest_first_and_filters(mem: Memory) -> None:
    mem.add("one", kind="opinion", tags=["a", "b"], metadata={"n": 1})
    mem.add("two", category="decision", tags=["a"], metadata={"n": 2})
    mem.add("three", tags=["b"])
    assert contents(mem.get_all()) == ["three", "two", "one"]
    assert contents(mem.get_all(kinds=["opinion"])) == ["one"]
    assert contents(mem.get_all(kinds="opinion")) == ["one"]
    assert contents(mem.get_all(categories=["decision", "preference"])) == ["two", "one"]
    assert contents(mem.get_all(tags=["a"])) == ["two", "one"]
    assert contents(mem.get_all(tags=["a", "b"])) == ["one"]
    assert contents(mem.get_all(filters={"metadata.n": {"gte": 2}})) == ["two"]


def test_a_page_is_a_sequence_and_plain_as_a_dictionary(mem: Memory) -> None:
    mem.add(["a", "b", "c"])
    page = mem.get_all(limit=2)
    assert (len(page), contents(page), page[0].content) == (2, ["c", "b"], "c")
    assert page.to_dict()["cursor"] == page.cursor is not None
    assert [r["memory"] for r in page.to_dict()["results"]] == ["c", "b"]
    assert mem.get_all(limit=3).cursor is None


def test_pages_are_complete_and_stable_while_records_come_and_change(mem: Memory) -> None:
    ids = list(mem.add([f"record {i}" for i in range(23)]).ids)
    seen: list[str] = []
    cursor = None
    while True:
        page = mem.get_all(limit=5, cursor=cursor)
        seen += [record.id for record in page]
        mem.add(f"arrived after {len(seen)}")
        mem.update(ids[0], content=f"changed after {len(seen)}")
        if page.cursor is None:
            break
        cursor = page.cursor
    assert seen == ids[::-1]


@pytest.mark.parametrize("cursor", ["", "zzz", "é", 5, base64.urlsafe_b64encode(b"r" + b"9" * 20).decode()])
def test_a_cursor_of_someone_else_is_refused(mem: Memory, cursor: Any) -> None:
    with pytest.raises(errors.InvalidQuery):
        mem.get_all(cursor=cursor)


# --- update and correct ---------------------------------------------------------------------------------------------


def test_update_makes_the_next_version_and_keeps_the_last(mem: Memory, clock: Ticking) -> None:
    first = mem.add("Ana lives in Oslo", tags=["home"], metadata={"a": 1})
    before = clock.skip(days=1)
    receipt = mem.update(first.id, content="Ana lives in Rome", importance=0.9)
    (now,) = receipt.records
    assert (receipt.id, now.version, now.content, now.importance) == (first.id, 2, "Ana lives in Rome", 0.9)
    assert (now.tags, now.metadata, now.created_at) == (("home",), {"a": 1}, first.records[0].created_at)
    assert now.updated_at > before
    assert contents(mem.search("Ana lives")) == ["Ana lives in Rome"]
    assert contents(mem.search("Oslo", known_at=before)) == ["Ana lives in Oslo"]
    assert not mem.search("Rome", known_at=before)


def test_a_time_that_a_text_named_goes_with_the_text_and_a_given_one_stays(mem: Memory) -> None:
    told = mem.add("Ana uses Helix since March 2026").id
    mem.update(told, content="Ana uses Zed since June 2026")
    assert mem.get(told).event_time == datetime(2026, 6, 1, tzinfo=UTC)
    mem.update(told, content="Ana uses Zed")
    assert mem.get(told).event_time is None
    given = mem.add("Ana ran on 3 May 2026", timestamp="2026-05-04T10:00:00Z").id
    mem.update(given, content="Ana ran on 2 May 2026")
    assert mem.get(given).event_time == datetime(2026, 5, 4, 10, tzinfo=UTC)


def test_update_replaces_lists_and_objects_whole_and_can_empty_them(mem: Memory) -> None:
    record_id = mem.add("x", tags=["a", "b"], metadata={"a": 1}).id
    mem.update(record_id, tags=["c"], metadata={"b": 2})
    assert (mem.get(record_id).tags, mem.get(record_id).metadata) == (("c",), {"b": 2})
    mem.update(record_id, tags=[], metadata={})
    assert (mem.get(record_id).tags, mem.get(record_id).metadata) == ((), {})


def test_update_refuses_what_add_would_and_changes_nothing(mem: Memory) -> None:
    record_id = mem.add("x", valid_from="2026-01-01").id
    bad: list[dict[str, Any]] = [
        {},
        {"content": " "},
        {"kind": "dream"},
        {"confidence": 2},
        {"tags": "abc"},
        {"flagged": "yes"},
        {"valid_until": "2025-01-01"},
    ]
    for given in bad:
        with pytest.raises(errors.UsageError):
            mem.update(record_id, **given)
    with pytest.raises(errors.NotFound) as caught:
        mem.update(NOWHERE, content="y")
    assert caught.value.code == "E2005"
    assert mem.get(record_id).version == 1


def test_correct_ends_the_old_statement_and_a_new_one_supersedes_it(mem: Memory, clock: Ticking) -> None:
    old = mem.add("Ana lives in Oslo", user_id="ana", tags=["home"], metadata={"m": 1}, importance=0.8)
    before = clock.skip(days=1)
    receipt = mem.correct(old.id, "Ana lives in Rome", reason="she moved")
    (new,) = receipt.records
    assert new.id != old.id
    assert (new.scope.user_id, new.tags, new.metadata, new.importance) == ("ana", ("home",), {"m": 1}, 0.8)
    assert mem.get(old.id).valid_until == new.valid_from > before
    assert contents(mem.search("Ana lives", user_id="ana")) == ["Ana lives in Rome"]
    assert contents(mem.search("Ana lives", user_id="ana", as_of=before)) == ["Ana lives in Oslo"]
    (edge,) = mem.related(new.id, labels=["supersedes"], as_of=before).edges
    assert (edge.label, edge.source, edge.target, edge.evidence) == ("supersedes", new.id, old.id, ("she moved",))


def test_a_corrected_record_is_found_even_if_the_old_one_was_archived(mem: Memory) -> None:
    old = mem.add("Ana lives in Oslo", tier="archive").id
    mem.correct(old, "Ana lives in Rome")
    assert contents(mem.search("Ana lives")) == ["Ana lives in Rome"]


def test_one_undo_takes_a_correction_back_whole(mem: Memory) -> None:
    old = mem.add("Ana lives in Oslo")
    corrected = mem.correct(old.id, "Ana lives in Rome")
    mem.undo(corrected.operation)
    assert contents(mem.search("Ana lives")) == ["Ana lives in Oslo"]
    assert mem.get(corrected.id) is None
    assert mem.get(old.id).valid_until is None
    assert len(mem.related(old.id)) == 0


# --- delete ---------------------------------------------------------------------------------------------------------


def test_delete_is_soft_and_undo_brings_the_record_back(mem: Memory) -> None:
    first = mem.add("a secret")
    receipt = mem.delete(first.id, reason="asked to")
    assert (receipt.ids, receipt.count) == (first.ids, 1)
    assert not mem.search("secret")
    assert mem.history(first.id)[-1].operation.reason == "asked to"
    mem.undo(receipt.operation)
    assert contents(mem.search("secret")) == ["a secret"]
    assert mem.get(first.id) == first.records[0]


def test_a_hard_delete_leaves_no_trace_and_no_way_back(mem: Memory) -> None:
    first = mem.add("a secret")
    mem.update(first.id, content="a changed secret")
    soft = mem.delete(first.id)
    receipt = mem.delete(first.id, hard=True)
    assert not mem.search("secret", known_at=START + timedelta(days=1))
    for call in (lambda: mem.undo(receipt.operation), lambda: mem.undo(soft.operation)):
        with pytest.raises(errors.UndoRefused) as caught:
            call()
        assert caught.value.code == "E1007"
    with pytest.raises(errors.NotFound):
        mem.history(first.id)


def test_deleting_what_is_not_there_is_not_found(mem: Memory) -> None:
    gone = mem.add("x").id
    mem.delete(gone)
    for record_id in (gone, NOWHERE, "nonsense"):
        with pytest.raises(errors.NotFound):
            mem.delete(record_id)


def test_delete_all_takes_what_lies_inside_the_scope_and_nothing_broader(mem: Memory) -> None:
    mem.add("global")
    mem.add("ana", user_id="ana")
    mem.add("ana in atlas", user_id="ana", project="atlas")
    mem.add("atlas", project="atlas")
    receipt = mem.delete_all(user_id="ana")
    assert receipt.count == len(receipt.ids) == 2
    assert {r.content for r in mem.get_all(reach="all")} == {"global", "atlas"}
    mem.undo(receipt.operation)
    assert mem.stats()["records"] == 4


@pytest.mark.parametrize("given", [{}, {"filters": None}, {"filters": {}}, {"hard": True}, {"dry_run": True}])
def test_delete_all_without_a_scope_or_filters_is_refused(mem: Memory, given: dict[str, Any]) -> None:
    mem.add("global")
    with pytest.raises(errors.UsageError, match="reach='all'"):
        mem.delete_all(**given)
    assert mem.stats()["records"] == 1


def test_delete_all_by_filters_session_or_everything(mem: Memory) -> None:
    mem.add("keep", metadata={"n": 1})
    mem.add("drop", metadata={"n": 2})
    mem.add("of s1", session_id="s1")
    mem.add("archived", tier="archive", metadata={"n": 2})
    mem.add("over", valid_until="2020-01-01", metadata={"n": 2})
    mem.add("ana's", user_id="ana")
    assert mem.delete_all(filters={"metadata.n": 2}, dry_run=True).count == 3
    assert mem.delete_all(filters={"metadata.n": 2}).count == 3
    assert mem.delete_all(run_id="s1").count == 1
    assert {r.content for r in mem.get_all(reach="all")} == {"keep", "ana's"}
    assert mem.delete_all(reach="all").count == 2
    assert mem.stats()["records"] == 0


def test_a_dry_run_of_delete_all_only_tells(mem: Memory) -> None:
    record_id = mem.add("ana", user_id="ana").id
    receipt = mem.delete_all(user_id="ana", dry_run=True)
    assert (receipt.ids, receipt.count, receipt.dry_run, receipt.operation) == ((record_id,), 1, True, None)
    assert mem.get(record_id) is not None
    assert [op.verb for op in mem.operations()] == ["add"]


def test_delete_all_through_a_handle_stays_inside_it(mem: Memory) -> None:
    mem.add(["global one", "global two"])
    mem.add("ben's", user_id="ben")
    ana = mem.scoped(user_id="ana")
    ana.add("ana's")
    assert ana.delete_all().count == 1
    assert mem.stats()["records"] == 3
    with pytest.raises(errors.AccessDenied):
        ana.delete_all(reach="all")


@pytest.mark.parametrize("session", ["", 5, "\ud800"])
def test_delete_all_checks_the_session_like_every_other_verb(mem: Memory, session: Any) -> None:
    with pytest.raises(errors.UsageError, match="session_id"):
        mem.delete_all(session_id=session)


# --- the past -------------------------------------------------------------------------------------------------------


def test_history_tells_operations_and_versions_oldest_first(mem: Memory) -> None:
    record_id = mem.add("one").id
    mem.update(record_id, content="two")
    mem.delete(record_id, reason="enough")
    told = mem.history(record_id)
    assert [(entry.operation.verb, entry.record and entry.record.content) for entry in told] == [
        ("add", "one"),
        ("update", "two"),
        ("delete", None),
    ]
    assert told[0].to_dict().keys() == {"operation", "record"}
    assert told[2].to_dict()["operation"]["reason"] == "enough"


def test_history_of_a_record_brought_back_still_says_that_it_was_gone(mem: Memory) -> None:
    record_id = mem.add("one").id
    mem.undo(mem.delete(record_id).operation)
    assert [(e.operation.verb, e.record is None) for e in mem.history(record_id)] == [
        ("add", False),
        ("delete", True),
        ("undo", False),
    ]


def test_operations_are_listed_newest_first_each_for_its_scope(mem: Memory) -> None:
    added = mem.add("x", user_id="ana")
    mem.update(added.id, content="y")
    mem.add("z", user_id="ben")
    listed = mem.operations()
    assert [(op.verb, op.count, op.scope.user_id) for op in listed] == [
        ("add", 1, "ben"),
        ("update", 1, "ana"),
        ("add", 1, "ana"),
    ]
    assert [op.verb for op in mem.operations(limit=1)] == ["add"]
    assert [op.scope.user_id for op in mem.scoped(user_id="ben").operations()] == ["ben"]
    assert listed[2].id == added.operation
    assert listed[0].to_dict().keys() >= {"id", "verb", "at", "count", "actor", "reason", "undone", "undoes", "user_id"}


def test_an_actor_signs_its_operations(mem: Memory) -> None:
    mem.scoped(user_id="ana", actor="rex").add("x")
    assert mem.operations()[0].actor == "rex"


def test_an_undo_can_be_undone(mem: Memory) -> None:
    record_id = mem.add("one").id
    updated = mem.update(record_id, content="two").operation
    undone = mem.undo(updated)
    assert (mem.get(record_id).content, mem.get(record_id).version) == ("one", 1)
    assert [(op.verb, op.undone) for op in mem.operations()] == [("undo", False), ("update", True), ("add", False)]
    assert mem.operations()[0].undoes == updated
    mem.undo(undone.operation)
    assert (mem.get(record_id).content, mem.get(record_id).version) == ("two", 2)


def test_undo_is_refused_while_later_work_rests_on_it_and_names_that_work(mem: Memory) -> None:
    record_id = mem.add("one").id
    first = mem.update(record_id, content="two").operation
    second = mem.update(record_id, content="three").operation
    with pytest.raises(errors.UndoRefused, match=second):
        mem.undo(first)
    mem.undo(second)
    mem.undo(first)
    assert mem.get(record_id).content == "one"
    with pytest.raises(errors.UndoRefused, match="already"):
        mem.undo(first)


def test_undo_of_an_add_forgets_all_of_it(mem: Memory) -> None:
    receipt = mem.add([{"role": "user", "content": f"turn {i}"} for i in range(5)], session_id="s")
    assert mem.undo(receipt.operation).count == 5
    assert len(mem.get_all()) == 0
    assert mem.stats()["edges"] == 0


@pytest.mark.parametrize("operation", [NOWHERE, "nonsense", None])
def test_an_unknown_operation_is_not_found(mem: Memory, operation: Any) -> None:
    with pytest.raises(errors.NotFound):
        mem.undo(operation)


# --- the graph ------------------------------------------------------------------------------------------------------


def test_relate_and_related(mem: Memory) -> None:
    a, b, c = mem.add(["a", "b", "c"]).ids
    edge_id = mem.relate(a, b, "supports", weight=2.0, confidence=0.5, evidence="seen together")
    mem.relate(b, c)
    near = mem.related(a)
    assert contents(near) == ["b"]
    (edge,) = near.edges
    assert (edge.id, edge.label, edge.source, edge.target) == (edge_id, "supports", a, b)
    assert (edge.weight, edge.confidence, edge.evidence) == (2.0, 0.5, ("seen together",))
    far = mem.related(a, depth=2)
    assert (contents(far), far.depth) == (["b", "c"], {b: 1, c: 2})
    assert contents(mem.related(a, depth=2, labels=["supports"])) == ["b"]
    plain = far.to_dict()
    assert [r["depth"] for r in plain["results"]] == [1, 2]
    assert plain["edges"][0].keys() >= {"id", "label", "family", "weight", "confidence", "evidence", "members"}


def test_the_default_label_is_relates_to_both_ways(mem: Memory) -> None:
    a, b = mem.add(["a", "b"]).ids
    mem.relate(a, b)
    assert mem.related(a).edges[0].label == "relates_to"
    assert contents(mem.related(b, direction="out")) == ["a"]


def test_members_make_a_relation_of_many_with_roles(mem: Memory) -> None:
    a, b, c = mem.add(["a", "b", "c"]).ids
    edge_id = mem.relate(members=[(a, "cause"), (b, "effect"), (c, "context")], label="causes")
    (edge,) = mem.related(c).edges
    assert edge.id == edge_id
    assert [(m.record_id, m.role.value) for m in edge.members] == [(a, "cause"), (b, "effect"), (c, "context")]
    assert {r.id for r in mem.related(c)} == {a, b}


BAD_RELATIONS: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "nothing": lambda a, b: {},
    "one end": lambda a, b: {"source": a},
    "both ways of saying it": lambda a, b: {"source": a, "target": b, "members": [(a, "subject"), (b, "object")]},
    "with itself": lambda a, b: {"source": a, "target": a},
    "no members": lambda a, b: {"members": []},
    "members no list": lambda a, b: {"members": 5},
    "members no pairs": lambda a, b: {"members": [1, 2]},
    "members that are ids": lambda a, b: {"members": [a, b]},
    "unknown role": lambda a, b: {"members": [(a, "boss"), (b, "object")]},
    "twice the same": lambda a, b: {"members": [(a, "subject"), (a, "subject"), (b, "object")]},
    "a position no database holds": lambda a, b: {"members": [(a, "subject", 2**70), (b, "object", 1)]},
    "empty label": lambda a, b: {"source": a, "target": b, "label": " "},
    "unknown family": lambda a, b: {"source": a, "target": b, "family": "clan"},
    "negative weight": lambda a, b: {"source": a, "target": b, "weight": -1},
    "confidence over 1": lambda a, b: {"source": a, "target": b, "confidence": 2},
    "evidence no text": lambda a, b: {"source": a, "target": b, "evidence": 5},
    "an end before the beginning": lambda a, b: {
        "source": a,
        "target": b,
        "valid_from": "2026-02-01",
        "valid_until": "2026-01-01",
    },
    "unknown record": lambda a, b: {"source": a, "target": NOWHERE},
}


@pytest.mark.parametrize("case", BAD_RELATIONS)
def test_a_relation_that_means_nothing_is_refused(mem: Memory, case: str) -> None:
    a, b = mem.add(["a", "b"]).ids
    with pytest.raises(errors.UsageError):
        mem.relate(**BAD_RELATIONS[case](a, b))
    assert mem.stats()["edges"] == 0


def test_unrelate_withdraws_and_undo_restores(mem: Memory) -> None:
    a, b = mem.add(["a", "b"]).ids
    edge_id = mem.relate(a, b)
    receipt = mem.unrelate(edge_id)
    assert len(mem.related(a)) == 0
    mem.undo(receipt.operation)
    assert mem.related(a).edges[0].id == edge_id
    with pytest.raises(errors.NotFound):
        mem.unrelate(NOWHERE)


def test_path_gives_the_shortest_chain_or_nothing(mem: Memory) -> None:
    a, b, c, d, lonely = mem.add(["a", "b", "c", "d", "lonely"]).ids
    for one, other in ((a, b), (b, c), (c, d), (a, c)):
        mem.relate(one, other)
    way = mem.path(a, d)
    assert contents(way) == ["a", "c", "d"]
    assert [(e.source, e.target) for e in way.edges] == [(a, c), (c, d)]
    assert contents(mem.path(a, a)) == ["a"]
    assert not mem.path(a, lonely)
    assert not mem.path(a, d, max_depth=1)


def test_contradictions_of_a_record_or_of_what_a_text_finds(mem: Memory) -> None:
    a, b, c = mem.add(["tea is better", "coffee is better", "milk is white"]).ids
    mem.relate(a, b, "contradicts")
    mem.relate(a, c, "supports")
    assert contents(mem.contradictions(a)) == ["coffee is better"]
    assert contents(mem.contradictions(b)) == ["tea is better"]
    assert {e.label for e in mem.contradictions("which is better").edges} == {"contradicts"}
    assert not mem.contradictions(c)


def test_contradictions_of_a_text_are_found_among_what_it_finds(mem: Memory) -> None:
    mem.add(["Prices are cached", "Prices are not cached"])
    mem.settle()
    assert contents(mem.contradictions("Prices are cached")) == ["Prices are not cached"]


def test_contradictions_keep_to_the_scope(mem: Memory) -> None:
    public = mem.add("tea is better").id
    private = mem.add("tea is awful", user_id="ana").id
    mem.relate(public, private, "contradicts")
    assert not mem.scoped(user_id="ben").contradictions("tea")
    assert contents(mem.scoped(user_id="ana").contradictions(public)) == ["tea is awful"]


# --- errors ---------------------------------------------------------------------------------------------------------

CODES = {
    "UsageError": "E4005",
    "NotFound": "E2005",
    "ContentTooLarge": "E4004",
    "InvalidQuery": "E2004",
    "ConfigInvalid": "E5003",
    "CycleRefused": "E4006",
    "UndoRefused": "E1007",
    "MissingExtra": "E5004",
    "AccessDenied": "E4001",
    "StoreError": "E1005",
    "StoreLocked": "E1001",
    "StoreDamaged": "E1002",
    "StoreNewer": "E1006",
    "StoreReadOnly": "E1008",
    "DiskFull": "E1003",
    "StoreBusy": "E1009",
    "MigrationFailed": "E1004",
    "StoreClosed": "E1010",
    "ProviderError": "E3002",
    "ProviderUnavailable": "E3001",
    "EmbeddingFailed": "E3002",
    "DimensionMismatch": "E3003",
    "SandboxError": "E4007",
    "SearchTimeout": "E2001",
    "Interrupted": "E5005",
    "RateLimited": "E2003",
}


@pytest.mark.parametrize("name", CODES)
def test_codes_are_stable_and_every_error_is_ours(name: str) -> None:
    error = getattr(errors, name)("what to do")
    assert isinstance(error, recollect.RecollectError)
    assert error.to_dict() == {
        "error": name,
        "code": CODES[name],
        "message": "what to do",
        "retryable": error.retryable,
        **({"retry_after": 1} if name == "RateLimited" else {}),
    }
    assert str(error) == f"[{CODES[name]}] what to do"


def test_only_what_waiting_can_help_is_retryable() -> None:
    assert {name for name in CODES if getattr(errors, name).retryable} == {
        "StoreBusy",
        "ProviderUnavailable",
        "SearchTimeout",
        "Interrupted",
        "RateLimited",
    }


def test_what_a_caller_can_fix_is_a_value_error(mem: Memory) -> None:
    with pytest.raises(ValueError, match="E4005"):
        mem.add("")


# --- figures --------------------------------------------------------------------------------------------------------


def test_stats_count_what_is_there_and_per_scope_what_is_visible(mem: Memory) -> None:
    mem.add("global", kind="opinion")
    kept = mem.add("ana's", user_id="ana", tier="session").id
    mem.update(kept, content="changed")
    mem.delete(mem.add("gone").id)
    whole = mem.stats()
    assert (whole["records"], whole["retired"], whole["past_versions"], whole["operations"]) == (2, 1, 1, 5)
    assert whole["by_kind"] == {"opinion": 1, "semantic": 1}
    assert whole["by_tier"] == {"longterm": 1, "session": 1}
    assert whole.to_dict().keys() >= {"records", "by_category", "edges", "sessions", "size_bytes", "warnings"}
    assert mem.stats(user_id="ben")["records"] == 1
    assert mem.scoped(user_id="ana").stats()["records"] == 2
    assert "operations" not in mem.scoped(user_id="ana").stats().figures


def test_a_memory_that_nobody_closed_is_closed_when_the_process_ends(tmp_path: Path) -> None:
    program = (
        "import recollect, sys, threading\n"
        "mem = recollect.open(sys.argv[1])\n"
        "mem.add([f'Ana owns {n} bicycles' for n in range(600)])\n"
        "mem.search('bicycles')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "m.db")], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not list(tmp_path.glob("*-wal"))  # closed in order: the log was folded into the file
