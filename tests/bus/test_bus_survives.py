"""A process that is killed while it publishes and delivers loses nothing and delivers nothing twice."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import recollect

HERE = Path(__file__).parent
BO = {"agent_id": "bo", "project": "shop"}


def test_what_was_acknowledged_arrives_once_though_publishers_are_killed(tmp_path: Path) -> None:
    store, told = tmp_path / "m.db", []
    with recollect.open(store, embedder="fake", background=False, config={"bus.deliveries_max": 100_000}) as mem:
        mem.subscribe(None, **BO)
    chance = random.Random(7)
    for _ in range(4):
        command = [sys.executable, str(HERE / "publish_and_die.py"), str(store), "500"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            told += [process.stdout.readline().strip() for _ in range(chance.randrange(3, 40))]
            process.kill()
            told += [line for line in process.stdout.read().split() if len(line) == 36]
    with recollect.open(store, embedder="fake", background=False) as mem:
        mem.bus.deliver()
        inbox = mem.bus.inbox(limit=1_000, **BO)
        arrived = [message.publication for message in inbox]
        assert set(told) <= set(arrived), "nothing that was acknowledged is lost"
        assert len(arrived) == len(set(arrived)), "nothing arrived twice"
        own = [record for record in mem.get_all(limit=1_000, **BO) if record.scope.agent_id == "bo"]
        numbered = [text for message in inbox for text in message.contents]
        assert len(own) == len({record.content for record in own}) == len(set(numbered))
