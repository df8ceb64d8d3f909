"""Dates that a question names, and how near a row's date is to them."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.clock import to_us
from recollect.recall.question.cues import MONTHS, Cues, Dates, cues_of

DAYS = {
    "What did Ana do on 8 May 2023?": ((5, 8),),
    "on May 8, 2023": ((5, 8),),
    "the 8th of May": ((5, 8),),
    "on August 21st": ((8, 21),),
    "3rd Sept": ((9, 3),),
    "Sep. 30": ((9, 30),),
    "from 2 June to 4 July": ((6, 2), (7, 4)),
    "2 June, or June 2": ((6, 2),),
    "May 2023": (),
    "in 2023 May": (),
    "May 45": (),
    "45 May": (),
    "version 3.11 of the tool": (),
    "": (),
}
MONTHS_NAMED = {
    "last January": (1,),
    "in jan or FEB": (1, 2),
    "between May and june": (5, 6),
    "you may march on": (),
    "May I march?": (5,),  # written as a name; the price of reading questions
    "the March of time": (3,),
    "Marching in mayor Decker's junta": (),
    "sept. and oct.": (9, 10),
    "December, december, Dec": (12,),
}
YEARS = {
    "in 2023": (2023,),
    "2023, 2021 and 2023": (2023, 2021),
    "since 1499, 1500, 2099 or 2100": (1500, 2099),
    "the 2023-05-08 entry": (2023,),
    "port 20231 or x2023": (),
}


@pytest.mark.parametrize("text", DAYS)
def test_days(text: str) -> None:
    assert cues_of(text).days == DAYS[text]


@pytest.mark.parametrize("text", MONTHS_NAMED)
def test_months(text: str) -> None:
    assert cues_of(text).months == MONTHS_NAMED[text]


@pytest.mark.parametrize("text", YEARS)
def test_years(text: str) -> None:
    assert cues_of(text).years == YEARS[text]


@pytest.mark.parametrize("number", range(1, 13))
def test_every_month_by_its_name_and_its_short_form(number: int) -> None:
    name = MONTHS[number - 1]
    assert cues_of(f"what happened in {name[:3].title()}?").months == (number,)
    assert cues_of(f"what happened in {name.title()}?").months == (number,)


@given(st.text(max_size=60))
def test_any_text_has_cues(text: str) -> None:
    cues = cues_of(text)
    assert all(1 <= month <= 12 and 0 <= day <= 31 for month, day in cues.days)


def near(cues: Cues, *dates: str) -> list[float]:
    times = [to_us(datetime.fromisoformat(date).replace(tzinfo=UTC)) for date in dates]
    return Dates(np.array(times, dtype=np.int64)).nearness(cues).tolist()


def test_a_day_and_the_days_around_it() -> None:
    dates = [f"2023-05-{day:02} 23:59:59" for day in range(5, 12)]
    assert near(Cues(days=((5, 8),), months=(5,)), *dates) == [0, 0.35, 0.6, 1.0, 0.6, 0.35, 0]


def test_a_day_of_a_named_year() -> None:
    cues = Cues(days=((5, 8),), months=(5,), years=(2023,))
    assert near(cues, "2022-05-08", "2023-05-08", "2024-05-08") == [0, 1.0, 0]
    assert near(Cues(days=((5, 8),)), "2022-05-08", "2023-05-08", "1969-05-08") == [1.0, 1.0, 1.0]


def test_the_nearest_of_several_days() -> None:
    assert near(Cues(days=((5, 8), (5, 10))), "2023-05-09", "2023-05-10", "2023-05-12") == [0.6, 1.0, 0.35]


def test_across_the_end_of_a_month_and_of_february() -> None:
    assert near(Cues(days=((3, 1),)), "2024-02-29", "2024-02-28", "2023-02-28") == [0.6, 0.35, 0.6]


def test_across_the_end_of_a_year() -> None:
    assert near(Cues(days=((1, 1),)), "2023-12-31", "2023-12-30", "2024-01-02") == [0.6, 0.35, 0.6]
    assert near(Cues(days=((12, 31),)), "2024-01-01", "2024-01-02", "2024-01-03") == [0.6, 0.35, 0]
    assert near(Cues(days=((1, 1),), years=(2024,)), "2023-12-31", "2024-12-31") == [0.6, 0]


def test_a_month_alone_counts_half() -> None:
    assert near(Cues(months=(5,)), "2023-05-01", "2023-05-31", "2023-06-01", "2021-05-15") == [0.5, 0.5, 0, 0.5]
    assert near(Cues(months=(5,), years=(2023,)), "2023-05-01", "2021-05-15", "2023-06-01") == [0.5, 0, 0]


def test_a_year_alone_is_not_near() -> None:
    assert near(Cues(years=(2023,)), "2023-05-01") == [0]
    assert near(Cues(), "2023-05-01") == [0]
    assert near(Cues(days=((5, 8),))) == []


@given(st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 28)))
def test_dates_are_those_of_the_calendar(moment: datetime) -> None:
    dates = Dates(np.array([to_us(moment.replace(tzinfo=UTC))], dtype=np.int64))
    assert (dates.years[0], dates.months[0], dates.day_of_month[0]) == (moment.year, moment.month, moment.day)


@pytest.mark.parametrize(
    ("text", "months", "days"),
    [
        ("Was habe ich im März gemacht?", (3,), ()),
        ("Wo war ich am 3. Mai 2023?", (5,), ((5, 3),)),
    ],
)
def test_dates_of_a_german_question(text: str, months: tuple[int, ...], days: tuple[tuple[int, int], ...]) -> None:
    assert (cues_of(text).months, cues_of(text).days) == (months, days)
