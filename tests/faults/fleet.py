"""Many processes on one PostgreSQL, and all that may happen to them: what was acknowledged is counted and looked for.

Processes of the library write by themselves; two servers with two workers each are written to by clients that turn to
the one and the other by turns, as behind a load balancer. Half of them reach the database over a link that may be slow.
"""

from __future__ import annotations

import http.client
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import psutil  # type: ignore[import-untyped,unused-ignore]
import psycopg
from postgres_server import another

from faults.processes import ENVIRONMENT, HERE
from faults.slow_link import SlowLink
from faults.test_server_killed import free_port

_HEADERS = {"content-type": "application/json"}
_LIFE_S = 120.0


@dataclass
class Tally:
    """What all that wrote were told."""

    done: dict[str, str | None] = field(default_factory=dict)  # acknowledged, by id; None: deleted
    unsure: dict[str, str | None] = field(default_factory=dict)  # tried, and nobody said how it went
    errors: Counter[str] = field(default_factory=Counter)  # by code, or "no answer"
    final: list[str] = field(default_factory=list)  # errors that were not to be tried again
    faults: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return (
            f"{len(self.done)} acknowledged, {len(self.unsure)} not answered; faults {dict(self.faults)}; "
            f"errors {dict(self.errors)}"
        )


class LibraryWriter(threading.Thread):
    """Hears what one process after the other of the same name says, and starts the next when one is killed."""

    def __init__(self, url: str, name: str, tally: Tally) -> None:
        super().__init__(name=name, daemon=True)
        self._url, self._tally = url, tally
        self.stopping = threading.Event()
        self.process: subprocess.Popen[str] | None = None
        self.lives = 0

    def run(self) -> None:
        while not self.stopping.is_set():
            self.lives += 1
            command = [sys.executable, str(HERE / "write_through_faults.py"), self._url, self.name, str(self.lives)]
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
            assert self.process.stdout is not None
            with self.process.stdout as out:
                self._hear(out)
            self.process.wait()

    def _hear(self, out: IO[str]) -> None:
        for line in out:
            if not line.endswith("\n") or not isinstance(message := json.loads(line), dict):
                continue
            self._tally.unsure.update(message.get("try", {}))
            for id_, text in message.get("done", {}).items():
                self._tally.done[id_] = text
                self._tally.unsure.pop(id_, None)
            if "error" in message:
                self._tally.errors[message["error"]] += 1
                if not message["retryable"]:
                    self._tally.final.append(f"{self.name}: {message}")

    def kill(self) -> None:
        """SIGKILL: no handler, no flush, no goodbye."""
        if self.process is not None:
            self.process.kill()

    def end(self) -> None:
        self.stopping.set()
        self.kill()
        self.join(20)


class ServerCrew:
    """`recollect serve` with two workers, on a port that it keeps."""

    def __init__(self, url: str, log: Path) -> None:
        self._url, self._log = url, log
        self.port = free_port()
        self.start()

    def start(self) -> None:
        words = ["serve", "--db", self._url, "--port", str(self.port), "--workers", "2", "--embedder", "fake", "-q"]
        command = [sys.executable, "-m", "recollect.interfaces.cli", *words]
        environment = {**ENVIRONMENT, "RECOLLECT_STORE_BUSY_TIMEOUT_S": "5"}
        with self._log.open("a") as log:
            self.lead = subprocess.Popen(command, stdout=log, stderr=log, env=environment)

    def workers(self) -> list[psutil.Process]:
        with suppress(psutil.NoSuchProcess):
            found: list[psutil.Process] = psutil.Process(self.lead.pid).children()
            return found
        return []

    def kill(self) -> None:
        """The lead and its workers, as a machine that loses power does; then it is started again."""
        for process in (*self.workers(), self.lead):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.lead.wait()
        self.start()

    def watched(self) -> bool:
        """As whoever looks after services does: one that ended is started again. Whether it was there."""
        if self.lead.poll() is None:
            return True
        self.start()
        return False

    def end(self) -> int:
        self.lead.send_signal(signal.SIGTERM)
        return self.lead.wait(timeout=60)

    def answers(self) -> bool:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)) as connection:
            try:
                connection.request("GET", "/v1/health")
                with connection.getresponse() as answer:
                    answer.read()
                    return answer.status == 200
            except (OSError, http.client.HTTPException):
                return False


