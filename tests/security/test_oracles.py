"""What an answer gives away beyond its words: exact scores and time. Each defence by its switch, all off by default."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

import recollect
from recollect import Memory
from recollect.aio import AsyncMemory
from recollect.errors import AccessDenied, RecollectError
from recollect.security.oracles import STEPS, coarse

TEXTS = [
    "Ana moved from vim to Helix in May",
    "Ana writes Rust for the billing service",
    "Ben drinks green tea in the morning",
    "The billing service fails when the clock changes",
    "Helix is an editor that Ana likes",
    "Carla keeps bees behind the house",
]
QUESTIONS = ["which editor does Ana use?", "what does Ben drink?", "why does billing fail?", "bees", "Rust", "Ana"]


@contextmanager
def asked(**security: Any) -> Iterator[tuple[Memory, Memory]]:
    """The owner's memory and a handle of somebody else on the same records."""
    with recollect.open(":memory:", embedder="fake", config={"security": security}) as memory:
        for text in TEXTS:
            memory.add(text, user_id="ana")
        memory.settle()
        yield memory, memory.scoped(user_id="ana")


def numbers(data: Any) -> list[float]:
    """Every float in an answer, however deep."""
    if isinstance(data, float):
        return [data]
    if isinstance(data, dict):
        return [found for each in data.values() for found in numbers(each)]
    return [found for each in data for found in numbers(each)] if isinstance(data, list | tuple) else []


# --- scores in steps ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "shown"),
    [(1.0, 0.85), (0.851, 0.85), (0.85, 0.6), (0.61, 0.6), (0.6, 0.4), (0.41, 0.4), (0.4, 0.0), (0.0, 0.0)],
)
def test_a_score_is_shown_as_the_lower_end_of_its_step(score: float, shown: float) -> None:
    assert coarse(score) == shown


def test_scores_are_exact_unless_the_switch_is_on() -> None:
    with asked() as (owner, handle):
        for question in QUESTIONS:
            mine, theirs = owner.search(question, user_id="ana"), handle.search(question)
            assert [hit.score for hit in theirs] == pytest.approx([hit.score for hit in mine])
            assert theirs.quality.stages_ms


def test_the_owner_sees_exact_scores_and_everybody_else_steps() -> None:
    with asked(coarse_scores=True) as (owner, handle):
        exact = [hit.score for question in QUESTIONS for hit in owner.search(question, user_id="ana")]
        assert set(exact) - set(STEPS)
        for question in QUESTIONS:
            mine, theirs = owner.search(question, user_id="ana"), handle.search(question)
            assert [hit.id for hit in theirs] == [hit.id for hit in mine], "the order stays"
            assert {hit.score for hit in theirs} <= set(STEPS)


def test_no_figure_of_an_answer_gives_the_exact_score_away() -> None:
    with asked(coarse_scores=True) as (owner, handle):
        for question in QUESTIONS:
            found = owner.search(question, user_id="ana", explain=True)
            told = found.quality.to_dict(), found.trace.to_dict() if found.trace else {}
            exact = {round(each, 6) for each in (*(hit.score for hit in found), *numbers(told))} - {0.0, 1.0, *STEPS}
            assert exact
            answers = (
                handle.search(question, explain=True).to_dict(),
                handle.context(question, session_id="s").to_dict(),
                handle.reason(question).to_dict(),
                handle.assess(question).to_dict(),
                handle.health().to_dict(),
                [slot.to_dict() for slot in handle.working.slots(session_id="s")],
            )
            beside = {round(each, 4) for hit in found for each in (hit.confidence, *hit.trust.to_dict().values())}
            scores = {round(hit.score, 4) for hit in found} | {round(found.quality.relevancy, 4)}
            scores -= {round(hit.trust.accuracy, 4) for hit in found} | {0.0, 1.0, *STEPS}
            assert scores & beside, "trust tells the score to the owner, by the name of relevance"
            for answer in answers:
                assert not scores & {round(each, 4) for each in numbers(answer)}, "under whatever name"
                for each in _scores(answer):
                    assert each in STEPS or each in (0.0, 1.0), answer


