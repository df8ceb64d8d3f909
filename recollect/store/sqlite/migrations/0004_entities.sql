-- Entities that are recognised in texts, and the names they are recognised by.

-- 1: recognised in a text, and there as long as a live record names it; no operation has to take it back.
ALTER TABLE entity ADD COLUMN found INTEGER NOT NULL DEFAULT 0 CHECK (found IN (0, 1));

-- A name that a record gave counts as long as that record lives and names this entity; one without a record was stated.
CREATE TEMP TABLE stated_alias AS SELECT entity_pk, folded FROM alias;
DROP TABLE alias;
CREATE TABLE alias (
  entity_pk INTEGER NOT NULL REFERENCES entity(pk) ON DELETE CASCADE,
  folded    TEXT NOT NULL,
  record_pk INTEGER REFERENCES record(pk) ON DELETE CASCADE
) STRICT;
INSERT INTO alias (entity_pk, folded) SELECT entity_pk, folded FROM temp.stated_alias;
DROP TABLE temp.stated_alias;
CREATE INDEX alias_name ON alias (folded, entity_pk);
CREATE INDEX alias_entity ON alias (entity_pk);
CREATE INDEX alias_record ON alias (record_pk) WHERE record_pk IS NOT NULL;

CREATE INDEX entity_type ON entity (scope_pk, type);
