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
        name="sessions_end",
        method="sessions.end",
        group="Knowing",
        personal=True,
        writes=True,
        positional=("session_id",),
        summary="Conclude a session of a coding agent now: what is remembered and was learned of it, and what it cost.",
        example="[mem.sessions.end(each.id).records for each in mem.observed(limit=1)]",
    ),
    Verb(
        name="sessions_coverage",
        method="sessions.coverage",
        group="Knowing",
        personal=True,
        summary="How much is known from coding agents at work: sessions, errors, what was inferred, and folder by "
        "folder.",
        example='mem.sessions.coverage(project="atlas").modules',
    ),
    Verb(
        name="sessions_learned",
        method="sessions.learned",
        group="Knowing",
        personal=True,
        summary="What is known of a project's files from work on them: warnings, pairs, insights, each with its "
        "standing.",
        example='mem.sessions.learned(project="atlas", standing="new")',
    ),
    Verb(
        name="sessions_meter",
        method="sessions.meter",
        group="Knowing",
        personal=True,
        summary="What sessions of coding agents cost and what memory spared them: searches, rereads, errors, tokens; "
        "signed.",
        example='mem.sessions.meter(since="2026-05-01").total.tokens_net',
    ),
)
