"""Nobody sees or changes more than was granted to them, by whichever door they come in.

The verdicts are this file's own, a few lines that know nothing of the code they judge: who may name what, and what is
seen from where. Every record holds a word that no other record has, so what an answer must not tell is found by reading
it; what a call must not change is found by comparing the tables before and after.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import pytest

pytest.importorskip("mcp")
from interfaces.rest_server import HOST, bearer, token
from interfaces.tool_calls import CALLS
from starlette.testclient import TestClient

from properties.tables import BOOKKEEPING, open_quick
from recollect.compat.langgraph import RecollectStore
from recollect.compat.mem0 import Memory as Mem0
from recollect.compat.openai_agents import RecollectSession
from recollect.errors import RecollectError
from recollect.interfaces.mcp import prompts, resources
from recollect.interfaces.mcp.binding import Binding, binding
from recollect.interfaces.mcp.server import answered
from recollect.interfaces.rest.app import Server
from recollect.interfaces.rest.routes import routes
from recollect.memory import Memory
from recollect.verbs.by_name import plain
from recollect.verbs.signature import signature_of
from recollect.verbs.table import VERBS
from recollect.verbs.verb import Verb

DIMENSIONS = ("project", "squad", "agent_id", "channel", "user_id")
ALIASES = {"user_id": "user", "agent_id": "agent", "project": "workspace"}  # as models write them
RECORDS, CALLERS = 36, 8
CALLS_IN_A_WORLD = 1_000
SLOW_CALLS = int(os.environ.get("RECOLLECT_CALLS", "100_000"))
FIRST_SEED = int(os.environ.get("RECOLLECT_SEED", "1000"))
SLOW = {"maintain": 0.03, "consolidate": 0.1, "replay": 0.2, "decay": 0.2, "reason": 0.3, "export": 0.3}
COUNTED = (  # the audit is none of them: it tells of refusals
    "record",
    "edge",
    "member",
    "entity",
    "mention",
    "operation",
    "session",
    "scope",
    "job",
    "question",
    "mind",
    "feedback",
    "run",
    "access_token",
)
READ_LATER = {"perceived", "facets"}  # what is worked out of a document once somebody has time for it, whoever that is
_PROJECT = TemporaryDirectory(prefix="recollect-project-")  # removed when the process ends
SECRET = re.compile(r"kx\d{4}")
# Callers without a policy may read all of their project; what they read is in mind then, for verbs that tell of that.
OF_MINDS = {"working_minds", "working_slots", "working_state", "slots", "state"}
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
Where = dict[str, str]
MayAdd = dict[str, Any]  # a list of values, or "*"


# --- what is right ----------------------------------------------------------------------------------------------


def scope_of_call(held: Where, may_add: MayAdd, named: Where) -> Where | None:
    """Where a call acts that names these dimensions; None if it must be refused."""
    for name, value in named.items():
        granted = may_add.get(name, ())
        if held.get(name) != value and (name in held or (granted != "*" and value not in granted)):
            return None
    return {**held, **named}


def sees(search: Where, record: Where, reach: str | None = None, *, own: Where | None = None) -> bool:
    """`own`: what a record must set at least, where a caller is shown nothing but his own."""
    if own is not None and not own.items() <= record.items():
        return False
    if reach == "project" and "project" in search and not {"channel", "user_id"} & record.keys():
        return record.get("project") == search["project"] or sees(search, record)
    return all(search.get(name) == value for name, value in record.items())


# --- the world --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Caller:
    """Somebody with a grant, at every door."""

    held: Where
    may_add: MayAdd
    policy: str | None
    handle: Memory
    token: dict[str, str]
    tools: Binding


class World:
    """A store with a record in each of many scopes, seen from outside through a connection of its own."""

    def __init__(self, path: Path, chance: random.Random) -> None:
        self.chance = chance
        self.memory = open_quick(
            path, config={"upkeep.scheduled": False, "serve.requests_per_minute": 0, "serve.answer_timeout_s": 600}
        )
        self.memory._opened.worker.close()  # nothing changes by itself
        self.rest = TestClient(Server(self.memory).app, base_url=HOST)
        self.secrets: dict[str, list[Where]] = {}  # word or id of a record -> where it may be told, its own place first
        self.operations: list[str] = []
        self.edges: list[str] = []
        self._db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        columns = [row[1] for row in self._db.execute("PRAGMA table_info(record)")]
        kept = ", ".join(name for name in columns if name not in {*BOOKKEEPING, *READ_LATER, "pk"})
        self._rows = f"SELECT id, {kept} FROM record WHERE head_pk IS NULL"
        self._counts = " UNION ALL ".join(f"SELECT count(*) FROM {name}" for name in COUNTED)
        self.fill(RECORDS)

    def close(self) -> None:
        self._db.close()

    def place(self, most: int = 3) -> Where:
        dimensions = self.chance.sample(DIMENSIONS, self.chance.randint(0, most))
        return {name: self.chance.choice("ab") for name in sorted(dimensions)}

    def fill(self, count: int) -> None:
        """The owner stores more, and relates some of it."""
        added = []
        for _ in range(count):
            where, word = self.place(), f"kx{len(self.secrets):04}"
            receipt = self.memory.add(f"A note of Tobias on tea: {word}", infer=False, session_id="s", **where)  # type: ignore[arg-type]
            self.secrets[word], self.secrets[receipt.id] = [where], [where]
            self.operations.append(receipt.operation or "")
            added.append(receipt.id)
        for one, other in zip(added[::2], added[1::2], strict=False):
            self.edges.append(self.memory.relate(one, other, self.chance.choice(("relates_to", "supports"))))

    def caller(self) -> Caller:
        held = self.place(2)
        free = [name for name in DIMENSIONS if name not in held]
        may_add: MayAdd = {
            name: self.chance.choice(("*", ["a"], ["a", "b"]))
            for name in self.chance.sample(free, self.chance.choice((0, 0, 1, 2)))
        }
        fitting = [None, "own+global", *(["own"] if held else []), *(["project"] if "project" in held else [])]
        policy = self.chance.choice(fitting)
        given: Any = {"may_add": may_add, "policy": policy}
        text = token(self.memory, "read", "write", "admin", name=f"t{self.chance.random()}", **given, **held)
        tools = binding(self.memory, tools="all", scope=held, **given)
        return Caller(held, may_add, policy, self.memory.scoped(**given, **held), bearer(text), tools)

    def ids(self) -> list[str]:
        return [each for each in self.secrets if ID.fullmatch(each)]

    def rows(self) -> dict[str, int]:
        return {row[0]: hash(row) for row in self._db.execute(self._rows)}

    def joined(self) -> dict[str, tuple[Any, ...]]:
        """Edges that hold, with the ids of their members."""
        found = self._db.execute(
            "SELECT e.id, e.weight, e.confidence, group_concat(r.id) FROM edge e JOIN member m ON m.edge_pk = e.pk "
            "JOIN record r ON r.pk = m.record_pk WHERE e.retired_at IS NULL GROUP BY e.pk"
        )
        return {row[0]: row[1:] for row in found}

    def figures(self) -> list[tuple[int, ...]]:
        return self._db.execute(self._counts).fetchall()

    def said_in(self, id_: str) -> set[str]:
        """The words of a copy, and the id of what it was made of."""
        query = "SELECT content, attributes FROM record WHERE id = ? AND head_pk IS NULL"
        (content, attributes), *_ = self._db.execute(query, (id_,))
        return {*SECRET.findall(content), *ID.findall(attributes or "")}

    def scope_now(self, id_: str) -> Where:
        columns = ", ".join(f"s.{name}" for name in DIMENSIONS)
        found = self._db.execute(
            f"SELECT {columns} FROM record r JOIN scope s ON s.pk = r.scope_pk WHERE r.id = ? AND r.head_pk IS NULL",
            (id_,),
        ).fetchall()
        return {name: value for name, value in zip(DIMENSIONS, found[0], strict=True) if value is not None}


# --- what callers try -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attempt:
    """`run` answers with all that was said; whoever is refused gets an error, in which is said why."""

    door: str
    what: str
    named: Where
    run: Callable[[], str]
    given: str = ""  # what the caller said itself
    reach: str | None = None


class Refusal(Exception):
    """What a door answers where Python raises."""


def some_scope(world: World, caller: Caller) -> Where:
    """Dimensions as a caller may name them: what is held, what may be added, and often more than that."""
    named = world.place(2) if world.chance.random() < 0.7 else {}
    if world.chance.random() < 0.3:
        named |= caller.held
    return {name: value for name, value in named.items() if value}


@cache
def small_project() -> str:
    """A folder with code in it, for all of this process: not the one that the tests were started in."""
    folder = Path(_PROJECT.name)
    (folder / "tea.py").write_text("def brew(cups: int) -> int:\n    return cups * 2\n", encoding="utf-8")
    return str(folder)


def arguments_for(world: World, verb: Verb) -> dict[str, Any]:
    """Arguments of a verb, by the names of what it needs; a verb that is new gets what its signature asks for."""
    chance, ids = world.chance, world.ids()
    by_name: dict[str, Callable[[], Any]] = {
        "id": lambda: chance.choice(ids),
        "id_or_text": lambda: chance.choice((*ids[:9], "tea")),
        "a": lambda: chance.choice(ids),
        "b": lambda: chance.choice(ids),
        "source": lambda: chance.choice(ids),
        "target": lambda: chance.choice(ids),
        "edge": lambda: chance.choice(world.edges),
        "operation": lambda: chance.choice(world.operations),
        "question": lambda: "what is said of tea?",
        "name": lambda: "Tobias",
        "keep": lambda: "Tobias",
        "other": lambda: "tea",
        "aliases": lambda: ["Toby"],
        "path": lambda: io.BytesIO(b'[{"memory": "a note that came in"}]' if verb.writes else b""),
        "findings": lambda: [{"content": "tea is brown"}],
        "helpful": lambda: False,
        "user_id": lambda: "a",
        "content": lambda: f"a new note on coffee {chance.random()}",
        "summary": lambda: "- coffee was had",
    }
    found: dict[str, Any] = {}
    for each in signature_of(verb).parameters:
        if (each.required or (verb.name == "relate" and each.name in ("source", "target"))) and not each.scope:
            found[each.name] = by_name.get(each.name, lambda: "which tea?")()
    extra: dict[str, dict[str, Any]] = {
        "delete": {"hard": chance.random() < 0.1},
        "delete_all": {"filters": {"session_id": {"exists": True}}},
        "update": {"content": f"another note {chance.random()}"},
        "add": {"infer": False},
        "dismiss": {"question": ids[0]},
        "related": {"depth": 3},
        "search": {"top_k": 50},
        "export": {"format": "jsonl"},
        "maintain": {"dry_run": True},
        "code_index": {"path": small_project()},
    }
    return {**found, **extra.get(verb.name, {})}


def by_library(world: World, caller: Caller) -> Attempt:
    verb = world.chance.choice([verb for verb in VERBS if world.chance.random() < SLOW.get(verb.name, 1.0)])
    given, scoped = arguments_for(world, verb), {each.name for each in signature_of(verb).parameters if each.scope}
    named = some_scope(world, caller) if "project" in scoped else {}
    reach = world.chance.choice((None, None, None, "project")) if "reach" in scoped else None
    handle = caller.handle

    def run() -> str:
        call = verb.of(handle)
        answer = call(**given, **named, **({"reach": reach} if reach else {}))
        written = given["path"].getvalue().decode() if verb.name == "export" else ""
        told = "" if answer is None else json.dumps(plain(verb, answer, given), default=str)
        return told + written + repr(answer)

    return Attempt("library", verb.name, named, run, given=str(given), reach=reach)


def by_namespace(world: World, caller: Caller) -> Attempt:
    named, mind = some_scope(world, caller), caller.handle.working
    what, call = world.chance.choice(
        [
            ("slots", lambda: mind.slots(session_id="s", **named)),
            ("note", lambda: mind.note("coffee", **named)),
            ("state", lambda: mind.state(session_id="s", **named)),
            ("clear", lambda: mind.clear(**named)),
            ("suspend", lambda: mind.suspend(session_id="s", **named)),
            ("resume", lambda: mind.resume(**named)),
            ("turn", lambda: _turn(caller.handle, named)),
            ("scoped", lambda: caller.handle.scoped(**named).get_all()),
        ]
    )
    return Attempt("namespace", what, named, lambda: repr(call()))


def _turn(handle: Memory, named: Where) -> str:
    with handle.turn("what is said of tea?", session_id="s", **named) as turn:  # type: ignore[arg-type]
        turn.answer("coffee is better")
        return repr(turn.window)


def by_tool(world: World, caller: Caller) -> Attempt:
    if world.chance.random() < 0.1:
        what, call = world.chance.choice(
            [
                ("resources", lambda: repr(resources.listed(caller.tools.memory))),
                ("prompt", lambda: repr(prompts.prompt(caller.tools, "recall", {"question": "what is said of tea?"}))),
                ("resource", lambda: repr(resources.read(caller.tools.memory, f"recollect://record/{chosen}"))),
            ]
        )
        chosen = world.chance.choice(world.ids())
        return Attempt("tools", what, {}, call, given=chosen)
    tool = world.chance.choice(CALLS)
    named = some_scope(world, caller)
    given = {
        name: world.chance.choice(world.ids()) if isinstance(value, str) and value.startswith("$") else value
        for name, value in tool.arguments.items()
    }
    said = {ALIASES.get(name, name) if world.chance.random() < 0.2 else name: value for name, value in named.items()}

    def run() -> str:
        result = answered(caller.tools.tools[tool.tool], {**given, **said}, caller.tools)
        told = str(result.model_dump())
        if result.is_error:
            raise Refusal(told)
        return told

    return Attempt("tools", tool.tool, named, run, given=str(given))


def by_rest(world: World, caller: Caller) -> Attempt:
    route = world.chance.choice([each for each in routes() if world.chance.random() < SLOW.get(each.verb, 1.0)])
    verb = next(verb for verb in VERBS if verb.name == route.verb)
    given, signature = arguments_for(world, verb), signature_of(verb)
    named = some_scope(world, caller) if any(each.scope for each in signature.parameters) else {}
    path = re.sub(r"\{(\w+)\}", lambda part: str(given.pop(part[1])), route.path)
    body = {**{name: value for name, value in given.items() if value is not False}, **named}

    def run() -> str:
        sent: dict[str, Any] = {"json": body} if route.has_body else {"params": {k: str(v) for k, v in body.items()}}
        return _answer(world.rest.request(route.method, path, headers=caller.token, **sent))

    return Attempt("rest", verb.name, named, run, given=path + str(body))


def by_file(world: World, caller: Caller) -> Attempt:
    named = some_scope(world, caller)
    if world.chance.random() < 0.7:
        return Attempt(
            "rest", "export", named, lambda: _answer(world.rest.get("/v1/export", params=named, headers=caller.token))
        )
    sent = {"params": named, "content": b'[{"memory": "a note that came in"}]'}
    headers = {**caller.token, "content-type": "application/x-ndjson"}
    return Attempt("rest", "import", named, lambda: _answer(world.rest.post("/v1/import", headers=headers, **sent)))  # type: ignore[arg-type]


def by_events(world: World, caller: Caller) -> Attempt:
    named = some_scope(world, caller)
    return Attempt("events", "events", named, lambda: world.rest.portal.call(_listen, world.rest.app, named, caller))  # type: ignore[union-attr]


async def _listen(app: Any, named: Where, caller: Caller) -> str:
    """The whole feed from its beginning, as far as it is told in a moment."""
    heard: list[bytes] = []
    status = 0

    async def receive() -> dict[str, Any]:
        if heard:
            await asyncio.sleep(0.05)
            return {"type": "http.disconnect"}
        await asyncio.sleep(0)
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Mapping[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)
        heard.append(message.get("body", b""))

    headers = [
        (b"host", b"127.0.0.1"),
        (b"last-event-id", b"0"),
        *((k.encode(), v.encode()) for k, v in caller.token.items()),
    ]
    query = "&".join(f"{name}={value}" for name, value in named.items()).encode()
    await app(
        {
            "type": "http",
            "method": "GET",
            "path": "/v1/events",
            "raw_path": b"/v1/events",
            "query_string": query,
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 7077),
            "scheme": "http",
            "http_version": "1.1",
            "root_path": "",
            "asgi": {"version": "3.0"},
        },
        receive,
        send,
    )
    told = b"".join(heard).decode()
    if status != 200:
        raise Refusal(told)
    return told


def _answer(response: Any) -> str:
    if response.status_code >= 400:
        assert response.status_code < 500, response.text
        raise Refusal(response.text)
    return str(response.text)


def by_bridge(world: World, caller: Caller) -> Attempt:
    chance, handle = world.chance, caller.handle
    kind = chance.choice(("mem0", "langgraph", "agents"))
    named = some_scope(world, caller)
    if kind == "mem0":
        named = {name: value for name, value in named.items() if name in ("user_id", "agent_id")} or {"user_id": "a"}
        mem0 = Mem0(memory=handle)
        what, call = chance.choice(
            [
                ("add", lambda: mem0.add("a new note on coffee", **named)),
                ("all", lambda: mem0.get_all(filters=named)),
                ("search", lambda: mem0.search("what is said of tea?", filters=named)),
                ("delete_all", lambda: mem0.delete_all(**named)),
            ]
        )
        return Attempt("bridges", f"mem0.{what}", named, lambda: repr(call()))
    if kind == "langgraph":
        write = chance.random() < 0.5

        def graph() -> str:
            store = RecollectStore(handle, **{"channel": None, **named})  # type: ignore[arg-type]
            return repr(store.put(("n",), "k", {"text": "coffee"}) if write else store.search((), query="tea"))

        return Attempt("bridges", "langgraph", named, graph)
    items: Any = [{"role": "user", "content": "coffee"}]

    def session() -> str:
        held = RecollectSession("s", handle, infer=False, **named)  # type: ignore[arg-type]
        return repr(asyncio.run(held.add_items(items) if items else held.get_items()))

    items = items if chance.random() < 0.5 else None
    return Attempt("bridges", "openai_agents", named, session)


DOORS = (
    (by_library, 60),
    (by_namespace, 6),
    (by_tool, 16),
    (by_rest, 12),
    (by_file, 1),
    (by_events, 0.5),
    (by_bridge, 5),
)


# --- the judgement ----------------------------------------------------------------------------------------------


def judged(world: World, caller: Caller, attempt: Attempt) -> str:
    """What became of an attempt; it fails where more was told or changed than was granted."""
    where = scope_of_call(caller.held, caller.may_add, attempt.named)
    own = caller.held if caller.policy == "own" else None
    if attempt.reach == "project" and caller.policy in ("own", "own+global"):
        where = None
    before, joined, figures = world.rows(), world.joined(), world.figures()
    try:
        said, failed = attempt.run(), None
    except (RecollectError, Refusal, TypeError) as error:
        said, failed = str(error), error
    after, joined_now = world.rows(), world.joined()
    about = (attempt.door, attempt.what, caller.held, caller.may_add, caller.policy, attempt.named, attempt.reach)
    told = set(SECRET.findall(said)) | (set(ID.findall(said)) - set(ID.findall(attempt.given)))
    if attempt.what == "audit":  # names what the same caller asked for before, in vain
        told = set(SECRET.findall(said))
    if where is None:
        assert failed is not None, f"not refused: {about}"
        assert (after, joined_now, world.figures()) == (before, joined, figures), f"changed though refused: {about}"
        assert not told & world.secrets.keys(), f"told though refused: {about}"
        return "refused" if "E4001" in said else "refused for another reason"
    looked_far = caller.policy == "project" or (caller.policy is None and attempt.what in OF_MINDS)
    reach = attempt.reach or ("project" if looked_far else None)  # what was read so before is in mind
    known = [word for word in told if word in world.secrets]
    leaks = [word for word in known if not any(sees(where, each, reach, own=own) for each in world.secrets[word])]
    assert not leaks, f"told of {[world.secrets[word] for word in leaks]}: {about}"
    changed = {id_ for id_ in before.keys() | after.keys() if before.get(id_) != after.get(id_)}
    for id_ in changed - world.secrets.keys():
        world.secrets[id_] = [world.scope_now(id_)]
        if attempt.what == "promote":  # by one who may: what it says is no secret in the wider scope
            for word in world.said_in(id_):
                world.secrets.setdefault(word, []).append(world.secrets[id_][0])
    touched = set(changed)
    for edge in joined.keys() | joined_now.keys():
        members = set(ID.findall(str((joined.get(edge) or joined_now[edge])[-1])))
        if joined.get(edge) != joined_now.get(edge) and not members & (before.keys() - after.keys()):
            touched |= members  # an edge that goes with an erased member leaves the others as they were
    homes = [world.secrets[id_][0] for id_ in touched]
    beyond = [home for home in homes if not sees(where, home, own=own)]
    assert not beyond, f"changed records of {beyond}: {about}"
    return "done" if failed is None else "in vain"


@contextmanager
def world_at(path: Path, seed: int) -> Iterator[World]:
    world = World(path, random.Random(seed))
    with world.rest:  # closes the memory
        try:
            yield world
        finally:
            world.close()


def attacked(folder: Path, *, seed: int, calls: int) -> Counter[str]:
    """That many calls by callers with random grants, through random doors."""
    outcome: Counter[str] = Counter()
    with world_at(folder / f"{seed}.db", seed) as world:
        callers = [world.caller() for _ in range(CALLERS)]
        makers, weights = zip(*DOORS, strict=True)
        for number in range(calls):
            caller = world.chance.choice(callers)
            attempt = world.chance.choices(makers, weights)[0](world, caller)
            outcome[judged(world, caller, attempt)] += 1
            outcome[attempt.door] += 1
            if number % 50 == 0 and len(world.memory.get_all(reach="all", limit=RECORDS).records) < RECORDS // 2:
                world.fill(RECORDS)
    return outcome


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_seen_or_changed_that_was_not_granted(tmp_path: Path, seed: int) -> None:
    outcome = attacked(tmp_path, seed=seed, calls=1_000)
    assert outcome["refused"] > 200, outcome
    assert outcome["done"] > 200, outcome


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_nothing_is_seen_or_changed_in_a_hundred_thousand_calls(tmp_path: Path) -> None:
    """`RECOLLECT_CALLS` of them, a thousand in each of many worlds, from `RECOLLECT_SEED` on."""
    total, wrong = Counter[str](), list[str]()
    for seed in range(FIRST_SEED, FIRST_SEED + -(-SLOW_CALLS // CALLS_IN_A_WORLD)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            outcome = attacked(folder, seed=seed, calls=CALLS_IN_A_WORLD)
            assert min(outcome["refused"], outcome["done"]) > 100, outcome
            total += outcome
        except Exception as error:
            wrong.append(f"RECOLLECT_SEED={seed}: {type(error).__name__}: {error}"[:900])
            print(wrong[-1], flush=True)
        shutil.rmtree(folder)
    ways = ("library", "namespace", "tools", "rest", "events", "bridges")
    doors = ", ".join(f"{way} {total[way]}" for way in ways)
    calls = sum(total[each] for each in ("refused", "refused for another reason", "done", "in vain"))
    came = f"{total['done']} done, {total['refused']} refused, {len(wrong)} wrong"
    print(f"{calls} calls by callers with random grants: {came}")
    print(f"{calls} calls by door: {doors}")
    assert wrong == []
