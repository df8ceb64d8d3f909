"""Every verb of the table by every interface: the same arguments, the same refusals, the same answers.

The calls are the examples of the table's rows, and the wrong calls are made from signatures, so that a new verb is
compared without a line here. Which interface has a verb is told by the table too: `on_files` and `tool`.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import atlas
import pytest

pytest.importorskip("mcp")
from commands import Run
from mcp import Client
from rest_server import client as rest_client

import recollect
from recollect.errors import RecollectError
from recollect.interfaces.cli.app import assembled
from recollect.interfaces.cli.wording import flag
from recollect.interfaces.lanes import Lanes
from recollect.interfaces.mcp.binding import binding
from recollect.interfaces.mcp.server import build
from recollect.interfaces.rest.routes import routes
from recollect.verbs.by_name import plain
from recollect.verbs.checking import fits
from recollect.verbs.signature import method_of, signature_of
from recollect.verbs.table import VERBS
from recollect.verbs.toolsets.run import run as run_tool
from recollect.verbs.verb import Verb

ROUTES = {route.verb: route for route in routes()}
USAGE = "E4005"
NOTHING = "<nothing>"
WRONG = "many"  # where a number, a truth or an object is wanted
NO_TEXT = 0.5  # where a text is wanted; only what is sent as JSON can be wrong in this way
_FREE = re.compile(r"\d+ MiB")
_MARK_TOKENS = 16  # by which two contexts may differ that are alike but for their marks, whose letters are drawn by lot
_MARK = re.compile(r"recollect:[0-9a-f]{12}(?::\d+:[0-9a-f]{12})?")  # of a context: a new one each time
_MEASURED = ("_ms", "_s", "_mb", "_bytes", "_hash", "path")
_ID = re.compile(r"\b[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?\b|\b[0-9a-f]{32}\b")  # whole or short
_MOMENT = re.compile(r"\d{4}-?\d\d-?\d\dT[\d:.]+(?:\+00:00|Z)?")  # in answers, and in names of files
EVERY = pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
OFFERED = pytest.mark.parametrize("verb", [verb for verb in VERBS if verb.tool], ids=lambda verb: verb.name)


@dataclass(frozen=True)
class Store:
    """A store to copy, and what the examples of the table call by name."""

    path: Path
    names: Mapping[str, Any]

    def copy(self, to: Path) -> Path:
        """The same store again, at the same place."""
        shutil.rmtree(to, ignore_errors=True)
        to.mkdir()
        return Path(shutil.copy(self.path, to / "memory.db"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    path = tmp_path_factory.mktemp("store") / "memory.db"
    with recollect.open(path, embedder="fake") as memory:
        texts = ("Ana moved from vim to Helix", "Helix is an editor", "Ana Ruiz lives in Rome", "Annie likes tea")
        a, b, id_, _ = (memory.add(text).id for text in texts)
        memory.add("Ana's editor is Helix", user_id="ana")
        memory.add("Ben, called Benny, met Benny's sister")
        edge = memory.relate(a, b, "supports")
        memory.flag(b, reason="she never said that")
        receipt = memory.add("Ben keeps bees")
        memory.code.index(atlas.project(path.parent))
        nothing = "00000000-0000-4000-8000-000000000000"
        question = SimpleNamespace(id=nothing, publication=nothing)
        turn = memory.turns.begin("Which editor does Ana use?")
        memory.settle()
    names = {"id": id_, "a": a, "b": b, "edge": edge, "receipt": receipt, "each": question, "turn": turn}
    return Store(path, names)


@pytest.fixture
def here(environment: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: Store) -> Path:
    """A folder with the files that the examples name."""
    folder = tmp_path / "here"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "bees.md").write_text("# Bees\n\nBen keeps bees.\n", encoding="utf-8")
    atlas.project(folder)
    with recollect.open(store.copy(tmp_path / "store"), embedder="fake") as memory:
        memory.export(folder / "copy.jsonl")
        (folder / "report.json").write_text(json.dumps(memory.erase(session_id="nowhere").to_dict()))
    monkeypatch.chdir(folder)
    return folder


def example(verb: Verb, store: Store) -> dict[str, Any]:
    """The arguments of the call that the row of a verb shows, by name."""
    calls = [node for node in ast.walk(ast.parse(verb.example)) if isinstance(node, ast.Call)]
    call = next(node for node in calls if ast.unparse(node.func) == f"mem.{verb.on_memory}")

    def value(node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), verb.name, "eval"), dict(store.names))

    places = [value(each) for each in call.args]
    words = {each.arg: value(each.value) for each in call.keywords if each.arg}
    bound = inspect.signature(method_of(verb)).bind(None, *places, **words)
    given = {name: each for name, each in bound.arguments.items() if name != "self"}
    for name, parameter in inspect.signature(method_of(verb)).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            given |= given.pop(name, {})
    return given


# --- the interfaces, each as a function of a verb and its arguments -------------------------------------------------


class Refusal(NamedTuple):
    """A call that was not carried out."""

    code: str


Said = dict[str, Any] | Refusal
Ask = Callable[[Verb, Mapping[str, Any]], Said]


@contextmanager
def library(path: Path) -> Iterator[Ask]:
    def ask(verb: Verb, given: Mapping[str, Any]) -> Said:
        try:
            answer = verb.of(memory)(**given)
            return json.loads(json.dumps(plain(verb, answer, given)))  # type: ignore[no-any-return]
        except RecollectError as error:
            return Refusal(error.code)
        except TypeError:  # Python's own word for an argument that is missing or unknown
            return Refusal(USAGE)

    with recollect.open(path, embedder="fake") as memory:
        yield ask


@contextmanager
def rest(path: Path) -> Iterator[Ask]:
    def ask(verb: Verb, given: Mapping[str, Any]) -> Said:
        route = ROUTES[verb.name]
        rest_of = {name: value for name, value in given.items() if name not in route.in_path}
        at = re.sub(r"\{(\w+)\}", lambda found: str(given.get(found[1], " ")), route.path)
        sent: dict[str, Any] = {"json": rest_of} if route.has_body else {"params": _in_a_query(rest_of)}
        answer = client.request(route.method, at, **sent)
        return answer.json() if answer.is_success else Refusal(answer.json()["code"])

    with rest_client(path) as client:
        yield ask


def _in_a_query(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: json.dumps(value) if isinstance(value, dict) else value for name, value in given.items()}


@contextmanager
def shell(path: Path, run: Run) -> Iterator[Ask]:
    def ask(verb: Verb, given: Mapping[str, Any]) -> Said:
        done = run("-o", "json", "--db", str(path), *words_of(verb, given))
        data = json.loads(done.out)
        return Refusal(data["code"]) if "error" in data and "code" in data else data

    yield ask


def words_of(verb: Verb, given: Mapping[str, Any]) -> list[str]:
    """A call as it is typed."""
    words = [*verb.in_shell.split(), *(["--yes"] if verb.destructive else [])]
    for name, value in given.items():
        if name in verb.positional:
            continue
        if value is True or value is False:
            words.append(flag(name) if value else f"--no-{flag(name)[2:]}")
        else:
            each = value if isinstance(value, list) and not any(isinstance(one, dict) for one in value) else [value]
            words += [f"{flag(name)}={one if isinstance(one, str) else json.dumps(one)}" for one in each]
    places = [given[name] for name in verb.positional if name in given]
    return [*words, "--", *(each if isinstance(each, str) else _typed(each) for each in places)]


def _typed(value: Any) -> str:
    words = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return ",".join(value) if words else json.dumps(value)


@contextmanager
def tools(path: Path) -> Iterator[Ask]:
    """MCP's client and server, without a wire between them. The call is the tool's, by its own names."""

    async def call(name: str, given: dict[str, Any]) -> Said:
        async with Client(server) as client:
            result = await client.call_tool(name, given)
        data: dict[str, Any] = result.structured_content
        return Refusal(data["code"]) if result.is_error else data

    def ask(verb: Verb, given: Mapping[str, Any]) -> Said:
        assert verb.tool is not None
        return asyncio.run(call(verb.tool.name, dict(given)))

    with recollect.open(path, embedder="fake") as memory:
        bound = binding(memory, tools="default,turns,agents", may_add="*")
        lanes = Lanes(lambda: memory.config.serve)
        server = build(lambda _: bound, lanes)
        yield ask
        lanes.close()


def as_a_tool(verb: Verb, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that models are offered, by the names that models know; who it is for stays as it is."""
    assert verb.tool is not None
    mine = {each.on_verb: each for each in verb.tool.takes if each.own is None}
    scope = {each.name for each in signature_of(verb).parameters if each.scope}
    named = {name: value for name, value in given.items() if name in scope}
    for name, value in given.items():
        if name in mine:
            named[mine[name].name] = value[0] if mine[name].one else value
    return named


