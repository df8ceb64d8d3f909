-- Turns of agents between their calls: what was said so far, and which are over. Bookkeeping: not journalled, not exported.

CREATE TABLE agent_turn (
  pk         INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  scope_pk   INTEGER NOT NULL REFERENCES scope(pk),
  session    TEXT,
  mind       TEXT,  -- the name of the mind that heard the prompt; NULL: none did
  caller     TEXT NOT NULL,
  name       TEXT,
  actor      TEXT,
  state      TEXT NOT NULL DEFAULT 'open',
  words      TEXT,  -- JSON: prompt and messages; NULL once it is over
  shown      TEXT,  -- JSON: the records that the window showed
  begun_at   INTEGER NOT NULL,
  touched_at INTEGER NOT NULL,
  over_at    INTEGER,
  reason     TEXT,
  operation  TEXT  -- what was kept of it
) STRICT;
CREATE INDEX agent_turn_open ON agent_turn (touched_at) WHERE state = 'open';
CREATE INDEX agent_turn_scope ON agent_turn (scope_pk, pk);
