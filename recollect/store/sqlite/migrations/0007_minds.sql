-- What an agent had in mind when it was put aside: slots and momentum, never the turns as they were said.

CREATE TABLE mind (
  pk        INTEGER PRIMARY KEY AUTOINCREMENT,
  scope_pk  INTEGER NOT NULL REFERENCES scope(pk),
  session   TEXT NOT NULL DEFAULT '',  -- '': outside any session
  saved_at  INTEGER NOT NULL,
  heard_at  INTEGER,
  model     TEXT,  -- the embedder whose vectors these are
  centroid  BLOB,
  velocity  BLOB,
  certainty REAL NOT NULL DEFAULT 0.0,
  turns     INTEGER NOT NULL DEFAULT 0,
  UNIQUE (scope_pk, session)
) STRICT;
CREATE INDEX mind_saved ON mind (saved_at);

CREATE TABLE mind_slot (
  mind_pk     INTEGER NOT NULL REFERENCES mind(pk) ON DELETE CASCADE,
  position    INTEGER NOT NULL,
  id          TEXT NOT NULL,
  text        TEXT,  -- NULL: that of the record, as it then is
  source      TEXT NOT NULL,
  record_pk   INTEGER REFERENCES record(pk) ON DELETE CASCADE,
  activation  REAL NOT NULL,  -- when it was saved
  accessed_at INTEGER NOT NULL,
  since       INTEGER NOT NULL,
  uses        INTEGER NOT NULL,
  lasting     INTEGER NOT NULL CHECK (lasting IN (0, 1)),  -- worth keeping when it leaves the mind
  PRIMARY KEY (mind_pk, position),
  CHECK ((text IS NULL) <> (record_pk IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX mind_slot_record ON mind_slot (record_pk) WHERE record_pk IS NOT NULL;

-- The words of a record may have been said in any mind whose scope does not contradict the record's. When the record is
-- erased, those minds go as a whole: a vector tells of words, too.
CREATE TRIGGER mind_erased BEFORE DELETE ON record WHEN old.head_pk IS NULL BEGIN
  DELETE FROM mind WHERE pk IN (
    SELECT m.pk FROM mind m JOIN scope s ON s.pk = m.scope_pk JOIN scope r ON r.pk = old.scope_pk
    WHERE coalesce(s.project = r.project, 1) AND coalesce(s.squad = r.squad, 1)
    AND coalesce(s.agent_id = r.agent_id, 1) AND coalesce(s.channel = r.channel, 1)
    AND coalesce(s.user_id = r.user_id, 1)
  );
END;
