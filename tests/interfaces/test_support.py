"""A bundle for somebody who helps has figures and codes, and nothing of what people stored, asked, named or set."""

from __future__ import annotations

import io
import json
import logging
import zipfile
from pathlib import Path
from typing import Any

import pytest
from commands import Run

import recollect
from recollect.config import load_config
from recollect.config.root import declared
from recollect.facade.handle import engine_of
from recollect.insight.support import about_store, model_named, without_words
from recollect.interfaces.rest.logs import JsonLines
from recollect.interfaces.support import LINES, bundle, log_told

MARK = "quetzalcoatlus"
KEY = "sk-quetzalcoatlus-0123456789"


def files_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


def data_of(files: dict[str, bytes], name: str) -> Any:
    return json.loads(files[f"{name}.json"])


def marked_everywhere(path: Path) -> None:
    """A store with the mark in every text that people may give: contents, names, categories, tags, labels, sources."""
    with recollect.open(path, embedder="fake", background=False) as mem:
        who = {"user_id": f"{MARK}-ana", "project": f"{MARK}-atlas", "agent_id": f"{MARK}-rex", "squad": f"{MARK}-s"}
        a = mem.add(f"The {MARK} of Ana lives in Porto", category=f"{MARK}-fact", tags=[MARK], source=MARK, **who).id
        b = mem.add(f"{MARK} eats fish", metadata={MARK: MARK}, session_id=f"{MARK}-s1", **who).id
        mem.relate(a, b, f"{MARK}_of", evidence=f"seen by {MARK}")
        mem.correct(a, f"The {MARK} moved", reason=f"{MARK} said so", **who)
        mem.search(f"where is the {MARK}?", **who)
        mem.working.note(f"a {MARK}", session_id=f"{MARK}-s1")
        mem.skills.teach(f"feed a {MARK}", [f"give it a {MARK}-fish"])
        with pytest.raises(recollect.errors.RecollectError):
            mem.scoped(user_id=f"{MARK}-ben", actor=MARK).doctor()
        mem.settle()
        engine = engine_of(mem)
        engine.store.write(
            lambda tx: tx.sql.run(
                "INSERT INTO job (kind, payload, state, attempts, error, run_after, created_at) "
                "VALUES ('embed', ?, 'failed', 5, 'E3001', 0, 0)",
                (f'{{"said": "{MARK}"}}',),
            )
        )


