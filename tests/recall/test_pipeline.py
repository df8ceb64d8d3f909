"""Searches of one process work one at a time, unless that would keep one waiting."""

from __future__ import annotations

import threading
import time

import recollect
from recollect.recall.pipeline import OneAtATime


def test_one_works_at_a_time() -> None:
    turns, inside, most = OneAtATime(wait_s=30.0), 0, 0
    counting = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with turns.turn():
                with counting:
                    inside += 1
                    most = max(most, inside)
                time.sleep(0.0005)
                with counting:
                    inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_who_has_waited_long_enough_goes_ahead() -> None:
    turns = OneAtATime(wait_s=0.01)
    with turns.turn(), turns.turn():  # the second waits in vain, and neither gives back what it does not hold
        pass
    start = time.perf_counter()
    with turns.turn():
        assert time.perf_counter() - start < 5.0


def test_a_failure_gives_the_turn_back() -> None:
    turns = OneAtATime(wait_s=30.0)
    try:
        with turns.turn():
            raise RuntimeError
    except RuntimeError:
        pass
    start = time.perf_counter()
    with turns.turn():
        assert time.perf_counter() - start < 10.0


def test_searches_from_many_threads_all_get_their_answers() -> None:
    with recollect.open(":memory:", embedder=None) as memory:
        for town in ("Oslo", "Lima", "Cairo", "Quito"):
            memory.add(f"Ana lived in {town} for a year")
        found: list[str] = []

        def ask(town: str) -> None:
            answers = (memory.search(f"Who lived in {town}?", top_k=1)[0].content for _ in range(5))
            found.extend(town if town in answer else "" for answer in answers)

        threads = [threading.Thread(target=ask, args=(town,)) for town in ("Oslo", "Lima", "Cairo", "Quito")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert sorted(found) == sorted(["Oslo", "Lima", "Cairo", "Quito"] * 5)
