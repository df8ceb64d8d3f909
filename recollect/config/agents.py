"""Settings of what surrounds agents at work: the observer, the code graph and the bus between agents."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.config.section import Section, setting, table, weight

SCORE = "observe.score"


class Observe(Section):
    """Learning from what agents do (coding agents §6, §9)."""

    together_steps: int = setting(3, 1, 100, "Steps within which two files are used together (§6)", unit="steps")
    together_sessions: int = setting(3, 1, 1000, "Sessions that make them depend on each other (§6)", unit="sessions")
    rereads: int = setting(4, 2, 1000, "Reads without an edit that mean a confusing file (§6)", unit="reads")
    same_errors: int = setting(3, 1, 1000, "Repetitions that make an error a pattern (§6)", unit="errors")
    reedit_steps: int = setting(
        5, 1, 100, "Steps within which a second edit means a wrong first one (§6)", unit="steps"
    )
    always_share: float = weight(0.8, "Sessions of a module in which a file is always read (§5)")
    often_share: float = weight(0.5, "Sessions in which it is often read (§5)")
    signals_min: Mapping[str, float] = table(
        {"file_access": 3, "co_access": 2, "error_retry": 2, "backtrack": 2, "sequence": 2, "time_anomaly": 2},
        1,
        1000,
        "Occurrences before a signal counts, by kind (§6)",
    )
    novelty_similarity: float = setting(0.88, 0.5, 1.0, "Likeness to a known record that makes it no news (§6)")
    frequency_weight: float = weight(0.4, "Frequency in a signal's score (§6)", group=SCORE)
    recency_weight: float = weight(0.3, "Recency in a signal's score (§6)", group=SCORE)
    novelty_weight: float = weight(0.3, "Novelty in a signal's score (§6)", group=SCORE)
    score_min: float = weight(0.6, "Score from which a signal becomes a record (§6)")
    records_per_session: int = setting(10, 0, 1000, "Records inferred from one session (§6)", unit="records")
    steps_tracked: int = setting(30, 1, 10_000, "First steps that teach what to prefetch (§9)", unit="steps")
    error_chars: int = setting(200, 20, 10_000, "Text kept of an error (§9)")
    prefetch_confidence: float = weight(0.7, "Least confidence of a prefetch (§9)")
    prefetch_files: int = setting(5, 0, 100, "Files prefetched (§9)", unit="files")
    prefetch_chars: int = setting(3000, 100, 1_000_000, "Text of each (§9)")
    reflexion_tokens: int = setting(200, 16, 10_000, "Length of a lesson from a failed review (§9)")
    relay_records: int = setting(20, 0, 1000, "Records handed to the next stage (§9)", unit="records")
    relay_shown: int = setting(10, 0, 1000, "Of these, shown to it (§9)", unit="records")
    work_state_chars: int = setting(2000, 100, 1_000_000, "Output a state of work is taken from (§9)")
    work_state_tokens: int = setting(300, 16, 10_000, "Length of that state (§9)")
    causal_weight_min: float = weight(0.7, "Strength at which use together becomes a record (§8)")
    causal_interval_days: float = setting(7.0, 0.1, 365, "Pause between two such looks (§13)")


class Codegraph(Section):
    """The structure of code and what a change reaches (coding agents §7)."""

    depth_max: int = setting(3, 1, 20, "Steps a change is followed (§7)", unit="steps")
    nodes_max: int = setting(50_000, 100, 10_000_000, "Nodes up to which the closure is kept (§7)", unit="nodes")
    edge_weight: float = weight(0.5, "Weight of an edge of unknown kind (§11)")
    edge_confidence: float = weight(0.8, "Confidence of an extracted edge (§11)")
    impact: Mapping[str, float] = table(
        {
            "imports": 0.9,
            "calls": 0.8,
            "implements": 0.7,
            "extends": 0.7,
            "exports": 0.6,
            "depends_logically": 0.5,
            "is_entrypoint_for": 0.8,
            "handles_errors_from": 0.4,
            "applies_pattern": 0.3,
            "flows_to": 0.6,
        },
        0,
        1,
        "Share of a change passed along an edge, by kind (§7)",
        keys="edge",
    )


class Bus(Section):
    """Telling other agents (Engram §43)."""

    importance_min: float = weight(0.6, "Importance from which a record is published (§43.2)")
    confidence_gap: float = weight(0.1, "Difference in confidence that settles a conflict (§43.3)")
    deliveries_max: int = setting(20, 1, 10_000, "Records one subscriber gets per cycle (§43.2)", unit="records")
    pending_max: int = setting(10_000, 1, 1_000_000, "Publications that may wait (§43.2)", unit="records")
