"""Looks for what is wrong with a store and says how to cure it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.errors import RecollectError, StoreClosed, StoreError
from recollect.hook import spool
from recollect.hook.places import folder_of
from recollect.index.follow import Indexes
from recollect.ingest.embedding import Embedding
from recollect.insight.health import FREE_BYTES_MIN, about_file
from recollect.model.result import Finding
from recollect.providers.base import Llm
from recollect.providers.health import reach_of
from recollect.store import jobs
from recollect.store.base import Store
from recollect.upkeep.language_model.awaited import awaited

_NO_FILE = "no file of this machine"


class Doctor:
    """Checks of one store. `fix=True` cures what can be cured without losing anything."""

    def __init__(
        self,
        store: Store,
        indexes: Indexes,
        config: LiveConfig,
        clock: Clock,
        embedding: Embedding,
        llm: Llm | None = None,
    ) -> None:
        self._llm = llm
        self._clock = clock
        self._store = store
        self._indexes = indexes
        self._config = config
        self._embedder = embedding.embedder
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
        }
        return [_told(name, check, fix) for name, check in checks.items()]

    def _file(self, fix: bool) -> Finding:
        faults = about_file(self._store) if self._store.lost or self._store.trouble else []
        where = "in memory" if self._store.in_memory else f"{self._store.place} was opened"
        return _finding("file", faults, where, "close this memory, put the right file in place, open it again")

    def _integrity(self, fix: bool) -> Finding:
        """Every page is read. What was worked out of the rows can be worked out again; the rows cannot."""
        faults = self._store.faults()
        if not faults:
            return Finding(check="integrity", ok=True, detail="every page is sound")
        if self._store.rows_are_sound():
            if fix and self._store.mend():
                return Finding(check="integrity", ok=True, detail="the text index was damaged and is built anew")
            return Finding(
                check="integrity",
                ok=False,
                cure="recollect doctor --fix builds the text index anew",
                detail=f"the text index is damaged, every row is sound: {'; '.join(faults)}",
            )
        return _finding("integrity", faults, "", "restore a backup, or export what can be read")

    def _erasures(self, fix: bool) -> Finding:
        if self._store.scrub_due and fix:
            self._store.scrub()
        faults = ["bytes of erased records may still be in the file or its log"] if self._store.scrub_due else []
        return _finding("erasures", faults, "no byte of what was erased is left", "recollect doctor --fix")

    def _references(self, fix: bool) -> Finding:
        broken = self._store.dangling_rows()
        faults = [f"{broken} rows point at nothing"] if broken else []
        return _finding("references", faults, "every reference leads somewhere", "restore a backup")

    def _text_index(self, fix: bool) -> Finding:
        """Every row has its terms, and no terms lack their row."""
        with self._store.read() as tx:
            stored, lost, stray = tx.text.in_step()
        if (lost or stray) and fix:
            self._store.write(lambda tx: tx.text.rebuild())
            return Finding(check="text index", ok=True, detail=f"rebuilt from {stored} rows")
        faults = [f"{lost} of {stored} rows are not indexed, {stray} are indexed and gone"] if lost or stray else []
        return _finding("text index", faults, f"{stored} rows are indexed", "recollect doctor --fix")

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
        whole = f"complete ({len(spaces)} of {len(spaces)})"
        detail = f"{owed} records wait for theirs, which the background makes" if owed else whole
        return _finding("vectors", faults, detail, "recollect reembed")

    def _embedding(self, fix: bool) -> Finding:
        if self._embedder is None:
            return Finding(check="embedder", ok=True, detail="none configured: search compares words only")
        try:
            self._embedder.embed(["is anybody there?"])
        except RecollectError as error:
            return Finding(
                check="embedder",
                ok=False,
                detail=f"{self._embedder.name}: {error}",
                cure="start it, or choose another",
            )
        return Finding(check="embedder", ok=True, detail=f"{self._embedder.name} answers")

    def _model(self, fix: bool) -> Finding:
        """The language model: whether it can be had, and what waits for it."""
        if self._llm is None:
            return Finding(check="language model", ok=True, detail="none configured: rules do its work")
        with self._store.read() as tx:
            waits = awaited(tx, self._config.current, now=self._clock())
        found = reach_of(self._llm)
        detail = f"{self._llm.name}: {found.detail}" + (f"; {waits} for it" if waits.total else "")
        return Finding(
            check="language model", ok=found.usable, detail=detail, cure=None if found.usable else found.cure
        )

    def _jobs(self, fix: bool) -> Finding:
        with self._store.read() as tx:
            failed = tx.jobs.failures()
        if failed and fix:
            self._store.write(lambda tx: tx.jobs.revive())
            return Finding(check="jobs", ok=True, detail=f"{len(failed)} kinds of failed jobs are queued again")
        faults = [f"{count} {kind} jobs failed with {error}" for kind, error, count in failed]
        return _finding("jobs", faults, "no job has failed", "recollect doctor --fix queues them again")

    def _hooks(self, fix: bool) -> Finding:
        """What hooks of coding clients failed at since somebody looked."""
        if self._store.path is None:
            return Finding(check="hooks", ok=True, detail=_NO_FILE)
        folder = folder_of(str(self._store.path))
        failed = spool.failures(folder)
        if failed and fix:
            spool.forget_failures(folder)
            return Finding(check="hooks", ok=True, detail=f"{len(failed)} failures were noted, and are forgotten now")
        counted = Counter(why for _, why in failed).most_common(3)
        faults = [f"{count} failed: {why}" for why, count in counted]
        return _finding(
            "hooks", faults, "none has failed", "recollect hooks status tells more; doctor --fix forgets them"
        )

    def _disk(self, fix: bool) -> Finding:
        if self._store.path is None:
            return Finding(check="disk", ok=True, detail=_NO_FILE)
        free = self._store.free_bytes()
        if free is None:
            return Finding(check="disk", ok=True, detail="the system does not tell how much is free")
        faults = [f"{free // 2**20} MiB are free"] if free < FREE_BYTES_MIN else []
        return _finding("disk", faults, f"{free // 2**20} MiB are free", "free some space before writes are refused")

    def _settings(self, fix: bool) -> Finding:
        return _finding("settings", list(self._config.current.warnings), "all in range", "recollect config")


def _told(name: str, check: Callable[[bool], Finding], fix: bool) -> Finding:
    """What a check finds; that the store keeps it from being made is a finding, too."""
    try:
        return check(fix)
    except StoreClosed:
        raise
    except StoreError as error:
        return Finding(check=name, ok=False, detail=str(error), cure="restore a backup, or export what can be read")


def _finding(check: str, faults: list[str], fine: str, cure: str) -> Finding:
    if faults:
        return Finding(check=check, ok=False, detail="; ".join(faults), cure=cure)
    return Finding(check=check, ok=True, detail=fine)
