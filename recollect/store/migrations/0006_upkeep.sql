-- What upkeep did and does: its runs, so that one goes on where another stopped.

CREATE TABLE run (
  pk           INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL UNIQUE,
  verb         TEXT NOT NULL,
  scope_pk     INTEGER REFERENCES scope(pk),  -- NULL: the whole store
  operation_pk INTEGER REFERENCES operation(pk),  -- NULL: nothing was changed
  state        TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running','done','stopped','failed')),
  started_at   INTEGER NOT NULL,
  finished_at  INTEGER,
  progress     REAL NOT NULL DEFAULT 0.0,
  counts       TEXT NOT NULL DEFAULT '{}' CHECK (json_type(counts) = 'object'),
  problems     TEXT NOT NULL DEFAULT '[]' CHECK (json_type(problems) = 'array'),
  lease_until  INTEGER,
  lease_owner  TEXT
) STRICT;
CREATE INDEX run_recent ON run (started_at);
