-- What sessions of coding agents cost and were spared: figures that outlive the events they were counted from.
CREATE TABLE agent_meter (
  scope_pk    INTEGER NOT NULL REFERENCES scope(pk),
  client      TEXT NOT NULL,
  id          TEXT NOT NULL,
  at          INTEGER NOT NULL,  -- of its last event
  steps       INTEGER NOT NULL,
  edited      INTEGER NOT NULL,  -- files
  searches    INTEGER NOT NULL,  -- searches and lists
  first_reads INTEGER NOT NULL,  -- of files that nobody had named
  hinted      INTEGER NOT NULL,  -- first reads of files that the memory had named
  reads       INTEGER NOT NULL,  -- all of them
  rereads     INTEGER NOT NULL,
  errors      INTEGER NOT NULL,
  recurrences INTEGER NOT NULL,  -- errors that an earlier session had met
  looked      INTEGER NOT NULL,  -- characters that searches, lists, first reads of what nobody had named and rereads brought
  unsized     INTEGER NOT NULL,  -- how many of these did not say how much they brought
  told        INTEGER NOT NULL,  -- how often the memory said something unasked
  asked       INTEGER NOT NULL,  -- how often it was asked
  injected    INTEGER NOT NULL,  -- characters of both
  PRIMARY KEY (scope_pk, client, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_meter_at ON agent_meter (at);

-- What a session came to: beginnings of ids of records that it added, spoke for, used, and was shown in vain; JSON.
ALTER TABLE agent_session ADD COLUMN outcome TEXT;
-- Sessions that are there are counted too: their signals are derived again, and nothing is concluded twice from that.
UPDATE agent_session SET derived_to = 0;
