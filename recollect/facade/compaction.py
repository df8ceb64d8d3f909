"""The verb that keeps what a session came to before its messages go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import orjson

from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import Handle
from recollect.model.result import Receipt

if TYPE_CHECKING:
    from recollect.ingest.compaction_notes import SummaryLine

_JSON_OPENS = ("[", "{")


class Compaction(Handle):
    """What a session came to."""

    def compact(
        self,
        summary: str | Mapping[str, Any] | Sequence[Mapping[str, Any] | str],
        *,
        session_id: str | None = None,
        run_id: str | None = None,
        **scope: Unpack[ScopeArgs],
    ) -> Receipt:
        """Keep what a session came to before its messages are thrown away: one record for each thing it states.

        What its turns said already is not stored twice, and the same summary given again changes nothing.

        Args:
            summary: The summary, as text with or without headings and bullets; or the messages, to be summed up.
            session_id: The session it sums up.
            run_id: Another name for session_id.
        """
        where, session = self._in(scope), arguments.session(session_id, run_id)
        compacting = self._engine.compacting
        messages = _messages(summary)
        if messages is None:
            return compacting.keep_summary(summary, scope=where, session_id=session, actor=self._writer())
        said = self._summed_up(messages)
        return compacting.keep(said, scope=where, session_id=session, actor=self._writer())

    def _summed_up(self, messages: Any) -> list[SummaryLine]:
        """What the messages came to, each thing with who said it."""
        from recollect.context.history_gist import told_in
        from recollect.ingest.compaction_notes import SummaryLine

        return [SummaryLine(*told) for told in told_in(messages, self._engine.config.current.context)]


def _messages(summary: Any) -> Any:
    """The messages, given as such or as JSON; None if it is a text."""
    if not isinstance(summary, str):
        return None if isinstance(summary, bytes | bytearray) else summary
    if not summary.lstrip().startswith(_JSON_OPENS):
        return None
    try:
        read = orjson.loads(summary)
    except orjson.JSONDecodeError:
        return None
    one = read[0] if isinstance(read, list) and read else read
    return read if isinstance(one, Mapping) and one.keys() & {"role", "type", "messages", "contents", "parts"} else None
