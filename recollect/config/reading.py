"""Settings of the read path: candidates, fusion, ranking, intent, phase and time."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.config.section import Section, choice, setting, switch, table, text, weight
from recollect.limits import CANDIDATES_MAX, TOP_K_MAX

PHASE_DOC = "Factor per category while {}"
PREFERENCE_DOC = "Factor per kind of record for a {}"


class Recall(Section):
    """One search from query to answer."""

    top_k: int = setting(10, 1, TOP_K_MAX, "Results when the caller names no number", unit="records")
    candidates: int = setting(100, 1, CANDIDATES_MAX, "Rows each source hands to fusion", unit="rows")
    timeout_s: float = setting(5.0, 0.05, 600, "Time a search may take")
    threshold: float = setting(0.0, 0.0, 1.0, "Score below which nothing is returned")
    similarity_min: float = setting(
        0.0, 0.0, 1.0, "Likeness below which a row without a common word is no answer; 0 keeps all"
    )
    rrf_k: int = setting(60, 1, 1000, "Flattens rank differences in fusion")
    text_weight: float = weight(1.0, "Word matches in fusion")
    vector_weight: float = weight(1.0, "Meaning in fusion")
    graph_weight: float = weight(1.0, "Relations in fusion")
    temporal_weight: float = weight(0.15, "Nearness in time in fusion")
    text_share: float = weight(0.3, "Words against meaning when the query does not say")
    text_share_min: float = weight(0.1, "Least a query's form can make of it")
    text_share_max: float = weight(0.7, "Most a query's form can make of it")
    factual_step: float = weight(0.1, "Added per sign of a factual query")
    conceptual_step: float = weight(0.08, "Taken off per sign of a conceptual query")
    short_query_words: int = setting(3, 1, 100, "Up to here a query is factual")
    long_query_words: int = setting(8, 1, 1000, "Beyond here it is conceptual", above="short_query_words")
    freshness_half_life_days: float = setting(30.0, 0.01, 36_500, "Age at which freshness is half")
    use_recency_weight: float = weight(0.25, "Recency in the usage score", group="recall.use")
    use_frequency_weight: float = weight(0.15, "Frequency in the usage score", group="recall.use")
    use_recency_days: float = setting(30.0, 0.01, 36_500, "Time constant of that recency")
    belief_weight: float = weight(0.2, "How far belief moves a score: this times the distance from a plain record's")
    use_weight: float = weight(0.02, "How far frequent and recent use may raise a score")
    importance_weight: float = weight(0.05, "How far importance moves a score: this times its distance from 0.5")
    freshness_weight: float = weight(0.1, "How far age may lower a score where a query prefers the new")
    other_weight: float = weight(1.0, "Names, places, facets and files in fusion, each")
    recipe_effect: float = weight(
        0.0, "How far a question's kind and form tilt words against meaning; the other sources follow it wholly"
    )
    rerank: str = choice("mmr", ("none", "mmr", "rrf", "rrf_then_mmr", "cross_encoder"), "How the final order is made")
    reranker: str | None = text(None, "Model for `cross_encoder` as `prefix:model`; none by default", live=False)
    reranked: int = setting(50, 1, 1000, "Candidates such a model reads", unit="records")
    mmr_lambda: float = weight(0.7, "Relevance against variety in the final order")
    mmr_alike: float = weight(0.97, "Likeness from which a record repeats another")
    overfetch: int = setting(3, 1, 100, "Times the wanted number fetched per source")
    budget_overfetch: float = setting(
        1.5, 1, 100, "Times the number of records that fits a window that is looked at for it"
    )
    candidates_min: int = setting(20, 1, 1000, "Records looked at for a window, however small it is", unit="records")
    record_tokens: float = setting(45.0, 1, 10_000, "Size assumed of a record in a window before any was measured")
    simple_results: int = setting(5, 1, 1000, "Results for a simple query", unit="records")
    complex_results: int = setting(20, 1, 1000, "Results for a complex query", unit="records")
    timeline_records: int = setting(100, 1, 10_000, "Records a timeline is drawn from", unit="records")
    feedback_similarity: float = weight(0.7, "Likeness of a query to one where a record was unhelpful")
    feedback_days: float = setting(90.0, 0, 36_500, "Age at which such feedback is forgotten")
    feedback_overlap: float = weight(0.5, "Share of common words that counts as alike where no vectors compare")
    low_relevancy: float = weight(0.3, "Mean relevancy that counts as poor")
    low_recalls: int = setting(10, 1, 10_000, "Poor recalls in a row that question the embedder")
    low_average: float = weight(0.4, "Sliding quality that raises a warning")


class Ranking(Section):
    """The fine score of a candidate: words, meaning, and what surrounds it."""

    saturation: float = setting(1.2, 0.01, 10, "How soon a repeated word stops counting (BM25 k1)")
    length_norm: float = weight(0.75, "How much length counts against a record (BM25 b)")
    passage_length_norm: float = weight(0.5, "The same within a passage")
    own_field: float = weight(0.3, "The whole record beside its passage")
    neighbour_field: float = weight(0.3, "Words of the turn before and after")
    answered_field: float = weight(0.7, "Words of the turn before, where it is a question and this turn answers it")
    speaker_field: float = setting(2.0, 0, 10, "Words of the speaker or title")
    date_field: float = weight(0.3, "Words of the date")
    previous_vector: float = weight(0.3, "Share of the previous turn in a record's vector")
    next_vector: float = weight(0.15, "Share of the next turn in a record's vector")
    dense: float = weight(0.3, "Meaning beside words")
    static: float = weight(0.15, "Meaning by the default model, beside that of a slow embedder")
    participant: float = weight(0.2, "The turn is by somebody the query names")
    newness: float = weight(
        0.3, "The newest turn against the oldest, in a chat with an assistant and for a query about the present"
    )
    date: float = weight(0.15, "The turn's date is the query's")
    year: float = weight(0.15, "The turn names a year the query asks about")
    phrase: float = weight(0.15, "Word pairs of the query stay together")
    feedback: float = weight(0.15, "Likeness to the best candidates")
    link: float = weight(0.2, "A best candidate names what this record is about")
    share: float = weight(0.05, "Rare words in common with the best candidates")
    joined: float = weight(0.3, "A record that stands alone goes on from a best candidate")
    entity: float = weight(0.2, "It names, or is about, what the query names, in other words")
    stated: float = weight(0.15, "A statement drawn from it answers the query")
    time: float = weight(0.1, "It happened at the time the query asks about")
    graph: float = weight(0.2, "Relations lead to it from what was found")
    place: float = weight(0.2, "How well it lies in the place asked for")
    facets: float = weight(0.1, "How well it is of the sort asked for")
    files: float = weight(0.15, "It is about a file that goes with one of the query's")
    seeds: int = setting(3, 1, 100, "Best candidates that feedback, link, share and joined look at", unit="records")
    phrase_candidates: int = setting(50, 0, 10_000, "Candidates checked for word pairs", unit="records")
    phrase_gap_words: int = setting(3, 1, 50, "Distance within which a pair is together")
    rare_records_max: int = setting(6, 1, 1000, "Records a rare word may be in", unit="records")
    participants_max: int = setting(12, 1, 1000, "Speakers up to which a chat has participants")
    participant_turns: int = setting(3, 0, 1000, "Turns each of them must exceed", unit="turns")
    abstain_below: float = weight(0.15, "Share of such questions with an answer below which a search abstains")
    doubt_name: float = weight(0.3, "Doubt when a name in the query was never mentioned")
    doubt_person: float = weight(0.9, "Doubt when what matches is about somebody else than the query names")
    doubt_year: float = weight(0.8, "Doubt when no record near the query speaks of its years")
    doubt_unsaid: float = weight(1.0, "Doubt when records about the topic do not say what is asked of it")


class Expand(Section):
    """Widening a poor search, and adding what belongs to its results."""

    hyde: bool = switch(True, "Search with an imagined answer when results are poor and a model is there")
    hyde_results_min: int = setting(3, 0, 100, "Good results below which it is tried")
    hyde_confidence: float = weight(0.5, "Confidence of a good result")
    hyde_query_share: float = weight(0.4, "Share of the query in the mixed vector")
    hyde_output_tokens: int = setting(150, 16, 10_000, "Length of the imagined answer")
    coaccess_weight_min: float = weight(0.6, "Strength of files that widen a search")
    coaccess_files: int = setting(5, 0, 100, "Files it is widened with", unit="files")
    coaccess_results: int = setting(5, 0, 100, "Records added for them", unit="records")


def _by_kind(*values: float) -> dict[str, float]:
    kinds = ("lookup", "exploratory", "comparative", "temporal", "procedural", "causal")
    return dict(zip(kinds, values, strict=True))


def _by_record(**factors: float) -> dict[str, float]:
    kinds = ("episodic", "semantic", "procedural", "opinion", "entity", "snippet", "schema")
    return {kind: factors.get(kind, 1.0) for kind in kinds}


class Intent(Section):
    """What kind of question it is, and the recipe for each kind."""

    # Measured on static vectors, with what all examples share taken out; a large model would ask for more.
    similarity_min: float = weight(0.2, "Likeness to the nearest examples that lets them speak")
    lookup_words: int = setting(8, 1, 1000, "Up to here a query may be a lookup")
    exploratory_words: int = setting(12, 1, 1000, "Beyond here it may be exploratory")
    settled: float = setting(0.5, 0.05, 10, "Sum of cues that leaves no doubt")
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
        "What each cue adds to its kind",
    )
    text: Mapping[str, float] = table(_by_kind(0.6, 0.2, 0.3, 0.2, 0.3, 0.2), 0, 1, "Weight of words, by kind")
    vector: Mapping[str, float] = table(_by_kind(0.2, 0.5, 0.4, 0.2, 0.3, 0.2), 0, 1, "Weight of meaning, by kind")
    graph: Mapping[str, float] = table(_by_kind(0.1, 0.2, 0.2, 0.2, 0.1, 0.5), 0, 1, "Weight of relations, by kind")
    temporal: Mapping[str, float] = table(_by_kind(0.1, 0.1, 0.1, 0.4, 0.0, 0.1), 0, 1, "Weight of time, by kind")
    freshness: Mapping[str, float] = table(
        _by_kind(0.8, 0.3, 0.5, 0.3, 0.5, 0.4), 0, 1, "Preference for the new, by kind"
    )
    candidates: Mapping[str, float] = table(
        _by_kind(20, 100, 50, 100, 30, 50), 1, CANDIDATES_MAX, "Candidates per source, by kind"
    )
    hops: Mapping[str, float] = table(_by_kind(1, 2, 2, 1, 2, 3), 0, 10, "Steps along relations, by kind")
    # Small enough to break ties only.
    lookup_records: Mapping[str, float] = table(
        _by_record(semantic=1.1, entity=1.1), 0, 10, PREFERENCE_DOC.format("lookup")
    )
    exploratory_records: Mapping[str, float] = table(
        _by_record(semantic=1.05, opinion=1.1, entity=1.1, schema=1.1),
        0,
        10,
        PREFERENCE_DOC.format("exploratory question"),
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


class Phases(Section):
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


class Time(Section):
    """Time as a way to find things."""

    recent_days: float = setting(7.0, 0.01, 3650, "What 'recently' means")
    # A day keeps "yesterday" apart from "last week".
    sigma_hours: float = setting(24.0, 0.1, 87_600, "Width of the bell around the asked time")
    event_sessions: int = setting(3, 0, 1000, "Sessions either side of an event", unit="sessions")
    recent_sessions: int = setting(5, 1, 1000, "Last sessions looked at by `recent_sessions`")
    trend_days: float = setting(30.0, 0.01, 36_500, "Days looked at by `trend`")
