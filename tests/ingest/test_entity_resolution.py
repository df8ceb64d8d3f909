"""Names in texts become entities: the same thing under any of its names, never two as one, never across scopes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties.tables import examples, open_quick
from ticking import Ticking

import recollect
from recollect.errors import NotFound, UndoRefused, UsageError
from recollect.ingest.entities import Noted, note_mentions, revise_mentions
from recollect.memory import Memory
from recollect.model.entity import EntityType
from recollect.model.result import Receipt
from recollect.perceive.names.mentions import Mention, mentions_in
from recollect.perceive.names.same_name import likeness
from recollect.store import entities, journal
from recollect.store.base import Tx

SIMILARITY = 0.85
PERSON, PLACE = EntityType.PERSON, EntityType.PLACE


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_quick(tmp_path / "m.db", clock=Ticking()) as opened:
        yield opened


def tell(memory: Memory, *texts: str, speaker: str | None = None, **scope: Any) -> Receipt:
    """Remember texts in one operation, and note in the same one what they name."""
    stored = memory.add([{"role": "user", "content": text} for text in texts], infer=False, **scope)

    def work(tx: Tx) -> None:
        op = journal.Op(tx, *_operation(tx, stored.operation), tx.sql.value("SELECT max(at) FROM operation"))
        rows = [
            (tx.records.find_pk(record.id, now=0), _scope_pk(tx, record.id), op.at, mentions_in(text, speaker=speaker))
            for record, text in zip(stored.records, texts, strict=True)
        ]
        note_mentions(tx, op, rows, similarity=SIMILARITY)

    memory._engine.store.write(work)
    return stored


def _operation(tx: Tx, operation: str | None) -> tuple[int, str]:
    assert operation is not None
    return tx.sql.value("SELECT pk FROM operation WHERE id = ?", (operation,)), operation


def _scope_pk(tx: Tx, record_id: str) -> int:
    return int(tx.sql.value("SELECT scope_pk FROM record WHERE id = ?", (record_id,)))


def known(memory: Memory, type: str | None = None, **scope: Any) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Name → how often, and what else it is called."""
    return {each.name: (each.mention_count, each.aliases) for each in memory.entities(type=type, **scope)}


# --- the same under any name ----------------------------------------------------------------------------------------


def test_a_known_name_at_the_start_of_a_sentence_is_a_mention(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "I live with my partner Tomás."}], user_id="mara", session_id="1")
    for session, said in enumerate(("Tomás lost his job.", "Tomás has an interview.", "Guess what? Tomás got it!")):
        memory.add([{"role": "user", "content": said}], user_id="mara", session_id=f"2{session}")
    memory.settle()
    profile = memory.entity("Tomás", user_id="mara")
    assert profile is not None
    assert profile.entity.mention_count == 4
    assert not memory.entity("Guess", user_id="mara")


def test_a_name_in_any_case_is_one_entity(memory: Memory) -> None:
    tell(memory, "We met Ana Ruiz.", "I like Ana  Ruiz".replace("  ", " "), "Ask ana ruiz, said Ana Ruiz")
    assert known(memory) == {"Ana Ruiz": (3, ())}


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("We met Ana Ruiz.", "Then Ana left."),
        ("We met Ana.", "It was Ana Ruiz."),
        ("We met Ana Ruiz.", "I wrote to A. Ruiz about it."),
        ("We met Ana Maria Ruiz.", "It was Ana Ruiz."),
        ("We met Melanie.", "Thanks, Mel!"),
        ("Thanks, Mel!", "We met Melanie."),
        ("We met Melanie.", "Thanks, Melannie!"),
        ("A trip to New York City.", "We loved NYC."),
        ("She works at Borealis Inc", "He works at Borealis."),
    ],
)
def test_other_names_of_one_thing(memory: Memory, first: str, then: str) -> None:
    tell(memory, first)
    tell(memory, then)
    (entity,) = memory.entities()
    assert entity.mention_count == 2
    assert len(entity.aliases) == 1
    tell(memory, then)  # learned by now
    assert [each.mention_count for each in memory.entities()] == [3]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("We met Carl.", "We met Carla."),
        ("We met Julia.", "We met Julian."),
        ("We met Ana Ruiz.", "We met Ana Silva."),
        ("A trip to Austria.", "A trip to Australia."),
        ("the Atlas 1 project", "the Atlas 2 project"),
        ("call the auth-service", "call the auth-server"),
        ("see main.py", "see mainly.py"),
        ("We met Jordan.", "A trip to Jordan."),
        ("They use Java code.", "They use JavaScript code."),
    ],
)
def test_two_things_are_not_one(memory: Memory, first: str, then: str) -> None:
    tell(memory, first)
    tell(memory, then)
    assert [each.mention_count for each in memory.entities()] == [1, 1]


