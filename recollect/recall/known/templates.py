"""What is usually known of a person, a project, a tool …, and how to ask for it.

A field counts as known when a statement about the thing matches its words, in the predicate, the object, or what of the
thing it is about ("Ana's job"). Fields come in the order in which they are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.usual import Field, own_field

_VERSION = r"versions?|v?\d+(?:\.\d+)*"
_OWNER = r"owned by|owners?|maintain\w*|leads?|led by|lead by|runs|responsible|managed?|manages|in charge"

TEMPLATES: dict[str, tuple[Field, ...]] = {
    "person": (
        Field(
            "work",
            r"works?|worked|jobs?|employed|profession|occupation|career|student|studies|retired",
            "What does {name} do for a living?",
        ),
        Field("home", r"lives?|lived|resides?|based in|home is|moves? to|moved to|located", "Where does {name} live?"),
    ),
    "project": (
        Field(
            "technology",
            r"written in|built with|built on|uses?|using|based on|stack|language|framework|runs on",
            "What is {name} built with?",
        ),
        Field("owner", _OWNER, "Who is responsible for {name}?"),
        Field("deadline", r"deadline|due|ships?|released?|launch\w*|milestone|by (?:end|next)", "When is {name} due?"),
        Field("tests", r"tests?|tested|pytest|jest|coverage|ci", "How is {name} tested?"),
        Field("deployment", r"deploy\w*|hosted|hosting|production|runs on|ships? to", "Where does {name} run?"),
    ),
    "technology": (
        Field("version", _VERSION, "Which version of {name} is in use?"),
        Field("purpose", r"for|to|because|used (?:for|to|by)", "What is {name} used for?"),
    ),
    "tool": (
        Field("version", _VERSION, "Which version of {name} is in use?"),
        Field("purpose", r"for|to|because|used (?:for|to|by)", "What is {name} used for?"),
    ),
    "service": (
        Field("owner", _OWNER, "Who runs {name}?"),
        Field("address", r"https?|url|hosts?|hosted|port|address|endpoint|domain", "Where is {name} reached?"),
    ),
    "organization": (
        Field("business", r"makes?|builds?|sells?|provides?|company|industry|business|does", "What does {name} do?"),
        Field("place", r"based in|located|offices?|headquarter\w*|in", "Where is {name} based?"),
    ),
}

CONTRADICTION = "I have noted “{one}”, but also “{other}”. Which of them is right now?"
CHANGE = "I have noted “{one}”, and later “{other}”. Does the second take the place of the first?"
STALE = "I have a note from {age}: “{one}”. Is this still so?"


def missing_field(kind: str, statements: list[str], own: Sequence[Field] = ()) -> Field | None:
    """The first thing that is not known of something of which other such things are; None: nothing to ask.

    Where none of our fields is known, it is not that sort of thing to the people who talk about it, and no question
    is raised. Fields of one's `own` come first.
    """
    ours = TEMPLATES.get(kind, ())
    missing = _unknown(ours, statements)
    if ours and len(missing) == len(ours):
        return None
    return next(iter((*_unknown(own, statements), *missing)), None)


def _unknown(fields: Sequence[Field], statements: list[str]) -> list[Field]:
    return [field for field in fields if not any(field.is_in(said) for said in statements)]


def age_in_words(days: float) -> str:
    """How long ago, as people say it."""
    if days < 60:
        return f"{round(days)} days ago"
    return f"{round(days / 30.4)} months ago" if days < 700 else f"{round(days / 365.25)} years ago"


def field_of(kind: str, name: str) -> Field | None:
    """A field by its name; one that is not ours is somebody's own."""
    if not name:
        return None
    return next((field for field in TEMPLATES.get(kind, ()) if field.name == name), None) or own_field(name)
