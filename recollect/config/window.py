"""Settings of what a model sees: the context window, working memory and reasoning over memory."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.config.section import Section, setting, table, text, weight

WINDOW = "context.window"


class Context(Section):
    """The token budget and how it is divided."""

    tokens: int = setting(2000, 50, 10_000_000, "Budget when neither caller nor model sets one")
    simple_tokens: int = setting(1000, 50, 10_000_000, "Budget for a simple prompt")
    complex_tokens: int = setting(3000, 50, 10_000_000, "Budget for a complex prompt")
    window_tokens: int = setting(32_000, 1000, 100_000_000, "Window of a model we do not know")
    output_tokens: int = setting(4096, 16, 10_000_000, "Longest answer of a model we do not know")
    response_tokens: int = setting(4096, 16, 1_000_000, "Kept free for the answer")
    fill_share: float = setting(0.85, 0.1, 1.0, "Share of the window that may be filled")
    memory_share: float = setting(0.35, 0.01, 0.95, "Share of the window for memories of any kind")
    task_recall_share: float = setting(0.10, 0.0, 0.95, "Share of the window recalled for a task")
    history_share: float = weight(0.45, "Conversation so far", group=WINDOW)
    recall_share: float = weight(0.12, "Recalled records", group=WINDOW)
    identity_share: float = weight(0.08, "Who the agent is", group=WINDOW)
    working_share: float = weight(0.15, "Working memory", group=WINDOW)
    schemas_share: float = weight(0.05, "Patterns; shrinks before the four above")
    skills_share: float = weight(0.08, "Skills; shrinks before the four above")
    today_share: float = weight(0.04, "Today's notes; shrinks first")
    roster_share: float = weight(0.03, "Other agents; shrinks first")
    overview_share: float = weight(0.04, "Each of: who is named, what did not fit in general, questions to ask")
    recall_shares: Mapping[str, float] = table(
        {"facts": 0.40, "entities": 0.25, "temporal": 0.25, "evidence": 0.10},
        0,
        1,
        "Parts of the recalled block",
        total=1.0,
    )
    flow_shares: Mapping[str, float] = table(
        {"working": 0.40, "flow": 0.20, "recalled": 0.25, "schemas": 0.15},
        0,
        1,
        "Parts of memory inside a workflow",
        total=1.0,
    )
    recall_floor: float = weight(
        0.5, "Of the best score that others need in a model's window; less for each doubling of its room"
    )
    instructing_sources: str = text(
        "user, user_taught, conversation, chat",
        "Sources whose standing instructions are told in every window, beside records without one",
    )
    unsure_tokens: int = setting(200, 0, 100_000, "Recalled records where nothing stored seems to answer")
    profile_tokens: int = setting(600, 0, 100_000, "The same for a question about oneself, with who somebody is")
    summary_tokens_min: int = setting(200, 0, 100_000, "Room left before old history is summarised")
    verbatim_turns: int = setting(3, 0, 1000, "Newest exchanges kept word for word", unit="exchanges")
    compressed_turns: int = setting(10, 0, 10_000, "Exchanges before them kept as key facts", unit="exchanges")
    code_lines_max: int = setting(5, 0, 1000, "Longer code is left out of compressed history", unit="lines")
    compact_messages: int = setting(20, 2, 100_000, "Messages before a conversation is compacted", unit="messages")
    today_records: int = setting(10, 0, 1000, "Notes of today at most", unit="records")


class Models(Section):
    """What is known better here than in our table of language models; a name speaks for all that begin with it."""

    like: str = text("", "Models that are what another one is: `our-model=gpt-4o, other=llama-3.1`")
    window_tokens: Mapping[str, float] = table({}, 256, 1_000_000_000, "Windows by model", keys="model", unit="tokens")
    output_tokens: Mapping[str, float] = table(
        {}, 1, 1_000_000_000, "Longest answers by model", keys="model", unit="tokens"
    )


class Working(Section):
    """What is in mind now: the last turns, the slots, the drift of the topic."""

    turns: int = setting(20, 1, 1000, "Turns held as they came", unit="turns")
    promote_after_s: float = setting(30.0, 0, 86_400, "Age at which a turn may become a slot")
    slots: int = setting(9, 1, 100, "Things in mind at once, seven plus two", unit="slots")
    tokens: int = setting(4096, 64, 1_000_000, "Size of all slots")
    start_records: int = setting(5, 0, 100, "Important records a cold start begins with", unit="records")
    restore_full_hours: float = setting(4.0, 0, 720, "Absence after which all slots come back")
    restore_faded_hours: float = setting(
        24.0, 0, 8760, "Absence after which they come back faded", above="restore_full_hours"
    )
    restore_fade_minutes: float = setting(240.0, 1, 525_600, "Absence that fades them entirely")
    restore_fade_max: float = weight(0.8, "Most that fading takes away")
    restore_min: float = weight(0.1, "Weaker slots are not restored")
    momentum_alpha: float = weight(0.3, "Share of the newest turn in the topic")
    momentum_keep: float = weight(0.8, "Share of earlier certainty kept per turn")
    momentum_turn_loss: float = weight(0.5, "Certainty lost to a change of direction")
    momentum_share_max: float = weight(0.4, "Most the topic adds to a query")
    topic_same: float = weight(0.7, "Likeness above which the topic goes on")
    topic_drift: float = weight(0.4, "Likeness above which it drifts")
    topic_drift_certainty: float = weight(0.5, "Certainty a drift needs")
    drift_factor: float = weight(0.7, "What a drift leaves of unrelated slots")
    drift_evict_below: float = weight(0.2, "Slots that then go")
    change_keep_above: float = weight(0.3, "Slots a new topic saves to long-term memory")
    anticipate_ttl_s: float = setting(60.0, 0, 86_400, "Time a prepared recall is good for")
    anticipate_similarity: float = weight(0.6, "Likeness that makes it a hit")
    question_activation: float = weight(0.3, "Weight of a question to the user in mind")
    question_minutes: float = setting(30.0, 0.1, 10_080, "Time it stays in mind")
    slot_activation: Mapping[str, float] = table(
        {"sensory": 0.6, "recall": 0.6, "schema": 0.5, "user": 1.0, "inference": 0.7, "morning": 0.4},
        0,
        1,
        "How strongly something comes to mind, by where it comes from",
    )
    slot_half_life_minutes: float = setting(20.0, 0.1, 10_080, "Time in which a slot loses half its activation")
    slot_boost: float = weight(0.3, "Share of what is missing that a mention gives back")
    slot_evict_below: float = weight(0.05, "Slots that have faded out of mind")
    recalled_slots: int = setting(3, 0, 100, "Shown records that come to mind per turn", unit="slots")
    idle_minutes: float = setting(30.0, 0.1, 10_080, "Silence after which a mind is saved and let go")
    minds: int = setting(256, 1, 100_000, "Minds held in memory at once; the longest unused goes first", unit="minds")


class Reason(Section):
    """Answering by asking memory again and again."""

    deep_window_tokens: int = setting(
        200_000, 1000, 100_000_000, "Window of a model that may go deep", above="medium_window_tokens"
    )
    medium_window_tokens: int = setting(100_000, 1000, 100_000_000, "Window of one that may go some way")
    depth: Mapping[str, float] = table({"deep": 5, "medium": 3, "shallow": 1}, 0, 20, "Questions within questions")
    calls: Mapping[str, float] = table({"deep": 15, "medium": 8, "shallow": 3}, 1, 1000, "Model calls in all")
    window_share: float = weight(0.5, "Share of the window spent on reasoning")
    records: int = setting(20, 1, 1000, "Records recalled per question", unit="records")
    gap_hops: int = setting(2, 0, 10, "Steps along relations to fill a gap", unit="steps")
