"""What perception adds to rows before they are stored: what they speak of, how they feel, the statements in them.

A turn stays as it was said. The statements drawn from it are records of their own, about the speaker by name, and
answer through the turn they were drawn from (`model.query.Criteria.drawn`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from recollect.clock import from_us, to_us
from recollect.config import Config
from recollect.config.writing import IngestSettings
from recollect.ids import new_ids
from recollect.model.columns import RecordRow
from recollect.model.facets import ConfidenceLevel, Facets, VerificationState
from recollect.model.place import Place
from recollect.model.roles import is_machine
from recollect.store.rows import content_hash, to_json

if TYPE_CHECKING:
    from recollect.language.finding import TimeMention
    from recollect.perceive.names.mentions import Mention
    from recollect.perceive.statements.propositions import Proposition
    from recollect.perceive.traits.fidelity import Fidelity
    from recollect.perceive.turn import Perceived

STATED = "statement"  # the source of a record that was drawn from a turn
_UNSAID_STRENGTH = 1.0  # what a record has of which nobody said how well it is to be remembered
_STATEMENTS = frozenset(("semantic", "opinion", "procedural"))
_INHERITED = (
    "tags",
    "metadata",
    "importance",
    "tier",
    "security",
    "speaker",
    "needs_review",
    "decay_rate",
    "half_life_days",
    "valence",  # what is stated was felt as it was said
    "arousal",
    "intensity",
    "dominance",
    "surprise",
    "strength",
)


class Drawn(NamedTuple):
    """A statement, and the position of the turn that it was drawn from."""

    turn: int
    row: RecordRow


class Understood(NamedTuple):
    """What each row names, and what turns state."""

    names: list[Sequence[Mention]]
    statements: list[Drawn]
    unread: frozenset[str] = frozenset()  # codes of languages without rules


NOTHING = Understood([], [])


def understand(
    rows: Sequence[RecordRow], turns: Collection[int], *, config: Config, now: int, corrects: bool = False
) -> Understood:
    """Fill in what the texts say of themselves; columns that a caller gave stay as they are.

    `corrects`: they set right what was stored before.
    """
    from recollect.perceive.traits.situation import situation_of
    from recollect.perceive.turn import perceive_text  # word tables are read when the first text comes

    out = Understood([], [])
    unread: set[str] = set()
    wanted = config.perceive
    spoken = frozenset(turns)
    for position, row in enumerate(rows):
        if row.perceived is not None:  # in quarantine: nothing is looked for in it
            out.names.append(())
            continue
        said_at = from_us(now if row.event_time is None else row.event_time)
        is_turn = position in spoken
        draws = is_turn and wanted.statements == "heuristic" and _may_state(row, assistants=wanted.assistant_statements)
        situation = situation_of(row.content, role=row.role, noted=_noted_beside(row))
        found = perceive_text(
            row.content,
            speaker=row.speaker,
            role=row.role,
            said_at=said_at,
            mentions=config.entity.recognise,
            propositions=draws or (not is_turn and row.kind in _STATEMENTS),
            place=_place(row),
            source_type=None if row.place else "conversation" if is_turn else "user",
            situation=situation._replace(corrected=corrects or situation.corrected),
            ingest=config.ingest,
            perceive=config.perceive,
            structure=config.structure,
            affect=config.affect,
        )
        note(row, found, strength_gain=config.affect.strength_gain)
        out.names.append(found.mentions)
        if found.unread is not None:
            unread.add(found.unread)
        if draws:
            out.statements.extend(Drawn(position, _statement(each, row, config.ingest)) for each in found.propositions)
        elif row.kind in _STATEMENTS:
            _read_as_statement(row, found)
    _name(out.statements)
    return out._replace(unread=frozenset(unread))


def _noted_beside(row: RecordRow) -> dict[str, Any]:
    """What a caller noted of how something went; most rows have nothing of the sort, and cost no parsing."""
    noted: dict[str, Any] = {}
    for told in (row.attributes, row.metadata):
        if told and ('"outcome"' in told or '"success"' in told):
            noted |= orjson.loads(told)
    return noted


def drawn(turn: RecordRow, stated: Sequence[Proposition], settings: IngestSettings) -> list[Drawn]:
    """What the one turn states, as rows."""
    out = [Drawn(0, _statement(each, turn, settings)) for each in stated]
    _name(out)
    return out


def _name(statements: Sequence[Drawn]) -> None:
    """Ids for all of them at once: each call asks the system for random bytes, which is slow."""
    for one, record_id in zip(statements, new_ids(len(statements)), strict=True):
        one.row.id = record_id


def note(row: RecordRow, found: Perceived, *, strength_gain: float) -> None:
    """What was found, in the columns of a row: what was felt is remembered better.

    Facets are kept where they say something.
    """
    row.perceived = perceived_json(found)
    if row.valence is None and (found.affect.valence or found.affect.intensity):
        affect = found.affect
        row.valence, row.arousal, row.intensity = affect.valence, affect.arousal, affect.intensity
        row.dominance, row.surprise = affect.dominance, affect.surprise
        if row.strength == _UNSAID_STRENGTH:
            row.strength += strength_gain * affect.arousal
    if row.facets is None and _tells(found.facets):
        row.facets = to_json(found.facets.to_dict())


def _tells(facets: Facets) -> bool:
    """Whether there is anything but what holds of every text."""
    return bool(
        facets.diataxis_type
        or facets.domain_tags
        or facets.is_time_sensitive
        or facets.verification_state is not VerificationState.UNVERIFIED
        or facets.confidence is not ConfidenceLevel.MODERATE
    )


def perceived_json(found: Perceived) -> str:
    """What a text can be filtered by, and its shorter forms."""
    return to_json(found.metadata.to_dict() | levels(found.fidelity)) or "{}"


def levels(fidelity: Fidelity) -> dict[str, Any]:
    """The shorter forms of a text as they are kept."""
    return {
        "summary": fidelity.summary,
        "key_fact": fidelity.key_fact,
        "tag": fidelity.tag,
        "tokens": list(fidelity.tokens),
    }


def _place(row: RecordRow) -> Place | None:
    return Place.from_dict(orjson.loads(row.place)) if row.place else None


def _may_state(row: RecordRow, *, assistants: bool) -> bool:
    """Whether statements are drawn from a turn: what a machine says is its guess, unless it is wanted."""
    return assistants or not is_machine(row.role)


def _statement(found: Proposition, turn: RecordRow, settings: IngestSettings) -> RecordRow:
    from recollect.perceive.traits.fidelity import fidelity_of

    start, end = _bounds(found)
    said_at = turn.event_time
    row = RecordRow(
        id="",
        scope_pk=0,
        content=found.content,
        content_hash=content_hash(found.content),
        created_at=0,
        updated_at=0,
        recorded_at=0,
        kind=found.kind.value,
        category=found.category,
        subject=found.subject,
        predicate=found.predicate,
        object=found.object,
        confidence=found.confidence,
        source=STATED,
        event_time=start or end or said_at,
        valid_from=start or turn.valid_from,
        attributes=to_json(_manner(found)),
        perceived=to_json(levels(fidelity_of(found.content, summary_bytes_max=settings.summary_bytes_max))),
    )
    for name in _INHERITED:
        setattr(row, name, getattr(turn, name))
    return row


def _manner(found: Proposition) -> dict[str, Any]:
    """How a statement says what it says; of another language than English also its gloss and its topic."""
    manner: dict[str, Any] = {"polarity": found.polarity, "tense": found.tense, "ended": found.ended}
    if found.gloss is not None:
        manner |= {"gloss": found.gloss, "topic": list(found.topic)}
    return manner


def _bounds(found: Proposition) -> tuple[int | None, int | None]:
    """From when to when a statement is about."""
    start, end = found.event_time or (None, None)
    return _us(start), _us(end)


def _us(moment: datetime | None) -> int | None:
    return None if moment is None else to_us(moment)


def _read_as_statement(row: RecordRow, found: Perceived) -> None:
    """A text that is one statement says so in its columns; when it happened, unless that is known already."""
    if found.statement is not None and row.subject is None and row.predicate is None and row.object is None:
        row.subject, row.predicate, row.object = (
            found.statement.subject,
            found.statement.predicate,
            found.statement.object,
        )
    if row.event_time is None:
        row.event_time = _the_time(found.times)


def time_told(row: RecordRow) -> int | None:
    """When a stored text says that it happened, as it was read when it came; None if it does not say."""
    from recollect.language.en.times import times_in

    return _the_time(times_in(row.content, from_us(row.created_at)))


def _the_time(times: Sequence[TimeMention]) -> int | None:
    named = [each for each in times if each.kind != "repeating"]
    if len({each.window for each in named}) != 1:  # of several times none is the one
        return None
    start, end = named[0].window
    return _us(start if start is not None else end)
