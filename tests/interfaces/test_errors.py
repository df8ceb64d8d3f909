"""Every error of the tree can happen: each is brought about from outside, by what a caller, a disk or a model does.

What a memory does in the background has no caller to raise at. Such an error is told: in a doctor's finding, or in the
answer of a server.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import copytree
from typing import Any

import apsw
import httpx
import pytest
from rest_server import bearer, client, listening, token

import recollect
from recollect import Memory, errors
from recollect.compat.topology import MemoryNode, UnifiedMemoryStore
from recollect.errors import RecollectError
from recollect.index.follow import Indexes
from recollect.interfaces.repl import Sandbox
from recollect.providers import registry
from recollect.providers.embedders.fake import FakeEmbedder
from recollect.store.sqlite import migrate
from recollect.upkeep.jobs import worker

ROOT = Path(recollect.__file__).parent
UNKNOWN = "00000000-0000-4000-8000-000000000000"
Case = Callable[[Path, pytest.MonkeyPatch], None]


def every_error(parent: type[RecollectError] = RecollectError) -> Iterator[type[RecollectError]]:
    yield parent
    for child in parent.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from every_error(child)


def is_only_a_group(error: type[RecollectError]) -> bool:
    """Whether it stands for others and nothing in the product raises it by itself."""
    made = re.compile(rf"(?<!class )\b{error.__name__}\(")
    sources = (path for path in ROOT.rglob("*.py") if path != ROOT / "errors.py")
    return bool(error.__subclasses__()) and not any(made.search(path.read_text(encoding="utf-8")) for path in sources)


def test_every_error_has_a_case() -> None:
    wanted = {error.__name__ for error in every_error() if not is_only_a_group(error)}
    assert wanted == CASES.keys()


@pytest.mark.parametrize("name", [error.__name__ for error in every_error() if not is_only_a_group(error)])
def test_the_error_happens(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    CASES[name](tmp_path, monkeypatch)


def test_a_group_is_never_alone() -> None:
    groups = [error for error in every_error() if is_only_a_group(error)]
    assert {group.__name__ for group in groups} == {"SearchError", "SecurityError", "SystemStrain"}


# --- how they are brought about -------------------------------------------------------------------------------------

CASES: dict[str, Case] = {}


def case(error: type[RecollectError]) -> Callable[[Case], Case]:
    def keep(function: Case) -> Case:
        CASES[error.__name__] = function
        return function

    return keep


@contextmanager
def raised(error: type[RecollectError]) -> Iterator[None]:
    """This very error, no kind of it."""
    with pytest.raises(error) as caught:
        yield
    assert type(caught.value) is error
    assert str(caught.value).startswith(f"[{error.code}] ")


def a_memory(path: Path | str = ":memory:", **more: Any) -> Memory:
    return recollect.open(path, **{"embedder": "fake", **more})


def calls(error: type[RecollectError], call: Callable[[Memory], object], **more: Any) -> None:
    """The error of one call of a memory that is new."""

    @case(error)
    def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with a_memory(**more) as memory, raised(error):
            call(memory)


def opens(error: type[RecollectError], make: Callable[[Path], None], **more: Any) -> None:
    """The error of opening what was made at a path."""

    @case(error)
    def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        make(tmp_path / "m.db")
        with raised(error):
            a_memory(tmp_path / "m.db", **more)


def a_store(path: Path) -> None:
    a_memory(path).close()


def a_store_of_tomorrow(path: Path) -> None:
    a_store(path)
    db = apsw.Connection(str(path))
    db.execute("INSERT INTO migration VALUES (99999, 'future', 0)")
    db.close()


def below_a_file(path: Path) -> None:
    (path.parent / "file").write_text("no folder", encoding="utf-8")
    path.symlink_to(path.parent / "file" / "m.db")


def in_a_circle(memory: Memory) -> None:
    one, other = memory.add("rain").id, memory.add("wet streets").id
    memory.relate(one, other, "causes")
    memory.relate(other, one, "causes")


def after_it_ended(memory: Memory) -> None:
    old = memory.add("Ana lives in Rome", kind="semantic").id
    memory.correct(old, "Ana lives in Porto")
    memory.confirm(old)


def after_it_was_erased(memory: Memory) -> None:
    gone = memory.add("a secret").id
    memory.undo(memory.delete(gone, hard=True).operation or "")


def after_it_was_aborted(memory: Memory) -> None:
    turn = memory.turns.begin("Which tea?", session_id="s1")
    memory.turns.abort(turn.id)
    memory.turns.say(turn.id, "Green tea.")


def closed(memory: Memory) -> None:
    memory.close()
    memory.add("too late")


calls(errors.UsageError, lambda memory: memory.add(""))
calls(errors.NotFound, lambda memory: memory.update(UNKNOWN, content="x"))
calls(errors.ContentTooLarge, lambda memory: memory.add("x" * 10_000_000))
calls(
    errors.ContentRefused,
    lambda memory: memory.add("my password is hunter2-and-more"),
    config={"security.secrets": "refuse"},
)
calls(errors.InvalidQuery, lambda memory: memory.search("tea", filters={"nonsense": {"eq": 1}}))
calls(errors.BudgetTooSmall, lambda memory: memory.context("What did Ana say?", max_tokens=1))
calls(errors.CycleRefused, in_a_circle)
calls(errors.VersionConflict, lambda memory: memory.update(memory.add("a").id, content="b", if_version=7))
calls(errors.StatementEnded, after_it_ended)
calls(errors.TurnOver, after_it_was_aborted)
calls(errors.UndoRefused, after_it_was_erased)
calls(errors.StoreClosed, closed)
calls(errors.AccessDenied, lambda memory: memory.scoped(user_id="ana").search("tea", user_id="ben"))
calls(errors.SandboxError, lambda memory: Sandbox(memory).run("import os"))
opens(errors.ConfigInvalid, a_store, config={"recall.rrfk": 1})
opens(errors.StoreError, lambda path: path.mkdir())
opens(errors.StoreLocked, a_store, key=b"k" * 32)
opens(errors.StoreDamaged, lambda path: path.write_bytes(b"not a database " * 1000) and None)
opens(errors.StoreNewer, a_store_of_tomorrow)
opens(errors.StoreReadOnly, below_a_file)


@case(errors.MissingExtra)
def without_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with raised(errors.MissingExtra):
        a_memory(embedder="fastembed:small")


@case(errors.DiskFull)
def without_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with a_memory(tmp_path / "m.db") as memory:
        store = memory._engine.store
        store.write(lambda tx: tx.sql.value("PRAGMA max_page_count = 1"))
        with raised(errors.DiskFull):
            for number in range(100):  # what is free inside the file goes first
                memory.add(f"{number} " * 2_000, infer=False)
        store.write(lambda tx: tx.sql.value(f"PRAGMA max_page_count = {2**30}"))


@case(errors.StoreBusy)
def beside_another_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with a_memory(tmp_path / "m.db", config={"store.busy_timeout_s": 0.1}) as memory:
        other = apsw.Connection(str(tmp_path / "m.db"))
        other.execute("BEGIN IMMEDIATE")
        with raised(errors.StoreBusy):
            memory.add("waits")
        other.execute("ROLLBACK")
        other.close()


@case(errors.StoreUnavailable)
def without_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with raised(errors.StoreUnavailable):
        a_memory("postgresql://nobody@127.0.0.1:1/nowhere")  # type: ignore[arg-type]


@case(errors.StoreMoved)
def after_it_was_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_memory(tmp_path / "m.db").close()
    recollect.move(tmp_path / "m.db", tmp_path / "there.db")
    with raised(errors.StoreMoved):
        a_memory(tmp_path / "m.db")


@case(errors.StoreReplaced)
def without_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with a_memory(tmp_path / "m.db") as memory:
        (tmp_path / "m.db").unlink()
        with raised(errors.StoreReplaced):
            memory.add("into nothing")


@case(errors.MigrationFailed)
def by_a_broken_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_store(tmp_path / "m.db")
    folder = tmp_path / "migrations"
    copytree(migrate._FOLDER, folder)
    (folder / "9999_broken.sql").write_text("CREATE nonsense", encoding="utf-8")
    monkeypatch.setattr(migrate, "_FOLDER", folder)
    with raised(errors.MigrationFailed):
        a_memory(tmp_path / "m.db")


@case(errors.Interrupted)
def while_it_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began, leave = threading.Event(), threading.Event()

    def hold(tx: Any) -> None:
        began.set()
        leave.wait(20)

    with a_memory(tmp_path / "m.db") as memory, ThreadPoolExecutor(2) as pool:
        writer = memory._engine.store._writer
        held = pool.submit(memory._engine.store.write, hold)
        assert began.wait(10)
        waiting = pool.submit(memory.add, "never written")
        with monkeypatch.context() as gone:
            gone.setattr(writer._thread, "is_alive", lambda: False)
            try:
                with raised(errors.Interrupted):
                    waiting.result(timeout=20)
            finally:
                leave.set()
        held.exception(timeout=20)  # it may have been told the same


@case(errors.SearchTimeout)
def out_of_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(FakeEmbedder):
        def embed(self, texts: Any) -> Any:
            time.sleep(0.1)
            return super().embed(texts)

    with a_memory(embedder=Slow(), config={"recall.timeout_s": 0.05}) as memory, raised(errors.SearchTimeout):
        memory.search("tea")


@case(errors.EncryptionFailed)
def without_the_passphrase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with a_memory() as memory:
        memory.add("a secret")
        memory.export(tmp_path / "sealed", passphrase="open sesame")
        with raised(errors.EncryptionFailed):
            memory.import_(tmp_path / "sealed", passphrase="wrong")


@case(errors.DimensionMismatch)
def with_a_vector_of_another_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with UnifiedMemoryStore(tmp_path, 4, embedder="fake") as store, raised(errors.DimensionMismatch):
        store.add_node(MemoryNode(id="n", content="tea", embedding=(1.0, 2.0, 3.0)))


# --- what is told ---------------------------------------------------------------------------------------------------


@contextmanager
def a_model_that_answers(status: int, body: bytes) -> Iterator[str]:
    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def doctor_says(memory: Memory, check: str) -> str:
    return next(each.detail for each in memory.doctor() if each.check == check and not each.ok)


def model_says(error: type[RecollectError], said: str, status: int, body: bytes) -> None:
    """What the doctor finds of an embedder whose server answers like that."""

    @case(error)
    def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with a_model_that_answers(status, body) as address:
            monkeypatch.setenv("OPENAI_BASE_URL", address)
            with a_memory(embedder="openai:m", config={"embedding.retries": 0}) as memory:
                told = doctor_says(memory, "embedder")
                assert f"[{error.code}]" in told
                assert said in told
                memory.add("tea", infer=False)
                assert [hit.content for hit in memory.search("tea")] == ["tea"]  # by its words


model_says(errors.ProviderError, "refused with status 400", 400, b"{}")
model_says(errors.EmbeddingFailed, "not a list of embeddings", 200, b'{"data": "nonsense"}')
model_says(errors.ProviderUnavailable, "does not answer", 503, b"{}")


@case(errors.NoIndex)
def while_indexes_do_not_catch_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Indexes, "current", lambda self: False)
    monkeypatch.setattr(worker, "_WAITS", 1)
    with a_memory(config={"jobs.attempts_max": 1}) as memory:
        memory.add("Ana moved to Berlin because of her new job", user_id="ana")
        memory.maintain()
        assert errors.NoIndex.code in doctor_says(memory, "jobs")


@case(errors.RateLimited)
def too_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with client(tmp_path / "m.db", config={"serve.requests_per_minute": 1}) as rest:
        headers = bearer(token(rest.memory, "read"))  # type: ignore[attr-defined]
        answers = [rest.get("/v1/stats", headers=headers) for _ in range(3)]
        assert (answers[-1].status_code, answers[-1].json()["code"]) == (429, errors.RateLimited.code)


@case(errors.TokenExpired)
def a_token_whose_time_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with client(tmp_path / "m.db") as rest:
        memory: Memory = rest.memory  # type: ignore[attr-defined]
        engine = memory._opened
        headers = bearer(token(memory, "read", expires_at=engine.clock() + 300_000))
        time.sleep(0.4)
        answer = rest.get("/v1/stats", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, errors.TokenExpired.code)


@case(errors.Overloaded)
def too_many_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    with (
        listening(tmp_path / "m.db", **{"serve.threads": 1, "serve.waiting_max": 0}) as port,
        ThreadPoolExecutor(4) as pool,
    ):
        monkeypatch.setattr(Memory, "stats", lambda self, **_: release.wait(20) and {})
        answers = [pool.submit(httpx.get, f"http://127.0.0.1:{port}/v1/stats", timeout=20) for _ in range(4)]
        until = time.monotonic() + 10
        while not any(each.done() for each in answers) and time.monotonic() < until:
            time.sleep(0.01)
        sent_away = [each.result() for each in answers if each.done()]
        release.set()
    assert {(each.status_code, each.json()["code"]) for each in sent_away} == {(503, errors.Overloaded.code)}


@case(errors.RecollectError)
def by_our_own_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Memory, **_: Any) -> None:
        raise RuntimeError("a fault of ours, with something stored in it")

    with client(tmp_path / "m.db") as rest:
        monkeypatch.setattr(Memory, "stats", broken)
        answer = rest.get("/v1/stats")
        assert (answer.status_code, answer.json()["code"]) == (500, RecollectError.code)
        assert "stored" not in answer.text
