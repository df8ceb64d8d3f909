"""Settings that are no more, so that a file or a variable of an earlier release gives a warning and not an error.

A name stays here for one release after the setting went.
"""

from __future__ import annotations

from functools import cache

_SECTIONS = frozenset({"vector"})
_SETTINGS = """
affect: attention_gain
context: history_messages fallback_records fallback_chars today_chars
context: fidelity_tokens summary_ratio prose_chars_per_token code_chars_per_token fallback_chars_per_token
context: cjk_chars_per_token cut_chars_per_token message_tokens
embedding: backfill_batch backfill_sleep_ms query_chars input_tokens
expand: hyde_results gotchas_max gotcha_confidence gotcha_uses_min
graph: depth_max neighbourhood_depth
index: hnsw_dtype hnsw_m_max snapshots_kept rebuild_changes warm_batch warm_yield_ms
ingest: output_chars_min output_chars_max tool_result_chars
intent: confident temporal_boost
jobs: heavy_max runs_max yield_ms stalled_after_s
perceive: metadata_timeout_ms
ranking: passage_words user_turn spread spread_turns newness
ram: small_budget_mb small_machine_mb warning_mb critical_mb elevated_share critical_share evict_share agent_idle_s
ram: agent_bytes turns slots readers memory_vectors_max small_memory_vectors_max
recall: bm25_share cosine_share use_cosine_weight degraded_results
replay: context_domains
security: key_iterations scrypt_log2 pad_bucket_bytes pad_jitter_bytes pad_row_bytes
security: private_checkpoint_pages score_low
security: score_medium score_high log_days
security: log_chars
serve: tool_results page_records task_results project_results webhook_results contradiction_candidates
serve: excerpt_chars request_timeout_s
store: drain_timeout_s backup_interval_hours integrity_errors_max
structure: tokens_per_word title_chars preview_chars confidence_levels micro_chunk_turns hot_chunks hot_turns
structure: warm_turns
upkeep: cluster_threshold promote_records_max
working: questions_per_session
"""
_INSTEAD = {
    "index.hnsw_dtype": "index.precision",
    "affect.attention_gain": "working.attention_gain",
    "ranking.user_turn": "ranking.participant",
    "ranking.newness": "ranking.later",
    "working.questions_per_session": "upkeep.session_questions",
}


def is_removed(key: str) -> bool:
    """Whether this was a setting, a row of a table or a section, and is none any more."""
    section, _, name = key.partition(".")
    return section in _SECTIONS or f"{section}.{name.partition('.')[0]}" in removed_settings()


@cache
def removed_settings() -> frozenset[str]:
    """The settings that went from sections that stayed."""
    lines = (line.partition(":") for line in _SETTINGS.split("\n") if line)
    return frozenset(f"{section}.{name}" for section, _, names in lines for name in names.split())


def told(key: str, source: str = "") -> str:
    """One sentence for whoever still sets it."""
    where = f" ({source})" if source else ""
    instead = f"set {_INSTEAD[key]}" if key in _INSTEAD else "take it out"
    return f"{key}{where} is no longer a setting and does nothing; {instead}"
