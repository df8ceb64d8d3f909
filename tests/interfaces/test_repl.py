"""The sandbox: what the five functions do, what a run may use, and what does not get out."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

import recollect
from recollect.errors import NotFound, SandboxError, UsageError
from recollect.interfaces.repl import Sandbox, run_shell
from recollect.interfaces.repl.channel import BrokenFrameError, PipeChannel
from recollect.interfaces.repl.functions import FUNCTIONS
from recollect.memory import Memory
from recollect.model.scope import Scope

POLICY_SOURCES = Path(sys.modules["recollect.interfaces.repl"].__file__ or "").parent


@pytest.fixture
def sandbox(memory: Memory) -> Iterator[Sandbox]:
    with Sandbox(memory, time_s=10) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def prison() -> Iterator[Sandbox]:
    """One sandbox for all attempts to break out: it also has to survive them in a row."""
    with recollect.open(":memory:", embedder="fake") as memory, Sandbox(memory, time_s=0.6, memory_mb=128) as sandbox:
        yield sandbox


def children() -> set[int]:
    return {process.pid for process in psutil.Process().children(recursive=True)}


# --- the five functions


def test_facts_are_stored_and_found(sandbox: Sandbox, memory: Memory) -> None:
    said = sandbox.run(
        "fact = memory_add_fact('Ana writes in Helix', confidence=0.9)\n"
        "other = memory_add_fact('Bo writes in vim')\n"
        "result = [fact, other, memory_query('helix', limit=5)]"
    )
    fact, other = (memory.get(record_id) for record_id in said[:2])
    assert fact is not None
    assert other is not None
    assert (fact.confidence, other.confidence) == (0.9, 0.5)
    assert (fact.tier, other.tier) == ("task", "task")
    found = said[2][0]
    assert 0 < found.pop("score") <= 1
    assert found == {
        "id": fact.id,
        "content": "Ana writes in Helix",
        "kind": "semantic",
        "category": "fact",
        "confidence": 0.9,
        "created_at": fact.created_at.isoformat(),
        "metadata": {},
    }


def test_an_experience_keeps_its_outcome(sandbox: Sandbox, memory: Memory) -> None:
    record_id, read_back = sandbox.run(
        "stored = memory_add_experience('ran the migration', 'it timed out', False)\n"
        "result = stored, memory_query('migration')[0]['metadata']"
    )
    record = memory.get(record_id)
    assert record is not None
    assert (record.kind, record.category, record.tier) == ("episodic", "experience", "task")
    assert record.confidence == 0.5
    assert record.metadata == read_back == {"outcome": "it timed out", "success": False}


def test_context_is_recent_or_important(sandbox: Sandbox, memory: Memory) -> None:
    for number in range(30):
        memory.add(f"note {number}", importance=0.99 if number == 3 else None)
    found = sandbox.run("result = [r['content'] for r in memory_get_context(limit=3)]")
    assert found[:2] == ["note 3", "note 29"]
    assert len(found) == 3


def test_records_are_related_by_label(sandbox: Sandbox, memory: Memory) -> None:
    code = "a, b = memory_add_fact('A'), memory_add_fact('B')\nresult = a, b, memory_relate('causes', a, object_id=b)"
    a, b, edge_id = sandbox.run(code)
    (edge,) = memory.related(a).edges
    assert (edge.id, edge.label, edge.source, edge.target) == (edge_id, "causes", a, b)


def test_relations_may_run_in_circles(sandbox: Sandbox, memory: Memory) -> None:
    a, b = sandbox.run(
        "a, b = memory_add_fact('The queue grew'), memory_add_fact('The worker slowed down')\n"
        "memory_relate('causes', a, b)\nmemory_relate('causes', b, a)\nresult = a, b"
    )
    assert {(edge.label, edge.source, edge.target) for edge in memory.related(a).edges} == {
        ("causes", a, b),
        ("circular_causes", b, a),
    }


def test_a_scoped_handle_holds_the_code_inside_its_scope(memory: Memory) -> None:
    everybodys = memory.add("the office is in Rome").id
    bos = memory.add("Bo's office is upstairs", user_id="bo").id
    with Sandbox(memory.scoped(user_id="ana"), time_s=10) as sandbox:
        mine, queried, context = sandbox.run(
            "mine = memory_add_fact('my office is downstairs')\n"
            "result = mine, [r['id'] for r in memory_query('office')], [r['id'] for r in memory_get_context()]"
        )
        assert set(queried) == set(context) == {mine, everybodys}
        with pytest.raises(SandboxError, match="no record has the id"):
            sandbox.run(f"memory_relate('relates_to', {mine!r}, {bos!r})")
    record = memory.get(mine)
    assert record is not None
    assert record.scope == Scope(user_id="ana")
    assert [r.id for r in memory.get_all()] == [everybodys]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("memory_query()", "missing a required argument: 'query'"),
        ("memory_query('')", "query must be text"),
        ("memory_query({'$gt': 1})", "query must be text"),
        ("memory_query('a', limit=0)", "limit must be a whole number"),
        ("memory_query('a', limit=True)", "limit must be a whole number"),
        ("memory_query('a', user_id='bo')", "unexpected keyword argument"),
        ("memory_query('a', memory=1)", "multiple values"),
        ("memory_add_fact([{'role': 'system', 'content': 'x'}])", "content must be text"),
        ("memory_add_fact('a', confidence=2)", "confidence must be a number from 0 to 1"),
        ("memory_add_experience('a', 'b', 'yes')", "success must be True or False"),
        ("memory_relate('causes', 'm8', 'm9')", "no record has the id 'm8'"),
    ],
)
def test_what_the_memory_refuses_can_be_caught(sandbox: Sandbox, memory: Memory, call: str, said: str) -> None:
    message, code = sandbox.run(
        f"try:\n    {call}\nexcept MemoryCallError as error:\n    result = error.message, error.code"
    )
    assert said in message
    assert code in (UsageError.code, NotFound.code)
    assert list(memory.get_all()) == []
    with pytest.raises(SandboxError, match="line 1: MemoryCallError: "):
        sandbox.run(call)


def test_exactly_five_functions() -> None:
    assert sorted(FUNCTIONS) == [
        "memory_add_experience",
        "memory_add_fact",
        "memory_get_context",
        "memory_query",
        "memory_relate",
    ]


def test_an_error_that_is_ours_is_not_hidden(sandbox: Sandbox, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(memory, "search", lambda *_, **__: ["not a hit"])
        with pytest.raises(AttributeError):
            sandbox.run("memory_query('x')")
    assert sandbox.run("result = memory_query('x')") == []


# --- the language that is left


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("", None),
        ("result = 1 + 1", 2),
        ("result = (1, {3, 2}, frozenset(), range(2), {'a': None})", [1, [2, 3], [], [0, 1], {"a": None}]),
        ("result = {'a': 1}.items()", [["a", 1]]),
        ("def double(x):\n    return 2 * x\nresult = list(map(double, [1, 2]))", [2, 4]),
        ("n: int = 1\nn += 2\nresult = n", 3),
        ("a = [1, 2]\na[0], a[1] = a[1], a[0]\n[b, c] = a\nresult = [a, b, c]", [[2, 1], 2, 1]),
        ("d = {'a': [1]}\nd['a'][0] += 1\nd['b'] = 1\ndel d['b']\nresult = d", {"a": [2]}),
        ("a, (b, *c) = 1, (2, 3, 4)\nresult = [a, b, c]", [1, 2, [3, 4]]),
        (
            "def f(*args, **named):\n    return args, named\nresult = f(*[1], **{'function': 2})",
            [[1], {"function": 2}],
        ),
        ("result = [k + v for k, v in {'a': 'b'}.items() if k]", ["ab"]),
        ("result = sorted({'b': 1, 'a': 2}, key=str.upper)", ["a", "b"]),
        ("result = f'{3.14159:.2f} {\"x\"!r:>5}'", "3.14   'x'"),
        ("result = next((x for x in [1, 2, 3] if x > 1), None)", 2),
        ("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    result = e.args", ["division by zero"]),
        ("if (n := 3) > 2:\n    result = n", 3),
        ("größe = '\\N{BULLET}'\nresult = größe", "•"),
    ],
)
def test_ordinary_code_runs(sandbox: Sandbox, code: str, result: object) -> None:
    assert sandbox.run(code) == result


def test_runs_share_nothing(sandbox: Sandbox) -> None:
    sandbox.run("x = 1\nlen = 2")
    assert sandbox.run("result = len('abc')") == 3
    with pytest.raises(SandboxError, match="line 1: NameError: name 'x' is not defined"):
        sandbox.run("result = x")


def test_the_outcome_tells_all(sandbox: Sandbox) -> None:
    outcome = sandbox.execute("print('a', 1, sep='-')\nprint('b', end='')\nmemory_query('x')\nresult = 5")
    assert (outcome.result, outcome.output, outcome.calls, outcome.variables) == (5, "a-1\nb", 1, {})
    assert 0 < outcome.elapsed_ms < 10_000


def test_variables_go_in_and_plain_ones_come_out(sandbox: Sandbox) -> None:
    code = "y = x + [2]\ndef f():\n    return 1\nmemory_query = 3\nresult = f()"
    outcome = sandbox.execute(code, variables={"x": [1]})
    assert outcome.variables == {"x": [1], "y": [1, 2], "result": 1}
    with pytest.raises(SandboxError, match="cannot be sent"):
        sandbox.execute("", variables={"x": object()})


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 1\nx = (", "line 2: SyntaxError"),
        ("\n\nreturn 1", "line 3: SyntaxError: 'return' outside function"),
        ("x = 1\n\n[][x]", "line 3: IndexError: list index out of range"),
        ("def f():\n    raise ValueError('no')\nf()", "line 2: ValueError: no"),
        ("raise ValueError('\\ud800')", "line 1: ValueError: ?"),
        ("result = lambda: 1", "result must be plain values that JSON can hold: function"),
        ("result = (x for x in [1])", "result must be plain values that JSON can hold: generator"),
        ("result = 1e308 * 10", "result must be plain values"),
        ("result = '\\ud800'", "result must be plain values"),
        ("result = {(1, 2): 3}", "result must be plain values"),
        ("result = 2 ** 20000", "result must be plain values"),
        ("result = []\nresult.append(result)", "nested more than"),
        ("result = 'x' * 200_000", "result is 200002 characters as JSON, over the limit of 100000"),
        ("x" * 300_000, "over the limit"),
        ("x = '\ud800'", "cannot be sent"),
    ],
)
def test_failures_say_what_and_where(sandbox: Sandbox, code: str, said: str) -> None:
    with pytest.raises(SandboxError) as caught:
        sandbox.run(code)
    assert said in caught.value.message
    assert sandbox.run("result = 1") == 1


def test_what_was_printed_before_a_failure_is_a_note(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError, match="ZeroDivisionError") as caught:
        sandbox.run("print('so far')\n1 / 0")
    assert caught.value.__notes__ == ["so far\n"]


# --- ways out

REFUSED = [
    "import os",
    "import os as _getattr_",
    "from os import *",
    "from os import path",
    "from __future__ import annotations",
    "__import__('os')",
    "x = __builtins__",
    "eval('1')",
    "breakpoint()",
    "exec('x = 1')",
    "().__class__",
    "().__class__.__bases__[0].__subclasses__()",
    "x = [].append.__self__",
    "(lambda: 0).__globals__",
    "len.__module__",
    "memory_query.__closure__",
    "memory_query.__code__",
    "f'{().__class__}'",
    "f'{1:{().__class__}}'",
    "(x for x in [1]).gi_frame",
    "(x for x in [1]).gi_code",
    "(x for x in [1]).gi_frame.f_back.f_globals",
    "(x for x in [1]).ｇi_frame",  # normalised by the parser before we look
    "x.cr_frame",
    "x.f_builtins",
    "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__",
    "try:\n    1 / 0\nexcept Exception as e:\n    e.tb_frame",
    "try:\n    1 / 0\nexcept* Exception as e:\n    pass",
    "try:\n    1 / 0\nexcept Exception as _getattr_:\n    pass",
    "_getattr_ = lambda o, n: o",
    "_getattr_([], 'x')",
    "(_getattr_ := 1)",
    "[_getattr_ for _getattr_ in [1]]",
    "for _getattr_ in [1]:\n    pass",
    "def _getattr_(o, n):\n    return o",
    "def f(_getattr_):\n    pass",
    "f = lambda _getattr_: 1",
    "f = lambda x=__builtins__: x",
    "def f(x=().__class__):\n    pass",
    "def f(x: ().__class__):\n    pass",
    "global _getattr_\n_getattr_ = 1",
    "del _getattr_",
    "with x as _write_:\n    pass",
    "class A:\n    pass",
    "class A(Exception):\n    def __init__(self):\n        pass",
    "@().__class__\ndef f():\n    pass",
    "match 1:\n    case int(real=x):\n        pass",
    "async def f():\n    pass",
    "async def f():\n    await x",
    "def f():\n    x = 1\n    def g():\n        nonlocal x",
    "memory_query.x = 1\n().__class__",
    "x = [().__class__ for y in [1]]",
    "print = 1",
]

RAISES = [
    "type(1)",
    "getattr([], 'append')",
    "setattr([], 'x', 1)",
    "hasattr([], 'x')",
    "vars()",
    "dir()",
    "globals()",
    "locals()",
    "object()",
    "super()",
    "open('/etc/passwd')",
    "open(0)",
    "open(3)",
    "input()",
    "compile('1', 'x', 'eval')",
    "help()",
    "memoryview(b'')",
    "raise SystemExit",
    "raise KeyboardInterrupt",
    "raise BaseException",
    "'{0.__class__}'.format(1)",
    "'{x.__class__}'.format_map({'x': 1})",
    "str.format('{0.__class__}', 1)",
    "f = str.format",
    "x = list.mro",
    "int.from_bytes(b'1', 'big')",
    "(x for x in [1]).send(None)",
    "(x for x in [1]).throw(ValueError)",
    "memory_query.x",
    "memory_query.x = 1",
    "len.x = 1",
    "print.txt",
    "x = print\nx.write('a')",
    "print('x', file=memory_query)",
    "try:\n    [].nothing\nexcept AttributeError as e:\n    e.obj",
    "try:\n    1 / 0\nexcept Exception as e:\n    e.with_traceback(None)",
    "MemoryCallError.mro()",
    "MemoryCallError('a').add_note('b')",
    "list[int].mro",
    "x = 1\nx @= 2",
    "''.encode()",
    "memory_query(memory_query)",
    "memory_query(x for x in [1])",
    "with memory_query as m:\n    pass",
    "def f():\n    return f()\nf()",
    "x = []\nfor i in range(100_000):\n    x = [x]\nrepr(x)",
    "x = []\nfor i in range(100_000):\n    x = [x]\nraise ValueError(x)",
    "int('9' * 100_000)",
    "x = (y async for y in [1])",
    "str(b'x', 'rot13')",
]

EXHAUSTS = [
    ("while True:\n    pass", "ran longer than 0.6 s"),
    ("while True:\n    try:\n        1 / 0\n    except:\n        pass", "ran longer than 0.6 s"),
    ("while True:\n    print('x' * 1000)", "ran longer than 0.6 s"),
    ("sum(range(10 ** 12))", "ran longer than 0.6 s"),
    ("10 ** 10 ** 8", "ran longer than 0.6 s"),
    ("list(iter(int, 1))", "stopped|memory"),
    ("x = 'a' * 10 ** 10", "more than 128 MB"),
    ("x = 'a' * 2 ** 62", "more than 128 MB"),
    ("x = [0]\nwhile True:\n    x += x", "more than 128 MB"),
    ("x = f'{1:>9999999999}'", "more than 128 MB|ValueError"),
    ("x = '%9999999999d' % 1", "more than 128 MB|OverflowError|ValueError"),
    ("x = 1 << 10 ** 10", "more than 128 MB"),
    ("x = [[0] * 1000] * 1000\nresult = [x] * 1000", "more than 128 MB|ran longer"),
    ("x = " + "(" * 50_000, "SyntaxError|nested too deeply"),
    ("x = " + "-" * 50_000 + "1", "nested too deeply"),
    ("x = 1" + " + 1" * 40_000, "nested too deeply"),
    ("x = " + "[" * 150 + "]" * 150, "SyntaxError|nested"),
    ("while True:\n    memory_query('x')", "more than 1000 memory calls|ran longer"),
    ("memory_add_fact('x' * 20_000_000)", "over the"),
]


@pytest.mark.parametrize("code", REFUSED)
def test_refused_before_it_runs(prison: Sandbox, code: str) -> None:
    with pytest.raises(SandboxError, match=r"^\[E4007\] line \d+: ") as caught:
        prison.run("print('ran')\n" + code if "__future__" not in code else code)
    assert not hasattr(caught.value, "__notes__"), "it ran"
    assert prison.run("result = 1") == 1


@pytest.mark.parametrize("code", RAISES)
def test_there_is_nothing_there(prison: Sandbox, code: str) -> None:
    with pytest.raises(SandboxError, match=r"line \d+: \w+: ") as caught:
        prison.run("print('ran')\n" + code)
    assert caught.value.__notes__ == ["ran\n"]
    assert prison.run("result = 1") == 1


@pytest.mark.parametrize(("code", "said"), EXHAUSTS, ids=[code[:40] for code, _ in EXHAUSTS])
def test_bounded(prison: Sandbox, code: str, said: str) -> None:
    began = time.perf_counter()
    with pytest.raises(SandboxError, match=said):
        prison.run(code)
    assert time.perf_counter() - began < 5
    assert prison.run("result = 1") == 1


def test_names_of_guards_do_not_come_in_as_variables(sandbox: Sandbox) -> None:
    with pytest.raises(UsageError, match="_getattr_"):
        sandbox.execute("result = 1", variables={"_getattr_": 1})


def test_print_is_cut(memory: Memory) -> None:
    with Sandbox(memory, output_chars=10) as sandbox:
        outcome = sandbox.execute("for i in range(100_000):\n    print('abc')\nresult = 1")
    assert (outcome.result, outcome.output) == (1, "abc\nabc\nab… [cut]")


def test_an_answer_too_large_is_refused_not_sent() -> None:
    with recollect.open(":memory:", embedder="fake", config={"ingest.content_bytes_max": 1 << 20}) as memory:
        memory.add([f"note {number} {'x' * 1_000_000}" for number in range(20)])
        with Sandbox(memory, time_s=10) as sandbox:
            assert sandbox.run("result = len(memory_query('note', limit=2))") == 2
            with pytest.raises(SandboxError, match="ask for fewer records"):
                sandbox.run("memory_query('note', limit=20)")
        with Sandbox(memory, memory_mb=32) as small:
            with pytest.raises(SandboxError, match="more than 32 MB"):
                small.run("while True:\n    try:\n        memory_query('note', limit=9)\n    except:\n        pass")
            assert small.run("result = 1") == 1


def test_the_second_wall_holds_without_the_first() -> None:
    """Plain Python, unrestricted, in a confined process: what an escape from the language would find."""
    attempts = """
