"""Settings of what a model sees: the context window, working memory and reasoning over memory."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.config.section import SettingsSection, setting, switch, table, text, weight

WINDOW = "context.window"


class ContextSettings(SettingsSection):
    """The token budget and how it is divided."""

    timeout_s: float = setting(2.0, 0.05, 600, "Time after which a window is made of what was found by then")
    tokens: int = setting(2000, 50, 10_000_000, "Budget when neither caller nor model sets one")
    simple_tokens: int = setting(1000, 50, 10_000_000, "Budget for a simple prompt")
    complex_tokens: int = setting(3000, 50, 10_000_000, "Budget for a complex prompt")
    window_tokens: int = setting(32_000, 1000, 100_000_000, "Window of a model we do not know")
    output_tokens: int = setting(4096, 16, 10_000_000, "Longest answer of a model we do not know")
    response_tokens: int = setting(4096, 16, 1_000_000, "Part of the window that is kept free for the answer")
    fill_share: float = setting(0.85, 0.1, 1.0, "Share of the window that may be filled")
    memory_share: float = setting(0.35, 0.01, 0.95, "Share of the window for memories of any kind")
    task_recall_share: float = setting(0.10, 0.0, 0.95, "Share of the window recalled for a task")
    history_share: float = weight(0.45, "Share of the window for the conversation so far", group=WINDOW)
    recall_share: float = weight(0.12, "Share of the window for recalled records", group=WINDOW)
    identity_share: float = weight(0.08, "Share of the window for who the agent is", group=WINDOW)
    working_share: float = weight(0.15, "Share of the window for working memory", group=WINDOW)
    schemas_share: float = weight(
        0.05, "Share of the window for patterns; shrinks before history, recall, identity and working memory"
    )
    skills_share: float = weight(
        0.08, "Share of the window for skills; shrinks before history, recall, identity and working memory"
    )
    today_share: float = weight(0.04, "Share of the window for today's notes; shrinks first")
    roster_share: float = weight(0.03, "Share of the window for other agents; shrinks first")
    overview_share: float = weight(
        0.04, "Share of the window for who is named, for what did not fit, and for questions to ask, each"
    )
    recall_shares: Mapping[str, float] = table(
        {"facts": 0.40, "entities": 0.25, "temporal": 0.25, "evidence": 0.10},
        0,
        1,
        "Shares of the parts of the recalled block",
        total=1.0,
    )
    flow_shares: Mapping[str, float] = table(
        {"working": 0.40, "flow": 0.20, "recalled": 0.25, "schemas": 0.15},
        0,
        1,
        "Shares of the parts of memory inside a workflow",
        total=1.0,
    )
    recall_floor: float = weight(
        0.5, "Share of the best score that other records need in a model's window; less with more room"
    )
    self_tuning: bool = switch(
        False, "Whether `maintain` moves `recall_floor` by what was said of records that windows barely showed"
    )
    tuned_min: float = setting(0.35, 0.0, 1.0, "Least that tuning makes of `recall_floor`")
    tuned_max: float = setting(0.65, 0.0, 1.0, "Most that tuning makes of `recall_floor`", above="tuned_min")
    instructing_sources: str = text(
        "user, user_taught, conversation, chat",
        "Sources whose standing instructions are told in every window, beside records without one",
    )
    reflect: bool = switch(True, "Whether a window says how far the area of its prompt is known, if not well")
    unsure_tokens: int = setting(200, 0, 100_000, "Size of recalled records where nothing stored seems to answer")
    profile_tokens: int = setting(
        600, 0, 100_000, "Size of recalled records for a question about oneself, with who somebody is"
    )
    summary_tokens_min: int = setting(200, 0, 100_000, "Room that must be left before old history is summarised")
    verbatim_turns: int = setting(3, 0, 1000, "Newest exchanges kept word for word", unit="exchanges")
    compressed_turns: int = setting(
        10, 0, 10_000, "Exchanges before the newest that are kept as key facts", unit="exchanges"
    )
    code_lines_max: int = setting(
        5, 0, 1000, "Lines of code above which it is left out of compressed history", unit="lines"
    )
    compact_messages: int = setting(
        20, 2, 100_000, "Number of messages from which a conversation is compacted", unit="messages"
    )
    tools_ttl_s: float = setting(300.0, 0, 86_400, "Time for which tools that were found in a session stay at hand")
    caller_results: Mapping[str, float] = table(
        {"round": 7, "flow": 5, "delegation": 5, "task": 5, "cron": 5, "webhook": 3},
        1,
        1000,
        "Most records recalled for a turn, by who runs it; a chat has what its budget holds",
        keys="caller",
        unit="records",
    )
    compact_tokens: int = setting(60_000, 100, 100_000_000, "Tokens from which a conversation is compacted")
    compact_keep: int = setting(
        6, 1, 100_000, "Newest messages that stay out of what a turn compacts by itself", unit="messages"
    )
    today_records: int = setting(10, 0, 1000, "Most notes of today in a window", unit="records")


class ModelsSettings(SettingsSection):
    """What is known better here than in our table of language models; a name speaks for all that begin with it."""

    like: str = text("", "Models that are what another one is: `our-model=gpt-4o, other=llama-3.1`")
    window_tokens: Mapping[str, float] = table(
        {}, 256, 1_000_000_000, "Size of the window, by model", keys="model", unit="tokens"
    )
    output_tokens: Mapping[str, float] = table(
        {}, 1, 1_000_000_000, "Length of the longest answer, by model", keys="model", unit="tokens"
    )


class WorkingSettings(SettingsSection):
    """What is in mind now: the last turns, the slots, the drift of the topic."""

    turns: int = setting(20, 1, 1000, "Newest turns held in mind as they came", unit="turns")
    promote_after_s: float = setting(30.0, 0, 86_400, "Age at which a turn may become a slot")
    slots: int = setting(9, 1, 100, "Things in mind at once, seven plus two", unit="slots")
    tokens: int = setting(4096, 64, 1_000_000, "Size of all slots together")
    start_records: int = setting(5, 0, 100, "Important records a cold start begins with", unit="records")
    restore_full_hours: float = setting(4.0, 0, 720, "Absence up to which all slots come back as they were")
    restore_faded_hours: float = setting(
        24.0, 0, 8760, "Absence up to which slots come back faded", above="restore_full_hours"
    )
    restore_fade_minutes: float = setting(240.0, 1, 525_600, "Absence that fades slots entirely")
    restore_fade_max: float = weight(0.8, "Most that fading takes away")
    restore_min: float = weight(0.1, "Activation below which a slot is not restored")
    momentum_alpha: float = weight(0.3, "Share of the newest turn in the topic")
    momentum_keep: float = weight(0.8, "Share of earlier certainty kept per turn")
    momentum_turn_loss: float = weight(0.5, "Certainty lost to a change of direction")
    momentum_share_max: float = weight(0.4, "Most the topic adds to a query")
    topic_same: float = weight(0.7, "Likeness above which the topic goes on")
    topic_drift: float = weight(0.4, "Likeness above which the topic drifts; below it is another")
    topic_drift_certainty: float = weight(0.5, "Certainty a drift needs")
    drift_factor: float = weight(0.7, "Share of unrelated slots' activation that a drift leaves")
    drift_evict_below: float = weight(0.2, "Activation below which a slot goes after a drift")
    change_keep_above: float = weight(0.3, "Activation from which a new topic saves a slot to long-term memory")
    anticipate_ttl_s: float = setting(60.0, 0, 86_400, "Time a prepared recall is good for")
    anticipate_similarity: float = weight(
        0.6, "Likeness of a question to the expected one that makes a prepared recall fit"
    )
    question_activation: float = weight(0.3, "Weight of a question to the user in mind")
    question_minutes: float = setting(30.0, 0.1, 10_080, "Time a question to the user stays in mind")
    slot_activation: Mapping[str, float] = table(
        {"sensory": 0.6, "recall": 0.6, "schema": 0.5, "user": 1.0, "inference": 0.7, "morning": 0.4},
        0,
        1,
        "How strongly something comes to mind, by where it comes from",
    )
    slot_half_life_minutes: float = setting(20.0, 0.1, 10_080, "Time in which a slot loses half its activation")
    slot_boost: float = weight(0.3, "Share of what is missing that a mention gives back")
    attention_gain: float = weight(
        0.3, "How far what is felt strongly counts for more among slots: this times its intensity"
    )
    mood_kept: float = weight(0.5, "Share of a mood that is left after the next prompt without feeling")
    slot_evict_below: float = weight(0.05, "Activation below which a slot has faded out of mind")
    recalled_slots: int = setting(3, 0, 100, "Shown records that come to mind per turn", unit="slots")
    turn_idle_minutes: float = setting(60.0, 0.1, 10_080, "Silence after which upkeep closes a turn that nobody ended")
    idle_minutes: float = setting(30.0, 0.1, 10_080, "Silence after which a mind is saved and let go")
    minds: int = setting(256, 1, 100_000, "Minds held in memory at once; the longest unused goes first", unit="minds")


class ReasonSettings(SettingsSection):
    """Answering by asking memory again and again."""

    deep_window_tokens: int = setting(
        200_000, 1000, 100_000_000, "Window of a model that may go deep", above="medium_window_tokens"
    )
    medium_window_tokens: int = setting(100_000, 1000, 100_000_000, "Window of a model that may go some way")
    depth: Mapping[str, float] = table(
        {"deep": 5, "medium": 3, "shallow": 1}, 0, 20, "Depth of questions within questions, by how far a model may go"
    )
    calls: Mapping[str, float] = table(
        {"deep": 15, "medium": 8, "shallow": 3}, 1, 1000, "Model calls for one answer, by how far a model may go"
    )
    window_share: float = weight(0.5, "Share of the window spent on reasoning")
    records: int = setting(20, 1, 1000, "Records recalled per question", unit="records")
    gap_hops: int = setting(2, 0, 10, "Steps along relations to fill a gap", unit="steps")
    timeout_s: float = setting(
        45.0, 0.1, 3600, "How long an answer may take; then it is made of what was found, and a third is kept for that"
    )
