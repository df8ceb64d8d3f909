"""Which relations a question follows: towards causes for why, along the turns for when, by what is named for who.

A table, not branches: `ROUTES` by what a question asks. The number of steps is a setting of its kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Written from cause to effect, whichever end a label tells it from (`store.edges.pair` sees to the roles).
CAUSAL = ("causes", "caused_by", "triggers", "leads_to", "results_in", "enables")
GROUNDS = ("depends_on", "derived_from", "inferred_from", "motivated_by", "because_of")
SEQUENCE = ("follows", "precedes", "before", "after")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """Relations of some labels, in one direction, for a share of their strength."""

    labels: tuple[str, ...] | None = None  # None: any
    besides: tuple[str, ...] = ()
    direction: str = "both"  # both | out | in
    share: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Lanes that are walked together. `mentions`: also to records that name the same entity."""

    lanes: tuple[Lane, ...] = ()
    mentions: bool = False


# The turns before and after are candidates anyway; along `follows` activation would light whole conversations. What
# competes with a record is what was not asked for.
_ANY = Lane(besides=("follows", "updates", "interferes_with"))
ASSOCIATIONS = Route(lanes=(_ANY,))
ROUTES: Mapping[str, Route] = {
    "why": Route(
        lanes=(
            Lane(labels=CAUSAL, direction="in"),
            Lane(labels=GROUNDS, direction="out"),
            Lane(labels=CAUSAL, direction="out", share=0.5),  # the question may tell the cause and mean what came of it
        )
    ),
    "when": Route(lanes=(Lane(labels=SEQUENCE), Lane(labels=CAUSAL, share=0.5))),
    "who": Route(lanes=(_ANY,), mentions=True),
    "what": Route(lanes=(_ANY,), mentions=True),
    "general": ASSOCIATIONS,
}


def route_of(asks: str) -> Route:
    """The route for what a question asks."""
    return ROUTES.get(asks, ASSOCIATIONS)
