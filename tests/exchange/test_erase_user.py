"""Erasing a person leaves no byte of them, and nothing of anybody else is touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from exchange.used_stores import NAMES, hand_in_anything, used_store
from hypothesis import given
from hypothesis import strategies as st
from interfaces.rest_server import token
from properties.tables import assert_sound, counts, examples, looking_at, open_quick, visible_state

from recollect.errors import AccessDenied, UndoRefused, UsageError
from recollect.memory import Memory

WORDS = ("zquincewood", "zmarbleton", "zfennimore", "zsession", "zperson", "zreason", "zquestion", "zalias", "ztag")


def traces(folder: Path, *words: str) -> dict[str, list[str]]:
    """Which of these words stand in which files, in any case; also in backups."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    found = {word: [p.name for p in files if word.encode() in p.read_bytes().lower()] for word in words}
    return {word: names for word, names in found.items() if names}


def spelled(words: Iterable[str]) -> list[bytes]:
    """How words may stand in a file: plain, folded, in two bytes a letter, and in the hexadecimal of an image."""
    both = [form for word in words for form in (word, word.casefold())]
    plain = [form.encode() for form in both]
    return [*plain, *(form.encode("utf-16-le") for form in both), *(form.hex().encode() for form in plain)]


def left_in(folder: Path, words: Iterable[str]) -> set[tuple[str, bytes]]:
    held = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    return {(name, form) for form in spelled(words) for name, data in held.items() if form in data}


def fill(mem: Memory) -> dict[str, str]:
    """A person in several scopes who said, corrected, deleted, related and asked; and somebody else."""
    shared = mem.add("The gateway listens on port 8080").id
    more = mem.add("The gateway is slow").id
    first = mem.add("Zquincewood is where Zfennimore Zalias lives", user_id="zperson", tags=["ztag"]).id
    mem.add(
        [{"role": "user", "content": "I moved to Zmarbleton, and I like zfennimore tea.", "name": "Zperson"}],
        session_id="zsession",
        user_id="zperson",
        project="atlas",
        metadata={"k": "zquincewood"},
    )
    mem.correct(first, "Zmarbleton is where Zfennimore Zalias lives now", reason="zreason said so")
    gone = mem.add("zquincewood that was deleted", user_id="zperson").id
    mem.delete(gone, reason="zreason")
    mem.update(first, content="Zquincewood was the place", reason="zreason")
    mem.relate(
        members=[(first, "participant"), (shared, "participant"), (more, "participant")], evidence=["zmarbleton"]
    )
    mem.scoped(user_id="zperson", actor="zperson").feedback(shared, helpful=False, query="zquestion about ports")
    mem.search("what about zquestion?", user_id="zperson", session_id="zsession")
    ben = mem.add("Ben plays the cello", user_id="ben", session_id="b1").id
    token(mem, "read", name="hers", user_id="zperson")
    token(mem, "read", name="ours", project="atlas", may_add={"user_id": ["ben", "zperson"]})
    mem.consolidate()
    mem.maintain()
    return {"shared": shared, "more": more, "ben": ben}


