"""The command line beside its verbs: help for people and programs, the doctor, figures, words that are typed."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from commands import PROGRAM, Done

import recollect
from recollect.interfaces.cli.entry import _parsed
from recollect.interfaces.cli.lane import understood
from recollect.interfaces.cli.overview import BESIDE as BESIDE_VERBS
from recollect.interfaces.cli.overview import EVERYDAY, clause, overview
from recollect.interfaces.cli.wording import in_shell
from recollect.verbs.table import VERBS

pytestmark = pytest.mark.usefixtures("environment")

BESIDE = {
    "rescue",
    "init",
    "mcp",
    "serve",
    "ui",
    "token",
    "vault",
    "hooks",
    "hook",
    "config",
    "models",
    "demo",
    "repl",
    "bench",
    "support",
    "completion",
    "help",
    "memory",
    "move",
    "restore",
}
CONTRACT = """add search get list update delete history undo confirm correct flag feedback relate related path entity
timeline explain weak ingest context consolidate decay replay maintain review stats health doctor export import
erase-user init serve mcp ui repl bench config models""".split()


# --- help ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["-h"], ["--help"], ["search", "-h"], ["token", "create", "-h"]])
def test_help_has_two_words(run: Any, words: list[str]) -> None:
    done = run(*words)
    assert done.code == 0
    assert "Usage: recollect" in done.out
    assert "<bool>" not in done.out, "flags take no value"


def test_the_list_of_commands_fits_into_two_screens(run: Any) -> None:
    shown = run("--help").out
    assert shown.count("\n") <= 100
    assert "install-completion" not in shown


def test_every_command_has_a_line_where_one_asks_for_all(run: Any) -> None:
    shown = run("help", "--all").out
    names = {verb.space or verb.in_shell for verb in VERBS if not verb.flag_of[0]} | BESIDE
    assert all(any(line.startswith(f"  {name} ") for line in shown.splitlines()) for name in names)
    assert names >= EVERYDAY


def test_help_for_programs_tells_of_every_command(run: Any) -> None:
    told = run("help", "--json").data
    commands = {each["command"]: each for each in told["commands"]}
    assert set(commands) == {verb.space or verb.in_shell for verb in VERBS if not verb.flag_of[0]} | BESIDE
    assert set(CONTRACT) <= set(commands)
    assert set(told["exit_codes"]) == {"0", "1", "2", "130"}
    search = {one["name"]: one for one in commands["search"]["options"]}
    assert (search["top_k"]["type"], search["top_k"]["default"], search["top_k"]["flags"]) == (
        "integer",
        10,
        ["-k", "--top-k", "-n", "--limit"],
    )
    assert (search["explain"]["type"], search["as_of"]["type"], search["filters"]["type"]) == (
        "boolean",
        "time",
        "json",
    )
    assert commands["search"]["arguments"][0]["required"] is True
    assert (commands["delete"]["writes"], commands["delete"]["destructive"]) == (True, True)
    assert [each["command"] for each in commands["token"]["commands"]] == ["token create", "token list", "token revoke"]
    assert len(commands["ui"]["options"]) > 3
    assert {one["name"]: one["type"] for one in commands["ui"]["options"]}["port"] == "integer"


def test_help_of_one_command(run: Any) -> None:
    assert run("help", "token", "create", "--json").data["command"] == "token create"
    assert run("help", "search", "-o", "json").data["command"] == "search"
    assert "Usage: recollect token create" in run("help", "token", "create").out
    assert "did you mean search" in run("help", "serach").err


def test_every_command_takes_a_wrong_option_calmly(run: Any) -> None:
    for name in CONTRACT:
        done = run(name, "--no-such-option")
        assert done.code == 2, name
        assert done.err.startswith("error [E4005]: No such option: --no-such-option"), name


# --- output -------------------------------------------------------------------------------------------------------


def test_what_is_piped_has_no_colour_and_no_blanks_at_the_end(run: Any) -> None:
    run("add", "Ana moved to Helix", "-u", "ana")
    for words in (["search", "Helix", "-u", "ana", "--explain"], ["list", "-u", "ana"], ["stats"], ["operations"]):
        shown = run(*words).out
        assert "\x1b" not in shown
        assert not re.search(r"[ \t]+$", shown, re.MULTILINE)


def test_a_context_is_piped_line_by_line(run: Any) -> None:
    run("add", "Ana " + "moved to Helix and " * 20 + "stayed")
    said = run("context", "Helix", "-o", "json").data["text"]
    assert max(map(len, said.splitlines())) > 200
    longest = max(said.splitlines(), key=len)
    assert longest in run("context", "Helix").out.splitlines()


def test_a_terminal_gets_colour_and_NO_COLOR_takes_it_away(run: Any) -> None:
    run("add", "Ana moved to Helix")
    environ = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm-256color"}
    assert b"\x1b[1m" in on_a_terminal("search", "Helix", environ=environ)
    plain = on_a_terminal("stats", environ=environ | {"NO_COLOR": "1"})
    assert b"\x1b[3" not in plain


def on_a_terminal(*words: str, environ: dict[str, str]) -> bytes:
    near, far = pty.openpty()
    process = subprocess.Popen([*PROGRAM, *words], stdout=far, stderr=far, stdin=far, env=environ)
    os.close(far)
    shown = b""
    while True:
        try:
            shown += (part := os.read(near, 65536))
        except OSError:  # the other end is closed: it is done
            break
        if not part:
            break
    os.close(near)
    assert process.wait(timeout=60) == 0
    return shown


def test_times_in_figures_are_dates(run: Any) -> None:
    run("add", "one")
    assert re.search(r"^newest +\d{4}-\d\d-\d\d \d\d:\d\d$", run("stats").out, re.MULTILINE)
    assert re.search(r"^ *llm +not set", run("config").out, re.MULTILINE)


def test_an_error_is_a_document_and_a_line(run: Any) -> None:
    done = run("get", "00000000-0000-4000-8000-000000000000", "-o", "json")
    assert (done.code, done.data["code"]) == (2, "E2005")
    assert done.err == f"error [E2005]: {done.data['message']}\n"


# --- words that are typed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("top_k must be a whole number", "--top-k must be a whole number"),
        ("after: cannot read 'x' as a time", "--after: cannot read 'x' as a time"),
        ("query is empty", "query is empty"),
        (
            "no operation has the id 1; `operations()` lists them",
            "no operation has the id 1; `recollect operations` lists them",
        ),
        ("for the whole store say reach='all'", "for the whole store say --reach all"),
        ("give its key=, or the right path", "give its --key-file, or the right path"),
        ("the text a=b=c is kept as it is", "the text a=b=c is kept as it is"),
    ],
)
def test_messages_use_the_words_of_the_shell(message: str, said: str) -> None:
    assert in_shell(message, {"top_k", "after"}) == said


def test_a_text_that_begins_with_a_dash(run: Any) -> None:
    assert "goes after --" in run("add", "- decided on Helix").err
    assert run("add", "--", "- decided on Helix").code == 0


def test_an_option_that_is_needed_is_named_as_typed(run: Any) -> None:
    assert "feedback needs --helpful or --no-helpful" in run("feedback", "x").err


# --- doctor -------------------------------------------------------------------------------------------------------


def finding(done: Done) -> Any:
    assert done.code == 1
    [only] = [each for each in done.data["findings"] if not each["ok"]]
    return only


def test_the_doctor_of_a_sound_store(run: Any) -> None:
    run("add", "one")
    done = run("doctor", "-o", "json")
    assert done.code == 0
    assert all(each["ok"] for each in done.data["findings"])
    assert run("doctor", "--fix").code == 0


def test_the_doctor_tells_what_keeps_a_store_from_opening(run: Any, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.write_bytes(b"a text, and long enough to be looked at" * 100)
    found = finding(run("--db", str(other), "doctor", "-o", "json"))
    assert (found["check"], "recollect restore" in found["cure"]) == ("store", True)
    shown = run("--db", str(other), "doctor")
    assert (shown.code, "✗" in shown.out, "→" in shown.out) == (1, True, True)
    assert finding(run("--db", str(tmp_path), "doctor", "-o", "json"))["check"] == "store"


def test_the_doctor_asks_for_the_key(run: Any, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(bytes(32))
    (tmp_path / "wrong").write_bytes(bytes(31) + b"x")
    sealed = ["--db", str(tmp_path / "sealed.db")]
    assert run(*sealed, "--key-file", str(tmp_path / "key"), "add", "a secret").code == 0
    assert finding(run(*sealed, "doctor", "-o", "json"))["check"] == "key"
    wrong = finding(run(*sealed, "--key-file", str(tmp_path / "wrong"), "doctor", "-o", "json"))
    assert "--key-file" in wrong["cure"]
    assert "--key-file" in run(*sealed, "list").err


def test_the_doctor_reads_broken_settings(run: Any, tmp_path: Path) -> None:
    (tmp_path / ".recollect").mkdir()
    (tmp_path / ".recollect" / "config.toml").write_text("recall = [")
    found = finding(run("doctor", "-o", "json"))
    assert (found["check"], "config.toml" in found["detail"]) == ("settings", True)
    assert run("list").code == 2


# --- bench and ui -------------------------------------------------------------------------------------------------


def test_a_measurement_leaves_nothing_behind(run: Any, tmp_path: Path) -> None:
    done = run("bench", "-n", "20", "-o", "json")
    assert done.code == 0
    assert done.data["records"] == 20
    whats = [row["what"] for row in done.data["figures"]]
    assert {"add one", "search"} <= set(whats)
    assert all(0 < row["median_ms"] <= row["p95_ms"] and row["per_second"] > 0 for row in done.data["figures"])
    assert list(tmp_path.iterdir()) == []
    assert run("bench", "-n", "0").code == 2


def test_the_page_is_served_and_its_address_printed(tmp_path: Path) -> None:
    words = [*PROGRAM, "ui", "--no-browser", "--port", "0", "-o", "json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            told = ""
            while not told.endswith("}\n"):
                line = process.stdout.readline()
                assert line, "it ended before it said where it is"
                told += line
            with urllib.request.urlopen(json.loads(told)["url"] + "/", timeout=30) as page:
                assert page.status == 200
                assert "text/html" in page.headers["Content-Type"]
        finally:
            process.terminate()


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_is_a_port(run: Any, port: str) -> None:
    assert run("ui", "--no-browser", "--port", port).code == 2


def test_a_context_that_is_piped_is_the_text_alone_and_what_is_assumed_is_said_beside_it(run: Any) -> None:
    run("add", "Ana sails", "-u", "ana")
    done = run("context", "Who sails?", "-u", "ana", "--model", "no-such-model")
    assert done.code == 0
    assert "Ana sails" in done.out
    assert "not known" not in done.out
    assert "the model is not known here" in done.err


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_help_has_an_example_and_no_python(run: Any, verb: Any) -> None:
    shown = " ".join(run(*verb.in_shell.split(), "--help").out.split())
    assert f"For example: recollect {verb.in_shell}" in shown
    usage = shown.partition("Usage: ")[2].partition(verb.summary.split()[0])[0]
    assert "{" not in usage
    for word in ("None", "file object", "inspect._empty", "VersionConflict", "(id, role)", "()`", "<str>", "In Python"):
        assert word not in shown


def test_a_setting_is_changed_checked_and_taken_back(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / ".recollect" / "config.toml"
    shown = run("config", "set", "user", "ana").out
    assert "user is now ana" in shown
    assert file.read_text() == 'user = "ana"\n'
    file.write_text('# mine\nuser = "ana"  # me\n')
    assert run("config", "set", "recall.top_k", "7", "-o", "json").data["value"] == 7
    assert run("config", "set", "ranking.weights.fact", "x").code == 2
    assert file.read_text() == '# mine\nuser = "ana"  # me\n\n[recall]\ntop_k = 7\n'
    assert "recall.top_k" in run("config", "--changed").out
    for words, said in (
        (["recall.top_k", "-- 0"], "0"),
        (["recall.topk", "5"], "recall.top_k"),
        (["recall.top_k", "x"], "number"),
    ):
        refused = run("config", "set", *words)
        assert (refused.code, said in refused.err) == (2, True)
    assert 'user = "ana"  # me' in file.read_text()
    run("config", "unset", "user")
    assert "user" not in file.read_text()
    monkeypatch.setenv("RECOLLECT_USER", "ben")
    assert "environment RECOLLECT_USER wins over the file" in run("config", "set", "user", "ana").out


def test_work_on_many_records_is_told_in_a_sentence(run: Any, tmp_path: Path) -> None:
    run("add", "one")
    assert re.match(r"✓ 1 record written to out.jsonl \([\d.]+ kB\)\n", run("export", "out.jsonl", "--plain").out)
    assert run("import", "out.jsonl").out.startswith("✓ 0 records imported; 1 were here already\n")
    assert run("import", "out.jsonl", "--db", "other.db").out.startswith("✓ 1 record imported")
    assert run("import", "out.jsonl", "--dry-run", "--db", "third.db").out.startswith("· 1 record would be imported")
    run("settle")
    assert "nothing was waiting to be done" in run("settle").out
    run("add", "two", "-u", "ana")
    assert run("erase-user", "ana", "--yes").out.startswith("✓ 1 record")


def test_who_stops_a_long_command_is_told_what_is_stored(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        with recollect.open(embedder="fake") as memory:
            memory.add(["one", "two"])
        raise KeyboardInterrupt

    monkeypatch.setattr("recollect.verbs.by_name.run", stopped)
    done = run("ingest", "a text that is read")
    assert done.code == 130
    assert "stopped: 2 records of it are stored" in done.err


def test_the_overview_says_what_commands_say_of_themselves(run: Any) -> None:
    told = {each["command"]: each["help"] for each in run("help", "--json").data["commands"]}
    listed = {name: text for panel in BESIDE_VERBS.values() for name, text in panel.items()}
    assert listed == {name: clause(told[name]) for name in BESIDE}


@pytest.mark.parametrize("columns", [44, 80, 120])
def test_the_overview_fits_the_terminal(columns: int) -> None:
    lines = overview(columns).splitlines()
    assert max(map(len, lines)) <= max(columns, 54), "only an example to type may be longer"
    assert all(any(f" {verb.space or verb.in_shell} " in line for line in lines) for verb in VERBS)


@pytest.mark.parametrize(
    "line",
    [
        "search which editor -u ana -k 3",
        "search --user ana --limit=3 -o json x y",
        "add a b --no-infer --tags a,b --tags c",
        "-o json list --kinds semantic -1",
        "list --full --db x.db",
        "correct 12345678 a truer text --reason why",
        "delete 12345678 --hard -y",
        "relate a b supports --confidence 0.9",
        "relate a b",
        "undo",
        "undo last",
        "add -- - decided",
        "add -",
        "add --jsonl turns.jsonl -s s1",
        "forget 12345678",
        "feedback 12345678 --no-helpful",
        "export out.jsonl --vectors --plain",
        "stats",
        "timeline Ana's editor --after yesterday",
    ],
)
def test_the_straight_way_reads_a_line_as_the_parser_does(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = line.split()
    straight = understood(words)
    assert straight is not None
    parsed: list[Any] = []
    monkeypatch.setattr("recollect.interfaces.cli.app.answered", lambda *given: parsed.append(given))
    _parsed(words)
    ((verb, name, shared, given),) = parsed
    assert (straight.verb, straight.name, straight.shared) == (verb, name, shared)
    said = {key: value for key, value in given.items() if value not in (None, [], (), False)}
    assert {key: value for key, value in straight.given.items() if value not in (None, [], (), False)} == said


@pytest.mark.parametrize(
    "line",
    ["search x --help", "search x --nope", "serch x", "search x -k", "get", "get a b", "config", "search -k3 x", ""],
)
def test_what_is_odd_is_left_to_the_parser(line: str) -> None:
    assert understood(line.split()) is None
