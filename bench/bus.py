"""The bus between agents: records published, and delivered to agents that asked for such."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import recollect
from bench import data
from bench.child import run
from bench.measure import Figure, Stopwatch
from bench.plan import Plan

GROUP = "bus"
RECEIVERS = ("bo", "cy")
_SHOP = {"project": "shop"}


def measure_once(folder: Path, plan: Plan) -> list[Figure]:
    found = run("bench.bus:told", folder=str(folder), published=plan.published, portion=plan.portion)
    return [Figure(group=GROUP, size=plan.published, **each) for each in found]


def told(folder: str, published: int, portion: int) -> list[dict[str, Any]]:
    """In a child: one agent publishes what it knows to two that subscribed, and it is delivered to both."""
    # No text takes another one's place, so that each of them arrives and stays.
    config = {"bus.deliveries_max": 1_000_000, "bus.pending_max": 1_000_000, "reader.model": "none"}
    with recollect.open(Path(folder) / "bus.db", config=config) as mem:
        for agent in RECEIVERS:
            mem.subscribe(["bench"], agent_id=agent, **_SHOP)
        ids: list[str] = []
        for first in range(0, published, portion):
            texts = data.texts(first, min(portion, published - first))
            ids += mem.add(texts, agent_id="rex", infer=False, **_SHOP).ids
        mem.settle()
        watch = Stopwatch()
        for first in range(0, published, portion):
            mem.publish(ids[first : first + portion], topics=["bench"], agent_id="rex", **_SHOP)
        published_s = watch.s
        mem.bus.deliver()
        whole_s = watch.s
        arrived = [mem.counts(agent_id=agent, filters={"source": "bus"}, **_SHOP)["records"] for agent in RECEIVERS]
    assert arrived == [len(ids)] * len(RECEIVERS), f"{arrived} of {len(ids)} arrived"
    return [
        {"name": "published", "per_s": len(ids) / published_s},
        {
            "name": "published and delivered",
            "per_s": len(ids) / whole_s,
            "note": f"to {len(RECEIVERS)} agents: {len(ids) * len(RECEIVERS) / whole_s:,.0f} deliveries/s",
        },
    ]
