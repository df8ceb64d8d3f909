"""Version vectors: which agents changed a thing how often, so that changes made side by side are seen as such.

A thing is what a publication tells, wherever its copies are. Each publication of it counts one for the agent that
publishes. A vector that counts at least as much for every agent knows of the other one; if neither does, two agents
changed the thing without knowing of each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

Vector = Mapping[str, int]


class VersionOrder(StrEnum):
    """How an arriving version stands to the one an agent has."""

    SAME_OR_OLDER = "older"
    NEWER = "newer"
    BESIDE = "beside"


def order_of(arriving: Vector, held: Vector) -> VersionOrder:
    """Whether an arriving version knows of the one that is held."""
    if all(held.get(agent, 0) >= count for agent, count in arriving.items()):
        return VersionOrder.SAME_OR_OLDER
    if all(arriving.get(agent, 0) >= count for agent, count in held.items()):
        return VersionOrder.NEWER
    return VersionOrder.BESIDE


def merged(one: Vector, other: Vector) -> dict[str, int]:
    """The vector of who knows of both."""
    return {agent: max(one.get(agent, 0), other.get(agent, 0)) for agent in sorted({*one, *other})}


def counted(vector: Vector, agent: str) -> dict[str, int]:
    """The vector after one more publication by an agent."""
    return {**vector, agent: vector.get(agent, 0) + 1}
