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

-- The tree of summaries over the records of a scope: clusters, domains, and one for all of it. Derived: made anew from
-- the records at any time and never journalled. Nothing of it outlives what it was made from (see the triggers).
CREATE TABLE summary (
  pk        INTEGER PRIMARY KEY AUTOINCREMENT,
  scope_pk  INTEGER NOT NULL REFERENCES scope(pk),
  level     TEXT NOT NULL CHECK (level IN ('cluster','domain','global')),
  parent_pk INTEGER REFERENCES summary(pk) ON DELETE SET NULL,
  live      INTEGER NOT NULL DEFAULT 0 CHECK (live IN (0, 1)),  -- 0: being built, or to be cleared away
  stale     INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1)),  -- 1: what is below changed; its words were taken away
  finer     INTEGER NOT NULL DEFAULT 0 CHECK (finer IN (0, 1)),  -- 1: little was known, so it was cut up more finely
  label     TEXT NOT NULL DEFAULT '',
  text      TEXT NOT NULL DEFAULT '',
  tokens    INTEGER NOT NULL DEFAULT 0,
  records   INTEGER NOT NULL DEFAULT 0,  -- below it
  mass      REAL NOT NULL DEFAULT 0.0,  -- how well they are remembered and believed, summed up
  newest_at INTEGER NOT NULL DEFAULT 0,
  entity_pk INTEGER REFERENCES entity(pk) ON DELETE SET NULL,  -- whom it is about, if it is about one
  space_pk  INTEGER REFERENCES space(pk) ON DELETE SET NULL,
  centroid  BLOB,
  made_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX summary_scope ON summary (scope_pk, live, level);
CREATE INDEX summary_parent ON summary (parent_pk) WHERE parent_pk IS NOT NULL;

CREATE TABLE summary_member (  -- which cluster a record is in
  record_pk  INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  summary_pk INTEGER NOT NULL REFERENCES summary(pk) ON DELETE CASCADE,
  PRIMARY KEY (record_pk, summary_pk)
) STRICT, WITHOUT ROWID;
CREATE INDEX summary_member_of ON summary_member (summary_pk);

CREATE VIEW summary_above (record_pk, summary_pk) AS  -- the summaries that a record's words may stand in
  SELECT m.record_pk, c.pk FROM summary_member m JOIN summary c ON c.pk = m.summary_pk
  UNION ALL
  SELECT m.record_pk, c.parent_pk FROM summary_member m JOIN summary c ON c.pk = m.summary_pk
  UNION ALL
  SELECT m.record_pk, d.parent_pk FROM summary_member m JOIN summary c ON c.pk = m.summary_pk
  JOIN summary d ON d.pk = c.parent_pk;

-- What the summary of an entity was made from, and the mean direction of the records that name it. Derived, too.
CREATE TABLE enriched (
  entity_pk INTEGER PRIMARY KEY REFERENCES entity(pk) ON DELETE CASCADE,
  mentions  INTEGER NOT NULL,
  newest_pk INTEGER NOT NULL,
  space_pk  INTEGER REFERENCES space(pk) ON DELETE SET NULL,
  centroid  BLOB,
  at        INTEGER NOT NULL
) STRICT;

-- A record that is erased, deleted or changed takes along every summary that may hold words of it or of what was drawn
-- from it, at once. Upkeep writes them anew from what is left.
CREATE TRIGGER summary_erased BEFORE DELETE ON record BEGIN
  UPDATE summary SET label = '', text = '', tokens = 0, centroid = NULL, stale = 1
  WHERE stale = 0 AND pk IN (SELECT summary_pk FROM summary_above WHERE record_pk IN (old.pk, old.turn_pk));
  UPDATE entity SET summary = NULL WHERE summary IS NOT NULL
  AND pk IN (SELECT entity_pk FROM mention WHERE record_pk IN (old.pk, old.turn_pk));
  DELETE FROM enriched WHERE entity_pk IN (SELECT entity_pk FROM mention WHERE record_pk IN (old.pk, old.turn_pk));
  DELETE FROM journal WHERE relation = 'entity' AND json_type(before, '$.summary') = 'text'
  AND first_pk IN (SELECT entity_pk FROM mention WHERE record_pk IN (old.pk, old.turn_pk));
