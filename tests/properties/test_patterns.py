"""Every compiled pattern of the package, timed on long texts made of the characters it repeats.

A pattern that tries a run of blanks from each of its places takes seconds for what a person can paste, holds the
interpreter meanwhile, and no time limit can interrupt it. So each one must read 100 KB within 100 ms of processor time.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import re._constants as sre
import re._parser as sre_parser
import time
from collections.abc import Iterable, Iterator
from itertools import chain, permutations
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import recollect
from recollect.language.expression import expression

LAZY = type(expression(""))
ROOT = Path(recollect.__file__).parent
SIZE, SECONDS_MAX = 100_000, 0.1
FIRST_SIZE, FIRST_SECONDS = 10_000, 0.004  # what is quicker here is linear, or quick enough to be
LINEAR_MAX, BUSY_MAX = 2.0, 3.0  # a linear one may take longer on a busy machine, where all take longer
ATTACKS_MAX, CHARS_MAX = 80, 6
ENDS = "\x00!"  # so that what has to end with the text does not
METHODS = {"search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"}
REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
CATEGORIES = {
    sre.CATEGORY_DIGIT: "1",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_WORD: "a",
    sre.CATEGORY_NOT_DIGIT: "a",
    sre.CATEGORY_NOT_SPACE: "a",
    sre.CATEGORY_NOT_WORD: "-",
}
# Tables of patterns, which are called by another name: how they are called. All others are found in the source.
IN_TABLES = {
    "recollect.perceive.relations.patterns.AFTER": {"match"},
    "recollect.perceive.relations.patterns.TITLES": {"match"},
    "recollect.language.en.joins._TO": {"fullmatch"},
    "recollect.language.en.joins._TO_IN_WORDS": {"fullmatch"},
    "recollect.language.en.joins._TOGETHER": {"fullmatch"},
    "recollect.language.en.joins._TAIL": {"match"},
    "recollect.language.en.joins._ENDS": {"match"},
    "recollect.language.en.sentence_rules._ASKING": {"match"},
    "recollect.language.en.questions._EVENT": {"finditer"},
    "recollect.language.en.questions._NOT_EVENTS": {"match"},
    "recollect.language.en.questions._IDIOM": {"search"},
    "recollect.language.de.questions._EVENT": {"finditer"},
    "recollect.language.de.questions._NO_EVENT": {"match"},
    "recollect.language.es.questions._EVENT": {"finditer"},
    "recollect.language.es.questions._OF_THE": {"finditer"},
    "recollect.language.es.questions._NO_EVENT": {"match"},
    "recollect.language.de.clocks._COUNTED": {"match"},
    "recollect.language.de.phrases._COUNTED": {"match"},
    "recollect.language.es.clocks._COUNTED": {"match"},
    "recollect.language.es.phrases._COUNTED": {"match"},
    "recollect.language.de.states._CLAUSE_END": {"finditer"},
    "recollect.language.de.states._NAMED": {"finditer"},
    "recollect.language.es.states._CLAUSE_END": {"finditer"},
    "recollect.language.es.states._NAMED": {"finditer"},
    "recollect.language.de.sentence_rules._ASKING": {"match"},
    "recollect.language.de.joins._TO": {"fullmatch"},
    "recollect.language.de.joins._AND_OR_TO": {"fullmatch"},
    "recollect.language.de.joins._TOGETHER": {"fullmatch"},
    "recollect.language.de.joins._TAIL": {"match"},
    "recollect.language.es.sentence_rules._ASKING": {"match"},
    "recollect.language.es.joins._TO": {"fullmatch"},
    "recollect.language.es.joins._AND_OR_TO": {"fullmatch"},
    "recollect.language.es.joins._TOGETHER": {"fullmatch"},
    "recollect.language.es.joins._TAIL": {"match"},
    "recollect.language.es.joins._END_OF": {"match"},
}
# Patterns that only ever see so many characters, and where that is done.
BOUNDED = {
    "recollect.language.en.joins._BETWEEN": 64,  # joining.before
    "recollect.language.en.joins._FROM": 64,
    "recollect.language.en.joins._RELATION": 64,
    "recollect.language.de.joins._BETWEEN": 64,
    "recollect.language.de.joins._STARTING": 64,
    "recollect.language.de.joins._RELATION": 64,
    "recollect.language.es.joins._BETWEEN": 64,
    "recollect.language.es.joins._STARTING": 64,
    "recollect.language.es.joins._RELATION": 64,
}


class Compiled(NamedTuple):
    name: str
    pattern: re.Pattern[str]
    methods: frozenset[str]


def patterns() -> dict[str, Compiled]:
    """Each pattern once, by where it stands first."""
    found: dict[tuple[str, int], Compiled] = {}
    called = methods_by_name()
    for info in pkgutil.walk_packages(recollect.__path__, "recollect."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for name, value in list(vars(module).items()):
            if getattr(type(value), "__module__", "") != "builtins" and not isinstance(value, (re.Pattern, LAZY, type)):
                continue
            if isinstance(value, type) and value.__module__ != info.name:
                continue
            for pattern in inside(value):
                where = f"{info.name}.{name}"
                used = called.get(where) or IN_TABLES.get(where) or {"search", "match"}
                found.setdefault((pattern.pattern, pattern.flags), Compiled(where, pattern, frozenset(used)))
    named: dict[str, Compiled] = {}
    for each in found.values():
        named[f"{each.name} {len(named)}"] = each
    return named


def inside(value: Any, depth: int = 0) -> Iterator[re.Pattern[str]]:
    if isinstance(value, LAZY):  # compiled at first use; as long as a pattern then
        value = re.compile(value.pattern, value.flags)
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth < 4 and isinstance(value, (list, tuple, set, frozenset)):
        yield from chain.from_iterable(inside(each, depth + 1) for each in value)
    elif depth < 4 and isinstance(value, dict):
        yield from chain.from_iterable(inside(each, depth + 1) for each in (*value.keys(), *value.values()))
    elif isinstance(value, type):
        yield from chain.from_iterable(inside(each, depth + 1) for each in vars(value).values() if depth < 4)


def methods_by_name() -> dict[str, set[str]]:
    """How each name of a module is called, by the source: `_WORD.findall(…)`, `wording.HELD.search(…)`."""
    called: dict[str, set[str]] = {}
    for path in ROOT.rglob("*.py"):
        module = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            each.asname or each.name: f"{node.module}.{each.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for each in node.names
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                if isinstance(node.value, ast.Name):
                    name = imported.get(node.value.id, f"{module}.{node.value.id}")
                elif isinstance(node.value, ast.Attribute) and isinstance(node.value.value, ast.Name):
                    name = f"{imported.get(node.value.value.id, module)}.{node.value.attr}"
                else:
                    continue
                called.setdefault(name, set()).add(node.attr)
    return called


# --- texts that are hard to read ------------------------------------------------------------------------------------


def members(operation: Any, value: Any) -> list[str]:
    """A few of the characters that an element takes; none if it is no single character."""
    if operation is sre.LITERAL:
        return [chr(value)]
    if operation is sre.NOT_LITERAL:
        return [char for char in "a1" if char != chr(value)][:1]
    if operation is sre.ANY:
        return ["a"]
    if operation is not sre.IN:
        return []
    taken = [
        chr(item) if kind is sre.LITERAL else chr(item[0]) if kind is sre.RANGE else CATEGORIES.get(item, "a")
        for kind, item in value
        if kind is not sre.NEGATE
    ]
    if value[0][0] is sre.NEGATE:
        return [char for char in "aA1 _-.,'\n#@(\"" if char not in taken][:4]
    return taken[:8]


def example(parsed: Iterable[Any]) -> str:
    """One text that a part of a pattern takes, more or less."""
    out = ""
    for operation, value in parsed:
        if taken := members(operation, value):
            out += taken[0]
        elif operation is sre.BRANCH:
            out += example(value[1][0])
        elif operation is sre.SUBPATTERN:
            out += example(value[3])
        elif operation is sre.ATOMIC_GROUP:
            out += example(value)
        elif operation in REPEATS:
            out += example(value[2]) * max(1, min(value[0], 3))
    return out


def repeated(parsed: Iterable[Any], before: str = "") -> Iterator[tuple[str, str]]:
    """What a pattern repeats, each with a text that leads up to it."""
    for operation, value in parsed:
        inner: list[Any] = []
        if operation in REPEATS:
            least, most, item = value
            if most is sre.MAXREPEAT or most > 8:
                single = members(*item[0]) if len(item) == 1 else []
                yield from ((before, unit) for unit in single or [example(item)] if unit)
            inner = [item]
            after = example(item) * max(1, min(least, 3))
        elif operation is sre.SUBPATTERN:
            inner, after = [value[3]], example(value[3])
        elif operation is sre.ATOMIC_GROUP:
            inner, after = [value], example(value)
        elif operation is sre.BRANCH:
            inner, after = value[1], example(value[1][0])
        elif operation in (sre.ASSERT, sre.ASSERT_NOT):
            inner, after = [value[1]], ""
        else:
            after = "".join(members(operation, value)[:1])
        for each in inner:
            yield from repeated(each, before)
        before += after


def attacks(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """(what a text begins with, what it repeats)."""
    parsed = sre_parser.parse(pattern.pattern, pattern.flags)
    units = list(dict.fromkeys(repeated(parsed)))
    chars = list(dict.fromkeys(unit for _, unit in units))[:CHARS_MAX]
    whole = example(parsed)
    more = [(before, before + unit) for before, unit in units if before]
    pairs = [("", first + second) for first, second in permutations(chars, 2)]
    wholes = [("", text) for text in (whole, whole[:-1], f"{whole} ") if text]
    return list(dict.fromkeys([*units, *wholes, *more, *pairs]))[:ATTACKS_MAX]


def seconds(pattern: re.Pattern[str], text: str, method: str) -> float:
    """The processor time of one call, the better of two."""
    took = []
    for _ in range(2):
        begun = time.thread_time()
        if method in ("match", "fullmatch", "search"):
            getattr(pattern, method)(text)
        else:
            for _ in pattern.finditer(text):
                pass
        took.append(time.thread_time() - begun)
        if took[0] < FIRST_SECONDS:
            break
    return min(took)


def slowest(each: Compiled) -> str | None:
    """What a pattern takes too long for."""
    size = BOUNDED.get(each.name, SIZE)
    for method in {name if name in ("match", "fullmatch", "search") else "finditer" for name in each.methods}:
        for before, unit in attacks(each.pattern):
            first = 0.0
            if size > FIRST_SIZE:
                first = seconds(each.pattern, before + unit * (FIRST_SIZE // len(unit)) + ENDS, method)
                if first < FIRST_SECONDS:
                    continue
                if first > SECONDS_MAX:
                    return f"{each.name}.{method}: {first:.2f} s for {FIRST_SIZE} characters of {before!r} + {unit!r}"
            took = seconds(each.pattern, before + unit * (size // len(unit)) + ENDS, method)
            in_proportion = took < LINEAR_MAX * first * size / FIRST_SIZE and took < BUSY_MAX * SECONDS_MAX
            if took > SECONDS_MAX and not in_proportion:
                return f"{each.name}.{method}: {took:.2f} s for {size} characters of {before!r} + {unit!r}"
    return None


def test_every_pattern_reads_a_long_text_in_time() -> None:
    found = patterns()
    assert len(found) > 300
    slow = [told for each in found.values() if (told := slowest(each)) is not None]
    assert not slow, "\n".join(slow)


def test_a_quadratic_pattern_would_be_noticed() -> None:
    for pattern, method in ((r"\s*$|x", "search"), (r"[@#_]*[a-z]+", "findall"), (r"a.+?[ #]*", "fullmatch")):
        assert slowest(Compiled("probe", re.compile(pattern), frozenset([method])))


@pytest.mark.parametrize("call", ["search", "context", "reason", "compact", "add"])
def test_what_a_stranger_may_send_freezes_nobody(call: str) -> None:
    texts = [
        "# " * 40_000 + "!",
        "Ana " + "_" * 50_000 + " Ben",
        "Ana" + " " * 50_000 + "Ben",
        "[1," * 30_000,
        "a," * 40_000,
        "@" * 80_000,
        "I'm " * 20_000,
        "“a" * 40_000,
    ]
    lengths = {"search": 20_000, "reason": 20_000, "add": 4_000, "context": 80_000, "compact": 80_000}
    with recollect.open(":memory:", embedder="fake") as mem:
        mem.add("Ana lives in Oslo.", user_id="ana")
        verbs = {
            "search": lambda text: mem.search(text, user_id="ana"),
            "context": lambda text: mem.context(text, user_id="ana", max_tokens=200_000),
            "reason": lambda text: mem.reason(text, user_id="ana"),
            "compact": lambda text: mem.compact(text, session_id="s", user_id="ana"),
            "add": lambda text: mem.add(text, user_id="ana"),
        }
        for text in texts:
            begun = time.thread_time()
            verbs[call](text[: lengths[call]])
            assert time.thread_time() - begun < 1.5, f"{call} of {text[:12]!r}…"
