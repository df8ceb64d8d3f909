"""Settings of the write path: what is taken in, how text is understood, and how it is placed."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.config.section import Section, choice, setting, switch, table, weight
from recollect.limits import CONTENT_BYTES_CEILING


class Ingest(Section):
    """What is accepted and how sure we are of it at first."""

    content_bytes_max: int = setting(8192, 64, CONTENT_BYTES_CEILING, "Largest record (Engram §10.17)")
    summary_bytes_max: int = setting(512, 16, 65_536, "Largest summary of a record (Engram §10.17)")
    turn_parts_max: int = setting(64, 1, 4096, "Records a long turn may be split into", unit="records")
    duplicate_similarity: float = setting(0.6, 0.1, 1.0, "Word overlap (Jaccard) of a repetition (Engram §18.5)")
    duplicate_window_s: float = setting(3600.0, 0, 31_536_000, "How far back a repetition is looked for (Engram §18.5)")
    fact_similarity: float = setting(0.85, 0.5, 1.0, "Similarity at which two facts of one text are one (Engram §6.2)")
    echo_window_s: float = setting(3600.0, 0, 31_536_000, "How long a machine's turn is held against what was recalled")
    echo_share: float = weight(0.9, "Share of its words from there that makes it an echo")
    importance: Mapping[str, float] = table(
        {"agent": 0.5, "skill": 0.5, "flow": 0.5, "task": 0.6, "project": 0.6, "compaction": 0.6, "tool": 0.4},
        0,
        1,
        "Importance at first, by origin (Engram §13, §15, §16, §17)",
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
        "Confidence at first, by origin (SPEC-02, Engram §6, coding agents §9, assistant)",
        keys="origin",
    )
    output_chars_min: int = setting(50, 0, 10_000, "Output of a flow too short to keep (Engram §16)")
    output_chars_max: int = setting(500, 50, 100_000, "Length a kept output is cut to (Engram §16)")
    task_output_chars_min: int = setting(
        500, 0, 100_000, "Output from which a task without tools is kept (Engram §17.5.3)"
    )
    task_summary_chars: int = setting(300, 20, 10_000, "Length of a task's summary (Engram §17.5.3)")
    tool_result_chars: int = setting(200, 20, 10_000, "Length a tool's result is cut to (Engram §17)")


class Perceive(Section):
    """Finding statements, relations and metadata in text."""

    statements: str = choice(
        "heuristic", ("heuristic", "model", "off"), "Who draws statements from turns; a model does it in the background"
    )
    assistant_statements: bool = switch(False, "Whether what assistants and tools say is drawn from, too")
    statement_words_min: int = setting(3, 1, 50, "Shorter pieces are not statements (Engram §6)")
    metadata_timeout_ms: float = setting(5000.0, 10, 600_000, "Wait for a model's metadata per record (Engram §35.3)")
    topic_words_min: int = setting(3, 1, 100, "Shared words above which two texts have one topic (RFC-014 §2.2)")
    relation_confidence: Mapping[str, float] = table(
        {"model": 0.8, "pattern": 0.9, "difference": 0.7, "topic": 0.5},
        0,
        1,
        "Confidence of a found relation, by how it was found (RFC-014 §2.2)",
        keys="method",
    )
    relations: str = choice(
        "all", ("off", "documents", "all"), "In what relations are looked for, in the background, once stored"
    )
    relations_by_model: bool = switch(False, "Whether the language model looks for them, too (RFC-014 §2.2)")
    relation_min: float = weight(0.6, "Found relations less sure than this are not kept")
    relation_source_tokens: int = setting(1000, 50, 100_000, "Text shown when a model looks for relations (RFC-014)")
    relation_candidates: int = setting(10, 1, 200, "Records it is compared with (RFC-014)", unit="records")
    relation_output_tokens: int = setting(200, 16, 10_000, "Length of the model's answer (RFC-014)")
    statement_output_tokens: int = setting(1000, 16, 10_000, "Length of a model's answer about one turn")
    model_run_tokens: int = setting(50_000, 0, 10**9, "Tokens a background job may spend on the model in one run")
    model_day_tokens: int = setting(500_000, 0, 10**9, "Tokens all of them together may spend in 24 hours")
    certainty_markers: int = setting(2, 0, 50, "Certain or doubtful words that must be exceeded (RFC-014 §4.2)")


class Structure(Section):
    """Documents, places and facets."""

    respect_sections: bool = switch(True, "Whether each section stays by itself, however small (RFC-014 §3.2)")
    chunk_chars_min: int = setting(
        100, 1, 100_000, "Smaller definitions join the next, sections too if they are not respected (RFC-014 §3.2)"
    )
    chunk_chars_max: int = setting(
        4000, 100, 1_000_000, "Larger sections are split (RFC-014 §3.2)", above="chunk_chars_min"
    )
    tokens_per_word: float = setting(1.3, 0.5, 5.0, "Tokens guessed per word of a section (RFC-014 §3.2)")
    title_chars: int = setting(80, 10, 1000, "Text shown in a part's title (RFC-014 §3.2)")
    preview_chars: int = setting(100, 10, 10_000, "Text shown of a record in a listing (RFC-014 §5.1)")
    deep_heading_factor: float = weight(0.5, "Factor for a place under a heading deeper than asked (RFC-014 §1.1)")
    secondary_persona_factor: float = weight(0.7, "Match of a reader who is not the main one (RFC-014 §4.1)")
    default_verification: str = choice(
        "unverified",
        ("unverified", "verified", "outdated", "disputed"),
        "Verification of a text that says nothing about it (RFC-014)",
    )
    combine_strategy: str = choice(
        "intersection", ("intersection", "union"), "Whether a hybrid query wants all of its sides or any (RFC-014)"
    )
    score_aggregation: str = choice(
        "average", ("average", "min", "max"), "What the scores of its sides become (RFC-014)"
    )
    text_match_score: float = weight(0.8, "Score of a plain word match beside place and facets (RFC-014 §5.2)")
    source_authority: Mapping[str, float] = table(
        {"code": 1.0, "docs": 0.9, "user": 0.7}, 0, 1, "Authority of a source (RFC-014 §4.1)", keys="source"
    )
    confidence_levels: Mapping[str, float] = table(
        {"high": 0.9, "moderate": 0.7, "low": 0.5}, 0, 1, "Least confidence of each level (RFC-014 §4.1)"
    )
    micro_chunk_turns: int = setting(
        10, 1, 1000, "Turns in the smallest piece of a conversation (RFC-014)", unit="turns"
    )
    hot_chunks: int = setting(2, 1, 1000, "Pieces of a conversation kept at hand (RFC-014)")
    hot_turns: int = setting(20, 1, 10_000, "Newest turns that count as hot (RFC-014)", unit="turns")
    warm_turns: int = setting(
        100, 1, 100_000, "Turns up to which they count as warm (RFC-014)", unit="turns", above="hot_turns"
    )


class Entity(Section):
    """Telling people, projects and things apart."""

    recognise: bool = switch(True, "Whether what `add` stores is looked through for people, places and things")
    similarity: float = setting(0.85, 0.5, 1.0, "Similarity at which an unknown name is a known entity (Engram §41.2)")
    aliases_max: int = setting(3, 0, 50, "Other names a query is widened with (Engram §41.3)")
    enrich_mentions_min: int = setting(3, 1, 1000, "Mentions before an entity gets a summary (assistant)")


class Affect(Section):
    """Feeling in a text, and what it changes (Engram §37)."""

    marker_valence: float = weight(0.15, "Valence per feeling word (Engram §37.2)")
    marker_intensity: float = weight(0.1, "Intensity per feeling word (Engram §37.2)")
    emphasis_intensity: float = weight(0.1, "Intensity of capitals and exclamations (Engram §37.2)")
    outcome_valence: Mapping[str, float] = table(
        {"success": 0.3, "partial": 0.1, "failure": -0.3, "retry": -0.15},
        -1,
        1,
        "Valence of how a task ended (Engram §37.2)",
    )
    outcome_intensity: Mapping[str, float] = table(
        {"success": 0.2, "partial": 0.0, "failure": 0.3, "retry": 0.15},
        0,
        1,
        "Intensity of how a task ended (Engram §37.2)",
    )
    correction_intensity: float = weight(0.25, "Intensity of being corrected (Engram §37.2)")
    novelty_intensity: float = weight(0.2, "Intensity of a first time (Engram §37.2)")
    urgency_intensity: float = weight(0.15, "Intensity of urgency (Engram §37.2)")
    strength_gain: float = weight(0.5, "Initial strength added per arousal (Engram §37.3)")
    decay_resistance: float = setting(1.0, 0, 10, "Time constant gained per arousal (Engram §37.3)")
    attention_gain: float = weight(0.3, "Working-memory priority gained per intensity (Engram §37.3)")
    recall_gain: float = weight(0.15, "Score gained by a feeling like the query's (Engram §37.3)")
    protect_arousal: float = weight(0.5, "Arousal that protects from forgetting (Engram §37.3)")
    replay_arousal: float = weight(0.6, "Arousal that is replayed more often (Engram §45, contract 1)")
    replay_preference: float = setting(2.0, 1, 100, "How much more often (Engram §45, contract 1)")
    insight_links_min: int = setting(
        3, 1, 100, "New links that make a replayed record exciting (Engram §45, contract 10)"
    )
    insight_arousal: float = weight(0.1, "Arousal per such link (Engram §45, contract 10)")
    insight_arousal_max: float = weight(0.8, "Most arousal links can give (Engram §45, contract 10)")
