"""The configuration: sources, policies, suggestions, hot reload; and nothing out of range ever gets in."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.config import Config, LiveConfig, load_config, toml_file
from recollect.config.document import reference
from recollect.config.removed import is_removed, removed_settings
from recollect.config.root import GROUP_TOTALS, ROUNDING, declared, sections
from recollect.config.section import SettingsSection, setting
from recollect.config.setting import CLAMP, REFUSE, RESET, FrozenTable
from recollect.errors import ConfigInvalid

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "configuration.md"


@pytest.fixture(autouse=True)
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    return home


def load(overrides: dict[str, Any] | None = None, **environ: str) -> Config:
    return load_config(overrides, environ=environ)


def write(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


# Values and their shape


def test_defaults_are_the_designs() -> None:
    config = load()
    assert (config.recall.rrf_k, config.recall.mmr_lambda, config.store.busy_timeout_s) == (60, 0.7, 30.0)
    assert (config.index.precision, config.store.durable, config.llm) == ("auto", True, None)
    assert config.phases.coding["gotcha"] == 1.5
    assert config.decay.half_life_days["work_state"] == 7
    assert config.warnings == ()
    assert config == Config() == load_config(config.to_dict(), environ={})


def test_a_config_is_frozen_hashable_and_travels() -> None:
    config = load({"decay.half_life_days": {"gotcha": 60}})
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.recall.rrf_k = 1  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del config.recall
    with pytest.raises(TypeError):
        config.decay.half_life_days["gotcha"] = 1  # type: ignore[index]
    assert hash(config) == hash(load({"decay.half_life_days.gotcha": 60.0}))
    assert pickle.loads(pickle.dumps(config)) == config
    assert json.loads(json.dumps(config.to_dict())) == config.to_dict()
    assert dataclasses.replace(config.recall, rrf_k=5).rrf_k == 5
    assert "rrf_k=60" in repr(config.recall)


def test_direct_construction_is_checked_too() -> None:
    recall = sections()["recall"]
    with pytest.raises(ConfigInvalid, match=r"RecallSettings.rrf_k: 0 is outside 1 to 1000"):
        recall(rrf_k=0)
    with pytest.raises(TypeError, match="no setting nonsense"):
        recall(nonsense=1)
    with pytest.raises(ConfigInvalid, match="recall must be a RecallSettings"):
        Config(recall=3)
    assert Config(recall=recall(rrf_k=5)).with_changes({"recall.top_k": 3}).recall.rrf_k == 5


def test_every_declaration_makes_sense() -> None:
    for key, each in declared().items():
        assert each.doc, key
        assert each.check(each.default) == (each.default, ""), key
        if each.kind in (int, float) and not each.choices:
            assert each.lo < each.hi, key
        if each.group:
            assert each.group in GROUP_TOTALS, key
            assert each.policy is RESET, key
        if each.above:
            sibling = declared()[f"{key.rpartition('.')[0]}.{each.above}"]
            assert each.hi >= sibling.hi - ROUNDING, key
            assert each.live is sibling.live, f"{key}: a held value could end up below a live one"
            assert each.policy is CLAMP, key
    assert len({each.live for each in declared().values() if each.group}) == 1


# Sources


def test_later_sources_win(tmp_path: Path) -> None:
    file = write(tmp_path / "c.toml", "[recall]\nrrf_k = 10\ntop_k = 11\ncandidates = 12\n")
    environ = {"RECOLLECT_RECALL__TOP_K": "21", "RECOLLECT_RECALL__CANDIDATES": "22"}
    config = load_config({"recall": {"candidates": 32}}, path=file, environ=environ)
    assert (config.recall.rrf_k, config.recall.top_k, config.recall.candidates) == (10, 21, 32)
    assert config.origin("recall.rrf_k") == f"file {file}"
    assert config.origin("recall.top_k") == "environment RECOLLECT_RECALL__TOP_K"
    assert config.origin("recall.candidates") == "argument"
    assert config.origin("recall.timeout_s") == "default"


def test_which_file_is_read(tmp_path: Path, empty_home: Path) -> None:
    assert load().recall.rrf_k == 60
    write(empty_home / ".recollect" / "config.toml", "[recall]\nrrf_k = 1\n")
    named = write(tmp_path / "named.toml", "[recall]\nrrf_k = 2\n")
    passed = write(tmp_path / "passed.toml", "[recall]\nrrf_k = 3\n")
    assert load().recall.rrf_k == 1
    assert load(RECOLLECT_CONFIG=named).recall.rrf_k == 2
    assert load_config(path=passed, environ={"RECOLLECT_CONFIG": named}).recall.rrf_k == 3


@pytest.mark.parametrize("content", [b"[recall\n", b"\xff\xfe", b"x" * ((1 << 20) + 1), None])
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "bad.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigInvalid, match=r"bad\.toml") as caught:
        load(RECOLLECT_CONFIG=str(path))
    assert caught.value.code == "E5003"


def test_top_level_values(tmp_path: Path) -> None:
    config = load(RECOLLECT_DB="/data/x.db", RECOLLECT_EMBEDDER="ollama:nomic", RECOLLECT_LLM="openai:gpt")
    assert (config.db, config.embedder, config.llm) == ("/data/x.db", "ollama:nomic", "openai:gpt")
    assert load({"db": ":memory:"}, RECOLLECT_DB="/data/x.db").db == ":memory:"
    assert load({"llm": None}, RECOLLECT_LLM="openai:gpt").llm is None
    assert load_config(path=write(tmp_path / "c.toml", 'db = "y.db"\n'), environ={}).db == "y.db"


@pytest.mark.parametrize(("written", "value"), [("yes", True), ("0", False), ("OFF", False), (" true ", True)])
def test_truth_in_the_environment(written: str, value: bool) -> None:
    assert load(RECOLLECT_STORE__DURABLE=written).store.durable is value


def test_tables_are_laid_over_each_other(tmp_path: Path) -> None:
    file = write(tmp_path / "c.toml", "[decay.half_life_days]\ngotcha = 60\nwork_state = 5\n")
    environ = {
        "RECOLLECT_DECAY__HALF_LIFE_DAYS": "work_state=4, pattern=9",
        "RECOLLECT_DECAY__HALF_LIFE_DAYS__FACT": "100",
    }
    config = load_config({"decay.half_life_days.pattern": 10}, path=file, environ=environ)
    assert dict(config.decay.half_life_days) == {"work_state": 4, "gotcha": 60, "pattern": 10, "fact": 100}
    assert config.origin("decay.half_life_days") == "argument"


def test_other_programs_variables_are_left_alone_and_near_misses_told() -> None:
    config = load(RECOLLECT_TOKEN="secret", RECOLLECT_RECALL_RRF_K="3", OTHER="x")
    assert config == Config()
    assert config.warnings == ("RECOLLECT_RECALL_RRF_K is ignored: write RECOLLECT_RECALL__RRF_K",)
    assert config.with_changes({"recall.rrf_k": 5}).warnings == config.warnings


# What does not fit


def test_rows_of_a_table_are_judged_one_by_one() -> None:
    config = load({"intent.text": {"lookup": 3}, "ingest.importance": {"mail": 3}, "phases.coding.gotcha": 99})
    assert config.intent.text["lookup"] == 0.6
    assert config.ingest.importance["mail"] == 1.0
    assert config.phases.coding["gotcha"] == 10
    assert len(config.warnings) == 3


def test_weights_go_back_to_their_default() -> None:
    config = load({"recall.mmr_lambda": 1.7})
    assert config.recall.mmr_lambda == 0.7
    assert config.origin("recall.mmr_lambda") == "default"
    assert config.warnings == ("recall.mmr_lambda (argument): 1.7 is outside 0.0 to 1.0; using the default 0.7",)


@pytest.mark.parametrize(
    ("key", "value", "used"),
    [
        ("upkeep.pattern_similarity", 0.2, 0.5),
        ("upkeep.pattern_similarity", 1.0, 0.99),
        ("decay.gc_threshold", 0.5, 0.2),
        ("decay.gc_threshold", 0.0, 0.001),
        ("store.readers", 0, 1),
        ("ingest.content_bytes_max", 1, 64),
        ("recall.rrf_k", 10**400, 1000),
        ("store.busy_timeout_s", 10**400, 600.0),
    ],
)
def test_thresholds_are_clamped(key: str, value: float, used: float) -> None:
    config = load({key: value})
    assert config.value(key) == used
    assert type(config.value(key)) is declared()[key].kind
    assert len(config.warnings) == 1
    assert key in config.warnings[0]


def test_what_is_known_well_stays_above_what_is_known() -> None:
    config = load({"domains.uncertain": 0.8})
    assert config.domains.confident == 0.8
    assert config.warnings == ("domains.confident: must be at least uncertain; using 0.8",)
    assert load({"domains": {"uncertain": 0.8, "confident": 0.9}}).warnings == ()


def test_shares_over_the_limit_reset_their_group() -> None:
    config = load({"context.history_share": 0.9, "context.schemas_share": 0.2})
    assert (config.context.history_share, config.context.schemas_share) == (0.45, 0.2)
    assert config.origin("context.history_share") == "default"
    assert "sum to 1.25, over 0.95; using the defaults of all" in config.warnings[0]
    assert load({"context.history_share": 0.6}).warnings == ()
    table = load({"context.recall_shares.facts": 0.5})
    assert table.context.recall_shares["facts"] == 0.4
    assert "over 1.0" in table.warnings[0]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"recall.rrf_k": "sixty"}, r"rrf_k \(argument\): must be a whole number \(1 to 1000\), not 'sixty'"),
        ({"recall.rrf_k": True}, "must be a whole number"),
        ({"recall.rrf_k": 1.5}, "must be a whole number"),
        ({"recall.threshold": math.nan}, "must be a number"),
        ({"recall.threshold": None}, "must be a number"),
        ({"store.durable": 1}, "must be true or false"),
        ({"db": 3}, "must be a text"),
        ({"index.precision": "f8"}, "must be one of auto, f32, f16, i8, pq, binary, not 'f8'"),
        ({"phases.coding": 3}, "must be a table"),
        ({"phases.coding.gotcha": "much"}, "must be a number"),
        ({"intent.text.panic": 1}, "has no entry 'panic'; known: lookup, exploratory, comparative"),
        ({"recall": 3}, "recall .* is a section, not a value"),
        ({"recall.rrfk": 3}, r"unknown setting 'recall.rrfk' \(argument\); did you mean recall.rrf_k\?"),
        ({"recall.busy_timeout_s": 3}, r"did you mean store.busy_timeout_s\?"),
        ({"recal.rrf_k": 3}, r"did you mean recall.rrf_k\?"),
        ({"recal": {"rrf_k": 3}}, r"unknown section 'recal' .*did you mean recall\?"),
        ({"embeder": "x"}, r"did you mean embedder\?"),
        ({"zzz": 1}, "unknown setting 'zzz' .argument.$"),
        ({3: 1}, "names .argument. are texts"),
    ],
)
def test_what_makes_no_sense_is_refused(overrides: dict[Any, Any], message: str) -> None:
    with pytest.raises(ConfigInvalid, match=message):
        load(overrides)


def test_refusals_name_their_source(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="environment RECOLLECT_RECALL__RRF_K"):
        load(RECOLLECT_RECALL__RRF_K="many")
    with pytest.raises(ConfigInvalid, match=r"environment RECOLLECT_RECALL__RRFK.*did you mean recall.rrf_k"):
        load(RECOLLECT_RECALL__RRFK="1")
    file = write(tmp_path / "c.toml", "[recall]\nrrfk = 1\n")
    with pytest.raises(ConfigInvalid, match=r"file .*c\.toml"):
        load(RECOLLECT_CONFIG=file)


def test_a_refusing_number() -> None:
    class Strict(SettingsSection):
        port: int = setting(80, 1, 100, "A port", policy=REFUSE)

    with pytest.raises(ConfigInvalid, match="101 is outside 1 to 100"):
        Strict(port=101)


def test_changes_are_checked_and_remember_where_the_rest_came_from() -> None:
    config = load({"recall.mmr_lambda": 7}, RECOLLECT_RECALL__RRF_K="5").with_changes({"recall": {"top_k": 3}})
    assert (config.recall.top_k, config.recall.rrf_k) == (3, 5)
    assert config.origin("recall.rrf_k").startswith("environment")
    assert len(config.warnings) == 1
    with pytest.raises(ConfigInvalid):
        config.with_changes({"recall.top_k": "x"})
    with pytest.raises(ConfigInvalid):
        config.origin("recall.nothing")


# What was a setting once


@pytest.mark.parametrize(
    ("toml", "key"),
    [
        ("[security]\nscrypt_log2 = 15\n", "security.scrypt_log2"),
        ("[vector]\nbackend = 3\n", "vector"),
        ("[ram.turns]\nnormal = 3\n", "ram.turns"),
        ("security.pad_row_bytes = 1\n", "security.pad_row_bytes"),
        ("[context.fidelity_tokens]\nfull = 3\n", "context.fidelity_tokens"),
    ],
)
def test_a_setting_that_went_gives_a_warning_and_no_error(tmp_path: Path, toml: str, key: str) -> None:
    file = write(tmp_path / "c.toml", f"{toml}[recall]\nrrf_k = 7\n")
    config = load_config(path=file, environ={})
    assert config == Config().with_changes({"recall.rrf_k": 7})
    assert config.warnings == (f"{key} (file {file}) is no longer a setting and does nothing; take it out",)
    assert config.with_changes({"recall.top_k": 3}).warnings == config.warnings


def test_a_variable_and_an_argument_of_a_setting_that_went() -> None:
    config = load({"vector": {"backend": "faiss"}}, RECOLLECT_RANKING__USER_TURN="0.1", RECOLLECT_RAM__TURNS="x")
    gone = "is no longer a setting and does nothing;"
    assert config.warnings == (
        f"ram.turns (environment RECOLLECT_RAM__TURNS) {gone} take it out",
        f"ranking.user_turn (environment RECOLLECT_RANKING__USER_TURN) {gone} set ranking.participant",
        f"vector (argument) {gone} take it out",
    )
    with pytest.raises(ConfigInvalid, match=r"security\.pad_row_bytes is no longer a setting"):
        config.origin("security.pad_row_bytes")


def test_what_went_is_not_there() -> None:
    assert not removed_settings() & declared().keys()
    assert not any(is_removed(key) for key in declared())


# Anything at all

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ANYTHING = SCALARS | st.dictionaries(st.text(max_size=5), SCALARS, max_size=2)


def offers(key: str) -> st.SearchStrategy[Any]:
    """Values for a key: mostly of its kind, within and outside its range."""
    each = declared()[key]
    if each.choices:
        return st.sampled_from(each.choices) | ANYTHING
    if each.kind is FrozenTable:
        names = st.sampled_from([*sorted(each.default), "new"]) | st.text(max_size=5)
        return st.dictionaries(names, st.floats(-20, 20), max_size=3) | ANYTHING
    if each.kind is int:
        return st.integers(int(each.lo) - 10, int(each.hi) + 10) | ANYTHING
    if each.kind is float:
        return st.floats(each.lo - 1, each.hi + 1) | ANYTHING
    return ANYTHING


@st.composite
def overrides(draw: st.DrawFn) -> dict[str, Any]:
    keys = draw(st.lists(st.sampled_from(sorted(declared())), max_size=8, unique=True))
    chosen: dict[str, Any] = {key: draw(offers(key)) for key in keys}
    if draw(st.integers(0, 9)) == 0:
        chosen[draw(st.text(max_size=8))] = draw(ANYTHING)
    return chosen


def assert_within_limits(config: Config) -> None:
    for key, each in declared().items():
        value = config.value(key)
        assert each.check(value) == (value, ""), key
        if each.kind in (int, float) and not each.choices:
            assert type(value) is each.kind
            assert each.lo <= value <= each.hi, key
        if each.above:
            assert value >= config.value(f"{key.rpartition('.')[0]}.{each.above}") - ROUNDING, key
    for group, limit in GROUP_TOTALS.items():
        total = sum(config.value(key) for key, each in declared().items() if each.group == group)
        assert total <= limit + ROUNDING


@settings(max_examples=300, deadline=None)
@given(overrides())
def test_any_input_is_within_limits_or_refused(chosen: dict[str, Any]) -> None:
    try:
        config = load_config(chosen, environ={})
    except ConfigInvalid:
        return
    assert_within_limits(config)
    again = load_config(config.to_dict(), environ={})
    assert again == config
    assert again.warnings == ()


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(declared())), st.text(max_size=12))
def test_any_variable_is_within_limits_or_refused(key: str, written: str) -> None:
    variable = f"RECOLLECT_{key.replace('.', '__').upper()}"
    try:
        assert_within_limits(load_config(environ={variable: written}))
    except ConfigInvalid as exc:
        assert variable in str(exc)  # noqa: PT017


# While running


def test_reload_swaps_what_may_change(tmp_path: Path) -> None:
    file = Path(write(tmp_path / "c.toml", "[recall]\nrrf_k = 10\n"))
    live = LiveConfig(path=file, environ={})
    before = live.current
    assert live.reload().changed == ()
    write(file, "[recall]\nrrf_k = 20\n[store]\nreaders = 9\n")
    result = live.reload()
    assert [tuple(each) for each in result.changed] == [("recall.rrf_k", 10, 20)]
    assert [tuple(each) for each in result.needs_reopening] == [("store.readers", 4, 9)]
    assert (live.current.recall.rrf_k, live.current.store.readers) == (20, 4)
    assert live.current.origin("store.readers") == "default"
    assert before.recall.rrf_k == 10
    assert live.reload().needs_reopening == result.needs_reopening
    write(file, "[recall]\nrrf_k = 30\n")
    assert live.reload().needs_reopening == ()
    assert LiveConfig(path=file, environ={}).current == live.current


def test_a_bad_reload_changes_nothing(tmp_path: Path) -> None:
    file = Path(write(tmp_path / "c.toml", "[recall]\nrrf_k = 10\n"))
    live = LiveConfig({"recall.top_k": 4}, path=file, environ={})
    before = live.current
    write(file, "[recall]\nrrf_k = 'x'\n")
    with pytest.raises(ConfigInvalid):
        live.reload()
    with pytest.raises(ConfigInvalid):
        live.change({"recall.nothing": 1})
    assert live.current is before
    write(file, "")
    assert live.reload().config.recall.top_k == 4


def test_changes_from_inside_outlive_reloads() -> None:
    live = LiveConfig({"recall.rrf_k": 10}, environ={})
    for rrf_k in (11, 12, 13):
        live.change({"recall.rrf_k": rrf_k})
    live.change({"phases": {"coding": {"gotcha": 2}}})
    config = live.reload().config
    assert (config.recall.rrf_k, config.phases.coding["gotcha"], config.phases.coding["pattern"]) == (
        13,
        2,
        1.2,
    )
    assert live.change({"llm": "x:y"}).needs_reopening[0].new == "x:y"
    assert live.current.llm is None


def test_readers_never_see_half_a_change() -> None:
    """Two settings always change together; many readers, several writers."""
    live = LiveConfig({"recall.rrf_k": 1, "recall.top_k": 1}, environ={})
    torn: list[tuple[int, int]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            recall = live.current.recall
            if recall.rrf_k != recall.top_k:
                torn.append((recall.rrf_k, recall.top_k))

    def change(start: int) -> None:
        for number in range(start, start + 12):
            live.change({"recall.rrf_k": number, "recall.top_k": number})

    readers = [threading.Thread(target=read) for _ in range(3)]
    writers = [threading.Thread(target=change, args=(100 * number,)) for number in range(1, 5)]
    for thread in readers + writers:
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()
    assert torn == []
    assert live.current.recall.rrf_k == live.current.recall.top_k


# The page and the cost


def test_the_page_is_what_the_code_says() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == reference(), (
        "run: python -m recollect.config > docs/configuration.md"
    )


def test_importing_stays_cheap() -> None:
    """No library that validates for us: they cost more than everything here."""
    probe = "import sys, recollect.config; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pydantic", "tomllib", "tomlkit", "difflib", "logging", "numpy", "json"} & set(loaded)


# --- changing the file --------------------------------------------------------------------------------------------

FILE = """# ours
db = "x.db"  # here

