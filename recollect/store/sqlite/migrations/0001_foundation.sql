-- The ground floor. Times are microseconds since 1970 UTC. JSON columns hold NULL instead of an empty value.

CREATE TABLE scope (  -- who may see a record; records carry the small key
  pk       INTEGER PRIMARY KEY,
  key      TEXT NOT NULL UNIQUE,
  project  TEXT,
  squad    TEXT,
  agent_id TEXT,
  channel  TEXT,
  user_id  TEXT
) STRICT;

CREATE TABLE session (
  pk              INTEGER PRIMARY KEY,
  id              TEXT NOT NULL,
  scope_pk        INTEGER NOT NULL REFERENCES scope(pk),
  started_at      INTEGER NOT NULL,
  last_turn_at    INTEGER NOT NULL,
  consolidated_at INTEGER,
  attributes      TEXT,
  UNIQUE (id, scope_pk)
) STRICT;

-- One row is one version. The current one has head_pk NULL and keeps its pk for life, so edges, mentions and
-- vectors never move; earlier versions are copies that point at it.
CREATE TABLE record (
  pk             INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT NOT NULL,
  head_pk        INTEGER REFERENCES record(pk) ON DELETE CASCADE,
  version        INTEGER NOT NULL DEFAULT 1 CHECK (version >= 1),
  scope_pk       INTEGER NOT NULL REFERENCES scope(pk),
  session_pk     INTEGER REFERENCES session(pk),
  kind           TEXT NOT NULL CHECK (kind IN ('episodic','semantic','procedural','opinion','entity','snippet','schema')),
  category       TEXT NOT NULL CHECK (category <> ''),
  tier           TEXT NOT NULL DEFAULT 'longterm' CHECK (tier IN ('task','session','longterm','archive')),
  content        TEXT NOT NULL CHECK (content <> ''),
  content_hash   TEXT NOT NULL,
  subject        TEXT,
  predicate      TEXT,
  object         TEXT,
  tags           TEXT CHECK (tags IS NULL OR json_type(tags) = 'array'),
  metadata       TEXT CHECK (metadata IS NULL OR json_type(metadata) = 'object'),
  attributes     TEXT CHECK (attributes IS NULL OR json_type(attributes) = 'object'),
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  recorded_at    INTEGER NOT NULL,
  retired_at     INTEGER,
  event_time     INTEGER,
  valid_from     INTEGER,
  valid_until    INTEGER,
  confidence     REAL NOT NULL DEFAULT 1.0 CHECK (confidence >= 0.0 AND confidence <= 1.0),
  importance     REAL NOT NULL DEFAULT 0.5 CHECK (importance >= 0.0 AND importance <= 1.0),
  strength       REAL NOT NULL DEFAULT 1.0 CHECK (strength >= 0.0),
  decay_rate     REAL CHECK (decay_rate IS NULL OR decay_rate >= 0.0),
  half_life_days REAL CHECK (half_life_days IS NULL OR half_life_days > 0.0),
  access_count    INTEGER NOT NULL DEFAULT 0 CHECK (access_count >= 0),
  access_sessions INTEGER NOT NULL DEFAULT 0 CHECK (access_sessions >= 0),
  last_access     INTEGER,
  success_count   INTEGER NOT NULL DEFAULT 0 CHECK (success_count >= 0),
  failure_count   INTEGER NOT NULL DEFAULT 0 CHECK (failure_count >= 0),
  valence        REAL CHECK (valence IS NULL OR (valence >= -1.0 AND valence <= 1.0)),
  arousal        REAL CHECK (arousal IS NULL OR (arousal >= 0.0 AND arousal <= 1.0)),
  intensity      REAL CHECK (intensity IS NULL OR (intensity >= 0.0 AND intensity <= 1.0)),
  dominance      REAL CHECK (dominance IS NULL OR (dominance >= 0.0 AND dominance <= 1.0)),
  surprise       REAL CHECK (surprise IS NULL OR (surprise >= 0.0 AND surprise <= 1.0)),
  source         TEXT,
  role           TEXT,
  speaker        TEXT,
  provenance_sessions TEXT,
  needs_review   INTEGER NOT NULL DEFAULT 0 CHECK (needs_review IN (0, 1)),
  user_verified  INTEGER NOT NULL DEFAULT 0 CHECK (user_verified IN (0, 1)),
  flagged        INTEGER NOT NULL DEFAULT 0 CHECK (flagged IN (0, 1)),
  security       TEXT NOT NULL DEFAULT 'cleartext' CHECK (security IN ('cleartext','sensitive','confidential')),
  place          TEXT,
  facets         TEXT,
  CHECK (valid_from IS NULL OR valid_until IS NULL OR valid_from <= valid_until)
) STRICT;

