"""Who calls, as the owner of the store allowed it: which dimensions of scope they hold, and which they may add.

A search that names one more dimension sees more scopes, not fewer, and a write lands in another one. So naming a
dimension is a matter of permission: what is held may be named again, what is not held only where that was granted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from recollect.errors import AccessDenied, UsageError, shown
from recollect.model.scope import DIMENSIONS, GLOBAL, OwnScope, Reach, Scope

ANY = "*"
APART = "\x1f"  # between the name of a session and a policy; no name that a caller gives holds it


class CallerPolicy(StrEnum):
    """What a caller sees beside its own, as one word: a preset over the grant and nothing else."""

    OWN = "own"  # only what sets everything that is held
    OWN_AND_GLOBAL = "own+global"  # … and what sets less of it: shared and global records
    PROJECT = "project"  # … and all of the project, save what is private to a channel or a user
    OWNER = "owner"  # the whole store


# What may hand on what. A grant without a policy is as wide as the project: its calls may ask for that reach.
_WIDTH = {CallerPolicy.OWN: 0, CallerPolicy.OWN_AND_GLOBAL: 1, None: 2, CallerPolicy.PROJECT: 2, CallerPolicy.OWNER: 3}
EVERYTHING: Mapping[str, frozenset[str]] = {name: frozenset({ANY}) for name in DIMENSIONS}
# As people say it: "*", ("project", "agent_id=rex,bo"), {"project": "*", "agent_id": ["rex", "bo"]}
MayAdd = str | Sequence[str] | Mapping[str, str | Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Grant:
    """What a caller was given. The owner of the store may name anybody; everyone else what is held or may be added."""

    held: Scope = GLOBAL
    may_add: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by dimension, none of them held
    owner: bool = False
    policy: CallerPolicy | None = None  # None: own and global, and a read may ask for the project

    def scope_for(self, named: Mapping[str, Any]) -> Scope:
        """The scope of a call that names these dimensions; `AccessDenied` for one that was not granted."""
        more: dict[str, Any] = {}
        for name in DIMENSIONS:
            value = named.get(name)
            if value is None or getattr(self.held, name) == value:
                continue
            if not self._allows(name, value):
                raise AccessDenied(self._refusal(name, value))
            more[name] = value
        return self.held if not more else replace(self.held, **more)

    def reach_for(self, asked: Reach | None) -> Reach:
        """How far a read looks that asks for this reach, or for none; `AccessDenied` beyond the policy."""
        if asked is None:
            return Reach.PROJECT if self.policy is CallerPolicy.PROJECT else Reach.SCOPE
        if asked is Reach.ALL and not self.owner:
            raise AccessDenied("reach='all' is for the owner of the store, not for a scoped handle")
        beyond = asked in (Reach.PROJECT, Reach.SQUAD)
        if beyond and not self.owner and _WIDTH[self.policy] < _WIDTH[CallerPolicy.PROJECT]:
            raise AccessDenied(
                f"reach={asked.value!r} is not granted here: this caller's policy is {self.policy}; leave reach out, "
                "or have the owner of the store grant it with the policy project"
            )
        return asked

    def may_reach(self, reach: Reach) -> bool:
        """Whether a read may ask for this reach."""
        try:
            return self.reach_for(reach) is reach
        except AccessDenied:
            return False

    def shared_reach(self, where: Scope) -> Reach | None:
        """How far agents that work together look by themselves: all of their project, else of their squad, as far as
        that was granted; None where they share neither.
        """
        for reach, name in ((Reach.PROJECT, where.project), (Reach.SQUAD, where.squad)):
            if name is not None and self.may_reach(reach):
                return reach
        return None

    def narrowed(
        self, named: Mapping[str, Any], may_add: MayAdd | None = None, policy: CallerPolicy | str | None = None
    ) -> Grant:
        """What a caller of this grant may hand on: a scope within it, and of what may be added no more than it has.

        A policy that is not said is the one of this grant; one that is said may not be wider.
        """
        said = None if policy is None else policy_named(policy)
        if said is not None and not self.owner and _WIDTH[said] > _WIDTH[self.policy]:
            raise AccessDenied(f"the policy {said} is wider than what this caller has: {self.policy or 'no policy'}")
        if said is CallerPolicy.OWNER:
            return self._whole(named, may_add)
        held = _held_by(said, self.scope_for(named))
        wanted = additions(may_add)
        if wanted == EVERYTHING:  # all that is left
            wanted = {name: values for name, values in wanted.items() if getattr(held, name) is None}
        for name in wanted:
            if getattr(held, name) is not None:
                raise UsageError(f"may_add names {name}, which is held already: a call has one {name} at most")
        for name, values in wanted.items():
            beyond = [value for value in sorted(values) if not self._allows(name, value)]
            if beyond:
                raise AccessDenied(self._refusal(name, beyond[0]))
        return Grant(held=held, may_add=wanted, policy=said or self.policy)

    def _whole(self, named: Mapping[str, Any], may_add: MayAdd | None) -> Grant:
        if may_add is not None or any(named.get(name) is not None for name in DIMENSIONS):
            raise UsageError("the policy owner is the whole store; leave out the scope and may_add")
        return OWNER

    def left_of(self, named: Mapping[str, Any]) -> dict[str, list[str]]:
        """What may still be added once these dimensions are named."""
        return {name: values for name, values in self.additions_to_dict().items() if named.get(name) is None}

    def additions_to_dict(self) -> dict[str, list[str]]:
        return {name: sorted(self.may_add[name]) for name in DIMENSIONS if name in self.may_add}

    def additions_told(self) -> str:
        """What may be added, for people."""
        told = (f"{name}={','.join(values)}" for name, values in self.additions_to_dict().items())
        return ANY if self.may_add == EVERYTHING else " ".join(told)

    def _allows(self, name: str, value: Any) -> bool:
        if self.owner:
            return True
        granted = self.may_add.get(name, frozenset())
        return ANY in granted or (isinstance(value, str) and value in granted)

    def _refusal(self, name: str, value: Any) -> str:
        held = ", ".join(f"{each}={bound!r:.60}" for each, bound in self.held.items()) or "no dimension of scope"
        return (
            f"{name}={shown(value, 60)} is not granted here: this caller holds {held} and may add "
            f"{self.additions_told() or 'nothing'}; leave {name} out, or have the owner of the store grant it with "
            f"may_add (--may-add {name}=… for a token or an MCP server)"
        )


OWNER = Grant(owner=True)


def policy_named(given: Any) -> CallerPolicy:
    """The policy of that name."""
    try:
        return CallerPolicy(given)
    except ValueError:
        raise UsageError(f"unknown policy {shown(given, 40)}; known: {', '.join(CallerPolicy)}") from None


def _held_by(policy: CallerPolicy | None, held: Scope) -> Scope:
    """The scope that a policy holds; a `UsageError` for one that the policy would mean nothing for."""
    if policy is CallerPolicy.PROJECT and held.project is None:
        raise UsageError("the policy project needs a project: name one, such as project='atlas'")
    if policy is not CallerPolicy.OWN:
        return held
    if not held.items():
        raise UsageError("the policy own needs somebody whose it is: name a user_id, an agent_id or another dimension")
    own = dict(held.items())
    return OwnScope(**own, floor=Scope(**own))


def additions(given: MayAdd | None) -> dict[str, frozenset[str]]:
    """What may be added, checked: values by dimension. One that is `*` stands for any value."""
    found: dict[str, frozenset[str]] = {}
    for name, values in _said(given):
        if name not in DIMENSIONS:
            raise UsageError(f"may_add names {shown(name, 40)}; a scope has {', '.join(DIMENSIONS)}")
        for value in values:
            Scope(**{name: value})  # refuses what no scope can hold
        found[name] = found.get(name, frozenset()) | frozenset(values)
    return {name: frozenset({ANY}) if ANY in found[name] else found[name] for name in DIMENSIONS if found.get(name)}


def _said(given: MayAdd | None) -> Iterator[tuple[str, Sequence[str]]]:
    if isinstance(given, Mapping):
        for name, values in given.items():
            yield name, [values] if isinstance(values, str) else _texts(values, name)
        return
    for each in () if given is None else [given] if isinstance(given, str) else _texts(given, "may_add"):
        name, says, values = each.partition("=")
        if each == ANY:
            yield from ((dimension, [ANY]) for dimension in DIMENSIONS)
        else:
            yield name.strip(), [value.strip() for value in values.split(",")] if says else [ANY]


def _texts(values: Any, what: str) -> list[str]:
    if not isinstance(values, Sequence | set | frozenset) or not all(isinstance(each, str) for each in values):
        raise UsageError(f"{what} must be '*', or a list of texts that may be added, not {shown(values, 40)}")
    return list(values)
