"""Contract 11: when a cycle of replay is over, the tree of summaries is renewed where it went, and nowhere else."""

from __future__ import annotations

from pathlib import Path

from ticking import Ticking
from upkeep.upkeep_runs import table

import recollect
from recollect.clock import DAY_US

LEAVES = ("green", "black", "white", "red", "sweet", "hot")
TOWNS = ("Faro", "Olhão", "Tavira", "Porto", "Sines", "Lagos")
TEA = tuple(f"Ana drinks {leaf} tea at breakfast with Ben" for leaf in LEAVES)
BOATS = tuple(f"The ferry to {town} leaves the harbour at nine" for town in TOWNS)
PLAIN = {"replay.scenarios_max": 0, "replay.interference": 0.0, "replay.link_similarity": 0.99}
MADE = "SELECT s.pk, s.level, s.made_at, group_concat(r.content) AS told FROM summary s LEFT JOIN summary_member m "
MADE += "ON m.summary_pk = s.pk LEFT JOIN record r ON r.pk = m.record_pk WHERE s.live = 1 GROUP BY s.pk"


def test_only_what_replay_touched_is_written_anew(tmp_path: Path) -> None:
    clock, path = Ticking(), tmp_path / "m.db"
    with recollect.open(path, clock=clock, config=PLAIN | {"abstraction.cluster_max": 6}) as mem:
        tea = mem.add(list(TEA)).ids
        mem.add(list(BOATS))
        mem.maintain()
        before = {row["pk"]: row for row in table(path, MADE)}
        for _ in range(4):
            mem.search("Ana drinks green tea", top_k=1, asked_in="s1")
        mem._engine.access.flush()
        clock.now += 60 * DAY_US
        report = mem.replay()
        assert report.counts["strengthened"] >= 1
        assert report.counts["renewed"] == 1
        after = {row["pk"]: row for row in table(path, MADE)}
        assert after.keys() == before.keys()  # the tree was not drawn up again
        changed = [row for pk, row in after.items() if row["made_at"] > before[pk]["made_at"]]
        assert {row["level"] for row in changed} == {"cluster", "domain", "global"}
        assert all("tea" in row["told"] for row in changed if row["level"] == "cluster")
        untouched = [row for pk, row in after.items() if row["level"] == "cluster" and row not in changed]
        assert any("ferry" in row["told"] for row in untouched)
        assert tea


def test_a_cycle_that_changed_nothing_writes_nothing(tmp_path: Path) -> None:
    clock, path = Ticking(), tmp_path / "m.db"
    with recollect.open(path, clock=clock, config=PLAIN) as mem:
        mem.add([*TEA, *BOATS])
        mem.maintain()
        before = table(path, MADE)
        clock.now += DAY_US
        assert "renewed" not in mem.replay().counts
        assert table(path, MADE) == before


def test_new_records_join_the_tree_of_what_was_gone_over(tmp_path: Path) -> None:
    clock, path = Ticking(), tmp_path / "m.db"
    with recollect.open(path, clock=clock, config={"replay.scenarios_max": 0}) as mem:
        mem.add([*TEA, *BOATS])
        mem.maintain()
        mem.add("Ana drinks green tea at breakfast in the garden")
        for _ in range(4):
            mem.search("tea at breakfast", top_k=3, asked_in="s1")
        mem._engine.access.flush()
        clock.now += 60 * DAY_US
        mem.replay()
        assert mem.knowledge().unmapped == 0