def test_a_first_name_that_two_people_have_is_neither(memory: Memory) -> None:
    tell(memory, "We met Ana Ruiz.", "We met Ana Silva.", "Then Ana left.")
    assert known(memory) == {"Ana Ruiz": (1, ()), "Ana Silva": (1, ()), "Ana": (1, ())}


def test_a_first_name_in_use_stays_whose_it_was(memory: Memory) -> None:
    tell(memory, "We met Ana Ruiz.", "Then Ana left.", "Ana came back, and Ana stayed.")
    tell(memory, "We met Ana Silva.", "Then Ana left again.")
    assert known(memory) == {"Ana": (4, ("Ana Ruiz",)), "Ana Silva": (1, ())}


def test_a_speaker_is_not_who_they_speak_of(memory: Memory) -> None:
    tell(memory, "I met Ana Silva.", speaker="Ana")
    assert set(known(memory)) == {"Ana", "Ana Silva"}
    tell(memory, "Jon and John met Melanie", speaker="Mel")
    assert {"Jon", "John", "Mel", "Melanie"} <= set(known(memory))


def test_the_most_used_name_is_the_canonical_one(memory: Memory) -> None:
    tell(memory, "We met Mel.", "Thanks, Melanie!", "I like Melanie.")
    assert known(memory) == {"Melanie": (3, ("Mel",))}


def test_what_was_only_a_word_becomes_what_it_is_and_undo_takes_that_back(memory: Memory) -> None:
    tell(memory, "we talked about Biscuit again")
    assert [each.type.value for each in memory.entities()] == ["concept"]
    told = tell(memory, "my friend Biscuit is asleep")
    assert [(each.type.value, each.mention_count) for each in memory.entities()] == [("person", 2)]
    memory.undo(told)
    assert [(each.type.value, each.mention_count) for each in memory.entities()] == [("concept", 1)]


def test_meaning_decides_between_two_of_a_name(memory: Memory) -> None:
    parsing = "Yesterday {} parsed config files and wrote tests for the new parser again and again until late"
    sailing = "Yesterday {} sailed the wide sea with her two cousins although a heavy storm was near them"
    tell(memory, parsing.format("Ana Ruiz"), sailing.format("Ana Silva"))
    tell(memory, parsing.format("Ana"))
    assert known(memory, type="person") == {"Ana Ruiz": (2, ("Ana",)), "Ana Silva": (1, ())}


@pytest.mark.parametrize(
    ("one", "other", "type_", "same"),
    [
        ("ana ruiz", "ana", PERSON, True),
        ("dr. ana ruiz", "ana ruiz", PERSON, True),
        ("ana r.", "ana ruiz", PERSON, True),
        ("liz okafor", "elizabeth okafor", PERSON, True),
        ("ana ruiz", "ben ruiz", PERSON, False),
        ("jon", "john", PERSON, False),
        ("ana", "anna", PERSON, False),
        ("edinburg", "edinburgh", PLACE, True),
        ("iran", "iraq", PLACE, False),
        ("uk", "united kingdom", PLACE, True),
        ("area 1", "area 2", PLACE, False),
    ],
)
def test_likeness_of_names(one: str, other: str, type_: EntityType, same: bool) -> None:
    assert (likeness(one, other, type_) >= SIMILARITY) is same
    assert likeness(one, other, type_) == likeness(other, one, type_)


