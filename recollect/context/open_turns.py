"""Turns that outlive a call: begun by one request, ended by another, of whatever process has the store open.

What was said so far lies in the store until the turn is over; then it is memory, in the transaction that closes the
turn. So a turn is kept once, whoever ends it, however often, and whatever process dies on the way. The mind that heard
the prompt is shared with other processes at both ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from recollect.clock import SECOND_US, Clock, from_us, maybe_from_us
from recollect.config import LiveConfig
from recollect.context.callers import Said, caller_of
from recollect.context.turn import Turn, answer_of, fields_of, result_of
from recollect.errors import ContentTooLarge, TurnOver, VersionConflict
from recollect.ids import ID_CHARS, new_id
from recollect.ingest.pipeline import Ingest
from recollect.limits import TURN_CHARS_MAX, TURN_MESSAGES_MAX
from recollect.model.context import Citations
from recollect.model.fence import cited
from recollect.model.messages import Message
from recollect.model.result import Receipt
from recollect.model.scope import Scope
from recollect.model.turn import AgentTurn, BegunTurn, TurnEnd, TurnState
from recollect.store.base import Store, Tx
from recollect.store.turns import AgentTurnRow
from recollect.working.minds import Minds

Admit = Callable[[str], str]  # words as they may be stored by themselves
ORPHANS_AT_ONCE = 100
_TRIES = 10  # to say more, while others say more too


class OpenTurns:
    """The turns of one store. Who may touch which is for its caller to say."""

    def __init__(
        self, store: Store, config: LiveConfig, clock: Clock, ingest: Callable[[], Ingest], minds: Callable[[], Minds]
    ) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._ingest = ingest
        self._minds = minds

    def begin(self, turn: Turn, *, mind: str | None, actor: str | None, admit: Admit) -> BegunTurn:
        """Build the window of a turn and keep the turn open. Nothing is kept where that fails."""
        turn.__enter__()
        now, said, scope = self._clock(), turn.told, turn.request.criteria.scope
        row = AgentTurnRow(
            pk=0,
            id=new_id(),
            scope_pk=0,
            session=turn.session_id,
            mind=mind,
            caller=turn.caller.name,
            name=said.name,
            actor=actor,
            state=TurnState.OPEN.value,
            prompt=admit(turn.prompt),
            said=({"node": said.node},) if said.node else (),
            shown=turn.window.ids,
            begun_at=now,
            touched_at=now,
        )
        self._store.write(lambda tx: tx.turns.begin(row._replace(scope_pk=tx.scopes.ensure(scope))))
        self._share(scope, mind)
        turn.compact()
        return BegunTurn(
            id=row.id,
            session_id=row.session,
            caller=row.caller,
            window=turn.window,
            compacted=None if turn.compacted is None else turn.compacted.messages,
        )

    def find(self, turn_id: str) -> tuple[AgentTurnRow, Scope] | None:
        """A turn and whose it is."""
        with self._store.read() as tx:
            row = tx.turns.find(turn_id)
            scope = None if row is None else tx.scopes.load(row.scope_pk)
        return None if row is None or scope is None else (row, scope)

    def say(self, row: AgentTurnRow, messages: Sequence[Message], *, admit: Admit) -> AgentTurnRow:
        """More was said: kept in its order, whoever else says more at the same time."""
        told = [_plain(message, admit) for message in messages]
        for _ in range(_TRIES):
            self.refuse_if_over(row)
            _within_bounds(row, told)
            found = row
            if self._store.write(lambda tx, held=found: tx.turns.say(held, told, at=self._clock())):  # type: ignore[misc]
                return row._replace(said=(*row.said, *told))
            with self._store.read() as tx:
                row = tx.turns.find(row.id) or row._replace(state=TurnState.ENDED.value)
        raise VersionConflict("many others say something in this turn at the same time; say it again")

    def over(
        self,
        row: AgentTurnRow,
        scope: Scope,
        *,
        state: TurnState,
        reason: str | None = None,
        keep: bool = True,
        more: Sequence[Message] = (),
        admit: Admit = str,
    ) -> TurnEnd:
        """End a turn, or stop it, and keep what was said in it: once, and all or nothing of it. `more` is said last."""
        self.refuse_if_over(row)
        told = [_plain(message, admit) for message in more]
        _within_bounds(row, told)
        said = replace(
            _said(row._replace(said=(*row.said, *told))),
            aborted=None if state is TurnState.ENDED else reason or state.value,
        )
        settings, receipt = self._config.current.ingest, Receipt(event="NONE")
        messages = said.kept(settings) if keep else []
        closed: list[str | None] = []

        def close(tx: Tx, operation: str | None) -> None:
            now = tx.turns.find(row.id)
            if now is None or now.state != TurnState.OPEN or now.said != row.said:
                raise _meanwhile(now, row)
            tx.turns.close(row.pk, state=state.value, at=self._clock(), reason=reason, operation=operation)
            closed.append(operation)

        if messages:
            receipt = self._ingest().add(
                messages,
                scope=scope,
                session_id=row.session,
                fields=fields_of(said),
                actor=row.actor,
                beside=close,
            )
        if not closed:
            self._store.write(lambda tx: close(tx, None))
        self._answered(row, scope, said)
        cited_ids = _citations(row.shown, said.answered)
        found = self.find(row.id)
        assert found is not None, "a turn that was closed is in the register"
        return TurnEnd(turn=told_of(found[0], scope), receipt=receipt, cited=cited_ids)

    def stop(self, turn_id: str, *, reason: str) -> None:
        """Stop a turn and keep what it had, unless it is over by now."""
        for _ in range(_TRIES):
            found = self.find(turn_id)
            if found is None or found[0].state != TurnState.OPEN:
                return
            try:
                self.over(*found, state=TurnState.ABORTED, reason=reason)
            except (TurnOver, VersionConflict):
                continue

    def listed(
        self, scope_pks: Callable[[Tx], Sequence[int] | None], *, state: str | None, session: str | None, limit: int
    ) -> list[AgentTurn]:
        """The register of turns, the newest first."""
        with self._store.read() as tx:
            rows = tx.turns.listed(scope_pks(tx), state=state, session=session, limit=limit)
            scopes = tx.scopes.load_all({row.scope_pk for row in rows})
        return [told_of(row, scopes[row.scope_pk]) for row in rows]

    def close_orphans(self, *, dry_run: bool = False) -> list[str]:
        """Close the turns that nobody went on with for long, and keep what they had; their ids."""
        idle = self._config.current.working.turn_idle_minutes * 60 * SECOND_US
        before = self._clock() - int(idle)
        with self._store.read() as tx:
            rows = tx.turns.untouched(before=before, limit=ORPHANS_AT_ONCE)
            scopes = tx.scopes.load_all({row.scope_pk for row in rows})
        closed: list[str] = []
        for row in rows:
            if not dry_run:
                try:
                    self.over(row, scopes[row.scope_pk], state=TurnState.ORPHANED, reason="nobody went on with it")
                except (TurnOver, VersionConflict):
                    continue  # somebody did, just now
            closed.append(row.id)
        return closed

    def _answered(self, row: AgentTurnRow, scope: Scope, said: Said) -> None:
        """The mind that heard the prompt hears the answer, wherever it is now."""
        if row.mind is None:
            return
        mind = self._minds().of(scope, row.mind)
        if said.answered:
            mind.told(said.prompt)
            mind.answered(said.answered)
        self._share(scope, row.mind)

    def _share(self, scope: Scope, mind: str | None) -> None:
        if mind is not None:
            self._minds().share(scope, mind)

    @staticmethod
    def refuse_if_over(row: AgentTurnRow) -> None:
        """`TurnOver` for a turn that takes nothing more."""
        if row.state != TurnState.OPEN:
            raise _over(row)


def told_of(row: AgentTurnRow, scope: Scope) -> AgentTurn:
    """A turn as the register tells it."""
    return AgentTurn(
        id=row.id,
        state=TurnState(row.state),
        caller=row.caller,
        name=row.name,
        session_id=row.session,
        scope=scope,
        said=sum("role" in each for each in row.said),
        begun_at=from_us(row.begun_at),
        touched_at=from_us(row.touched_at),
        over_at=maybe_from_us(row.over_at),
        reason=row.reason,
        operation=row.operation,
    )


def messages_of(answer: Any, tool: str | None, result: Any, *, failed: bool) -> list[Message]:
    """What a call says more in a turn: what a tool answered, then what the model said."""
    said = [] if tool is None else [result_of(tool, result, failed=failed)]
    return said if answer is None else [*said, *answer_of(answer)]


def _said(row: AgentTurnRow) -> Said:
    """What was said in a turn, read from the register."""
    node = next((each["node"] for each in row.said if "node" in each), None)
    said = [
        Message(
            role=each["role"],
            text=each["text"],
            name=each.get("name"),
            failed=bool(each.get("failed")),
            result_of="" if each["role"] == "tool" else None,
        )
        for each in row.said
        if "role" in each
    ]
    return Said(caller=caller_of(row.caller), prompt=row.prompt, said=said, name=row.name, node=node)


def _plain(message: Message, admit: Admit) -> dict[str, Any]:
    """A message as the register keeps it: what it called is told in words."""
    role = "tool" if message.is_result else "assistant"
    told: dict[str, Any] = {"role": role, "text": admit(message.told)}
    return told | ({"name": message.name} if message.name else {}) | ({"failed": True} if message.failed else {})


def _within_bounds(row: AgentTurnRow, told: Sequence[dict[str, Any]]) -> None:
    messages = [*row.said, *told]
    chars = sum(len(each.get("text", "")) for each in messages)
    if len(messages) > TURN_MESSAGES_MAX or chars > TURN_CHARS_MAX:
        raise ContentTooLarge(
            f"a turn holds at most {TURN_MESSAGES_MAX} messages and {TURN_CHARS_MAX:,} characters; end it, and begin "
            "another"
        )


def _citations(shown: Sequence[str], answer: str) -> Citations:
    """Which of the window's records an answer cites, and which ids it made up."""
    known = {id_[:ID_CHARS]: id_ for id_ in shown}
    named = cited(answer)
    ids = [known[id_[:ID_CHARS]] for id_ in named if known.get(id_[:ID_CHARS], "").startswith(id_)]
    unknown = [id_ for id_ in named if not known.get(id_[:ID_CHARS], "").startswith(id_)]
    return Citations(ids=tuple(dict.fromkeys(ids)), unknown=tuple(unknown))


def _meanwhile(now: AgentTurnRow | None, row: AgentTurnRow) -> TurnOver | VersionConflict:
    if now is not None and now.state == TurnState.OPEN:
        return VersionConflict("something was said in this turn just now; end it again to keep that too")
    return _over(now or row)


def _over(row: AgentTurnRow) -> TurnOver:
    why = f": {row.reason}" if row.reason else ""
    kept = "what it had is kept" if row.operation else "nothing of it was kept"
    return TurnOver(f"this turn is over, it was {row.state}{why}; {kept}. Begin another", state=row.state)
