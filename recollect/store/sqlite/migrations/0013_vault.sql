-- What protects a store: the audit's chain, sealed fields, tokens that expire.

-- The audit as a chain. Each entry's mark is keyed, and covers the columns up to `told` and the mark before it; `told`
-- covers the four after it under a salt of its own, so that an erasure can take them without breaking the chain.
ALTER TABLE audit RENAME TO audit_before;
CREATE TABLE audit (  -- who did what when, never the content
  pk       INTEGER PRIMARY KEY,
  at       INTEGER NOT NULL,
  event    TEXT NOT NULL,
  verb     TEXT NOT NULL,
  channel  TEXT NOT NULL,
  count    INTEGER NOT NULL,
  outcome  TEXT NOT NULL,
  told     BLOB,
  caller   TEXT,
  scope    TEXT,
  detail   TEXT,
  salt     BLOB,
  mark     BLOB,  -- NULL until the first entry that is written with marks takes the older ones into the chain
  unnamed  BLOB   -- a keyed mark in the place of the four, written by an erasure
) STRICT;
INSERT INTO audit (pk, at, event, verb, channel, count, outcome, caller, scope)
  SELECT b.pk, b.at,
    CASE b.verb WHEN 'export' THEN 'export_created' WHEN 'import' THEN 'import_attempted'
                WHEN 'erase_user' THEN 'person_erased' ELSE 'memory_written' END,
    b.verb, 'unknown', b.count, b.outcome, b.actor, s.key
  FROM audit_before b LEFT JOIN scope s ON s.pk = b.scope_pk;
DROP TABLE audit_before;
-- Sealed fields (docs/vault.md, "Tiers"): what a record of a tier says, encrypted under the key of fields. The row itself
-- holds the text without it, and the number of its box; versions and images of the journal hold theirs.
ALTER TABLE record ADD COLUMN sealed INTEGER;
CREATE TABLE sealed (
  ref       INTEGER PRIMARY KEY,
  record_id TEXT NOT NULL,
  box       BLOB NOT NULL
) STRICT;
CREATE INDEX sealed_of ON sealed (record_id);
CREATE INDEX record_sealed ON record (sealed) WHERE sealed IS NOT NULL;
CREATE TABLE sealed_vector (  -- of texts that are withheld: turned by a key, and searched by nobody without it
  ref      INTEGER NOT NULL REFERENCES sealed(ref) ON DELETE CASCADE,
  space_pk INTEGER NOT NULL REFERENCES space(pk) ON DELETE CASCADE,
  data     BLOB NOT NULL,
  PRIMARY KEY (space_pk, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX sealed_vector_of ON sealed_vector (ref);
CREATE TABLE secret_ref (  -- which box holds the secret that `[secret:KIND#REF]` in a text stands for
  ref    TEXT NOT NULL,
  sealed INTEGER NOT NULL REFERENCES sealed(ref) ON DELETE CASCADE,
  kind   TEXT NOT NULL,
  PRIMARY KEY (ref, sealed)
) STRICT, WITHOUT ROWID;
CREATE INDEX secret_ref_of ON secret_ref (sealed);
-- What a token sees beside its own, as one word. NULL: made before there were policies; it may ask for reach='project'.
ALTER TABLE access_token ADD COLUMN policy TEXT CHECK (policy IN ('own', 'own+global', 'project'));
ALTER TABLE access_token ADD COLUMN used_at INTEGER;  -- the hour of its last use

-- Exports that were written to a file: what an erasure cannot reach, so that a person has to.
CREATE TABLE exported_file (
  pk       INTEGER PRIMARY KEY,
  path     TEXT NOT NULL UNIQUE,
  at       INTEGER NOT NULL,
  format   TEXT NOT NULL,
  sealed   INTEGER NOT NULL,
  of_scope TEXT,  -- the key of a scope; NULL: the whole store
  count    INTEGER NOT NULL,
  sha256   TEXT   -- of the lines, where there are lines
) STRICT;

-- Erasures that have begun: what was found and blanked is removed in a second step, by whoever opens the store next.
CREATE TABLE erasing (
  pk           INTEGER PRIMARY KEY,
  at           INTEGER NOT NULL,
  whom         TEXT NOT NULL,  -- JSON: by which names; gone with the row
  record_pks   TEXT NOT NULL,  -- JSON: keys of the records
  operation_pk INTEGER NOT NULL REFERENCES operation (pk)
) STRICT;

-- Rules by which upkeep forgets.
CREATE TABLE retention_rule (
  name    TEXT PRIMARY KEY,
  rule    TEXT NOT NULL,
  hard    INTEGER NOT NULL,  -- erased for good, not archived
  made_at INTEGER NOT NULL
) STRICT;
