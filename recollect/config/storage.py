"""Settings of what holds the data: the database, the indexes over it, embedding, background jobs and RAM."""

from __future__ import annotations

from recollect.config.section import SettingsSection, choice, setting, switch, text, weight
from recollect.limits import JOB_ATTEMPTS_MAX

VECTOR_BACKENDS = ("auto", "flat", "usearch", "mapped", "sqlite-vec", "faiss", "qdrant")
VECTOR_PRECISIONS = ("auto", "f32", "f16", "i8", "pq", "binary")
SEARCH_PLACES = ("auto", "memory", "database")
VECTOR_METRICS = ("cosine", "dot", "l2", "hamming")


class StoreSettings(SettingsSection):
    """The database file and the threads on it."""

    busy_timeout_s: float = setting(
        30.0,
        0.1,
        600,
        "How long a write waits for another process's lock before it gives up",
        live=False,
    )
    readers: int = setting(4, 1, 64, "How many connections may read at once", live=False)
    queue_max: int = setting(10_000, 1, 1_000_000, "How many writes may wait; callers beyond that block", live=False)
    group_max: int = setting(512, 1, 10_000, "How many queued writes one commit takes along", live=False)
    durable: bool = switch(
        True, "True survives a power cut (every commit is flushed), false only a killed process", live=False
    )
    cache_mb: int = setting(16, 1, 4096, "Size of the writer's page cache", live=False)
    checkpoint_pages: int = setting(
        8000, 100, 1_000_000, "Size of the log at which its pages move into the file", unit="pages", live=False
    )
    change_feed_max: int = setting(
        1_000_000, 1000, 100_000_000, "Changes kept for indexes that fell behind", unit="changes"
    )
    db_schema: str = text(
        "recollect",
        "The schema of a PostgreSQL database that holds the tables; `schema=` of the URL goes first",
        live=False,
    )
    connect_timeout_s: float = setting(10.0, 2, 600, "How long a connection to a database server may take", live=False)
    statement_timeout_s: float = setting(
        60.0, 1, 86_400, "How long a database server works on one statement before it gives up", live=False
    )
    prepared_statements: bool = switch(
        True, "Prepare statements that come often; false behind a pooler that cannot keep them", live=False
    )
    scoped_role: str = text(
        "",
        "Role of PostgreSQL that reads for some scopes take on, so that policies keep rows of others from them",
        live=False,
    )
    notify: bool = switch(
        True,
        "Tell other processes on PostgreSQL of each write (NOTIFY), and listen on a connection more for theirs",
        live=False,
    )
    partitions: int = setting(
        0,
        0,
        1024,
        "Into how many parts, by scope, PostgreSQL divides a table of vectors that it searches itself; 0 for one table",
        live=False,
    )
    pg_dump: str = text("pg_dump", "Program that makes backups of a store in PostgreSQL; empty makes none", live=False)
    check_hours: float = setting(
        24.0,
        0,
        8760,
        "A store that was left open is looked through in the background, at most once in so many hours; 0 never does",
    )
    close_timeout_s: float = setting(5.0, 0.1, 600, "How long closing waits for what is under way")


class BackupSettings(SettingsSection):
    """Whole copies of the store, made while it is used (docs/backups.md)."""

    interval_hours: float = setting(
        24.0, 0, 8760, "How old the newest backup may be before another is made by itself; 0 makes none"
    )
    keep: int = setting(3, 1, 1000, "How many backups of each kind are kept", unit="backups")
    before_changes: bool = switch(
        True, "Make one before a newer release changes the file, before imports and changes of key"
    )
    folder: str = text("", "Folder of the backups; empty is the store's own name with `.backups` beside it")


