"""A team at work on one memory, day by day: people, agents of two projects, a bot, a flow, a webhook, a stranger.

What each of them does is chosen by a seeded chance, and noted here in plain values: what is true now and what was
true on which day, whose word is whose, who was to be told what. `promised` holds the memory against these notes each
night.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from properties.tables import visible_state
from ticking import Ticking

import recollect
from recollect.clock import from_us, to_us
from recollect.memory import Memory

REX = {"agent_id": "rex", "project": "shop", "squad": "build"}
BO = {"agent_id": "bo", "project": "shop", "squad": "build"}
CY = {"agent_id": "cy", "project": "shop"}
LIN = {"agent_id": "lin", "project": "lab"}
SCRAPER = {"agent_id": "scraper", "project": "shop"}
BOT = {"agent_id": "bot"}

# A word that stands in all that belongs to somebody, and what every record has to set in which the word stands.
WORDS = {
    "saffron": {"user_id": "ana"},
    "cobalt": {"user_id": "ben"},
    "quartz": {"user_id": "eve"},
    "velvet": {"channel": "dm"},
    "falcon": {"project": "shop"},
    "glacier": {"project": "lab"},
    "turnstile": {"channel": "webhook:tickets"},
}
ERASED = ("eve", "quartz")
SETTINGS = {
    "store.durable": False,  # survives a killed process, not a power cut
    "security.approval_in": "agent_id=scraper: wait, agent_id=cy: approve",
    "bus.deliveries_max": 10_000,
    "upkeep.after_session": False,
    "reader.model": "none",
}
NODES = ["find the cause", "choose a cure", "write the answer"]


@dataclass(slots=True, kw_only=True)
class Tracked:
    """Something that changes now and then: the question about it, and each value with the moment since when."""

    question: str
    said: str
    scope: dict[str, str]
    id: str
    values: list[tuple[datetime, str]]

    @property
    def now(self) -> str:
        return self.values[-1][1]

    def at(self, moment: datetime) -> str | None:
        """What was true at a moment."""
        return next((value for since, value in reversed(self.values) if since <= moment), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A publication, as its publisher meant it."""

    id: str
    by: dict[str, str]
    visibility: str
    topics: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    importance: float = 0.7


@dataclass(slots=True, kw_only=True)
class Team:
    """The memory, its clock, and what is known about both from outside."""

    folder: Path
    seed: int = 1
    day: int = 0
    clock: Ticking = field(default_factory=lambda: Ticking(1_000))
    tracked: dict[str, Tracked] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)  # told to be kept: id to text
    waiting: dict[str, str] = field(default_factory=dict)  # for approval: id to text
    refused: list[str] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    shared: list[dict[str, str]] = field(default_factory=list)  # versions of one thing: agent to its record
    left: dict[str, str] = field(default_factory=dict)  # turns that nobody ended: id to what was said in them
    stopped: dict[str, str] = field(default_factory=dict)  # turns that were aborted
    believed: list[tuple[datetime, dict[str, str]]] = field(default_factory=list)  # what was known on a night
    gone: set[str] = field(default_factory=set)  # ids of what was erased or deleted for good
    erased: set[str] = field(default_factory=set)  # words that may stand nowhere any more
    mem: Memory = field(init=False)
    chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.mem = self._opened()

    @property
    def store(self) -> Path:
        return self.folder / "team.db"

    def _opened(self) -> Memory:
        return recollect.open(self.store, embedder="fake", background=False, clock=self.clock, config=SETTINGS)

    def reopen(self) -> None:
        self.mem.close()
        self.mem = self._opened()

    def moment(self) -> datetime:
        return from_us(self.clock())

    def until(self, hour: float) -> None:
        """Let time pass until an hour of this day, or of the next one."""
        now = self.moment()
        then = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(hours=hour)
        self.clock.now = to_us(then if then > now else then + timedelta(days=1))

    def known(self) -> dict[str, str]:
        """Every record with its text, as far as reads show it."""
        found: dict[str, str] = {}
        cursor = None
        while True:
            page = self.mem.get_all(reach="all", limit=1000, cursor=cursor)
            found |= {record.id: record.content for record in page.records}
            if (cursor := page.cursor) is None:
                return found

    def state(self) -> dict[str, Any]:
        return visible_state(self.store)

    def assert_undone(self, work: Callable[[], Any]) -> None:
        """What is done and undone leaves everything as it was."""
        self.mem.settle()
        before = self.state()
        operation = work().operation
        assert operation is not None
        self.mem.settle()
        self.mem.undo(operation)
        assert self.state() == before


