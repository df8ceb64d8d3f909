"""Settings of the read path: candidates, fusion, ranking, intent, phase and time."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.config.section import SettingsSection, choice, setting, switch, table, text, weight
from recollect.limits import CANDIDATES_MAX, TOP_K_MAX

PHASE_DOC = "Factor per category while {}"
PREFERENCE_DOC = "Factor per kind of record for a {}"


class RecallSettings(SettingsSection):
    """One search from query to answer."""

    top_k: int = setting(
        10, 1, TOP_K_MAX, "How many results a search returns when the caller names no number", unit="records"
    )
    candidates: int = setting(100, 1, CANDIDATES_MAX, "Rows that each source hands to the ranking", unit="rows")
    timeout_s: float = setting(2.0, 0.05, 600, "Time after which a search answers with what it has")
    threshold: float = setting(0.0, 0.0, 1.0, "Score below which nothing is returned")
    similarity_min: float = setting(
        0.0, 0.0, 1.0, "Likeness below which a row without a common word is no answer; 0 keeps all"
    )
    rrf_k: int = setting(60, 1, 1000, "How strongly fusion by places flattens the difference between places")
    text_weight: float = weight(1.0, "Weight of word matches")
    vector_weight: float = weight(1.0, "Weight of likeness of meaning")
    graph_weight: float = weight(1.0, "Weight of relations")
    temporal_weight: float = weight(0.15, "Weight of nearness in time")
    text_share: float = weight(0.3, "Weight of words against meaning when the query does not say")
    text_share_min: float = weight(0.1, "Least weight of words that a query's form can bring about")
    text_share_max: float = weight(0.7, "Most weight of words that a query's form can bring about")
    factual_step: float = weight(0.1, "Weight of words gained by each sign of a factual query")
    conceptual_step: float = weight(0.08, "Weight of words lost by each sign of a conceptual query")
    short_query_words: int = setting(3, 1, 100, "Length up to which a query counts as factual")
    long_query_words: int = setting(
        8, 1, 1000, "Length beyond which a query counts as conceptual", above="short_query_words"
    )
    freshness_half_life_days: float = setting(30.0, 0.01, 36_500, "Age at which a record's freshness is half")
    use_recency_weight: float = weight(0.25, "Weight of recency in how much a record is used", group="recall.use")
    use_frequency_weight: float = weight(0.15, "Weight of frequency in how much a record is used", group="recall.use")
    use_recency_days: float = setting(30.0, 0.01, 36_500, "Time in which the recency of use falls to a third")
    belief_weight: float = weight(0.2, "How far belief moves a score: this times its distance from a plain record's")
    use_weight: float = weight(0.02, "How far frequent and recent use may raise a score")
    importance_weight: float = weight(0.05, "How far importance moves a score: this times its distance from 0.5")
    freshness_weight: float = weight(0.1, "How far age may lower a score where a query prefers the new")
    other_weight: float = weight(1.0, "Weight of names, places, facets and files, each, in fusion by places")
    recipe_effect: float = weight(
        0.0, "How far a question's kind and form tilt words against meaning; the other sources follow it wholly"
    )
    rerank: str = choice(
        "mmr", ("none", "mmr", "rrf", "rrf_then_mmr", "cross_encoder"), "How the final order of a search is made"
    )
    reranker: str | None = text(
        None, "Model for `cross_encoder` as `prefix:model`, or `endpoint:model@address`; none by default", live=False
    )
    reranked: int = setting(50, 1, 1000, "Candidates that the model for `cross_encoder` reads", unit="records")
    mmr_lambda: float = weight(0.7, "Weight of relevance against variety in the final order")
    mmr_alike: float = weight(0.97, "Likeness from which a record repeats another")
    overfetch: int = setting(3, 1, 100, "How many times the wanted number each source fetches")
    budget_overfetch: float = setting(
        1.5, 1, 100, "How many times the number of records that fits a window is looked at for it"
    )
    candidates_min: int = setting(20, 1, 1000, "Records looked at for a window, however small it is", unit="records")
    record_tokens: float = setting(
        45.0, 1, 10_000, "Size assumed of a record in a window before any was measured", live=False
    )
    simple_results: int = setting(5, 1, 1000, "Results for a simple query", unit="records")
    complex_results: int = setting(20, 1, 1000, "Results for a complex query", unit="records")
    timeline_records: int = setting(100, 1, 10_000, "Records a timeline is drawn from", unit="records")
    feedback_similarity: float = weight(
        0.7, "Likeness of a query to an earlier one from which a record's unhelpfulness there counts"
    )
    feedback_days: float = setting(90.0, 0, 36_500, "Age at which it is forgotten that a record was no help")
    feedback_overlap: float = weight(0.5, "Share of common words that makes two queries alike where no vectors compare")
    low_relevancy: float = weight(0.3, "Mean relevancy below which a search counts as poor")
    low_recalls: int = setting(
        10, 1, 10_000, "Number of poor searches in a row after which health questions the embedder"
    )
    low_average: float = weight(0.4, "Mean quality of the last searches below which health warns")


class RankingSettings(SettingsSection):
    """The fine score of a candidate: words, meaning, and what surrounds it."""

    saturation: float = setting(1.2, 0.01, 10, "How soon a repeated word stops counting (BM25 k1)")
    length_norm: float = weight(0.75, "How much length counts against a record (BM25 b)")
    passage_length_norm: float = weight(0.5, "How much length counts against a passage (BM25 b)")
    own_field: float = weight(0.3, "Weight of the whole record's words beside those of its best passage")
    neighbour_field: float = weight(0.3, "Weight of the words of the turns before and after")
    answered_field: float = weight(
        0.7, "Weight of the words of the turn before, where it is a question and this turn answers it"
    )
    speaker_field: float = setting(2.0, 0, 10, "Weight of the words of the speaker's name or the title")
    date_field: float = weight(0.3, "Weight of the words of the date")
    previous_vector: float = weight(0.3, "Share of the previous turn in a record's vector")
    next_vector: float = weight(0.15, "Share of the next turn in a record's vector")
    sentence_vector: float = weight(0.6, "Share of the nearest sentence in how near a record's meaning is")
    words: float = weight(0.95, "Weight of the words of the query where a record meets all of them")
    dense: float = setting(1.3, 0, 10, "Weight of meaning by a sentence model where no record meets the words")
    static: float = weight(0.35, "Weight of meaning by the static model")
    participant: float = weight(
        0.45, "Weight of being said by whom the query names, or by the person in a chat with an assistant"
    )
    length: float = weight(1.0, "Weight of having much to tell, for what is on the query at all")
    later: float = weight(0.85, "Weight of being the later word on something, for a query about the present")
    overtaken: float = weight(0.4, "Weight against what something newer is on as well, for a query about the present")
    words_trusted: float = weight(1.0, "Share of the weight of words that depends on how well any record meets them")
    meaning_trusted: float = weight(0.9, "Share of the weight of meaning that is lost where a record meets the words")
    date: float = weight(0.5, "Weight of the date being the one the query names")
    year: float = weight(0.15, "Weight of naming a year the query asks about")
    phrase: float = weight(0.1, "Weight of neighbouring words of the query standing together")
    feedback: float = weight(0.35, "Weight of likeness to the best candidates")
    link: float = weight(0.2, "Weight of being about what a best candidate names")
    share: float = weight(0.1, "Weight of rare words in common with the best candidates")
    joined: float = weight(0.35, "Weight of going on from a best candidate, for a record that stands alone")
    entity: float = weight(0.2, "Weight of naming, or being about, what the query names in other words")
    stated: float = weight(0.25, "Weight of a drawn statement that answers the query")
    time: float = weight(0.5, "Weight of having happened at the time the query asks about")
    graph: float = weight(0.2, "Weight of relations that lead to it from what was found")
    place: float = weight(0.2, "Weight of lying in the place asked for")
    facets: float = weight(0.1, "Weight of being of the sort asked for")
    files: float = weight(0.15, "Weight of being about a file that goes with one of the query's")
    seeds: int = setting(3, 1, 100, "Best candidates that feedback, link, share and joined look at", unit="records")
    phrase_candidates: int = setting(50, 0, 10_000, "Candidates checked for word pairs", unit="records")
    phrase_gap_words: int = setting(3, 1, 50, "Distance within which two words stand together")
    rare_records_max: int = setting(6, 1, 1000, "Number of records that a rare word may stand in", unit="records")
    participants_max: int = setting(
        12, 1, 1000, "Number of speakers up to which records are a conversation; more are subjects"
    )
    participant_turns: int = setting(
        3, 0, 1000, "Number of turns that a participant must exceed to be asked about", unit="turns"
    )
    abstain_below: float = weight(0.15, "Share of such questions with an answer here below which a search abstains")
    doubt_name: float = weight(0.3, "How far a name that was never mentioned lowers that share")
    doubt_person: float = weight(
        0.9, "How far it lowers that share when what matches is about somebody else than the query names"
    )
    doubt_year: float = weight(0.8, "How far it lowers that share when no record near the query speaks of its years")
    doubt_unsaid: float = weight(
        1.0, "How far it lowers that share when records about the topic do not say what is asked of it"
    )
    doubt_unread: float = weight(
        1.0,
        "How far it lowers that share when the reader finds no answer to what is often left unsaid; 0 reads nothing",
    )


class ExpandSettings(SettingsSection):
    """Widening a poor search, and adding what belongs to its results."""

    hyde: bool = switch(True, "Search with an imagined answer when results are poor and a model is there")
    hyde_results_min: int = setting(3, 0, 100, "Number of good results below which an answer is imagined")
    hyde_confidence: float = weight(0.5, "Score from which a result is a good one")
    hyde_query_share: float = weight(0.4, "Weight of the query against the imagined answer")
    hyde_output_tokens: int = setting(150, 16, 10_000, "Length of the imagined answer")
    coaccess_weight_min: float = weight(0.6, "Strength of files that widen a search")
    coaccess_files: int = setting(5, 0, 100, "Files that a search is widened with", unit="files")
    coaccess_results: int = setting(
        5, 0, 100, "Records added for the files that a search is widened with", unit="records"
    )


def _by_kind(*values: float) -> dict[str, float]:
    kinds = ("lookup", "exploratory", "comparative", "temporal", "procedural", "causal")
    return dict(zip(kinds, values, strict=True))


def _by_record(**factors: float) -> dict[str, float]:
    kinds = ("episodic", "semantic", "procedural", "opinion", "entity", "snippet", "schema")
    return {kind: factors.get(kind, 1.0) for kind in kinds}


class IntentSettings(SettingsSection):
    """What kind of question it is, and the recipe for each kind."""

    # Measured on static vectors, with what all examples share taken out; a large model would ask for more.
    similarity_min: float = weight(
        0.2, "Likeness to the nearest example questions from which these decide the kind of a question"
    )
    lookup_words: int = setting(8, 1, 1000, "Length up to which a query may be a lookup")
    exploratory_words: int = setting(12, 1, 1000, "Length beyond which a query may be exploratory")
    settled: float = setting(0.5, 0.05, 10, "Sum of cues that leaves no doubt about the kind of a question")
    cues: Mapping[str, float] = table(
        {
            "short": 0.2,
            "what_is": 0.3,
            "entity": 0.2,
            "about": 0.3,
            "long": 0.1,
            "compare": 0.4,
            "time": 0.5,
            "how": 0.4,
            "why": 0.4,
            "example": 0.3,
        },
        0,
        1,
        "What each cue adds to the kind of question it stands for",
    )
    text: Mapping[str, float] = table(
        _by_kind(0.6, 0.2, 0.3, 0.2, 0.3, 0.2), 0, 1, "Weight of words, by kind of question"
    )
    vector: Mapping[str, float] = table(
        _by_kind(0.2, 0.5, 0.4, 0.2, 0.3, 0.2), 0, 1, "Weight of meaning, by kind of question"
    )
    graph: Mapping[str, float] = table(
        _by_kind(0.1, 0.2, 0.2, 0.2, 0.1, 0.5), 0, 1, "Weight of relations, by kind of question"
    )
    temporal: Mapping[str, float] = table(
        _by_kind(0.1, 0.1, 0.1, 0.4, 0.0, 0.1), 0, 1, "Weight of time, by kind of question"
    )
    freshness: Mapping[str, float] = table(
        _by_kind(0.8, 0.3, 0.5, 0.3, 0.5, 0.4), 0, 1, "Preference for the new, by kind of question"
    )
    candidates: Mapping[str, float] = table(
        _by_kind(20, 100, 50, 100, 30, 50), 1, CANDIDATES_MAX, "Candidates per source, by kind of question"
    )
    hops: Mapping[str, float] = table(_by_kind(1, 2, 2, 1, 2, 3), 0, 10, "Steps along relations, by kind of question")
    # Small enough to break ties only.
    lookup_records: Mapping[str, float] = table(
        _by_record(semantic=1.1, entity=1.1), 0, 10, PREFERENCE_DOC.format("lookup")
    )
    exploratory_records: Mapping[str, float] = table(
        _by_record(semantic=1.05, opinion=1.1, entity=1.1, schema=1.1),
        0,
        10,
        PREFERENCE_DOC.format("question that explores"),
    )
    comparative_records: Mapping[str, float] = table(
        _by_record(semantic=1.1, entity=1.1), 0, 10, PREFERENCE_DOC.format("comparison")
    )
    temporal_records: Mapping[str, float] = table(
        _by_record(episodic=1.1), 0, 10, PREFERENCE_DOC.format("question about time")
    )
    procedural_records: Mapping[str, float] = table(
        _by_record(procedural=1.3, snippet=1.1), 0, 10, PREFERENCE_DOC.format("question how to do something")
    )
    causal_records: Mapping[str, float] = table(
        _by_record(episodic=1.05, semantic=1.1), 0, 10, PREFERENCE_DOC.format("question why")
    )


class PhasesSettings(SettingsSection):
    """How much each category is worth in each phase of an agent's work."""

    planning: Mapping[str, float] = table(
        {
            "requirement": 1.5,
            "task_calibration": 1.4,
            "decision": 1.3,
            "pattern": 1.2,
            "work_state": 1.1,
            "workflow": 1.1,
            "preference": 1.0,
            "module_insight": 1.0,
            "causal_dependency": 0.9,
            "gotcha": 0.8,
            "error_pattern": 0.7,
            "prefetch_pattern": 0.6,
        },
        0,
        10,
        PHASE_DOC.format("planning"),
        keys="category",
    )
    coding: Mapping[str, float] = table(
        {
            "gotcha": 1.5,
            "error_pattern": 1.3,
            "causal_dependency": 1.3,
            "pattern": 1.2,
            "module_insight": 1.2,
            "prefetch_pattern": 1.1,
            "work_state": 1.0,
            "preference": 0.9,
            "requirement": 0.8,
            "workflow": 0.8,
            "decision": 0.7,
            "task_calibration": 0.6,
        },
        0,
        10,
        PHASE_DOC.format("coding"),
        keys="category",
    )
    qa_review: Mapping[str, float] = table(
        {
            "error_pattern": 1.5,
            "requirement": 1.4,
            "gotcha": 1.2,
            "decision": 1.1,
            "causal_dependency": 1.0,
            "module_insight": 0.9,
            "workflow": 0.9,
            "pattern": 0.8,
            "task_calibration": 0.8,
            "preference": 0.7,
            "work_state": 0.5,
            "prefetch_pattern": 0.3,
        },
        0,
        10,
        PHASE_DOC.format("reviewing"),
        keys="category",
    )
    debugging: Mapping[str, float] = table(
        {
            "error_pattern": 1.5,
            "gotcha": 1.4,
            "causal_dependency": 1.3,
            "module_insight": 1.2,
            "pattern": 1.0,
            "work_state": 0.9,
            "decision": 0.8,
            "workflow": 0.8,
            "preference": 0.7,
            "requirement": 0.6,
            "prefetch_pattern": 0.5,
            "task_calibration": 0.5,
        },
        0,
        10,
        PHASE_DOC.format("debugging"),
        keys="category",
    )
    insights: Mapping[str, float] = table(
        {
            "decision": 1.4,
            "module_insight": 1.3,
            "pattern": 1.2,
            "workflow": 1.1,
            "causal_dependency": 1.1,
            "requirement": 1.0,
            "preference": 1.0,
            "gotcha": 0.8,
            "error_pattern": 0.7,
            "task_calibration": 0.6,
            "work_state": 0.4,
            "prefetch_pattern": 0.3,
        },
        0,
        10,
        PHASE_DOC.format("looking for insights"),
        keys="category",
    )
    spec: Mapping[str, float] = table(
        {
            "requirement": 1.5,
            "decision": 1.3,
            "task_calibration": 1.3,
            "preference": 1.2,
            "workflow": 1.1,
            "pattern": 1.0,
            "module_insight": 1.0,
            "causal_dependency": 0.8,
            "gotcha": 0.7,
            "error_pattern": 0.6,
            "work_state": 0.5,
            "prefetch_pattern": 0.3,
        },
        0,
        10,
        PHASE_DOC.format("writing a specification"),
        keys="category",
    )


class TimeSettings(SettingsSection):
    """Time as a way to find things."""

    recent_days: float = setting(7.0, 0.01, 3650, 'How far back "recently" reaches')
    # A day keeps "yesterday" apart from "last week".
    sigma_hours: float = setting(
        24.0, 0.1, 87_600, "How far from the asked time a record may lie and still count for most"
    )
    event_sessions: int = setting(3, 0, 1000, "Sessions either side of an event", unit="sessions")
    recent_sessions: int = setting(5, 1, 1000, "Last sessions looked at by `recent_sessions`")
    trend_days: float = setting(30.0, 0.01, 36_500, "Days looked at by `trend`")
