"""Taking a memory out over HTTP and bringing it in elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from interfaces.rest_server import bearer, client, token

from recollect.interfaces.rest.transfer import LINES, PASSPHRASE, SEALED

NDJSON = {"content-type": LINES}


def test_what_goes_out_comes_in_elsewhere(tmp_path: Path) -> None:
    with client(tmp_path / "one.db") as one, client(tmp_path / "two.db") as two:
        record = one.post("/v1/memories", json={"content": "Ana uses Helix", "user_id": "ana"}).json()["ids"][0]
        file = one.get("/v1/export", params={"plain": True})
        assert file.headers["content-type"] == LINES
        assert json.loads(file.content.splitlines()[0])["format"] == "recollect"
        report = two.post("/v1/import", content=file.content, headers=NDJSON)
        assert report.status_code == 200, report.text
        assert two.get(f"/v1/memories/{record}").json()["memory"] == "Ana uses Helix"


def test_a_passphrase_is_a_header_and_seals_the_file(tmp_path: Path) -> None:
    with client(tmp_path / "one.db") as one, client(tmp_path / "two.db") as two:
        one.post("/v1/memories", json={"content": "The safe opens with 4711"})
        file = one.get("/v1/export", headers={PASSPHRASE: "open sesame"})
        assert file.headers["content-type"] == SEALED
        assert b"4711" not in file.content
        sealed = {"content-type": SEALED}
        wrong = two.post("/v1/import", content=file.content, headers={**sealed, PASSPHRASE: "a guess"})
        assert 400 <= wrong.status_code < 500
        right = two.post("/v1/import", content=file.content, headers={**sealed, PASSPHRASE: "open sesame"})
        assert right.status_code == 200, right.text
        assert one.get("/v1/export", params={"passphrase": "in an address"}).status_code == 422


def test_a_token_takes_out_its_part(tmp_path: Path) -> None:
    with client(tmp_path / "m.db", loopback=False) as rest:
        memory = rest.memory  # type: ignore[attr-defined]
        memory.add("Ana's own note", user_id="ana")
        memory.add("Ben's own note", user_id="ben")
        ana = bearer(token(memory, "read", user_id="ana"))
        sealed = rest.get("/v1/export", headers={**ana, PASSPHRASE: "open sesame"})
        assert sealed.status_code == 200
        refused = rest.get("/v1/export", params={"plain": True}, headers=ana)
        assert refused.status_code == 403, "a plain file takes the right to administer"
        admin = bearer(token(memory, "read", "admin", user_id="ana"))
        assert rest.get("/v1/export", headers=admin).status_code == 422, "and to be meant"
        file = rest.get("/v1/export", params={"plain": True}, headers=admin)
        assert b"Ana's own" in file.content
        assert b"Ben's own" not in file.content
        assert rest.get("/v1/export", params={"user_id": "ben"}, headers=ana).status_code == 403
        assert rest.post("/v1/import", content=file.content, headers={**NDJSON, **ana}).status_code == 403


@pytest.mark.parametrize("path", ["/etc/passwd", "../m.db", "-"])
def test_no_client_names_a_file(tmp_path: Path, path: str) -> None:
    with client(tmp_path / "m.db") as rest:
        assert rest.get("/v1/export", params={"path": path}).status_code == 422
        assert rest.post("/v1/import", params={"path": path}, content=b"{}", headers=NDJSON).status_code == 422
        for verb in ("export", "import", "import_", "ingest"):
            assert rest.post(f"/v1/verbs/{verb}", json={"path": path}).status_code == 404


def test_what_is_no_export_is_refused(tmp_path: Path) -> None:
    with client(tmp_path / "m.db", config={"serve.import_bytes_max": 5000}) as rest:
        for junk in (b"", b"\x00\x01\x02", b"not json at all", b'{"format": "recollect", "version": 99}\n'):
            answer = rest.post("/v1/import", content=junk, headers=NDJSON)
            assert 400 <= answer.status_code < 500, answer.text
            assert answer.headers["content-type"] == "application/problem+json"
        form = rest.post("/v1/import", content=b"x=1", headers={"content-type": "application/x-www-form-urlencoded"})
        assert form.status_code == 415
        assert rest.post("/v1/import", content=b"x" * 6000, headers=NDJSON).status_code == 413
        assert rest.get("/v1/stats").json()["records"] == 0


def test_exports_leave_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    with client(tmp_path / "m.db") as rest:
        rest.post("/v1/memories", json={"content": "Ana uses Helix"})
        for _ in range(4):
            assert rest.get("/v1/export", params={"plain": True}).status_code == 200
        assert (
            rest.get("/v1/export", params={"format": "markdown", "plain": True})
            .headers["content-type"]
            .startswith("text/markdown")
        )
        assert rest.get("/v1/export", params={"format": "nonsense", "plain": True}).status_code == 422
    assert list(scratch.iterdir()) == []
