"""Settings of what is known about code: the graph of a project."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.config.section import SettingsSection, setting, table


class CodeGraphSettings(SettingsSection):
    """The graph of a project's code."""

    impact: Mapping[str, float] = table(
        {
            "imports": 0.9,
            "calls": 0.8,
            "implements": 0.7,
            "extends": 0.7,
            "exports": 0.6,
            "depends_logically": 0.7,
            "is_entrypoint_for": 0.5,
            "handles_errors_from": 0.6,
            "applies_pattern": 0.4,
            "flows_to": 0.8,
        },
        0.0,
        1.0,
        "Share of a change that an edge passes on, by its kind",
    )
    confidence: Mapping[str, float] = table(
        {"exact": 1.0, "inferred": 0.9, "ambiguous": 0.3, "unresolved": 0.1},
        0.0,
        1.0,
        "Confidence of an edge, by how it was resolved",
    )
    refresh_files: int = setting(
        25, 0, 10_000, "Changed files that a question takes in before it is answered; more are named", unit="files"
    )
    check_s: float = setting(2.0, 0, 3600, "Time for which files are taken to be as they were looked at last")
    watch_s: float = setting(
        2.0, 0.05, 3600, "Time between two looks at all files of a project that is watched by looking"
    )
    settle_s: float = setting(0.3, 0.0, 60, "Quiet that is waited for after a change, before files are taken in")
    items: int = setting(50, 1, 1000, "Files or symbols that an answer names unless another number is asked for")
    drifted_trust: float = setting(
        0.6, 0.0, 1.0, "Share of its trust that a record keeps whose code has changed since it was written"
    )
    orphaned_trust: float = setting(0.3, 0.0, 1.0, "Share of its trust that a record keeps whose code is gone")
    pair_half_life_days: float = setting(
        365.0, 1, 36_500, "Age at which a commit counts half in which files go together"
    )
    pair_surety: float = setting(
        1.645, 0.0, 5.0, "How sure it must be that files go together: 1.28 is 90 %, 1.645 is 95 %", unit="deviations"
    )