import os, socket
from recollect_sandbox.worker import confine
os.set_inheritable(1, True)
assert confine(memory_mb=128, cpu_s=1) == []
def blocked(action):
    try:
        action()
    except (OSError, MemoryError):
        return True
print(
    blocked(lambda: open("/etc/passwd")),
    blocked(socket.socket),
    blocked(lambda: os.open("/dev/null", os.O_RDWR)),
    blocked(lambda: bytearray(1 << 30)),
    blocked(os.pipe),
)
while True:
    pass
"""
    boot = (
        "import sys, types\n"
        "package = types.ModuleType('recollect_sandbox')\n"
        f"package.__path__ = [{str(POLICY_SOURCES)!r}]\n"
        "sys.modules['recollect_sandbox'] = package\n"
    )
    done = subprocess.run(
        [sys.executable, "-u", "-c", boot + attempts], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.stdout == "True True True True True\n", done.stderr
    assert done.returncode < 0  # the processor limit ended it, with nobody else keeping the time


def test_the_child_knows_no_secret_and_no_engine(monkeypatch: pytest.MonkeyPatch, memory: Memory) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    before = children()
    with Sandbox(memory) as sandbox:
        sandbox.run("")
        (pid,) = children() - before
        child = psutil.Process(pid)
        assert "SOME_API_KEY" not in child.environ()
        assert not [m.path for m in child.memory_maps() if "apsw" in m.path or "numpy" in m.path]


# --- the process


def test_it_is_warm_and_quick(sandbox: Sandbox) -> None:
    sandbox.run("")
    warm = children()
    fastest = min(sandbox.execute("result = 1").elapsed_ms for _ in range(20))
    assert children() == warm
    assert fastest < 50  # about 2 ms on an idle machine


def test_nothing_is_left_behind(memory: Memory) -> None:
    before = children()
    sandbox = Sandbox(memory, time_s=0.3)
    assert children() == before, "it starts with the first run"
    with sandbox:
        sandbox.run("")
        with pytest.raises(SandboxError, match="ran longer"):
            sandbox.run("while True: pass")
        assert children() == before
        sandbox.run("")
    sandbox.close()
    assert children() == before
    with pytest.raises(SandboxError, match="closed"):
        sandbox.run("result = 1")


def test_a_forgotten_sandbox_is_cleaned_up(memory: Memory) -> None:
    before = children()
    sandbox = Sandbox(memory)
    sandbox.run("")
    assert children() != before
    del sandbox
    assert children() == before


def test_a_child_killed_between_runs_is_replaced(memory: Memory) -> None:
    before = children()
    with Sandbox(memory) as sandbox:
        sandbox.run("")
        (pid,) = children() - before
        psutil.Process(pid).kill()
        time.sleep(0.2)
        assert sandbox.run("result = 2") == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_of_the_program_starts_its_own_child(memory: Memory) -> None:
    with Sandbox(memory) as sandbox:
        sandbox.run("")
        pid = os.fork()
        if pid == 0:
            try:
                sandbox.run("")
                sandbox.close()
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(pid, 0)[1] == 0
        warm = children()
        assert sandbox.run("result = 1") == 1
        assert children() == warm


def test_calls_made_before_the_cut_stay(memory: Memory) -> None:
    with Sandbox(memory, time_s=0.4) as sandbox, pytest.raises(SandboxError, match="ran longer"):
        sandbox.run("memory_add_fact('kept')\nwhile True: pass")
    assert [record.content for record in memory.get_all()] == ["kept"]


def test_time_in_the_memory_counts(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*_: object, **__: object) -> list[Any]:
        time.sleep(0.5)
        return []

    with Sandbox(memory, time_s=0.2) as sandbox:
        with monkeypatch.context() as patch:
            patch.setattr(memory, "search", search)
            with pytest.raises(SandboxError, match="ran longer"):
                sandbox.run("memory_query('x')")
        assert sandbox.run("result = memory_query('x')") == []


def test_threads_take_turns(sandbox: Sandbox) -> None:
    results: list[Any] = []

    def work(number: int) -> None:
        results.extend(sandbox.run(f"memory_add_fact('fact {number}')\nresult = {number}") for _ in range(5))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == sorted(list(range(6)) * 5)


def test_calls_are_counted_across_errors(memory: Memory) -> None:
    code = "while True:\n    try:\n        memory_query('')\n    except:\n        pass"
    with Sandbox(memory, calls_max=7) as sandbox:
        with pytest.raises(SandboxError, match="more than 7 memory calls"):
            sandbox.run(code)
        assert sandbox.execute("for i in range(7): memory_query('x')").calls == 7


@pytest.mark.parametrize(
    "limits",
    [
        {"time_s": 0},
        {"time_s": 1e9},
        {"memory_mb": 1},
        {"output_chars": -1},
        {"result_chars": 0},
        {"calls_max": -1},
    ],
)
def test_limits_that_make_no_sense(memory: Memory, limits: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Sandbox(memory, **limits)


@pytest.mark.parametrize("line", [b"[" * 100_000, b"nonsense\n", b"[]\n", b'{"a": 1', b"1" * 5000 + b"\n"])
def test_what_is_not_a_frame_is_broken(line: bytes) -> None:
    with pytest.raises(BrokenFrameError):
        PipeChannel(io.BytesIO(line), io.BytesIO()).receive()


def test_limits_the_platform_lacks_are_said_once(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    receive = PipeChannel.receive

    def without_memory_limit(channel: PipeChannel) -> dict[str, Any] | None:
        frame = receive(channel)
        return frame | {"unlimited": ["RLIMIT_AS"]} if frame and "output" in frame else frame

    monkeypatch.setattr(PipeChannel, "receive", without_memory_limit)
    with caplog.at_level(logging.WARNING):
        sandbox.run("")
        sandbox.run("")
    assert [record.message for record in caplog.records] == [
        "this platform does not enforce RLIMIT_AS on sandboxed code"
    ]


# --- the shell


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def converse(monkeypatch: pytest.MonkeyPatch, memory: Memory, *lines: str) -> int:
    typed = iter(lines)

    def read(_prompt: str) -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("builtins.input", read)
    return run_shell(memory)


def test_shell_keeps_values_from_line_to_line(
    monkeypatch: pytest.MonkeyPatch, memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        "x = memory_add_fact('Ana')",
        "",
        "x  # which?",
        "for i in range(2):",
        "    print(i)",
        "",
        "len(x) + 1",
    ]
    assert converse(monkeypatch, memory, *lines) == 0
    said = capsys.readouterr()
    (record,) = memory.get_all()
    assert said.out.split("leaves.\n")[1] == f'"{record.id}"\n0\n1\n37\n\n'
    assert said.err == ""


def test_shell_survives_mistakes(
    monkeypatch: pytest.MonkeyPatch, memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    assert converse(monkeypatch, memory, "x = 7", "import os", "x = )", "x / 0", "x") == 0
    said = capsys.readouterr()
    assert said.out.endswith("7\n\n")
    assert [line.split(":")[0] for line in said.err.splitlines()] == ["[E4007] line 1"] * 3


def test_shell_runs_a_piped_program(
    monkeypatch: pytest.MonkeyPatch, memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("print('hello')\nresult = {'a': [1]}\n"))
    assert run_shell(memory) == 0
    assert capsys.readouterr().out == 'hello\n{\n  "a": [\n    1\n  ]\n}\n'
    monkeypatch.setattr("sys.stdin", io.StringIO("print('hello')\n1 / 0\n"))
    assert run_shell(memory) == 1
    said = capsys.readouterr()
    assert (said.out, said.err) == ("hello\n", "[E4007] line 2: ZeroDivisionError: division by zero\n")


@pytest.mark.parametrize("word", ["exit", "quit()"])
def test_shell_helps_and_lets_go(
    monkeypatch: pytest.MonkeyPatch, memory: Memory, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    assert converse(monkeypatch, memory, "kept = 1", "help", "dir()", word, "print('not reached')") == 0
    said = capsys.readouterr()
    assert said.out.count("memory_query(query, limit=10)") == 2
    assert "kept, memory_query" in said.out
    assert "not reached" not in said.out
    assert said.err == ""