def test_no_byte_of_a_person_is_left(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        fill(mem)
        mem.settle()
        assert traces(tmp_path, *WORDS[:2])
        report = mem.erase_user("zperson")
        assert report["count"] >= 4
        assert not report["dry_run"]
        assert traces(tmp_path, *WORDS) == {}, "while the store is open"
    assert traces(tmp_path, *WORDS) == {}, "after it is closed"
    assert_sound(tmp_path / "m.db")
    with open_quick(tmp_path / "m.db") as mem:
        with mem._engine.store.read() as tx:
            assert [each.to_dict()["may_add"] for each in tx.tokens.listed()] == [{"user_id": ["ben"]}]
        assert not mem.get_all(user_id="zperson", filters={"user_id": {"eq": "zperson"}})
        assert not mem.entities(user_id="zperson", type="place")
        assert all(each.scope.user_id != "zperson" for each in mem.operations(limit=100))


def test_what_is_others_stays_as_it_is(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        kept = fill(mem)
        mem.settle()
        before = {id_: row for id_, row in visible_state(tmp_path / "m.db").items() if id_ in kept.values()}
        mem.erase_user("zperson")
        after = visible_state(tmp_path / "m.db")
        for id_, row in before.items():
            judged = {"judged", "provenance_sessions"}
            assert {k: v for k, v in after[id_].items() if k not in judged} == {
                k: v for k, v in row.items() if k not in judged
            }
        [edge] = mem.related(kept["shared"]).edges
        assert edge.evidence == ()
        assert mem.search("which port?").hits[0].id == kept["shared"]


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_a_store_that_was_lived_in_stays_sound(tmp_path: Path, seed: int) -> None:
    with used_store(tmp_path / "m.db", seed) as mem:
        others = {
            record.id
            for record in mem.get_all(reach="all", limit=1000)
            if record.scope.user_id != "ana" and record.source != "upkeep"
        }
        mem.erase_user("ana")
        left = {record.id for record in mem.get_all(reach="all", limit=1000)}
        assert others <= left
        assert not [record for record in mem.get_all(reach="all", limit=1000) if record.scope.user_id == "ana"]
        mem.export(tmp_path / "after.jsonl")
    assert_sound(tmp_path / "m.db")
    with looking_at(tmp_path / "m.db") as db:
        assert not list(db.execute("SELECT 1 FROM scope WHERE user_id = 'ana'"))
    with open_quick(tmp_path / "copy.db", embedder=None) as copy:
        copy.import_(tmp_path / "after.jsonl")


def test_a_dry_run_counts_and_changes_nothing(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        fill(mem)
        mem.settle()
        before = counts(tmp_path / "m.db"), visible_state(tmp_path / "m.db")
        told = mem.erase_user("zperson", dry_run=True)
        assert (counts(tmp_path / "m.db"), visible_state(tmp_path / "m.db")) == before
        done = mem.erase_user("zperson").figures
        assert told.figures | {"dry_run": False, "report": done["report"]} == done
        assert mem.erase_user("zperson")["count"] == 0


def test_it_is_for_the_owner_and_for_good(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        mem.add("Ana keeps bees", user_id="ana")
        with pytest.raises(AccessDenied):
            mem.scoped(user_id="ana").erase_user("ana")
        for bad in ("", " ", None, 7, "x" * 1000):
            with pytest.raises(UsageError):
                mem.erase_user(bad)  # type: ignore[arg-type]
        mem.erase_user("ana")
        [last] = [each for each in mem.operations() if each.verb == "erase_user"]
        with pytest.raises(UndoRefused):
            mem.undo(last.id)
        mem.add("Ana is back", user_id="ana")
        assert [record.content for record in mem.get_all(user_id="ana")] == ["Ana is back"]


def test_what_others_said_of_the_person_is_counted(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        mem.add("Ana keeps bees", user_id="ana")
        kept = mem.add([{"role": "user", "content": "Good morning everybody", "name": "ana"}], project="atlas").id
        report = mem.erase_user("ana")
        assert any("1 records outside" in each for each in report.warnings)
        assert mem.get(kept) is not None


# --- hard deletes -----------------------------------------------------------------------------------------------------

PARTS = [part for name in NAMES for part in name.split()]
TEXT = "I met {0} in Oslo; {0} is my doctor."


@examples(12)
@given(data=st.data())
def test_of_what_was_accepted_no_byte_is_left(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("erased")
    with open_quick(folder / "m.db") as mem:
        person = data.draw(st.booleans(), label="erase_user")
        hand_in_anything(mem.scoped(user_id="ana") if person else mem, data)
        mem.settle()
        if person:
            mem.erase_user("ana")
        else:
            mem.delete_all(reach="all", hard=True)
        assert left_in(folder, PARTS) == set()
        mem.export(folder / "later.jsonl")
    assert left_in(folder, PARTS) == set()
    assert_sound(folder / "m.db")


def _updated(mem: Memory) -> None:
    one = mem.add(TEXT.format(NAMES[0])).id
    mem.update(one, content="I met my doctor in Oslo.")


def _update_undone(mem: Memory) -> None:
    one = mem.add("I met my doctor in Oslo.").id
    mem.undo(mem.update(one, content=TEXT.format(NAMES[0])).operation or "")


def _merged(mem: Memory) -> None:
    mem.add([TEXT.format(NAMES[0]), TEXT.format(NAMES[1])])
    mem.merge_entities(NAMES[1], NAMES[0])


def _turn_updated(mem: Memory) -> None:
    one = mem.add([{"role": "user", "content": TEXT.format(NAMES[0])}], session_id="s1").id
    mem.settle()
    mem.update(one, content="I met my doctor in Oslo.")


def _deleted_with_a_reason(mem: Memory) -> None:
    turns = [{"role": "user", "content": TEXT.format(NAMES[0])}, {"role": "user", "content": "My doctor is in Oslo."}]
    ids = mem.add(turns, session_id="s1").ids
    mem.settle()
    mem.delete(ids[0], reason=f"{NAMES[0]} asked for it")


@pytest.mark.parametrize("lived", [_updated, _update_undone, _merged, _turn_updated, _deleted_with_a_reason])
def test_names_go_with_the_records_that_ever_said_them(lived: Callable[[Memory], None], tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        lived(mem)
        mem.settle()
        assert left_in(tmp_path, PARTS)
        mem.delete_all(reach="all", hard=True)
        mem.export(tmp_path / "later.jsonl")
        assert left_in(tmp_path, PARTS) == set(), "while the store is open"
    assert left_in(tmp_path, PARTS) == set(), "after it is closed"


def test_a_name_that_another_record_says_stays_and_one_that_none_says_goes(tmp_path: Path) -> None:
    """Also when two entities were merged, and when the other record said it in an earlier version alone."""
    with open_quick(tmp_path / "m.db") as mem:
        first = mem.add(TEXT.format(NAMES[0])).id
        second = mem.add(TEXT.format(NAMES[1])).id
        merge = mem.merge_entities(NAMES[1], NAMES[0]).operation or ""
        change = mem.update(second, content="I met my doctor in Bergen.").operation or ""
        mem.delete(first, hard=True)
        assert left_in(tmp_path, NAMES[0].split()) == set()
        mem.undo(change)
        [entity] = [each for each in mem.entities() if each.type == "person"]
        assert (entity.name, entity.aliases) == (NAMES[1], ())
        mem.undo(merge)
        assert [each.name for each in mem.entities() if each.type == "person"] == [NAMES[1]]
        assert left_in(tmp_path, NAMES[0].split()) == set()
    assert_sound(tmp_path / "m.db")


def test_evidence_goes_with_each_member_it_may_quote(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        a, c, d = mem.add([TEXT.format(NAMES[0]), "The clinic is in Oslo", "Oslo is cold"]).ids
        members = [(each, "participant") for each in (a, c, d)]
        edge = mem.relate(members=members, evidence=[TEXT.format(NAMES[0])])
        mem.undo(mem.unrelate(edge).operation or "")
        mem.delete(a, hard=True)
        [kept] = mem.related(c).edges
        assert kept.evidence == ()
        assert {each.record_id for each in kept.members} == {c, d}
        assert left_in(tmp_path, PARTS) == set()
    assert_sound(tmp_path / "m.db")
