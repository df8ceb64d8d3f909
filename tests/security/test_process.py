"""The process that holds a key: no core dump, and nobody looks into its memory."""

from __future__ import annotations

import json
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
