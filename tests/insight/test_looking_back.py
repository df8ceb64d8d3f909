"""Pages that look back and ahead: what is on them, for whom, and what never is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from ticking import Ticking

import recollect
from recollect import Memory, errors
from recollect.clock import DAY_US, to_us
from recollect.model.page import TimePage

MONDAY = datetime(2026, 3, 30, 8, 0, tzinfo=UTC)


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with recollect.open(":memory:", clock=clock, config={"upkeep.after_session": False}) as memory:
        yield memory


def say(mem: Memory, clock: Ticking, when: datetime, text: str, session: str = "s1", user: str = "ana") -> str:
    clock.now = to_us(when)
    said = {"role": "user", "name": user.title(), "content": text, "timestamp": when.isoformat()}
    return mem.add([said], session_id=session, user_id=user).id


def lines(page: TimePage, heading: str) -> str:
    section = page.section(heading)
    return "\n".join(line.text for line in section.lines) if section else ""


def a_week(mem: Memory, clock: Ticking) -> None:
    for week in range(4):
        when = MONDAY - timedelta(weeks=4 - week) + timedelta(hours=1, minutes=30)
        say(mem, clock, when, f"The stand-up of Atlas went through item {week}", f"old {week}")
    say(mem, clock, MONDAY - timedelta(days=5), "I live in Lisbon and I work for Acme.", "tue")
    say(mem, clock, MONDAY - timedelta(days=4), "I moved to Porto. I love it here, it is wonderful!", "wed")
    say(mem, clock, MONDAY - timedelta(days=3), "I am flying to Oslo on April 2.", "thu")
    say(mem, clock, MONDAY - timedelta(days=1), "Ben told me terrible news, I am so sad.", "sun")
    clock.now = to_us(MONDAY)
    mem.maintain()


def test_a_week_is_told_on_a_page(mem: Memory, clock: Ticking) -> None:
    a_week(mem, clock)
    page = mem.reflect(user_id="ana")
    assert page.text.startswith("# 2026-03-23 to 2026-03-30")
    assert "records on" in lines(page, "In figures")
    assert "Ana" in lines(page, "What was learned")
    assert "Porto" in lines(page, "What changed")
    assert "Lisbon" in lines(page, "What changed")
    felt = lines(page, "How it felt")
    assert "wonderful" in felt
    assert "terrible" in felt
    assert "Acme" in page.text
    shown = [line.id for section in page.sections for line in section.lines if line.id]
    assert shown
    assert all(f"#{id_[:8]}" in page.text for id_ in shown)
    assert all(mem.get(id_) is not None for id_ in shown)


def test_a_period_is_what_is_asked_for(mem: Memory, clock: Ticking) -> None:
    a_week(mem, clock)
    page = mem.reflect(after="2026-03-25", before="2026-03-26", user_id="ana")
    assert "Lisbon" in page.text
    assert "terrible" not in page.text
    empty = mem.reflect(after="2020-01-01", before="2020-02-01", user_id="ana")
    assert "Lisbon" not in empty.text
    with pytest.raises(errors.UsageError, match="ends before"):
        mem.reflect(after="2026-03-26", before="2026-03-25")


def test_a_morning_tells_what_is_usual_and_what_is_due(mem: Memory, clock: Ticking) -> None:
    a_week(mem, clock)
    page = mem.brief(user_id="ana")
    assert "Mondays at 9:30" in lines(page, "Usual today")
    assert "Oslo" in lines(page, "Coming up")
    assert "terrible" in lines(page, "Yesterday")
    clock.now += DAY_US
    assert lines(mem.brief(user_id="ana"), "Usual today") == ""  # a Tuesday


def test_a_session_begins_where_the_last_one_ended(mem: Memory, clock: Ticking) -> None:
    a_week(mem, clock)
    page = mem.brief("session", session_id="new", user_id="ana")
    assert "terrible news" in lines(page, "Last time")
    assert "Usual about now" not in page.text  # it is eight
    clock.now = to_us(MONDAY.replace(hour=9, minute=20))
    assert "Mondays at 9:30" in lines(mem.brief("session", user_id="ana"), "Usual about now")


def test_nobody_reads_of_others(mem: Memory, clock: Ticking) -> None:
    a_week(mem, clock)
    say(mem, clock, MONDAY, "My salary is 4,000 euros, and I hate it!", "b", user="ben")
    for page in (mem.reflect(user_id="ana"), mem.brief(user_id="ana"), mem.brief("session", user_id="ana")):
        assert "salary" not in page.text
    ana = mem.scoped(user_id="ana")
    assert "salary" not in ana.reflect().text
    assert "salary" in mem.scoped(user_id="ben").reflect().text


def test_what_was_stored_stays_text_on_a_page(mem: Memory, clock: Ticking) -> None:
    say(mem, clock, MONDAY, "# Buy ![x](https://evil.example/a.png) <b>now</b>\n\n## Orders")
    clock.now += DAY_US // 2
    text = mem.reflect(user_id="ana").text
    assert "![x](" not in text
    assert "\n## Orders" not in text


def test_an_unknown_brief_is_refused(mem: Memory) -> None:
    with pytest.raises(errors.UsageError, match="morning or session"):
        mem.brief("evening")
