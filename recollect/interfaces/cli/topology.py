"""`recollect memory stats|prune|query|graph`: the store by place, facet and relation."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli import options
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.options import command, context, field, shared_of
from recollect.interfaces.cli.session import open_from
from recollect.verbs.verb import SCOPE_DOCS

NAME = "memory"
GRAPH_DEPTH, GRAPH_NODES = 2, 40  # what is drawn unless asked otherwise
_NODES_MAX = 300  # more cannot be told apart in a picture
_NEAR_MAX = 1_000  # records around one that a query is held to
_NOBODY = "nobody"  # the id of no record, where nothing is near
_PANEL = "What the answer must be"
# option, metavar, the part of a place or of facets it asks for, help
_PLACE = (
    ("file", "PATTERN", "file_pattern", "A path, its end, a folder or a glob."),
    ("section", "TEXT", "section_contains", "Text of a heading above it."),
    ("module", "NAME", "module_prefix", "The beginning of a module's name."),
    ("class", "NAME", "in_class", "The class it stands in."),
    ("function", "NAME", "in_function", "The function it stands in."),
)
_FACETS = (
    ("diataxis", "TYPE", "diataxis_type", "tutorial, howto, reference or explanation."),
    ("persona", "WHO", "persona", "novice, pragmatist, skeptic or expert."),
    ("verification", "STATE", "verification_states", "unverified, verified, disputed or outdated."),
    ("certainty", "LEVEL", "min_confidence", "At least this: high, moderate, low or uncertain."),
    ("domain", "TAG,…", "domain_tags", "All of these domains: cli, api, config, security, …"),
    ("source-type", "TYPE", "source_types", "code, docs, conversation, external or user."),
)
_LISTS = ("domain_tags", "source_types", "verification_states")

Field = inspect.Parameter


def register(app: typer.Typer, *, panel: str, full: bool) -> None:
    """Add the group to the application; its commands are complete when it is among the words of the line."""
    group = typer.Typer(help="The memory by place, facet and relation: figures, a hybrid query, the graph drawn.")
    for name, (text, fields, call) in _COMMANDS.items():
        whole = [context(), *fields(), *options.shared()] if full else []
        group.command(name, help=text)(command(name, whole, call))
    group.callback(invoke_without_command=True)(_explain)
    app.add_typer(group, name=NAME, rich_help_panel=panel)


# --- the commands ---------------------------------------------------------------------------------------------------


def _explain(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def _stats(ctx: typer.Context, **given: Any) -> CommandAnswer:
    with open_from(shared_of(ctx, given), create=False) as memory:
        return CommandAnswer(data=memory.topology(**_who(given)).to_dict(), sort="Report")


def _prune(ctx: typer.Context, **given: Any) -> CommandAnswer:
    opened = shared_of(ctx, given)
    how = {"min_confidence": given["min_confidence"], "max_edges": given["max_edges"]}
    with open_from(opened) as memory:
        if not given["dry_run"] and not given["yes"]:
            _ask(memory.prune(**how, dry_run=True)["retired"])
        return CommandAnswer(data=memory.prune(**how, dry_run=given["dry_run"]).to_dict(), sort="Report")


def _query(ctx: typer.Context, **given: Any) -> CommandAnswer:
    opened, words = shared_of(ctx, given), given["text"] or ""
    if words == "-":
        from recollect.interfaces.cli.intake import read_text

        words = read_text()
    place, facets = _parts(_PLACE, given), _parts(_FACETS, given)
    if given["relation"] is not None and given["from_id"] is None:
        raise UsageError("--relation says how to go on from a record; name it with --from")
    with open_from(opened, create=False) as memory:
        near = _near(memory, given) if given["from_id"] is not None else None
        found = memory.search(
            words, top_k=given["limit"], place=place or None, facets=facets or None, filters=near, **_who(given)
        )
    return CommandAnswer(data=found.to_dict(), sort="HybridQuery")


def _graph(ctx: typer.Context, **given: Any) -> CommandAnswer | int:
    from recollect.interfaces.drawing.concepts import concepts_of

    opened, kind = shared_of(ctx, given), _format(given["format"], given["file"])
    most, labels = given["limit"], _words(given["label"])
    if not 1 <= most <= _NODES_MAX:
        raise UsageError(f"--limit must be from 1 to {_NODES_MAX}, not {most}")
    with open_from(opened, create=False) as memory:
        if given["id"] is None:
            found = memory.relations(labels=labels, limit=most * 2, **_who(given))
            records = list(found.records)
        else:
            found = memory.related(given["id"], labels=labels, depth=given["depth"], **_who(given))
            records = [_there(memory, given["id"], _who(given)), *found.records]
    rows, edges = [record.to_dict() for record in records], [edge.to_dict() for edge in found.edges]
    root = None if given["id"] is None else rows[0]["id"]
    graph = concepts_of(rows, edges, root=root, most=most)
    if kind == "text":
        return CommandAnswer(data=graph.to_dict(), sort="ConceptGraph")
    return _drawn(graph, kind, given["file"], as_json=opened["output"] == "json")


def _drawn(graph: Any, kind: str, path: str | None, *, as_json: bool) -> CommandAnswer | int:
    """The picture in a file, or on stdout if none is named."""
    from recollect.interfaces.drawing.page import page_of
    from recollect.interfaces.drawing.svg import svg_of

    drawing = svg_of(graph) if kind == "svg" else page_of(graph, title="Concepts")
    if path is None:
        if as_json:
            return CommandAnswer(data=graph.to_dict() | {kind: drawing}, sort="ConceptGraph")
        sys.stdout.write(drawing)
        return 0
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(drawing)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None
    return CommandAnswer(data={"path": path, "nodes": len(graph.nodes), "edges": len(graph.links)}, sort="Report")


# --- what they are told ---------------------------------------------------------------------------------------------


def _ask(count: int) -> None:
    """Let a person decide, knowing how much it is; without a terminal, refuse."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "prune withdraws relations and there is no terminal to confirm it in; "
            "pass --yes, or --dry-run to look first"
        )
    much = "1 relation" if count == 1 else f"{count} relations"
    typer.confirm(f"{much} will be forgotten. Go on?", abort=True, err=True)