# --- scopes ---------------------------------------------------------------------------------------------------------


def test_scopes_do_not_share_entities_but_see_wider_ones(memory: Memory) -> None:
    tell(memory, "We met Ben Okafor.")
    tell(memory, "I like Ben Okafor, and Ana.", user_id="ana")
    tell(memory, "We met Ana.", user_id="bo")
    assert known(memory) == {"Ben Okafor": (1, ())}
    assert known(memory, user_id="ana") == {"Ben Okafor": (2, ()), "Ana": (1, ())}
    assert known(memory, user_id="bo") == {"Ben Okafor": (1, ()), "Ana": (1, ())}
    assert memory.entity("Ana") is None


def test_a_private_name_for_somebody_known_to_all_stays_private(memory: Memory) -> None:
    tell(memory, "We met Benjamin Okafor.")
    tell(memory, "Thanks, Benny! I met Benny again.", user_id="ana")
    assert known(memory) == {"Benjamin Okafor": (1, ())}
    assert memory.entity("Benny") is None
    assert memory.entity("Benny", user_id="bo") is None
    assert memory.entity("Benny", user_id="ana") is not None


# --- taken back -----------------------------------------------------------------------------------------------------


def test_undo_takes_names_back_and_undoing_that_brings_them_again(memory: Memory) -> None:
    tell(memory, "We met Ana Ruiz.")
    told = tell(memory, "Then Ana went to Oslo.")
    after = known(memory)
    back = memory.undo(told)
    assert known(memory) == {"Ana Ruiz": (1, ())}
    assert memory.entity("Ana") is None
    memory.undo(back)
    assert known(memory) == after


def test_what_others_name_too_outlives_the_record_that_named_it_first(memory: Memory) -> None:
    first = tell(memory, "We met Ana Ruiz.")
    tell(memory, "Then Ana left.")
    memory.undo(first)
    assert known(memory) == {"Ana": (1, ())}  # nothing that is believed calls her Ruiz
    memory.delete(memory.get_all().records[0].id)
    assert known(memory) == {}


def test_a_name_that_was_taken_back_is_not_in_use(memory: Memory) -> None:
    tell(memory, "We met Ana Ruiz.")
    memory.undo(tell(memory, "Then Ana left."))
    tell(memory, "We met Ana Silva.", "Then Ana left.")
    assert set(known(memory)) == {"Ana Ruiz", "Ana Silva", "Ana"}


def test_a_changed_text_names_what_it_names_now(memory: Memory) -> None:
    said = tell(memory, "We met Ana.", "We saw Oslo.")

    def work(tx: Tx) -> str:
        pk = tx.records.find_pk(said.ids[0], now=0)
        op = tx.journal.begin("update", at=memory._engine.clock(), scope_pk=1)
        row = Noted(pk, _scope_pk(tx, said.ids[0]), op.at, mentions_in("We met Ben in Oslo."))
        revise_mentions(tx, op, row, similarity=SIMILARITY)
        return op.id

    changed = memory._engine.store.write(work)
    assert known(memory) == {"Oslo": (2, ()), "Ben": (1, ())}
    memory.undo(changed)
    assert known(memory) == {"Ana": (1, ()), "Oslo": (1, ())}


# --- who is who -----------------------------------------------------------------------------------------------------


def test_merged_entities_are_one_under_all_their_names(memory: Memory) -> None:
    tell(memory, "We met Ana Ruiz.", "We met Ana Ruiz and Biscuit.", "my dog Biscuit", "We like Biscuit and Ben.")
    before = known(memory)
    done = memory.merge_entities("Ana Ruiz", "biscuit")
    assert done.count == 3
    assert known(memory)["Ana Ruiz"] == (4, ("Biscuit",))
    tell(memory, "I saw Biscuit today")
    assert known(memory)["Ana Ruiz"] == (5, ("Biscuit",))
    memory.undo(memory.operations(limit=2)[0].id)  # the telling
    memory.undo(done)
    assert known(memory) == before