# --- what is compared -------------------------------------------------------------------------------------------


def differences(said: Any, expected: Any, known: set[str], *, more: bool = False, at: str = "") -> list[str]:
    """Where an answer is another one, leaving aside what no two runs share: new ids, the moment, how long it took.

    With `more` it may say more than it is expected to: the shell adds words for people, also where there were none.
    """
    if more and expected is None:
        return []
    if isinstance(expected, dict) and isinstance(said, dict):
        names = expected.keys() if more else expected.keys() | said.keys()
        compared = [name for name in names if not name.endswith(_MEASURED)]
        pairs = [(f".{name}", said.get(name, NOTHING), expected.get(name, NOTHING)) for name in compared]
    elif isinstance(expected, list) and isinstance(said, list) and len(said) == len(expected):
        pairs = [(f"[{number}]", *both) for number, both in enumerate(zip(said, expected, strict=True))]
    elif isinstance(expected, float) or at.endswith("tokens"):  # some fade with the time; a mark takes some more
        leeway = 0.05 * max(1.0, abs(expected)) + (_MARK_TOKENS if at.endswith("tokens") else 0.0)
        same = isinstance(said, float | int) and abs(said - expected) <= leeway
        return [] if same else [f"{at}: {said!r} instead of {expected!r}"]
    else:
        same = _lasting(said, known) == _lasting(expected, known)
        return [] if same else [f"{at}: {said!r:.100} instead of {expected!r:.100}"]
    found = [differences(one, other, known, more=more, at=at + place) for place, one, other in pairs]
    return [each for several in found for each in several]