END;
CREATE TRIGGER summary_changed AFTER UPDATE OF content, retired_at, tier, security, flagged, valid_until ON record
WHEN new.head_pk IS NULL BEGIN
  UPDATE summary SET label = '', text = '', tokens = 0, centroid = NULL, stale = 1
  WHERE stale = 0 AND pk IN (SELECT summary_pk FROM summary_above WHERE record_pk IN (new.pk, new.turn_pk));
  UPDATE entity SET summary = NULL WHERE summary IS NOT NULL
  AND pk IN (SELECT entity_pk FROM mention WHERE record_pk IN (new.pk, new.turn_pk));
  DELETE FROM enriched WHERE entity_pk IN (SELECT entity_pk FROM mention WHERE record_pk IN (new.pk, new.turn_pk));
END;
CREATE TRIGGER summary_unnamed AFTER DELETE ON mention BEGIN  -- a record says no longer that it is about this entity
  UPDATE entity SET summary = NULL WHERE pk = old.entity_pk AND summary IS NOT NULL;
  DELETE FROM enriched WHERE entity_pk = old.entity_pk;
END;

-- Forgetting. A row counts as long as its operation holds, so that undo needs no more than what it does to operations.
-- `rehearsal`: how strong a record was after replay had gone over it; one that was used since starts anew.
-- `faded`: records that went into the archive for want of strength. Those alone are collected from there.
CREATE TABLE rehearsal (
  record_pk    INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  operation_pk INTEGER NOT NULL REFERENCES operation(pk),
  at           INTEGER NOT NULL,
  strength     REAL NOT NULL CHECK (strength >= 0.0),
  PRIMARY KEY (record_pk, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE faded (
  record_pk    INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  operation_pk INTEGER NOT NULL REFERENCES operation(pk),
  at           INTEGER NOT NULL,
  PRIMARY KEY (record_pk, operation_pk)
) STRICT, WITHOUT ROWID;

-- What a memory would like to know. The words of a question are made from the records when it is put, never kept here.
-- It is open while the operation that raised it holds and none that holds has settled it.
CREATE TABLE question (
  pk            INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  scope_pk      INTEGER NOT NULL REFERENCES scope(pk),
  kind          TEXT NOT NULL CHECK (kind IN ('missing','contradiction','stale')),
  record_pk     INTEGER REFERENCES record(pk) ON DELETE CASCADE,
  other_pk      INTEGER REFERENCES record(pk) ON DELETE CASCADE,  -- what contradicts it
  entity_pk     INTEGER REFERENCES entity(pk) ON DELETE CASCADE,  -- what something is missing of …
  field         TEXT,  -- … and what that is
  priority      REAL NOT NULL,
  made_at       INTEGER NOT NULL,
  made_by       INTEGER NOT NULL REFERENCES operation(pk),
  answered_at   INTEGER,
  answered_by   INTEGER REFERENCES operation(pk),
  asked_at      INTEGER,
  asked_session TEXT,
  dismissed_at  INTEGER,
  CHECK ((record_pk IS NULL) <> (entity_pk IS NULL))
) STRICT;
CREATE INDEX question_scope ON question (scope_pk, priority) WHERE dismissed_at IS NULL;
CREATE INDEX question_record ON question (record_pk) WHERE record_pk IS NOT NULL;
CREATE INDEX question_other ON question (other_pk) WHERE other_pk IS NOT NULL;
CREATE INDEX question_entity ON question (entity_pk) WHERE entity_pk IS NOT NULL;

-- Consolidation: how far each session, and what was said in a scope outside any, was gone over. New turns of a session
-- make it wait again.
ALTER TABLE session ADD COLUMN consolidated_to INTEGER NOT NULL DEFAULT 0;  -- key of the last record gone over
ALTER TABLE session ADD COLUMN asked_to INTEGER NOT NULL DEFAULT 0;  -- … of the last turn that a model was asked about
ALTER TABLE scope ADD COLUMN consolidated_to INTEGER NOT NULL DEFAULT 0;
CREATE INDEX session_waiting ON session (scope_pk, last_turn_at) WHERE consolidated_at IS NULL;
