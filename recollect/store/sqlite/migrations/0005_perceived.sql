-- What perception found in a text, beside what the caller said about it, and the turn that a statement was drawn from.

ALTER TABLE record ADD COLUMN perceived TEXT CHECK (perceived IS NULL OR json_type(perceived) = 'object');
ALTER TABLE record ADD COLUMN turn_pk INTEGER REFERENCES record(pk) ON DELETE SET NULL;
CREATE INDEX record_turn ON record (turn_pk) WHERE turn_pk IS NOT NULL;
CREATE INDEX record_unread ON record (pk) WHERE perceived IS NULL AND head_pk IS NULL AND retired_at IS NULL;

-- What statements say, whatever their wording: finds the record that a new one repeats.
CREATE TABLE sense (
  sense     INTEGER NOT NULL,
  record_pk INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  PRIMARY KEY (sense, record_pk)
) STRICT, WITHOUT ROWID;
CREATE INDEX sense_record ON sense (record_pk);
DROP INDEX record_hash;
CREATE INDEX record_hash ON record (content_hash, scope_pk);