def _lasting(value: Any, known: set[str]) -> Any:
    if not isinstance(value, str):
        return value
    text = _ID.sub(lambda found: found[0] if found[0] in known else "<id>", value)
    for pattern in (_MOMENT, _FREE, _MARK):
        text = pattern.sub("<new>", text)
    return text


def ids_in(said: Any) -> set[str]:
    return set(_ID.findall(json.dumps(said)))


@EVERY
def test_answers_are_the_same(verb: Verb, store: Store, here: Path, tmp_path: Path, run: Run) -> None:
    given, known = example(verb, store), ids_in(sorted(map(str, store.names.values())))
    with library(store.copy(tmp_path / "store")) as ask:
        expected = ask(verb, given)
    with shell(store.copy(tmp_path / "store"), run) as ask:
        assert not differences(ask(verb, given), expected, known, more=True)
    if not verb.on_files:
        with rest(store.copy(tmp_path / "store")) as ask:
            assert not differences(ask(verb, given), expected, known)


@OFFERED
def test_a_tool_answers_what_the_verb_answers(verb: Verb, store: Store, tmp_path: Path) -> None:
    """Briefly, and for a caller who sees no further than a scope."""
    assert verb.tool is not None
    given, known = example(verb, store), ids_in(sorted(map(str, store.names.values())))
    offered = as_a_tool(verb, given)
    with tools(store.copy(tmp_path / "store")) as ask:
        said = ask(verb, offered)
    with recollect.open(store.copy(tmp_path / "store"), embedder="fake") as memory:
        expected = run_tool(verb.tool.name, offered, memory=memory, tools="default,turns,agents", may_add="*")
    short = {id_[:8] for id_ in known}
    assert not differences(said, expected, known | short)
    with recollect.open(store.copy(tmp_path / "store"), embedder="fake") as memory:
        handle = memory.scoped(may_add="*")
        implied = verb.implied_by(verb.tool.calls)
        whole = json.dumps(plain(verb, verb.of(handle)(**given, **implied), given))
    assert all(id_ in whole for id_ in told_ids(said) & short)


def told_ids(said: Any) -> set[str]:
    """The ids of records that a tool tells, short as they are."""
    return set(re.findall(r'"id": "([0-9a-f]{8})"', json.dumps(said)))


# --- the same arguments -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    with rest_client(tmp_path_factory.mktemp("document") / "memory.db") as client:
        return client.get("/openapi.json").json()  # type: ignore[no-any-return]


def typed_names(verb: Verb) -> set[str]:
    """Everything that the command of a verb takes, its own options and those of every command."""
    command = assembled({*verb.in_shell.split()})
    for word in verb.in_shell.split():
        command = command.get_command(None, word)
    return {each.name for each in command.params}


def shown(verb: Verb) -> set[str]:
    return {each.name for each in signature_of(verb).parameters if each.name not in verb.hidden}


@EVERY
def test_arguments_are_the_same(verb: Verb, document: Mapping[str, Any]) -> None:
    assert shown(verb) <= typed_names(verb)
    assert typed_names(verb).isdisjoint(verb.hidden)
    if not verb.on_files:
        route = ROUTES[verb.name]
        operation = document["paths"][route.path][route.method.lower()]
        by_name = {each["name"] for each in operation.get("parameters", ()) if each["in"] != "header"}
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        assert by_name | body.get("properties", {}).keys() == shown(verb) - {"if_version"}  # there it is a header
    if verb.tool is not None:
        assert {each.on_verb for each in verb.tool.takes if each.own is None} <= shown(verb)


