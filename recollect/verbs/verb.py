"""What a row of the table says about a verb, and how the verb is offered to models as a tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

GROUPS = ("Remember", "Recall", "The past", "Relations", "Knowing", "Agents", "Code", "Upkeep")

# Names that verbs hang off, and what these are about.
SPACES = {
    "code": "A graph of a project's code: what a change reaches, who calls what.",
    "bus": "What agents tell each other: what arrived, and who is told what.",
    "turns": "Turns of agents, call by call: begun, told what was said, ended or aborted.",
    "skills": "Ways to do something, told or learnt: found by task, with how often they worked.",
    "tools": "Tools that an agent has, found by need.",
    "working": "What an agent has in mind in a session.",
    "sessions": "Sessions of coding agents: what they begin with, and what becomes of them.",
}

# Parameters that mean a point in time: a date, ISO text, or words. In Python a `datetime` too.
TIMES = frozenset(
    {"timestamp", "event_time", "valid_from", "valid_until", "as_of", "known_at", "after", "before", "since"}
)

# Arguments that most verbs share and that `Memory` therefore does not document one by one.
SCOPE_DOCS = {
    "user_id": "The person it is for.",
    "agent_id": "The agent it is for.",
    "project": "The project it belongs to.",
    "squad": "The group of agents it belongs to.",
    "channel": "The channel it belongs to.",
    "reach": "Look further than the scope: `squad` or `project` for all of these, `all` for the whole store.",
}

# Arguments that questions about code share, of which the same is true.
PAGE_DOCS = {
    "limit": "How many to name; the others are counted.",
    "start": "Where to go on, as `next` of the answer before said.",
    "max_tokens": "About how long the answer may be.",
    "root": "The project, by its folder or name.",
}


# What a number may be, by the name of its argument: the least, and the most where there is one.
BOUNDS: dict[str, tuple[int, int | None]] = {
    "importance": (0, 1),
    "confidence": (0, 1),
    "threshold": (0, 1),
    "mood": (-1, 1),
    "top_k": (1, None),
    "limit": (1, None),
}


@dataclass(frozen=True, slots=True)
class ToolArgument:
    """One argument of a tool. Its schema is that of the verb's argument, as a model should see it: one plain type."""

    name: str
    text: str  # what a model reads
    of: str = ""  # the argument of the verb, where that has another name
    one: bool = False  # of the verb's list, a tool takes one
    own: type | None = None  # the verb has no such argument: the answer is made with it
    least: int | None = None  # of a number that is the tool's own
    needed: bool = False  # though the verb could do without
    default: Any = None
    silent: bool = False  # taken, and not advertised: it costs no tokens

    @property
    def on_verb(self) -> str:
        """The name of the verb's argument."""
        return self.of or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A verb as a tool for models: the few arguments that a model should think about, in words for models.

    The function of the same name in `toolsets/default.py` makes the answer brief; without one the tool answers as the
    verb does.
    """

    name: str
    text: str
    takes: tuple[ToolArgument, ...] = ()
    calls: str = ""  # another name of the verb, where that implies something
    destructive: bool = False  # takes something away, or writes over it
    set: str = "default"  # the set of tools that it is in
    idempotent: bool = False  # called again with the same arguments, it changes nothing more


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One thing a memory can do."""

    name: str
    group: str
    summary: str  # the first line of the method's docstring; a test holds the two together
    example: str  # one line of Python
    writes: bool = False
    destructive: bool = False  # takes something away
    dry: bool = False  # only tells what it would do, unless it is told not to
    asks: tuple[str, ...] = ()  # people confirm it when one of these arguments is set; "*" is always
    asks_without: tuple[str, ...] = ()  # … or when none of these is
    aliases: tuple[str, ...] = ()
    implied: tuple[tuple[str, str, Any], ...] = ()  # (alias, argument, value): what an alias says by itself
    method: str = ""  # of Memory, where it is not the name; `space.name` for one that hangs off a name of its own
    command: str = ""  # of the shell, where it is not the name
    positional: tuple[str, ...] = ()  # in the shell; everything else is an option
    flag_of: tuple[str, str] = ("", "")  # in the shell: another verb, and the flag of it that stands for this one
    piped: str = ""  # the text that the shell reads from stdin when given as `-`
    left_out: tuple[str, str] = ("", "")  # in the shell: an argument people may leave out, and what that means
    words: bool = False  # the last positional is a text that the shell takes without quotes, word by word
    on_files: bool = False  # reads or writes files of this machine, which are none of a client's business
    personal: bool = False  # for somebody: the shell fills in who, where its settings name one
    hidden: frozenset[str] = frozenset({"run_id"})  # accepted, not advertised
    tool: Offer | None = None  # how models are offered it, where they are
    wraps: str = "results"  # the key of the JSON answer when the method returns a bare list or text

    @property
    def on_memory(self) -> str:
        """The method's name."""
        return self.method or self.name

    def of(self, memory: Any) -> Callable[..., Any]:
        """The method of a memory."""
        found: Callable[..., Any] = attrgetter(self.on_memory)(memory)
        return found

    @property
    def space(self) -> str:
        """The name that it hangs off, such as `code`; "" for a verb of the memory itself."""
        return self.on_memory.rpartition(".")[0]

    @property
    def in_shell(self) -> str:
        """The command's name."""
        return self.command or (self.on_memory.replace(".", " ") if self.space else _dashed(self.name))

    def must_ask(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a person has to confirm a call with these arguments."""
        dry = arguments.get("dry_run")
        if dry or (dry is None and self.dry):
            return False
        bare = bool(self.asks_without) and not any(arguments.get(name) for name in self.asks_without)
        return bare or "*" in self.asks or any(arguments.get(name) for name in self.asks)

    def implied_by(self, name: str) -> dict[str, Any]:
        """The arguments that are given by calling it so."""
        return {argument: value for alias, argument, value in self.implied if alias == name}

    @property
    def names(self) -> tuple[str, ...]:
        """Everything it answers to, the shell's word first."""
        return tuple(dict.fromkeys((self.in_shell, self.name, _dashed(self.name), *self.aliases)))


def _dashed(name: str) -> str:
    return name.replace("_", "-")
