"""How much is measured: enough for steady percentiles, or, with `--quick`, just enough to see that it runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    adds: int = 500  # single adds
    threads: int = 8  # that add at once
    portion: int = 1_000  # records given to one batch add
    batch_max: int = 20_000  # records of the separate batch stores
    searches: int = 400  # of each sort
    searches_of_the_past: int = 40
    starts: int = 5
    first_searches: int = 3
    writers: tuple[int, ...] = (2, 4)
    together_s: float = 5.0  # several processes at once
    published: int = 4_000  # records that an agent tells others
    turns_max: int = 10_000  # of the conversations that are consolidated


FULL = Plan()
QUICK = Plan(
    adds=50,
    portion=100,
    batch_max=300,
    searches=50,
    searches_of_the_past=10,
    starts=2,
    first_searches=1,
    writers=(2,),
    together_s=0.5,
    published=200,
)
