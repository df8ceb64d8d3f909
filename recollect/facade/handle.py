"""What every verb knows: the engine, who is asking, and how far they see."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.clock import from_us
from recollect.errors import AccessDenied, NotFound, UsageError, nearest, shown
from recollect.facade import arguments
from recollect.ids import beginning_of_id, id_of_name, is_id, parse_id
from recollect.ingest import check
from recollect.model.audit import CALLING, HANDLE_NAME, OWNER_NAME, AuditCaller
from recollect.model.filters import parse_filters
from recollect.model.grant import APART, OWNER, Grant
from recollect.model.query import Criteria
from recollect.model.scope import ASKED_FOR, DIMENSIONS, GLOBAL, Reach, Scope

if TYPE_CHECKING:
    from recollect.engine import Engine


AnyHandle = TypeVar("AnyHandle", bound="Handle")


class UnknownArgument(TypeError):
    """A call names something that is neither an argument of the verb nor a dimension of scope."""

    def __init__(self, name: str, takes: Collection[str] = ()) -> None:
        offered = nearest(name, takes) or (f"; it takes {', '.join(takes)}" if takes else "")
        super().__init__(f"unknown argument {shown(name)}{offered}")
        self.name = name


class Handle:
    """A memory as its caller may use it. The owner's handle sees all; others what their grant says, and no more.

    Whatever interface a call comes through, it ends at a handle, and `_in` is where the dimensions it names are held
    against the grant. A verb must use no scope that did not come from there.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        grant: Grant = OWNER,
        actor: str | None = None,
        caller: str | None = None,
        channel: str = "python",
    ) -> None:
        self._opened = engine
        self._grant = grant
        self._actor = actor
        self._caller = caller
        self._channel = channel  # the way in, for the audit

    @property
    def grant(self) -> Grant:
        """What this handle holds, and what its calls may add to that."""
        return self._grant

    @property
    def actor(self) -> str | None:
        """Who this handle writes as, in the history of records."""
        return self._actor

    @property
    def caller(self) -> str | None:
        """Whose calls are counted together: a token's or a connection's, however they are narrowed. None: the owner's.

        A handle that a program makes is counted by who it is and what it holds, so two of the same are one caller.
        """
        if self._owner:
            return None
        return self._caller or f"{self._actor or 'handle'} {self._scope.key}"

    @property
    def _scope(self) -> Scope:
        """What the caller holds."""
        return self._grant.held

    @property
    def _owner(self) -> bool:
        return self._grant.owner

    @property
    def _engine(self) -> Engine:
        """The parts of the store. Whoever asks for them uses it: background work makes way for a while."""
        self._opened.activity.note()
        return self._opened

    def _in(self, given: Mapping[str, Any]) -> Scope:
        """The scope of a call: what is held, and what the call names as far as that was granted."""
        unknown = given.keys() - set(DIMENSIONS) - {"reach"}
        if unknown:
            raise UnknownArgument(min(unknown))
        where = self._grant.scope_for(given)
        if (call := CALLING.get()) is not None:
            call.scope = where
        return where

    def _as_caller(self) -> AuditCaller:
        """Who calls, for the audit: by the name they act under, else the owner or some handle."""
        return AuditCaller(self._actor or (OWNER_NAME if self._owner else HANDLE_NAME), self._channel)

    def _reach(self, given: Mapping[str, Any]) -> Reach:
        value = given.get("reach")
        if value is not None and value not in ASKED_FOR:
            raise UsageError(f"reach must be 'scope', 'squad', 'project' or 'all', not {shown(value, 20)}")
        return self._grant.reach_for(None if value is None else Reach(value))

    def _sight(self, given: Mapping[str, Any], *, further: bool = False, reading: bool = False) -> Criteria | None:
        """What verbs that take an id may touch: anything for the owner, the visible otherwise.

        `further` is for reads that take `reach`, `reading` for others; nothing is changed beyond what is seen without.
        """
        if not further and given.get("reach") is not None:
            raise UnknownArgument("reach")
        where = self._in(given)
        reach = self._reach(given) if further or reading else Reach.SCOPE
        return None if self._owner and where == GLOBAL else Criteria(scope=where, reach=reach)

    def _id(
        self,
        given: Any,
        scope: Mapping[str, Any],
        *,
        or_edge: bool = False,
        further: bool = False,
        reading: bool = False,
    ) -> str:
        """A record's id, given whole, with the record itself, or by its beginning as contexts show it.

        A record that was stored under a name of the caller's, as RFC-014's nodes are, is also found by that name; where
        a verb takes relations too, one of these by the beginning of its id.
        """
        given = getattr(given, "id", given)
        if is_id(given):
            return str(given)
        sight, now = self._sight(scope, further=further, reading=reading), self._engine.clock()
        beginning = beginning_of_id(given)
        with self._engine.store.read() as tx:
            named = id_of_name(given) if isinstance(given, str) else None
            if named is not None and tx.records.ids_beginning(named, sight, now=now):
                return named
            found = [] if beginning is None else tx.records.ids_beginning(beginning, sight, now=now)
            if beginning is not None and not found and or_edge:
                begun = tx.edges.beginning(beginning)
                found = [id_ for pk, id_ in begun if sight is None or tx.edges.is_seen(pk, sight, now=now)]
        if beginning is None:
            return parse_id(given)
        if len(found) > 1:
            raise UsageError(f"{len(found)} records begin with {beginning}: {', '.join(found)}; give more of the id")
        if not found:
            raise NotFound(f"no record has an id that begins with {beginning}")
        return found[0]

    def _walk(self, given: Mapping[str, Any], as_of: Any, known_at: Any) -> Criteria:
        """A graph walk of the owner without a scope goes everywhere, as its ids do."""
        return self._criteria(given, as_of=as_of, known_at=known_at, whole=self._sight(given, further=True) is None)

    def _refuse_untrusted(self, record_id: str, given: Mapping[str, Any]) -> None:
        """`AccessDenied` for a change by a handle of a record that waits for approval, or whose scope's writes do."""
        settings = self._opened.config.current.security
        if self._owner or (settings.approval == "none" and not settings.approval_in):
            return
        from recollect.security.screening.policy import approval_of

        with self._engine.store.read() as tx:
            pk = tx.records.find_pk(record_id, self._sight(given, reading=True), now=self._engine.clock())
            scope = tx.scopes.load(tx.records.scope_pk(pk)) or GLOBAL
        if approval_of(settings, scope) == "wait" and not self._approves(self._in(given)):
            raise AccessDenied(
                "what is written here waits for approval, so it is not changed from here: add what is right instead, "
                "or have a person or an owner agent change it"
            )

    def _approves(self, where: Scope) -> bool:
        """Whether this caller's word lets in what waits for approval."""
        from recollect.security.screening.policy import APPROVE, approval_of

        return self._owner or approval_of(self._opened.config.current.security, where) == APPROVE

    def _criteria(self, given: Mapping[str, Any], *, whole: bool = False, **parts: Any) -> Criteria:
        now = self._now()
        after, before = (check.moment(parts.get(name), name, now=now) for name in ("after", "before"))
        session = parts.get("session_id")
        return Criteria(
            scope=self._in(given),
            reach=Reach.ALL if whole else self._reach(given),
            kinds=arguments.words(parts.get("kinds"), check.kind, "kinds"),
            categories=arguments.words(parts.get("categories"), lambda v: check.name(v, "category"), "categories"),
            tiers=arguments.words(parts.get("tiers"), check.tier, "tiers"),
            tags=arguments.words(parts.get("tags"), lambda v: check.name(v, "tag"), "tags"),
            session_id=None if session is None else check.name(session, "session_id"),
            filters=parse_filters(parts.get("filters"), now=now),
            as_of=check.moment(parts.get("as_of"), "as_of", now=now),
            known_at=check.moment(parts.get("known_at"), "known_at", now=now),
            after=after,
            before=before,
        )

    def _mind_name(self, session: str | None) -> str | None:
        """The name of the mind of a session. Callers who see differently share none, though they be the same agent:
        what one was shown would be in the other's mind.
        """
        policy = self._grant.policy
        return session if policy is None else f"{session or ''}{APART}{policy}"

    def _asked(self, query: Any, *, may_be_empty: bool = False) -> str:
        """A question that was asked, counted where searches are limited."""
        text = arguments.question(query, may_be_empty=may_be_empty)
        self._count_search()
        return text

    @property
    def _blurred(self) -> bool:
        """Whether this caller sees scores that are not exact."""
        chosen = self._opened.config.current.security
        return not self._owner and (chosen.coarse_scores or chosen.noisy_scores)

    def _count_search(self) -> None:
        if (who := self.caller) is not None:
            self._opened.limits.search(who)

    def _writer(self) -> str | None:
        """Who a change is by, counted where writes are limited."""
        if (who := self.caller) is not None:
            self._opened.limits.write(who)
        return self._actor

    def _now(self) -> datetime:
        return from_us(self._engine.clock())

    def _owner_only(self, verb: str) -> None:
        if not self._owner:
            raise AccessDenied(f"{verb} concerns the whole store; it is for its owner, not for a scoped handle")


def through(memory: AnyHandle, channel: str) -> AnyHandle:
    """The same memory, whose calls the audit notes as having come in by this way: cli, rest, mcp …"""
    return type(memory)(
        memory._opened, grant=memory._grant, actor=memory._actor, caller=memory._caller, channel=channel
    )


def engine_of(memory: Handle) -> Engine:
    """The parts of a memory's store, for the interfaces and bridges of this package; everybody else has the verbs.

    Asking for them is no use of the memory: background work does not make way for it.
    """
    return memory._opened


def engine_in_use(memory: Handle) -> Engine:
    """The same for what a caller of the memory waits for: background work makes way for a while."""
    return memory._engine


def sight_of(memory: Handle) -> Criteria:
    """What a bridge may count and show: all of the store for its owner, what a handle sees otherwise."""
    return memory._walk({}, None, None)


def id_of(memory: Handle, given: Any) -> str:
    """A record's id for a bridge, given in any of the ways that verbs take one."""
    return memory._id(given, {})


class Namespace:
    """Verbs that hang off a memory under a name of their own, such as `mem.working`."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
