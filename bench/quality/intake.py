"""How fast things come in, with everything on: turns of chats in batches, Markdown and Python from files.

The chats are those of LoCoMo and BEAM, one `add` a session. The files are the `.md`, `.rst` and `.py` files of the
installed packages and of the interpreter, up to a few megabytes of each. The floor beside them is what nobody can leave
out: of a turn its row in one table, in one durable transaction a session; of a file reading it and splitting its lines.
"""

from __future__ import annotations

import sysconfig
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import apsw

import recollect
from bench.quality import sets
from bench.quality.figures import Figure
from recollect.perceive.statements.propositions import propositions_of

_CHATS = ("locomo", "beam100k")
_BYTES_MAX = 4_000_000
_FILE_BYTES = range(2_000, 200_000)
_MB = 1e6


class Spent(NamedTuple):
    """Seconds of the wall clock and of the processor; on a machine that does other things the second tells more."""

    wall: float
    processor: float

    @classmethod
    def so_far(cls) -> Spent:
        return cls(time.perf_counter(), time.process_time())

    def until_now(self) -> Spent:
        return Spent(time.perf_counter() - self.wall, time.process_time() - self.processor)


def measure(baselines: bool) -> list[Figure]:
    return [
        *_turns(baselines),
        *_propositions(),
        *_files("Markdown", (".md", ".rst"), baselines),
        *_files("Python", (".py",), baselines),
    ]


# --- turns ----------------------------------------------------------------------------------------------------------


def _turns(baselines: bool) -> list[Figure]:
    figures = []
    for name in _CHATS:
        sessions = list(_sessions(sets.load(name)))
        count = sum(len(told) for _, _, told in sessions)
        spent = _stored(sessions)
        floor = count / _floor(sessions) if baselines else None
        chars = sum(len(turn["content"]) for _, _, told in sessions for turn in told) / count
        note = f"{count} turns of {chars:.0f} characters; {count / spent.processor:,.0f} a second of the processor"
        figures.append(Figure(name=f"turns/s, {name}", value=count / spent.wall, baseline=floor, note=note))
    return figures


def _sessions(conversations: Sequence[sets.Conversation]) -> Iterable[tuple[str, str, list[dict[str, Any]]]]:
    for each in conversations:
        by_session: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for turn in each.turns:
            told = {"role": "user", "name": turn.speaker, "content": turn.text, "timestamp": turn.date}
            by_session[turn.session].append({key: value for key, value in told.items() if value})
        for session, turns in by_session.items():
            yield each.id, session, turns


def _stored(sessions: Sequence[tuple[str, str, list[dict[str, Any]]]]) -> Spent:
    with TemporaryDirectory() as folder, recollect.open(Path(folder) / "turns.db") as memory:
        memory.add("The model is loaded by now")
        started = Spent.so_far()
        for project, session, told in sessions:
            memory.add(told, project=project, session_id=session)
        return started.until_now()


def _floor(sessions: Sequence[tuple[str, str, list[dict[str, Any]]]]) -> float:
    with TemporaryDirectory() as folder:
        table = apsw.Connection(str(Path(folder) / "floor.db"))
        table.pragma("journal_mode", "wal")
        table.pragma("synchronous", "full")
        table.execute("CREATE TABLE turn (project TEXT, session TEXT, speaker TEXT, content TEXT)")
        started = time.perf_counter()
        for project, session, told in sessions:
            with table:
                rows = ((project, session, turn.get("name"), turn["content"]) for turn in told)
                table.executemany("INSERT INTO turn VALUES (?, ?, ?, ?)", rows)
        seconds = time.perf_counter() - started
        table.close()
        return seconds


def _propositions() -> list[Figure]:
    """No labels: how many statements a turn of two people yields, and how long that takes."""
    turns = [turn for each in sets.load("locomo") for turn in each.turns]
    started = time.process_time()
    found = sum(len(propositions_of(turn.text, speaker=turn.speaker)) for turn in turns)
    seconds = time.process_time() - started
    return [
        Figure(name="propositions a turn", value=found / len(turns), note=f"{found} of {len(turns)} turns"),
        Figure(name="µs a turn for them", value=seconds / len(turns) * 1e6),
    ]


# --- files ----------------------------------------------------------------------------------------------------------


def _files(name: str, suffixes: tuple[str, ...], baselines: bool) -> list[Figure]:
    with TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        source.mkdir()
        size = _gathered(source, suffixes)
        if not size:
            return [Figure(name=f"MB/s of {name}", value=None, note=f"no {' or '.join(suffixes)} file is installed")]
        with recollect.open(Path(folder) / "files.db") as memory:
            memory.add("The model is loaded by now")
            started = Spent.so_far()
            receipt = memory.ingest(source)
            spent = started.until_now()
        reading = Spent.so_far()
        for path in source.iterdir():
            path.read_text(encoding="utf-8").splitlines()
        floor = size / _MB / reading.until_now().wall if baselines else None
    megabytes = size / _MB
    note = f"{megabytes:.1f} MB, {receipt.count} pieces; {megabytes / spent.processor:.2f} a second of the processor"
    return [Figure(name=f"MB/s of {name}", value=megabytes / spent.wall, baseline=floor, note=note)]


def _gathered(into: Path, suffixes: tuple[str, ...]) -> int:
    """Different readable files of the installed packages and the interpreter, in the order of their names."""
    places = [Path(sysconfig.get_path(name)) for name in ("purelib", "stdlib")]
    total = number = 0
    seen: set[bytes] = set()
    for path in (path for place in places for path in sorted(place.rglob("*")) if path.suffix in suffixes):
        content = path.read_bytes() if path.is_file() and path.stat().st_size in _FILE_BYTES else b""
        if not content or content in seen or not _is_text(content):
            continue
        seen.add(content)
        number += 1
        (into / f"{number:04}{path.suffix}").write_bytes(content)
        total += len(content)
        if total > _BYTES_MAX:
            break
    return total


def _is_text(content: bytes) -> bool:
    try:
        return bool(content.decode("utf-8"))
    except UnicodeDecodeError:
        return False
