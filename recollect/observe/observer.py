"""Watching agents over one store: events in, signals out of them, and what is said in return."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import orjson

from recollect.clock import SECOND_US, Clock
from recollect.config import LiveConfig
from recollect.errors import RecollectError, UsageError
from recollect.hook import payloads, places, ready
from recollect.hook.failure import print_of_bytes
from recollect.ids import ID_CHARS
from recollect.ingest.requests import REWORDING_JOB
from recollect.model.anchor import StatesOfCode, code_in_words
from recollect.model.fence import INTRODUCTION, Shown, fenced, sealing_key
from recollect.model.observed import Observed, SessionBrief, SessionEnd
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.result import Recollection
from recollect.model.scope import GLOBAL, Scope
from recollect.observe.account import Accounts, Scopes
from recollect.observe.brief import BriefFor
from recollect.observe.conclusions import Concluded, Conclusions
from recollect.observe.failed_reviews import FailedReviews
from recollect.observe.hints import Hints
from recollect.observe.intake import API, HOOK, Arrival, Intake, known_project
from recollect.observe.meter import Meters, measured
from recollect.observe.phase import EVENTS_LOOKED_AT, phase_of
from recollect.observe.saying import Saying
from recollect.observe.serving_hooks import ServerNotice
from recollect.observe.signals import derive
from recollect.observe.spooled import SpoolIntake
from recollect.observe.standing import may_be_said_unasked
from recollect.observe.weekly import WeeklyPairs
from recollect.recall.question.query import Query
from recollect.store.base import Store, Tx

CLIENTS = ("claude-code", "codex", "cursor", "gemini")
SESSIONS_A_PASS = 200  # whose signals are derived in one go
PROMPT_HITS = 5
PROMPT_CHARS = 2_000  # of a prompt that are searched with, and of a record that are shown
SAID_SESSIONS_MAX = 500  # whose sayings a process remembers where no file may
END = "session_end:=said"  # the key of an end that no client told of
_MOMENTS = frozenset({"stop", "compact", "session_end"})
Search = Callable[[Query], Recollection]


class Observer:
    """What a store knows of agents at work, and says to them."""

    def __init__(
        self,
        store: Store,
        config: LiveConfig,
        clock: Clock,
        *,
        secret: Callable[[], bytes],
        search: Callable[[], Search],
        code: StatesOfCode,
        conclusions: Conclusions,
        weekly: WeeklyPairs,
        has_model: Callable[[], bool],
        failed_reviews: FailedReviews,
    ) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._secret = secret
        self._search = search
        self.intake = Intake(store, config, clock)
        self.spool = SpoolIntake(store, self.intake, config, clock, after=self._after_spool)
        self.hints = Hints(store, config, clock, secret, code)
        self.conclusions = conclusions
        self.weekly = weekly
        self._has_model = has_model
        self.failed_reviews = failed_reviews
        self.meters = Meters(store)
        self.accounts = Accounts(store, config, clock, self.meters)
        self.announcement = ServerNotice()
        self._said: dict[str, set[str]] = {}
        self._due = 0.0
        self._derived_to = 0  # the event up to which signals are complete, as far as this process knows

    # --- in -----------------------------------------------------------------------------------------------------

    def observe(self, given: Any, arrival: Arrival) -> Observed:
        """Take events in; signals of the sessions they end are derived at once."""
        done = self.intake.observe(given, arrival)
        if done.taken:
            self.derive()
            self.conclude()
        return done

    def tick(self) -> None:
        """For the thread that comes by now and then: what hooks left, and what they are to find."""
        if (now := time.monotonic()) < self._due:
            return
        self._due = now + self._config.current.observe.spool_s
        self.spool.take_quietly()
        self.conclude()
        self.renew()
        if self.hints.folder is not None:
            self.announcement.tell(str(self.hints.folder))

    def renew(self) -> None:
        """Hints as things are now; what cannot be written now is written later."""
        with suppress(RecollectError, OSError):
            self.hints.renew()

    def conclude(self) -> None:
        """Remember what sessions that are over came to; what cannot be stored now is concluded later."""
        with suppress(RecollectError):
            self.conclusions.note_states()
            self._go_on_from(self.conclusions.conclude())

    def _go_on_from(self, done: Sequence[Concluded]) -> None:
        """What follows from sessions that were concluded: records retire, pairs are looked at where a week has passed,
        and a model, where there is one, words what is new: later, all of it together."""
        if not done:
            return
        self.conclusions.retire()
        made = self.weekly.run_if_due()
        new = bool(made) or any(each.added for each in done)
        if new and self._has_model() and self._config.current.observe.reword:
            self._store.write(lambda tx: tx.jobs.enqueue_once(REWORDING_JOB, now=self._clock()))

    def _after_spool(self, _: Observed) -> None:
        self.derive()
        self.conclude()
        self.renew()

    def derive(self, *, only: int | None = None) -> int:
        """Derive the signals of sessions in which something happened, or of `only` one; how many sessions that were."""
        settings = self._config.current.observe
        with self._store.read() as tx:
            newest = tx.observed.newest()
            waiting = tx.observed.underived(limit=SESSIONS_A_PASS, after=self._derived_to, only=only)
        for session_pk, scope_pk in waiting:
            self._store.write(partial(_derive, session_pk=session_pk, scope_pk=scope_pk, settings=settings))
        if only is None and len(waiting) < SESSIONS_A_PASS:
            self._derived_to = newest
        return len(waiting)

    def said(self, session_id: str, message: str, scope: Scope, scope_pks: Scopes) -> bool:
        """Take in that a session said something; False if that is known already."""
        with self._store.read() as tx:
            rows = tx.observed.sessions(scope_pks(tx), session_id=session_id, limit=1)
            client = rows[0].client if rows else API
            scope = (tx.scopes.load(rows[0].scope_pk) if rows else None) or scope
        event = {"type": "message", "session_id": session_id, "message": message}
        return self.intake.observe(event, Arrival(lambda _: scope, client=client)).taken > 0

    # --- what is known ------------------------------------------------------------------------------------------

    def end(self, scope_pks: Scopes, session_id: str, client: str | None) -> SessionEnd:
        """Conclude a session now, whether its client said that it is over or not; what came of it. Again: the same."""
        self.spool.take_quietly()
        session = self.accounts.named(scope_pks, session_id, client)
        if session.ended_at is None:
            with self._store.read() as tx:
                scope = tx.scopes.load(session.scope_pk) or GLOBAL
            ended = {
                "session": session.id,
                "type": "session_end",
                "at": self._clock(),
                "root": session.root,
                "key": END,
            }
            self.intake.take([(0, ended)], Arrival(lambda _: scope, client=session.client))
        self.derive(only=session.pk)
        self._go_on_from(self.conclusions.conclude(only=session.pk))
        return self.accounts.ended(session)

    def brief(self, scope: Scope, wanted: BriefFor, *, tokens: int, local: bool, here: str | None) -> SessionBrief:
        """What a session of a project begins with. `here`: a folder whose project is meant where none is named;
        `local`: whether the caller may know of the folders of this machine."""
        with self._store.read() as tx:
            if here is not None:
                root = places.workplace(here)[1]
                scope = replace(scope, project=tx.observed.project_at(root))
            elif local and scope.project is not None:
                root = tx.observed.root_of(scope.project) or ""
            else:
                root = ""
        if not wanted.branch and not wanted.spec and root:
            wanted = wanted._replace(branch=places.branch_of(root))
        return self.hints.brief(root, scope, wanted, tokens=tokens)

    # --- out ----------------------------------------------------------------------------------------------------

    def hook(
        self,
        client: str,
        payload: Any,
        arrival: Arrival,
        *,
        at: int | None = None,
        project: str | None = None,
        phase: str | None = None,
        spec: str | None = None,
    ) -> str:
        """One event of a client's hook: taken in, and what the client is answered."""
        if client not in CLIENTS:
            raise UsageError(f"clients with hooks are {', '.join(CLIENTS)}, not {client[:40]!r}")
        try:
            event = payloads.event_of(payload)
            event["at"] = event.get("at") or at or self._clock()
            event |= {name: said for name, said in (("project", project), ("phase", phase), ("spec", spec)) if said}
            kept = payloads.kept(event, at=event["at"])
        except payloads.Unusable as error:
            raise UsageError(f"that is no event of {client}: {error}") from None
        before = event["type"] == payloads.BEFORE
        if not before:
            self.intake.take([(0, kept)], arrival._replace(origin=HOOK, client=client))
            if kept["type"] in _MOMENTS:
                self.derive()
        if kept["type"] in ("session_start", "session_end"):
            self._forget_said(kept["session"])
        sayings = self._sayings(event, kept, arrival._replace(client=client), before=before)
        top = places.workplace(event["cwd"])[0] if sayings and kept["root"] else ""
        said = self._unsaid(kept, sayings, top)
        if said:
            shown = payloads.shown_event(kept, said, top)
            self.intake.take([(0, shown)], arrival._replace(origin=HOOK, client=client))
        return ready.answer(client, payload["hook_event_name"], said)

    def _sayings(
        self, event: Mapping[str, Any], kept: dict[str, Any], arrival: Arrival, *, before: bool
    ) -> list[Saying]:
        if not self._config.current.observe.inject:
            return []
        with self._store.read() as tx:
            project = kept.get("project") or known_project(tx, kept["root"], local=arrival.local)
        scope = arrival.scope(project)
        if kept["type"] == "prompt":
            return self._for_prompt(event.get("prompt"), scope, self._phase(arrival.client, kept["session"], scope))
        hints, top = self.hints.of(kept["root"], scope), ""
        if kept["type"] == "session_start" and arrival.local and (preload := hints.get("preload")):
            top = places.workplace(event["cwd"])[0] if kept["root"] else ""
            files = self.hints.preloaded(kept["root"], scope, top, preload["tokens"])
            hints = {**hints, "preload": {**preload, "files": files}}
        return ready.chosen(hints, kept, before=before, top=top)

    def _phase(self, client: str, session: str, scope: Scope) -> str | None:
        """The phase that a session is in now; None where nobody can tell, or nobody wants to know."""
        if not self._config.current.observe.phases:
            return None
        with self._store.read() as tx:
            scope_pk = tx.scopes.find(scope)
            pk = None if scope_pk is None else tx.observed.session_at(scope_pk, client, session)
            return None if pk is None else phase_of(tx.observed.events(pk, last=EVENTS_LOOKED_AT))

    def _for_prompt(self, prompt: Any, scope: Scope, phase: str | None) -> list[Saying]:
        """Records that answer a prompt, if any surely do. Being shown is no use: no counter moves."""
        tokens = self._config.current.observe.prompt_tokens
        if not isinstance(prompt, str) or not prompt.strip() or tokens == 0:
            return []
        found = self._search()(
            Query(
                text=prompt[:PROMPT_CHARS],
                criteria=Criteria(scope=scope),
                top_k=PROMPT_HITS,
                max_tokens=tokens,
                phase=phase,
            )
        )
        if found.abstained or found.doubtful:
            return []
        with self._store.read() as tx:
            records = {
                record.id: record for record in tx.records.load(tx.records.pks_of([hit.id for hit in found])).values()
            }
        least, now_s = self._config.current.observe.prompt_score, self._clock() // SECOND_US
        sure = [hit for hit in found if hit.score >= least and not hit.is_orphan]
        said = [hit for hit in sure if _may_be_shown(records.get(hit.id), now_s)]
        if not said:
            return []
        shown = [Shown(hit.id[:ID_CHARS], hit.content[:PROMPT_CHARS], code_in_words(hit.code)) for hit in said]
        mark = print_of_bytes(" ".join(hit.id for hit in said).encode())
        return [[f"{INTRODUCTION}\n{fenced(shown, sealing_key(self._secret(), scope))}", mark, ""]]

    def _unsaid(self, kept: dict[str, Any], sayings: list[Saying], top: str) -> list[str]:
        """Those that were not said in this session yet. Of an encrypted store only this process remembers which."""
        folder = self.hints.folder
        if folder is not None and folder.is_dir() and not self._store.encrypted:
            return ready.unsaid(str(folder), kept["session"], sayings, kept, top)
        if len(self._said) > SAID_SESSIONS_MAX:
            self._said.clear()
        known = self._said.setdefault(kept["session"], set())
        once = self._said.setdefault("", set())  # no session has this name
        new = [text for text, mark, _ in sayings if mark not in known and mark not in once]
        known.update(mark for _, mark, _ in sayings)
        once.update(mark for _, mark, _ in sayings if mark.startswith(ready.ONCE))
        return new

    def _forget_said(self, session: str) -> None:
        self._said.pop(session, None)
        if self.hints.folder is not None:
            ready.forget_told(str(self.hints.folder), session)

    def forget_files(self) -> None:
        """Take in what hooks left, and remove what is ready to be said: something is about to be erased or sealed."""
        self.spool.take_quietly()
        self.hints.forget()


def _may_be_shown(record: Record | None, now_s: int) -> bool:
    return record is not None and may_be_said_unasked(record, now_s)


def _derive(tx: Tx, *, session_pk: int, scope_pk: int, settings: Any) -> None:
    events = tx.observed.events(session_pk)
    derived = derive(events, settings)
    tx.accounts.put_meter(session_pk, measured(events, tx.accounts.errors_before(session_pk)))
    tx.observed.replace_signals(session_pk, scope_pk, derived.signals, to=max((each.pk for each in events), default=0))
    for cure in derived.cures:
        tx.observed.cure(scope_pk, cure.tool, cure.hash, orjson.dumps(cure.how).decode(), at=cure.at)
