"""N processes and two servers with two workers each on one database, while everything around them fails.

Nothing acknowledged is lost, nothing is written twice, every error is named and may be tried again, and all go on by
themselves.
"""

from __future__ import annotations

import random
from pathlib import Path

import psycopg
import pytest
from properties.tables import assert_indexes_agree

import recollect
from faults.fleet import Fleet, Tally

# StoreBusy, StoreUnavailable; a search that waited for a database that was away ends in SearchTimeout
UNAVAILABLE = {"E1009", "E1014", "E2001"}
OF_THE_SERVER = {"could not start", "no answer"}  # while the database is away; while it was killed


def looked_for(url: str, tally: Tally) -> int:
    """Look for everything that was acknowledged; how much of it is there as it was told."""
    with recollect.open(url, embedder="fake") as mem:
        lost = []
        for id_, text in tally.done.items():
            record = mem.get(id_)
            content = None if record is None else record.content
            if content not in {text, tally.unsure.get(id_, text)}:
                lost.append(f"{id_}: {content!r}, not {text!r}")
        assert not lost, f"{len(lost)} lost, as {lost[:5]}; {tally}"
        assert [finding for finding in mem.doctor() if not finding.ok and finding.check != "disk"] == []
        mem.settle()
        assert_indexes_agree(mem)  # followed the feed of processes that are no more
    with psycopg.connect(url) as db:
        twice = db.execute(
            "SELECT content FROM recollect.record WHERE head_pk IS NULL GROUP BY content HAVING count(*) > 1"
        ).fetchall()
        assert not twice, f"written twice: {twice[:5]}; {tally}"
    return len(tally.done)


QUICK = (
    "connections are cut",
    "a worker of a server is killed",
    "the link is cut",
    "a process of the library is killed",
    "the database crashes and starts",
)


def survive(
    folder: Path, *, writers: int, clients: int, rounds: int, faults: tuple[str, ...] = (), between: int
) -> Tally:
    """Let everything happen, each thing after so many writes more, which come by themselves."""
    fleet = Fleet(folder, writers=writers, clients=clients)
    try:
        fleet.begin()
        for number in range(rounds):
            happening = list(faults or fleet.faults)
            random.Random(number).shuffle(happening)
            for fault in happening:
                fleet.happens(fault)
                fleet.wrote(between)
        fleet.end()
        found = looked_for(fleet.url, fleet.tally)
    finally:
        codes = fleet.close()
    print(f"{fleet.tally}; found {found}")
    assert not fleet.tally.final, fleet.tally.final[:5]
    assert set(fleet.tally.errors) <= UNAVAILABLE | OF_THE_SERVER, fleet.tally
    assert codes == [0, 0]
    return fleet.tally


def test_nothing_acknowledged_is_lost_whatever_fails_between(tmp_path: Path) -> None:
    survive(tmp_path, writers=2, clients=2, rounds=1, faults=QUICK, between=5)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_nothing_acknowledged_is_lost_over_many_rounds(tmp_path: Path) -> None:
    tally = survive(tmp_path, writers=4, clients=4, rounds=6, between=20)
    assert len(tally.done) >= 1_000
