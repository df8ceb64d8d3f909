"""What takes a store long, each as a function of its own: for processes that are killed in the middle of it.

A work may be begun again after a kill, and ends with what it would have ended with at once: `outcome` tells that.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from properties.tables import looking_at
from ticking import Ticking

import recollect
from recollect.memory import Memory
from recollect.wiring import open_memory

WRITTEN_AFTER = "written after it"
OTHER_MODEL = "fake:32"
CODE = {
    "shop/cart.py": "from shop.price import total\n\n\ndef pay(cart):\n    return total(cart)\n",
    "shop/price.py": "RATE = 7\n\n\ndef total(cart):\n    return sum(cart) * RATE\n",
    "shop/page.py": "from shop import cart\n\n\ndef show(things):\n    print(cart.pay(things))\n",
}
NOTES = "# Boats\n\nThe ferry leaves at nine.\n\n# Trains\n\n{}\n"


@dataclass(frozen=True)
class Work:
    """`run` does all of it in an open store. `outcome` is what has to be true of folder and store when it is done."""

    run: Callable[[Memory, Path], Any]
    outcome: Callable[[Path], Any]
    embedder: str = "fake"
    takes_away: bool = False  # less is there when it is done, as it is meant to


def opened(path: Path, embedder: str, clock: Ticking) -> Memory:
    config = {"upkeep.scheduled": False, "upkeep.after_session": False, "store.checkpoint_pages": 100}
    return open_memory(path, embedder=embedder, clock=clock, background=False, config=config)


def prepare(folder: Path) -> None:
    """A folder with all that the works read: a store, an export of another one, code, notes."""
    clock = Ticking()
    with opened(folder / "m.db", "fake", clock) as memory:
        said = [f"{who} saw the ferry {n} leave" for n in range(8) for who in ("Ana", "Ben")]
        ids = memory.add(said, infer=False, user_id="ana").ids
        for one, other in pairwise(ids[:6]):
            memory.relate(one, other, "supports")
        turns = [{"role": "user", "name": "Ana", "content": f"I moved to {town} in May."} for town in ("Oslo", "Rome")]
        for number in range(3):
            memory.add(turns, session_id=f"talk {number}", user_id="ana")
            clock.skip(1)
        memory.settle()
        (folder / "backup").write_text(memory.backup().name)
        memory.add("said after the backup", infer=False)
    with opened(folder / "other.db", "fake", clock) as other:
        ids = other.add([f"imported note {n} about tides" for n in range(60)], infer=False, user_id="eva").ids
        other.correct(ids[0], "imported note 0 about storms")
        other.relate(ids[1], ids[2], "supports")
        other.export(folder / "other.jsonl")
    (folder / "foreign.json").write_text(json.dumps([{"memory": f"foreign note {n} about rain"} for n in range(60)]))
    for name, text in CODE.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "notes").mkdir()
    for number in range(6):
        (folder / "notes" / f"{number}.md").write_text(NOTES.format(f"Number {number} goes to the harbour.\n" * 9))


def contents(folder: Path) -> Counter[tuple[str, str]]:
    """What is believed, in words; without the one that is written between a kill and the next try."""
    with looking_at(folder / "m.db") as db:
        live = "SELECT kind, content FROM record WHERE retired_at IS NULL AND head_pk IS NULL AND content <> ?"
        return Counter(db.execute(live, (WRITTEN_AFTER,)))


def _with_relations(folder: Path) -> Any:
    with looking_at(folder / "m.db") as db:
        joined = "SELECT label, count(*) FROM edge WHERE retired_at IS NULL GROUP BY label"
        return contents(folder), Counter(dict(db.execute(joined)))


def _spaces(folder: Path) -> Any:
    """Models with how many records each has a vector of."""
    counted = (
        "SELECT s.name, s.state, count(*) FROM space s JOIN vector v ON v.space_pk = s.pk "
        "JOIN record r ON r.pk = v.record_pk WHERE r.retired_at IS NULL AND r.content <> ? GROUP BY s.pk"
    )
    with looking_at(folder / "m.db") as db:
        return contents(folder), sorted(db.execute(counted, (WRITTEN_AFTER,)))


def _exported(folder: Path) -> Any:
    """What an empty store makes of the file, and that nothing lies beside it."""
    with open_memory(":memory:", embedder=None, background=False) as fresh:
        fresh.import_(folder / "out.jsonl")
        found = Counter(record.content for record in fresh.get_all(reach="all", limit=1_000))
    del found[WRITTEN_AFTER]
    return found, sorted(path.name for path in folder.iterdir() if "out" in path.name)


def _code(folder: Path) -> Any:
    with opened(folder / "m.db", "fake", Ticking()) as memory:
        return contents(folder), sorted(map(repr, memory.code.edges(root="shop")))


def _consolidate(memory: Memory, folder: Path) -> None:
    memory.consolidate()


def _reembed(memory: Memory, folder: Path) -> None:
    memory.reembed(wait=True)


def _restore(memory: Memory, folder: Path) -> None:
    memory.close()
    recollect.restore(folder / "m.db", (folder / "backup").read_text())


def _backups(folder: Path) -> Any:
    """What is believed, and that every backup is sound, with nothing beside them that is none."""
    with opened(folder / "m.db", "fake", Ticking()) as memory:
        backups = memory.backups(verify=True)
        names = {each.name for each in backups}
        strangers = [path.name for path in (folder / "m.db.backups").iterdir() if path.name not in names]
        return contents(folder), [each.faults for each in backups if each.faults], strangers


WORKS = {
    "import": Work(lambda memory, folder: memory.import_(folder / "other.jsonl"), _with_relations),
    "foreign import": Work(lambda memory, folder: memory.import_(folder / "foreign.json", user_id="eva"), contents),
    "export": Work(lambda memory, folder: memory.export(folder / "out.jsonl", overwrite=True), _exported),
    "ingest": Work(lambda memory, folder: memory.ingest(folder / "notes"), contents),
    "code index": Work(lambda memory, folder: memory.code.index(folder / "shop", name="shop"), _code),
    "consolidate": Work(_consolidate, _with_relations, takes_away=True),
    "reembed": Work(_reembed, _spaces, embedder=OTHER_MODEL),
    "erase": Work(lambda memory, folder: memory.erase_user("ana"), contents, takes_away=True),
    "backup": Work(lambda memory, folder: memory.backup(), _backups),
    "restore": Work(_restore, _backups, takes_away=True),
}
