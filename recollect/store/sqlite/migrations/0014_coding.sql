-- What agents do, and the code they do it to.

-- Files that notes of agents are about were kept as `files` of their metadata once, where no search looks for them.
UPDATE record
SET metadata = json_remove(json_set(metadata, '$.related_files', json_extract(metadata, '$.files')), '$.files')
WHERE json_valid(metadata) AND json_type(metadata, '$.files') = 'array'
  AND json_type(metadata, '$.related_files') IS NULL
  AND category IN ('gotcha', 'decision', 'preference', 'pattern', 'requirement', 'error_pattern', 'module_insight',
                   'workflow', 'work_state', 'dead_end')
  AND (SELECT count(*) FROM json_each(metadata)) = 1;  -- as the tool stored them; other metadata is its caller's own

-- What coding agents do: the shape of each event, never what files, prompts or answers said. Derived from events like
-- indexes from rows: not journalled, not exported.
CREATE TABLE agent_project (
  root     TEXT PRIMARY KEY,  -- the folder that all work trees of a repository share
  name     TEXT NOT NULL,  -- its project
  first_at INTEGER NOT NULL,
  last_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE agent_session (
  pk         INTEGER PRIMARY KEY AUTOINCREMENT,
  scope_pk   INTEGER NOT NULL REFERENCES scope(pk),
  client     TEXT NOT NULL,
  id         TEXT NOT NULL,
  root       TEXT NOT NULL DEFAULT '',  -- '': nobody said in which folder
  started_at INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  ended_at   INTEGER,
  outside    INTEGER NOT NULL DEFAULT 0,  -- files outside the project that were touched: only their number is kept
  derived_to INTEGER NOT NULL DEFAULT 0,  -- key of the last event that its signals were derived from
  concluded_to INTEGER NOT NULL DEFAULT 0,  -- … and of the last one that records were concluded from
  UNIQUE (scope_pk, client, id)
) STRICT;
CREATE INDEX agent_session_id ON agent_session (id);

CREATE TABLE agent_event (
  pk          INTEGER PRIMARY KEY AUTOINCREMENT,
  scope_pk    INTEGER NOT NULL REFERENCES scope(pk),
  session_pk  INTEGER NOT NULL REFERENCES agent_session(pk) ON DELETE CASCADE,
  key         TEXT NOT NULL,  -- by which it is known when it comes again
  origin      TEXT NOT NULL,  -- hook, transcript or call
  type        TEXT NOT NULL,
  at          INTEGER NOT NULL,
  step        INTEGER,  -- where its client numbers steps
  agent       TEXT,  -- of a sub-agent
  tool        TEXT,
  class       TEXT,
  target      TEXT,  -- a print of the command that was run
  duration_ms INTEGER,
  error       TEXT,  -- at most 200 characters, secrets taken out
  error_hash  TEXT,
  detail      TEXT,  -- JSON: source and mode of a moment, length and print of its text, figures of a plan
  UNIQUE (session_pk, key)
) STRICT;
CREATE INDEX agent_event_at ON agent_event (at);
CREATE INDEX agent_event_error ON agent_event (error_hash) WHERE error_hash IS NOT NULL;

CREATE TABLE agent_file (
  event_pk INTEGER NOT NULL REFERENCES agent_event(pk) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  path     TEXT NOT NULL,  -- within the project
  class    TEXT NOT NULL,
  detail   TEXT,  -- JSON: lines that were read; hunks of an edit, prints of the lines that went and came
  PRIMARY KEY (event_pk, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_file_path ON agent_file (path);

CREATE TABLE agent_signal (
  pk         INTEGER PRIMARY KEY AUTOINCREMENT,
  scope_pk   INTEGER NOT NULL REFERENCES scope(pk),
  session_pk INTEGER NOT NULL REFERENCES agent_session(pk) ON DELETE CASCADE,
  kind       TEXT NOT NULL,  -- co_access, error_retry, backtrack, sequence, time_anomaly
  subject    TEXT NOT NULL,  -- a file, an error, classes of tools in a row
  other      TEXT NOT NULL DEFAULT '',  -- the other file of a pair
  count      INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  detail     TEXT,  -- JSON
  UNIQUE (session_pk, kind, subject, other)
) STRICT;
CREATE INDEX agent_signal_subject ON agent_signal (kind, subject);

CREATE TABLE agent_error (
  pk       INTEGER PRIMARY KEY AUTOINCREMENT,
  scope_pk INTEGER NOT NULL REFERENCES scope(pk),
  tool     TEXT NOT NULL,
  hash     TEXT NOT NULL,
  text     TEXT NOT NULL,  -- normalised
  count    INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at  INTEGER NOT NULL,
  cure     TEXT,  -- JSON: what was edited before the same thing went well
  cured_at INTEGER,
  UNIQUE (scope_pk, tool, hash)
) STRICT;

-- Spools that were taken in: noted with their events, so that a file which outlives its process is not taken in again.
CREATE TABLE spool_taken (
  name   TEXT PRIMARY KEY,
  at     INTEGER NOT NULL,
  events INTEGER NOT NULL,
  cut    INTEGER NOT NULL  -- lines that were no whole event
) STRICT, WITHOUT ROWID;

-- The graph of a project's code. Derived from its files: rebuilt without loss, not exported, gone with its project.
CREATE TABLE code_project (
  pk         INTEGER PRIMARY KEY,
  root       TEXT NOT NULL UNIQUE,     -- the folder of the repository, links followed
  name       TEXT NOT NULL,            -- the project that records of it belong to
  indexed_at INTEGER NOT NULL,         -- microseconds
  version    INTEGER NOT NULL,         -- of the rules that resolved it; another one makes all of it anew
  folders    TEXT NOT NULL DEFAULT '{}' CHECK (json_type(folders) = 'object'),  -- when each was last changed
  left_out   TEXT NOT NULL DEFAULT '{}' CHECK (json_type(left_out) = 'object'),  -- how many files, by the reason
  commit_id  TEXT NOT NULL DEFAULT '',  -- up to which its history was read
  missing    TEXT NOT NULL DEFAULT '[]' CHECK (json_type(missing) = 'array')  -- what its history does not say
) STRICT;

-- What changed together in the history of a project: names of files, under the names they have now.
CREATE TABLE code_change (
  pk         INTEGER PRIMARY KEY,
  project_pk INTEGER NOT NULL REFERENCES code_project(pk) ON DELETE CASCADE,
  at_s       INTEGER NOT NULL           -- seconds
) STRICT;
CREATE INDEX code_change_project ON code_change (project_pk, at_s);
CREATE TABLE code_changed_file (
  path      TEXT NOT NULL,
  change_pk INTEGER NOT NULL REFERENCES code_change(pk) ON DELETE CASCADE,
  PRIMARY KEY (path, change_pk)
) STRICT, WITHOUT ROWID;
CREATE INDEX code_changed_file_change ON code_changed_file (change_pk);

-- What a file's text says, by the hash of that text, whichever project or branch it is in.
CREATE TABLE code_facts (
  hash     BLOB NOT NULL PRIMARY KEY,  -- BLAKE2b of the language, the version of its reader, and the bytes
  facts    BLOB NOT NULL,              -- JSON, deflated
  used_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE code_file (
  pk          INTEGER PRIMARY KEY,
  project_pk  INTEGER NOT NULL REFERENCES code_project(pk) ON DELETE CASCADE,
  path        TEXT NOT NULL,           -- from the root, with slashes
  language    TEXT NOT NULL,
  size        INTEGER NOT NULL,
  mtime_ns    INTEGER NOT NULL,
  hash        BLOB NOT NULL,           -- of its facts
  refused     TEXT,                    -- why it was left out; NULL if it was taken in
  notes       TEXT CHECK (notes IS NULL OR json_type(notes) = 'array'),
  symbols     BLOB NOT NULL,           -- its nodes: JSON lists of symbol, kind, first and last line
  nodes       BLOB NOT NULL,           -- … and their keys, 8 bytes each
  edges       BLOB NOT NULL,           -- what leaves it, 20 bytes each (docs/FORMAT.md)
  loose       BLOB NOT NULL,           -- JSON list of names that its unresolved edges mean
  depends_on  BLOB NOT NULL,           -- JSON list of the files that its exact and inferred edges lead to
  looked_at   BLOB NOT NULL,           -- keys of all that its edges rest on, 4 bytes each, ascending
  UNIQUE (project_pk, path)
) STRICT;

-- Which files depend on a file, up to three steps away, each with the next step of a shortest path.
CREATE TABLE code_closure (
  file_pk    INTEGER NOT NULL PRIMARY KEY REFERENCES code_file(pk) ON DELETE CASCADE,
  dependents BLOB NOT NULL             -- 9 bytes each: file, the file through which, depth
) STRICT, WITHOUT ROWID;
