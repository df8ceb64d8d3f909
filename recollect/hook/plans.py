"""What tools for plans and to-do lists say: how far a plan is, and its steps in the agent's own words."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STEPS_MAX = 50
STEP_CHARS_MAX = 200
DONE, GOING, OPEN = "done", "going", "open"
_STATES = {
    "completed": DONE,
    "done": DONE,
    "in_progress": GOING,
    "active": GOING,
    "pending": OPEN,
    "todo": OPEN,
    "open": OPEN,
    "planned": OPEN,
}
_WORDS = ("content", "step", "subject", "description", "title", "text", "task")
_BULLETS = ("- ", "* ", "+ ")


def planned(tool: str, given: Any, answer: Any) -> dict[str, Any]:
    """What is kept of a call: `figures`, its steps by their state; `task`, the one step that it is about; `plan`, the
    steps as [text, state], or the one as [text, state, its number]."""
    if not isinstance(given, dict):
        return {"figures": {}}
    if tool.lower() in ("taskcreate", "taskupdate"):
        return {"figures": {}, **_one(given, answer)}
    if isinstance(given.get("plan"), str):  # a plan as a text, to be agreed upon
        steps = [[text, OPEN] for text in _bullets(given["plan"])]
        return {"figures": {"planned": len(steps)} if steps else {}, **({"plan": steps} if steps else {})}
    lists = [value for value in given.values() if isinstance(value, list)]
    items = [each for each in (lists[0] if lists else []) if isinstance(each, dict)]
    states = [each.get("status") for each in items]
    figures = {state: states.count(state) for state in dict.fromkeys(states) if isinstance(state, str) and state}
    steps = [[text, state_of(each.get("status"))] for each in items if (text := _text(each))][:STEPS_MAX]
    return {"figures": {state[:40]: count for state, count in figures.items()}, **({"plan": steps} if steps else {})}


def state_of(word: Any) -> str:
    """A client's word for how far a step is, as ours."""
    return _STATES.get(word.lower(), OPEN) if isinstance(word, str) else OPEN


def _one(given: dict[str, Any], answer: Any) -> dict[str, Any]:
    """A step that is made, or changed."""
    made = answer.get("task") if isinstance(answer, dict) else None
    number = given.get("taskId") or (made.get("id") if isinstance(made, dict) else None)
    if not isinstance(number, str | int) or len(str(number)) > 40:
        return {}
    state = state_of(given.get("status")) if given.get("status") or "taskId" not in given else ""
    if given.get("status") == "deleted":
        state = "deleted"
    return {"task": [str(number), state], "plan": [[_text(given), state, str(number)]]}


def _text(item: dict[str, Any]) -> str:
    text = next((item[name] for name in _WORDS if isinstance(item.get(name), str) and item[name].strip()), "")
    return " ".join(text.split())[:STEP_CHARS_MAX]


def _bullets(text: str) -> list[str]:
    """The steps of a plan: the lines with a bullet or a number that are set in least."""
    lines = text[: 64 << 10].splitlines()
    found = [(len(line) - len(line.lstrip()), step) for line in lines if (step := _step(line.strip()))]
    least = min((depth for depth, _ in found), default=0)
    return [step[:STEP_CHARS_MAX] for depth, step in found if depth == least][:STEPS_MAX]


def _step(line: str) -> str:
    if line.startswith(_BULLETS):
        return " ".join(line[2:].removeprefix("[ ]").removeprefix("[x]").split())
    number, dot, rest = line.partition(". ")
    return " ".join(rest.split()) if dot and number.isdigit() and len(number) < 4 else ""