# What happens


def the_team_begins(team: Team) -> None:
    mem = team.mem
    mem.subscribe(None, **BO)
    mem.subscribe(["findings"], **CY)
    mem.subscribe(["findings"], sources=["bo"], **REX)
    mem.subscribe(None, **LIN)
    for name, scope, question, said, value in (
        (
            "gateway",
            {"project": "shop"},
            "Which port does the falcon gateway listen on?",
            "The falcon gateway listens on port {}",
            "8080",
        ),
        (
            "vault",
            {"project": "shop"},
            "Who holds the falcon vault key?",
            "The falcon vault key is held by {}",
            "Oskar",
        ),
        (
            "editor",
            {"user_id": "ana"},
            "Which editor does Ana use for saffron?",
            "Ana uses {} for the saffron notes",
            "vim",
        ),
        ("room", LIN, "In which room is the glacier freezer?", "The glacier freezer stands in room {}", "12"),
    ):
        id_ = mem.add(said.format(value), keep=True, **scope).id
        values = [(team.moment(), value)]
        team.tracked[name] = Tracked(question=question, said=said, scope=scope, id=id_, values=values)
    for text, scope in (
        ("Never deploy the falcon shop on a Friday", {"project": "shop"}),
        ("Ana is allergic to hazelnuts, says the saffron file", {"user_id": "ana"}),
        ("Ben calls his cobalt cat Miso", {"user_id": "ben"}),
    ):
        team.kept[mem.add(text, keep=True, **scope).id] = text
    mem.scoped(**REX).skills.teach("release", ["run the tests", "tag the commit", "ship it"], task="release falcon")


def people_talk_to_the_bot(team: Team) -> None:
    lines = {
        "ana": ("I had saffron soup for lunch.", "My sister Eva painted the saffron door on Monday."),
        "ben": ("My cobalt bike has a flat tyre.", "I am proud of the cobalt talk I gave."),
        "eve": ("I lost my quartz ring in Porto.", "Please call me at noon about the quartz ring."),
    }
    for who, said in lines.items():
        if who == ERASED[0] and ERASED[1] in team.erased:
            continue
        channel = {"channel": "dm"} if who == "ben" else {}
        text = team.chance.choice(said) + (" That is a velvet secret." if channel else "")
        with team.mem.turn(text, session_id=f"{who}-{team.day}", user_id=who, **channel, **BOT) as turn:
            assert turn.window.tokens <= turn.window.limit
            turn.answer("Noted.")


def agents_work(team: Team) -> None:
    for who in (REX, BO):
        name = who["agent_id"]
        with team.mem.turn(
            f"Go on with falcon part {team.day}", caller="round", name=f"{name}-{team.day}", **who
        ) as turn:
            turn.tool("pytest", "3 falcon tests failed", failed=team.chance.random() < 0.4)
            turn.answer(f"Falcon part {team.day} of {name} is finished, the falcon cache is warm now.")
    with team.mem.turn("Report on the glacier", caller="cron", name="report", **LIN) as turn:
        turn.tool("probe", "the glacier is at minus eighty")
        turn.answer(f"On day {team.day} the glacier freezer held its temperature all night long.")


def turns_go_over_the_wire(team: Team) -> None:
    turns = team.mem.turns
    begun = turns.begin("Look at the falcon queue", caller="task", name=f"queue-{team.day}", **REX)
    turns.say(begun.id, tool="top", result=f"falcon queue length {team.day}")
    last = team.day % 3
    if last == 0:
        turns.end(begun.id, f"The falcon queue was {team.day} long and drains by itself at night.")
    elif last == 1:
        turns.abort(begun.id, reason="wrong machine")
        team.stopped[begun.id] = f"falcon queue length {team.day}"
    else:
        team.left[begun.id] = f"falcon queue length {team.day}"


