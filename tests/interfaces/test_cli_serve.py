"""`recollect serve` and `recollect token` from the shell."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.interfaces.cli import main
from recollect.interfaces.cli.serve import facts, welcome

ROOT = Path(recollect.__file__).parents[1]
_MAIN = "import sys; from recollect.interfaces.cli import main; sys.exit(main())"


@contextmanager
def shell(*words: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-W", "error", "-c", _MAIN, *words]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, **pipes) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def told(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    text = ""
    for line in process.stdout:
        text += line
        if line == "}\n":
            break
    found: dict[str, Any] = json.loads(text)
    return found


def asked(url: str, path: str, body: Any = None, token: str | None = None) -> tuple[int, Any]:
    host = url.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=10)
    headers = {"content-type": "application/json", **({"authorization": f"Bearer {token}"} if token else {})}
    connection.request("GET" if body is None else "POST", path, body and json.dumps(body), headers)
    answer = connection.getresponse()
    data = json.loads(answer.read())
    connection.close()
    return answer.status, data


def test_it_serves_until_told_to_stop(tmp_path: Path) -> None:
    store = str(tmp_path / "m.db")
    with shell("serve", "--db", store, "--port", "0", "--embedder", "fake", "-o", "json") as process:
        where = told(process)
        assert where["store"] == store
        assert asked(where["url"], "/v1/memories", {"content": "Ana uses Helix"})[0] == 201
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=30)
        assert process.returncode == 0
    lines = [json.loads(line) for line in log.splitlines()]
    assert [line["route"] for line in lines] == ["/v1/memories"]
    with recollect.open(store, embedder="fake") as memory:
        assert memory.stats()["records"] == 1


def test_off_loopback_it_wants_a_token(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "m.db")
    common = ("serve", "--db", store, "--host", "0.0.0.0", "--port", "0", "--embedder", "fake", "-o", "json", "-q")
    with shell(*common) as process:
        said, _ = process.communicate(timeout=30)
        assert process.returncode == 1
        assert json.loads(said)["code"] == "E4001"
    assert main(["token", "create", "--db", store, "--user-id", "ana", "--rights", "read,write", "-o", "json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["scope"] == {"user_id": "ana"}
    with shell(*common) as process:
        url = told(process)["url"]
        assert asked(url, "/v1/stats")[0] == 401
        assert asked(url, "/v1/stats", token=made["token"])[0] == 200


def test_tokens_are_made_listed_and_revoked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "m.db")
    assert main(["token", "create", "--db", store, "--name", "laptop", "--expires", "in 30 days"]) == 0
    text = capsys.readouterr().out
    secret = text.split()[0]
    assert secret.startswith("rcl_")
    assert "copy it now" in text
    assert main(["token", "list", "--db", store]) == 0
    shown = capsys.readouterr().out
    assert "laptop" in shown
    assert secret not in shown
    assert main(["token", "revoke", "laptop", "--db", store, "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["tokens"][0]["revoked_at"]
    assert main(["token", "revoke", "nobody", "--db", store]) == 2
    assert main(["token", "create", "--db", store, "--rights", "everything"]) == 2
    assert main(["token", "create", "--db", store, "--name", "laptop"]) == 2


def test_what_a_token_may_add_is_said_when_it_is_made_and_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    create = ["token", "create", "--db", str(tmp_path / "m.db"), "-o", "json"]
    for words, scope, may_add in (
        ([], {}, {}),
        (["--user-id", "ana"], {"user_id": "ana"}, {}),
        (
            ["--may-add", "project=atlas,beta", "--may-add", "agent_id=*"],
            {},
            {"project": ["atlas", "beta"], "agent_id": ["*"]},
        ),
        (["--may-add", "squad", "--user-id", "ana"], {"user_id": "ana"}, {"squad": ["*"]}),
    ):
        assert main([*create, *words]) == 0
        made = json.loads(capsys.readouterr().out)
        assert (made["scope"], made["may_add"]) == (scope, may_add)
    assert main([*create, "--may-add", "*"]) == 0
    assert len(json.loads(capsys.readouterr().out)["may_add"]) == 5
    assert main(["token", "list", "--db", str(tmp_path / "m.db")]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for told in ("what is everybody's", "may add", "project=atlas,beta", "and anybody it names"):
        assert told in shown, shown
    assert main([*create, "--may-add", "team=core"]) == 2
    assert main([*create, "--user-id", "ana", "--may-add", "user_id=ben"]) == 2


def test_an_admin_may_do_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["token", "create", "--db", str(tmp_path / "m.db"), "--rights", "admin", "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["rights"] == ["read", "write", "admin"]


def test_the_welcome_says_what_to_paste(memory: recollect.Memory) -> None:
    where = facts(memory, "0.0.0.0", 7077)
    assert where["url"] == "http://127.0.0.1:7077"
    assert facts(memory, "::1", 1)["url"] == "http://[::1]:1"
    text = welcome({**where, "mcp": "http://127.0.0.1:7077/mcp"})
    assert "curl -s http://127.0.0.1:7077/v1/memories" in text
    assert '"url": "http://127.0.0.1:7077/mcp"' in text
    assert str(where["store"]) in text
    assert "claude mcp add --transport http recollect http://127.0.0.1:7077/mcp" in text
    assert "mcpServers" not in welcome({**where, "mcp": None})


def test_the_welcome_shows_a_token_only_where_one_is_asked_for(memory: recollect.Memory) -> None:
    everywhere = welcome(facts(memory, "0.0.0.0", 7077))
    assert everywhere.count("Bearer TOKEN") == (4 if facts(memory, "0.0.0.0", 7077)["mcp"] else 2)
    assert "recollect token create" in everywhere
    for here in (facts(memory, "127.0.0.1", 7077), facts(memory, "0.0.0.0", 7077, trusting=True)):
        assert "TOKEN" not in welcome(here)
