"""Looks for what is wrong with a store and says how to cure it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.deadline import TimedCalls, within
from recollect.errors import RecollectError, StoreClosed, StoreDamaged, StoreError, StoreLocked, StoreReplaced
from recollect.hook import spool
from recollect.hook.places import folder_of
from recollect.ingest.embedding import Embedding
from recollect.insight.cures import CURES, cured, fine, in_the_way, wrong
from recollect.insight.degraded import FREE_BYTES_MIN, LOST
from recollect.model.result import Finding
from recollect.providers.base import Llm
from recollect.providers.health import embed_in_time, reach_of
from recollect.store import jobs
from recollect.store.base import Store
from recollect.upkeep.language_model.awaited import awaited

if TYPE_CHECKING:
    from recollect.security.vault import Vault
    from recollect.upkeep.backups import Backups

_NO_FILE = "no file of this machine"


class Doctor:
    """Checks of one store, which change nothing. `fix=True` cures what can be cured without losing anything."""

    def __init__(
        self,
        store: Store,
        config: LiveConfig,
        clock: Clock,
        embedding: Embedding,
        backups: Backups,
        llm: Llm | None = None,
        *,
        embed_missing: Callable[[], None],
        vault: Callable[[], Vault | None] = lambda: None,
    ) -> None:
        self._vault = vault
        self._backups = backups
        self._llm = llm
        self._embed_missing = embed_missing
        self._clock = clock
        self._store = store
        self._config = config
        self._embedder = embedding.embedder
        self._calls = TimedCalls(share=1.0)
        self._own = {model.name for model in embedding.models}

    def examine(self, *, fix: bool = False) -> list[Finding]:
        """One finding per check, the bad ones with their cure."""
        checks: dict[str, Callable[[bool], Finding]] = {
            "file": self._file,
            "integrity": self._integrity,
            "references": self._references,
            "text index": self._text_index,
            "erasures": self._erasures,
            "vectors": self._vectors,
            "embedder": self._embedding,
            "language model": self._model,
            "jobs": self._jobs,
            "hooks": self._hooks,
            "disk": self._disk,
            "settings": self._settings,
            "key": self._key,
            "backups": self._of_backups,
        }
        found: list[Finding] = []
        sound = True
        for name, check in checks.items():
            found.append(_told(name, check, fix and sound) if sound else _told_of_damage(name, check))
            sound = sound and found[-1].code not in (CURES["rows"].code, StoreDamaged.code)
        return found

    def _file(self, fix: bool) -> Finding:
        faults = []
        if self._store.lost:
            faults.append(f"[{StoreReplaced.code}] {LOST}")
        elif (trouble := self._store.trouble) is not None:
            faults.append(f"[{trouble.code}] the newest write failed: {trouble.message}")
        where = "in memory" if self._store.in_memory else f"{self._store.place} was opened"
        return _finding("file", faults, where)

    def _integrity(self, fix: bool) -> Finding:
        """Every page is read. What was worked out of the rows can be worked out again; the rows cannot."""
        faults = self._store.faults()
        if not faults:
            return fine("integrity", "every page is sound")
        if not self._store.rows_are_sound():
            return wrong("integrity", faults, cure="rows")
        if fix and self._store.mend():
            return cured("integrity", "the text index was damaged and is built anew", cure="damaged text index")
        faults[0] = f"the text index is damaged, every row is sound: {faults[0]}"
        return wrong("integrity", faults, cure="damaged text index")

    def _erasures(self, fix: bool) -> Finding:
        if self._store.scrub_due and fix:
            self._store.scrub()
            return cured("erasures", "the file was rewritten: no byte of what was erased is left")
        faults = ["bytes of erased records may still be in the file or its log"] if self._store.scrub_due else []
        return _finding("erasures", faults, "no byte of what was erased is left")

    def _references(self, fix: bool) -> Finding:
        broken = self._store.dangling_rows()
        faults = [f"{broken} rows point at nothing"] if broken else []
        return _finding("references", faults, "every reference leads somewhere")

    def _text_index(self, fix: bool) -> Finding:
        """Every row has its terms, and no terms lack their row."""
        with self._store.read() as tx:
            stored, lost, stray = tx.text.in_step()
        if (lost or stray) and fix:
            self._store.write(lambda tx: tx.text.rebuild())
            return cured("text index", f"rebuilt from {stored} rows")
        faults = [f"{lost} of {stored} rows are not indexed, {stray} are indexed and gone"] if lost or stray else []
        return _finding("text index", faults, f"{stored} rows are indexed")

    def _vectors(self, fix: bool) -> Finding:
        with self._store.read() as tx:
            spaces = [(space, *tx.vectors.coverage(space)) for space in tx.vectors.spaces()]
            coming = tx.jobs.waiting(jobs.EMBED)
        mine = self._embedder.name if self._embedder else None
        faults = [
            f"{space.name}: {have} of {total} records have a vector"
            for space, have, total in spaces
            if have < total and space.name in self._own and not coming
        ]
        owed = max((total - have for space, have, total in spaces if space.name in self._own), default=0)
        names = {space.name for space, _, _ in spaces}
        if names and mine is not None and mine not in names and not (coming and names <= self._own):
            faults.append(f"the store was embedded with {spaces[0][0].name}, the configured embedder is {mine}")
            return wrong("vectors", faults, cure="other model")
        if faults and fix:
            self._embed_missing()
            return cured("vectors", f"{owed} records had none, and the background makes them now")
        whole = f"complete ({len(spaces)} of {len(spaces)})"
        return _finding(
            "vectors", faults, f"{owed} records wait for theirs, which the background makes" if owed else whole
        )

    def _embedding(self, fix: bool) -> Finding:
        if self._embedder is None:
            return fine("embedder", "none configured: search compares words only")
        try:
            with within(self._config.current.embedding.probe_timeout_s):
                embed_in_time(self._calls, self._embedder, ["is anybody there?"])
        except RecollectError as error:
            return wrong("embedder", [f"{self._embedder.name}: {error}"])
        return fine("embedder", f"{self._embedder.name} answers")

    def _model(self, fix: bool) -> Finding:
        """The language model: whether it can be had, and what waits for it."""
        if self._llm is None:
            return fine("language model", "none configured: rules do its work")
        with self._store.read() as tx:
            waits = awaited(tx, self._config.current, now=self._clock())
        found = reach_of(self._llm)
        detail = f"{self._llm.name}: {found.detail}" + (f"; {waits} for it" if waits.total else "")
        if found.usable:
            return fine("language model", detail)
        bad = wrong("language model", [detail])
        return replace(bad, cure=found.cure or bad.cure)

    def _jobs(self, fix: bool) -> Finding:
        with self._store.read() as tx:
            failed = tx.jobs.failures()
        if failed and fix:
            self._store.write(lambda tx: tx.jobs.revive())
            return cured("jobs", f"{len(failed)} kinds of failed jobs are queued again")
        return _finding(
            "jobs", [f"{count} {kind} jobs failed with {error}" for kind, error, count in failed], "no job has failed"
        )

    def _hooks(self, fix: bool) -> Finding:
        """What hooks of coding clients failed at since somebody looked."""
        if self._store.path is None:
            return fine("hooks", _NO_FILE)
        folder = folder_of(str(self._store.path))
        failed = spool.failures(folder)
        if failed and fix:
            spool.forget_failures(folder)
            return cured("hooks", f"{len(failed)} failures were noted, and are forgotten now")
        counted = Counter(why for _, why in failed).most_common(3)
        return _finding("hooks", [f"{count} failed: {why}" for why, count in counted], "none has failed")

    def _disk(self, fix: bool) -> Finding:
        if self._store.path is None:
            return fine("disk", _NO_FILE)
        free = self._store.free_bytes()
        if free is None:
            return fine("disk", "the system does not tell how much is free")
        faults = [f"{free // 2**20} MiB are free"] if free < FREE_BYTES_MIN else []
        return _finding("disk", faults, f"{free // 2**20} MiB are free")

    def _key(self, fix: bool) -> Finding:
        """Whether the key is where the next opening will look for it."""
        vault = self._vault()
        if vault is None:
            return fine("key", "the store has no vault")
        with suppress(StoreLocked):
            vault.look_for_key()
        away = vault.outage.why
        return _finding("key", [] if away is None else [away.message], "the next opening finds it, or is given it")

    def _of_backups(self, fix: bool) -> Finding:
        """Whether what is stored would come back."""
        if self._store.path is None:
            return fine("backups", "in PostgreSQL and in memory, none is made unasked")
        backups = self._backups
        lack, standing = backups.lack(), backups.standing()
        newest = standing["backup"]
        told = "there is none, and nothing that needs one" if newest is None else f"the newest is of {newest}"
        return _finding("backups", [each for each in (lack, backups.trouble) if each], told)

    def _settings(self, fix: bool) -> Finding:
        return _finding("settings", list(self._config.current.warnings), "all in range")


def _told_of_damage(name: str, check: Callable[[bool], Finding]) -> Finding:
    """What a check finds where rows are damaged: nothing is mended by them, and what is read may be anything."""
    try:
        return _told(name, check, False)
    except StoreClosed:
        raise
    except Exception:
        return wrong(name, ["damaged rows cannot be looked at"], cure="rows")


def _told(name: str, check: Callable[[bool], Finding], fix: bool) -> Finding:
    """What a check finds; that the store keeps it from being made is a finding, too."""
    try:
        return check(fix)
    except StoreClosed:
        raise
    except StoreError as error:
        return in_the_way(error, name)


def _finding(check: str, faults: list[str], well: str) -> Finding:
    return wrong(check, faults) if faults else fine(check, well)
