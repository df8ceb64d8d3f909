"""Settings of the write path: what is taken in, how text is understood, and how it is placed."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.config.section import SettingsSection, choice, setting, switch, table, text, weight
from recollect.limits import CONTENT_BYTES_CEILING
from recollect.model.vocabulary import vocabulary_of


class IngestSettings(SettingsSection):
    """What is accepted and how sure we are of it at first."""

    content_bytes_max: int = setting(8192, 64, CONTENT_BYTES_CEILING, "Size of the largest record")
    summary_bytes_max: int = setting(512, 16, 65_536, "Size of the largest summary of a record")
    turn_parts_max: int = setting(64, 1, 4096, "Records a long turn may be split into", unit="records")
    duplicate_similarity: float = setting(
        0.6, 0.1, 1.0, "Share of common words (Jaccard) that makes a text a repetition"
    )
    duplicate_window_s: float = setting(3600.0, 0, 31_536_000, "How far back a repetition is looked for")
    fact_similarity: float = setting(0.85, 0.5, 1.0, "Similarity at which two facts of one text are one")
    echo_window_s: float = setting(3600.0, 0, 31_536_000, "How long a machine's turn is held against what was recalled")
    echo_share: float = weight(0.9, "Share of words from what was recalled that makes a machine's turn an echo")
    importance: Mapping[str, float] = table(
        {"agent": 0.5, "skill": 0.5, "flow": 0.5, "task": 0.6, "project": 0.6, "compaction": 0.6, "tool": 0.4},
        0,
        1,
        "Importance of a new record, by where it comes from",
        keys="origin",
    )
    confidence: Mapping[str, float] = table(
        {
            "stated": 1.0,
            "unknown": 0.5,
            "heuristic": 0.7,
            "model": 0.8,
            "observed": 0.8,
            "reflexion": 0.8,
            "work_state": 0.9,
            "causal": 0.7,
        },
        0,
        1,
        "Confidence of a new record, by where it comes from",
        keys="origin",
    )
    task_output_chars_min: int = setting(
        500, 0, 100_000, "Length of an answer from which a task without tools is worth a line"
    )
    tool_outcome_chars: int = setting(
        200, 20, 10_000, "Length of the line that is kept of what a tool answered a machine"
    )
    flow_output_chars_min: int = setting(50, 0, 100_000, "Length of a node's output from which a flow keeps it")
    flow_output_chars_max: int = setting(500, 20, 8_000, "Length of the line that a flow keeps of a node's output")
    task_summary_chars: int = setting(300, 20, 10_000, "Length of the line that is kept of a task")


class PerceiveSettings(SettingsSection):
    """Finding statements, relations and metadata in text."""

    statements: str = choice(
        "heuristic", ("heuristic", "model", "off"), "Who draws statements from turns; a model does it in the background"
    )
    assistant_statements: bool = switch(False, "Whether what assistants and tools say is drawn from, too")
    statement_words_min: int = setting(3, 1, 50, "Fewest words of a statement")
    topic_words_min: int = setting(3, 1, 100, "Shared words above which two texts have one topic")
    vocabulary: str = text(
        "",
        "Words of one's own, by field: `component: billing, k8s = Kubernetes`, a line or a semicolon for each field",
        reads=vocabulary_of,
    )
    metadata: str = choice(
        "rules", ("rules", "model"), "Who fills the fields of the vocabulary; a model does it at night"
    )
    relation_confidence: Mapping[str, float] = table(
        {"model": 0.8, "pattern": 0.9, "difference": 0.7, "topic": 0.5},
        0,
        1,
        "Confidence of a found relation, by how it was found",
        keys="method",
    )
    relations: str = choice(
        "all", ("off", "documents", "all"), "What relations are looked for in, in the background, once it is stored"
    )
    relations_by_model: bool = switch(False, "Whether the language model looks for relations, too")
    relation_min: float = weight(0.6, "Confidence below which a found relation is not kept")
    relation_source_tokens: int = setting(1000, 50, 100_000, "Text shown when a model looks for relations")
    relation_candidates: int = setting(
        10, 1, 200, "Records that a text is compared with when a model looks for relations", unit="records"
    )
    relation_output_tokens: int = setting(200, 16, 10_000, "Length of a model's answer about relations")
    statement_output_tokens: int = setting(1000, 16, 10_000, "Length of a model's answer about one turn")
    model_run_tokens: int = setting(50_000, 0, 10**9, "Tokens a background job may spend on the model in one run")
    model_day_tokens: int = setting(
        500_000, 0, 10**9, "Tokens all background jobs together may spend on the model in 24 hours"
    )
    certainty_markers: int = setting(2, 0, 50, "How many certain or doubtful words a text must exceed to be called so")


class StructureSettings(SettingsSection):
    """Documents, places and facets."""

    respect_sections: bool = switch(True, "Whether each section stays by itself, however small")
    chunk_chars_min: int = setting(
        100, 1, 100_000, "Size below which a definition joins the next one, a section too if sections are not respected"
    )
    chunk_chars_max: int = setting(4000, 100, 1_000_000, "Size above which a section is split", above="chunk_chars_min")
    deep_heading_factor: float = weight(0.5, "Factor on the score of a place under a heading deeper than asked")
    secondary_persona_factor: float = weight(0.7, "Score of a text for a reader it is also for, but not first")
    default_verification: str = choice(
        "unverified",
        ("unverified", "verified", "outdated", "disputed"),
        "Verification of a text that says nothing about its own",
    )
    combine_strategy: str = choice(
        "intersection", ("intersection", "union"), "Whether a hybrid query wants all of its sides met, or any"
    )
    score_aggregation: str = choice(
        "average", ("average", "min", "max"), "How the scores of the sides of a hybrid query become one"
    )
    text_match_score: float = weight(0.8, "Score of a plain word match beside place and facets")
    source_authority: Mapping[str, float] = table(
        {"code": 1.0, "docs": 0.9, "user": 0.7}, 0, 1, "Authority of a text, by its source", keys="source"
    )


class EntitySettings(SettingsSection):
    """Telling people, projects and things apart."""

    recognise: bool = switch(True, "Whether what `add` stores is looked through for people, places and things")
    similarity: float = setting(0.85, 0.5, 1.0, "Similarity at which an unknown name is a known entity")
    aliases_max: int = setting(3, 0, 50, "How many other names of an entity a query is widened with")
    enrich_mentions_min: int = setting(3, 1, 1000, "Mentions before an entity gets a summary")


class AffectSettings(SettingsSection):
    """Feeling in a text, and what it changes."""

    marker_valence: float = weight(0.15, "Valence that each feeling word adds")
    marker_intensity: float = weight(0.1, "Intensity that each feeling word adds")
    emphasis_intensity: float = weight(0.1, "Intensity that capitals and exclamation marks add")
    outcome_valence: Mapping[str, float] = table(
        {"success": 0.3, "partial": 0.1, "failure": -0.3, "retry": -0.15},
        -1,
        1,
        "Valence of a task's record, by how the task ended",
    )
    outcome_intensity: Mapping[str, float] = table(
        {"success": 0.2, "partial": 0.0, "failure": 0.3, "retry": 0.15},
        0,
        1,
        "Intensity of a task's record, by how the task ended",
    )
    correction_intensity: float = weight(0.25, "Intensity that being corrected adds")
    novelty_intensity: float = weight(0.2, "Intensity that a first time adds")
    urgency_intensity: float = weight(0.15, "Intensity that urgency adds")
    surprise_intensity: float = weight(0.1, "Intensity that full surprise adds")
    strength_gain: float = weight(0.5, "Strength at first that arousal adds")
    decay_resistance: float = setting(1.0, 0, 10, "How far arousal stretches the time in which a record fades")
    recall_gain: float = weight(0.15, "How far a feeling like the query's raises a score")
    mood_leans: bool = switch(True, "Whether a search leans to records that felt as what is said now does, unasked")
    mood_valence_min: float = weight(0.3, "Valence from which what is said now is a mood that a search leans to")
    protect_arousal: float = weight(0.5, "Arousal from which a record is not forgotten")
    replay_arousal: float = weight(0.6, "Arousal from which a record is replayed more often")
    replay_preference: float = setting(
        2.0, 1, 100, "How many times as often a record with a strong feeling is replayed"
    )
    insight_links_min: int = setting(3, 1, 100, "New links that make a replayed record exciting")
    insight_arousal: float = weight(0.1, "Arousal that each new link of a replayed record adds")
    insight_arousal_max: float = weight(0.8, "Most arousal that new links can give a record")
