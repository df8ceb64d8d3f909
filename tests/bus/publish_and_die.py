"""Publishes and delivers until it is killed: `publish_and_die.py STORE COUNT`. Prints what was acknowledged."""

from __future__ import annotations

import sys
import threading

import recollect

if __name__ == "__main__":
    store, count = sys.argv[1], int(sys.argv[2])
    memory = recollect.open(store, embedder="fake", config={"bus.deliveries_max": 100_000})
    going = True

    def deliver() -> None:
        while going:
            memory.bus.deliver()

    threading.Thread(target=deliver, daemon=True).start()
    for number in range(count):
        (publication,) = memory.publish(f"fact number {number}", agent_id="rex", project="shop")
        print(publication.id, flush=True)
