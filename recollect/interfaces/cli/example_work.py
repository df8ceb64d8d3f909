"""The other half of the example store: code that is known, sessions of agents on it, what they have in mind and tell
each other, what happens every week, what is done again and again. All of it is made up, and goes through the verbs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.clock import DAY_US, SECOND_US, from_us, now_us
from recollect.interfaces.issuing import issue, revoke

if TYPE_CHECKING:
    from recollect.memory import Memory

PROJECT = "atlas"
FILES = {
    "atlas/__init__.py": "from .orders import Order\n",
    "atlas/orders.py": """
class Order:
    \"\"\"What a shop wants, in cents and trays.\"\"\"

    def __init__(self, shop: str, cents: int) -> None:
        self.shop = shop
        self.cents = cents

    def total(self) -> int:
        return self.cents


def cut_off(hour: int) -> bool:
    return hour < 18
""",
    "atlas/sync/vectors.py": """
from atlas.orders import Order


def newer(one: dict, other: dict) -> bool:
    return all(one.get(name, 0) >= count for name, count in other.items())


def stamp(order: Order, agent: str) -> dict:
    return {agent: order.total()}
""",
    "atlas/sync/merge.py": """
from atlas.orders import Order
from atlas.sync.vectors import newer, stamp


def merge(mine: Order, theirs: Order) -> Order:
    # tombstones: an order that was deleted stays deleted
    return mine if newer(stamp(mine, "a"), stamp(theirs, "b")) else theirs
""",
    "atlas/payments/stripe.py": """
from atlas.orders import Order

REFUND_ALONE_MAX = 20_000


def refund(order: Order) -> bool:
    return order.total() <= REFUND_ALONE_MAX
""",
    "atlas/payments/webhooks.py": """
from atlas.payments.stripe import refund
from atlas.orders import Order

SEEN: set[str] = set()


def handle(event: str, order: Order) -> bool:
    if event in SEEN:
        return False
    SEEN.add(event)
    return refund(order)
""",
    "atlas/routes/tiles.py": "def warm(city: str) -> bool:\n    return bool(city)\n",
    "atlas/routes/planner.py": """
from atlas.orders import Order
from atlas.routes.tiles import warm


def plan(orders: list[Order]) -> list[str]:
    return [order.shop for order in orders if warm(order.shop)]
""",
    "atlas/api.py": """
from atlas.orders import Order, cut_off
from atlas.payments.webhooks import handle
from atlas.routes.planner import plan
from atlas.sync.merge import merge


def receive(mine: Order, theirs: Order, hour: int) -> list[str]:
    order = merge(mine, theirs)
    handle("paid", order)
    return plan([order]) if cut_off(hour) else []
""",
    "tests/test_merge.py": """
from atlas.orders import Order
from atlas.sync.merge import merge


def test_merge():
    assert merge(Order("a", 1), Order("a", 1))
""",
    "tests/test_webhooks.py": """
from atlas.orders import Order
from atlas.payments.webhooks import handle


def test_twice():
    assert handle("x", Order("a", 1)) and not handle("x", Order("a", 1))
