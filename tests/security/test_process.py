"""The process that holds a key: no core dump, nobody looks into its memory, and the key is not swapped out."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import json, resource, sys
import recollect
from recollect.security.process import core_dumps_off, undumpable
resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
key, harden = sys.argv[2] == "key", sys.argv[3] == "harden"
with recollect.open(sys.argv[1], key=bytes(range(32)) if key else None, embedder=None,
                    config={"security.harden_process": harden}) as memory:
    memory.add("x")
    print(json.dumps([resource.getrlimit(resource.RLIMIT_CORE)[0] == 0, core_dumps_off(), undumpable()]))
"""


def opened(path: Path, *words: str) -> list[bool]:
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(path), *words], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stderr
    told: list[bool] = json.loads(done.stdout)
    return told


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no such switch")
def test_a_process_with_a_key_is_not_dumped(tmp_path: Path) -> None:
    assert opened(tmp_path / "a.db", "key", "harden") == [True, True, True]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no such switch")
def test_a_plain_store_and_a_debugged_one_leave_the_process_alone(tmp_path: Path) -> None:
    assert opened(tmp_path / "a.db", "plain", "harden")[2] is False
    assert opened(tmp_path / "b.db", "key", "leave")[2] is False


LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
LOCKED = """
import resource, sys
from recollect.security.secret import Secret

def locked_kib():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmLck"))

before = locked_kib()
kept = [Secret(bytes(range(32))) for _ in range(4)]
print(before, locked_kib(), all(each.locked for each in kept))
"""


@LINUX
def test_a_secret_is_locked_into_memory() -> None:
    """What the system counts as locked grows, or the secret says that it is not."""
    done = subprocess.run([sys.executable, "-c", LOCKED], capture_output=True, text=True, check=True, timeout=60)
    before, after, said = done.stdout.split()
    assert (int(after) > int(before)) == (said == "True")
    if os.geteuid() == 0:  # who may lock as much as they like
        assert said == "True"


ABORT = """
import os, resource, sys
import recollect
resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
memory = recollect.open(sys.argv[1], key=bytes(range(32)) if sys.argv[2] == "key" else None, embedder=None)
memory.add("x")
os.chdir(sys.argv[3])
os.abort()
"""


def _aborted(folder: Path, sort: str) -> bool:
    """Whether a process that aborts with an open store is dumped."""
    place = folder / f"dumps-{sort}"
    place.mkdir()
    process = os.posix_spawn(
        sys.executable, [sys.executable, "-c", ABORT, str(folder / f"{sort}.db"), sort, str(place)], os.environ
    )
    status = os.waitpid(process, 0)[1]
    assert os.WTERMSIG(status) == signal.SIGABRT
    return os.WCOREDUMP(status) or bool(list(place.iterdir()))


@LINUX
def test_a_process_with_a_key_that_aborts_leaves_no_core(tmp_path: Path) -> None:
    if not _aborted(tmp_path, "plain"):
        pytest.skip("this system dumps no process at all")
    assert not _aborted(tmp_path, "key")


HOLD = """
import sys
import recollect
memory = recollect.open(sys.argv[1], key=bytes(range(32)) if sys.argv[2] == "key" else None, embedder=None)
memory.add("the " + "coatlus"[::-1] + " flew")
kept = memory.search("flew")
print("ready", flush=True)
sys.stdin.read()
"""
LOOK = """
import subprocess, sys
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
held = subprocess.Popen([sys.executable, "-c", sys.argv[1], *sys.argv[2:]], **pipes)
assert held.stdout.readline().strip() == "ready"
found = 0
try:
    with open(f"/proc/{held.pid}/maps") as maps, open(f"/proc/{held.pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            first, last = (int(each, 16) for each in span.split("-"))
            if rights.startswith("rw"):
                try:
                    memory.seek(first)
                    found += memory.read(last - first).count("coatlus"[::-1].encode())
                except (OSError, ValueError, OverflowError):
                    pass
    print("read", found)
except PermissionError:
    print("refused")
held.communicate("")
"""
_PR_CAPBSET_DROP, _CAP_SYS_PTRACE = 24, 19


def _without_ptrace() -> None:
    """As any user: who may look into every process (root) is not whom this is about."""
    ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, _CAP_SYS_PTRACE, 0, 0, 0)


def _looked_into(path: Path, sort: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", LOOK, HOLD, str(path), sort],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        preexec_fn=_without_ptrace,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@LINUX
def test_another_process_of_the_same_user_cannot_read_the_memory_of_one_with_a_key(tmp_path: Path) -> None:
    told = _looked_into(tmp_path / "a.db", "plain")
    if told == "refused":
        pytest.skip("this system lets no process look into another")
    assert int(told.split()[1]) > 0, "what is in memory is found where nothing forbids to look"
    assert _looked_into(tmp_path / "b.db", "key") == "refused"
