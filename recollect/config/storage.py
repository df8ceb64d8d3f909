"""Settings of what holds the data: the database, the indexes over it, embedding, background jobs and RAM."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.config.section import Section, choice, setting, switch, table, weight
from recollect.limits import JOB_ATTEMPTS_MAX


class Store(Section):
    """The database file and the threads on it."""

    busy_timeout_s: float = setting(30.0, 0.1, 600, "Wait for another process's write lock before giving up")
    readers: int = setting(4, 1, 64, "Connections that read at once", live=False)
    queue_max: int = setting(10_000, 1, 1_000_000, "Writes that may wait; callers beyond block", live=False)
    group_max: int = setting(512, 1, 10_000, "Queued writes one commit takes along")
    durable: bool = switch(True, "True survives a power cut (fsync per commit), False a killed process", live=False)
    cache_mb: int = setting(16, 1, 4096, "Page cache of the writer", live=False)
    checkpoint_pages: int = setting(
        8000, 100, 1_000_000, "Log pages before they move into the file", unit="pages", live=False
    )
    change_feed_max: int = setting(
        1_000_000, 1000, 100_000_000, "Changes kept for indexes that fell behind", unit="changes"
    )
    drain_timeout_s: float = setting(2.0, 0.1, 600, "Wait for queued writes when closing (Engram §33.2)")
    close_timeout_s: float = setting(5.0, 0.1, 600, "Wait for everything when closing (Engram §33.2)")
    backup_interval_hours: float = setting(
        24.0, 0.1, 8760, "Age of the last backup at which opening makes a new one (Engram §32.4)"
    )
    integrity_errors_max: int = setting(100, 1, 10_000, "Faults an integrity check lists (Engram §32.4)")


class Index(Section):
    """The text and vector indexes in memory, and how they follow the database."""

    tail_max: int = setting(4096, 0, 1_000_000, "Newest rows answered before they are indexed", unit="rows")
    commit_interval_s: float = setting(0.5, 0.01, 60, "Pause between two commits of the text index")
    poll_interval_s: float = setting(0.25, 0.01, 60, "Pause between two looks at the change feed")
    catch_up_rows: int = setting(2000, 0, 1_000_000, "Changes a search applies itself before it answers", unit="rows")
    flat_max: int = setting(
        2000,
        0,
        1_000_000,
        "Vectors up to which a scan replaces the graph (Engram §36.1: 1000)",
        unit="vectors",
    )
    scan_max: int = setting(
        10_000, 0, 10_000_000, "Allowed rows up to which a filtered search is an exact scan", unit="rows"
    )
    hnsw_m: int = setting(16, 2, 128, "Links per vector in the graph (Engram §9)", live=False)
    hnsw_m_max: int = setting(32, 4, 256, "Links per vector in its lowest layer (Engram §9)", live=False)
    # Engram asks for 200; a narrower beam builds faster, and building follows every write here.
    hnsw_ef_construction: int = setting(
        128, 8, 2000, "Candidates weighed while linking a new vector (Engram §9: 200)", live=False
    )
    hnsw_ef_search: int = setting(64, 8, 10_000, "Candidates weighed while searching")
    hnsw_dtype: str = choice("f16", ("f32", "f16"), "Precision of vectors in memory", live=False)
    snapshot: bool = switch(True, "Keep a memory-mapped vector file for cold starts (unencrypted stores)", live=False)
    snapshots_kept: int = setting(3, 1, 100, "Snapshots kept, older ones go (Engram §36.9.3)")
    rebuild_changes: int = setting(
        1000, 1, 10_000_000, "Changes after which a mapped index is rebuilt (Engram §36.4)", unit="changes"
    )
    warm_batch: int = setting(500, 1, 100_000, "Vectors loaded per step while warming (Engram §9)", unit="vectors")
    warm_yield_ms: float = setting(10.0, 0, 10_000, "Rest between two such steps (Engram §9)")


class Vector(Section):
    """Which vector index serves, how precise it is and how filters are applied."""

    backend: str = choice(
        "auto",
        ("auto", "flat", "hnsw", "mmap", "disk", "qdrant", "faiss"),
        "Index to use; auto decides by size and RAM (Engram §36.1)",
        live=False,
    )
    metric: str = choice("cosine", ("cosine", "dot", "l2"), "Distance of a new space (Engram §36.9.1)", live=False)
    memory_max: int = setting(
        100_000,
        1000,
        100_000_000,
        "Vectors kept in memory before the disk takes over (Engram §18.5)",
        unit="vectors",
    )
    disk_from: int = setting(
        1_000_000,
        10_000,
        1_000_000_000,
        "Vectors from which the database itself searches (Engram §36.6)",
        unit="vectors",
    )
    ram_share: float = weight(0.5, "Share of free RAM an index may take (Engram §36.6)")
    unused_days: float = setting(7.0, 0, 3650, "Days without a vector search that put off a rebuild (Engram §36.6)")
    quantize_from: int = setting(
        50_000, 0, 100_000_000, "Vectors from which full precision is given up (Engram §36.2)", unit="vectors"
    )
    warm_after_days: float = setting(
        7.0, 0, 3650, "Age since use at which a vector gets 8 bits a dimension (Engram §36.2)"
    )
    cold_after_days: float = setting(
        30.0, 0, 7300, "Age since use at which it gets product codes (Engram §36.2)", above="warm_after_days"
    )
    codes: int = setting(48, 1, 1024, "Sub-vectors of a product code (Engram §36.2)", live=False)
    codebook: int = setting(256, 2, 256, "Centroids per sub-vector (Engram §36.2)", live=False)
    codebook_sample: int = setting(
        10_000, 256, 10_000_000, "Vectors a codebook is trained on (Engram §36.2)", unit="vectors"
    )
    scan_share: float = weight(0.01, "Allowed share of a space below which it is scanned (Engram §36.3)")
    narrow_share: float = weight(0.10, "Allowed share below which a search over-fetches most (Engram §36.3)")
    narrow_overfetch: int = setting(20, 1, 1000, "Times k fetched for a narrow filter (Engram §36.3)")
    broad_overfetch: int = setting(3, 1, 100, "Times k fetched for a broad filter (Engram §36.3)")
    old_space_factor: float = weight(0.9, "Factor on scores from a superseded model's space (Engram §36.5)")
    import_batch_min: int = setting(
        1000,
        1,
        10_000_000,
        "Import size from which inverted lists are built (Engram §36.9.2)",
        unit="vectors",
    )
    import_probes: int = setting(10, 1, 10_000, "Inverted lists read per search (Engram §36.9.2)")
    import_yield_ms: float = setting(1.0, 0, 10_000, "Rest between import batches (Engram §36.9.2)")


class Embedding(Section):
    """Turning text into vectors."""

    batch: int = setting(256, 1, 10_000, "Texts sent to the embedder at once", unit="texts")
    static_beside: bool = switch(
        True, "Keep the default model's vectors beside those of a slow embedder; both are weighed", live=False
    )
    timeout_s: float = setting(30.0, 0.1, 600, "Wait for the embedder (Engram §34.10)")
    retries: int = setting(3, 0, 20, "Further attempts after a failure that may pass")
    backfill_batch: int = setting(50, 1, 10_000, "Records embedded per background step (Engram §22)", unit="records")
    backfill_sleep_ms: float = setting(100.0, 0, 60_000, "Rest between two such steps (Engram §22)")
    query_chars: int = setting(2000, 10, 20_000, "Length at which a query is cut for embedding (Engram §18.5)")
    input_tokens: int = setting(8192, 16, 1_000_000, "Length at which a record is cut for embedding (Engram §34.10)")
    dimensions: int = setting(
        0, 0, 65_536, "Dimensions asked of a model that can shorten its vectors; 0 takes its own", live=False
    )
    probe_ttl_s: float = setting(30.0, 0, 3600, "Time a health answer is believed (Engram §32.2)")
    probe_timeout_s: float = setting(2.0, 0.05, 60, "Wait for a health answer (Engram §32.2)")


class Jobs(Section):
    """The durable queue of background work."""

    lease_s: float = setting(60.0, 1, 86_400, "Time a worker owns a job before another may take it")
    attempts_max: int = setting(5, 1, JOB_ATTEMPTS_MAX, "Attempts before a job is set aside")
    backoff_s: float = setting(2.0, 0.01, 3600, "Wait after the first failure; doubles each time")
    heavy_max: int = setting(1, 1, 16, "Heavy jobs running at once (Engram §22)")
    runs_max: int = setting(4, 1, 256, "Jobs of any kind running at once (Engram §20)")
    tick_s: float = setting(60.0, 0.1, 86_400, "Pause between two looks for due work (Engram §22)")
    start_delay_s: float = setting(60.0, 0, 86_400, "Quiet time after opening (Engram §33.1)")
    yield_ms: float = setting(500.0, 1, 60_000, "Rest while somebody waits for an answer (Engram §22)")
    defer_s: float = setting(5.0, 0, 3600, "Delay of due work while a conversation runs (Engram §17.5.9)")
    stalled_after_s: float = setting(
        3600.0, 60, 604_800, "Silence after which upkeep counts as stalled (Engram §34.11)"
    )


class Ram(Section):
    """How much memory the process may take, and what it gives up under pressure."""

    budget_mb: int = setting(1024, 64, 1_048_576, "Most the engine takes on a normal machine (Engram §21)")
    small_budget_mb: int = setting(512, 64, 1_048_576, "Most it takes on a small machine (Engram §21)")
    small_machine_mb: int = setting(8192, 256, 1_048_576, "Installed RAM up to which a machine is small (Engram §21)")
    warning_mb: int = setting(250, 50, 1_000_000, "Use at which shedding begins (Engram §34.6)")
    critical_mb: int = setting(
        350, 100, 1_048_576, "Use at which indexes go to disk (Engram §34.6)", above="warning_mb", gap=50
    )
    elevated_share: float = setting(0.7, 0.1, 0.95, "Share of the budget where pressure is elevated (Engram §21)")
    critical_share: float = setting(
        0.9,
        0.15,
        1.0,
        "Share of the budget where pressure is critical (Engram §21)",
        above="elevated_share",
        gap=0.05,
    )
    evict_share: float = weight(0.2, "Weakest share of vectors dropped under elevated pressure (Engram §21)")
    agent_idle_s: float = setting(1800.0, 10, 604_800, "Silence after which an agent's buffers go (Engram §21)")
    agent_bytes: int = setting(61_440, 1024, 1_073_741_824, "Buffers one active agent is expected to take (Engram §21)")
    turns: Mapping[str, float] = table(
        {"normal": 20, "elevated": 10, "critical": 5},
        1,
        1000,
        "Sensory turns per agent, by pressure (Engram §21)",
    )
    slots: Mapping[str, float] = table(
        {"normal": 9, "elevated": 7, "critical": 5},
        1,
        100,
        "Working slots per agent, by pressure (Engram §21)",
    )
    readers: Mapping[str, float] = table(
        {"normal": 8, "elevated": 4, "critical": 2}, 1, 64, "Readers kept open, by pressure (Engram §21)"
    )
