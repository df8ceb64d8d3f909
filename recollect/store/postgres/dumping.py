"""A backup of a schema by `pg_dump`, PostgreSQL's own program, where there is one on this machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from shutil import which

from psycopg.conninfo import conninfo_to_dict

from recollect.errors import Interrupted, StoreDamaged, StoreError, UsageError
from recollect.store.postgres.connection import ServerOpening

_LOOK_S = 0.2
# What libpq reads from the environment: nothing that is secret stands among the arguments, which others can list.
_VARIABLES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "passfile": "PGPASSFILE",
    "service": "PGSERVICE",
    "options": "PGOPTIONS",
}
_SAID_CHARS = 300


def dump(opening: ServerOpening, target: Path, going_on: Callable[[], bool]) -> None:
    """Write all tables of the schema, as they are at one moment, into a new file that `pg_restore` reads."""
    program = _program(opening.settings.pg_dump)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    words = [program, "--format=custom", f"--schema={opening.schema}", "--no-password", f"--file={target}"]
    with subprocess.Popen(
        words, env=_environment(opening), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as running:
        try:
            said = _ended(running, going_on)
        except BaseException:
            running.kill()
            raise
    if running.returncode != 0:
        raise StoreError(f"{program} failed ({running.returncode}): {said[:_SAID_CHARS]}")
    _flush(target)
    if faults := check_dump(target, opening):
        raise StoreDamaged(f"the backup was read back and is not sound: {'; '.join(faults)}")


def check_dump(path: Path, opening: ServerOpening) -> list[str]:
    """What is wrong with a backup; empty if `pg_restore` reads all of it."""
    program = str(Path(_program(opening.settings.pg_dump)).with_name("pg_restore"))
    try:  # writes what it would send to a server: so all of the file is read and unpacked
        done = subprocess.run(
            [program, f"--file={os.devnull}", str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
    except OSError as error:
        return [f"{program} cannot be run: {error.strerror}"]
    return [] if done.returncode == 0 else [_text(done.stderr)[:_SAID_CHARS]]


def _program(setting: str) -> str:
    if not setting:
        raise UsageError("store.pg_dump is empty: no backups of a store in PostgreSQL are made here")
    found = which(setting)
    if found is None:
        raise UsageError(
            f"a store in PostgreSQL is backed up by {setting}, which is not on this machine: install PostgreSQL's "
            "client programs, set store.pg_dump, or back up the server itself (docs/postgres.md)"
        )
    return found


def _ended(running: subprocess.Popen[bytes], going_on: Callable[[], bool]) -> str:
    while True:
        try:
            _, said = running.communicate(timeout=_LOOK_S)
            return _text(said)
        except subprocess.TimeoutExpired:
            if not going_on():
                raise Interrupted("the backup was broken off: the memory is being closed") from None


def _text(said: bytes | None) -> str:
    return (said or b"").decode("utf-8", "replace").strip().replace("\n", "; ")


def _environment(opening: ServerOpening) -> dict[str, str]:
    known = conninfo_to_dict(opening.conninfo)
    given = {_VARIABLES[name]: str(value) for name, value in known.items() if name in _VARIABLES and value}
    return {**os.environ, **given}


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