def test_no_mark_of_any_field_is_in_the_bundle(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    marked_everywhere(tmp_path / f"{MARK}.db")
    (tmp_path / f"{MARK}.db-{MARK}").write_text(MARK)
    (tmp_path / "config.toml").write_text(
        f'user = "{MARK}"\nllm_key = "{KEY}"\nllm = "ollama:{MARK}@http://{MARK}:{KEY}@{MARK}.example/v1"\n'
        f'[decay.half_life_days]\n{MARK} = 3.0\n[security]\npersonal_in = "project={MARK}"\n[recall]\ntop_k = 100000\n'
    )
    monkeypatch.setenv("RECOLLECT_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("RECOLLECT_KEY", "")
    (tmp_path / "log").write_text(log_lines())
    target = tmp_path / "bundle.zip"
    done = run(
        "--db",
        str(tmp_path / f"{MARK}.db"),
        "--embedder",
        "fake",
        "support",
        str(target),
        "--log",
        str(tmp_path / "log"),
    )
    assert done.code == 0, done.err
    assert target.stat().st_mode & 0o777 == 0o600
    files = files_of(target.read_bytes())
    for name, content in files.items():
        assert MARK not in content.decode().lower(), name
        assert KEY not in content.decode(), name
        assert str(tmp_path) not in content.decode(), name
    names = {"README.txt", "log.jsonl"}
    assert set(files) == names | {f"{name}.json" for name in "about settings health doctor sizes errors".split()}
    settings = data_of(files, "settings")["changed"]
    assert settings["user"] == {"value": f"a text of {len(MARK)} characters", "origin": "file"}
    assert settings["llm_key"]["value"] == "…"
    assert settings["llm"]["value"] == "ollama:…"
    assert settings["decay.half_life_days"]["value"]["others"] == 1
    assert data_of(files, "errors")["jobs"] == [{"kind": "embed", "code": "E3001", "count": 1}]
    assert data_of(files, "errors")["refused"]["access_denied"] == 1
    assert data_of(files, "sizes")["rows"]["by_kind"]["semantic"] >= 1
    assert data_of(files, "sizes")["rows"]["by_category"]["others"] >= 1
    assert data_of(files, "sizes")["files"]["others"] == len(MARK)
    assert data_of(files, "health")["embedder"] == "fake:…"
    assert {"D11"} <= {each["code"] for each in data_of(files, "doctor")["findings"]}
    assert json.loads(files["log.jsonl"].splitlines()[0]) == {
        "at": "2026-11-01T10:00:00.000+00:00",
        "level": "info",
        "method": "GET",
        "route": "/v1/memories/{id}",
        "status": 200,
        "ms": 1.5,
    }


def log_lines() -> str:
    """As the server writes them, bare and behind a journal's own words; and lines of other programs."""
    at = {"at": "2026-11-01T10:00:00.000+00:00"}
    answered = {"level": "info", "method": "GET", "route": "/v1/memories/{id}", "status": 200, "ms": 1.5}
    places = [f"recollect/facade/{MARK}.py", f"/home/{MARK}/x.py:3", "recollect/wiring.py:7"]
    fault = {"level": "error", "fault": "ValueError", "places": places, "message": MARK}
    odd = {"level": "warning", "message": MARK, "route": f"/{MARK} {MARK}", "method": MARK}
    lines = [json.dumps({**at, **answered, "request": MARK, "token": MARK})]
    lines.append(f"Nov 01 10:00:00 host recollect[1]: {json.dumps({**at, **fault})}")
    return "\n".join((*lines, json.dumps({**at, **odd}), f"Traceback {MARK}", "{" + MARK))


def test_a_log_is_told_by_what_its_lines_may_say() -> None:
    first, second, third, others = log_told(log_lines().splitlines())
    assert (first["route"], second["places"]) == ("/v1/memories/{id}", ["recollect/wiring.py:7"])
    assert third.keys() == {"at", "level"}
    assert others == {"other_lines": 2}
    many = log_told(log_lines().splitlines()[0] for _ in range(LINES + 50))
    assert len(many) == LINES


def test_lines_that_the_server_writes_are_understood() -> None:
    record = logging.LogRecord("recollect.server", logging.ERROR, "x", 1, MARK, (), None)
    record.fields = {"fault": "KeyError", "places": ["recollect/store/base.py:12"], "request": "1-2"}
    (told,) = log_told([JsonLines().format(record)])
    assert told.keys() == {"at", "level", "fault", "places"}


def test_a_bundle_is_made_where_no_store_can_be_opened(tmp_path: Path, run: Run) -> None:
    other = tmp_path / f"{MARK}.db"
    other.write_bytes(b"a text, and long enough to be looked at" * 100)
    done = run("--db", str(other), "support", str(tmp_path / "b.zip"), "-o", "json")
    assert (done.code, done.data["wrong"]) == (0, ["E1002"])
    files = files_of((tmp_path / "b.zip").read_bytes())
    assert data_of(files, "doctor")["findings"][0]["code"] == "E1002"
    assert MARK not in b"".join(files.values()).decode()


def test_settings_that_cannot_be_read_are_no_reason_to_give_up(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.toml").write_text(f'user = "{MARK}\n')
    monkeypatch.setenv("RECOLLECT_CONFIG", str(tmp_path / "config.toml"))
    assert run("support", str(tmp_path / "b.zip")).code == 0
    files = files_of((tmp_path / "b.zip").read_bytes())
    assert data_of(files, "settings") == {"readable": False}
    assert MARK not in b"".join(files.values()).decode()


def test_nothing_is_written_over(tmp_path: Path, run: Run) -> None:
    (tmp_path / "b.zip").write_text("mine")
    done = run("support", str(tmp_path / "b.zip"))
    assert (done.code, "is there already" in done.err) == (2, True)
    assert (tmp_path / "b.zip").read_text() == "mine"


def test_every_setting_can_be_told_without_its_text() -> None:
    """Each text setting that is not one of a few choices, given a mark: none comes through."""
    texts = [key for key, setting in declared().items() if setting.kind is str and not setting.choices]
    assert len(texts) > 10
    taken = 0
    for key in texts:
        try:
            config = load_config({key: MARK}, environ={})
        except recollect.errors.RecollectError:
            continue
        taken += 1
        assert MARK not in b"".join(files_of(bundle({}, config)).values()).decode(), key
    assert taken > 5


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (MARK, "a text of 14 characters"),
        ("semantic", "semantic"),
        ("2026-11-01T10:00:00+00:00", "2026-11-01T10:00:00+00:00"),
        ({MARK: 2, "ana": 3, "semantic": 1}, {"others": 5, "semantic": 1}),
        ({MARK: MARK}, {"kinds_of_others": ["a text of 14 characters"]}),
        ([MARK, 1, None, True], ["a text of 14 characters", 1, None, True]),
        (object(), "a object"),
    ],
)
def test_a_value_is_told_by_words_of_ours(value: Any, told: Any) -> None:
    assert without_words(value) == told


def test_models_are_told_by_their_provider() -> None:
    assert [model_named(each) for each in (None, "minilm", "ollama:x@http://y", MARK)] == [
        None,
        "minilm",
        "ollama:…",
        "a text of 14 characters",
    ]


def test_sections_name_the_error_that_keeps_them_away(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False) as mem:
        engine = engine_of(mem)
        assert about_store(engine)["sizes"]["database"] == "sqlite"
    assert about_store(engine)["sizes"] == {"code": "E1010"}