def test_a_split_entity_is_two(memory: Memory) -> None:
    tell(memory, "We met Ana Ruiz.", "Then Ana left.", "Ana came back.", "Ana Ruiz stayed.")
    done = memory.split_entity("Ana Ruiz", ["Ana"])
    assert known(memory) == {"Ana": (2, ()), "Ana Ruiz": (2, ())}
    tell(memory, "And Ana again.")
    assert known(memory)["Ana"] == (3, ())
    back = memory.undo(done)
    assert known(memory) == {"Ana": (5, ("Ana Ruiz",))}  # what was said since went back with the rest
    memory.undo(back)
    assert known(memory) == {"Ana": (3, ()), "Ana Ruiz": (2, ())}


def test_what_cannot_be_merged_or_split_is_refused(memory: Memory) -> None:
    tell(memory, "We met Ana Ruiz, and Ben.", "Ana left.")
    tell(memory, "We met Carla.", user_id="ana")
    tell(memory, "We met Jordan.", "A trip to Jordan.")
    with pytest.raises(UsageError, match="already"):
        memory.merge_entities("Ana", "Ana Ruiz")
    with pytest.raises(UsageError, match="different scopes"):
        memory.merge_entities("Ben", "Carla")
    with pytest.raises(NotFound, match="no entity"):
        memory.merge_entities("Ben", "Dora")
    with pytest.raises(UsageError, match="give the id"):
        memory.merge_entities("Jordan", "Ben")
    with pytest.raises(NotFound, match="not called"):
        memory.split_entity("Ana", ["Annie"])
    with pytest.raises(UsageError, match="all names of the entity"):
        memory.split_entity("Ana", ["Ana", "Ana Ruiz"])
    with pytest.raises(NotFound):
        memory.scoped(user_id="bo").merge_entities("Ben", "Carla")


def test_a_profile_tells_names_company_and_records(memory: Memory) -> None:
    tell(memory, "We met Ana Ruiz and Ben.", "Ana and Ben went to Oslo.", "Ben likes tea.", "Ana sails.")
    found = memory.entity("ana")
    assert found is not None
    assert found.entity.mention_count == 3
    assert {found.name, *found.entity.aliases} == {"Ana", "Ana Ruiz"}
    assert [(each.name, each.count) for each in found.together] == [("Ben", 2), ("Oslo", 1)]
    assert [record.content for record in found.newest] == [
        "Ana sails.",
        "Ana and Ben went to Oslo.",
        "We met Ana Ruiz and Ben.",
    ]
    assert {record.content for record in found.telling} == {record.content for record in found.newest}
    assert {each.name for each in found.similar} == {"Ben", "Oslo"}
    assert all(-1.01 <= each.similarity <= 1.01 for each in found.similar)
    assert found.to_dict()["together"][0] == {"name": "Ben", "type": "person", "count": 2, "similarity": 0.0}
    assert memory.entity(found.entity.id) == found
    assert list(known(memory, type="place")) == ["Oslo"]
    assert len(memory.entities(limit=1)) == 1


def test_a_mention_that_is_not_ours_to_see_is_not_counted(memory: Memory) -> None:
    tell(memory, "We met Ben Okafor.")
    tell(memory, "Ben Okafor and Zelda went to Oslo.", user_id="ana")
    found = memory.entity("Ben Okafor", user_id="bo")
    assert found is not None
    assert (found.entity.mention_count, found.together, len(found.newest)) == (1, (), 1)


# --- any order ------------------------------------------------------------------------------------------------------

TEXTS = (
    "We met Ana Ruiz.",
    "Then Ana left.",
    "Thanks, Mel!",
    "I met Melanie in Oslo.",
    "my dog Biscuit",
    "We saw Biscuit.",
)


@given(st.lists(st.tuples(st.sampled_from(["tell", "delete", "merge", "split"]), st.integers(0, 5)), max_size=7))
@examples(15)
def test_whatever_happened_is_undone_exactly(steps: Sequence[tuple[str, int]]) -> None:
    with open_quick(":memory:", clock=Ticking()) as memory:
        done: list[tuple[str, dict[str, Any]]] = []
        for verb, number in steps:
            before = state(memory)
            try:
                operation = act(memory, verb, number)
            except UsageError:
                assert state(memory) == before
                continue
            done.append((operation, before))
        for operation, before in reversed(done):
            after = state(memory)
            back = memory.undo(operation)
            assert state(memory) == before
            again = memory.undo(back)
            assert state(memory) == after
            memory.undo(again)
            assert state(memory) == before


