"""Settings of protection and of the doors: security, the sandbox and interfaces."""

from __future__ import annotations

from recollect.config.section import SettingsSection, choice, setting, switch, text, weight
from recollect.limits import IMPORT_BYTES_MAX, SANDBOX_CHARS_MAX, SANDBOX_MEMORY_MB_MIN


class SecuritySettings(SettingsSection):
    """Keeping memories from those they are not for."""

    limit_searches: bool = switch(False, "Whether sessions and tokens may only search so often: per minute, and in all")
    searches_per_minute: int = setting(20, 1, 1_000_000, "Searches a session may make in a minute")
    searches_per_session: int = setting(200, 1, 100_000_000, "Searches that a session may make in all")
    limit_writes: bool = switch(False, "Whether sessions and tokens may only write so often: per minute, and in all")
    writes_per_minute: int = setting(60, 1, 1_000_000, "Writes a session may make in a minute")
    writes_per_session: int = setting(2_000, 1, 100_000_000, "Writes that a session may make in all")
    coarse_scores: bool = switch(
        False, "Whether callers other than the owner see scores in four steps only: 0, .4, .6 and .85"
    )
    noisy_scores: bool = switch(False, "Whether callers other than the owner see scores with noise; the order stays")
    noise_scale: float = setting(0.05, 0.001, 1.0, "Scale of that noise (Laplace), where scores go from 0 to 1")
    even_timing: bool = switch(False, "Whether every search takes a whole number of search_floor_ms")
    search_floor_ms: float = setting(50.0, 1.0, 10_000.0, "Step of the time that a search takes with even_timing")
    plugin_searches_per_minute: int = setting(
        100, 1, 1_000_000, "Searches that an untrusted vector back end is asked to make in a minute"
    )
    harden_process: bool = switch(
        True, "Whether a process that opens an encrypted store turns core dumps off and shuts out debuggers", live=False
    )
    pad: bool = switch(False, "Whether an encrypted file grows in steps, which hide how much it holds", live=False)
    pad_bytes: int = setting(524_288, 65_536, 1_073_741_824, "Step in which an encrypted file grows", live=False)
    coarse_times: bool = switch(
        False,
        "Whether the times of a store's files tell the day only; backups by time miss changes",
        live=False,
    )
    idle_checkpoint_s: float = setting(
        60.0,
        0,
        86_400,
        "Pause after which the log of an encrypted store is folded into its file and emptied; 0 is never",
        live=False,
    )
    hide_files: bool = switch(
        False,
        "Whether files of a store have the attribute hidden, where the system knows one (macOS, Windows)",
        live=False,
    )
    hidden_volume: bool = switch(
        False, "Experiment: whether stores in containers, one of them hidden, may be made and opened", live=False
    )
    decoy: bool = switch(
        False,
        "Experiment: whether an encrypted store elsewhere leaves an empty plain file at the default path",
        live=False,
    )
    import_confidence_max: float = weight(0.5, "Most that an imported record is believed at first")
    import_age_days: int = setting(
        18_262, 1, 3_650_000, "Age that an imported record may have; older ones are dated to that day", unit="days"
    )
    personal: str = choice(
        "keep",
        ("keep", "tier", "redact", "refuse"),
        "What becomes of personal data in a text: kept, sealed under its tier, taken out, or refused",
    )
    personal_in: str = text("", "Other modes of personal for some scopes, such as 'project=payroll: redact'")
    sensitive_shown: str = choice(
        "text",
        ("text", "redacted"),
        "How readers who may see a sensitive record see it: with its text, or without personal data",
    )
    sensitive_shown_in: str = text(
        "", "Other modes of sensitive_shown for some scopes, such as 'channel=web: redacted'"
    )
    secrets: str = choice(
        "auto",
        ("auto", "vault", "replace", "keep", "refuse"),
        "What becomes of passwords, keys and tokens in a text: kept in the vault by a reference, replaced by "
        "[secret:KIND], kept as they are, or refused; auto: in the vault where there is one, else replaced",
    )
    secrets_in: str = text("", "Other modes of secrets for some scopes, such as 'project=honeypot: keep'")
    injection_screen: bool = switch(True, "Whether texts are looked at for instructions to the model that reads them")
    injection_mark: float = weight(0.8, "Probability of instructing its reader from which a text is marked")
    injection_people: float = weight(0.9, "Probability from which injection_people_action is taken")
    injection_people_action: str = choice(
        "mark", ("keep", "mark", "quarantine", "refuse"), "What becomes of such a text in a person's turn"
    )
    injection_tools: float = weight(0.9, "Probability from which injection_tools_action is taken")
    injection_unsaid: float = weight(
        0.98, "The same where no sign of an order is found, for a person's words and for a text without a role"
    )
    approval: str = choice(
        "none",
        ("none", "wait"),
        "Whether what agents write waits, kept apart, until a person or an owner agent approves",
    )
    approval_in: str = text(
        "",
        "Other modes of approval for some scopes, and which agents may approve, such as "
        "'agent_id=scraper: wait, agent_id=boss project=shop: approve'",
    )
    injection_tools_action: str = choice(
        "quarantine",
        ("keep", "mark", "quarantine", "refuse"),
        "What becomes of such a text from a tool, a document, an import, or without a role",
    )


