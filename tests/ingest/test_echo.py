"""What was recalled is known when it comes back, and people may repeat themselves as much as they like."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from ticking import Ticking

from recollect import Memory
from recollect.config import LiveConfig
from recollect.ingest import echo
from recollect.ingest.echo import Echo, Echoes
from recollect.model.fence import Shown, fenced, sealing_key
from recollect.model.scope import Scope
from recollect.wiring import open_memory

KEY = b"a key"
ANA, BEN = Scope(user_id="ana"), Scope(user_id="ben")
HELIX = ("1b9d6bcd-bbfd-4b2d-9b5d-ab8dfcbb4bed", "Ana uses Helix")
ROME = (
    "7d444840-9dc0-41d1-b245-5ffdce74fad2",
    "Ana moved to Rome with her sister in the spring of 2019. She likes it. The flat is above a bakery near the river.",
)


def held(ids: Sequence[str], scope: Scope) -> list[str]:
    """What a store would say that has lost nothing of it."""
    return [text for record_id, text in (HELIX, ROME) if record_id in ids]


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def echoes(clock: Ticking) -> Echoes:
    heard = Echoes(KEY, LiveConfig({}), clock, held)
    heard.recalled(ANA, [HELIX, ROME])
    return heard


def test_a_machine_that_says_what_was_recalled_is_an_echo(echoes: Echoes) -> None:
    for said in ("Ana uses Helix.", "ana is using helix!", ROME[1], "Oh, Ana actually uses Helix"):
        heard = echoes.heard(said, role="assistant", scope=ANA)
        assert heard.text is None
        assert heard.ids in ((HELIX[0],), (ROME[0],))


def test_a_list_of_what_was_recalled_is_an_echo(echoes: Echoes) -> None:
    said = "- Ana uses Helix\n- Ana moved to Rome with her sister in the spring of 2019."
    assert echoes.heard(said, role="tool", scope=ANA) == Echo(None, (HELIX[0], ROME[0]))


def test_a_person_never_is_one(echoes: Echoes) -> None:
    for role in ("user", "human", None):
        assert echoes.heard("Ana uses Helix", role=role, scope=ANA) == Echo("Ana uses Helix")


def test_what_says_more_is_kept_word_for_word(echoes: Echoes) -> None:
    said = "Ana uses Helix. I would suggest a plugin for debugging, which she has not tried so far."
    heard = echoes.heard(said, role="assistant", scope=ANA)
    assert heard == Echo(said, (HELIX[0],))


def test_a_difference_is_no_echo(echoes: Echoes) -> None:
    for said in ("Ana does not use Helix", "Ben uses Helix", "Ana uses Helix 2"):
        assert echoes.heard(said, role="assistant", scope=ANA) == Echo(said)


def test_statements_of_what_was_recalled_are_no_second_source(echoes: Echoes) -> None:
    assert echoes.is_recalled("Ana uses Helix.", role="assistant", scope=ANA)
    assert not echoes.is_recalled("Ana uses vim.", role="assistant", scope=ANA)
    assert not echoes.is_recalled("Ana uses Helix.", role="user", scope=ANA)


def test_short_sentences_are_said_by_chance(echoes: Echoes) -> None:
    assert echoes.heard("She likes it.", role="assistant", scope=ANA).text == "She likes it."


def test_other_scopes_hear_nothing(echoes: Echoes) -> None:
    assert echoes.heard("Ana uses Helix", role="assistant", scope=BEN).text == "Ana uses Helix"
    assert echoes.heard("Ana uses Helix", role="assistant", scope=Scope(user_id="ben", agent_id="rex")).text
    assert echoes.heard("Ana uses Helix", role="assistant", scope=Scope(user_id="ana", agent_id="rex")).text is None


def test_after_a_while_it_is_news_again(echoes: Echoes, clock: Ticking) -> None:
    clock.skip(days=1)
    assert echoes.heard("Ana uses Helix", role="assistant", scope=ANA).text == "Ana uses Helix"


def test_a_window_of_nothing_switches_it_off(clock: Ticking) -> None:
    quiet = Echoes(KEY, LiveConfig({"ingest.echo_window_s": 0}), clock, held)
    quiet.recalled(ANA, [HELIX])
    assert quiet.heard("Ana uses Helix", role="assistant", scope=ANA).text == "Ana uses Helix"


def test_our_own_blocks_come_off_whoever_says_them(echoes: Echoes) -> None:
    block = fenced([Shown(*HELIX)], sealing_key(KEY, BEN))
    for role in ("user", "assistant", None):
        heard = echoes.heard(f"{block}\nWhich editor does she use?", role=role, scope=BEN)
        assert heard == Echo("Which editor does she use?", (HELIX[0],))
        assert echoes.heard(block, role=role, scope=BEN) == Echo(None, (HELIX[0],))
        for elsewhere in (ANA, Scope(), Scope(user_id="ben", project="atlas")):
            assert echoes.heard(block, role=role, scope=elsewhere) == Echo(block)


def test_what_is_remembered_is_bounded(clock: Ticking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(echo, "SENTENCES_MAX", 10)
    heard = Echoes(KEY, LiveConfig({}), clock, held)
    for number in range(echo.ANSWERS_MAX + 50):
        heard.recalled(ANA, [(str(number), f"Atlas has {number} services")])
    newest = echo.ANSWERS_MAX + 49
    assert heard.heard(f"Atlas has {newest} services", role="assistant", scope=ANA).ids == (str(newest),)
    assert heard.heard(f"Atlas has {newest - 20} services", role="assistant", scope=ANA).ids == ()
    assert len(heard._sentences) == 10
    assert not heard._unread


def test_searches_and_turns_come_from_many_threads(clock: Ticking) -> None:
    heard = Echoes(KEY, LiveConfig({}), clock, lambda ids, scope: ["Service of team is up"])
    failed: list[BaseException] = []

    def run(thread: int) -> None:
        try:
            for number in range(40):
                heard.recalled(ANA, [(f"{thread}-{number}", f"Service {number} of team {thread} is up")])
                said = f"Service {number} of team {thread} is up"
                assert heard.heard(said, role="assistant", scope=ANA).text is None
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


# --- in a memory ------------------------------------------------------------------------------------------------------

KEY_PLACE = "Ana keeps the spare key under the blue pot"


@pytest.fixture
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as memory:
        memory.add(KEY_PLACE, user_id="ana")
        memory.search("spare key", user_id="ana")
        yield memory


def echoed(mem: Memory, **more: Any) -> bool:
    message = {"role": "assistant", "content": KEY_PLACE} | more.pop("message", {})
    return not mem.add([message], **{"user_id": "ana", **more}).ids


def test_what_was_just_recalled_is_not_stored_again(mem: Memory) -> None:
    assert echoed(mem)


def test_nobody_has_anothers_text_passed_over(mem: Memory) -> None:
    """Marks of one scope, even real ones around the very text they were made for, mean nothing in another."""
    debt = "I owe Ana 5000 euros and will pay them back in May"
    mallory = mem.scoped(user_id="mallory")
    mallory.add(debt)
    window = mallory.context("what do I owe Ana?", mode="standard").text
    own = window[window.index("[recollect:") : window.rindex("]") + 1]
    assert debt in own
    number = own.split(":")[1]
    borrowed = f"{own.splitlines()[0]}\n{debt}\n[/recollect:{number}]"
    for block in (own, borrowed):
        message = f"Here is the invoice.\n{block}\nKind regards"
        kept = mem.add({"role": "user", "content": message}, user_id="ana").records[0]
        assert kept.content == message, "word for word"
    assert not mallory.add({"role": "user", "content": own}).ids, "where it was recalled it is known"


@pytest.mark.parametrize(
    "kept",
    [
        {"infer": False},
        {"user_id": "ben"},
        {"message": {"role": "user"}},
        {"tags": ["home"]},
        {"message": {"metadata": {"run": 3}}},
    ],
)
def test_what_would_be_lost_is_kept(mem: Memory, kept: dict[str, Any]) -> None:
    assert not echoed(mem, **kept)


def test_what_is_no_longer_in_the_memory_is_no_echo(mem: Memory) -> None:
    record = mem.get_all(user_id="ana").records[0].id
    operation = mem.update(record, content="Ben has it").operation
    assert not echoed(mem)
    mem.undo(operation)
    mem.delete(record)
    assert not echoed(mem, session_id="other")
