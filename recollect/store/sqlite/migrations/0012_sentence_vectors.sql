-- Vectors of the sentences of a record, for models that read sentence by sentence.

-- With a key of its own: rows of some kilobytes then lie whole in a page, and sixty are read in a third of the time.
CREATE TABLE sentence_vectors (  -- a row for each record of more than one sentence, written with its vector
  pk        INTEGER PRIMARY KEY,
  space_pk  INTEGER NOT NULL REFERENCES space(pk) ON DELETE CASCADE,
  record_pk INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  data      BLOB NOT NULL,  -- a 32-bit scale for each sentence, then its numbers, one byte each
  UNIQUE (space_pk, record_pk)
) STRICT;
CREATE INDEX sentence_vectors_record ON sentence_vectors (record_pk);
