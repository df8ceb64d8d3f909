"""`recollect demo`: a guided session. Every line it shows comes from a real call on a store that is thrown away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from recollect.clock import from_us, now_us
from recollect.interfaces.cli.answer import console
from recollect.model.showable import inert

if TYPE_CHECKING:
    from recollect.memory import Memory
    from recollect.model.result import Hit, Recollection

PROJECT = "atlas"
QUESTIONS = (
    "Which database did we choose, and why?",
    "Who looks after the mobile app?",
    "What must not happen on Fridays?",
)
LAUNCH_QUESTION = "When is the launch?"
NEXT_STEPS = """\
In Python
    import recollect

    mem = recollect.open()                       # ~/.recollect/memory.db
    mem.add("Ana switched her editor from vim to Helix", user_id="ana")
    for hit in mem.search("which editor does Ana use?", user_id="ana"):
        print(hit.score, hit.content)

In the shell
    recollect add "Ana switched her editor from vim to Helix" -u ana
    recollect search "which editor does Ana use?" -u ana
    recollect list -u ana -o json
    recollect --help"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoTurn:
    """One thing somebody said."""

    name: str
    content: str

    def message(self, at: datetime) -> dict[str, Any]:
        return {"role": "user", "name": self.name, "content": self.content, "timestamp": at.isoformat()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A session, so many days ago."""

    session: str
    days_ago: int
    turns: tuple[DemoTurn, ...]


CONVERSATIONS = (
    Conversation(
        session="kickoff",
        days_ago=40,
        turns=(
            DemoTurn(name="Ana", content="For Atlas we go with PostgreSQL: the team knows it and backups are solved."),
            DemoTurn(name="Ben", content="Fine. I will look after the mobile app, in Flutter."),
            DemoTurn(name="Ana", content="Please never deploy on Fridays, we learned that the hard way last year."),
        ),
    ),
    Conversation(
        session="review",
        days_ago=12,
        turns=(
            DemoTurn(name="Ben", content="The offline mode of the app works now, sync conflicts are still open."),
            DemoTurn(name="Ana", content="Good. Our first customer is a bakery chain in Lisbon with 40 shops."),
        ),
    ),
)


def run_demo() -> int:
    """The whole session, in a few seconds and without input."""
    import recollect

    with TemporaryDirectory(prefix="recollect-demo-") as folder:
        screen = console()
        screen.print(Panel(Text("Recollect: long-term memory for AI agents", "bold"), box=box.ROUNDED))
        screen.print(Text("A short session on a store that is deleted afterwards. Every line is a real call.", "dim"))
        with recollect.open(Path(folder) / "demo.db") as memory:
            story = Story(memory, screen)
            story.remember()
            story.ask()
            story.correct_and_undo()
            story.keep_apart()
        story.part("Now for real")
        screen.print(Text(NEXT_STEPS))
    return 0


def run_page(port: int | None, *, browser: bool) -> int:
    """The page over a filled store that is thrown away when it is closed."""
    from recollect.interfaces import serving

    serving.require_libraries()
    import recollect
    from recollect.interfaces.cli.example_store import fill
    from recollect.interfaces.cli.ui import show

    with TemporaryDirectory(prefix="recollect-demo-") as folder, serving.listen("127.0.0.1", port or 0) as listening:
        path = Path(folder) / "demo.db"
        screen = console()
        screen.print(Text("An example store is being made; it is deleted when you stop this.", "dim"))
        fill(path)
        with recollect.open(path) as memory:
            show(memory, listening, browser=browser)
    return 0


class Story:
    """The parts of the session, in order. Each says what it calls and shows what came back."""

    def __init__(self, memory: Memory, screen: Console) -> None:
        self._memory = memory
        self._screen = screen
        self._now = from_us(now_us()).replace(microsecond=0)
        self._parts = 0

    def part(self, title: str) -> None:
        """A new heading."""
        self._parts += 1
        self._screen.print()
        self._screen.print(Rule(Text(f"{self._parts}. {title}", "bold cyan"), align="left", style="dim"))

    def remember(self) -> None:
        """Two conversations go in as they were held."""
        self.part("Two conversations are remembered")
        for talk in CONVERSATIONS:
            began = self._now - timedelta(days=talk.days_ago)
            messages = [turn.message(began + timedelta(minutes=at)) for at, turn in enumerate(talk.turns)]
            receipt = self._memory.add(messages, session_id=talk.session, project=PROJECT)
            self._call(f'mem.add([…], session_id="{talk.session}", project="{PROJECT}")')
            for record in receipt.records:
                self._show(_said(record.event_time, record.speaker, record.content))
        self._note(f"{self._memory.stats()['records']} records are stored, word for word.")

    def ask(self) -> None:
        """Questions in other words than those that were said."""
        self.part("Questions are answered from them")
        for question in QUESTIONS:
            found = self._memory.search(question, project=PROJECT, top_k=1)
            self._call(f'mem.search("{question}", project="{PROJECT}", top_k=1)')
            self._tell(found)

    def correct_and_undo(self) -> None:
        """A fact is replaced; the past keeps the old one; the undo brings it back."""
        self.part("A correction supersedes, it does not overwrite")
        learned = self._now - timedelta(days=30)
        fact = self._memory.add("The launch is on the third of March.", timestamp=learned, project=PROJECT)
        self._call(f'mem.add("{fact.records[0].content}", timestamp="{learned:%Y-%m-%d}", project="{PROJECT}")')
        done = self._memory.correct(fact.id, "The launch is on the tenth of April.", reason="the bakery asked for it")
        self._call('mem.correct(id, "The launch is on the tenth of April.", reason="the bakery asked for it")')
        self._ask_about_launch("now")
        yesterday = self._now - timedelta(days=1)
        self._ask_about_launch("yesterday", as_of=yesterday)
        self.part("Everything can be undone")
        assert done.operation is not None
        self._memory.undo(done.operation)
        self._call("mem.undo(receipt.operation)")
        self._ask_about_launch("after the undo")
        for entry in self._memory.history(fact.id):
            self._show(Text(f"history: {entry.operation.verb}{' (undone)' if entry.operation.undone else ''}", "dim"))

    def keep_apart(self) -> None:
        """What is one person's own stays so."""
        self.part("What is private stays private")
        self._memory.add("Ana is looking for a new job.", user_id="ana", project=PROJECT)
        self._call(f'mem.add("Ana is looking for a new job.", user_id="ana", project="{PROJECT}")')
        question = "Who is looking for a new job?"
        for user in ("ana", "ben"):
            found = self._memory.search(question, user_id=user, project=PROJECT, top_k=1)
            self._call(f'mem.search("{question}", user_id="{user}", project="{PROJECT}", top_k=1)')
            seen = any("new job" in hit.content for hit in found)
            self._tell(found)
            self._note(f"{user.title()} {'sees' if seen else 'does not see'} Ana's note.")

    def _ask_about_launch(self, when: str, **more: Any) -> None:
        found = self._memory.search(LAUNCH_QUESTION, project=PROJECT, top_k=1, **more)
        extra = f', as_of="{more["as_of"]:%Y-%m-%d}"' if more else ""
        self._call(f'mem.search("{LAUNCH_QUESTION}", project="{PROJECT}", top_k=1{extra})  # {when}')
        self._tell(found)

    def _call(self, line: str) -> None:
        self._screen.print(Text.assemble(("\n>>> ", "green"), line), soft_wrap=True)

    def _show(self, line: Text) -> None:
        self._screen.print(Text("    ").append_text(line), soft_wrap=True)

    def _tell(self, found: Recollection) -> None:
        for line in _answers(found):
            self._show(line)

    def _note(self, line: str) -> None:
        self._show(Text(line, "yellow"))


def _said(at: datetime | None, who: str | None, content: str) -> Text:
    return Text.assemble((f"{at:%Y-%m-%d}  " if at else "", "dim"), (f"{who}: ", "cyan"), inert(content))


def _answers(found: Recollection) -> Iterator[Text]:
    """A line for each hit: score, date, text, and who said it where."""
    if not found.hits:
        yield Text(found.reason or "nothing that is visible from here answers that", "dim")
    for hit in found.hits:
        score, date = (f"{hit.score:.2f}  ", "green"), (f"{_date(hit)}  ", "dim")
        yield Text.assemble(score, date, inert(hit.content), (f"  {_origin(hit)}", "dim"))


def _date(hit: Hit) -> str:
    return f"{hit.event_time or hit.created_at:%Y-%m-%d}"


def _origin(hit: Hit) -> str:
    """Who said it and where: the hit itself when it is a turn, else the turns it rests on."""
    told = [(hit.speaker, hit.session_id), *((source.speaker, source.session_id) for source in hit.sources)]
    return ", ".join(dict.fromkeys(f"{who} in {where!r}" for who, where in told if who and where))