""",
}
_FAILURE = "AssertionError: an order that was deleted came back"
# Sessions of agents, each with how many days ago: which tool touched what.
_READ, _EDIT, _RUN, _FAILED, _LOOK = "Read", "Edit", "Bash", "Bash failed", "Grep"
_MERGE, _VECTORS, _HOOKS, _STRIPE = (
    "atlas/sync/merge.py",
    "atlas/sync/vectors.py",
    "atlas/payments/webhooks.py",
    "atlas/payments/stripe.py",
)
_ASTRAY = tuple((_LOOK, words) for words in ("tombstone", "deleted", "def merge", "newest", "clock"))
_MENDED = ((_READ, _MERGE), (_EDIT, _VECTORS), (_FAILED, _FAILURE), (_EDIT, _MERGE), (_RUN, "pytest"))
WORKED = (
    (18.2, "w1", (*_ASTRAY[:5], *_MENDED)),
    (14.3, "w2", (*_ASTRAY[:4], *_MENDED)),
    (9.4, "w3", (*_ASTRAY[:3], *_MENDED)),
    (6.1, "w4", ((_READ, _STRIPE), (_EDIT, _HOOKS), (_READ, "atlas/orders.py"), (_RUN, "pytest"))),
    (2.2, "w5", ((_READ, _STRIPE), (_EDIT, _HOOKS), (_READ, _MERGE), (_EDIT, _VECTORS), (_RUN, "pytest"))),
)
_TAKES = {_RUN: "command", _LOOK: "pattern"}
_WARNED = ("w4", "w5")  # sessions that were told something unasked


class Learnt(NamedTuple):
    """A way to do something: how often it went well, and where it failed once."""

    name: str
    task: str
    steps: tuple[str, ...]
    worked: int
    failed_at: str | None = None


SKILLS = (
    Learnt("ship a release", "bring a version to all shops", ("tag", "wait for the canary hour", "promote"), 4),
    Learnt(
        "rotate the Stripe keys",
        "replace keys without a pause",
        ("make new keys", "deploy them beside the old ones", "watch refunds for an hour", "end the old keys"),
        2,
        "watch refunds for an hour",
    ),
)
TOLD = (
    ("rex", "Loading the map twice leaks 20 MB", ("mobile",)),
    ("nova", "keep the ids they have seen", ("payments",)),
)
IN_MIND = (
    ("rex", "today", "The merge loop has to keep tombstones", "What is open in the sync?"),
    ("nova", "payments", "Refunds wait for Ana", "How are webhooks made idempotent?"),
)


def steps(memory: Memory, folder: Path) -> Iterator[tuple[float, Callable[[], Any]]]:
    """What happened in those weeks, each with how many days ago."""
    yield 23.5, lambda: memory.code.index(_written(folder), name=PROJECT)
    for days_ago, session, did in WORKED:
        told = [{**event, "cwd": str(folder)} for event in _events(session, did, days_ago)]
        yield days_ago, partial(memory.observe, told, project=PROJECT)
    for bread in ("sourdough", "rye", "corn"):
        text = f"The bakery in Alfama orders {bread} bread for the morning"
        yield 20.0, partial(memory.add, text, project=PROJECT)
    for at in _mondays(6):
        said = {"role": "user", "name": "Ben", "content": "Stand-up of the Atlas team", "timestamp": at.isoformat()}
        yield _days_ago(at), partial(memory.add, said, project=PROJECT)
    for skill in SKILLS:
        yield 5.0, partial(memory.skills.teach, skill.name, list(skill.steps), task=skill.task, project=PROJECT)
        for _ in range(skill.worked):
            yield 3.0, partial(memory.skills.done, skill.name, success=True, project=PROJECT)
        if skill.failed_at:
            yield (
                2.0,
                partial(memory.skills.done, skill.name, success=False, failed_at=skill.failed_at, project=PROJECT),
            )


def finish(memory: Memory) -> None:
    """What is so now: who subscribed, what was told, what is in mind, and what a person made of what was learned."""
    memory.subscribe(["mobile"], agent_id="nova", project=PROJECT)
    memory.subscribe(["payments", "sync"], agent_id="rex", importance_min=0.3, project=PROJECT)
    memory.subscribe(None, agent_id="milo", sources=["rex"], project=PROJECT)
    for agent, words, topics in TOLD:
        (found,) = memory.get_all(filters={"content": {"icontains": words}}, reach="all", limit=1).records
        memory.publish(found.id, topics=list(topics), agent_id=agent, project=PROJECT)
    memory.bus.deliver()
    issue(memory, {"project": PROJECT}, name="continuous integration", rights="read", expires="90d")
    issue(memory, {"project": PROJECT, "agent_id": "rex"}, name="rex", rights="read,write")
    issue(memory, {}, name="old laptop", rights="read,write")
    revoke(memory, "old laptop")
    for agent, session, note, prompt in IN_MIND:
        mind = memory.scoped(agent_id=agent, project=PROJECT)
        mind.working.note(note, session_id=session)
        mind.context(prompt, session_id=session, max_tokens=400)
    memory.code.note(
        "invariant", "What was deleted stays deleted, whatever a phone says later", about=_MERGE, root=PROJECT
    )
    memory.code.link(_STRIPE, "flows_to", "atlas/api.py", why="by the webhook's queue", root=PROJECT)
    learned = memory.sessions.learned(standing="new", reach="all")
    for each in learned[1:]:
        memory.confirm(each.id)


def _written(folder: Path) -> Path:
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text.lstrip("\n"), encoding="utf-8")
    return folder


def _events(session: str, did: tuple[tuple[str, str], ...], days_ago: float) -> Iterator[dict[str, Any]]:
    begins = now_us() - int(days_ago * DAY_US)
    for at, (tool, what) in enumerate(did):
        failed = tool == _FAILED
        event: dict[str, Any] = {
            "id": f"{session}-{at}",
            "session_id": session,
            "client": "claude-code",
            "type": "tool_failed" if failed else "tool",
            "tool": _RUN if failed or tool == _RUN else tool,
            "at": from_us(begins + at * 40 * SECOND_US).isoformat(),
            "input": {"command": "pytest"} if failed else {_TAKES.get(tool, "file_path"): what},
        }
        yield event | ({"error": what} if failed else {"output": "x" * 1_200})
        if at == 0 and session in _WARNED:
            said = {"type": "shown", "message": f"{_MERGE} keeps tombstones: what was deleted stays deleted"}
            yield {**event, **said, "id": f"{session}-told"}
    end = {"type": "session_end", "at": from_us(begins + len(did) * 40 * SECOND_US).isoformat()}
    yield {"id": f"{session}-end", "session_id": session, "client": "claude-code", **end}


def _mondays(count: int) -> Iterator[datetime]:
    """The last Mondays at half past nine, as it is here."""
    now = from_us(now_us()).astimezone()
    last = (now - timedelta(days=now.weekday() or 7)).replace(hour=9, minute=30, second=0, microsecond=0)
    for week in range(count):
        yield last - timedelta(weeks=week)


def _days_ago(at: datetime) -> float:
    return (now_us() / SECOND_US - at.timestamp()) / 86_400
