"""Settings of what is learnt from coding agents at work: events, signals, and what is said to an agent."""

from __future__ import annotations

from recollect.config.section import SettingsSection, setting, switch, weight


class ObserveSettings(SettingsSection):
    """Watching coding agents."""

    enabled: bool = switch(True, "Whether what agents do is taken in; otherwise it is thrown away unread")
    inject: bool = switch(True, "Whether hooks say anything to agents; otherwise they only listen")
    spool_s: float = setting(3.0, 0.1, 3600, "How often an open store takes in what hooks have left")
    log_rows: int = setting(100_000, 100, 100_000_000, "Events that are kept; the oldest go first", unit="rows")
    log_days: float = setting(90.0, 1, 36_500, "How long events are kept")
    phases: bool = switch(True, "Whether a search for a prompt is weighed by the phase its session is in")
    session_tokens: int = setting(1_500, 0, 2_500, "Most that is said when a session begins")
    prompt_tokens: int = setting(600, 0, 2_500, "Most that is said to a prompt")
    prompt_score: float = weight(0.5, "Score from which a record is told to a prompt")
    tool_tokens: int = setting(300, 0, 2_500, "Most that is said about a file or an error")
    file_warnings: int = setting(3, 0, 50, "Warnings that are told about one file", unit="records")
    session_warnings: int = setting(5, 0, 50, "Warnings that are told when a session begins", unit="records")
    state_half_lives: float = setting(
        2.0, 0.1, 100, "Half-lives after which a work state is not told any more", unit="half-lives"
    )
    coaccess_steps: int = setting(3, 1, 100, "Steps within which two files are touched together", unit="steps")
    retries_min: int = setting(2, 2, 100, "How often the same error makes a retry of it", unit="errors")
    backtrack_steps: int = setting(5, 1, 100, "Steps within which an edit may take another back", unit="steps")
    sequence_min: int = setting(3, 2, 8, "Fewest classes of tools that make a sequence", unit="classes")
    sequence_max: int = setting(8, 2, 16, "Most classes of tools that make a sequence", unit="classes")
    sequence_sessions: int = setting(2, 1, 1_000, "Sessions in which a sequence must be seen", unit="sessions")
    rereads_min: int = setting(4, 2, 1_000, "Reads of one file, never edited, that are worth a word", unit="reads")
    infer: bool = switch(True, "Whether sessions that are over become records, which wait for review")
    idle_minutes: float = setting(30.0, 1, 10_080, "Pause after which a session that never ended counts as over")
    together_sessions: int = setting(3, 2, 1_000, "Sessions that touch two files together", unit="sessions")
    surety: float = weight(0.6, "Least probability that what was seen of files is seen where a session comes to them")
    errors_min: int = setting(3, 2, 1_000, "How often an error comes up before it is remembered", unit="errors")
    backtracks_min: int = setting(
        1, 1, 1_000, "How often an edit is taken back before that is remembered", unit="edits"
    )
    module_sessions: int = setting(3, 2, 1_000, "Sessions of a module before anything is usual there", unit="sessions")
    module_share: float = weight(0.8, "Share of a module's sessions that a file is read in to be usual")
    work_states: bool = switch(
        True, "Whether where the work stands is written down, with what an agent planned and said last"
    )
    preload: bool = switch(True, "Whether a session begins with files that work there usually reads first")
    preload_files: int = setting(5, 1, 20, "Files that are told before they are asked for", unit="files")
    preload_chars: int = setting(3_000, 100, 20_000, "Most that is told of one of them", unit="characters")
    preload_confidence: float = weight(
        0.7, "Least probability that more than half of such sessions read a file, for it to be told beforehand"
    )
    calibrate: bool = switch(True, "Whether planning is told how earlier plans compare with what was done")
    calibration_sessions: int = setting(3, 2, 1_000, "Sessions with a plan before plans are compared", unit="sessions")
    reach_files: int = setting(
        10, 0, 100_000, "Dependent files from which on an edit is told its tests and companions; 0: never", unit="files"
    )
    pairs_days: float = setting(7.0, 0, 3650, "How often pairs of files with a direction become records; 0: never")
    pairs_weight: float = weight(0.7, "Least weight of such a pair")
    reword: bool = switch(True, "Whether a language model, where there is one, words what rules concluded")
    relay: bool = switch(True, "Whether a stage of work begins with what the one before it stored")
    relay_stored: int = setting(20, 1, 200, "Records of a stage that are handed on at most", unit="records")
    relay_told: int = setting(10, 1, 50, "Records that the next stage is told of these", unit="records")
