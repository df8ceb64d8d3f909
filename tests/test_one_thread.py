"""A thread that is begun and ended by many at once: never two, none after the end, and ending never fails."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest

from recollect.one_thread import OneThread


@pytest.fixture
def impatient() -> Iterator[None]:
    """Threads take turns after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_there_is_one_at_a_time_and_another_after_it() -> None:
    go, done = threading.Event(), list[int]()

    def work(number: int) -> None:
        go.wait(10)
        done.append(number)

    thread = OneThread(work, "worker")
    thread.begin(1)
    thread.begin(2)
    assert thread.runs
    assert not thread.is_this
    go.set()
    thread.wait()
    assert done == [1]
    thread.begin(3)
    thread.end()
    assert done == [1, 3]
    thread.begin(4)
    assert not thread.runs
    assert done == [1, 3]


def test_it_knows_itself_and_waits_no_longer_than_told() -> None:
    seen, go = list[bool](), threading.Event()

    def work() -> None:
        seen.append(thread.is_this)
        go.wait(10)

    thread = OneThread(work, "worker")
    thread.end(0.0)  # nothing to wait for
    thread = OneThread(work, "worker")
    thread.begin()
    thread.end(0.01)
    assert thread.runs
    go.set()
    thread.wait()
    assert seen == [True]


@pytest.mark.usefixtures("impatient")
def test_it_may_be_ended_while_it_is_begun() -> None:
    """Waiting for a thread that is made and does not run yet is an error of Python's."""
    for _ in range(300):
        thread, wrong = OneThread(lambda: None, "worker"), list[BaseException]()

        def end(thread: OneThread = thread, wrong: list[BaseException] = wrong) -> None:
            try:
                thread.end()
            except BaseException as error:
                wrong.append(error)

        others = [threading.Thread(target=thread.begin), threading.Thread(target=end)]
        for each in others:
            each.start()
        for each in others:
            each.join()
        assert wrong == []
        assert not thread.runs
