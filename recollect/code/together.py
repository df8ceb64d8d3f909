"""Which files belong together in a project: by its history, and by sessions of work that were watched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recollect.clock import SECOND_US, Clock
from recollect.code.pairs import TOGETHER_MIN, Occasion, bystander, paired
from recollect.config import LiveConfig
from recollect.config.coding import CodeGraphSettings
from recollect.limits import CODE_COMMITS_MAX
from recollect.model.code import PairedFile, PairedFiles
from recollect.store.base import Store, Tx
from recollect.store.code import ProjectRow

if TYPE_CHECKING:
    from recollect.code.history import CommitHistory


class Companions:
    """Keeps the histories of projects, and says what belongs to a file."""

    def __init__(self, store: Store, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._config = config
        self._clock = clock

    def read(self, project: ProjectRow) -> tuple[tuple[str, ...], dict[str, str]]:
        """Take in what was committed since the last time; what could not be read, and which files have new names."""
        with self._store.read() as tx:
            known, _ = tx.code.history(project.pk)
        from recollect.code.history import read_history  # starts git

        found = read_history(Path(project.root), after=known)
        if found.head != known or found.missing:
            self._store.write(lambda tx: _save(tx, project.pk, found))
        return found.missing, dict(found.renamed)

    def of(self, project: ProjectRow, path: str, *, limit: int, read: bool = True) -> PairedFiles:
        """The files that belong to one, the surest first; a file that changes with everything has none.

        Without `read` no commit is taken in first: git takes longer than an answer may.
        """
        missing = self.read(project)[0] if read else ()
        settings, now_s = self._config.current.codegraph, self._clock() // SECOND_US
        with self._store.read() as tx:
            found = pairs_of(tx, project, path, settings, now_s=now_s)
        return PairedFiles(path=path, files=tuple(found[:limit]), missing=missing)


def pairs_of(tx: Tx, project: ProjectRow, path: str, settings: CodeGraphSettings, *, now_s: int) -> list[PairedFile]:
    """The files that belong to one by what is known already: no git is asked."""
    if bystander(path):
        return []
    committed = tx.code.changed_with(project.pk, path)
    watched = tx.observed.touched_with(project.root, path)
    last_s = tx.code.last_changed(project.pk)
    occasions = [Occasion(at_s=at_s, beside=tuple((other, None) for other in files)) for at_s, files in committed]
    occasions += [Occasion(at_s=at_s, beside=near, watched=True) for at_s, near in watched]
    # Of a project that rests nothing grows old: ages are counted from the last time that something happened in it.
    newest_s = max([at_s for at_s, _ in watched] + ([] if last_s is None else [last_s]), default=0)
    return paired(
        occasions,
        now_s=min(newest_s, now_s),
        half_life_days=settings.pair_half_life_days,
        surety=settings.pair_surety,
    )


def companions(tx: Tx, project: str, path: str, settings: CodeGraphSettings, *, now_s: int) -> list[tuple[str, float]]:
    """Files that belong to one of a project, by its name, with how surely; those seen together too rarely left out."""
    place = project_row(tx, project)
    found = [] if place is None else pairs_of(tx, place, path, settings, now_s=now_s)
    return [(pair.path, pair.weight) for pair in found if pair.together >= TOGETHER_MIN]


def project_row(tx: Tx, project: str) -> ProjectRow | None:
    """The project of a name: as its code was taken in, else as work there was watched."""
    root = tx.observed.root_of(project)
    known = [each for each in tx.code.projects() if each.name == project and root in (None, each.root)]
    if known or root is None:
        return known[0] if known else None
    return ProjectRow(pk=0, root=root, name=project, indexed_at=0, version=0, left_out={})


def _save(tx: Tx, project_pk: int, found: CommitHistory) -> None:
    if not found.head:
        return
    tx.code.save_history(
        project_pk,
        ((change.at_s, change.files) for change in found.changes),
        commit_id=found.head,
        missing=found.missing,
        renamed=found.renamed,
        whole=found.whole,
        changes_max=CODE_COMMITS_MAX,
    )
