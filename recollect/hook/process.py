"""`recollect hook CLIENT`: one event from stdin to the spool, or to a server that runs; what is ready, to stdout.

It ends with 0 whatever happens, waits for nobody, and starts nothing. What went wrong stands in a file beside the
store, for `recollect hooks status`. Of an encrypted store nothing is written outside: without a server its hooks do
nothing.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time

from recollect.hook import payloads, phases, places, ready, spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

SERVER = "server"  # the file in which a server says where it listens
PHASE_VARIABLE = "RECOLLECT_PHASE"  # in which whoever starts an agent may say what it is to do
SPEC_VARIABLE = "RECOLLECT_SPEC"  # … and which task it is for
PLAIN = b"SQLite format 3\x00"  # how a store begins that is not encrypted
SERVER_BYTES_MAX = 4_096
CONNECT_S = 0.05
ANSWER_S = {"prompt": 0.8, "session_start": 0.8}  # searching may take a while; the agent waits for these anyway
ANSWER_USUAL_S = 0.25
ANSWER_BYTES_MAX = 64 << 10


def main(words: Sequence[str]) -> int:
    """Take one event in. Always 0."""
    folder = ""
    try:
        client, options = words[0], dict(zip(words[1::2], words[2::2], strict=False))
        store = places.store_of(options.get("--db"))
        folder = places.folder_of(store)
        said = taken(client, _stdin(), store=store, project=options.get("--project"))
        if said:
            os.write(1, said.encode("utf-8", "replace") + b"\n")
    except BaseException as error:  # a hook that fails must not disturb the agent, whatever it was
        if folder:
            spool.note_failure(folder, _word_for(error))
    return 0


def taken(client: str, data: bytes, *, store: str, project: str | None = None) -> str:
    """Hand an event on; what the client is to be answered."""
    if len(data) > payloads.EVENT_BYTES_MAX:
        raise payloads.Unusable("over 1 MiB")
    folder, now = places.folder_of(store), time.time_ns() // 1000
    payload = parsed(data.decode("utf-8", "replace"))
    event = payloads.event_of(payload)
    event["at"] = event.get("at") or now
    phase = os.environ.get(PHASE_VARIABLE)
    if phase in phases.PHASES:
        event["phase"] = phase
    spec = os.environ.get(SPEC_VARIABLE, "")[: payloads.NAME_CHARS_MAX]
    event |= {name: said for name, said in (("project", project), ("spec", spec)) if said}
    answered = _by_server(folder, client, data, event, now)
    if answered is not None:
        return answered
    if _is_sealed(store):
        raise spool.NotKept("encrypted store without a server")
    kept = payloads.kept(event, at=now)
    kept["client"] = client[:40]
    before = event["type"] == payloads.BEFORE
    if not before:
        spooled = (
            {name: each for name, each in kept.items() if name not in payloads.WORDS} if _keeps_shape(folder) else kept
        )
        spool.append(folder, dumped(spooled).encode())
    return _ready(folder, client, payload["hook_event_name"], kept, event.get("cwd"), before=before)


def _ready(folder: str, client: str, name: str, kept: dict[str, Any], cwd: Any, *, before: bool) -> str:
    session, kind = kept["session"], kept["type"]
    if kind in ("session_end", "session_start"):
        ready.forget_told(folder, session)
    if kind in ("stop", "compact", "session_end", "prompt", "plan"):
        return ready.answer(client, name, [])
    hints = ready.load(folder, kept["root"], parsed)
    top = places.workplace(cwd)[0] if hints and kept["root"] else ""
    sayings = ready.chosen(hints, kept, before=before, top=top) if hints else []
    said = ready.unsaid(folder, session, sayings, kept, top)
    if said:
        spool.append(folder, dumped(payloads.shown_event(kept, said, top)).encode())
    return ready.answer(client, name, said)


def _keeps_shape(folder: str) -> bool:
    """Whether nothing of what agents plan and say is wanted (`observe.work_states`)."""
    return os.path.exists(os.path.join(folder, places.SHAPE_ONLY))


def _is_sealed(store: str) -> bool:
    """Whether the store is encrypted: then paths and errors of its agents stand in no other file."""
    try:
        with open(store, "rb") as file:
            begun = file.read(len(PLAIN))
    except OSError:
        return os.path.exists(f"{store}.vault")
    return bool(begun) and begun != PLAIN


def _stdin() -> bytes:
    data = b""
    while portion := os.read(0, 1 << 18):
        data += portion
        if len(data) > payloads.EVENT_BYTES_MAX:
            break
    return data


def _by_server(folder: str, client: str, data: bytes, event: dict[str, Any], now: int) -> str | None:
    """The answer of a server that serves this store; None where none does, or it does not answer in time."""
    port = _port(folder)
    if port is None:
        return None
    import _socket

    said = "".join(f"&{name}={_escaped(event[name])}" for name in ("project", "phase", "spec") if event.get(name))
    path = f"/v1/hooks/{client}?at={now}{said}"
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(data)}\r\nConnection: close\r\n\r\n"
    )
    line = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        line.settimeout(CONNECT_S)
        line.connect(("127.0.0.1", port))
        until = time.monotonic() + ANSWER_S.get(event["type"], ANSWER_USUAL_S)
        line.settimeout(ANSWER_USUAL_S)
        message = memoryview(head.encode() + data)
        while message:
            message = message[line.send(message) :]
        received = b""
        while (left := until - time.monotonic()) > 0 and len(received) < ANSWER_BYTES_MAX:
            line.settimeout(left)
            portion = line.recv(1 << 16)
            if not portion:
                break
            received += portion
        begun, _, body = received.partition(b"\r\n\r\n")
        if not begun.startswith(b"HTTP/1.1 200") or left <= 0:
            return None
        return body.decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        line.close()


def _port(folder: str) -> int | None:
    """Where a server listens that lives: it holds a lock on the file that says so."""
    try:
        with open(os.path.join(folder, SERVER), encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return None  # nobody holds it: that server is no more
            except OSError:
                return int(parsed(file.read(SERVER_BYTES_MAX))["port"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _escaped(text: str) -> str:
    return "".join(chr(byte) if chr(byte).isalnum() and byte < 128 else f"%{byte:02X}" for byte in text.encode())


def _word_for(error: BaseException) -> str:
    told = str(error) if isinstance(error, payloads.Unusable | spool.NotKept) else ""
    return told or type(error).__name__


class _Reading:
    """What the scanner of JSON wants to know. `json` itself loads regular expressions, which takes as long again."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str]

    def __init__(self) -> None:
        self.memo = {}


def _scanner() -> Any:
    try:
        import _json
    except ImportError:
        from json import JSONDecoder

        decoder: Any = JSONDecoder(strict=False)
        return decoder.scan_once
    make: Any = _json.make_scanner
    return make(_Reading())


def parsed(text: str) -> Any:
    """A JSON text as its value."""
    stripped = text.strip("\ufeff \t\r\n")
    try:
        value, end = _scanner()(stripped, 0)
    except (StopIteration, ValueError, RecursionError, SystemError):  # the last for half an object
        raise payloads.Unusable("not JSON") from None
    if end != len(stripped):
        raise payloads.Unusable("not JSON")
    return value


def dumped(value: Any) -> str:
    """A value of plain types as JSON on one line."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{ready.quoted(str(name))}:{dumped(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(dumped, value)) + "]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value) if isinstance(value, int) else repr(value) if isinstance(value, float) else ready.quoted(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
