"""Verbs that answer by asking again, and that keep what research found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from recollect.facade import arguments
from recollect.facade.arguments import ReadArgs, ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.model.result import Receipt

if TYPE_CHECKING:
    from recollect.model.reasoning import Reasoning

_DEPTH_MAX = 20
_CALLS_MAX = 1_000
_TOKENS_MAX = 10**9


class Inquiring(Handle):
    """Reason over what is stored; store what was found out."""

    def reason(
        self,
        question: str,
        *,
        depth: int | None = None,
        model: str | None = None,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        filters: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        run_id: str | None = None,
        as_of: Any = None,
        known_at: Any = None,
        after: Any = None,
        before: Any = None,
        asked_in: str | None = None,
        **scope: Unpack[ReadArgs],
    ) -> Reasoning:
        """Answer a question that takes several: look for what is missing, and put together what was found.

        Without a language model there is no answer, but the evidence for one: the tree of what was asked and found.

        Args:
            question: The question, in any words.
            depth: How deep questions may lead to further ones; 0 only recalls. By default by the model's window.
            model: The model whose window sets the bounds, by its name; by default the configured one.
            max_calls: Calls of the language model at most; 0 asks none.
            max_tokens: Tokens of all calls together at most.
            filters: A tree of conditions, such as `{"metadata.team": {"eq": "core"}}`.
            session_id: Only what comes from this session.
            run_id: Another name for session_id.
            as_of: What was true at this time.
            known_at: What we believed at this time.
            after: Events from this time on.
            before: Events before this time.
            asked_in: The session that asks; use is counted once for each.
        """
        criteria = self._criteria(
            scope,
            filters=filters,
            session_id=arguments.session(session_id, run_id),
            as_of=as_of,
            known_at=known_at,
            after=after,
            before=before,
        )
        return self._engine.reasoner.reason(
            self._asked(question),
            criteria,
            depth=None if depth is None else arguments.count(depth, "depth", _DEPTH_MAX, least=0),
            model=None if model is None else check.name(model, "model"),
            max_calls=None if max_calls is None else arguments.count(max_calls, "max_calls", _CALLS_MAX, least=0),
            max_tokens=None if max_tokens is None else arguments.count(max_tokens, "max_tokens", _TOKENS_MAX),
            asked_in=None if asked_in is None else check.name(asked_in, "asked_in"),
        )

    def research(
        self,
        findings: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        query: str | None = None,
        cross_references: Sequence[Sequence[int]] = (),
        session_id: str | None = None,
        run_id: str | None = None,
        tags: Sequence[str] = (),
        **scope: Unpack[ScopeArgs],
    ) -> Receipt:
        """Remember what research found, each finding with its sources, and which findings support each other.

        Given again, a finding that is known is not stored twice. One operation, so one undo takes all of it back.

        Args:
            findings: `{"content", "urls", "title", "confidence", "discovered_at"}` each, or a whole research session
                `{"id", "query", "findings", "cross_references"}`; also as JSON text.
            query: What was looked for.
            cross_references: Pairs of findings, counted from 0: the first supports the second.
            session_id: The research they come from; kept as `research:<id>`.
            run_id: Another name for session_id.
            tags: Words to find them by.
        """
        receipt = self._engine.research.keep(
            findings,
            scope=self._in(scope),
            query=query,
            cross_references=cross_references,
            session_id=arguments.session(session_id, run_id),
            tags=tags,
            actor=self._writer(),
        )
        if receipt.missing or self._engine.embedding.later:
            self._engine.worker.poke()
        return receipt
