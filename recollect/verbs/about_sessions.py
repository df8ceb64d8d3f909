"""The rows of verbs about sessions of coding agents, which hang off `mem.sessions`."""

from __future__ import annotations

from recollect.verbs.verb import Verb

ABOUT_SESSIONS: tuple[Verb, ...] = (
    Verb(
        name="sessions_brief",
        method="sessions.brief",
        group="Knowing",
        personal=True,
        summary="What a session of a project begins with: where the work stood, what is wanted, what to watch out for.",
        example='mem.sessions.brief(project="atlas").text',
    ),
    Verb(
        name="sessions_meter",
        method="sessions.meter",
        group="Knowing",
        personal=True,
        summary="What sessions of coding agents cost and what memory spared them: searches, rereads, errors, tokens; "
        "signed.",
        example='mem.sessions.meter(since="last month").total.tokens_net',
    ),
)