class AuditSettings(SettingsSection):
    """What is noted of every call, and for how long it is kept."""

    reads: bool = switch(True, "Whether reads leave an entry, too; writes and refusals always do")
    ring: int = setting(2_000, 10, 1_000_000, "Entries of reads that may wait in memory to be written", unit="entries")
    days: int = setting(365, 1, 36_500, "Age from which upkeep removes entries", unit="days")
    rows_max: int = setting(200_000, 100, 1_000_000_000, "Entries that upkeep keeps at most", unit="entries")


class TelemetrySettings(SettingsSection):
    """What is told to programs that watch programs. Never content."""

    otel: bool = switch(
        False, "Whether verbs and levels of health are told to OpenTelemetry (extra `otel`)", live=False
    )


class SandboxSettings(SettingsSection):
    """Code a model runs over its memory."""

    time_s: float = setting(2.0, 0.05, 600, "Time a piece of code may take")
    memory_mb: int = setting(256, SANDBOX_MEMORY_MB_MIN, 65_536, "Memory that a piece of code may take")
    output_chars: int = setting(20_000, 100, SANDBOX_CHARS_MAX, "Text that a piece of code may print")
    result_chars: int = setting(100_000, 100, SANDBOX_CHARS_MAX, "Text of what a piece of code leaves as its result")
    memory_calls: int = setting(
        1000, 0, 1_000_000, "Times that a piece of code may call functions of the memory", unit="calls"
    )


class ServeSettings(SettingsSection):
    """The doors: tools, MCP, REST, hooks."""

    answer_tokens: int = setting(4_000, 50, 1_000_000, "Size of a tool's answer, unless the call asks for another")
    host: str = text("127.0.0.1", "Address that the server listens on; off loopback it wants tokens", live=False)
    port: int = setting(
        7077, 0, 65_535, "Port that the server listens on; 0 takes any that is free", unit="port", live=False
    )
    hosts: str = text("", "Further names that the server is reached by, separated by commas", live=False)
    require_token: bool = switch(False, "Whether the server asks for a token on loopback, too", live=False)
    change_settings: bool = switch(
        True, "Whether the owner may change settings and connect clients over HTTP, as on the page"
    )
    workers: int = setting(
        1, 1, 64, "Processes that answer, each with the indexes in memory", unit="processes", live=False
    )
    threads: int = setting(4, 1, 256, "Calls that run at once in each process", unit="calls", live=False)
    waiting_max: int = setting(256, 0, 100_000, "Calls that may wait for their turn; more are sent away", unit="calls")
    requests_per_minute: int = setting(6000, 0, 100_000_000, "Requests a token may make in a minute; 0 is any number")
    tool_searches_per_minute: int = setting(
        300, 0, 100_000_000, "Searches that tools may make over the network with one token in a minute; 0 is any number"
    )
    tool_writes_per_minute: int = setting(
        300, 0, 100_000_000, "Writes that tools may make over the network with one token in a minute; 0 is any number"
    )
    body_bytes_max: int = setting(16_777_216, 1024, 1_073_741_824, "Size of the largest body of a request")
    import_bytes_max: int = setting(
        IMPORT_BYTES_MAX, 1024, 1_099_511_627_776, "Size of the largest file that is imported over HTTP"
    )
    header_timeout_s: float = setting(10.0, 0.1, 600, "Time a client has to say what it wants", live=False)
    body_timeout_s: float = setting(30.0, 0.1, 3600, "Time a client has to send the body of a request")
    answer_timeout_s: float = setting(60.0, 0.1, 86_400, "Time that an answer may take")
    keep_alive_s: int = setting(30, 1, 3600, "Time a connection is kept for the next request", unit="s", live=False)
    drain_s: int = setting(
        20, 1, 3600, "Time to finish what runs when the server is told to stop", unit="s", live=False
    )
    heartbeat_s: float = setting(15.0, 0.1, 600, "Pause after which an event stream gives a sign of life")
    event_streams_max: int = setting(64, 0, 10_000, "Event streams that may be open at once", unit="streams")
