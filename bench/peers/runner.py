"""In a peer's environment: one measurement, its figures as a line of JSON.

python runner.py PEER MEASUREMENT FOLDER DATA
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from adapters import PEERS, Peer, said  # type: ignore[import-not-found]

BATCH = 500
MARKER = "Zanzibarquokka"
QUESTIONS = 200
_PAUSE_S = 3.0  # for indexes that follow in the background


class Given:
    """The texts, vectors and questions that all peers get."""

    def __init__(self, path: Path) -> None:
        told = json.loads((path / "given.json").read_text())
        self.texts, self.groups = told["texts"], told["groups"]
        self.questions, self.asked_in, self.gold = told["questions"], told["asked_in"], told["gold"]
        self.vectors = np.load(path / "vectors.npy")
        self.question_vectors = np.load(path / "questions.npy")

    def add(self, peer: Peer, first: int, last: int) -> None:
        for at in range(first, last, BATCH):
            part = slice(at, min(at + BATCH, last))
            peer.add(range(*part.indices(last)), self.texts[part], self.vectors[part], self.groups[part])


def speed(peer: Peer, given: Given, folder: Path) -> dict[str, Any]:
    empty = _resident()
    begun, cpu = time.perf_counter(), time.process_time()
    given.add(peer, 0, len(given.texts))
    added = len(given.texts)
    figures = {"add per s": added / (time.perf_counter() - begun), "add, ms of processor": 1e3 * _since(cpu) / added}
    time.sleep(_PAUSE_S)
    peer.search(given.questions[0], given.question_vectors[0], None, 10)
    time.sleep(_PAUSE_S)
    recalls, times = [], []
    for number, question in enumerate(given.questions):
        vector, group = given.question_vectors[number], given.asked_in[number]
        found = peer.search(question, vector, group, 10)
        recalls.append(len(set(found) & set(given.gold[number])) / len(given.gold[number]))
    cpu = time.process_time()
    for number, question in enumerate(given.questions[:QUESTIONS]):
        begun = time.perf_counter()
        peer.search(question, given.question_vectors[number], None, 10)
        times.append(1e3 * (time.perf_counter() - begun))
    figures |= {"R@10 LoCoMo": sum(recalls) / len(recalls)}
    figures |= {"search p50 ms": sorted(times)[QUESTIONS // 2], "search p95 ms": sorted(times)[QUESTIONS * 19 // 20]}
    figures |= {"search, ms of processor": 1e3 * _since(cpu) / QUESTIONS, "RSS MB": _resident(), "RSS MB, empty": empty}
    peer.close()
    figures["disk MB"] = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    return figures


def traces(peer: Peer, given: Given, folder: Path) -> dict[str, Any]:
    """Whether a text that was deleted is in any file, right after and when closed."""
    given.add(peer, 0, 2_000)
    peer.add([10**6], [f"{MARKER} was here"], given.vectors[:1], ["g1"])
    stored = _files_with(folder)
    peer.delete(10**6)
    left = _files_with(folder)
    peer.close()
    return {"files with it, stored": stored, "deleted": left, "closed": _files_with(folder)}


def adding(peer: Peer, given: Given, folder: Path) -> dict[str, Any]:
    """Add for ever, and say after each portion how much is in; somebody ends this."""
    said("ready")
    sys.stdin.readline()
    first = int(os.environ.get("FIRST", "0"))
    for at in range(first, first + 5_000, 50):
        part = slice(at, at + 50)
        peer.add(range(at, at + 50), given.texts[part], given.vectors[part], given.groups[part])
        said(at + 50 - first)
    peer.close()
    return {"added": 5_000}


def counting(peer: Peer, given: Given, folder: Path) -> dict[str, Any]:
    found = {"count": peer.count()}
    peer.close()
    return found


def _files_with(folder: Path) -> int:
    return sum(MARKER.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def _since(cpu: float) -> float:
    return time.process_time() - cpu


def _resident() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


MEASUREMENTS: dict[str, Callable[[Peer, Given, Path], dict[str, Any]]] = {
    "speed": speed,
    "traces": traces,
    "adding": adding,
    "counting": counting,
}

if __name__ == "__main__":
    name, measurement, place, data = sys.argv[1:5]
    said(MEASUREMENTS[measurement](PEERS[name](Path(place)), Given(Path(data)), Path(place)))
