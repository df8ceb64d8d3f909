"""Erasing a person: what was stored for them in any scope, what was made of it, and every place that names them.

It cannot be undone. Rows go in one transaction, then the file is rewritten, so that no byte of theirs is left in it
or in its log. What others stored that merely speaks of the person stays, and is counted: only people can decide about
that.
"""

from __future__ import annotations

from collections.abc import Callable

from recollect.clock import Clock
from recollect.errors import StoreError
from recollect.model.result import Report
from recollect.recall.access import session_hash
from recollect.store.base import Store, Tx
from recollect.store.erase import UNTIL_REWRITTEN


class PersonErasure:
    """Forgets people. `after_erasure` lets caches outside the database forget too."""

    def __init__(self, store: Store, clock: Clock, after_erasure: Callable[[], None]) -> None:
        self._store = store
        self._clock = clock
        self._after_erasure = after_erasure

    def erase_user(self, user_id: str, *, dry_run: bool, actor: str | None) -> Report:
        """Erase a person; how much there was of them."""
        if dry_run:
            with self._store.read() as tx:
                return Report(
                    figures=tx.erasure.figures(tx.erasure.person(user_id)) | {"dry_run": True},
                    warnings=_told(tx, user_id),
                )
        self._after_erasure()  # files beside the database go first: a process killed in between must not leave them

        def work(tx: Tx) -> Report:
            person = tx.erasure.person(user_id)
            figures = tx.erasure.figures(person)
            op = tx.journal.begin("erase_user", at=self._clock(), actor=None if actor == user_id else actor)
            tx.erasure.erase_person(op, person, sessions=[session_hash(each) for each in person.sessions])
            op.finish(figures["count"], final=True, detail={"user": tx.audit.hashed("user", user_id)})
            return Report(figures=figures | {"dry_run": False}, warnings=_told(tx, user_id))

        done = self._store.write(work)
        self._after_erasure()
        try:
            self._store.scrub()
        except StoreError as error:  # what was erased is gone from the tables; only its old places may show
            note = f"the file could not be rewritten now ({error.code}): {UNTIL_REWRITTEN}"
            return Report(figures=done.figures, warnings=(*done.warnings, note))
        return done


def _told(tx: Tx, user_id: str) -> tuple[str, ...]:
    others = tx.erasure.others_speaking_of(user_id)
    note = f"{others} records outside their scopes speak of them and stay; look at them, and delete what should go"
    return (note,) if others else ()
