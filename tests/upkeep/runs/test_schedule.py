"""When runs are due, whatever clocks do, and a thread that begins them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from properties.tables import open_quick, wait_until
from ticking import Ticking

from recollect.clock import SECOND_US, from_us, to_us
from recollect.config import LiveConfig
from recollect.errors import StoreBusy
from recollect.memory import Memory
from recollect.model.run import RunReport
from recollect.upkeep.runs.activity import Activity
from recollect.upkeep.runs.runner import Runner
from recollect.upkeep.runs.schedule import Calendar, Scheduler

BERLIN = ZoneInfo("Europe/Berlin")
HOUR_US = 3600 * SECOND_US


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def memory(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    config = {"upkeep.after_session": False}
    with open_quick(tmp_path / "m.db", clock=clock, embedder=None, config=config) as opened:
        yield opened


@pytest.fixture
def calendar(memory: Memory, clock: Ticking) -> Calendar:
    return Calendar(memory._opened.store, memory._opened.config, clock, BERLIN)


def ran(memory: Memory, clock: Ticking, verb: str) -> None:
    engine = memory._opened
    assert Runner(engine.store, engine.config, clock, Activity()).run(verb, []).state == "done"


def set_to(clock: Ticking, local: datetime) -> None:
    clock.now = to_us(local.astimezone(UTC))


def due(calendar: Calendar, idle_s: float = 0.0) -> str | None:
    found = calendar.due(idle_s=idle_s)
    return None if found is None else found.verb


# --- at night ---------------------------------------------------------------------------------------------------------


def test_the_nightly_run_is_due_once_a_local_day(memory: Memory, calendar: Calendar, clock: Ticking) -> None:
    set_to(clock, datetime(2026, 5, 13, 2, 59, tzinfo=BERLIN))
    ran(memory, clock, "maintain")
    assert due(calendar) is None
    set_to(clock, datetime(2026, 5, 13, 3, 0, tzinfo=BERLIN))
    assert due(calendar) == "maintain"
    ran(memory, clock, "maintain")
    assert due(calendar) is None
    set_to(clock, datetime(2026, 5, 14, 2, 59, tzinfo=BERLIN))
    assert due(calendar) is None


def test_a_night_that_was_slept_through_is_made_up_for_once(memory: Memory, calendar: Calendar, clock: Ticking) -> None:
    set_to(clock, datetime(2026, 5, 13, 4, tzinfo=BERLIN))
    ran(memory, clock, "maintain")
    clock.skip(9.3)
    assert due(calendar) == "maintain"
    ran(memory, clock, "maintain")
    assert due(calendar) is None


@pytest.mark.parametrize("hour", [0, 1, 2, 3, 23])
@pytest.mark.parametrize("first", [datetime(2026, 3, 27, 12), datetime(2026, 10, 23, 12)], ids=["spring", "autumn"])
def test_when_clocks_change_it_is_still_once_a_day(tmp_path: Path, hour: int, first: datetime) -> None:
    """Looked at every quarter of an hour over days of 23 and of 25 hours."""
    clock = Ticking()
    set_to(clock, first.replace(tzinfo=BERLIN))
    config = {"upkeep.nightly_hour": hour}
    with open_quick(tmp_path / "m.db", clock=clock, embedder=None, config=config) as memory:
        calendar = Calendar(memory._opened.store, memory._opened.config, clock, BERLIN)
        ran(memory, clock, "maintain")
        nights = []
        for _ in range(4 * 24 * 4):
            clock.now += HOUR_US // 4
            if due(calendar) == "maintain":
                nights.append(from_us(clock.now).astimezone(BERLIN))
                ran(memory, clock, "maintain")
        assert [night.date() for night in nights] == [
            (first + timedelta(days=n + (hour < first.hour))).date() for n in range(4)
        ]
        for night in nights:
            assert night.hour in (hour, hour + 1), "in the gap of spring there is no such hour"


@pytest.mark.parametrize("back", [timedelta(minutes=50), timedelta(hours=5), timedelta(hours=20)])
def test_a_clock_set_back_does_not_repeat_a_night(
    memory: Memory, calendar: Calendar, clock: Ticking, back: timedelta
) -> None:
    set_to(clock, datetime(2026, 5, 13, 3, 10, tzinfo=BERLIN))
    ran(memory, clock, "maintain")
    set_to(clock, datetime(2026, 5, 13, 3, 20, tzinfo=BERLIN) - back)
    for _ in range(int(back / timedelta(minutes=10)) + 1):
        assert due(calendar) is None
        clock.now += 600 * SECOND_US


def test_a_clock_that_was_years_ahead_keeps_no_night_from_coming(
    memory: Memory, calendar: Calendar, clock: Ticking
) -> None:
    clock.skip(900)
    ran(memory, clock, "maintain")
    ran(memory, clock, "replay")
    clock.skip(-900)
    assert due(calendar) == "maintain"
    ran(memory, clock, "maintain")
    assert due(calendar, idle_s=1e6) == "replay"


# --- sessions, intervals, idleness ------------------------------------------------------------------------------------


@pytest.fixture
def quiet(memory: Memory, clock: Ticking) -> None:
    """Nothing is due but what a test makes so."""
    ran(memory, clock, "maintain")
    ran(memory, clock, "consolidate")


@pytest.mark.usefixtures("quiet")
def test_a_session_has_ended_when_another_begins(memory: Memory, calendar: Calendar) -> None:
    say(memory, "monday", user_id="ana")
    assert due(calendar) is None
    say(memory, "elsewhere", user_id="ben")
    assert due(calendar) is None, "what others say ends nothing"
    say(memory, "tuesday", user_id="ana")
    assert due(calendar) == "consolidate"


@pytest.mark.usefixtures("quiet")
def test_a_session_has_ended_when_it_is_silent(memory: Memory, calendar: Calendar, clock: Ticking) -> None:
    say(memory, "monday")
    clock.now += int(memory.config.upkeep.session_idle_s * SECOND_US) - HOUR_US // 60
    memory._opened.store.write(
        lambda tx: tx.sql.run("UPDATE run SET finished_at = ? WHERE verb = 'consolidate'", (clock.now,))
    )
    assert due(calendar) is None
    clock.now += HOUR_US // 30
    assert due(calendar) == "consolidate"
    consolidated(memory, clock)
    assert due(calendar) is None
    say(memory, "monday")
    clock.skip(0.2)
    assert due(calendar) == "consolidate", "a turn was added"


@pytest.mark.usefixtures("quiet")
def test_what_is_said_outside_any_session_is_gone_over_now_and_then(
    memory: Memory, calendar: Calendar, clock: Ticking
) -> None:
    memory.add("Ana uses Helix", infer=False)
    assert due(calendar) is None
    clock.now += int(memory.config.upkeep.interval_s * SECOND_US)
    assert due(calendar) == "consolidate"
    ran(memory, clock, "consolidate")
    assert due(calendar) is None


@pytest.mark.usefixtures("quiet")
def test_replay_waits_until_nobody_asks_anything(memory: Memory, calendar: Calendar, clock: Ticking) -> None:
    idle_s = memory.config.replay.idle_s
    assert due(calendar, idle_s=idle_s - 1) is None
    assert due(calendar, idle_s=idle_s) == "replay"
    ran(memory, clock, "replay")
    assert due(calendar, idle_s=idle_s) is None
    clock.now += int(memory.config.replay.interval_s * SECOND_US)
    assert due(calendar, idle_s=idle_s) == "replay"


def test_what_comes_next_is_told(memory: Memory, calendar: Calendar, clock: Ticking) -> None:
    assert calendar.next()["maintain"] <= from_us(clock.now), "it never ran"
    ran(memory, clock, "maintain")
    times = calendar.next()
    assert times["maintain"].astimezone(BERLIN).hour == 3
    assert from_us(clock.now) < times["maintain"] <= from_us(clock.now) + timedelta(days=1)
    assert times.keys() == {"maintain", "consolidate", "replay"}


def say(memory: Memory, session: str, **scope: str) -> None:
    memory.add(
        [{"role": "user", "content": f"something {time.monotonic_ns()}"}], session_id=session, infer=False, **scope
    )


def consolidated(memory: Memory, clock: Ticking) -> None:
    memory._opened.store.write(lambda tx: tx.sql.run("UPDATE session SET consolidated_at = ?", (clock.now,)))


# --- the thread -------------------------------------------------------------------------------------------------------


class Began:
    """What a scheduler is given to begin runs with: it notes what it was asked for."""

    def __init__(self, memory: Memory, outcome: Callable[[str], str] = lambda verb: "done") -> None:
        self.verbs: list[str] = []
        self._memory, self._outcome = memory, outcome

    def __call__(self, verb: str, going_on: Callable[[float], bool]) -> RunReport:
        self.verbs.append(verb)
        state = self._outcome(verb)
        engine = self._memory._opened
        report = Runner(engine.store, engine.config, engine.clock, Activity()).run(
            verb, [], going_on=lambda share: state == "done" and going_on(share)
        )
        assert report.state in (state, "done")
        return RunReport(**{name: getattr(report, name) for name in RunReport.__slots__} | {"state": state})


def scheduler_of(memory: Memory, calendar: Calendar, began: Began, **config: float) -> Scheduler:
    live = LiveConfig({"jobs.start_delay_s": 0, "jobs.tick_s": 0.1, "jobs.defer_s": 0.0, **config})
    return Scheduler(calendar, began, live, memory._opened.activity)


@pytest.mark.usefixtures("quiet")
def test_ended_sessions_call_for_one_run(memory: Memory, calendar: Calendar) -> None:
    """Even if the run leaves them as they are: the same is not tried again at once."""
    began = Began(memory)
    scheduler = scheduler_of(memory, calendar, began)
    say(memory, "monday")
    say(memory, "tuesday")
    assert scheduler.run_due() is not None
    assert scheduler.run_due() is None
    say(memory, "wednesday")
    assert scheduler.run_due() is not None
    assert began.verbs == ["consolidate", "consolidate"]


def test_what_fails_is_tried_again_later(memory: Memory, calendar: Calendar) -> None:
    def fail(verb: str) -> str:
        raise OSError("no luck")

    began = Began(memory, fail)
    scheduler = scheduler_of(memory, calendar, began)
    assert scheduler.run_due() is None
    assert scheduler.run_due() is None
    assert began.verbs == ["maintain"]
    time.sleep(0.25)
    scheduler.run_due()
    assert began.verbs == ["maintain", "maintain"]


def test_what_another_process_does_is_left_to_it(memory: Memory, calendar: Calendar) -> None:
    def busy(verb: str) -> str:
        raise StoreBusy("maintain is under way")

    began = Began(memory, busy)
    scheduler = scheduler_of(memory, calendar, began)
    assert scheduler.run_due() is None
    assert scheduler.run_due() is None
    assert began.verbs == ["maintain", "maintain"], "asked again, for the other one may die"


def told(memory: Memory) -> list[RunReport]:
    report = memory.maintain(status=True)
    return [report, *report.history]


def test_a_scheduled_memory_looks_after_itself(tmp_path: Path) -> None:
    config = {"upkeep.scheduled": True, "jobs.start_delay_s": 0.0, "jobs.tick_s": 0.1, "replay.idle_s": 0.0}
    with open_quick(tmp_path / "m.db", config=config) as memory:
        memory.add("Ana uses Helix")
        wait_until(lambda: {each.verb for each in told(memory)} >= {"maintain", "replay"}, "a replay")
    assert not [thread for thread in threading.enumerate() if thread.name == "recollect-upkeep"]


def test_closing_does_not_wait_for_the_end_of_a_run(tmp_path: Path) -> None:
    config = {"upkeep.scheduled": True, "jobs.start_delay_s": 60.0}
    started = time.monotonic()
    with open_quick(tmp_path / "m.db", config=config) as memory:
        memory.add("Ana uses Helix")
    assert time.monotonic() - started < 10


def test_by_default_nothing_is_scheduled(memory: Memory) -> None:
    assert memory._opened.scheduler is None
