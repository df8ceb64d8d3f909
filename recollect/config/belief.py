"""Settings of what is believed and how it hangs together: trust, relations and their spreading activation."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.config.section import SettingsSection, setting, switch, table, weight
from recollect.limits import GRAPH_DEPTH_MAX


class TrustSettings(SettingsSection):
    """How far a record is trusted, and what moves that."""

    accuracy_weight: float = weight(0.6, "Weight of accuracy in trust", group="trust.composite")
    freshness_weight: float = weight(0.2, "Weight of freshness in trust", group="trust.composite")
    utility_weight: float = weight(0.2, "Weight of usefulness in trust", group="trust.composite")
    accuracy_base: float = weight(0.5, "Accuracy of a record nothing speaks for or against")
    corroboration_bonus: float = weight(0.1, "Accuracy gained by each further source")
    explicit_bonus: float = weight(0.3, "Accuracy gained by a user's own word")
    contradiction_penalty: float = weight(0.2, "Accuracy lost to an open contradiction")
    success_bonus: float = weight(0.05, "Accuracy gained by each helpful use")
    failure_penalty: float = weight(0.1, "Accuracy lost by each unhelpful use")
    propagation: Mapping[str, float] = table(
        {
            "validates": 0.6,
            "required_with": 0.3,
            "conflicts_with": -0.4,
            "contradicts": -0.4,
            "supersedes": 0.8,
            "derived_from": 0.5,
        },
        -1,
        1,
        "Share of a change in confidence passed along a relation",
        keys="label",
    )
    propagation_min: float = weight(0.05, "Change in confidence below which it is not passed on")
    review_below: float = weight(0.7, "Confidence below which an inferred record waits for a person's word")


class GraphSettings(SettingsSection):
    """Relations between records: walking, spreading, pruning."""

    # At its most, so that what a record rests on is followed to the end.
    dependency_depth: int = setting(
        GRAPH_DEPTH_MAX, 1, GRAPH_DEPTH_MAX, "Steps that are followed along dependencies", unit="steps"
    )
    simple_depth: int = setting(2, 0, GRAPH_DEPTH_MAX, "Steps along relations for a simple query", unit="steps")
    complex_depth: int = setting(4, 0, GRAPH_DEPTH_MAX, "Steps along relations for a complex query", unit="steps")
    activation_seeds: int = setting(50, 1, 10_000, "Records activation starts from", unit="records")
    activation_hops: int = setting(2, 0, GRAPH_DEPTH_MAX, "Steps that activation spreads", unit="steps")
    activation_decay: float = weight(0.6, "Share of activation that is left after a step")
    activation_min: float = weight(0.1, "Activation below which it does not spread")
    activation_fan: int = setting(
        50, 1, 10_000, "Relations of one record that activation spreads along, strongest first", unit="edges"
    )
    activation_frontier: int = setting(
        200, 1, 10_000, "Records that activation spreads from in one step", unit="records"
    )
    prune_nightly: bool = switch(True, "Whether upkeep forgets weak edges")
    prune_min_confidence: float = weight(0.3, "Confidence below which an edge is forgotten")
    prune_max_edges_per_node: int = setting(50, 1, 100_000, "Strongest edges a record keeps", unit="edges")
    prune_decay_factor: float = weight(
        0.95, "Share of an extracted edge's confidence that is left after `prune_decay_days`"
    )
    prune_decay_days: float = setting(
        7.0, 0.01, 3650, "Time in which an extracted edge's confidence falls by `prune_decay_factor`"
    )
    causal_confidence: float = weight(0.7, "Confidence of an inferred cause")
    inference_confidence: float = weight(0.7, "Least confidence of A→C found from A→B→C")
    research_weight: float = weight(0.8, "Weight of links between findings of one research")
