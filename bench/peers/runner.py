"""In a peer's environment: one measurement, its figures in lines of JSON, as far as it got.

python runner.py PEER MEASUREMENT FOLDER DATA SECONDS
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from adapters import PEERS, Peer  # type: ignore[import-not-found]

MARKER = "Zanzibarquokka"
QUESTIONS = 200
PORTION = 50  # after which a writer says how much is in
_QUIET = 0.05  # of a processor
_LOOK_S = 0.5
_OUT = os.fdopen(os.dup(1), "w")  # libraries may print


class Limit:
    """Seconds by the clock that a step may take; what it did until then is told."""

    def __init__(self, seconds: float) -> None:
        self._end = time.perf_counter() + seconds

    def passed(self) -> bool:
        return time.perf_counter() > self._end


class Given:
    """The texts, vectors and questions that all peers get."""

    def __init__(self, path: Path) -> None:
        told = json.loads((path / "given.json").read_text())
        self.texts, self.groups = told["texts"], told["groups"]
        self.questions, self.asked_in, self.gold = told["questions"], told["asked_in"], told["gold"]
        self.vectors = np.load(path / "vectors.npy")
        self.question_vectors = np.load(path / "questions.npy")
        self.turns = 1 + max(row for rows in self.gold for row in rows)  # as many are needed to ask the questions

    def add(self, peer: Peer, first: int, last: int, limit: Limit) -> int:
        """How many are in when all are or the time is over."""
        last = min(last, len(self.texts))
        for at in range(first, last, peer.portion):
            if limit.passed():
                return at - first
            part = slice(at, min(at + peer.portion, last))
            peer.add(range(*part.indices(last)), self.texts[part], self.vectors[part], self.groups[part])
        return last - first


def speed(peer: Peer, given: Given, folder: Path, seconds: float) -> None:
    empty, size = _resident(), len(given.texts)
    begun, cpu = time.perf_counter(), time.process_time()
    added = given.add(peer, 0, size, Limit(seconds))
    peer.keep()
    took = time.perf_counter() - begun
    stopped = {} if added == size else {"added, then stopped": f"{added:,} after {took:.0f} s"}
    said({**stopped, "add per s": added / took, "add, ms of processor": 1e3 * _since(cpu) / added})
    peer.search(given.questions[0], given.question_vectors[0], None, 10)
    if not peer.rest(seconds):
        said({"upkeep, then put off": f"after {seconds:.0f} s"})
    _quiet(Limit(seconds / 4))
    said({"add and what follows, ms of processor": 1e3 * _since(cpu) / added})
    if added >= given.turns:
        said({"R@10 LoCoMo": _recall(peer, given, Limit(seconds / 2))})
    times, cpu, limit = [], time.process_time(), Limit(seconds / 4)
    for number, question in enumerate(given.questions[:QUESTIONS]):
        begun = time.perf_counter()
        peer.search(question, given.question_vectors[number], None, 10)
        times.append(1e3 * (time.perf_counter() - begun))
        if limit.passed():
            said({"searches, then stopped": len(times)})
            break
    figures = {"search, ms of processor": 1e3 * _since(cpu) / len(times)}
    figures |= {"search p50 ms": sorted(times)[len(times) // 2], "search p95 ms": sorted(times)[len(times) * 19 // 20]}
    said({**figures, "RSS MB, empty": empty, "RSS MB": _resident()})
    peer.close()
    said({"disk MB": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6})


def _recall(peer: Peer, given: Given, limit: Limit) -> float:
    recalls = []
    for number, question in enumerate(given.questions):
        found = peer.search(question, given.question_vectors[number], given.asked_in[number], 10)
        recalls.append(len(set(found) & set(given.gold[number])) / len(given.gold[number]))
        if limit.passed():
            said({"questions, then stopped": len(recalls)})
            break
    return sum(recalls) / len(recalls)


def early(peer: Peer, given: Given, folder: Path, seconds: float) -> None:
    """Questions right after adding, for libraries that go on to work with what was added."""
    given.add(peer, 0, given.turns, Limit(seconds))
    said({"R@10 LoCoMo, asked at once": _recall(peer, given, Limit(seconds / 2))})


def traces(peer: Peer, given: Given, folder: Path, seconds: float) -> None:
    """Whether a text that was deleted is in any file, right after and when closed."""
    given.add(peer, 0, 2_000, Limit(seconds / 4))
    peer.add([10**6], [f"{MARKER} was here"], given.vectors[:1], ["g1"])
    peer.keep()
    stored = _files_with(folder)
    peer.delete(10**6)
    left = _files_with(folder)
    peer.close()
    said({"stored": stored, "deleted": left, "closed": _files_with(folder)})


def adding(peer: Peer, given: Given, folder: Path, seconds: float) -> None:
    """Add up to 5,000, and say after each portion how much is in; somebody may end this."""
    said("ready")
    sys.stdin.readline()
    first, limit = int(os.environ.get("FIRST", "0")), Limit(seconds / 4)
    for at in range(first, first + 5_000, PORTION):
        part = slice(at, at + PORTION)
        peer.add(range(at, at + PORTION), given.texts[part], given.vectors[part], given.groups[part])
        peer.keep()
        said(at + PORTION - first)
        if limit.passed():
            break
    peer.close()


def counting(peer: Peer, given: Given, folder: Path, seconds: float) -> None:
    said({"count": peer.count()})
    peer.close()


def said(result: object) -> None:
    """Tell the parent."""
    print(json.dumps(result), file=_OUT, flush=True)


def _quiet(limit: Limit) -> None:
    """Wait until nothing goes on in the background."""
    while not limit.passed():
        cpu = time.process_time()
        time.sleep(_LOOK_S)
        if _since(cpu) < _QUIET * _LOOK_S:
            return


def _files_with(folder: Path) -> int:
    return sum(MARKER.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def _since(cpu: float) -> float:
    return time.process_time() - cpu


def _resident() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


MEASUREMENTS: dict[str, Callable[[Peer, Given, Path, float], None]] = {
    "speed": speed,
    "early": early,
    "traces": traces,
    "adding": adding,
    "counting": counting,
}

if __name__ == "__main__":
    os.dup2(2, 1)
    name, measurement, place, data, seconds = sys.argv[1:6]
    MEASUREMENTS[measurement](PEERS[name](Path(place)), Given(Path(data)), Path(place), float(seconds))
    _OUT.flush()
    os._exit(0)  # threads that libraries left behind do not hold this up
