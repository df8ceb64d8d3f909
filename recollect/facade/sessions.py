"""Sessions of coding agents: `mem.sessions`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from recollect.errors import UsageError
from recollect.facade import arguments
from recollect.facade.arguments import ReadArgs, ScopeArgs
from recollect.facade.audited import audited
from recollect.facade.handle import Namespace
from recollect.hook.phases import PHASES
from recollect.ingest import check
from recollect.limits import PAGE_RECORDS_MAX
from recollect.model.scope import GLOBAL, Reach

if TYPE_CHECKING:
    from recollect.model.observed import Coverage, LearnedRecord, Meter, SessionBrief, SessionEnd
    from recollect.store.base import Tx

_TOKENS_MAX = 100_000


@partial(audited, prefix="sessions_")
class SessionVerbs(Namespace):
    """What sessions of coding agents begin with, and what becomes of them."""

    def brief(
        self,
        *,
        max_tokens: int | None = None,
        phase: str | None = None,
        spec: str | None = None,
        near: str | None = None,
        session_id: str | None = None,
        **scope: Unpack[ScopeArgs],
    ) -> SessionBrief:
        """What a session of a project begins with: where the work stood, what is wanted, what to watch out for.

        The text is what hooks tell an agent whose session starts. Looking at it counts as no use of what it tells.

        Args:
            max_tokens: About how long it may be; `observe.session_tokens` unless it is said.
            phase: planning, coding, qa_review, debugging, insights or spec; a session that plans is told how earlier
                plans came out, one that codes is told the files that are usually read first.
            spec: The task that it works for.
            near: A file or folder that it will work at; where the last session worked unless it is said.
            session_id: The session; what it left itself is not handed to it.
        """
        from recollect.observe.brief import BriefFor

        if phase is not None and phase not in PHASES:
            raise UsageError(f"phase is one of {', '.join(PHASES)}")
        named = {"spec": spec, "session_id": session_id, "near": near}
        spec, session_id, near = (None if each is None else check.name(each, name) for name, each in named.items())
        wanted = BriefFor(phase=phase, spec=spec or "", session=session_id or "", near=near)
        usual = self._handle._opened.config.current.observe.session_tokens
        tokens = usual if max_tokens is None else arguments.count(max_tokens, "max_tokens", _TOKENS_MAX)
        where = self._handle._in(scope)
        here = _current_folder() if self._handle._owner and where.project is None else None
        return self._handle._engine.observer.brief(where, wanted, tokens=tokens, local=self._handle._owner, here=here)

    def meter(
        self,
        *,
        session_id: str | None = None,
        since: Any = None,
        before: Any = None,
        limit: int = 20,
        **scope: Unpack[ScopeArgs],
    ) -> Meter:
        """What sessions of coding agents cost and what memory spared them: searches, rereads, errors, tokens; signed.

        Figures of all sessions of the period, of those without memory and with it, by project and session by session.
        A loss is shown as a loss; without a baseline of three sessions that memory said nothing to, nothing is.

        Args:
            session_id: Only this session.
            since: Only sessions whose last event was then or later.
            before: … or earlier than this.
            limit: At most so many sessions one by one; the sums are of all.
        """
        engine, where = self._handle._engine, self._handle._in(scope)
        most = arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        everything = self._handle._owner and where == GLOBAL
        now = self._handle._now()
        engine.observer.derive()
        return engine.observer.meters.meter(
            lambda tx: None if everything else tx.scopes.visible(where),
            session_id=None if session_id is None else check.name(session_id, "session_id"),
            since=check.moment(since, "since", now=now),
            before=check.moment(before, "before", now=now),
            limit=most,
        )

    def end(self, session_id: str, *, client: str | None = None, **scope: Unpack[ScopeArgs]) -> SessionEnd:
        """Conclude a session of a coding agent now: what is remembered and was learned of it, and what it cost.

        A session whose client tells of its end, or that rests, is concluded by itself. Asked again, the answer is the
        same. What was concluded waits for review; `undo` takes its operation back.

        Args:
            session_id: The session, as its client calls it.
            client: The program it is of, where sessions of several have that name.
        """
        handle = self._handle
        where, named = handle._in(scope), check.name(session_id, "session_id")
        handle._writer()

        def own(tx: Tx) -> Sequence[int] | None:
            if handle._owner:
                return None if where == GLOBAL else tx.scopes.visible(where)
            return tx.scopes.visible(where, Reach.OWN)

        return handle._engine.observer.end(own, named, None if client is None else check.name(client, "client"))

    def coverage(self, *, limit: int = 20, **scope: Unpack[ScopeArgs]) -> Coverage:
        """How much is known from coding agents at work: sessions, errors, what was inferred, and folder by folder.

        Args:
            limit: At most so many folders.
        """
        handle = self._handle
        where, most = handle._in(scope), arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        everything = handle._owner and where == GLOBAL
        handle._engine.observer.derive()
        return handle._engine.observer.accounts.coverage(
            lambda tx: None if everything else tx.scopes.visible(where), None if everything else where, limit=most
        )

    def learned(
        self,
        *,
        categories: Sequence[str] | None = None,
        standing: str | None = None,
        limit: int = 50,
        **scope: Unpack[ReadArgs],
    ) -> list[LearnedRecord]:
        """What is known of a project's files from work on them: warnings, pairs, insights, each with its standing.

        New is found by search alone, trusted and promoted may be told unasked, retired is told no more. `confirm` makes
        one trusted, `flag` retires it.

        Args:
            categories: Only these; by default gotcha, error_pattern, causal_dependency, module_insight and
                prefetch_pattern.
            standing: Only new, trusted, promoted or retired.
            limit: How many at most, the newest first.
        """
        from recollect.observe.conclusions import CATEGORIES
        from recollect.observe.standing import InferredStanding

        handle, most = self._handle, arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        wanted = None if standing is None else check.one_of(InferredStanding, standing, "standing")
        named = arguments.words(categories, lambda each: check.name(each, "category"), "categories")
        whose = replace(handle._walk(scope, None, None), categories=tuple(CATEGORIES if named is None else named))
        handle._engine.observer.derive()
        return handle._engine.observer.accounts.learned(whose, standing=wanted, limit=most)


def _current_folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None
