"""Settings of protection and of the doors: security, the sandbox, auditing and interfaces."""

from __future__ import annotations

from recollect.config.section import Section, setting, switch, text, weight


class Security(Section):
    """Keeping memories from those they are not for (Engram §10)."""

    key_iterations: int = setting(
        256_000, 10_000, 100_000_000, "Work to make a key of a passphrase (§10.3.1)", live=False
    )
    scrypt_log2: int = setting(15, 10, 24, "Work to open an export, as a power of two (§10.9.1)")
    pad: bool = switch(False, "Hide the size of an encrypted file", live=False)
    pad_bucket_bytes: int = setting(
        524_288, 4096, 1_073_741_824, "Step in which a padded file grows (§10.4.2)", live=False
    )
    pad_jitter_bytes: int = setting(65_536, 0, 1_073_741_824, "Random padding on top (§10.4.3)", live=False)
    pad_row_bytes: int = setting(4096, 512, 65_536, "Size of one row of padding (§10.4.2)", live=False)
    private_checkpoint_pages: int = setting(
        100,
        1,
        1_000_000,
        "Log pages of an encrypted store before they move into it (§10.6.3)",
        unit="pages",
        live=False,
    )
    idle_checkpoint_s: float = setting(60.0, 1, 86_400, "Idle time after which its log is emptied (§10.6.3)")
    even_timing: bool = switch(False, "Let no search answer faster than the floor")
    search_floor_ms: float = setting(50.0, 0, 10_000, "That floor (§10.8.1)")
    coarse_scores: bool = switch(False, "Show scores as words rather than numbers")
    score_low: float = setting(0.40, 0.0, 0.9, "From here a score is low rather than none (§10.16.1)")
    score_medium: float = setting(0.60, 0.0, 0.95, "From here it is medium (§10.16.1)", above="score_low", gap=0.05)
    score_high: float = setting(0.85, 0.0, 1.0, "From here it is high (§10.16.1)", above="score_medium", gap=0.05)
    noisy_scores: bool = switch(False, "Blur scores against probing")
    noise_scale: float = weight(0.05, "Width of that blur (§10.16.3)")
    limit_searches: bool = switch(False, "Apply the two limits below")
    searches_per_minute: int = setting(20, 1, 1_000_000, "Searches a session may make in a minute (§10.16.2)")
    searches_per_session: int = setting(200, 1, 100_000_000, "Searches it may make in all (§10.16.2)")
    plugin_searches_per_minute: int = setting(100, 1, 1_000_000, "Searches passed to a foreign index (§10.24.5)")
    import_confidence_max: float = weight(0.5, "Most an imported record is believed at first (§10.24.3)")
    import_age_days: float = setting(365.0, 1, 36_500, "Oldest date believed of an import (§10.24.3)")
    log_days: float = setting(7.0, 0.1, 3650, "Age at which logs are deleted (§10.12.3)")
    log_chars: int = setting(8, 0, 1000, "Text of a record a log may show (§10.12.1)")


class Audit(Section):
    """Who did what, and how the engine is doing."""

    recent_max: int = setting(2000, 0, 1_000_000, "Entries kept in memory (Engram §19)", unit="entries", live=False)
    health_interval_s: float = setting(60.0, 1, 86_400, "Pause between two health reports (Engram §34.8)")
    latency_searches: int = setting(100, 1, 100_000, "Searches the reported latency covers (Engram §34.8)")


class Sandbox(Section):
    """Code a model runs over its memory (SPEC-02)."""

    time_s: float = setting(2.0, 0.05, 600, "Time a piece of code may take")
    memory_mb: int = setting(256, 16, 65_536, "Memory it may take")
    output_chars: int = setting(20_000, 100, 10_000_000, "Text it may print")
    result_chars: int = setting(100_000, 100, 100_000_000, "Text of its result")


class Serve(Section):
    """The doors: tools, MCP, REST, hooks."""

    tool_results: int = setting(5, 1, 1000, "Records a search tool returns by default (RFC-014)", unit="records")
    page_records: int = setting(100, 1, 10_000, "Records on a page of a listing", unit="records")
    task_results: int = setting(5, 0, 1000, "Records recalled for a task or a flow (Engram §16, §22)", unit="records")
    project_results: int = setting(7, 0, 1000, "Records recalled for a project's agent (Engram §17)", unit="records")
    webhook_results: int = setting(3, 0, 1000, "Records recalled for a webhook (Engram §22)", unit="records")
    contradiction_candidates: int = setting(5, 1, 1000, "Records a statement is held against (RFC-014)", unit="records")
    excerpt_chars: int = setting(200, 10, 100_000, "Text shown of a record in a tool's answer (RFC-014)")
    answer_tokens: int = setting(4_000, 50, 1_000_000, "Tokens of a tool's answer, unless it asks for another number")
    request_timeout_s: float = setting(30.0, 0.1, 3600, "Wait for another service (Engram §22)")
    host: str = text("127.0.0.1", "Address the server listens on; off loopback it wants tokens", live=False)
    port: int = setting(7077, 0, 65_535, "Port it listens on; 0 takes any that is free", unit="port", live=False)
    hosts: str = text("", "Further names it is reached by, separated by commas", live=False)
    require_token: bool = switch(False, "Ask for a token on loopback, too", live=False)
    workers: int = setting(
        1, 1, 64, "Processes that answer, each with the indexes in memory", unit="processes", live=False
    )
    threads: int = setting(4, 1, 256, "Calls that run at once in each", unit="calls", live=False)
    waiting_max: int = setting(256, 0, 100_000, "Calls that may wait for them; more are sent away", unit="calls")
    requests_per_minute: int = setting(6000, 0, 100_000_000, "Requests a token may make in a minute; 0 is any number")
    body_bytes_max: int = setting(16_777_216, 1024, 1_073_741_824, "Size of a request's body")
    import_bytes_max: int = setting(268_435_456, 1024, 1_099_511_627_776, "Size of a file that is imported")
    header_timeout_s: float = setting(10.0, 0.1, 600, "Time a client has to say what it wants", live=False)
    body_timeout_s: float = setting(30.0, 0.1, 3600, "Time it has to send the body")
    answer_timeout_s: float = setting(60.0, 0.1, 86_400, "Time an answer may take")
    keep_alive_s: int = setting(30, 1, 3600, "Time a connection is kept for the next request", unit="s", live=False)
    drain_s: int = setting(20, 1, 3600, "Time to finish what runs when told to stop", unit="s", live=False)
    heartbeat_s: float = setting(15.0, 0.1, 600, "Pause after which an event stream gives a sign of life")
    event_streams_max: int = setting(64, 0, 10_000, "Event streams at once", unit="streams")
