"""Which path is which verb. What a verb takes and answers is in its method, so a row is all there is to say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from recollect.verbs.table import VERBS, find
from recollect.verbs.verb import Verb

EXAMPLE_ID = "0b6f2a52-6c0b-4d55-9a3e-2f1f6a1d7c11"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbRoute:
    """One operation. `path` names arguments in braces; others are in the query of a GET or DELETE, else in the body."""

    method: str
    path: str
    verb: str
    tag: str
    example: Any = None  # a body

    @property
    def in_path(self) -> tuple[str, ...]:
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @property
    def has_body(self) -> bool:
        return self.method in ("POST", "PATCH")

    @property
    def operation_id(self) -> str:
        return self.verb.rstrip("_")


_ABOUT_CODE = (
    "projects status impact dependencies callers callees path paired find outline trace map edges health notes".split()
)
_ROUTES = (
    VerbRoute(
        method="POST",
        path="/v1/memories",
        verb="add",
        tag="Memories",
        example={"content": "Ana moved from vim to Helix", "user_id": "ana"},
    ),
    VerbRoute(method="GET", path="/v1/memories", verb="get_all", tag="Memories"),
    VerbRoute(
        method="POST",
        path="/v1/memories/search",
        verb="search",
        tag="Memories",
        example={"query": "which editor does Ana use now?", "user_id": "ana", "top_k": 5},
    ),
    VerbRoute(method="GET", path="/v1/memories/{id}", verb="get", tag="Memories"),
    VerbRoute(
        method="PATCH",
        path="/v1/memories/{id}",
        verb="update",
        tag="Memories",
        example={"tags": ["editor"], "importance": 0.8},
    ),
    VerbRoute(method="DELETE", path="/v1/memories/{id}", verb="delete", tag="Memories"),
    VerbRoute(method="GET", path="/v1/memories/{id}/history", verb="history", tag="Memories"),
    VerbRoute(
        method="POST",
        path="/v1/context",
        verb="context",
        tag="Context",
        example={"prompt": "Refactor the login", "max_tokens": 2000, "user_id": "ana"},
    ),
    VerbRoute(
        method="POST",
        path="/v1/observe",
        verb="observe",
        tag="Remember",
        example={"events": [{"session_id": "s1", "type": "tool", "tool": "Read", "input": {"path": "src/a.py"}}]},
    ),
    VerbRoute(
        method="POST",
        path="/v1/turns",
        verb="turns_begin",
        tag="Turns",
        example={"prompt": "Which editor does Ana use now?", "session_id": "s1", "user_id": "ana", "model": "gpt-4o"},
    ),
    VerbRoute(method="GET", path="/v1/turns", verb="turns_status", tag="Turns"),
    VerbRoute(method="POST", path="/v1/turns/{id}/recall", verb="turns_recall", tag="Turns", example={"query": "vim"}),
    VerbRoute(
        method="POST",
        path="/v1/turns/{id}/say",
        verb="turns_say",
        tag="Turns",
        example={"tool": "pytest", "result": "3 failed", "failed": True},
    ),
    VerbRoute(method="POST", path="/v1/turns/{id}/end", verb="turns_end", tag="Turns", example={"answer": "Helix."}),
    VerbRoute(
        method="POST", path="/v1/turns/{id}/abort", verb="turns_abort", tag="Turns", example={"reason": "the user left"}
    ),
    VerbRoute(method="GET", path="/v1/working", verb="working_state", tag="Turns"),
    VerbRoute(method="GET", path="/v1/working/slots", verb="working_slots", tag="Turns"),
    VerbRoute(method="GET", path="/v1/working/minds", verb="working_minds", tag="Turns"),
    *(
        VerbRoute(method="POST", path=f"/v1/working/{name}", verb=f"working_{name}", tag="Turns", example=example)
        for name, example in (
            ("note", {"text": "The release is on Friday", "session_id": "s1", "agent_id": "rex"}),
            ("suspend", {"session_id": "s1", "agent_id": "rex"}),
            ("resume", {"session_id": "s1", "agent_id": "bo", "instead_of": "rex"}),
            ("clear", {"session_id": "s1", "agent_id": "rex"}),
        )
    ),
    VerbRoute(method="GET", path="/v1/entities", verb="entities", tag="Entities"),
    VerbRoute(method="GET", path="/v1/entities/{name}", verb="entity", tag="Entities"),
    VerbRoute(method="GET", path="/v1/graph", verb="relations", tag="Relations"),
    VerbRoute(method="POST", path="/v1/consolidate", verb="consolidate", tag="Upkeep", example={"dry_run": True}),
    VerbRoute(method="POST", path="/v1/undo", verb="undo", tag="Memories", example={"operation": EXAMPLE_ID}),
    VerbRoute(method="GET", path="/v1/audit", verb="audit", tag="Upkeep"),
    VerbRoute(method="GET", path="/v1/audit/verify", verb="audit_verify", tag="Upkeep"),
    VerbRoute(method="GET", path="/v1/stats", verb="stats", tag="Upkeep"),
    VerbRoute(method="GET", path="/v1/health", verb="health", tag="Upkeep"),
    VerbRoute(method="GET", path="/v1/sessions/brief", verb="sessions_brief", tag="Knowing"),
    VerbRoute(method="GET", path="/v1/sessions", verb="observed", tag="Knowing"),
    VerbRoute(method="POST", path="/v1/sessions/{session_id}/end", verb="sessions_end", tag="Knowing"),
    VerbRoute(method="GET", path="/v1/sessions/coverage", verb="sessions_coverage", tag="Knowing"),
    VerbRoute(method="GET", path="/v1/sessions/learned", verb="sessions_learned", tag="Knowing"),
    VerbRoute(method="GET", path="/v1/sessions/meter", verb="sessions_meter", tag="Knowing"),
    *(VerbRoute(method="GET", path=f"/v1/code/{name}", verb=f"code_{name}", tag="Code") for name in _ABOUT_CODE),
    VerbRoute(
        method="POST", path="/v1/code/changes", verb="code_changes", tag="Code", example={"diff_or_range": "main..HEAD"}
    ),
)


def routes() -> Iterator[VerbRoute]:
    """The paths of the contract, then every other verb by its name, without those that work on files here."""
    yield from _ROUTES
    placed = {route.verb for route in _ROUTES}
    for verb in VERBS:
        if verb.name not in placed and not verb.on_files:
            yield VerbRoute(method="POST", path=f"/v1/verbs/{verb.name}", verb=verb.name, tag=verb.group)


def verb_of(route: VerbRoute) -> Verb:
    return find(route.verb)
