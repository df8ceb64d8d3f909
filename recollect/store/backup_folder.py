"""The folder in which backups of one store lie, and their names.

`auto-20260131T041500Z.db` is a whole store: it opens as any other does, with the key of the store it was made of. A
copy under way has a name that no listing shows, and gets its own when it was read back and found sound.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from recollect.clock import DAY_US, SECOND_US, from_us
from recollect.errors import DiskFull, StoreBusy, StoreError
from recollect.model.backup import BackupKind
from recollect.store.place import keep_private, sync_folder

SUFFIX = ".backups"
HEADER_SUFFIX = ".vault"  # of the file beside an encrypted store by which its key is found
ROOM_LEFT_BYTES = 200 * 1024 * 1024  # a backup must not be what fills the disk
_UNFINISHED = ".making-"
_KINDS = "|".join(BackupKind)
_NAME = re.compile(rf"({_KINDS})-(\d{{8}}T\d{{6}}Z)(?:-(\d+))?\.(db|dump)")
_STAMP = "%Y%m%dT%H%M%SZ"
_SAME_SECOND_MAX = 1000
_LOCK_PAUSE_S = 0.05


class BackupFile(NamedTuple):
    """A finished backup, as its name tells of it."""

    path: Path
    kind: BackupKind
    made_at: int
    number: int  # of several in one second

    @property
    def size_bytes(self) -> int:
        with suppress(OSError):
            return self.path.stat().st_size
        return 0


class BackupFolder:
    """Names, order and number of the backups of one store. Knows nothing of what is in them."""

    def __init__(self, path: Path, *, keep: int, coarse: bool = False, ending: str = "db") -> None:
        self.path = path
        self._keep = keep
        self._coarse = coarse  # names tell the day only
        self._ending = ending

    def listed(self) -> list[BackupFile]:
        """All finished backups, the newest first."""
        try:
            names = os.listdir(self.path)
        except OSError:
            return []
        found = (_read(self.path / name) for name in names)
        return sorted((each for each in found if each), key=lambda each: (each.made_at, each.number), reverse=True)

    def of_the_store(self) -> list[BackupFile]:
        """Those of the store as it was meant to be, the newest first: none of what a restore set aside."""
        return [each for each in self.listed() if each.kind is not BackupKind.RESTORE]

    def find(self, name: str) -> BackupFile | None:
        """A backup by its name, with or without its ending."""
        return next((each for each in self.listed() if name in (each.path.name, each.path.stem)), None)

    @contextmanager
    def alone(self, *, wait_s: float = 0.0) -> Iterator[None]:
        """Nobody else makes or removes backups here meanwhile; `StoreBusy` if somebody does. Ends with the process."""
        self._made()
        descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC) if os.name == "posix" else -1
        try:
            if descriptor >= 0 and not _taken(descriptor, time.monotonic() + wait_s):
                raise StoreBusy("a backup is being made just now; try again when it is done")
            yield
        finally:
            if descriptor >= 0:
                os.close(descriptor)

    def add(
        self,
        kind: BackupKind,
        at: int,
        write: Callable[[Path], None],
        *,
        header: Path | None = None,
        spare: Path | None = None,
    ) -> BackupFile:
        """Have a backup written, and give it its name; then remove what is older than those that are kept.

        For whoever is `alone`. `write` makes the file, checks it, and raises if it is not sound: then nothing is left.
        `header` is copied beside it, so that the backup opens as the store does. `spare` is a backup that is in use,
        and stays though it may be too old.
        """
        self.tidy()
        at -= at % (DAY_US if self._coarse else SECOND_US)
        path = self._free_name(kind, at)
        beside = self.path / f"{_UNFINISHED}{path.name}"
        try:
            write(beside)
            if header is not None:
                _copy_private(header, Path(f"{path}{HEADER_SUFFIX}"))
            os.replace(beside, path)
            sync_folder(self.path)
        except OSError as error:
            raise StoreError(f"no backup could be put into {self.path}: {error.strerror}") from None
        finally:
            for suffix in ("", "-journal", "-wal", "-shm"):
                Path(f"{beside}{suffix}").unlink(missing_ok=True)
        made = _read(path)
        assert made is not None
        self._drop_older(kind, spare)
        return made

    def room_for(self, size_bytes: int) -> None:
        """`DiskFull` if a file of that size would leave hardly anything."""
        self._made()
        try:
            free = shutil.disk_usage(self.path).free
        except OSError:
            return
        if free < size_bytes + ROOM_LEFT_BYTES:
            raise DiskFull(
                f"a backup takes {size_bytes // 2**20} MiB, and {free // 2**20} MiB are free in {self.path}: "
                "free some, or set backups.folder to another disk"
            )

    def files(self) -> list[Path]:
        """Every file that holds something of the store: backups, what is beside them, copies that were not finished."""
        with suppress(OSError):
            return sorted(
                path
                for path in self.path.iterdir()
                if path.name.startswith(_UNFINISHED) or _NAME.fullmatch(path.name.removesuffix(HEADER_SUFFIX))
            )
        return []

    def tidy(self) -> None:
        """Remove copies that a killed process did not finish. For whoever is `alone`."""
        for path in self.files():
            if path.name.startswith(_UNFINISHED):
                path.unlink(missing_ok=True)

    def _drop_older(self, kind: BackupKind, spare: Path | None) -> None:
        for each in [each for each in self.listed() if each.kind is kind and each.path != spare][self._keep :]:
            each.path.unlink(missing_ok=True)
            Path(f"{each.path}{HEADER_SUFFIX}").unlink(missing_ok=True)

    def _free_name(self, kind: BackupKind, at: int) -> Path:
        stamp = from_us(at).strftime(_STAMP)
        for number in range(1, _SAME_SECOND_MAX):
            path = self.path / f"{kind}-{stamp}{f'-{number}' if number > 1 else ''}.{self._ending}"
            if not path.exists():
                return path
        raise StoreBusy("too many backups of one moment; try again")

    def _made(self) -> None:
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make the folder {self.path}: {error.strerror}; set backups.folder") from None
        if self.path.name.endswith(SUFFIX):
            keep_private(self.path)


def _taken(descriptor: int, deadline: float) -> bool:
    import fcntl

    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_LOCK_PAUSE_S)


def _read(path: Path) -> BackupFile | None:
    told = _NAME.fullmatch(path.name)
    if told is None:
        return None
    try:
        moment = datetime.strptime(told[2], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None
    return BackupFile(path, BackupKind(told[1]), int(moment.timestamp()) * SECOND_US, int(told[3] or 1))


def _copy_private(source: Path, target: Path) -> None:
    descriptor = os.open(target, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(source.read_bytes())
        file.flush()
        os.fsync(file.fileno())
