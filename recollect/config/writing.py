"""Settings of the write path: what is taken in, how text is understood, and how it is placed."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.config.section import Section, choice, setting, switch, table, weight
from recollect.limits import CONTENT_BYTES_CEILING


class Ingest(Section):
    """What is accepted and how sure we are of it at first."""

    content_bytes_max: int = setting(8192, 64, CONTENT_BYTES_CEILING, "Largest record")
    summary_bytes_max: int = setting(512, 16, 65_536, "Largest summary of a record")
    turn_parts_max: int = setting(64, 1, 4096, "Records a long turn may be split into", unit="records")
    duplicate_similarity: float = setting(0.6, 0.1, 1.0, "Word overlap (Jaccard) of a repetition")
    duplicate_window_s: float = setting(3600.0, 0, 31_536_000, "How far back a repetition is looked for")
    fact_similarity: float = setting(0.85, 0.5, 1.0, "Similarity at which two facts of one text are one")
    echo_window_s: float = setting(3600.0, 0, 31_536_000, "How long a machine's turn is held against what was recalled")
    echo_share: float = weight(0.9, "Share of its words from there that makes it an echo")
    importance: Mapping[str, float] = table(
        {"agent": 0.5, "skill": 0.5, "flow": 0.5, "task": 0.6, "project": 0.6, "compaction": 0.6, "tool": 0.4},
        0,
        1,
        "Importance at first, by origin",
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
        "Confidence at first, by origin",
        keys="origin",
    )
    task_output_chars_min: int = setting(500, 0, 100_000, "Output from which a task without tools is kept")
    task_summary_chars: int = setting(300, 20, 10_000, "Length of a task's summary")


class Perceive(Section):
    """Finding statements, relations and metadata in text."""

    statements: str = choice(
        "heuristic", ("heuristic", "model", "off"), "Who draws statements from turns; a model does it in the background"
    )
    assistant_statements: bool = switch(False, "Whether what assistants and tools say is drawn from, too")
    statement_words_min: int = setting(3, 1, 50, "Shorter pieces are not statements")
    topic_words_min: int = setting(3, 1, 100, "Shared words above which two texts have one topic")
    relation_confidence: Mapping[str, float] = table(
        {"model": 0.8, "pattern": 0.9, "difference": 0.7, "topic": 0.5},
        0,
        1,
        "Confidence of a found relation, by how it was found",
        keys="method",
    )
    relations: str = choice(
        "all", ("off", "documents", "all"), "In what relations are looked for, in the background, once stored"
    )
    relations_by_model: bool = switch(False, "Whether the language model looks for them, too")
    relation_min: float = weight(0.6, "Found relations less sure than this are not kept")
    relation_source_tokens: int = setting(1000, 50, 100_000, "Text shown when a model looks for relations")
    relation_candidates: int = setting(10, 1, 200, "Records it is compared with", unit="records")
    relation_output_tokens: int = setting(200, 16, 10_000, "Length of the model's answer")
    statement_output_tokens: int = setting(1000, 16, 10_000, "Length of a model's answer about one turn")
    model_run_tokens: int = setting(50_000, 0, 10**9, "Tokens a background job may spend on the model in one run")
    model_day_tokens: int = setting(500_000, 0, 10**9, "Tokens all of them together may spend in 24 hours")
    certainty_markers: int = setting(2, 0, 50, "Certain or doubtful words that must be exceeded")


class Structure(Section):
    """Documents, places and facets."""

    respect_sections: bool = switch(True, "Whether each section stays by itself, however small")
    chunk_chars_min: int = setting(
        100, 1, 100_000, "Smaller definitions join the next, sections too if they are not respected"
    )
    chunk_chars_max: int = setting(4000, 100, 1_000_000, "Larger sections are split", above="chunk_chars_min")
    deep_heading_factor: float = weight(0.5, "Factor for a place under a heading deeper than asked")
    secondary_persona_factor: float = weight(0.7, "Match of a reader who is not the main one")
    default_verification: str = choice(
        "unverified",
        ("unverified", "verified", "outdated", "disputed"),
        "Verification of a text that says nothing about it",
    )
    combine_strategy: str = choice(
        "intersection", ("intersection", "union"), "Whether a hybrid query wants all of its sides or any"
    )
    score_aggregation: str = choice("average", ("average", "min", "max"), "What the scores of its sides become")
    text_match_score: float = weight(0.8, "Score of a plain word match beside place and facets")
    source_authority: Mapping[str, float] = table(
        {"code": 1.0, "docs": 0.9, "user": 0.7}, 0, 1, "Authority of a source", keys="source"
    )


class Entity(Section):
    """Telling people, projects and things apart."""

    recognise: bool = switch(True, "Whether what `add` stores is looked through for people, places and things")
    similarity: float = setting(0.85, 0.5, 1.0, "Similarity at which an unknown name is a known entity")
    aliases_max: int = setting(3, 0, 50, "Other names a query is widened with")
    enrich_mentions_min: int = setting(3, 1, 1000, "Mentions before an entity gets a summary")


class Affect(Section):
    """Feeling in a text, and what it changes."""

    marker_valence: float = weight(0.15, "Valence per feeling word")
    marker_intensity: float = weight(0.1, "Intensity per feeling word")
    emphasis_intensity: float = weight(0.1, "Intensity of capitals and exclamations")
    outcome_valence: Mapping[str, float] = table(
        {"success": 0.3, "partial": 0.1, "failure": -0.3, "retry": -0.15},
        -1,
        1,
        "Valence of how a task ended",
    )
    outcome_intensity: Mapping[str, float] = table(
        {"success": 0.2, "partial": 0.0, "failure": 0.3, "retry": 0.15},
        0,
        1,
        "Intensity of how a task ended",
    )
    correction_intensity: float = weight(0.25, "Intensity of being corrected")
    novelty_intensity: float = weight(0.2, "Intensity of a first time")
    urgency_intensity: float = weight(0.15, "Intensity of urgency")
    strength_gain: float = weight(0.5, "Initial strength added per arousal")
    decay_resistance: float = setting(1.0, 0, 10, "Time constant gained per arousal")
    recall_gain: float = weight(0.15, "Score gained by a feeling like the query's")
    protect_arousal: float = weight(0.5, "Arousal that protects from forgetting")
    replay_arousal: float = weight(0.6, "Arousal that is replayed more often")
    replay_preference: float = setting(2.0, 1, 100, "How much more often")
    insight_links_min: int = setting(3, 1, 100, "New links that make a replayed record exciting")
    insight_arousal: float = weight(0.1, "Arousal per such link")
    insight_arousal_max: float = weight(0.8, "Most arousal links can give")
