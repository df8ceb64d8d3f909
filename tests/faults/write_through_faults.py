"""A process that writes to a server without end, whatever happens between: it tries again what may be tried again.

It says what it tries before each call, what was acknowledged after it, and the code of every error.
"""

from __future__ import annotations

import os
import random
import sys
import time

import recollect
from faults.processes import say
from recollect.errors import RecollectError
from recollect.memory import Memory


def opened(url: str) -> Memory:
    while True:
        try:
            return recollect.open(url, embedder="fake", config={"store.busy_timeout_s": 5.0})
        except RecollectError as error:
            say({"error": error.code, "retryable": error.retryable, "verb": "open"})
            if not error.retryable:
                raise
            time.sleep(0.1)


def main(url: str, name: str, seed: int) -> None:
    rng = random.Random(seed)
    with opened(url) as memory:
        say("open")
        mine: list[str] = []
        number = 0
        while True:
            number += 1
            verb = rng.choice(["add", "add", "batch", "update", "delete", "search"]) if mine else "add"
            text = f"{name} saw train {os.urandom(4).hex()} leave as number {number}"
            try:
                one(memory, verb, text, name, rng.choice(mine) if mine else "", mine)
            except RecollectError as error:
                say({"error": error.code, "retryable": error.retryable, "verb": verb, "told": error.message})
                time.sleep(0.02)


def one(memory: Memory, verb: str, text: str, name: str, chosen: str, mine: list[str]) -> None:
    if verb in ("add", "batch"):
        texts = [text] if verb == "add" else [f"{text} part{part}" for part in range(8)]
        ids = memory.add(texts, user_id=name, infer=False).ids
        say({"done": dict(zip(ids, texts, strict=True))})
        mine += ids
    elif verb == "search":
        memory.search(text, user_id=name, top_k=3)
    else:
        after = text if verb == "update" else None
        say({"try": {chosen: after}})
        if after is None:
            memory.delete(chosen)
            mine.remove(chosen)
        else:
            memory.update(chosen, content=after)
        say({"done": {chosen: after}})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