def _scores(data: Any, name: str = "") -> list[float]:
    """Figures of an answer that say how well a question met what is stored."""
    telling = {
        "score",
        "contribution",
        "relevancy",
        "answerable",
        "confidence_in_answer",
        "activation",
        "relevancy_avg",
    }
    if isinstance(data, dict):
        return [found for key, each in data.items() for found in _scores(each, str(key))]
    if isinstance(data, list | tuple):
        return [found for each in data for found in _scores(each, name)]
    return [data] if name in telling and isinstance(data, float) and name != "relevancy" else []


def test_a_threshold_is_held_against_what_is_shown() -> None:
    """Against exact scores it would tell them: by asking again with another threshold, bit by bit."""
    with asked(coarse_scores=True) as (_, handle):
        for question in QUESTIONS:
            shown = {hit.id: hit.score for hit in handle.search(question)}
            for threshold in (0.0, 0.2, 0.41, 0.59, 0.6, 0.61, 0.8, 0.85, 0.9, 1.0):
                kept = {hit.id for hit in handle.search(question, threshold=threshold)}
                assert kept == {id_ for id_, score in shown.items() if score >= threshold}


def test_a_trace_tells_how_the_question_was_read_and_no_figures() -> None:
    with asked(coarse_scores=True) as (_, handle):
        trace = handle.search("which editor does Ana use?", explain=True).trace
        assert trace is not None
        assert trace.plan
        assert not trace.hits
        assert not trace.moves
        assert not trace.found_by


def test_a_turn_of_an_agent_shows_steps_too() -> None:
    with asked(coarse_scores=True) as (_, handle), handle.turn("which editor does Ana use?") as turn:
        assert turn.window.hits
        assert {hit.score for hit in turn.window.hits} <= set(STEPS)
        assert not turn.window.stages_ms


def test_tools_of_models_show_steps() -> None:
    from recollect.verbs.toolsets.run import run

    with asked(coarse_scores=True) as (owner, _):
        told = run("search_memories", {"query": "which editor?"}, {"user_id": "ana"}, memory=owner)
        scores = [float(each) for each in _scores(told)]
        assert all(score in STEPS for score in scores), json.dumps(told)


# --- noise ----------------------------------------------------------------------------------------------------------


def test_noise_keeps_the_order_and_is_the_same_when_asked_again() -> None:
    with asked(noisy_scores=True) as (owner, handle):
        lists = kept = moved = 0
        for question in (f"{first} {second}" for first in QUESTIONS for second in ("", "please", "now", "today")):
            mine, theirs = owner.search(question, user_id="ana"), handle.search(question)
            again = handle.search(f"{question}  ")
            lists += 1
            scores = [hit.score for hit in theirs]
            by_score = sorted(range(len(scores)), key=lambda at: -scores[at])
            exact = sorted(range(len(scores)), key=lambda at: -[hit.score for hit in mine][at])
            kept += [hit.id for hit in theirs] == [hit.id for hit in mine] and by_score == exact
            moved += any(abs(a.score - b.score) > 1e-3 for a, b in zip(mine, theirs, strict=True))
            assert all(0.0 <= score <= 1.0 for score in scores)
            if [hit.id for hit in again] == [hit.id for hit in theirs]:
                assert [hit.score for hit in again] == pytest.approx(scores, abs=0.002), "nothing to average"
        assert kept >= 0.95 * lists
        assert moved >= 0.95 * lists


def test_noise_is_laplaces() -> None:
    import numpy as np

    with asked(noisy_scores=True) as (owner, _):
        drawn = np.array([owner._engine.oracles._noise(f"question {at}", "record") for at in range(4_000)])
    assert abs(drawn.mean()) < 0.006
    assert np.abs(drawn).mean() == pytest.approx(0.05, rel=0.1), "the mean of its size is the scale"


def test_the_scale_of_noise_is_a_setting() -> None:
    sizes = {}
    for scale in (0.01, 0.5):
        with asked(noisy_scores=True, noise_scale=scale) as (memory, _):
            sizes[scale] = sum(abs(memory._engine.oracles._noise(f"question {at}", "r")) for at in range(400)) / 400
    assert sizes[0.5] == pytest.approx(0.5, rel=0.25)
    assert sizes[0.01] == pytest.approx(0.01, rel=0.25)