CREATE UNIQUE INDEX record_id ON record (id) WHERE head_pk IS NULL;
CREATE INDEX record_past ON record (head_pk) WHERE head_pk IS NOT NULL;
CREATE INDEX record_scope ON record (scope_pk);
CREATE INDEX record_session ON record (session_pk) WHERE session_pk IS NOT NULL;
CREATE INDEX record_hash ON record (content_hash);
CREATE INDEX record_review ON record (needs_review) WHERE needs_review = 1;
CREATE INDEX record_archive ON record (tier) WHERE tier = 'archive';

-- Times in which a record was deleted before it was brought back: what we did not believe then.
CREATE TABLE gap (
  record_pk INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  from_at   INTEGER NOT NULL,
  until_at  INTEGER NOT NULL,
  PRIMARY KEY (record_pk, from_at)
) STRICT, WITHOUT ROWID;

-- Terms of every row, past versions included; the words themselves are in record.content.
CREATE VIRTUAL TABLE record_text USING fts5 (
  terms, content='', contentless_delete=1,  -- positions too: without them bm25() of a contentless table is always 0
  tokenize="unicode61 remove_diacritics 2 tokenchars '._-@#' categories 'L* N* Co Mn Mc'"
);
INSERT INTO record_text (record_text, rank) VALUES ('automerge', 0);  -- segments merge sixteen at a time, not at every write
CREATE VIRTUAL TABLE record_vocabulary USING fts5vocab (record_text, row);

CREATE TABLE edge (
  pk             INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT NOT NULL UNIQUE,
  family         TEXT NOT NULL CHECK (family IN ('relation','composition','causation','context')),
  label          TEXT NOT NULL CHECK (label <> ''),
  weight         REAL NOT NULL DEFAULT 1.0 CHECK (weight >= 0.0),
  confidence     REAL NOT NULL DEFAULT 1.0 CHECK (confidence >= 0.0 AND confidence <= 1.0),
  evidence       TEXT,
  auto_extracted INTEGER NOT NULL DEFAULT 0 CHECK (auto_extracted IN (0, 1)),
  attributes     TEXT,
  valid_from     INTEGER,
  valid_until    INTEGER,
  recorded_at    INTEGER NOT NULL,
  retired_at     INTEGER
) STRICT;