# --- the same refusals ------------------------------------------------------------------------------------------


def mistakes(verb: Verb, right: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls that are wrong in one thing: an argument too many or too few, of another type, or beyond its bounds."""
    yield "unknown", {**right, "no_such_argument": "x"}
    seen: set[str] = set()
    for each in signature_of(verb).parameters:
        if each.required:
            yield f"without {each.name}", {name: value for name, value in right.items() if name != each.name}
        kind = json.dumps(each.schema)
        if each.scope or kind in seen:
            continue
        seen.add(kind)
        if not fits(WRONG, each.schema):
            yield f"{each.name} of another type", {**right, each.name: WRONG}
        if not fits(NO_TEXT, each.schema):
            yield f"{each.name} as {NO_TEXT}", {**right, each.name: NO_TEXT}
        for bound, beyond in (("minimum", -1), ("maximum", 1)):
            if bound in each.schema:
                yield f"{each.name} beyond its {bound}", {**right, each.name: each.schema[bound] + beyond}


def meant_in_shell(verb: Verb) -> str:
    """What people may leave out, because it means something there."""
    return f"without {verb.left_out[0]}"


def in_the_path(verb: Verb) -> set[str]:
    """What cannot be wrong in a request: it is a text there, and without it the request is another one."""
    return {wrong.format(name) for name in ROUTES[verb.name].in_path for wrong in ("without {}", f"{{}} as {NO_TEXT}")}


class Doors(NamedTuple):
    """Interfaces that stay open over stores of their own: a call that is refused leaves nothing behind."""

    library: Ask
    rest: Ask
    tools: Ask


@pytest.fixture(scope="module")
def doors(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    def own() -> Path:
        return store.copy(tmp_path_factory.mktemp("door") / "store")

    with library(own()) as in_python, rest(own()) as over_http, tools(own()) as by_models:
        yield Doors(in_python, over_http, by_models)


@EVERY
def test_refusals_are_the_same(verb: Verb, store: Store, doors: Doors, here: Path, tmp_path: Path, run: Run) -> None:
    wrong = list(mistakes(verb, example(verb, store)))
    told: dict[str, dict[str, Said]] = {}
    told["library"] = {what: doors.library(verb, given) for what, given in wrong}
    with shell(store.copy(tmp_path / "store"), run) as ask:
        typed = {what: given for what, given in wrong if what != meant_in_shell(verb) and NO_TEXT not in given.values()}
        told["shell"] = {what: ask(verb, given) for what, given in typed.items()}
    if not verb.on_files:
        sent = {what: given for what, given in wrong if what not in in_the_path(verb)}
        if not ROUTES[verb.name].has_body:
            sent = {what: given for what, given in sent.items() if NO_TEXT not in given.values()}
        told["rest"] = {what: doors.rest(verb, given) for what, given in sent.items()}
    if verb.tool is not None:
        takes = {each.on_verb for each in verb.tool.takes if each.own is None}
        offered = {
            what: {**as_a_tool(verb, given), **{name: given[name] for name in given if name == "no_such_argument"}}
            for what, given in wrong
            if what == "unknown" or set(what.split()) & takes
        }
        told["tools"] = {what: doors.tools(verb, given) for what, given in offered.items()}
    accepted = [f"{by}: {what}" for by, all_ in told.items() for what, said in all_.items() if said != Refusal(USAGE)]
    assert not accepted


def test_what_is_to_be_looked_at_and_fades_is_said_by_every_interface(
    store: Store, tmp_path: Path, run: Run, here: Path
) -> None:
    said = {"needs_review": True, "half_life_days": 3.0}

    def kept(memory: recollect.Memory, content: str) -> dict[str, Any]:
        found = next(record for record in memory.get_all(limit=50) if record.content == content)
        return {name: getattr(found, name) for name in said}

    path = store.copy(tmp_path / "said")
    assert run("--db", str(path), "add", "by the shell", "--needs-review", "--half-life-days", "3").code == 0
    with rest_client(path) as http:
        assert http.post("/v1/memories", json={"content": "by HTTP", **said}).status_code < 300
    with recollect.open(path, embedder="fake") as memory:
        memory.add("by Python", **said)  # type: ignore[arg-type]
        run_tool("add_memory", {"content": "by a tool", **said}, {}, memory=memory)
        for content in ("by Python", "by a tool", "by HTTP", "by the shell"):
            assert kept(memory, content) == said
