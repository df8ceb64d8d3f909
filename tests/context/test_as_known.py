"""A window as it would have been: of what was known at a time, and nothing that came later."""

from __future__ import annotations

import pytest
from ticking import Ticking

import recollect
from recollect.clock import DAY_US, from_us


@pytest.mark.parametrize("mode", ["auto", "deep"])
def test_a_window_as_known_at_a_time_tells_nothing_that_was_stored_later(mode: str) -> None:
    clock = Ticking()
    with recollect.open(":memory:", clock=clock) as mem:
        mem.add("The Atlas gateway listens on port 8080.")
        corrected = mem.add("The Atlas gateway is written in Go.").id
        clock.now += DAY_US
        then = from_us(clock.now)
        clock.now += DAY_US
        mem.correct(corrected, "The Atlas gateway is written in Rust.")
        mem.add(["The Atlas gateway restarts nightly.", "Clara looks after the Atlas gateway."])
        mem.settle()
        mem.maintain()
        asked = "What do we know about the Atlas gateway?"
        window = mem.context(asked, known_at=then, mode=mode)
        assert "8080" in window.text
        assert "written in Go" in window.text
        for later in ("Rust", "nightly", "Clara"):
            assert later not in window.text
        assert window.area is None
        assert "Rust" in mem.context(asked, mode=mode).text
