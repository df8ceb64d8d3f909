"""Fixtures every test may use: a memory in a folder of its own, no network, and how hard hypothesis looks.

Stores of tests begin as a copy of a migrated one (`new_stores`), in a folder in memory where the system has one.
"""

from __future__ import annotations

import io
import ipaddress
import os
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import Done, Run, alone
from hypothesis import HealthCheck, Phase, settings
from new_stores import Template

import recollect
from recollect.memory import Memory

_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
# The quick one looks at the same examples everywhere and does not shrink: a failure is a matter for the deep one.
settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=_QUIET,
    max_examples=25,
    phases=(Phase.explicit, Phase.generate),
)
settings.register_profile("broad", deadline=None, suppress_health_check=_QUIET, max_examples=100)
settings.register_profile("deep", deadline=None, print_blob=True, suppress_health_check=_QUIET, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# A commit waits for the disk, and no test needs a file after it has run: files go into memory where there is room.
_IN_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 4 << 30
if os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free >= _ROOM_BYTES:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_IN_MEMORY))  # under which pytest makes its `tmp_path`s

# Most tests are about something else than meaning: the static model will do. Those about the default take this away.
os.environ.setdefault("RECOLLECT_EMBEDDER", "static")

# A machine that does much else at once must not take parts of answers away: tests of time limits set their own.
for _limit in ("RECOLLECT_RECALL__TIMEOUT_S", "RECOLLECT_CONTEXT__TIMEOUT_S"):
    os.environ.setdefault(_limit, "60")

_template = Template()


@pytest.fixture(scope="session", autouse=True)
def new_stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Template]:
    """Stores that tests create are copied from one that each worker migrates once."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        _template.install(monkeypatch, tmp_path_factory.mktemp("template"))
        yield _template


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test marked `creates_stores` gets stores made by the product alone; said before any fixture is made."""
    _template.copied = item.get_closest_marker("creates_stores") is None


@pytest.fixture(scope="session", autouse=True)
def signing_key(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What tests export is signed by nobody who runs them."""
    key = tmp_path_factory.mktemp("owner") / "signing.key"
    key.touch(mode=0o600)
    key.write_text("17" * 32, encoding="ascii")
    os.environ["RECOLLECT_SIGNING_KEY"] = str(key)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A new memory with an embedder that needs no model."""
    with recollect.open(tmp_path / "m.db", embedder="fake") as opened:
        yield opened


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What commands are run in: nothing of whoever runs the tests."""
    alone(tmp_path, monkeypatch)


@pytest.fixture
def run(environment: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process."""
    from recollect.interfaces.cli import main

    def call(*words: str, stdin: str | bytes = "") -> Done:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
        capsys.readouterr()
        code = main(list(words))
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in the suite talks to another machine; loopback is for servers that a test starts itself."""
    for name in ("connect", "connect_ex"):
        allowed = getattr(socket.socket, name)

        def checked(self: socket.socket, address: Any, *rest: Any, _allowed: Any = allowed) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(str(address[0])):
                raise AssertionError(f"a test tried to reach {address[0]}: use recollect.providers.embedders.fake")
            return _allowed(self, address, *rest)

        monkeypatch.setattr(socket.socket, name, checked)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
