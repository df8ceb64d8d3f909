"""Whatever database is behind a store, each method of each group answers the same to the same.

A whole life of a memory is told to every database (`whole_life`), and every call that passes between engine and store
is kept with its answer (`recorded_calls`). A new database is one more entry of `BACKENDS`, and has to give all these
answers.
"""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import pytest
from contracts.store_backends import BACKENDS, DATABASES
from recorded_calls import Call, Recorder, groups, methods_of
from whole_life import Life, whole_life

REFERENCE, *OTHERS = DATABASES


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Call]]:
    """The calls that a whole life makes, by database."""
    shared = tmp_path_factory.mktemp("life")
    return {name: _lived(BACKENDS[name].url(tmp_path_factory.mktemp(name)), shared) for name in DATABASES}


def _lived(url: str, folder: Path) -> list[Call]:
    recorder = Recorder()
    with pytest.MonkeyPatch.context() as monkeypatch:
        life = Life(url, folder, monkeypatch)
        try:
            recorder.install(monkeypatch, groups(life.mem._engine.store))
            whole_life(life)
        finally:
            life.close()
    return recorder.calls


@pytest.mark.parametrize("database", OTHERS)
def test_every_database_gives_the_same_answers(told: dict[str, list[Call]], database: str) -> None:
    assert len(told[REFERENCE]) > 10_000
    for number, (wanted, given) in enumerate(zip_longest(told[REFERENCE], told[database])):
        assert repr(given) == repr(wanted), (
            f"call {number}: {wanted.method}"
        )  # as text: what is no number is not equal to itself


def test_every_method_of_every_group_is_called(told: dict[str, list[Call]], tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        life = Life(str(tmp_path / "m.db"), tmp_path, monkeypatch)
        offered = {
            f"{group}.{name}" for group, kind in groups(life.mem._engine.store).items() for name in methods_of(kind)
        }
        life.close()
    missing = sorted(offered - {call.method for call in told[REFERENCE]})
    assert not missing, (
        f"lead to these by a chapter of whole_life, or call them in asked_directly: {', '.join(missing)}"
    )