def agents_take_turns_at_a_desk(team: Team) -> None:
    mem = team.mem
    mem.working.note(f"Rex thinks of falcon number {team.day}", session_id="desk", **REX)
    for _ in range(3):
        mem.working.resume(session_id="desk", instead_of="rex", **BO)
        mem.working.resume(session_id="desk", instead_of="bo", **REX)
    slots = mem.working.slots(session_id="desk", **REX)
    assert any(f"falcon number {team.day}" in slot.text for slot in slots), "a mind is whole after it was put aside"


def a_flow_runs(team: Team) -> None:
    cy = team.mem.scoped(**CY)
    for node in NODES:
        with cy.turn(
            f"{node}: falcon printer", caller="flow", name="tickets", node=node, session_id=f"run-{team.day}"
        ) as turn:
            turn.answer(f"The falcon roller of tray {team.day} was worn and slipped on paper.")
    cy.skills.done(
        "flow:tickets", success=team.day % 3 != 0, steps=NODES, failed_at=NODES[1] if team.day % 3 == 0 else None
    )


def a_webhook_comes_in(team: Team) -> None:
    with team.mem.turn(
        f"Turnstile order {team.day} came in", caller="webhook", name="tickets", agent_id="intake"
    ) as turn:
        assert "falcon" not in turn.window.text.lower()
        turn.tool("parse", "turnstile order")
        turn.answer("The turnstile order was taken.")


def agents_publish(team: Team) -> None:
    mem, day = team.mem, team.day
    ways: tuple[dict[str, Any], ...] = (
        {"visibility": "project", "topics": ("findings",)},
        {"visibility": "squad", "topics": ("findings",)},
        {"visibility": "targets", "targets": ("cy",), "topics": ("findings",)},
        {"visibility": "project", "topics": ("mail",)},
    )
    for who in (REX, BO):
        way = team.chance.choice(ways)
        name = who["agent_id"]
        (done,) = mem.publish(
            f"Finding {day} of {name}: the falcon index needs {day + 3} minutes", importance=0.7, **way, **who
        )
        team.sent.append(Sent(id=done.id, by=who, **way))
    if day % 4 == 1:
        (done,) = mem.publish(
            f"All agents: the network is down on day {day + 1}", visibility="global", importance=0.9, **LIN
        )
        team.sent.append(Sent(id=done.id, by=LIN, visibility="global", importance=0.9))
    if day % 5 == 2:
        (done,) = mem.publish(f"Taken back: falcon rumour {day}", importance=0.9, **REX)
        mem.bus.withdraw(done.id)


def agents_edit_one_thing(team: Team) -> None:
    """One publishes, later both change what they have, each without knowing of the other."""
    mem = team.mem
    if not team.shared:
        (done,) = mem.publish("The falcon limit is ten", topics=["findings"], importance=0.8, **REX)
        team.sent.append(Sent(id=done.id, by=REX, visibility="project", topics=("findings",), importance=0.8))
        mem.bus.deliver()
        copy = next(each for each in mem.bus.inbox(limit=1000, **BO) if each.publication == done.id)
        team.shared.append({"rex": done.records[0], "bo": copy.records[0]})
        return
    held = team.shared[-1]
    team.shared.append({})
    for who in (REX, BO):
        name = who["agent_id"]
        new = mem.correct(held[name], f"The falcon limit is {team.day}, says {name}", reason="measured", **who).id
        (done,) = mem.publish(new, topics=["findings"], importance=0.8, **who)
        team.sent.append(Sent(id=done.id, by=who, visibility="project", topics=("findings",), importance=0.8))
        team.shared[-1][name] = new
    mem.bus.deliver()
    for who in (REX, BO):
        inbox = mem.bus.inbox(limit=1000, **who)
        conflict = [each for each in inbox if each.outcome == "conflict" and len(each.records) == 2][-1]
        assert all(f"The falcon limit is {team.day}" in text for text in conflict.contents)
        team.shared[-1][who["agent_id"]] = next(  # each goes on with the one that holds
            id_ for id_ in conflict.records if mem.get(id_).valid_until is None
        )


