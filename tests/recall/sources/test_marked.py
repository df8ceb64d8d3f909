"""Candidates by place, by facets and by files that go together; found by marks and never by walking a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from ticking import Ticking

from recall.watched_searches import contents, looking, pk_of
from recollect import Memory
from recollect.config.reading import ExpandSettings
from recollect.config.writing import StructureSettings
from recollect.model.narrowing import facet_query, place_query
from recollect.model.scope import Reach, Scope
from recollect.recall.sources import marked
from recollect.recall.sources.base import Look
from recollect.recall.sources.files import LinkedByRecords, by_files, paths_in
from recollect.recall.sources.marked import by_facets, by_place, facet_filter, listing, place_filter, scores_of
from recollect.wiring import open_memory

STRUCTURE, EXPAND = StructureSettings(), ExpandSettings()
both_ways = pytest.mark.parametrize("warm", [True, False], ids=["in memory", "from the disk"])


@pytest.fixture
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as memory:
        yield memory


def add(mem: Memory, text: str, user_id: str | None = None, **values: Any) -> str:
    return mem.add({"content": text, **values}, user_id=user_id).ids[0]


PLACES: dict[str, dict[str, Any]] = {
    "auth 10-20": {"file_path": "web/src/auth.ts", "line_range": (10, 20)},
    "auth 90-95": {"file_path": "web/src/auth.ts", "line_range": (90, 95)},
    "oauth": {"file_path": "web/src/oauth.ts"},
    "guide": {"file_path": "docs/guide.md", "section_path": ["Design", "Caching"], "heading_level": 3},
    "limits": {"file_path": "docs/api.md", "section_path": ["Limitations"], "heading_level": 1},
    "renew": {"position_type": "code", "module_path": "app.auth", "class_name": "Session", "function_name": "renew"},
    "end": {"position_type": "code", "module_path": "app.auth", "class_name": "Session", "function_name": "end"},
    "page": {"position_type": "external", "url": "https://example.org/docs/a", "anchor": "b"},
}


@both_ways
@pytest.mark.parametrize(
    ("asked", "there"),
    [
        ("auth.ts", {"auth 10-20", "auth 90-95"}),
        ("src/auth.ts", {"auth 10-20", "auth 90-95"}),
        ("/home/ana/web/src/auth.ts", {"auth 10-20", "auth 90-95"}),
        ("/home/ana/api/src/auth.ts", set()),
        ("auth.ts:15-40", {"auth 10-20"}),
        ("web/", {"auth 10-20", "auth 90-95", "oauth"}),
        ("**/*.md", {"guide", "limits"}),
        ("docs/*.md", {"guide", "limits"}),
        ("docs/g*", {"guide"}),
        ("nowhere.ts", set()),
        ("caching", {"guide"}),
        ("Design > Caching", {"guide"}),
        ("Caching > Design", set()),
        ("app.auth", {"renew", "end"}),
        ("app.auth.Session.renew", {"renew"}),
        ("end()", {"end"}),
        ("https://example.org/docs", {"page"}),
        ("https://example.org/docs/a#z", set()),
        ({"position_type": "code"}, {"renew", "end"}),
        ({"position_type": "code", "file_path": "auth.ts"}, set()),
        ({"heading_level_max": 1, "file_path": "docs/"}, {"limits", "guide"}),
    ],
)
def test_rows_of_a_place(mem: Memory, warm: bool, asked: Any, there: set[str]) -> None:
    for name, where in PLACES.items():
        add(mem, name, place=where)
    add(mem, "nowhere")
    with looking(mem, warm=warm) as look:
        wanted = place_filter(look.tx, place_query(asked), STRUCTURE)
        assert set(contents(mem, by_place(look, wanted))) == there
        every = np.arange(1, len(PLACES) + 2, dtype=np.int64)[::-1]  # what other sources found is held to the same
        assert set(every[scores_of(look, wanted, every) > 0].tolist()) == {list(PLACES).index(n) + 1 for n in there}


def test_a_deeper_heading_counts_for_half(mem: Memory) -> None:
    for name in ("guide", "limits"):
        add(mem, name, place=PLACES[name])
    with looking(mem) as look:
        wanted = place_filter(look.tx, place_query({"file_path": "docs/", "heading_level_max": 1}), STRUCTURE)
        ranking = by_place(look, wanted)
    assert contents(mem, ranking) == ["limits", "guide"]
    assert ranking.found.scores.tolist() == [1.0, 0.5]


@both_ways
def test_a_place_shows_only_what_the_search_may_return(mem: Memory, warm: bool) -> None:
    where = {"file_path": "a.py"}
    add(mem, "private", user_id="ben", place=where)
    mem.delete(add(mem, "gone", place=where))
    add(mem, "tagged", place=where, tags=["a"])
    add(mem, "seen", place=where)
    with looking(mem, warm=warm) as look:
        wanted = place_filter(look.tx, place_query("a.py"), STRUCTURE)
        assert contents(mem, by_place(look, wanted)) == ["seen", "tagged"]
    with looking(mem, warm=warm, tags=("a",)) as look:
        assert contents(mem, by_place(look, wanted)) == ["tagged"]
    with looking(mem, warm=warm, scope=Scope(user_id="ben"), limit=2) as look:
        assert contents(mem, by_place(look, wanted)) == ["seen", "tagged"]


def test_a_place_of_the_past_finds_the_version_of_then(mem: Memory) -> None:
    record = add(mem, "first", place={"file_path": "old.py"})
    then = mem._engine.clock()
    mem.update(record, content="second", place={"file_path": "new.py"})
    for asked, found in (("old.py", ["first"]), ("new.py", [])):
        with looking(mem, warm=False, known_at=then) as look:
            assert contents(mem, by_place(look, place_filter(look.tx, place_query(asked), STRUCTURE))) == found


FACETS: dict[str, dict[str, Any]] = {
    "howto": {"diataxis_type": "howto", "primary_persona": "novice", "domain_tags": ["cli", "api"]},
    "second": {"diataxis_type": "howto", "primary_persona": "expert", "secondary_personas": ["novice"]},
    "sure": {"confidence": "high", "verification_state": "verified", "source_type": "code", "domain_tags": ["cli"]},
    "doubted": {"confidence": "uncertain", "is_time_sensitive": True, "source_authority": 0.2},
}


@both_ways
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"diataxis_type": "howto", "persona": "novice"}, ["howto", "second"]),
        ({"diataxis_type": "tutorial"}, []),
        ({"domain_tags": ["cli"]}, ["sure", "howto"]),
        ({"domain_tags": ["cli", "api"]}, ["howto"]),
        ({"confidence": "high"}, ["sure"]),
        ({"confidence": "moderate", "verification": "unverified"}, ["second", "howto"]),
        ({"verification": ["verified", "disputed"]}, ["sure"]),
        ({"source_types": ["code", "docs"]}, ["sure"]),
        ({"time_sensitive": True}, ["doubted"]),
        ({"time_sensitive": False}, ["sure", "second", "howto"]),
        ({"min_authority": 0.5}, ["sure", "second", "howto"]),
    ],
)
def test_rows_of_a_sort(mem: Memory, warm: bool, asked: dict[str, Any], found: list[str]) -> None:
    for name, facets in FACETS.items():
        add(mem, name, facets=facets)
    add(mem, "private", user_id="ben", facets=FACETS["howto"])
    add(mem, "without")
    with looking(mem, warm=warm) as look:
        assert contents(mem, by_facets(look, facet_filter(facet_query(asked), STRUCTURE))) == found


def test_many_rows_are_listed_in_part_and_that_is_said(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marked, "HOLDERS_MAX", 4)
    for n in range(6):
        add(mem, f"common {n}", facets={"confidence": "high"})
    rare = add(mem, "rare", facets={"confidence": "high", "domain_tags": ["cli"]})
    mine = add(mem, "mine", user_id="ben", facets={"confidence": "high"})
    wanted = facet_filter(facet_query({"confidence": "high"}), STRUCTURE)
    with looking(mem) as look:
        found = listing(look, wanted, enough=10)
        assert not found.whole
        assert found.pks.tolist() == [7, 6, 5, 4]
        by_facets(look, wanted)
        assert look.notes[0].startswith("facets: too many rows")
        narrow = listing(look, facet_filter(facet_query({"confidence": "high", "domain": "cli"}), STRUCTURE), enough=10)
        assert (narrow.whole, narrow.pks.tolist()) == (True, [pk_of(mem, rare)])
    with looking(mem, scope=Scope(user_id="ben"), reach=Reach.OWN) as look:  # who sees little is shown all of it
        own = listing(look, wanted, enough=10)
        assert (own.whole, own.pks.tolist()) == (True, [pk_of(mem, mine)])


def test_a_pattern_over_too_many_files_is_not_whole(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marked, "VALUES_MAX", 3)
    for n in range(5):
        add(mem, f"file {n}", place={"file_path": f"src/{n}.py"})
    with looking(mem) as look:
        ranking = by_place(look, place_filter(look.tx, place_query("**/*.py"), STRUCTURE))
        assert len(ranking.found.pks) == 3
        assert look.notes[0].startswith("place: too many rows")


# --- files that go together -----------------------------------------------------------------------------------------


def files(look: Look, mem: Memory, paths: Sequence[str]) -> list[str]:
    return contents(mem, by_files(look, paths, LinkedByRecords(mem._engine.indexes), EXPAND))


@both_ways
def test_warnings_of_files_that_go_with_the_one_asked_about(mem: Memory, warm: bool) -> None:
    here = add(mem, "login", place={"file_path": "src/auth.ts"})
    there = add(mem, "tokens", place={"file_path": "src/token.ts"})
    add(mem, "clock skew breaks tokens", category="gotcha", place={"file_path": "src/token.ts"})
    add(mem, "plain fact", place={"file_path": "src/token.ts"})
    add(mem, "cookie needs Lax", category="gotcha", metadata={"related_files": ["src/cookie.ts"]})
    add(mem, "weakly linked", category="gotcha", place={"file_path": "src/weak.ts"})
    add(mem, "of the file itself", category="gotcha", place={"file_path": "src/auth.ts"})
    weak = add(mem, "weak", place={"file_path": "src/weak.ts"})
    add(
        mem,
        "auth needs cookie",
        category="causal_dependency",
        confidence=0.7,
        metadata={"related_files": ["src/auth.ts", "src/cookie.ts"]},
    )
    mem.relate(here, there, "required_with", weight=0.9)
    mem.relate(here, weak, "required_with", weight=0.6)  # 0.6 is not above 0.6
    mem.relate(here, weak, "relates_to")
    with looking(mem, warm=warm) as look:
        linked = LinkedByRecords(mem._engine.indexes)(look, ["auth.ts"])
        assert linked == [
            ("src/token.ts", pytest.approx(0.9)),
            ("src/cookie.ts", 0.7),
            ("src/weak.ts", pytest.approx(0.6)),
        ]
        assert files(look, mem, ["auth.ts"]) == ["clock skew breaks tokens", "cookie needs Lax"]
        assert files(look, mem, []) == []
        assert files(look, mem, ["unknown.ts"]) == []


@both_ways
def test_what_the_reader_may_not_see_links_no_files(mem: Memory, warm: bool) -> None:
    add(mem, "a needs b", user_id="ben", category="causal_dependency", metadata={"related_files": ["a.ts", "b.ts"]})
    add(mem, "careful", category="gotcha", place={"file_path": "b.ts"})
    with looking(mem, warm=warm) as look:
        assert files(look, mem, ["a.ts"]) == []
    with looking(mem, warm=warm, scope=Scope(user_id="ben")) as look:
        assert files(look, mem, ["a.ts"]) == ["careful"]


def test_five_files_and_five_records_at_most(mem: Memory) -> None:
    for n in range(8):
        add(mem, f"a needs {n}", category="causal_dependency", metadata={"related_files": ["a.ts", f"{n}.ts"]})
        add(mem, f"careful {n}", category="gotcha", place={"file_path": f"{n}.ts"})
        add(mem, f"careful again {n}", category="gotcha", place={"file_path": f"{n}.ts"})
    with looking(mem) as look:
        assert len(files(look, mem, ["a.ts"])) == 5


def test_files_a_question_names() -> None:
    asked = "Why does `src/auth.ts:12` fail when (web\\token.py) changes, e.g. https://example.org/a.py and/or v1.2?"
    assert paths_in(asked) == ["src/auth.ts", "web/token.py", "and/or"]
    assert paths_in("nothing at all.") == []
