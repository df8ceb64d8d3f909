"""`recollect vault`: what a person at a terminal does with a key, and what is refused where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Run
from security.vaults import keyring_in

from recollect.interfaces.cli import session, vault
from recollect.security import passphrase
from recollect.security.passphrase import Cost


@pytest.fixture(autouse=True)
def quick_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passphrase, "COST", Cost(memory_kib=8 * 1024, iterations=1, lanes=1))


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A person at a terminal, who types these in turn."""
    answers: list[str] = []

    def ask(prompt: str = "") -> str:
        return answers.pop(0)

    for module in (session, vault):
        monkeypatch.setattr(module, "at_a_terminal", lambda: True)
        monkeypatch.setattr(module, "ask_passphrase", ask)
    return answers


def test_a_new_store_is_encrypted_and_used_without_a_word_about_its_key(run: Run, tmp_path: Path) -> None:
    with keyring_in(tmp_path):
        made = run("vault", "init", "-o", "json")
        assert made.code == 0, made.err
        assert made.data["kept"] == "keyring"
        assert "a lost key is a lost store" in made.data["warnings"][0]
        assert run("add", "Ana keeps bees").code == 0
        assert "Ana keeps bees" in run("search", "bees").out
        assert not (tmp_path / "memory.db").read_bytes().startswith(b"SQLite")
        again = run("vault", "init")
        assert again.code == 2
        assert "vault migrate" in again.err


def test_a_plain_store_goes_into_the_vault_and_out_again(run: Run, tmp_path: Path) -> None:
    run("add", "Ana keeps bees")
    assert run("vault", "status", "-o", "json").data["encrypted"] is False
    assert run("vault", "migrate", "--keep", f"file:{tmp_path / 'key'}").code == 0
    old = run("vault", "export-key", "-o", "json").data["key"]
    assert run("vault", "rotate").code == 0
    assert run("vault", "export-key", "-o", "json").data["key"] != old
    assert "Ana keeps bees" in run("search", "bees").out
    assert run("vault", "migrate", "--to", "plain").code == 0
    assert "Ana keeps bees" in run("search", "bees").out
    assert not (tmp_path / "memory.db.vault").exists()


def test_the_status_takes_ten_lines_and_no_key(run: Run, tmp_path: Path, typed: list[str]) -> None:
    typed += ["correct horse", "correct horse"]
    assert run("vault", "init", "--keep", "passphrase").code == 0
    told = run("vault", "status")
    assert told.code == 0
    assert len([line for line in told.out.split("\n") if line.strip() and not line.startswith("!")]) == 10
    for word in ("every page encrypted", "argon2id 8 MiB", "memory", "exports", "a lost key"):
        assert word in told.out
    assert typed == []


