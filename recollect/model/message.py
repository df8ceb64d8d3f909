"""One message of a conversation, whichever provider wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recollect.model import roles
from recollect.model.calls import Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message. `role` is the one it was given; `text` its words; `attachments` stand for what is no text.

    `result_of` is the id of the call whose result this is, "" where a result has none.
    """

    role: str
    text: str = ""
    name: str | None = None
    calls: tuple[Call, ...] = ()
    result_of: str | None = None
    failed: bool = False  # a result that is an error
    at: datetime | None = None
    attachments: tuple[str, ...] = ()

    @property
    def is_person(self) -> bool:
        """Whether a person said it; who has a role that nobody knows is one."""
        return self.result_of is None and not roles.is_machine(self.role)

    @property
    def is_system(self) -> bool:
        """Whether it instructs the model rather than being said in the conversation."""
        return self.role.lower() in roles.INSTRUCTING

    @property
    def is_result(self) -> bool:
        """Whether it is what a tool answered."""
        return self.result_of is not None or self.role.lower() in roles.TOOLS

    @property
    def said(self) -> str:
        """Its words, and a word for each thing that is no text."""
        return "\n".join(part for part in (self.text, " ".join(self.attachments)) if part)

    @property
    def told(self) -> str:
        """The same with what it called, in short: `[ran pytest -q]`."""
        return "\n".join(part for part in (self.text, *(f"[{call.told}]" for call in self.calls)) if part)

    def to_dict(self) -> dict[str, str]:
        """A plain message that every provider takes."""
        return {"role": self.role, "content": self.said}
