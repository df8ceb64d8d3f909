"""The command line as people and programs use it: answers, errors, exit codes, pipes."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import PROGRAM, Run
from rich.console import Console

import recollect
from recollect._version import __version__
from recollect.config.root import declared
from recollect.interfaces.cli.entry import wants_json
from recollect.interfaces.cli.session import read_key
from recollect.interfaces.cli.views import reports
from recollect.model.showable import showable
from recollect.verbs.table import VERBS

pytestmark = pytest.mark.usefixtures("environment")

UNKNOWN = "00000000-0000-4000-8000-000000000000"


def spawn(*words: str, stdin: str | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [*PROGRAM, *words], input=stdin, env=os.environ | environ, capture_output=True, text=True, check=False
    )


def added(run: Run, content: str, *more: str) -> str:
    return str(run("add", content, *more, "-o", "json").data["ids"][0])


# --- help ---------------------------------------------------------------------------------------------------------


def test_help_lists_every_command_without_loading_the_engine() -> None:
    program = (
        "import sys; from recollect.interfaces.cli import main; code = main(['--help']);"
        "assert not {'numpy', 'apsw', 'recollect.memory', 'recollect.config'} & set(sys.modules), 'heavy';"
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in [*(verb.space or verb.in_shell for verb in VERBS), "repl", "config", "models", "demo"]:
        assert f" {name} " in done.stdout


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_each_verb_explains_itself(run: Run, verb: Any) -> None:
    done = run(*verb.in_shell.split(), "--help")
    assert done.code == 0
    assert verb.summary.split()[0] in done.out
    for name in verb.positional:
        assert name.upper() in done.out


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"recollect {__version__}\n", "")


def test_nothing_is_a_call_for_help(run: Run) -> None:
    assert "Usage: recollect" in run().out


def test_completion_knows_the_options_of_a_verb() -> None:
    done = spawn(_RECOLLECT_COMPLETE="complete_bash", COMP_WORDS="recollect search --top", COMP_CWORD="2")
    assert "--top-k" in done.stdout


# --- remember and recall ------------------------------------------------------------------------------------------


def test_add_and_search(run: Run) -> None:
    first = added(run, "Ana moved to Helix", "-u", "ana", "--tags", "editor,tools", "--tags", "new")
    found = run("search", "Ana moved", "--user-id", "ana", "-k", "1", "-o", "json")
    assert found.code == 0
    assert [(hit["id"], hit["memory"]) for hit in found.data["results"]] == [(first, "Ana moved to Helix")]
    assert found.data["results"][0]["tags"] == ["editor", "tools", "new"]
    assert run("search", "Ana moved", "-u", "ben", "-o", "json").data["results"] == []
    assert run("search", "Ana", "--tags", "editor,absent", "-u", "ana", "-o", "json").data["results"] == []


@pytest.mark.parametrize("verb", ["confirm", "correct"])
def test_what_was_replaced_names_its_successor(run: Run, verb: str) -> None:
    old = added(run, "Ana lives in Oslo")
    new = run("correct", old, "Ana lives in Rome", "-o", "json").data["ids"][0]
    done = run(verb, old, *(["Ana lives in Bergen"] if verb == "correct" else []))
    assert done.code == 2
    assert "E1012" in done.err
    assert new in done.err


def test_what_is_remembered_by_that_word_is_kept_for_good(run: Run) -> None:
    kept = run("remember", "Ana is allergic to nuts", "-o", "json").data["ids"][0]
    noted = added(run, "The build is number 8080")
    asked = added(run, "The door is green", "--keep")
    shown = [run("get", each, "-o", "json").data["decay_rate"] for each in (kept, noted, asked)]
    assert shown == [0.0, None, 0.0]


def test_text_output_shows_what_matters(run: Run) -> None:
    first = added(run, "Ana moved to [bold]Helix[/bold]", "--timestamp", "2026-05-03")
    shown = run("search", "Helix", "--explain").out
    for part in ("[bold]Helix[/bold]", first[:8], "2026-05-03", "fact", "rank", "text"):
        assert part in shown
    assert "[bold]Helix[/bold]" in run("list").out
    assert first in run("get", first).out


def test_explain_is_in_the_json(run: Run) -> None:
    first = added(run, "tea with milk")
    assert first in run("search", "tea", "--explain", "-o", "json").data["trace"]["hits"]


def test_objects_are_json(run: Run) -> None:
    first = added(run, "a note", "--metadata", '{"team": {"name": "core"}}')
    done = run("list", "--filters", '{"metadata.team.name": {"eq": "core"}}', "-o", "json")
    assert [row["id"] for row in done.data["results"]] == [first]
    assert run("add", "x", "--metadata", "{oops").code == 2
    assert "JSON object" in run("add", "x", "--metadata", "[1]").err


def test_stdin_is_the_content(run: Run) -> None:
    assert run("add", "-", "-o", "json", stdin="two\nlines\n").data["results"][0]["memory"] == "two\nlines"
    assert run("search", "-", "-o", "json", stdin="lines").data["results"][0]["memory"] == "two\nlines"
    assert run("add", "-", stdin=b"\xff\xfe").code == 2


def test_content_may_begin_with_a_dash(run: Run) -> None:
    assert run("add", "-o", "json", "--", "-v is verbose").data["results"][0]["memory"] == "-v is verbose"


def test_jsonl(run: Run, tmp_path: Path) -> None:
    lines = [
        '{"role": "user", "name": "Al", "content": "hello there"}',
        "",
        '"plain text"',
        '{"content": "tea is best", "kind": "opinion"}',
        '{"role": "user", "content": " "}',
    ]
    done = run("add", "--jsonl", "-", "-u", "al", "-o", "json", stdin="\n".join(lines))
    assert done.code == 0
    assert len(done.data["ids"]) == done.data["count"] == 3
    assert done.data["skipped"] == [{"index": 3, "reason": "empty message"}]
    assert run("list", "-u", "al", "--kinds", "opinion", "-o", "json").data["results"][0]["memory"] == "tea is best"
    many = tmp_path / "many.jsonl"
    many.write_text("\n".join(json.dumps(f"line {n}") for n in range(1201)), encoding="utf-8")
    done = run("add", "--jsonl", str(many), "-o", "json")
    assert done.data["count"] == 1201
    assert len(done.data["operations"]) == 3
    assert done.data["operation"] is None


def test_a_bad_line_stores_nothing(run: Run) -> None:
    done = run("add", "--jsonl", "-", stdin='"good"\nnot json\n')
    assert done.code == 2
    assert "line 2" in done.err
    assert run("list", "-o", "json").data["results"] == []
    assert run("add", "--jsonl", "/no/such/file").code == 2
    assert run("add", "text", "--jsonl", "-").code == 2
    assert run("add", "--jsonl", "-", stdin="\n").code == 2


# --- change, past, relations --------------------------------------------------------------------------------------


def test_correct_history_undo(run: Run) -> None:
    first = added(run, "the launch is in March")
    done = run("correct", first, "the launch is in April", "--reason", "moved", "-o", "json")
    assert "April" in run("search", "launch", "-k", "1", "-o", "json").data["results"][0]["memory"]
    assert [e["operation"]["verb"] for e in run("history", first, "-o", "json").data["results"]] == ["add", "correct"]
    assert "moved" in run("history", first).out
    assert run("operations", "-n", "1", "-o", "json").data["results"][0]["id"] == done.data["operation"]
    assert run("undo", done.data["operation"]).code == 0
    assert "March" in run("search", "launch", "-k", "1", "-o", "json").data["results"][0]["memory"]


def test_update_switches(run: Run) -> None:
    first = added(run, "a claim")
    assert run("update", first, "--flagged", "--importance", "0.9").code == 0
    assert run("update", first, "--no-flagged").code == 0
    record = run("get", first, "-o", "json").data
    assert (record["flagged"], record["importance"], record["version"]) == (False, 0.9, 3)


def test_relations(run: Run) -> None:
    a, b, c = added(run, "alpha"), added(run, "beta"), added(run, "gamma")
    edge = run("relate", a, b, "supports", "--evidence", "seen, twice", "-o", "json").data["edge"]
    related = run("related", a, "-o", "json").data
    assert [row["id"] for row in related["results"]] == [b]
    assert related["edges"][0]["evidence"] == ["seen, twice"]
    assert run("relate", "--members", f"{a}:subject", "--members", f"{c}:object:1").code == 0
    assert [row["id"] for row in run("path", b, c, "-o", "json").data["results"]] == [b, a, c]
    assert "supports" in run("related", a).out
    assert run("unrelate", edge).code == 0
    assert "nothing is related" in run("related", b).out
    assert run("relate", "--members", a).code == 2


def test_upkeep_is_drawn(run: Run) -> None:
    added(run, "something")
    assert "records" in run("stats").out
    assert "status" in run("health").out
    doctor = run("doctor")
    assert doctor.code == 0
    assert "✓" in doctor.out
    assert run("prune", "--dry-run", "-o", "json").data["dry_run"] is True
    assert run("reembed", "--wait").code == 0


# --- what takes away asks -----------------------------------------------------------------------------------------


def test_destruction_needs_a_yes(run: Run) -> None:
    first = added(run, "mine", "-u", "ana")
    assert run("delete-all", "-u", "ana").code == 2
    assert run("delete", first, "--hard").code == 2
    assert run("delete-all", "-u", "ana", "--dry-run", "-o", "json").data["count"] == 1
    assert run("get", first).code == 0
    assert run("delete-all", "-u", "ana", "--yes", "-o", "json").data["count"] == 1
    assert run("get", first).code == 2


def test_confirm_flag_and_feedback(run: Run) -> None:
    said = run("add", "Ana uses vim", "-o", "json").data["ids"][0]
    for words in (["confirm"], ["flag", "--reason", "not any more"], ["feedback", "--no-helpful", "--query", "editor"]):
        done = run(words[0], said, *words[1:], "-o", "json")
        assert (done.code, done.data["ids"]) == (0, [said])
    assert run("get", said, "-o", "json").data["failure_count"] == 1
    for words, needed in ((["flag"], "reason"), (["feedback"], "helpful")):
        refused = run(words[0], said)
        assert refused.code == 2
        assert f"needs --{needed}" in refused.err


def test_a_soft_delete_can_be_undone_and_does_not_ask(run: Run) -> None:
    first = added(run, "mine")
    done = run("delete", first, "-o", "json")
    assert done.code == 0
    assert run("undo", done.data["operation"]).code == 0
    assert run("get", first).code == 0


@pytest.mark.parametrize(("answer", "code", "left"), [("n\n", 1, 1), ("y\n", 0, 0)])
def test_a_person_is_asked(run: Run, answer: str, code: int, left: int) -> None:
    added(run, "mine", "-u", "ana")
    near, far = pty.openpty()
    try:
        process = subprocess.Popen([*PROGRAM, "delete-all", "-u", "ana"], stdin=far, stderr=far, stdout=subprocess.PIPE)
        os.write(near, answer.encode())
        out, _ = process.communicate(timeout=60)
        asked = os.read(near, 4096).decode()
    finally:
        os.close(near)
        os.close(far)
    assert process.returncode == code
    assert "1 record will be forgotten. Go on?" in asked
    assert (b"undo" in out) is (code == 0)
    assert len(run("list", "-u", "ana", "-o", "json").data["results"]) == left


# --- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["serch", "x"], "search"),
        (["search"], "QUERY"),
        (["search", "x", "--bogus"], "--bogus"),
        (["search", "x", "-k", "many"], "--top-k must be a whole number"),
        (["search", "x", "-k", "0"], "--top-k must be"),
        (["timeline", " "], "query is empty"),
        (["search", "x", "-o", "xml"], "text or json"),
        (["search", "x", "--as-of", "once upon a time"], "cannot read"),
        (["get", UNKNOWN], "no record"),
        (["undo", "zzz"], "no operation"),
        (["delete-all", "--yes"], "delete-all needs"),
        (["add"], "add needs CONTENT"),
        (["config", "get", "recall.rrf"], "rrf_k"),
        (["stats", "--key-file", "/no/such/key"], "cannot read the key file"),
        (["stats", "--embedder", "nope"], "unknown embedder"),
    ],
)
def test_mistakes_exit_with_2_in_both_languages(run: Run, words: list[str], said: str) -> None:
    plain = run(*words)
    assert plain.code == 2
    assert plain.out == ""
    assert plain.err.startswith("error [E")
    assert said in plain.err
    if "xml" in words:
        return
    done = run("-o", "json", *words)
    assert done.code == 2
    assert done.err == plain.err
    assert set(done.data) == {"error", "code", "message", "retryable"}
    assert said in done.data["message"]


def test_failures_exit_with_1(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is not a database, it is a text that is long enough to be looked at" * 100)
    done = run("--db", str(broken), "stats", "-o", "json")
    assert done.code == 1
    assert done.data["code"].startswith("E1")
    done = run("--db", str(broken), "stats")
    assert (done.code, done.out) == (1, "")
    assert "Traceback" not in done.err


def test_a_mistake_does_not_create_a_store(run: Run, tmp_path: Path) -> None:
    assert run("search", "x", "--db", str(tmp_path / "new.db"), "--threshold", "high").code == 2
    assert not (tmp_path / "new.db").exists()


def test_a_bug_is_one_document_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("broken inside")

    monkeypatch.setattr("recollect.wiring.open_memory", fail)
    done = run("stats", "-o", "json")
    assert done.code == 1
    assert done.data["code"] == "E5000"
    assert "broken inside" in done.err


# --- settings -----------------------------------------------------------------------------------------------------


def test_config(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_RECALL__RRF_K", "30")
    setting = run("config", "get", "recall.rrf_k", "-o", "json").data
    assert (setting["value"], setting["origin"]) == (30, "environment RECOLLECT_RECALL__RRF_K")
    keys = [row["key"] for row in run("config", "-o", "json").data["settings"]]
    assert {"db", "embedder", "recall.rrf_k"} <= set(keys)
    assert "recall.rrf_k" in run("config", "--changed").out
    assert run("config", "path", "-o", "json").data == {
        "path": str(tmp_path / ".recollect" / "config.toml"),
        "exists": False,
    }


def test_every_setting_says_what_it_is_where_that_comes_from_and_what_it_does(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[recall]\ntop_k = 7\n[vector]\nbackend = 3\n", encoding="utf-8")
    monkeypatch.setenv("RECOLLECT_CONFIG", str(file))
    monkeypatch.setenv("RECOLLECT_RECALL__RRF_K", "30")
    rows = {row["key"]: row for row in run("config", "-o", "json").data["settings"]}
    assert rows.keys() == declared().keys()
    assert all(row["doc"] and row["origin"] and "value" in row for row in rows.values())
    assert rows["recall.top_k"]["origin"] == f"file {file}"
    assert rows["recall.rrf_k"]["origin"] == "environment RECOLLECT_RECALL__RRF_K"
    assert rows["recall.candidates"]["origin"] == "default"
    shown = run("config").out
    assert re.search(r"recall\.top_k +7 records +file +How many results", shown)
    assert re.search(r"recall\.rrf_k +30 +environment +How strongly", shown)
    assert f"! vector (file {file}) is no longer a setting" in " ".join(shown.split())


def test_one_setting_or_a_section_by_its_name(run: Run) -> None:
    one = run("config", "recall.top_k", "-o", "json").data
    assert (one["key"], one["value"], one["default"], one["range"]) == ("recall.top_k", 10, 10, "1 to 1000")
    assert one == run("config", "get", "recall.top_k", "-o", "json").data
    shown = run("config", "recall.top_k").out
    assert "recall.top_k = 10 records" in shown
    assert "How many results a search returns" in shown
    assert "at once" in shown
    keys = [row["key"] for row in run("config", "sandbox", "-o", "json").data["settings"]]
    assert keys == [key for key in declared() if key.startswith("sandbox.")]
    wrong = run("config", "recall.topk")
    assert (wrong.code, "did you mean recall.top_k?" in wrong.err) == (2, True)
    gone = run("config", "security.pad_row_bytes")
    assert (gone.code, "is no longer a setting" in gone.err) == (2, True)


def test_nothing_changed_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Console().print(reports.settings({"settings": [], "warnings": []}))
    assert capsys.readouterr().out == "every setting has its default\n"


@pytest.mark.parametrize("width", [40, 60, 99, 100, 160])
def test_settings_fit_the_terminal(run: Run, width: int) -> None:
    data = run("config", "ranking", "-o", "json").data
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    console.print(reports.settings(data))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert max(map(len, lines)) <= width
    assert ("what it does" in lines[1]) == (width >= reports.WIDE)
    joined = " ".join(" ".join(lines).split())
    assert all(row["key"] in joined for row in data["settings"])


def test_one_model(run: Run) -> None:
    found = run("models", "anthropic:claude-opus-4-6-20260115", "-o", "json").data
    assert (found["matched"], found["window_tokens"], found["exact_tokens"]) == ("claude-opus-4.6", 1_000_000, False)
    assert "counted exactly (o200k_base)" in run("models", "gpt-4o").out
    assert "a careful guess" in run("models", "our-own-model").out


def test_keys(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = bytes(range(32))
    file, db = tmp_path / "key", str(tmp_path / "secret.db")
    file.write_text(key.hex() + "\n", encoding="ascii")
    assert run("--db", db, "add", "a secret", "--key-file", str(file)).code == 0
    assert run("--db", db, "stats").code == 1
    monkeypatch.setenv("RECOLLECT_KEY", key.hex())
    assert run("--db", db, "stats", "-o", "json").data["records"] == 1
    monkeypatch.setenv("RECOLLECT_KEY", "c0ffee")
    done = run("--db", db, "stats")
    assert done.code == 2
    assert "c0ffee" not in done.err
    file.write_bytes(key)
    assert read_key(str(file)) == key


def test_repl_runs_a_piped_program(run: Run) -> None:
    added(run, "Ana drinks tea", "-u", "ana")
    assert "Ana drinks tea" in spawn("repl", "-u", "ana", stdin='result = memory_query("tea")').stdout


def test_repl_opens_the_store_that_spec_02s_variable_names(tmp_path: Path) -> None:
    named, given = tmp_path / "rlm.db", tmp_path / "given.db"
    program = 'memory_add_fact("Ana drinks tea")'
    assert spawn("repl", stdin=program, RLM_MEMORY_DB=str(named)).returncode == 0
    with recollect.open(named, embedder="fake") as memory:
        assert [record.content for record in memory.get_all()] == ["Ana drinks tea"]
    assert spawn("--db", str(given), "repl", stdin=program, RLM_MEMORY_DB=str(named)).returncode == 0
    assert given.exists()  # an argument wins


# --- the pieces ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["search", "x"], False),
        (["-o", "json", "search", "x"], True),
        (["search", "x", "-ojson"], True),
        (["search", "x", "--output=json"], True),
        (["search", "x", "--output", "json"], True),
        (["-o", "json", "search", "x", "-o", "text"], False),
        (["add", "--", "-o", "json"], False),
        (["search", "x", "-o"], False),
    ],
)
def test_wants_json(words: list[str], wanted: bool) -> None:
    assert wants_json(words) is wanted


def test_json_and_an_export_on_a_terminal_escape_what_would_steer_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "turned \u202e around \x9b and \U000e0041 tagged"
    added(run, said)
    out = run("search", "turned", "-o", "json").out
    assert said not in out
    assert "\\u202e around \\u009b and \\udb40\\udc41" in out
    assert json.loads(out)["results"][0]["memory"] == said
    assert said in run("export", "-", "--plain").out  # into a pipe it goes as it is
    monkeypatch.setattr("recollect.exchange.target.sys.stdout.isatty", lambda: True, raising=False)
    assert "turned \\u202e around" in run("export", "-", "--plain").out


def test_recalled_text_does_not_steer_the_terminal(run: Run) -> None:
    assert showable("a\x1b[31mb\tc\nd") == "a�[31mb\tc\nd"
    added(run, "red \x1b[31m alert")
    assert "\x1b" not in run("search", "alert").out


# --- as a process -------------------------------------------------------------------------------------------------


def test_process_end_to_end() -> None:
    done = spawn("add", "-", "-o", "json", stdin="piped in")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["count"] == 1
    shown = spawn("search", "piped", NO_COLOR="", FORCE_COLOR="", TERM="xterm-256color")
    assert shown.returncode == 0
    assert "\x1b" not in shown.stdout
    wrong = spawn("get", UNKNOWN)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("error [E2005]: ")


def test_a_reader_that_leaves_is_no_error() -> None:
    spawn("add", "--jsonl", "-", stdin="\n".join(json.dumps(f"a line of text, number {n}") for n in range(3000)))
    process = subprocess.Popen(
        [*PROGRAM, "list", "--limit", "3000", "-o", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    complaints = process.stderr.read()
    process.stderr.close()
    assert process.wait(30) == 141
    assert complaints == ""


def test_demo_tells_the_story() -> None:
    done = spawn("demo", RECOLLECT_EMBEDDER="wordllama")
    assert (done.returncode, done.stderr) == (0, "")
    after = done.stdout.partition("# now\n")[2]
    assert "tenth of April" in after.partition("# yesterday")[0]
    assert "third of March" in after.partition("# yesterday")[2].partition("undo")[0]
    assert "third of March" in after.partition("# after the undo")[2]
    for part in ("PostgreSQL", "Ana in 'kickoff'", "Ana sees Ana's note.", "Ben does not see Ana's note."):
        assert part in done.stdout


# --- as people type -----------------------------------------------------------------------------------------------


def test_words_need_no_quotes(run: Run) -> None:
    assert run("add", "Ana", "likes", "dark", "bread", "-u", "ana").code == 0
    found = run("search", "dark", "bread", "-u", "ana", "-o", "json").data["results"]
    assert [hit["memory"] for hit in found] == ["Ana likes dark bread"]


def test_other_words_for_an_option_mean_the_same(run: Run) -> None:
    for name in ("tea", "bread", "milk"):
        run("add", f"Ana likes {name}", "--user", "ana")
    for words in (["-n", "2"], ["--limit", "2"], ["-k", "2"], ["--top-k", "2"]):
        assert len(run("search", "what does Ana like?", "--user", "ana", *words, "-o", "json").data["results"]) == 2
        assert len(run("list", "-u", "ana", *words, "-o", "json").data["results"]) == 2


def test_what_is_piped_in_is_read_without_a_dash(run: Run) -> None:
    assert run("add", "-u", "ana", stdin="from a pipe\n").code == 0
    assert run("search", "-u", "ana", "-o", "json", stdin="pipe\n").data["results"][0]["memory"] == "from a pipe"


def test_messages_given_as_json_are_messages(run: Run) -> None:
    talk = '[{"role": "user", "content": "I hate rain"}, {"role": "assistant", "content": "Got it"}]'
    assert run("add", talk, "-u", "ana", "-s", "s1").code == 0
    run("add", stdin='{"role": "user", "content": "I like snow"}')
    run("add", '{"rain": "in JSON that is no message"}')
    rows = run("list", "--reach", "all", "-o", "json").data["results"]
    turns = {row["content"] for row in rows if row["kind"] == "episodic"}
    assert turns == {"I hate rain", "Got it", "I like snow"}
    assert '{"rain": "in JSON that is no message"}' in {row["content"] for row in rows}


def test_the_settings_name_the_user_that_nobody_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("add", "Ben likes tea", "-u", "ben")
    monkeypatch.setenv("RECOLLECT_USER", "ana")
    monkeypatch.setenv("RECOLLECT_PROJECT", "atlas")
    run("add", "Ana likes bread")
    row = run("list", "-o", "json").data["results"][0]
    assert (row["content"], row["user_id"], row["project"]) == ("Ana likes bread", "ana", "atlas")
    assert len(run("list", "-o", "json").data["results"]) == 1
    assert len(run("list", "--reach", "all", "-o", "json").data["results"]) == 2
    assert run("list", "-u", "-", "-p", "-", "-o", "json").data["results"] == []
    assert run("add", "for whom?", "-u", "").code == 2, "an empty variable in a script names nobody by mistake"
    assert run("stats", "-o", "json").data["records"] == 2, "what is about the store stays about the store"
    with recollect.open(embedder="fake") as memory:
        assert memory.get_all().records == (), "the library asks nobody's settings who somebody is"


@pytest.mark.parametrize(
    "words",
    [
        "search tea",
        "list",
        "stats",
        "health",
        "context tea",
        "timeline tea",
        "operations",
        "entities",
        "doctor",
        "memory stats",
        "memory query tea",
        "token list",
    ],
)
def test_looking_creates_no_store(run: Run, tmp_path: Path, words: str) -> None:
    missing = tmp_path / "not" / "there" / "x.db"
    done = run(*words.split(), "--db", str(missing), "-o", "json")
    assert done.code == 0, done.err
    assert f"there is no store at {missing} yet" in done.err
    assert not (tmp_path / "not").exists()


def test_what_is_not_there_is_not_exported(run: Run, tmp_path: Path) -> None:
    done = run("export", str(tmp_path / "out.jsonl"), "--plain", "--db", str(tmp_path / "no.db"))
    assert (done.code, (tmp_path / "out.jsonl").exists(), (tmp_path / "no.db").exists()) == (2, False, False)


def test_an_empty_answer_says_why(run: Run) -> None:
    assert "nothing is stored yet" in run("list").out
    run("add", "Ana likes bread", "-u", "ana")
    for words in (["list"], ["search", "bread"]):
        shown = " ".join(run(*words).out.split())
        assert "1 record under user ana: try -u ana, or --reach all" in shown
        assert "config set user ana" in shown
    assert "nothing is stored under user ben" in run("list", "-u", "ben").out
    assert "1 record is stored here, none fits --after" in run("list", "-u", "ana", "--after", "2040-01-01").out
    assert "none fits --kinds" in run("list", "-u", "ana", "--kinds", "episodic", "-o", "json").data["reason"]


def test_undo_alone_takes_back_the_last_thing_and_then_the_one_before(run: Run) -> None:
    assert run("undo").code == 2
    added(run, "one")
    added(run, "two")
    with recollect.open(embedder="fake") as memory:
        memory.scoped(actor="an agent").add("three")
    shown = run("operations").out
    assert all(word in shown for word in ("one", "two", "three", "by an agent"))
    assert "took back add" in run("undo").out
    assert {row["content"] for row in run("list", "-o", "json").data["results"]} == {"one", "three"}
    assert run("undo", "last").code == 0
    assert {row["content"] for row in run("list", "-o", "json").data["results"]} == {"three"}


def test_the_beginning_of_an_id_will_do(run: Run) -> None:
    first = added(run, "one")
    done = run("operations", "-o", "json").data["results"][0]["id"]
    assert run("get", first[:8], "-o", "json").data["id"] == first
    assert run("undo", done[:8]).code == 0
    assert "begins with" in run("undo", "00000000").err


def test_what_cannot_be_undone_offers_no_undo(run: Run) -> None:
    first = added(run, "one")
    assert "undo with" not in run("delete", first, "--hard", "--yes").out


def test_a_dry_run_shows_what_it_would_take(run: Run) -> None:
    added(run, "Ana likes bread", "-u", "ana")
    shown = run("delete-all", "-u", "ana", "--dry-run").out
    assert "1 record would be forgotten" in shown
    assert "Ana likes bread" in shown


def test_long_texts_are_folded_and_shown_in_full_when_asked(run: Run) -> None:
    added(run, "\n".join(f"line {number}" for number in range(40)))
    for words in (["list"], ["search", "line"]):
        folded, full, short = run(*words).out, run(*words, "--full").out, run(*words, "-1").out
        assert "36 more lines" in folded
        assert "line 39" not in folded
        assert "line 39" in full
        assert len(short.splitlines()) == 1


def test_what_was_known_already_is_not_counted_as_new(run: Run) -> None:
    assert "remembered 1 record\n" in run("add", "Ana likes bread").out
    assert "nothing new: 1 record was known already" in run("add", "Ana likes bread").out
    talk = '[{"role": "user", "content": "I hate rain"}]'
    shown = run("add", talk).out
    assert "remembered 1 record, and 1 statement read from it" in shown
    assert "The user hates rain" in shown