class Client(threading.Thread):
    """Writes over HTTP, each call to the next server."""

    def __init__(self, ports: list[int], name: str, tally: Tally) -> None:
        super().__init__(name=name, daemon=True)
        self._tally = tally
        self._ports = itertools.cycle(ports)
        self._rng = random.Random(name)
        self._mine: list[str] = []
        self.stopping = threading.Event()

    def run(self) -> None:
        for number in itertools.count():
            if self.stopping.is_set():
                return
            try:
                self._one(f"{self.name} saw train {os.urandom(4).hex()} leave as number {number}")
            except (OSError, http.client.HTTPException):
                self._tally.errors["no answer"] += 1
                time.sleep(0.05)

    def _one(self, text: str) -> None:
        choice = self._rng.choice(("add", "add", "update", "delete", "get", "search")) if self._mine else "add"
        if choice == "add":
            answer = self._ask("POST", "/v1/memories", {"content": text, "user_id": self.name, "infer": False})
            if answer is not None:
                self._mine += answer["ids"]
                self._tally.done[answer["ids"][0]] = text
            return
        chosen = self._rng.choice(self._mine)
        if choice == "search":
            self._ask("POST", "/v1/memories/search", {"query": text, "user_id": self.name, "top_k": 3})
        elif choice == "get":
            got = self._ask("GET", f"/v1/memories/{chosen}")
            if got is not None and chosen not in self._tally.unsure and got["memory"] != self._tally.done[chosen]:
                self._tally.final.append(f"{chosen}: {got['memory']!r}, not {self._tally.done[chosen]!r}")
        else:
            after = text if choice == "update" else None
            self._tally.unsure[chosen] = after
            if after is None:
                self._mine.remove(chosen)
            body = None if after is None else {"content": after}
            if self._ask("DELETE" if after is None else "PATCH", f"/v1/memories/{chosen}", body) is not None:
                self._tally.done[chosen] = after
                del self._tally.unsure[chosen]

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        with closing(http.client.HTTPConnection("127.0.0.1", next(self._ports), timeout=20)) as connection:
            connection.request(method, path, None if body is None else json.dumps(body), _HEADERS)
            with connection.getresponse() as answer:
                data = json.loads(answer.read())
        if answer.status < 400:
            return data
        self._tally.errors[data.get("code", str(answer.status))] += 1
        if not data.get("retryable"):
            self._tally.final.append(f"{self.name}: {method} {data}")
        return None


class Fleet:
    """A database of its own, those who write to it, and what can go wrong between them."""

    def __init__(self, folder: Path, *, writers: int, clients: int) -> None:
        self.postgres = another(durable=True)
        self.url: str = self.postgres.get_uri()
        self.link = SlowLink(self.url)
        self.tally = Tally()
        self._rng = random.Random(7)
        urls = itertools.cycle((self.url, self.link.url))
        self.servers = [ServerCrew(next(urls), folder / f"server{number}.log") for number in range(2)]
        self.writers = [LibraryWriter(next(urls), f"writer{number}", self.tally) for number in range(writers)]
        ports = [server.port for server in self.servers]
        self.clients = [Client(ports[number % 2 :] + ports, f"client{number}", self.tally) for number in range(clients)]
        self.faults: dict[str, Callable[[], None]] = {
            "a process of the library is killed": lambda: self._rng.choice(self.writers).kill(),
            "a worker of a server is killed": self._kill_worker,
            "a server with its workers is killed": lambda: self._rng.choice(self.servers).kill(),
            "connections are cut": self._terminate,
            "the database stops and starts": self._stop_and_start,
            "the database crashes and starts": self._crash,
            "the database has no connection left": self._fill_up,
            "the link is slow": self._slow,
            "the link is silent": self._silent,
            "the link is cut": self.link.cut,
            "the database is away for long": lambda: self._stop_and_start(12.0),
        }

    def begin(self) -> None:
        self.until(lambda: all(server.answers() for server in self.servers))
        for each in (*self.writers, *self.clients):
            each.start()
        self.wrote(len(self.writers) + len(self.clients))

    def happens(self, fault: str) -> None:
        self.tally.faults[fault] += 1
        self.faults[fault]()

    def wrote(self, more: int) -> None:
        """Wait until so many more writes were acknowledged."""
        wanted = len(self.tally.done) + more
        self.until(lambda: len(self.tally.done) >= wanted)

    def until(self, true: Callable[[], bool]) -> None:
        end = time.monotonic() + _LIFE_S
        while not true():
            for server in self.servers:
                if not server.watched():
                    self.tally.errors["could not start"] += 1
            assert time.monotonic() < end, f"it did not recover: {self.tally}"
            time.sleep(0.05)

    def end(self) -> None:
        """All end, the clients first."""
        for client in self.clients:
            client.stopping.set()
        for client in self.clients:
            client.join(60)
        for writer in self.writers:
            writer.end()

    def close(self) -> list[int]:
        """The exit codes of the servers."""
        self.link.resume()
        self.link.delay_s = 0.0
        codes = [server.end() for server in self.servers]
        self.link.close()
        return codes

    def _sql(self, statement: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as db:
            db.execute(statement)

    def _terminate(self) -> None:
        self._sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'recollect'")

    def _kill_worker(self) -> None:
        workers = self._rng.choice(self.servers).workers()
        if workers:
            with suppress(psutil.NoSuchProcess):
                self._rng.choice(workers).kill()

    def _stop_and_start(self, away_s: float = 0.5) -> None:
        self.postgres.stop()
        time.sleep(away_s)
        self.postgres.ensure_postgres_running()

    def _crash(self) -> None:
        """As a machine that loses power and comes back: the server ends at once and recovers from its log."""
        postmaster = psutil.Process(self.postgres.get_pid())
        os.kill(postmaster.pid, signal.SIGQUIT)
        postmaster.wait(20)
        self.postgres.ensure_postgres_running()

    def _fill_up(self) -> None:
        """Take all connections that ordinary roles may have, cut those that are there, and give back after a while."""
        taken = []
        try:
            with suppress(psycopg.Error):
                while True:
                    taken.append(psycopg.connect(self.url))
            self._cut_by(taken[0])
            with suppress(psycopg.Error):
                while True:
                    taken.append(psycopg.connect(self.url))
            time.sleep(1.0)
        finally:
            for each in taken:
                each.close()

    @staticmethod
    def _cut_by(db: psycopg.Connection[Any]) -> None:
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'recollect'")
        db.rollback()

    def _slow(self) -> None:
        self.link.delay_s = 0.1
        time.sleep(2.0)
        self.link.delay_s = 0.0

    def _silent(self) -> None:
        self.link.pause()
        time.sleep(2.0)
        self.link.resume()
