-- What was thought of rows before that was changed without a version: the values that held until then. NULL: another
-- column was changed. The first row after a moment says what held at that moment; where there is none, what holds now.
CREATE TABLE record_before (
  record_pk     INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  until_at      INTEGER NOT NULL,
  version       INTEGER NOT NULL,  -- of the record at that time
  confidence    REAL,
  importance    REAL,
  success_count INTEGER,
  failure_count INTEGER,
  arousal       REAL,
  valid_from    INTEGER,
  updated_at    INTEGER,
  attributes    TEXT CHECK (attributes IS NULL OR json_type(attributes) = 'object'),
  PRIMARY KEY (record_pk, until_at, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE edge_before (
  edge_pk        INTEGER NOT NULL REFERENCES edge(pk) ON DELETE CASCADE,
  until_at       INTEGER NOT NULL,
  weight         REAL,
  confidence     REAL,
  auto_extracted INTEGER,
  retired_at     INTEGER,  -- it was withdrawn from then on, until `until_at`
  PRIMARY KEY (edge_pk, until_at)
) STRICT, WITHOUT ROWID;