# --- time -----------------------------------------------------------------------------------------------------------


def _ms(call: Any) -> float:
    began = time.perf_counter()
    with suppress(RecollectError):
        call()
    return (time.perf_counter() - began) * 1e3


def test_every_search_takes_at_least_the_floor_and_reads_do_not() -> None:
    with asked(even_timing=True, search_floor_ms=40.0) as (owner, handle):
        for memory in (owner, handle):
            for call in (
                lambda memory=memory: memory.search("Ana"),
                lambda memory=memory: memory.search("Ana", user_id="nobody-granted-this"),
                lambda memory=memory: memory.context("Ana"),
                lambda memory=memory: memory.assess("Ana"),
                lambda memory=memory: memory.reason("Ana"),
                lambda memory=memory: memory.timeline("Ana"),
                lambda memory=memory: memory.contradictions("Ana likes vim"),
            ):
                assert _ms(call) >= 39.9
        with pytest.raises(AccessDenied):
            handle.search("Ana", user_id="ben")
        assert _ms(lambda: owner.get_all(user_id="ana")) < 39.0
    with asked() as (owner, _):
        owner.search("Ana")
        assert _ms(lambda: owner.search("Ana")) < 39.0


def test_a_search_waits_with_nothing_held_and_others_go_on() -> None:
    """Twelve searches that each wait 150 ms, in threads of their own, take little more than one."""
    with asked(even_timing=True, search_floor_ms=150.0) as (owner, _):
        owner.search("Ana")
        mem = AsyncMemory(owner)

        async def all_at_once() -> float:
            began = time.perf_counter()
            ticks = 0

            async def ticking() -> None:
                nonlocal ticks
                while True:
                    await asyncio.sleep(0.005)
                    ticks += 1

            ticker = asyncio.create_task(ticking())
            await asyncio.gather(*(mem.search("Ana", user_id="ana") for _ in range(8)))
            ticker.cancel()
            assert ticks >= 8, "the loop was free all the while"
            return time.perf_counter() - began

        assert asyncio.run(all_at_once()) < 8 * 0.150 / 2


def test_where_nothing_was_opened_a_box_of_no_meaning_is(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path, key = tmp_path / "memory.db", bytes(range(32))
    with recollect.open(path, embedder="fake") as memory:
        memory.vault.encrypt(key=key)
    config = {"security": {"even_timing": True, "search_floor_ms": 1.0, "personal": "tier"}}
    with recollect.open(path, embedder="fake", key=key, config=config) as memory:
        memory.add("Carla keeps bees")
        opened: list[int] = []
        fields = memory._engine.protection.fields
        real = fields.opened
        monkeypatch.setattr(fields, "opened", lambda box: opened.append(len(box.box)) or real(box))
        memory.search("bees")
        memory.search("bees")
        assert opened, "a search that opens nothing opens something of no meaning"
        assert opened[-1] >= 256


def test_a_token_sees_steps_and_the_owner_of_the_server_does_not(tmp_path: Any) -> None:
    from interfaces.rest_server import bearer, client, token

    config = {"security": {"coarse_scores": True}}
    with client(tmp_path / "memory.db", config=config) as server:
        memory = server.memory  # type: ignore[attr-defined]
        for text in TEXTS:
            memory.add(text, user_id="ana")
        memory.settle()
        asked_for = {"query": "which editor does Ana use?", "explain": True}
        given = bearer(token(memory, "read", user_id="ana"))
        theirs = server.post("/v1/memories/search", json=asked_for, headers=given).json()
        mine = server.post("/v1/memories/search", json={**asked_for, "user_id": "ana"}).json()
    assert {row["score"] for row in theirs["results"]} <= set(STEPS)
    assert {row["trust"]["relevance"] for row in theirs["results"]} <= set(STEPS)
    assert {row["score"] for row in mine["results"]} - set(STEPS)