def test_a_person_is_asked_for_the_passphrase_and_a_program_never_is(
    run: Run, tmp_path: Path, typed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed += ["correct horse", "correct horse", "correct horse", "wrong"]
    assert run("vault", "init", "--keep", "passphrase").code == 0
    assert run("add", "Ana keeps bees").code == 0
    wrong = run("search", "bees")
    assert wrong.code == 1
    assert "E1001" in wrong.err
    assert typed == []
    monkeypatch.setattr(session, "at_a_terminal", lambda: False)
    silent = run("search", "bees")
    assert silent.code == 1
    assert "vault unlock" in silent.err


def test_a_server_never_asks(typed: list[str], run: Run, tmp_path: Path) -> None:
    typed += ["correct horse", "correct horse"]
    run("vault", "init", "--keep", "passphrase")
    options = {"db": str(tmp_path / "memory.db"), "key_file": None}
    assert session.key_for(options, ask=False) is None
    assert session.key_for(options, ask=True) is not None


def test_unlocked_once_it_opens_until_it_is_locked(
    run: Run, tmp_path: Path, typed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed += ["correct horse", "correct horse", "correct horse"]
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    run("vault", "init", "--keep", "passphrase")
    unlocked = run("vault", "unlock", "--for", "8h")
    assert unlocked.code == 0, unlocked.err
    assert run("add", "Ana keeps bees").code == 0
    assert "unlocked now" in run("vault", "status").out
    assert run("vault", "lock").code == 0
    assert not list((tmp_path / "run" / "recollect").iterdir())
    typed.append("wrong")
    assert run("search", "bees").code == 1
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    typed.append("correct horse")
    nowhere = run("vault", "unlock")
    assert nowhere.code == 2
    assert "XDG_RUNTIME_DIR" in nowhere.err


def test_two_different_passphrases_make_no_vault(run: Run, tmp_path: Path, typed: list[str]) -> None:
    typed += ["correct horse", "correct house"]
    refused = run("vault", "init", "--keep", "passphrase")
    assert refused.code == 2
    assert "not the same" in refused.err
    assert not (tmp_path / "memory.db").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("init", "--keep", "cloud"),
        ("init", "--keep", "env:NOT_SET_ANYWHERE"),
        ("rotate",),
        ("unlock",),
        ("lock",),
        ("export-key",),
        ("migrate", "--to", "elsewhere"),
        ("migrate",),
        ("status", "--db", ":memory:"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_nothing(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run("vault", *words)
    assert done.code in (1, 2)
    assert "error [E" in done.err
    assert not (tmp_path / "memory.db").exists()
    assert not (tmp_path / "memory.db.vault").exists()


def test_a_variable_for_other_stores_does_not_shut_out_from_a_vault(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("vault", "init", "--keep", f"file:{tmp_path / 'key'}")
    monkeypatch.setenv("RECOLLECT_KEY", "00" * 32)
    assert run("add", "Ana keeps bees").code == 0


def test_a_secret_is_kept_by_a_reference_and_shown_by_it(run: Run, tmp_path: Path) -> None:
    assert run("vault", "init", "--keep", f"file:{tmp_path / 'key'}").code == 0
    stored = run("add", "my password is Tr0ub4dor&3", "-o", "json")
    text = run("get", stored.data["ids"][0], "-o", "json").data["content"]
    assert text.startswith("my password is [secret:password#")
    shown = run("vault", "secret", text.rpartition("#")[2].rstrip("]"), "--reason", "to log in")
    assert shown.out.strip() == "Tr0ub4dor&3"
    assert run("vault", "secret", "0000000000").code != 0


def test_a_sealed_record_is_revealed_by_a_command_of_its_own(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_SECURITY__PERSONAL", "tier")
    assert run("vault", "init", "--keep", f"file:{tmp_path / 'key'}").code == 0
    id_ = run("add", "Ana pays with 4111 1111 1111 1111", "-o", "json").data["ids"][0]
    assert "4111" not in run("get", id_).out
    assert "4111" not in run("search", "how does Ana pay?").out
    assert "4111 1111 1111 1111" in run("reveal", id_, "-o", "json").out


def test_what_is_stored_is_sealed_and_opened_again_in_the_shell(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = run("add", "Ana reads ana@lisboa.pt at night", "-o", "json").data["ids"][0]
    assert run("vault", "migrate", "--keep", f"file:{tmp_path / 'key'}").code == 0
    monkeypatch.setenv("RECOLLECT_SECURITY__PERSONAL", "tier")
    monkeypatch.setenv("RECOLLECT_SECURITY__SENSITIVE_SHOWN", "redacted")
    assert run("vault", "seal", "--dry-run", "-o", "json").data["sealed"] == 1
    assert run("vault", "seal", "-o", "json").data["sealed"] == 1
    assert run("get", id_, "-o", "json").data["content"] == "Ana reads [email] at night"
    assert run("vault", "migrate", "--to", "plain").code != 0
    assert run("vault", "migrate", "--to", "plain", "--open-fields").code == 0
    assert run("get", id_, "-o", "json").data["content"] == "Ana reads ana@lisboa.pt at night"
