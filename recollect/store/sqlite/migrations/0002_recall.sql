-- What recall learns from being used: what people said about its answers, and in which sessions records came up.

-- A question for which a record was judged: as a direction and as hashes of its terms, never as text. A row counts as
-- long as its operation holds, so that undo needs no more than what it does to operations.
CREATE TABLE feedback (
  pk           INTEGER PRIMARY KEY,
  record_pk    INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  operation_pk INTEGER NOT NULL REFERENCES operation(pk),
  at           INTEGER NOT NULL,
  helpful      INTEGER NOT NULL CHECK (helpful IN (0, 1)),
  model        TEXT,  -- the embedder that made the vector
  vector       BLOB,  -- half-precision floats
  terms        BLOB NOT NULL,  -- 8 bytes a term, ascending
  CHECK ((model IS NULL) = (vector IS NULL))
) STRICT;
CREATE INDEX feedback_record ON feedback (record_pk);

-- Which sessions a record came up in, for as long as a session may still go on.
CREATE TABLE recalled (
  record_pk INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  session   INTEGER NOT NULL,  -- a hash of its id
  at        INTEGER NOT NULL,
  PRIMARY KEY (record_pk, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX recalled_at ON recalled (at);

CREATE INDEX record_important ON record (importance) WHERE importance >= 0.8;  -- what matters when nothing is asked
CREATE INDEX session_recent ON session (scope_pk, last_turn_at);
CREATE INDEX session_begun ON session (scope_pk, started_at);