class IndexSettings(SettingsSection):
    """The text and vector indexes in memory, and how they follow the database."""

    search: str = choice(
        "auto",
        SEARCH_PLACES,
        "Where searches look: indexes in memory, or a database server; auto goes by size and memory (docs/postgres.md)",
    )
    memory_rows_max: int = setting(
        1_000_000,
        0,
        1_000_000_000,
        "Number of records up to which `auto` holds indexes in memory, where a database server could search",
        unit="records",
    )
    tail_max: int = setting(
        4096,
        0,
        1_000_000,
        "How many of the newest rows are answered before they are indexed",
        unit="rows",
        live=False,
    )
    commit_interval_s: float = setting(0.5, 0.01, 60, "Pause between two commits of the text index")
    poll_interval_s: float = setting(0.25, 0.01, 60, "Pause between two looks at the change feed")
    catch_up_rows: int = setting(
        2000, 0, 1_000_000, "Most changes that a search applies itself before it answers", unit="rows"
    )
    flat_max: int = setting(
        2000,
        0,
        1_000_000,
        "Number of vectors up to which they are scanned as they are; from there on a back end holds them",
        unit="vectors",
        live=False,
    )
    scan_max: int = setting(
        2000,
        0,
        10_000_000,
        "Number of allowed rows that are compared one by one without asking what the graph would cost",
        unit="rows",
        live=False,
    )
    hnsw_m: int = setting(16, 2, 128, "Links per vector in the graph", live=False)
    # A narrow beam builds faster, and building follows every write here.
    hnsw_ef_construction: int = setting(128, 8, 2000, "Candidates weighed while linking a new vector", live=False)
    hnsw_ef_search: int = setting(64, 8, 10_000, "Candidates weighed while searching the graph", live=False)
    backend: str = choice(
        "auto", VECTOR_BACKENDS, "What holds the vectors; auto goes by their number, use and memory (docs/scale.md)"
    )
    precision: str = choice(
        "auto",
        VECTOR_PRECISIONS,
        "How precisely vectors are kept in memory; pq and binary look again, in eight bits, at the best of them",
    )
    metric: str = choice(
        "cosine", VECTOR_METRICS, "What vectors are compared by; they are of length 1, so the first three rank alike"
    )
    spaces: str = text("", "Other choices for single models, as `minilm=usearch/f16, wordllama=flat/binary/hamming`")
    qdrant_url: str = text("", "Address of a Qdrant server; without it Qdrant runs inside the process")
    snapshot: bool = switch(True, "Keep a memory-mapped vector file for cold starts (unencrypted stores)", live=False)


class RamSettings(SettingsSection):
    """How much memory the process may take, and what it does when it takes more (docs/scale.md)."""

    budget_mb: int = setting(0, 0, 1_000_000, "Memory the process may take, by what is resident; 0 sets no bound")
    elevated: float = weight(0.8, "Share of it from which on one thing after the other is let go")
    critical: float = weight(0.95, "Share of it from which on everything is let go at once")
    gap: float = weight(0.1, "How far below the first share it must be before something is taken back")
    calm_s: float = setting(30.0, 0, 86_400, "How long it must stay there; longer each time that was too early")


class EmbeddingSettings(SettingsSection):
    """Turning text into vectors."""

    batch: int = setting(256, 1, 10_000, "Texts sent to the embedder at once", unit="texts")
    static_beside: bool = switch(
        True, "Keep the default model's vectors beside those of a slow embedder; both are weighed", live=False
    )
    timeout_s: float = setting(
        30.0, 0.1, 600, "How long to wait for the embedder, with all further attempts", live=False
    )
    retries: int = setting(3, 0, 20, "Further attempts at the embedder after a failure that may pass", live=False)
    dimensions: int = setting(
        0, 0, 65_536, "Length of vectors asked of a model that can shorten them; 0 takes the model's own", live=False
    )
    probe_ttl_s: float = setting(30.0, 0, 3600, "How long it is believed that a model answers, or does not", live=False)
    probe_timeout_s: float = setting(2.0, 0.05, 60, "How long to wait when looking whether a model answers", live=False)


class JobsSettings(SettingsSection):
    """The durable queue of background work."""

    lease_s: float = setting(60.0, 1, 86_400, "Time a worker owns a job before another may take it")
    attempts_max: int = setting(5, 1, JOB_ATTEMPTS_MAX, "Attempts before a job is set aside")
    backoff_s: float = setting(2.0, 0.01, 3600, "Wait after a job's first failure; doubles each time")
    tick_s: float = setting(60.0, 0.1, 86_400, "Pause between two looks for due work")
    start_delay_s: float = setting(60.0, 0, 86_400, "Quiet time after opening before background work begins")
    defer_s: float = setting(5.0, 0, 3600, "Delay of due work while a conversation runs")
