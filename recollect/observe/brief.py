"""What a session begins with, part by part, the most pressing first; what comes last is left out where it is tight.

work_state   where the work stood: of this task or branch, else of the last one
relay        what the stage of work before left for this one, once
wanted       instructions and constraints that a person confirmed
warnings     what to watch out for
calibration  how earlier plans came out, for a session that plans
preloaded    files that are usually read first, for a session that codes
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from recollect.clock import DAY_US, to_us
from recollect.config import Config
from recollect.hook.ready import CODING, PLANNING, is_same_task
from recollect.model.anchor import StatesOfCode
from recollect.model.fence import Shown, line
from recollect.model.observed import BriefPart
from recollect.model.record import Record
from recollect.model.scope import Scope
from recollect.observe.calibration import Calibration, calibrations, in_words
from recollect.observe.modules import ModuleReads, UsualRead
from recollect.observe.preload import usual_first
from recollect.observe.relay import Handover, handed_over
from recollect.observe.saying import Saying, fitting, sealed, tokens_of
from recollect.observe.standing import is_said
from recollect.observe.trusted import Trusted, trusted
from recollect.observe.work_state import CATEGORY as STATE
from recollect.observe.work_state import SOURCE as OBSERVED_STATE
from recollect.observe.work_state import task_in
from recollect.store.base import Tx

STATES_MAX = 5  # tasks and branches whose state is prepared
SESSIONS_MAX = 60  # of a project that are looked at for what is usual


class BriefSection(NamedTuple):
    """A part before it is known how much of it fits: a heading, and what stands below it."""

    name: str
    heading: str
    items: Sequence[Record | str]
    files: tuple[str, ...] = ()


class FittingSection(NamedTuple):
    """As much of a part as fits."""

    told: BriefPart
    lines: tuple[Shown | str, ...]


class BriefFor(NamedTuple):
    """For which session a brief is made: what is known of it. `near` is a file or folder that it will work at."""

    phase: str | None = None
    spec: str = ""
    branch: str = ""
    session: str = ""
    near: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """All that sessions of a project may begin with."""

    now: int
    told: Trusted
    states: Sequence[Record]  # that are fresh enough, the newest first
    stages: Sequence[Handover]
    calibrations: Sequence[Calibration]
    usual: Sequence[UsualRead]
    warnings_max: int

    def sections(self, wanted: BriefFor) -> list[BriefSection]:
        """What one session begins with, but for files."""
        same = partial(is_same_task, spec=wanted.spec, branch=wanted.branch)
        state = next((each for each in self.states if _is_of_any_task(each) or same(*task_in(each))), None)
        stage = next((each for each in self.stages if self._is_next(each, wanted)), None)
        found = [_state(state or self.states[0])] if self.states else []
        found += [_relay(stage)] if stage is not None else []
        return [*found, *self._rest(), *([self._calibration()] if wanted.phase in PLANNING else [])]

    def is_preloaded(self, wanted: BriefFor) -> bool:
        """Whether files are told: where nobody knows the phase of a session, it will probably code."""
        return wanted.phase is None or wanted.phase in CODING

    def _is_next(self, stage: Handover, wanted: BriefFor) -> bool:
        same = is_same_task(stage.spec, stage.branch, spec=wanted.spec, branch=wanted.branch)
        return same and wanted.session != stage.session and wanted.phase != stage.phase

    def _rest(self) -> list[BriefSection]:
        # What was only inferred about a file is told where that file is touched: most sessions never come there.
        watch = [each.record for each in self.told.warnings if is_said(each.record) or not each.files]
        return [
            BriefSection("wanted", "Wanted here:", self.told.wanted),
            BriefSection("warnings", "To watch out for:", watch[: self.warnings_max]),
        ]

    def _calibration(self) -> BriefSection:
        return BriefSection(
            "calibration", "How earlier plans came out:", [in_words(each) for each in self.calibrations]
        )


def read_beginning(
    tx: Tx, root: str, scope: Scope, config: Config, code: StatesOfCode, *, now: int, near: str | None
) -> Beginning:
    """What sessions of a project may begin with, as things are now."""
    settings = config.observe
    told = trusted(tx, root, scope, code, now=now)
    scope_pk = tx.scopes.find(scope)
    reads = ModuleReads([] if scope_pk is None else tx.observed.accesses(scope_pk, sessions_max=SESSIONS_MAX))
    return Beginning(
        now=now,
        told=told,
        states=_fresh(tx, scope, told.states, config, now=now),
        stages=handed_over(tx, scope, code, settings, now=now),
        calibrations=calibrations(tx, scope, reads, settings, near),
        usual=usual_first(tx, scope, reads, settings, now=now, near=near),
        warnings_max=settings.session_warnings,
    )


def _fresh(tx: Tx, scope: Scope, states: Iterable[Record], config: Config, *, now: int) -> list[Record]:
    """States that are not too old to be of use. They age on days on which the project is worked on; where no work was
    watched, and after as long as the log reaches back, on every day."""
    usual = config.decay.half_life_days.get(STATE, config.recall.freshness_half_life_days)
    visible = tx.scopes.visible(scope)
    watched = tx.agent_work.days_worked(visible, after=0) > 0
    out: list[Record] = []
    for record in states:
        since = to_us(record.updated_at)
        days = (now - since) / DAY_US
        if watched and days <= config.observe.log_days:
            days = tx.agent_work.days_worked(visible, after=since)
        if days <= config.observe.state_half_lives * (record.half_life_days or usual):
            out.append(record)
        if len(out) == STATES_MAX:
            break
    return out


def _is_of_any_task(state: Record) -> bool:
    """Whether an agent wrote it: it does not say for which task."""
    return state.source != OBSERVED_STATE


def _state(record: Record) -> BriefSection:
    return BriefSection(STATE, "Where the work stood:", [record])


def _relay(stage: Handover) -> BriefSection:
    of = f" for {stage.spec or stage.branch}" if stage.spec or stage.branch else ""
    return BriefSection("relay", f"[PLANNER] What {stage.phase}{of} left for you:", stage.records)


# --- within a number of tokens --------------------------------------------------------------------------------------


def brief_within(sections: Sequence[BriefSection], tokens: int, now: int) -> list[FittingSection]:
    """As many parts as fit, in their order; the last of them perhaps cut short."""
    found: list[FittingSection] = []
    shown: list[Shown | str] = []
    for section in sections:
        if not section.items:
            continue
        fit = fitting([section.heading, *section.items], tokens, now, after=shown)
        if len(fit) > 1:
            shown += fit
            found.append(FittingSection(_part(section, fit), tuple(fit)))
        if len(fit) <= len(section.items):
            break
    return found


def prepared(begun: Beginning, key: bytes, tokens: int) -> tuple[dict[str, Any], int]:
    """What hooks choose from without a server, and the tokens that are left beside the most that they can choose."""
    states = [(_state(each), each) for each in begun.states]
    told_states = [_sealed([section], key, tokens, begun.now) for section, _ in states]
    left = tokens - _longest(told_states)
    stages = [_sealed([_relay(each)], key, left, begun.now) for each in begun.stages]
    left -= _longest(stages)
    rest = _sealed(begun._rest(), key, left, begun.now)
    left -= _longest([rest])
    planning = _sealed([begun._calibration()], key, left, begun.now)
    parts = {
        "states": [
            [*saying, *(("*", "*") if _is_of_any_task(record) else task_in(record))]
            for saying, (_, record) in zip(told_states, states, strict=True)
            if saying
        ],
        "stages": [
            [*saying, each.spec, each.branch, each.session, each.phase]
            for saying, each in zip(stages, begun.stages, strict=True)
            if saying
        ],
        "rest": rest,
        "planning": planning,
    }
    return parts, left


def preloaded_part(text: str, files: tuple[str, ...]) -> BriefPart:
    """Files as a part of a brief."""
    return BriefPart(name="preloaded", text=text, files=files)


def _longest(sayings: Iterable[Saying | None]) -> int:
    return max((tokens_of([each[0]]) for each in sayings if each), default=0)


def _sealed(sections: Sequence[BriefSection], key: bytes, tokens: int, now: int) -> Saying | None:
    lines = [line for part in brief_within(sections, tokens, now) for line in part.lines]
    return sealed(lines, key, introduced=False) if lines else None


def _part(section: BriefSection, lines: Sequence[Shown | str]) -> BriefPart:
    return BriefPart(
        name=section.name,
        text="\n".join(map(line, lines)),
        ids=tuple(each.id for each in lines if isinstance(each, Shown)),
        files=section.files,
    )