[recall]
# how many
top_k = 5 # not "#" many

# about serving
[serve]
port = 8000
"""


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("db", "y.db", 'db = "y.db"  # here\n'),
        ("user", "ana", 'user = "ana"\n'),
        ("recall.top_k", 7, 'top_k = 7 # not "#" many\n'),
        ("recall.rrf_k", 30, "rrf_k = 30\n"),
        ("index.snapshot", False, "[index]\nsnapshot = false\n"),
    ],
)
def test_one_setting_is_changed_and_every_other_line_stays(key: str, value: Any, line: str) -> None:
    path = key.split(".")
    changed = toml_file.put(FILE, path, value)
    assert line in changed
    for other in FILE.splitlines():
        assert other in changed or other.partition(" = ")[0] == path[-1]
    assert toml_file.put(changed, path, value) == changed
    again = toml_file.drop(changed, path)
    assert line not in again
    assert toml_file.drop(again, path) == again


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("recall = {top_k = 5}  # few\n", "recall = {top_k = 7}  # few\n"),
        ("recall.top_k = 5\n", "recall.top_k = 7\n"),
        ("recall.rrf_k = 5\n", "recall.rrf_k = 5\nrecall.top_k = 7\n"),
        ("[recall]  # all of it\n'top_k' = 5", "[recall]  # all of it\n'top_k' = 7"),
        ("[ recall ]\n# at the end", "[ recall ]\ntop_k = 7\n# at the end"),
        ("[recall]", "[recall]\ntop_k = 7\n"),
        ("\ufeff[recall]\r\ntop_k = 5\r\n", "\ufeff[recall]\r\ntop_k = 7\r\n"),
        ("db = 'x'\r\n", "db = 'x'\r\n\r\n[recall]\r\ntop_k = 7\r\n"),
        ("", "[recall]\ntop_k = 7\n"),
    ],
)
def test_a_setting_is_changed_in_the_form_that_the_file_writes_it_in(text: str, after: str) -> None:
    assert toml_file.put(text, ["recall", "top_k"], 7) == after


def test_a_file_that_cannot_be_changed_is_left_alone() -> None:
    with pytest.raises(ConfigInvalid, match="TOML"):
        toml_file.put("recall = \n", ["recall", "top_k"], 7)
    with pytest.raises(ConfigInvalid, match="user is a table"):
        toml_file.put("[user]\nname = 'ana'\n", ["user"], "ana")
    with pytest.raises(ConfigInvalid, match="recall is no table"):
        toml_file.put("recall = 3\n", ["recall", "top_k"], 7)


NAMES = st.sampled_from(["a", "b", "c"])
LINES = st.sampled_from(
    ["# about it", "", "a = 1", "b = 'x' # y", "c = [1,\n  2]", "[a]", "[b]  # z", "[a.b]", "[b.c]", "a.c = 3", "[[c]]"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=12).map("\n".join), st.lists(NAMES, min_size=1, max_size=3), st.integers(5, 7))
def test_any_file_is_changed_in_one_place_or_left_alone(text: str, path: list[str], value: int) -> None:
    try:
        before = toml_file.read(text)
        after = toml_file.put(text, path, value)
    except ConfigInvalid:
        return
    place, found = before, toml_file.read(after)
    for name in path[:-1]:
        place = place.setdefault(name, {})
    place[path[-1]] = value
    assert toml_file._filled(found) == toml_file._filled(before)
    comments = [part for part in text.split() if part.startswith("#")]
    assert [part for part in after.split() if part.startswith("#")] == comments