def act(memory: Memory, verb: str, number: int) -> str:
    names = sorted(each.id for each in memory.entities())
    ids = [record.id for record in memory.get_all().records]
    receipt: Receipt
    if verb == "tell":
        receipt = tell(memory, TEXTS[number])
    elif verb == "delete":
        receipt = memory.delete(ids[number] if number < len(ids) else "x")
    elif verb == "merge":
        receipt = memory.merge_entities(
            *(names[at] if at < len(names) else "nobody" for at in (number // 2, number % 2))
        )
    else:
        called = memory.entity(names[number]) if number < len(names) else None
        receipt = (
            memory.split_entity(names[number], called.entity.aliases[:1]) if called else memory.split_entity("x", ["y"])
        )
    assert receipt.operation is not None
    return receipt.operation


def state(memory: Memory) -> dict[str, Any]:
    """Every entity by its id, with all that is told of it, and its records."""
    with memory._engine.store.read() as tx:
        pks = [row[0] for row in tx.sql.all(f"SELECT e.pk FROM entity e WHERE {entities.LIVE}")]
        return {
            entity.id: (entity.name, entity.type, entity.aliases, entity.mention_count, tx.entities.mentioning([pk]))
            for pk, entity in tx.entities.load(pks).items()
        }


def test_undo_of_a_merge_is_refused_while_something_rests_on_it(memory: Memory) -> None:
    tell(memory, "We met Ana Ruiz.", "my dog Biscuit", "We met Ben.")
    first = memory.merge_entities("Ana Ruiz", "Biscuit")
    memory.merge_entities("Ben", "Ana Ruiz")
    with pytest.raises(UndoRefused, match="merge_entities"):
        memory.undo(first)


def test_many_turns_are_noted_quickly(memory: Memory) -> None:
    texts = [f"Thanks, Ana! I met Ben{number % 40} in Oslo, then Carla Okafor." for number in range(400)]
    noted: list[tuple[Mention, ...]] = [mentions_in(text) for text in texts]
    assert sum(map(len, noted)) >= 1_600
    tell(memory, *texts)
    assert known(memory)["Ana"][0] == 400


# --- through the front door -----------------------------------------------------------------------------------------


def test_add_recognises_when_it_is_told_to() -> None:
    with recollect.open(":memory:", embedder="fake", config={"entity.recognise": True}) as mem:
        mem.add([{"role": "user", "name": "Ana", "content": "I met Ben Okafor in Lisbon"}], session_id="s")
        receipt = mem.add("Ben Okafor works at the harbour")
        profile = mem.entity("Ben Okafor")
        assert profile is not None
        assert profile.entity.mention_count == 2
        mem.delete(receipt.id, hard=True)
        assert mem.entity("Ben Okafor").entity.mention_count == 1


def test_an_erased_name_is_gone() -> None:
    with recollect.open(":memory:", embedder="fake", config={"entity.recognise": True}) as mem:
        receipt = mem.add("Ben Okafor works at the harbour")
        mem.delete(receipt.id, hard=True)
        assert mem.entity("Ben Okafor") is None
        with mem._engine.store.read() as tx:
            assert tx.sql.value("SELECT count(*) FROM entity") == 0


@pytest.mark.parametrize("wanted", [True, False])
def test_names_are_recognised_unless_that_is_switched_off(wanted: bool) -> None:
    with recollect.open(":memory:", embedder="fake", config={"entity": {"recognise": wanted}}) as mem:
        mem.add("Ben Okafor works at the harbour")
        assert (mem.entity("Ben Okafor") is not None) is wanted


def test_names_are_recognised_by_default() -> None:
    with recollect.open(":memory:", embedder="fake") as mem:
        mem.add("Ben Okafor works at the harbour")
        assert mem.entity("Ben Okafor") is not None
