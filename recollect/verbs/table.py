"""Every verb, once. The command line, the JSON schemas, the docs and the async stub are built from these rows.

Light on purpose: no import of the engine, so that help and completion answer at once. What a verb takes and
returns is not repeated here; `signature` reads it from `Memory`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from recollect.errors import UsageError

GROUPS = ("Remember", "Recall", "The past", "Relations", "Knowing", "Upkeep")

# Parameters that mean a point in time: a date, ISO text, or words. In Python a `datetime` too.
TIMES = frozenset({"timestamp", "event_time", "valid_from", "valid_until", "as_of", "known_at", "after", "before"})

# Arguments that most verbs share and that `Memory` therefore does not document one by one.
SCOPE_DOCS = {
    "user_id": "The person it is for.",
    "agent_id": "The agent it is for.",
    "project": "The project it belongs to.",
    "squad": "The group of agents it belongs to.",
    "channel": "The channel it belongs to.",
    "reach": "Look further than the scope: `project` for all of the project, `all` for the whole store.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One thing a memory can do."""

    name: str
    group: str
    summary: str  # the first line of the method's docstring; a test holds the two together
    example: str  # one line of Python
    writes: bool = False
    destructive: bool = False  # takes something away
    asks: tuple[str, ...] = ()  # people confirm it when one of these arguments is set; "*" is always
    aliases: tuple[str, ...] = ()
    implied: tuple[tuple[str, str, Any], ...] = ()  # (alias, argument, value): what an alias says by itself
    method: str = ""  # of Memory, where it is not the name
    command: str = ""  # of the shell, where it is not the name
    positional: tuple[str, ...] = ()  # in the shell; everything else is an option
    piped: str = ""  # the text that the shell reads from stdin when given as `-`
    words: bool = False  # the last positional is a text that the shell takes without quotes, word by word
    personal: bool = False  # for somebody: the shell fills in who, where its settings name one
    hidden: frozenset[str] = frozenset({"run_id"})  # accepted, not advertised
    wraps: str = "results"  # the key of the JSON answer when the method returns a bare list or text

    @property
    def on_memory(self) -> str:
        """The method's name."""
        return self.method or self.name

    @property
    def in_shell(self) -> str:
        """The command's name."""
        return self.command or self.name.replace("_", "-")

    def implied_by(self, name: str) -> dict[str, Any]:
        """The arguments that are given by calling it so."""
        return {argument: value for alias, argument, value in self.implied if alias == name}

    @property
    def names(self) -> tuple[str, ...]:
        """Everything it answers to, the shell's word first."""
        return tuple(dict.fromkeys((self.in_shell, self.name, self.name.replace("_", "-"), *self.aliases)))


