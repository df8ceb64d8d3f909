"""A process that writes without end: it says what it tries before each call and what was acknowledged after it."""

from __future__ import annotations

import random
import sys

import recollect
from faults.processes import say


def main(path: str, name: str, seed: int) -> None:
    rng = random.Random(seed)
    config = {"store.checkpoint_pages": 100}
    with recollect.open(path, embedder="fake", config=config) as memory:
        say("open")
        mine: list[str] = []
        number = 0
        while True:
            number += 1
            verb = rng.choice(["add", "add", "batch", "turns", "update", "delete", "hard"])
            text = f"{name} wrote number{number}"
            if verb == "add" or not mine:
                ids = memory.add(text, user_id=name).ids
                say({"done": {ids[0]: text}})
            elif verb in ("batch", "turns"):
                texts = [f"{text} part{part}" for part in range(rng.randint(2, 40))]
                given = texts if verb == "batch" else [{"role": "user", "content": one} for one in texts]
                ids = memory.add(given, user_id=name, session_id=name).ids
                say({"done": dict(zip(ids, texts, strict=True))})
            else:
                chosen = rng.choice(mine)
                after = text if verb == "update" else None
                say({"try": {chosen: after}})
                if verb == "update":
                    memory.update(chosen, content=text)
                else:
                    memory.delete(chosen, hard=verb == "hard")
                    mine.remove(chosen)
                say({"done": {chosen: after}})
                continue
            mine += ids


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
