"""One verb run for whoever typed it: its words become arguments, the store is opened, and the answer made complete."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

from recollect.errors import UsageError
from recollect.interfaces.cli import values
from recollect.interfaces.cli.answer import CommandAnswer, Declined
from recollect.interfaces.cli.session import for_somebody, open_from
from recollect.interfaces.cli.wording import in_shell
from recollect.verbs.verb import Verb

LAST = "last"  # the operation that `undo` takes back when none is named


def answered(verb: Verb, name: str, opened: dict[str, Any], given: dict[str, Any]) -> CommandAnswer:
    """What a verb answers, called by one of its names. `opened` are the options of every command, `given` its own."""
    from recollect.verbs.signature import signature_of

    signature = signature_of(verb)
    jsonl, confirmed = given.pop("jsonl", None), given.pop("yes", False)
    look = "full" if given.pop("full", False) else "folded"
    look = "short" if given.pop("short", False) else look
    values.require(verb, signature.parameters, given)
    arguments = {
        each.name: values.value_of(each, given.get(each.name), joined=verb.words and each.name in verb.positional)
        for each in signature.parameters
    }
    arguments |= verb.implied_by(name)
    if verb.name == "doctor":
        from recollect.interfaces.cli import checkup

        return checkup.examine(opened, arguments)
    try:
        with_who = for_somebody(arguments) if verb.personal else arguments
        answer = _answer(verb, signature.returns, opened, with_who, jsonl=jsonl, confirmed=confirmed)
        return replace(answer, look=look)
    except UsageError as error:
        typed = {each.name for each in signature.parameters} - set(verb.positional)
        error.message = in_shell(error.message, typed, {verb.name: verb.in_shell})
        raise


def _answer(
    verb: Verb, sort: str, opened: dict[str, Any], arguments: dict[str, Any], *, jsonl: str | None, confirmed: bool
) -> CommandAnswer:
    from recollect.interfaces.cli import intake, told
    from recollect.interfaces.cli.progress import after, progress_bar
    from recollect.verbs.by_name import run
    from recollect.verbs.checking import checked
    from recollect.verbs.signature import takes_of

    lines = None
    if verb.name == "observe":
        arguments = intake.transcript(arguments)
    if jsonl is not None:
        if arguments.get("content") is not None:
            raise UsageError("give a text or --jsonl, not both")
        lines = intake.read_lines(jsonl)
    elif verb.piped:
        arguments[verb.piped] = intake.typed_or_piped(verb, arguments.get(verb.piped))
    if verb.name == "add" and lines is None:
        arguments["content"] = intake.messages(arguments["content"])
    if verb.name == "undo":
        arguments["operation"] = arguments["operation"] or LAST
    if lines is None:
        checked(takes_of(verb), arguments)  # before the store is opened: a mistake must not create one
    needed = verb.name == "export"  # an empty file in the place of a backup would be a surprise
    with open_from(opened, background=_works_on(verb), create=verb.writes, needed=needed) as memory:
        if lines is not None:
            return CommandAnswer(data=intake.add_lines(memory, lines, arguments), sort=sort)
        if verb.must_ask(arguments) and not (confirmed or arguments.get("plain")):
            _ask(verb, memory, arguments)
        if verb.name == "undo" and arguments["operation"] == LAST:
            arguments["operation"] = told.last_operation(memory, arguments)
        watched = opened.get("output") != "json"
        with told.interruptions(memory, verb), progress_bar(verb.name, wanted=watched):
            data = run(memory, verb.name, arguments)
        told.complete(memory, verb, sort, arguments, data)
        aside = verb.name == "export" and arguments["path"] == intake.STDIN
        code = int(told.is_failure(sort, data))
        answer = CommandAnswer(data=data, sort=told.SORTS.get(verb.name, sort), aside=aside, code=code)
        if verb.name in ("ingest", "import") and (data["operation"] or data.get("did") == "restored"):
            answer = after(memory, answer, watched=watched)  # this process ends: nobody else may come to read it
    return answer


def _works_on(verb: Verb) -> bool:
    """Whether background work belongs to a command: not where something is only looked up, which should be quick."""
    return verb.writes or verb.group == "Upkeep" or verb.name == "context"


def _ask(verb: Verb, memory: Any, arguments: dict[str, Any]) -> None:
    """Let a person decide, knowing how much it is; without a terminal, refuse."""
    from recollect.verbs.by_name import run

    watched = sys.stdin.isatty() and sys.stderr.isatty()
    if verb.name == "export":
        _ask_for_plain(watched)
        return
    if not watched:
        raise UsageError(f"{verb.in_shell} deletes records and there is no terminal to confirm it in; pass --yes")
    much = "this record"
    if "dry_run" in arguments:
        count = run(memory, verb.name, {**arguments, "dry_run": True})["count"]
        much = "1 record" if count == 1 else f"{count} records"
    how = "erased for good" if arguments.get("hard") or verb.name in ("erase", "erase_user") else "forgotten"
    import typer

    if not typer.confirm(f"{much} will be {how}. Go on?", err=True):
        raise Declined


def _ask_for_plain(watched: bool) -> None:
    """A file that anybody can read is written only if a person wants it so."""
    if not watched:
        raise UsageError(
            "without a passphrase anybody can read the file, and there is no terminal to confirm it in; "
            "seal it with --passphrase -, or say --plain"
        )
    import typer

    if not typer.confirm("Anybody who gets the file can read it; --passphrase - seals it. Write it plain?", err=True):
        raise Declined
