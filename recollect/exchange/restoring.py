"""A store brought back: to one of its backups, to a moment, or to a moment by way of a backup.

A backup holds the journal of all that was done until it was made. So a moment is reached by undoing, one by one and the
newest first, what was done after it, in the store itself or in the first backup that was made after it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from glob import escape
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from recollect.clock import Clock, from_us, now_us
from recollect.config import Config, LiveConfig
from recollect.errors import (
    NotFound,
    RecollectError,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreLocked,
    StoreNewer,
    UndoRefused,
    UsageError,
)
from recollect.ingest import check
from recollect.model.audit import OWNER_NAME, AuditCaller, AuditEvent, AuditNote
from recollect.model.backup import BackupKind, LostSince, RestoreReport
from recollect.recall.past import PastOperations
from recollect.security.access import Access, KeyGiven, access_to
from recollect.security.auditing import VaultSeal
from recollect.security.header import read_header
from recollect.store.backup_folder import HEADER_SUFFIX, BackupFile, BackupFolder
from recollect.store.base import Store
from recollect.store.journal import LaterOperation
from recollect.store.open import (
    backup_faults,
    backup_folder,
    check_replaceable,
    is_encrypted,
    is_server,
    newest_in_backup,
    open_store,
    opens_with,
    put_backup_in_place,
    store_is_sound,
    store_path,
)

ACTOR = "restore"
_STAMP = ".damaged-%Y%m%dT%H%M%SZ"
_SHOWN = 20  # of what could not be undone


class _Chosen(NamedTuple):
    """A backup, and the key it opens with."""

    name: str
    path: Path
    made_at: int
    access: Access


def restore(
    url: str | os.PathLike[str] | None = None,
    backup: str | os.PathLike[str] | None = None,
    *,
    at: Any = None,
    key: KeyGiven = None,
    dry_run: bool = False,
    config: Mapping[str, Any] | None = None,
    clock: Clock = now_us,
) -> RestoreReport:
    """Bring a store back: to a backup (the newest sound one, unless one is named), or to how it was at a moment.

    Nobody may have the store open meanwhile. What is there is backed up first; a file that cannot be read is set aside
    with its log. `at` takes a time or words such as "yesterday 14:00": what was done after it is undone, in the store
    itself if that can be read, else in the first backup made after it. `dry_run` tells what would be done and lost.
    """
    chosen = LiveConfig(config).current
    place = store_path(url, chosen)
    folder = backup_folder(place, chosen)
    if folder is None:
        raise UsageError("a store in memory has no backups")
    if is_server(place):
        raise UsageError("a store in PostgreSQL is restored by pg_restore: docs/backups.md says how")
    moment = check.moment(at, "at", now=from_us(clock()))
    if moment is not None and moment > clock():
        raise UsageError(f"at must be a time that is past, and {from_us(moment):%Y-%m-%d %H:%M} is to come")
    restoring = _Restoring(place, folder, chosen, key, clock)
    if restoring.header_of is not None:
        if moment is None and backup is None:
            return restoring.to_header(dry_run=dry_run)
        if not dry_run:
            restoring.put_header_back()
    if moment is None:
        return restoring.to_backup(restoring.found(backup), dry_run=dry_run)
    if backup is None and restoring.sound:
        return restoring.to_moment(moment, dry_run=dry_run)
    return restoring.by_backup(
        restoring.nearest(moment) if backup is None else restoring.found(backup), moment, dry_run
    )


class _Restoring:
    def __init__(self, place: str, folder: BackupFolder, config: Config, key: KeyGiven, clock: Clock) -> None:
        self._place = place
        self._folder = folder
        self._config = config
        self._key = key
        self._clock = clock
        self._access: Access | None = None
        self.header_of: _Chosen | None = None  # of it the store lacks the header alone
        check_replaceable(place)
        try:
            self._access = access_to(place, key)
            self.sound = store_is_sound(place, key=self._access.pages)
        except StoreBusy:
            raise
        except StoreError:  # its header of keys is damaged, or the key is another one
            self.sound = False
        if not self.sound and is_encrypted(place) and not self._has_header():
            self._look_for_header()

    def _has_header(self) -> bool:
        try:
            return read_header(self._place) is not None
        except StoreNewer:
            return True
        except StoreDamaged:
            return False

    def _look_for_header(self) -> None:
        """Whether the store is sound with the header of one of its backups."""
        for each in self._folder.listed():
            if not os.path.exists(f"{each.path}{HEADER_SUFFIX}"):
                continue
            try:
                access = self._access_of(each.path)
                if not store_is_sound(self._place, key=access.pages):
                    continue
            except StoreBusy:
                raise
            except StoreError:
                continue
            self._access, self.sound = access, True
            self.header_of = _Chosen(each.path.name, each.path, each.made_at, access)
            return

    def found(self, named: str | os.PathLike[str] | None) -> _Chosen:
        """The backup of that name or path; the newest sound one where none is named, but what a restore set aside."""
        if named is None:
            return self._first_sound(self._folder.of_the_store())
        name = os.fspath(named)
        known = self._folder.find(name)
        if known is None and not Path(name).is_file():
            raise NotFound(f"there is no backup {name} in {self._folder.path}; `recollect backups` lists them")
        path = Path(name) if known is None else known.path
        made_at = round(path.stat().st_mtime * 1_000_000) if known is None else known.made_at
        found = _Chosen(path.name, path, made_at, self._access_of(path))
        if faults := self._faults(found):
            raise StoreDamaged(f"{path} is not sound: {'; '.join(faults)}; nothing was changed")
        return found

    def nearest(self, moment: int) -> _Chosen:
        """From which the moment is reached with the least lost: the first made after it, else the last before it."""
        listed = self._folder.listed()
        after = [each for each in listed if each.made_at >= moment]
        return self._first_sound([*reversed(after), *(each for each in listed if each.made_at < moment)])

    def _first_sound(self, files: Sequence[BackupFile]) -> _Chosen:
        faults, locked = [], None
        for each in files:
            try:
                found = _Chosen(each.path.name, each.path, each.made_at, self._access_of(each.path))
                wrong = self._faults(found)
            except StoreLocked as error:
                locked, wrong = locked or error, [error.message]
            except RecollectError as error:
                wrong = [error.message]
            if not wrong:
                return found
            faults.append(f"{each.path.name}: {wrong[0]}")
        if locked is not None:
            raise locked
        if faults:
            raise StoreDamaged(f"no backup of {self._place} is sound: {'; '.join(faults)}")
        raise NotFound(f"there is no backup of {self._place} in {self._folder.path}{self._only_set_aside()}")

    def _faults(self, of: _Chosen) -> list[str]:
        """What is wrong with a backup; `StoreLocked` if it is that the key is missing or another one."""
        faults = backup_faults(of.path, key=of.access.pages)
        if faults and is_encrypted(str(of.path)):
            if of.access.pages is None:
                raise StoreLocked(f"{of.path} is encrypted; give its key with --key-file PATH, $RECOLLECT_KEY or key=")
            if of.access.master is None and not opens_with(str(of.path), of.access.pages):
                raise StoreLocked(f"{of.path} cannot be read with this key, or its beginning is damaged; give its key")
        return faults

    def _only_set_aside(self) -> str:
        names = [each.path.name for each in self._folder.listed()]
        return f" but what a restore set aside, which it takes by name: {', '.join(names)}" if names else ""

    def _access_of(self, path: Path) -> Access:
        """A backup has the header of its key beside it, like a store."""
        if os.path.exists(f"{path}{HEADER_SUFFIX}"):
            return access_to(str(path), self._key)
        return self._access if self._access is not None else access_to(str(path), self._key)

    def to_backup(self, chosen: _Chosen, *, dry_run: bool) -> RestoreReport:
        """Put a backup into the place of the store."""
        lost = self._lost(chosen)
        if dry_run:
            return self._told(chosen.name, chosen.made_at, "would restore", 0, (), None, lost)
        set_aside = self._put(chosen)
        return self._told(chosen.name, chosen.made_at, "restored", 0, (), set_aside, lost)

    def to_header(self, *, dry_run: bool) -> RestoreReport:
        """Put the header of keys of a backup beside the store, which is sound with it: nothing else is needed."""
        assert self.header_of is not None
        lost = LostSince(operations=0, verbs={}, first_at=None, last_at=None)
        aside = None if dry_run else self.put_header_back()
        did = "would put the header back" if dry_run else "header put back"
        return self._told(self.header_of.name, self._clock(), did, 0, (), aside, lost)

    def put_header_back(self) -> str | None:
        """Where the damaged one is now."""
        assert self.header_of is not None
        aside = self._take_header(self.header_of)
        self._note(self.header_of)
        return aside

    def _take_header(self, chosen: _Chosen) -> str | None:
        """Have the header of a backup beside the store if it has none that can be read; where the damaged one is."""
        source, header = Path(f"{chosen.path}{HEADER_SUFFIX}"), Path(f"{self._place}{HEADER_SUFFIX}")
        if not source.exists() or self._has_header():
            return None
        kept = None
        if header.exists():
            kept = header.with_name(f"{header.name}{from_us(self._clock()).strftime(_STAMP)}")
            os.replace(header, kept)
        _copy_header(source, header)
        return None if kept is None else str(kept)

    def to_moment(self, moment: int, *, dry_run: bool) -> RestoreReport:
        """Undo what was done after a moment, in the store itself; the undoing can be undone."""
        assert self._access is not None
        with closing(self._opened(self._access)) as store:
            if dry_run:
                with store.read() as tx:
                    later = tx.journal.later_than(moment)
                return self._told(None, moment, "would undo", _standing(later), (), None)
            set_aside = self._backed_up(store)
            undone, kept = self._undo(store, moment)
        return self._told(None, moment, "undone", undone, kept, set_aside)

    def by_backup(self, chosen: _Chosen, moment: int, dry_run: bool) -> RestoreReport:
        """Put a backup in place, then undo in it what was done after the moment."""
        lost = self._lost(chosen, until=moment)
        if dry_run:
            return self._told(chosen.name, min(moment, chosen.made_at), "would restore", 0, (), None, lost)
        set_aside = self._put(chosen)
        with closing(self._opened(chosen.access)) as store:
            undone, kept = self._undo(store, moment)
        return self._told(chosen.name, min(moment, chosen.made_at), "restored", undone, kept, set_aside, lost)

    def _told(
        self,
        backup: str | None,
        moment: int,
        did: str,
        undone: int,
        kept: Sequence[str],
        set_aside: str | None,
        lost: LostSince | None = None,
    ) -> RestoreReport:
        return RestoreReport(
            did=did,
            place=self._place,
            backup=backup,
            moment=from_us(moment),
            lost=lost,
            undone=undone,
            kept_back=tuple(kept),
            set_aside=set_aside,
        )

    def _opened(self, access: Access) -> Store:
        return open_store(self._place, key=access.pages, config=self._config, create=False)

    def _lost(self, chosen: _Chosen, until: int | None = None) -> LostSince | None:
        """What the store has and the backup has not, up to a moment; None if the store cannot be read."""
        if self._access is None:
            return None
        newest = newest_in_backup(chosen.path, key=chosen.access.pages)
        try:  # one that is damaged may still tell
            with closing(self._opened(self._access)) as store, store.read() as tx:
                later = tx.journal.later_than(newest[1] if newest else 0, newest[0] if newest else None)
        except (StoreError, NotFound):
            return None
        later = [each for each in later if until is None or each.at <= until]
        return LostSince(
            operations=len(later),
            verbs=dict(Counter(each.verb for each in later).most_common()),
            first_at=from_us(later[-1].at) if later else None,
            last_at=from_us(later[0].at) if later else None,
        )

    def _put(self, chosen: _Chosen) -> str | None:
        """Put a backup in place; where what was there is now. Files made of the old one go."""
        kept: str | None = None
        if self.sound:
            assert self._access is not None
            with closing(self._opened(self._access)) as store:
                kept = self._backed_up(store, spare=chosen.path)
        aside = None if self.sound else from_us(self._clock()).strftime(_STAMP)
        key = chosen.access.pages if self._access is None else self._access.pages
        moved = put_backup_in_place(self._place, chosen.path, key=key, aside=aside)
        for path in Path(self._place).parent.glob(f"{escape(Path(self._place).name)}.vectors-*"):
            path.unlink(missing_ok=True)
        self._take_header(chosen)
        self._note(chosen)
        return kept if moved is None else str(moved)

    def _note(self, chosen: _Chosen) -> None:
        """Open what is in place now, and leave a word of it in its audit."""
        note = AuditNote(
            at=self._clock(),
            event=AuditEvent.BACKUP_RESTORED,
            caller=AuditCaller(OWNER_NAME, ACTOR),
            detail=orjson.dumps({"backup": chosen.name}).decode(),
        )
        with closing(self._opened(chosen.access)) as store:
            if chosen.access.master is not None:
                store.audit_seal = VaultSeal(chosen.access.master)
            store.write(lambda tx: tx.audit.extend([note]))

    def _backed_up(self, store: Store, *, spare: Path | None = None) -> str:
        """A backup of what is there, made before it is changed. `spare` is in use, and goes with no other."""
        self._folder.room_for(store.size_bytes())
        header = Path(f"{self._place}{HEADER_SUFFIX}")
        with self._folder.alone(wait_s=self._config.store.busy_timeout_s):
            made = self._folder.add(
                BackupKind.RESTORE,
                self._clock(),
                store.back_up,
                header=header if header.exists() else None,
                spare=spare,
            )
        return str(made.path)

    def _undo(self, store: Store, moment: int) -> tuple[int, list[str]]:
        """Undo what was done after a moment, the newest first; how much that was, and what cannot be undone."""
        past, kept, undone = PastOperations(store, self._clock), list[str](), 0
        with store.read() as tx:
            later = tx.journal.later_than(moment)
        for each in later:
            if not each.holds:
                continue
            try:
                past.undo(each.id, scope=None, actor=ACTOR)
                undone += 1
            except UndoRefused as error:
                kept.append(f"{each.verb} of {from_us(each.at):%Y-%m-%d %H:%M:%S}: {error.message}")
        return undone, kept[:_SHOWN] + ([f"and {len(kept) - _SHOWN} more"] if len(kept) > _SHOWN else [])


def _standing(later: Sequence[LaterOperation]) -> int:
    return sum(each.holds for each in later)


def _copy_header(source: Path, target: Path) -> None:
    descriptor = os.open(target, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(source.read_bytes())
        file.flush()
        os.fsync(file.fileno())
