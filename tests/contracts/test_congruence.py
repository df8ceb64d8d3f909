"""Generated lives, lived on SQLite and on PostgreSQL: every verb answers the same, and what goes out is the same."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from postgres_server import server
from whole_life import Life

from recollect.errors import RecollectError
from recollect.memory import Memory

Step = tuple[str, dict[str, Any]]
_NEVER_THE_SAME = ("latency_ms", "stages_ms", "duration_ms", "report", "size_bytes")  # times; files, signed
_TEXTS = st.one_of(
    st.sampled_from(
        [
            "Ana Ruiz moved from Porto to Lisbon in March",
            "Ben is allergic to peanuts",
            "The gateway listens on port 8080",
            "Straße und Größe: Ärger in Zürich",
            "漢字 は 難しい",
            "It's 100% \\ 'quoted' \"text\" _ % $1 ?",
        ]
    ),
    st.text(min_size=1, max_size=60),
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc é", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
_SCOPES = st.sampled_from([{}, {"user_id": "ana"}, {"user_id": "Ünal"}, {"project": "atlas"}])
_TAGS = st.lists(st.sampled_from(["a", "B", "é", "a b"]), max_size=3, unique=True)
_WHICH = st.integers(0, 30)
_COMPARED = st.one_of(
    st.tuples(st.sampled_from(["eq", "ne", "gt", "gte", "lt", "lte"]), st.integers(-3, 9) | st.floats(-3, 9) | _TEXTS),
    st.tuples(st.sampled_from(["contains", "icontains"]), st.sampled_from(["a", "É", "lisbon", "port"])),
    st.tuples(
        st.sampled_from(["in", "nin"]), st.lists(st.none() | st.booleans() | st.integers(0, 5) | _TEXTS, min_size=1)
    ),
    st.tuples(st.just("exists"), st.booleans()),
)
_FILTERS = st.dictionaries(
    st.sampled_from(["metadata.k", "metadata.a", "content", "category", "importance"]),
    _COMPARED.map(lambda pair: {pair[0]: pair[1]}),
    min_size=1,
    max_size=2,
)


def _step(verb: str, **parts: Any) -> st.SearchStrategy[Step]:
    return st.tuples(st.just(verb), st.fixed_dictionaries(parts))


_STEPS = st.one_of(
    _step("add", text=_TEXTS, tags=_TAGS, metadata=st.dictionaries(st.sampled_from(["k", "a"]), _JSON), scope=_SCOPES),
    _step("turn", text=_TEXTS, session=st.sampled_from(["s1", "s2"]), scope=_SCOPES),
    _step("update", which=_WHICH, text=_TEXTS, importance=st.floats(0, 1)),
    _step("correct", which=_WHICH, text=_TEXTS),
    _step("delete", which=_WHICH, hard=st.booleans()),
    _step("confirm", which=_WHICH),
    _step("relate", which=_WHICH, other=_WHICH, label=st.sampled_from(["supports", "causes", "contradicts"])),
    _step("undo", which=_WHICH),
    _step("history", which=_WHICH),
    _step("search", text=_TEXTS, scope=_SCOPES, tags=_TAGS),
    _step("filtered", filters=_FILTERS),
    _step("context", text=_TEXTS, scope=_SCOPES),
    _step("entities"),
    _step("maintain", days=st.integers(1, 60)),
    _step("erase", scope=_SCOPES),
)

_BEGUN: tuple[Step, ...] = (  # so that there is something to change, to ask for and to undo
    ("add", {"text": "Ana Ruiz likes green tea", "tags": ["a"], "metadata": {"k": 3, "a": [1, "É"]}, "scope": {}}),
    ("add", {"text": "Ben lives in Lisbon", "tags": ["é"], "metadata": {"k": "Lisbon"}, "scope": {"user_id": "ana"}}),
    ("turn", {"text": "I work at Acme in Berlin.", "session": "s1", "scope": {"user_id": "ana"}}),
    ("add", {"text": "The port is 8080", "tags": [], "metadata": {"k": 2.5, "a": True}, "scope": {"project": "atlas"}}),
)


def _told(value: Any) -> Any:
    """An answer without what no two calls have in common."""
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    if isinstance(value, dict):
        return {name: _told(each) for name, each in value.items() if name not in _NEVER_THE_SAME}
    if isinstance(value, list | tuple):
        return [_told(each) for each in value]
    return round(value, 9) if isinstance(value, float) else value


class _Lived:
    """One memory, and the ids that it gave."""

    def __init__(self, life: Life) -> None:
        self.life = life
        self.mem: Memory = life.mem
        self.ids: list[str] = []
        self.operations: list[str] = []

    def do(self, step: Step) -> Any:
        verb, parts = step
        try:
            answer = getattr(self, f"_{verb}")(**parts)
        except RecollectError as error:
            return type(error).__name__, error.message
        self.ids += [each for each in getattr(answer, "ids", ()) if each not in self.ids]
        if operation := getattr(answer, "operation", None):
            self.operations.append(operation)
        return _told(answer)

    def _one(self, which: int) -> str:
        return self.ids[which % len(self.ids)] if self.ids else "nobody"

    def _add(self, text: str, tags: list[str], metadata: dict[str, Any], scope: dict[str, str]) -> Any:
        return self.mem.add(text, tags=tags, metadata=metadata, **scope)

    def _turn(self, text: str, session: str, scope: dict[str, str]) -> Any:
        return self.mem.add([{"role": "user", "content": text, "name": "Ana"}], session_id=session, **scope)

    def _update(self, which: int, text: str, importance: float) -> Any:
        return self.mem.update(self._one(which), content=text, importance=importance)

    def _correct(self, which: int, text: str) -> Any:
        return self.mem.correct(self._one(which), text)

    def _delete(self, which: int, hard: bool) -> Any:
        return self.mem.delete(self._one(which), hard=hard)

    def _confirm(self, which: int) -> Any:
        return self.mem.confirm(self._one(which))

    def _relate(self, which: int, other: int, label: str) -> Any:
        return self.mem.relate(self._one(which), self._one(other), label)

    def _undo(self, which: int) -> Any:
        return self.mem.undo(self.operations[which % len(self.operations)] if self.operations else "nothing")

    def _history(self, which: int) -> Any:
        return self.mem.history(self._one(which))

    def _search(self, text: str, scope: dict[str, str], tags: list[str]) -> Any:
        self.mem.settle()
        return self.mem.search(text, tags=tags or None, **scope)

    def _filtered(self, filters: dict[str, Any]) -> Any:
        return self.mem.get_all(filters=filters, reach="all")

    def _context(self, text: str, scope: dict[str, str]) -> Any:
        return self.mem.context(text, **scope)

    def _entities(self) -> Any:
        return self.mem.entities(reach="all")

    def _maintain(self, days: int) -> Any:
        self.life.clock.skip(days)
        return self.mem.maintain()

    def _erase(self, scope: dict[str, str]) -> Any:
        return self.mem.erase_user(scope["user_id"]) if "user_id" in scope else self.mem.stats(**scope)


def _lived(url: str, folder: Path, steps: list[Step]) -> tuple[list[Any], bytes]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        life = Life(url, folder, monkeypatch)
        try:
            lived = _Lived(life)
            answers = [lived.do(step) for step in (*_BEGUN, *steps)]
            place = folder / "out.jsonl"
            life.mem.export(place, vectors=True, overwrite=True)
            return answers, place.read_bytes()
        finally:
            life.close()


@settings(max_examples=int(os.environ.get("RECOLLECT_CONGRUENT_LIVES", "6")))
@given(steps=st.lists(_STEPS, min_size=4, max_size=14))
def test_generated_lives_are_the_same_on_both(steps: list[Step], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("life")
    wanted, wanted_export = _lived(str(folder / "m.db"), folder, steps)
    given_, given_export = _lived(server().new(), folder, steps)
    for step, one, other in zip((*_BEGUN, *steps), wanted, given_, strict=True):
        assert other == one, step
    assert _lines(given_export) == _lines(wanted_export)


def _lines(exported: bytes) -> list[bytes]:
    """What was exported, without the first line and the last: who wrote it, and its sum."""
    return exported.splitlines()[1:-1]
