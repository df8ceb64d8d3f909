"""Verbs that look after a store: moving it, keeping it in order, looking at it as a whole.

Rows of the table of verbs.
"""

from __future__ import annotations

from recollect.verbs.verb import Offer, Verb

TENDING: tuple[Verb, ...] = (
    Verb(
        name="maintain",
        group="Upkeep",
        writes=True,
        summary="Do all that is done at night: consolidate, find patterns, infer, forget, ask, summarise, replay, "
        "tidy up.",
        example="mem.maintain(dry_run=True)",
    ),
    Verb(
        name="consolidate",
        group="Upkeep",
        writes=True,
        summary="Make knowledge of what was said: statements, merged where they repeat, settled where they conflict.",
        example='mem.consolidate(session_id="s1")',
    ),
    Verb(
        name="decay",
        group="Upkeep",
        writes=True,
        summary="Archive what has faded: nobody used it for long, nothing confirms it, and it matters little.",
        example="mem.decay(dry_run=True)",
    ),
    Verb(
        name="retain",
        group="Upkeep",
        writes=True,
        destructive=True,
        dry=True,
        asks=("*",),
        positional=("rule",),
        left_out=("rule", "Without it, the rules that are kept."),
        summary="Forget what a rule names (kind=episodic,age>365d), or only say what that is, which is the default.",
        example='mem.retain("kind=episodic,age>365d")["count"]',
    ),
    Verb(
        name="replay",
        group="Upkeep",
        writes=True,
        summary="Go over some memories: strengthen what is used but fading, link what belongs together.",
        example="mem.replay()",
    ),
    Verb(
        name="prune",
        group="Upkeep",
        writes=True,
        destructive=True,
        summary="Forget weak relations: decay what was found automatically, drop what fell too low or is one too many.",
        example="mem.prune(dry_run=True)",
    ),
    Verb(
        name="reembed",
        group="Upkeep",
        writes=True,
        summary="Give every record a vector of the configured embedder, in the background; both spaces are searched "
        "meanwhile.",
        example="mem.reembed(wait=True)",
    ),
    Verb(
        name="settle",
        group="Upkeep",
        writes=True,
        summary="Do now what would be done in the background: read, relate and embed what was stored.",
        example="mem.settle()",
    ),
    Verb(
        name="backup",
        group="Upkeep",
        writes=True,
        summary="Make a backup now: a whole copy of the store, read back and found sound. Under the store's own key.",
        example="mem.backup().verified",
    ),
    Verb(
        name="backups",
        group="Upkeep",
        summary="The backups there are, newest first, with age and size.",
        example="mem.backups(verify=True)",
    ),
    Verb(
        name="export",
        group="Upkeep",
        asks_without=("passphrase",),
        positional=("path",),
        piped="passphrase",
        on_files=True,
        summary="Write everything into one file: lossless lines to import again, or a document to read.",
        example='mem.export("memories.jsonl", plain=True)["count"]',
    ),
    Verb(
        name="import",
        group="Upkeep",
        method="import_",
        writes=True,
        positional=("path",),
        piped="passphrase",
        on_files=True,
        summary="Take in an export: of this program, of another, a chat archive, or a store of another design.",
        example='mem.export("copy.jsonl") and mem.import_("copy.jsonl", dry_run=True)["count"]',
    ),
    Verb(
        name="erase_user",
        group="Upkeep",
        writes=True,
        destructive=True,
        asks=("*",),
        positional=("user_id",),
        summary="Erase every trace of a person, for good: what is stored for them in any scope, and all that was made "
        "of it.",
        example='mem.erase_user("ana", dry_run=True)["count"]',
    ),
    Verb(
        name="audit",
        group="Upkeep",
        summary="Who did what and when, newest first: writes, reads, refusals and keys; hashes in the place of texts.",
        example='mem.audit(event="memory_written", limit=1)',
    ),
    Verb(
        name="audit_verify",
        group="Upkeep",
        flag_of=("audit", "verify"),
        summary="Look whether an entry of the audit was removed, changed, moved or put in by somebody.",
        example="mem.audit_verify().ok",
    ),
    Verb(
        name="erase",
        group="Upkeep",
        writes=True,
        destructive=True,
        asks=("*",),
        summary="Erase a person, a channel or a session for good: what is stored there, and all that was made of it.",
        example='mem.erase(session_id="s1", dry_run=True)["count"]',
    ),
    Verb(
        name="erasure_verify",
        group="Upkeep",
        positional=("report",),
        on_files=True,
        summary="Whether the report of an erasure is your own, and as it was made.",
        example='mem.erasure_verify("report.json")["genuine"]',
    ),
    Verb(
        name="activity",
        group="Upkeep",
        summary="What was learned, changed, forgotten and asked, day by day and agent by agent.",
        example='mem.activity(days=7)["total"]',
    ),
    Verb(
        name="counts",
        group="Upkeep",
        summary="How many records there are by kind, category, tier, person, agent, project, tag; and the newest "
        "sessions.",
        example='mem.counts(user_id="ana")["category"]',
    ),
    Verb(
        name="stats",
        group="Upkeep",
        summary="What is stored, in figures.",
        example='mem.stats()["records"]',
        tool=Offer(name="memory_stats", text="How much is remembered, by kind and category."),
    ),
    Verb(
        name="health",
        group="Upkeep",
        summary="How the memory is doing, with a warning for everything that needs a hand.",
        example='mem.health()["status"]',
    ),
    Verb(
        name="doctor",
        group="Upkeep",
        writes=True,
        wraps="findings",
        summary="Check the store and say how to cure what is wrong.",
        example="mem.doctor(fix=True)",
    ),
)