def _near(memory: Any, given: dict[str, Any]) -> dict[str, Any]:
    """A filter that keeps what is related to a record: within two steps, or directly along one relation."""
    along = _words(given["relation"])
    how: dict[str, Any] = {"depth": GRAPH_DEPTH} if along is None else {"labels": along, "direction": "out"}
    near = [record.id for record in memory.related(given["from_id"], **how, **_who(given))]
    return {"id": {"in": near[:_NEAR_MAX] or [_NOBODY]}}


def _there(memory: Any, id: str, who: dict[str, Any]) -> Any:
    from recollect.errors import NotFound

    found = memory.get(id, **{name: value for name, value in who.items() if name != "reach"})
    if found is None:
        raise NotFound(f"no record has the id {id[:80]}, or it is not visible from here")
    return found


def _format(given: str | None, path: str | None) -> str:
    kind = given or next((end for end in ("svg", "html") if (path or "").lower().endswith(f".{end}")), "text")
    if kind not in ("text", "svg", "html"):
        raise UsageError(f"--format takes text, svg or html, not {kind[:20]!r}")
    if kind == "text" and path is not None:
        raise UsageError("a drawing in a file is svg or html: say --format, or give the file such an ending")
    return kind


def _parts(table: tuple[tuple[str, str, str, str], ...], given: dict[str, Any]) -> dict[str, Any]:
    named = {part: given[option.replace("-", "_") + "_"] for option, _, part, _ in table}
    return {part: _words(value) if part in _LISTS else value for part, value in named.items() if value is not None}


def _words(text: str | None) -> list[str] | None:
    return None if text is None else [word.strip() for word in text.split(",") if word.strip()]


def _who(given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in SCOPE_DOCS if given.get(name) is not None}


def _option(name: str, kind: Any, text: str, *, metavar: str | None = None, **more: Any) -> Field:
    """An option whose parameter is the name with an underscore, so that `class` may be one."""
    info = typer.Option(more.pop("default", None), f"--{name}", metavar=metavar, help=text, **more)
    return field(name.replace("-", "_") + "_", kind | None, info)


def _named(name: str, kind: Any, default: Any, *words: str, text: str, metavar: str | None = None) -> Field:
    return field(name, kind, typer.Option(default, *words, metavar=metavar, help=text))


def _scope() -> list[Field]:
    """Who a command is for."""
    texts = {"user_id": "-u"}
    return [
        field(
            name,
            str | None,
            typer.Option(
                None,
                *([texts[name]] if name in texts else []),
                f"--{name.replace('_', '-')}",
                metavar="TEXT",
                help=text,
                rich_help_panel=options.SCOPE_PANEL,
            ),
        )
        for name, text in SCOPE_DOCS.items()
    ]


def _prune_fields() -> list[Field]:
    return [
        _named(
            "min_confidence",
            float | None,
            None,
            "--min-confidence",
            metavar="NUMBER",
            text="Below this a relation goes. By default graph.prune_min_confidence.",
        ),
        _named(
            "max_edges",
            int | None,
            None,
            "--max-edges",
            metavar="INTEGER",
            text="Relations kept per record. By default graph.prune_max_edges_per_node.",
        ),
        _named("dry_run", bool, False, "--dry-run", text="Only say what would go."),
        _named("yes", bool, False, "--yes", "-y", text="Do not ask."),
    ]


def _query_fields() -> list[Field]:
    words = typer.Argument(None, metavar="TEXT", help="What to look for, in any words. - reads stdin.")
    return [
        field("text", str | None, words),
        *(
            _option(name, str, text, metavar=metavar, rich_help_panel=_PANEL)
            for name, metavar, _, text in (*_PLACE, *_FACETS)
        ),
        _named("from_id", str | None, None, "--from", metavar="ID", text="Only what is related to this record."),
        _named("relation", str | None, None, "--relation", metavar="LABEL,…", text="… directly, and in this way."),
        _named("limit", int, 10, "-k", "-n", "--limit", text="How many at most."),
        *_scope(),
    ]


def _graph_fields() -> list[Field]:
    start = typer.Argument(None, metavar="ID", help="A record to start from; without one, the strongest relations.")
    return [
        field("id", str | None, start),
        _named("depth", int, GRAPH_DEPTH, "--depth", text="How many steps from it."),
        _named("label", str | None, None, "--label", metavar="LABEL,…", text="Only these relations."),
        _named("limit", int, GRAPH_NODES, "-n", "--limit", text="How many records at most."),
        _named("format", str | None, None, "--format", metavar="text|svg|html", text="How to draw it."),
        _named("file", str | None, None, "--file", metavar="PATH", text="Where to, for svg and html; else stdout."),
        *_scope(),
    ]


_COMMANDS: dict[str, tuple[str, Callable[[], list[Field]], Callable[..., Any]]] = {
    "stats": ("Records by place and facet, and how they are related, in figures.", _scope, _stats),
    "prune": ("Forget weak relations; one undo brings them back.", _prune_fields, _prune),
    "query": ("Find by words, place, facets and relations at once, with timing.", _query_fields, _query),
    "graph": ("Draw what is related to a record, or the strongest relations of all.", _graph_fields, _graph),
}