CREATE TABLE member (
  edge_pk   INTEGER NOT NULL REFERENCES edge(pk) ON DELETE CASCADE,
  record_pk INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  role      TEXT NOT NULL CHECK (role IN ('subject','object','context','participant','cause','effect')),
  position  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (edge_pk, record_pk, role)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_record ON member (record_pk, edge_pk);

CREATE TABLE entity (
  pk            INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  scope_pk      INTEGER NOT NULL REFERENCES scope(pk),
  name          TEXT NOT NULL,
  folded        TEXT NOT NULL,  -- the name as it is compared
  type          TEXT NOT NULL CHECK (type IN ('person','project','organization','place','concept','tool','technology','file','service')),
  aliases       TEXT,
  summary       TEXT,
  attributes    TEXT,
  first_seen    INTEGER NOT NULL,
  last_seen     INTEGER NOT NULL,
  retired_at    INTEGER
) STRICT;
CREATE INDEX entity_name ON entity (folded, scope_pk);

CREATE TABLE alias (
  entity_pk INTEGER NOT NULL REFERENCES entity(pk) ON DELETE CASCADE,
  folded    TEXT NOT NULL,
  PRIMARY KEY (folded, entity_pk)
) STRICT, WITHOUT ROWID;

CREATE TABLE mention (
  record_pk INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  entity_pk INTEGER NOT NULL REFERENCES entity(pk) ON DELETE CASCADE,
  surface   TEXT,
  PRIMARY KEY (record_pk, entity_pk)
) STRICT, WITHOUT ROWID;
CREATE INDEX mention_entity ON mention (entity_pk, record_pk);

CREATE TABLE space (  -- one embedding model's vectors; two models never share one
  pk         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL CHECK (dimensions > 0),
  metric     TEXT NOT NULL DEFAULT 'cosine',
  dtype      TEXT NOT NULL DEFAULT 'f16' CHECK (dtype IN ('f16','f32')),
  state      TEXT NOT NULL CHECK (state IN ('active','building','retired')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE vector (
  space_pk  INTEGER NOT NULL REFERENCES space(pk) ON DELETE CASCADE,
  record_pk INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  data      BLOB NOT NULL,
  PRIMARY KEY (space_pk, record_pk)
) STRICT, WITHOUT ROWID;
CREATE INDEX vector_record ON vector (record_pk);

CREATE TABLE change (  -- what derived indexes have to look at again, in order
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  topic    TEXT NOT NULL CHECK (topic IN ('record','vector','edge','entity')),
  first_pk INTEGER NOT NULL,
  last_pk  INTEGER NOT NULL,
  space_pk INTEGER
) STRICT;

CREATE TABLE operation (
  pk        INTEGER PRIMARY KEY AUTOINCREMENT,
  id        TEXT NOT NULL UNIQUE,
  verb      TEXT NOT NULL,
  at        INTEGER NOT NULL,
  scope_pk  INTEGER REFERENCES scope(pk),
  actor     TEXT,
  reason    TEXT,
  count     INTEGER NOT NULL DEFAULT 0,
  final     INTEGER NOT NULL DEFAULT 0 CHECK (final IN (0, 1)),  -- 1: an erasure, nothing is left to restore
  undoes    INTEGER REFERENCES operation(pk),
  undone_by INTEGER REFERENCES operation(pk)
) STRICT;

-- What an operation replaced. `before` NULL: the rows were new. Otherwise the old values of the columns it changed,
-- the same for every row from first_pk to last_pk. Spans are short, so that a row's entries are found by a range.
CREATE TABLE journal (
  pk           INTEGER PRIMARY KEY AUTOINCREMENT,
  operation_pk INTEGER NOT NULL REFERENCES operation(pk),
  relation     TEXT NOT NULL CHECK (relation IN ('record','vector','edge','member','entity','alias','mention')),
  first_pk     INTEGER NOT NULL,
  last_pk      INTEGER NOT NULL,
  other_pk     INTEGER,  -- second half of a two-part key: the space of a vector, the entity of a mention
  before       TEXT
) STRICT;
CREATE INDEX journal_operation ON journal (operation_pk);
CREATE INDEX journal_rows ON journal (relation, first_pk);

CREATE TABLE audit (  -- who did what when, never the content
  pk        INTEGER PRIMARY KEY AUTOINCREMENT,
  at        INTEGER NOT NULL,
  actor     TEXT,
  verb      TEXT NOT NULL,
  scope_pk  INTEGER,
  operation_pk INTEGER,
  count     INTEGER NOT NULL DEFAULT 0,
  outcome   TEXT NOT NULL DEFAULT 'ok'
) STRICT;

CREATE TABLE evolution_log (  -- every move between tiers, with its reason
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  timestamp  INTEGER NOT NULL,
  operation  TEXT NOT NULL,
  node_ids   TEXT NOT NULL,
  from_tier  TEXT,
  to_tier    TEXT,
  reasoning  TEXT
) STRICT;

CREATE TABLE job (
  pk          INTEGER PRIMARY KEY AUTOINCREMENT,
  kind        TEXT NOT NULL,
  payload     TEXT NOT NULL,
  state       TEXT NOT NULL DEFAULT 'ready' CHECK (state IN ('ready','running','done','failed')),
  attempts    INTEGER NOT NULL DEFAULT 0,
  run_after   INTEGER NOT NULL,
  lease_until INTEGER,
  lease_owner TEXT,
  progress    REAL NOT NULL DEFAULT 0.0,
  error       TEXT,
  created_at  INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE INDEX job_ready ON job (state, run_after);

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
