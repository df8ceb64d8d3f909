"""Settings of what is kept: trust and relations, consolidation, forgetting, replay, abstraction, what is known."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.config.section import SettingsSection, choice, setting, switch, table, text, weight
from recollect.limits import GRAPH_DEPTH_MAX
from recollect.model.usual import usual_of


class UpkeepSettings(SettingsSection):
    """What happens after a session, at night and when idle."""

    scheduled: bool = switch(
        False, "Whether a memory that a program opens looks after itself by night and when idle", live=False
    )
    served: bool = switch(True, "Whether `serve`, `mcp` and `ui` look after the memory they keep open", live=False)
    nightly_hour: int = setting(3, 0, 23, "Local hour of the nightly run", unit="h")
    interval_s: float = setting(600.0, 10, 604_800, "Pause between two consolidations")
    session_idle_s: float = setting(1800.0, 1, 604_800, "Silence after which a session has ended")
    after_session: bool = switch(True, "Whether sessions are consolidated when the next one of their scope begins")
    felt_first: bool = switch(True, "Whether scopes are consolidated first in which something was felt strongly")
    session_tokens: int = setting(4_000, 200, 100_000, "Size of a part of a session that a model is shown at once")
    session_output_tokens: int = setting(1_000, 50, 20_000, "Size of a model's answer about a part of a session")
    pattern_similarity: float = setting(0.75, 0.5, 0.99, "Similarity within a pattern")
    pattern_members_min: int = setting(3, 2, 1000, "Records that make a pattern", unit="records")
    pattern_confidence: float = weight(0.8, "Confidence that records must have together to be a pattern")
    contradiction_transfer: float = weight(
        0.2, "Share of the loser's confidence that the winner of a contradiction takes"
    )
    stale_days: float = setting(90.0, 1, 36_500, "Age at which a much used record is asked about")
    stale_uses_min: int = setting(
        5, 1, 10_000, "Number of uses from which a record is much used, and asked about when old", unit="uses"
    )
    session_questions: int = setting(2, 0, 50, "Questions an agent is given in a session", unit="questions")
    question_days: float = setting(7.0, 0, 3650, "Time before the same question is put again")
    usually_known: str = text(
        "",
        "What should be known of things beside what is asked anyway, by their sort, as "
        "`project: budget, licence = licensed under; place: opening hours`",
        reads=usual_of,
    )
    rhythm_times_min: int = setting(
        3, 0, 1000, "Times that something happens on a weekday at one time before it is a rhythm; 0 looks for none"
    )
    health_period_s: float = setting(60.0, 1, 86_400, "Pause between two events of the kind `health`")
    causal_pairs_max: int = setting(50, 0, 10_000, "Pairs of turns searched for causes per night", unit="pairs")
    causal_unsaid_max: int = setting(
        20, 0, 10_000, "Pairs of turns in a row a model is asked about per night though neither says why", unit="pairs"
    )


NO_READER = "none"


class ReaderSettings(SettingsSection):
    """Reading a new text against earlier ones: what it ends, and what it puts in doubt."""

    model: str = choice(
        "pairs", ("pairs", NO_READER), "What compares new texts with earlier ones in the background", live=False
    )
    compared: int = setting(5, 1, 100, "Earlier records that a new text is compared with", unit="records")
    # An order is made again by every search; a doubt is said to people, and has to be worth their attention.
    first_min: float = weight(0.35, "Probability from which searches put the later of two fitting texts first")
    doubt_min: float = weight(0.5, "Probability from which an earlier text is said to have changed, perhaps")
    over_min: float = setting(0.6, 0.0, 1.0, "Probability from which an earlier text is over", above="doubt_min")
    doubts_by_model: bool = switch(True, "Whether a configured language model is asked about doubtful pairs first")
    doubts_at_once: int = setting(
        10, 1, 50, "Doubtful pairs that the language model is asked about at once", unit="pairs"
    )
    # A model is readily sure of itself; half of the way to certainty separates its guesses from its findings.
    doubts_model_min: float = setting(
        0.7, 0.5, 1.0, "Probability from which the language model's word on a doubtful pair decides"
    )


class DecaySettings(SettingsSection):
    """How records fade, what strengthens them, and when they go."""

    curve: str = choice("engram", ("engram", "assistant"), "Which curve records fade by")
    # A month, like the half-life of freshness.
    base_days: float = setting(30.0, 0.1, 36_500, "Time in which a record used once falls to a third of its strength")
    spacing_gain: float = weight(0.3, "How far use in several sessions raises the strength of a record")
    rate: float = setting(0.1, 0.0, 10, "How fast confidence decays on the `assistant` curve; 0 protects")
    exponent: float = setting(0.8, 0.1, 2.0, "Power of the days since use on the `assistant` curve")
    reinforcement: float = weight(0.05, "Confidence that a record gains by being found")
    reinforcement_uses: float = setting(
        20.0, 1, 10_000, "Number of uses over which the gain by being found flattens", unit="uses"
    )
    gc_threshold: float = setting(0.05, 0.001, 0.2, "Strength below which a record is archived")
    archive_days: float = setting(90.0, 1, 36_500, "How long an archived record can be had back")
    protect_importance: float = weight(0.9, "Importance from which a record is never forgotten")
    half_life_days: Mapping[str, float] = table(
        {"work_state": 7},
        0.01,
        36_500,
        "Half-life of records of a category that has its own",
        keys="category",
    )


class ReplaySettings(SettingsSection):
    """Going over memories when idle."""

    records_max: int = setting(50, 0, 10_000, "Records that one cycle of replay goes over", unit="records")
    idle_s: float = setting(120.0, 0, 86_400, "Idle time before replay begins")
    interval_s: float = setting(1800.0, 1, 604_800, "Pause between two cycles of replay")
    boost: float = weight(0.2, "Strength given to a much used, fading record")
    fading: float = weight(0.5, "Share of its full strength below which a record is fading")
    uses_min: int = setting(2, 1, 10_000, "Number of uses from which a fading record is strengthened", unit="uses")
    rehearsals_max: int = setting(
        5, 1, 1000, "Times a record is strengthened by replay before somebody uses it again", unit="times"
    )
    reembed_days: float = setting(30.0, 1, 36_500, "Age at which replay makes a vector again, in its context")
    link_similarity: float = setting(0.75, 0.5, 0.99, "Similarity at which replay links two records")
    interference: float = setting(
        0.5, 0.0, 10.0, "How much faster a record fades for each stronger one that competes with it; 0 looks for none"
    )
    interference_similarity: float = setting(
        0.5, 0.1, 0.99, "Similarity from which replay looks whether two records compete"
    )
    scenarios_max: int = setting(
        5, 0, 1000, "Records of a cycle of replay that are asked for, to see whether they are found", unit="records"
    )
    scenario_places: int = setting(5, 1, 100, "Place in a search up to which a record counts as found", unit="places")


class AbstractionSettings(SettingsSection):
    """The tree of summaries over all records."""

    cluster_min: int = setting(5, 2, 1000, "Fewest records of a cluster", unit="records")
    cluster_max: int = setting(20, 2, 10_000, "Most records of a cluster", unit="records", above="cluster_min")
    domain_min: int = setting(3, 1, 1000, "Fewest clusters of a domain", unit="clusters")
    domain_max: int = setting(10, 1, 10_000, "Most clusters of a domain", unit="clusters", above="domain_min")
    joined_max: int = setting(
        3, 1, 100, "Number of records up to which they are joined rather than summarised", unit="records"
    )
    domain_similarity: float = setting(0.6, 0.3, 0.99, "Similarity of clusters of one domain")
    level_ratio: float = setting(0.2, 0.01, 1.0, "Size of a level of the tree against the one below")
    global_tokens: int = setting(200, 20, 10_000, "Size of the summary of everything")


class DomainsSettings(SettingsSection):
    """The map of what is known well."""

    similarity: float = setting(0.65, 0.3, 0.99, "Similarity of records of one domain")
    uncertain: float = setting(0.3, 0.0, 0.9, "Confidence above which something is known")
    confident: float = setting(0.7, 0.0, 1.0, "Confidence above which something is known well", above="uncertain")
    weak: float = weight(0.4, "Confidence below which a domain is clustered anew")
    stale_days: float = setting(30.0, 1, 36_500, "Silence that lowers a domain's confidence")


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


class BusSettings(SettingsSection):
    """What agents tell each other."""

    importance_min: float = weight(0.6, "Importance from which a subscription is told, unless it says another")
    deliveries_max: int = setting(
        20, 1, 1_000_000, "Deliveries to a subscription in one cycle, unless it says another number", unit="deliveries"
    )
    cycle_s: float = setting(600.0, 1, 604_800, "Cycle in which deliveries are counted; the rest waits for the next")
    pending_max: int = setting(10_000, 1, 10_000_000, "Deliveries that may wait", unit="deliveries")
    confidence_gap: float = weight(
        0.1, "By how much one of two versions must be surer to hold, where agents changed a thing at once"
    )
    kept_days: float = setting(90.0, 1, 36_500, "Time for which it is kept what was published and delivered")
    promote_strength: float = setting(
        0.6, 0, 10, "Strength above which `promote` hands a record on, unless it says another"
    )


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