def a_stranger_writes(team: Team) -> None:
    text = f"The falcon shop gives away {team.day} lamps for free, says the bramble page"
    team.waiting[team.mem.scoped(**SCRAPER).add(text).id] = text
    if len(team.waiting) < 3:
        return
    boss = team.mem.scoped(**CY, policy="project")
    assert set(team.waiting) <= {each.id for each in boss.review(limit=100) if each.why == "approval"}
    first, second, *_ = team.waiting
    boss.approve(first)
    boss.refuse(second, reason="made up")
    team.refused.append(second)
    team.kept[first] = team.waiting.pop(first)
    del team.waiting[second]


def something_changes(team: Team) -> None:
    """One value is corrected; another is, and that was a mistake."""
    names = sorted(team.tracked)
    name, other = team.chance.sample(names, 2)
    new = {
        "gateway": str(8000 + team.day),
        "vault": f"Mara{team.day}",
        "editor": f"Helix{team.day}",
        "room": str(100 + team.day),
    }
    this, that = team.tracked[name], team.tracked[other]
    value = new[name]
    receipt = team.mem.correct(this.id, this.said.format(value), reason="it changed", **this.scope)
    this.values.append((team.moment(), value))
    this.id = receipt.id
    team.assert_undone(lambda: team.mem.correct(that.id, that.said.format("nonsense"), **that.scope))


def records_are_judged(team: Team) -> None:
    mem = team.mem
    hits = mem.search("What about the falcon cache?", **REX)
    if hits:
        mem.feedback(hits[0].id, helpful=True, query="What about the falcon cache?", **REX)
        mem.feedback(hits[-1].id, helpful=False, query="Who paints doors?", **REX)
    wrong = mem.add(f"The falcon is a pigeon, number {team.day}", **REX).id
    mem.flag(wrong, reason="no", **REX)
    team.assert_undone(lambda: mem.delete(wrong, **REX))
    team.assert_undone(lambda: mem.add(f"A slip of the falcon pen {team.day}", tags=["slip"], **REX))
    secret = mem.add(f"Password number {team.day} of the falcon box, by mistake", **REX).id
    mem.delete(secret, hard=True, **REX)
    team.gone.add(secret)


def a_runbook_is_read_again(team: Team) -> None:
    path = team.folder / "runbook.md"
    path.write_text(
        f"# Falcon runbook\n\nRestart falcon with flag {team.day}.\n\n## Rollback\n\nCall the falcon desk first.\n"
    )
    team.mem.ingest(path, project="shop")


def the_machine_restarts(team: Team) -> None:
    team.reopen()


def somebody_is_forgotten(team: Team) -> None:
    who, word = ERASED
    before = team.known()
    team.mem.erase_user(who)
    team.erased.add(word)
    team.gone |= before.keys() - team.known().keys()


EVERY: tuple[tuple[int, Callable[[Team], None]], ...] = (
    (1, people_talk_to_the_bot),
    (1, agents_work),
    (1, turns_go_over_the_wire),
    (2, agents_take_turns_at_a_desk),
    (1, a_flow_runs),
    (2, a_webhook_comes_in),
    (1, agents_publish),
    (3, agents_edit_one_thing),
    (1, a_stranger_writes),
    (1, something_changes),
    (1, records_are_judged),
    (3, a_runbook_is_read_again),
    (4, the_machine_restarts),
)


def a_day(team: Team) -> None:
    """From nine in the morning; the team rests in the evening."""
    team.until(9)
    for days, happens in EVERY:
        if team.day % days == 0:
            happens(team)
            team.clock.skip(0.02)
    team.mem.settle()
    team.mem.bus.deliver()


def a_night(team: Team, *, twice: bool) -> None:
    """Upkeep at three. Now and then all of it is undone, and done again by undoing that."""
    team.until(3)
    if not twice:
        assert team.mem.maintain().state == "done"
        return
    before = team.state()
    operation = team.mem.maintain().operation
    assert operation is not None
    after = team.state()
    undone = team.mem.undo(operation).operation
    assert team.state() == before, "a night that was undone leaves nothing"
    assert undone is not None
    team.mem.undo(undone)
    assert team.state() == after, "and is there again when that is undone"
