"""A secret that anybody tells is in no file, window, answer, export or log: it is taken out before anything else."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from bench.quality.fake_secrets import fake_secrets, told


@pytest.fixture
def secrets() -> dict[str, str]:
    """The fake secrets that a byte search can find: a PIN of four digits stands in many numbers."""
    return {kind: secret for kind, secret in fake_secrets(11).items() if kind != "pin"}


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG):
        yield caplog


def parts(secrets: dict[str, str]) -> list[str]:
    """What must stand nowhere: every secret, and every line of one that has several."""
    return [line for secret in secrets.values() for line in secret.splitlines() if "-----" not in line]


def leaks(texts: dict[str, bytes], secrets: dict[str, str]) -> list[str]:
    return [
        f"{where}: {part[:6]}…" for part in parts(secrets) for where, data in texts.items() if part.encode() in data
    ]


def test_a_secret_stands_in_no_file_window_export_or_log(
    tmp_path: Path, secrets: dict[str, str], log: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    said = [told(kind, secret) for kind, secret in secrets.items()]
    shown: list[str] = []
    with recollect.open(folder / "memory.db") as mem:
        _tell_in_every_way(mem, tmp_path, said, shown)
        for question in ("what is my password?", "AccountKey", "the new one, keep it safe", "atlas"):
            shown += [repr(mem.search(question, user_id="ana")), repr(mem.context(question, user_id="ana"))]
        mem.export(tmp_path / "out.jsonl")
        mem.export(tmp_path / "out.md", format="markdown")
        shown += [repr(each) for record in mem.get_all(user_id="ana") for each in mem.history(record.id)]
    files = {str(path): path.read_bytes() for path in [*folder.rglob("*"), *tmp_path.glob("out.*")] if path.is_file()}
    texts = {**files, "answers": "\n".join(shown).encode(), "logs": log.text.encode()}
    assert files
    assert leaks(texts, secrets) == []


def _tell_in_every_way(mem: recollect.Memory, tmp_path: Path, said: list[str], shown: list[str]) -> None:
    kept = mem.add("Ana works on Atlas", user_id="ana")
    wrong = mem.add("Ana works on Borealis", user_id="ana")
    for text in said:
        shown.append(repr(mem.add(text, user_id="ana", metadata={"note": text}, tags=[text[:100]])))
        shown.append(repr(mem.add([{"role": "user", "content": text}], user_id="ana", session_id="s1")))
        shown.append(repr(mem.remember(text + " Remember that.", user_id="ana")))
        shown.append(repr(mem.update(kept.ids[0], content=text, metadata={"told": text}, reason=text[:900])))
        wrong = mem.correct(wrong.ids[0], text + " Really.", reason=text[:900])
        shown.append(repr(mem.working.note(text, user_id="ana", session_id="s1")))
        shown.append(repr(mem.relate(kept.ids[0], wrong.ids[0], evidence=text[:900])))
        shown.append(repr(mem.feedback(kept.ids[0], helpful=True, reason=text[:900])))
    mem.working.suspend(user_id="ana", session_id="s1")
    document = tmp_path / "notes.md"
    document.write_text("# Notes\n\n" + "\n\n".join(said), encoding="utf-8")
    shown.append(repr(mem.ingest(document, user_id="ana")))
    shown.append(repr(mem.ingest("\n\n".join(said), user_id="ana")))
    shown.append(repr(mem.compact("\n".join(f"- {text}" for text in said), user_id="ana", session_id="s1")))
    mem.consolidate()


def test_an_export_of_another_store_brings_no_secret_in(tmp_path: Path, secrets: dict[str, str]) -> None:
    said = [told(kind, secret) for kind, secret in secrets.items()]
    with recollect.open(tmp_path / "open.db", config={"security": {"secrets": "keep"}}) as mem:
        for text in said:
            mem.add([{"role": "user", "content": text, "metadata": {"note": text}}], user_id="ana", session_id="s1")
        mem.export(tmp_path / "out.jsonl")
    assert leaks({"export": (tmp_path / "out.jsonl").read_bytes()}, secrets)  # the test can fail
    for name, known in (("restored", ()), ("merged", ("Ana likes tea",))):
        folder = tmp_path / name
        folder.mkdir()
        with recollect.open(folder / "memory.db") as mem:
            for text in known:
                mem.add(text, user_id="ana")
            mem.import_(tmp_path / "out.jsonl")
            assert len(list(mem.get_all(user_id="ana"))) >= len(said)
        files = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        assert leaks(files, secrets) == []


def test_a_private_key_that_several_pieces_hold_is_taken_out_of_all(tmp_path: Path) -> None:
    lines = [f"{number:04d}" + fake_secrets(number)["github-token"][4:34] for number in range(60)]
    key = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"])
    config = {
        "structure": {"chunk_chars_min": 50, "chunk_chars_max": 300},
        "security": {"injection_screen": False},  # what is in quarantine is not listed
    }
    with recollect.open(tmp_path / "memory.db", config=config) as mem:
        mem.ingest(f"The server uses this key:\n\n{key}\n\nand nothing else.")
        texts = "\n".join(record.content for record in mem.get_all())
    assert "and nothing else" in texts
    assert [line for line in lines if line in texts] == []