VERBS: tuple[Verb, ...] = (
    Verb(
        name="add",
        group="Remember",
        aliases=("remember",),
        implied=(("remember", "keep", True),),
        writes=True,
        positional=("content",),
        piped="content",
        words=True,
        personal=True,
        summary="Remember a text, a message, or a list of them.",
        example='mem.add("Ana moved from vim to Helix", user_id="ana")',
    ),
    Verb(
        name="ingest",
        group="Remember",
        writes=True,
        positional=("path_or_text",),
        piped="path_or_text",
        words=True,
        personal=True,
        summary="Remember a document, a folder of documents, or a long text, in pieces that know where they come from.",
        example='mem.ingest("docs/", project="atlas")',
    ),
    Verb(
        name="compact",
        group="Remember",
        writes=True,
        positional=("summary",),
        piped="summary",
        words=True,
        personal=True,
        summary="Keep what a session came to before its messages are thrown away: one record for each thing it states.",
        example='mem.compact("- decided on Helix\\n- tabs stay", session_id="s1", user_id="ana")',
    ),
    Verb(
        name="research",
        group="Remember",
        personal=True,
        writes=True,
        positional=("findings",),
        piped="findings",
        summary="Remember what research found, each finding with its sources, and which findings support each other.",
        example='mem.research([{"content": "Helix 26 reads JSON", "urls": ["https://example.org/helix"]}])',
    ),
    Verb(
        name="update",
        group="Remember",
        writes=True,
        positional=("id",),
        piped="content",
        summary="Change a record; the version before stays in its history.",
        example='mem.update(id, tags=["editor"], importance=0.8)',
    ),
    Verb(
        name="correct",
        group="Remember",
        words=True,
        writes=True,
        positional=("id", "content"),
        piped="content",
        summary="Replace a statement by a truer one: the old one ends now and stays reachable by `as_of`.",
        example='mem.correct(id, "Ana uses Zed", reason="she said so")',
    ),
    Verb(
        name="confirm",
        group="Remember",
        writes=True,
        positional=("id",),
        summary="Say that a record is right: it is certain from now on and does not fade.",
        example="mem.confirm(id)",
    ),
    Verb(
        name="flag",
        group="Remember",
        writes=True,
        positional=("id",),
        summary="Report that a record is wrong: it is believed less and waits for review.",
        example='mem.flag(id, reason="she never said that")',
    ),
    Verb(
        name="feedback",
        group="Remember",
        writes=True,
        positional=("id",),
        piped="query",
        summary="Say whether a record helped; one that did not is left out when a question like that is asked again.",
        example='mem.feedback(id, helpful=False, query="which editor does Ana use now?")',
    ),
    Verb(
        name="delete",
        group="Remember",
        aliases=("forget",),
        writes=True,
        destructive=True,
        asks=("hard",),
        positional=("id",),
        summary="Forget a record. Softly by default: `undo` brings it back.",
        example='mem.delete(id, reason="asked to")',
    ),
    Verb(
        name="delete_all",
        group="Remember",
        personal=True,
        writes=True,
        destructive=True,
        asks=("*",),
        summary="Forget everything inside a scope, or what filters name. Broader records seen from there are left "
        "alone.",
        example='mem.delete_all(user_id="ana", dry_run=True)',
    ),
    Verb(
        name="search",
        group="Recall",
        aliases=("recall",),
        positional=("query",),
        piped="query",
        words=True,
        personal=True,
        summary="Find what answers a question, best first.",
        example='mem.search("which editor does Ana use now?", user_id="ana", top_k=5)',
    ),
    Verb(
        name="context",
        group="Recall",
        words=True,
        personal=True,
        positional=("prompt",),
        piped="prompt",
        summary="What to send to a model for a prompt: what is remembered, the talk so far, within a budget of tokens.",
        example='mem.context("Refactor auth", model="claude-opus-4-6", user_id="ana")',
    ),
    Verb(
        name="reason",
        group="Recall",
        words=True,
        personal=True,
        positional=("question",),
        piped="question",
        summary="Answer a question that takes several: look for what is missing, and put together what was found.",
        example='mem.reason("Where does the person who wrote the parser live?").evidence',
    ),
    Verb(
        name="get",
        group="Recall",
        positional=("id",),
        summary="A record by its id.",
        example="mem.get(id)",
    ),
    Verb(
        name="get_all",
        group="Recall",
        personal=True,
        command="list",
        summary="Records, newest first, a page at a time.",
        example='mem.get_all(user_id="ana", kinds=["semantic"], limit=20)',
    ),
    Verb(
        name="timeline",
        group="Recall",
        words=True,
        personal=True,
        positional=("topic",),
        summary="How what is known about a topic came about: steps, what each changed, and when most of it happened.",
        example='mem.timeline("Ana\'s editor", user_id="ana")',
    ),
    Verb(
        name="entity",
        group="Recall",
        words=True,
        personal=True,
        positional=("name",),
        summary="What is known about a person, place, project or thing, under any of its names.",
        example='mem.entity("Ana Ruiz", project="atlas")',
    ),
    Verb(
        name="entities",
        group="Recall",
        personal=True,
        summary="Who and what is known, the most mentioned first.",
        example='mem.entities(type="person", limit=10)',
    ),
    Verb(
        name="history",
        group="The past",
        positional=("id",),
        summary="What happened to a record, oldest first: each operation with the version it left.",
        example="mem.history(id)",
    ),
    Verb(
        name="operations",
        group="The past",
        summary="What was done, newest first.",
        example="mem.operations(limit=5)",
    ),
    Verb(
        name="undo",
        group="The past",
        writes=True,
        positional=("operation",),
        summary="Take an operation back, whatever it was; the undo can be undone.",
        example="mem.undo(receipt.operation)",
    ),
    Verb(
        name="relate",
        group="Relations",
        writes=True,
        positional=("source", "target", "label"),
        wraps="edge",
        summary="Relate two records, or several with their roles; the edge's id.",
        example='mem.relate(a, b, "supports", confidence=0.9)',
    ),
    Verb(
        name="unrelate",
        group="Relations",
        writes=True,
        destructive=True,
        positional=("edge",),
        summary="Withdraw a relation.",
        example="mem.unrelate(edge)",
    ),
    Verb(
        name="related",
        group="Relations",
        positional=("id",),
        summary="Records near a record, nearest first, with the relations between them.",
        example='mem.related(id, labels=["supports"], depth=2)',
    ),
    Verb(
        name="dependencies",
        group="Relations",
        positional=("id",),
        summary="Everything a record depends on, directly or not, within `graph.dependency_depth` steps.",
        example="mem.dependencies(id)",
    ),
    Verb(
        name="path",
        group="Relations",
        positional=("a", "b"),
        summary="The shortest chain of relations between two records; empty when there is none.",
        example="mem.path(a, b, max_depth=4)",
    ),
    Verb(
        name="contradictions",
        group="Relations",
        words=True,
        personal=True,
        positional=("id_or_text",),
        summary="What contradicts a record, or the records that a text finds.",
        example='mem.contradictions("Ana\'s editor", user_id="ana")',
    ),
    Verb(
        name="relations",
        group="Relations",
        summary="The strongest relations among records, with the records they join.",
        example='mem.relations(labels=["contradicts"], limit=20)',
    ),
    Verb(
        name="topology",
        group="Relations",
        summary="How many records there are by place and facet, and how they are related, in figures.",
        example='mem.topology()["edges"]',
    ),
    Verb(
        name="merge_entities",
        group="Relations",
        writes=True,
        positional=("keep", "other"),
        summary="Say that two entities are one: the first stays, with the names and records of both.",
        example='mem.merge_entities("Ana Ruiz", "Annie")',
    ),
    Verb(
        name="split_entity",
        group="Relations",
        writes=True,
        positional=("name", "aliases"),
        summary="Say that some names of an entity belong to another one: it is made, and gets the records that use "
        "them.",
        example='mem.split_entity("Ben", ["Benny"])',
    ),
    Verb(
        name="explain",
        group="Knowing",
        positional=("id",),
        summary="Why a record is there and why it is believed: what it rests on, replaced, and is contradicted by.",
        example="mem.explain(id)",
    ),
    Verb(
        name="assess",
        group="Knowing",
        words=True,
        personal=True,
        positional=("query",),
        piped="query",
        summary="Whether a question can be answered from memory: confident, uncertain or unknown, and why.",
        example='mem.assess("which editor does Ana use now?", user_id="ana").level',
    ),
    Verb(
        name="knowledge",
        group="Knowing",
        personal=True,
        summary="The areas of what is known, those known best first. They are made by `maintain`.",
        example='mem.knowledge(user_id="ana").domains',
    ),
    Verb(
        name="weak",
        group="Knowing",
        personal=True,
        summary="Records that are about to be forgotten, the soonest first. `confirm` keeps one for good.",
        example="mem.weak(limit=5)",
    ),
    Verb(
        name="review",
        group="Knowing",
        personal=True,
        summary="What waits for a person's word: flagged records, unsure conclusions, open questions.",
        example="mem.review(limit=5)",
    ),
    Verb(
        name="questions",
        group="Knowing",
        personal=True,
        writes=True,
        summary="What the memory would like to know, for an agent to ask: at most a few in a session, each once a "
        "week.",
        example='mem.questions(session_id="s1", user_id="ana")',
    ),
    Verb(
        name="dismiss",
        group="Knowing",
        writes=True,
        positional=("question",),
        summary="Never ask that question again.",
        example="[mem.dismiss(each.id) for each in mem.questions()]",
    ),
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
        name="export",
        group="Upkeep",
        positional=("path",),
        piped="passphrase",
        summary="Write everything into one file: lossless lines to import again, or a document to read.",
        example='mem.export("memories.jsonl")["count"]',
    ),
    Verb(
        name="import",
        group="Upkeep",
        method="import_",
        writes=True,
        positional=("path",),
        piped="passphrase",
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
        name="stats",
        group="Upkeep",
        summary="What is stored, in figures.",
        example='mem.stats()["records"]',
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

_BY_NAME = {name: verb for verb in VERBS for name in verb.names}


def find(name: str) -> Verb:
    """The verb of that name, alias or command; a `UsageError` with the nearest one otherwise."""
    verb = _BY_NAME.get(name)
    if verb is None:
        raise UsageError(f"there is no verb {str(name)[:60]!r}{nearest(str(name), _BY_NAME)}")
    return verb


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean x?` for the word most like the one given, or nothing."""
    from difflib import get_close_matches  # only when something is wrong already

    found = get_close_matches(word, list(known), 1, 0.6)
    return f"; did you mean {found[0]}?" if found else ""
