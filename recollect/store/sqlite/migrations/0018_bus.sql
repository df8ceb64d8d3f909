-- What agents tell each other: publications, who asked for such, what waits, and what was delivered.
-- Bookkeeping beside the records: not journalled, not exported.

CREATE TABLE bus_publication (
  pk         INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  scope_pk   INTEGER NOT NULL REFERENCES scope(pk),  -- of who published it
  agent      TEXT NOT NULL,
  topics     TEXT NOT NULL,  -- a JSON list
  visibility TEXT NOT NULL,
  targets    TEXT NOT NULL,  -- a JSON list of agents
  importance REAL NOT NULL,
  standing   REAL NOT NULL,  -- of the publisher then: the share of its confidence that a record keeps
  subject    TEXT,
  at         INTEGER NOT NULL
) STRICT;

-- The records of a publication, each a version of a thing.
CREATE TABLE bus_part (
  publication_pk INTEGER NOT NULL REFERENCES bus_publication(pk) ON DELETE CASCADE,
  record_pk      INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  thing          TEXT NOT NULL,
  vector         TEXT NOT NULL,  -- JSON: how often each agent had published it
  PRIMARY KEY (publication_pk, record_pk)
) STRICT, WITHOUT ROWID;
CREATE INDEX bus_part_record ON bus_part (record_pk);

CREATE TABLE bus_subscription (
  pk             INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT NOT NULL UNIQUE,
  scope_pk       INTEGER NOT NULL REFERENCES scope(pk),
  agent          TEXT NOT NULL,
  topics         TEXT,  -- a JSON list; NULL: any
  importance_min REAL NOT NULL,
  sources        TEXT,  -- a JSON list of agents; NULL: any
  rate           INTEGER NOT NULL,
  at             INTEGER NOT NULL
) STRICT;
CREATE INDEX bus_subscription_scope ON bus_subscription (scope_pk);

-- What is to be delivered still.
CREATE TABLE bus_waiting (
  publication_pk  INTEGER NOT NULL REFERENCES bus_publication(pk) ON DELETE CASCADE,
  agent           TEXT NOT NULL,
  subscription_pk INTEGER NOT NULL REFERENCES bus_subscription(pk) ON DELETE CASCADE,
  PRIMARY KEY (publication_pk, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX bus_waiting_subscription ON bus_waiting (subscription_pk, publication_pk);

CREATE TABLE bus_delivery (
  pk              INTEGER PRIMARY KEY AUTOINCREMENT,
  publication_pk  INTEGER NOT NULL REFERENCES bus_publication(pk) ON DELETE CASCADE,
  agent           TEXT NOT NULL,
  scope_pk        INTEGER NOT NULL REFERENCES scope(pk),
  subscription_pk INTEGER,  -- NULL: a publisher that is told of a conflict
  outcome         TEXT NOT NULL,
  other           TEXT,  -- at which agent a conflict was
  at              INTEGER NOT NULL,
  UNIQUE (publication_pk, agent)
) STRICT;
CREATE INDEX bus_delivery_scope ON bus_delivery (scope_pk, pk);
CREATE INDEX bus_delivery_rate ON bus_delivery (subscription_pk, at) WHERE subscription_pk IS NOT NULL;

-- Records that came with a delivery, and versions that agents hold: their own, and those they were told.
CREATE TABLE bus_arrival (
  delivery_pk INTEGER NOT NULL REFERENCES bus_delivery(pk) ON DELETE CASCADE,
  position    INTEGER NOT NULL,
  record_pk   INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  PRIMARY KEY (delivery_pk, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX bus_arrival_record ON bus_arrival (record_pk);

CREATE TABLE bus_version (
  record_pk INTEGER PRIMARY KEY REFERENCES record(pk) ON DELETE CASCADE,
  thing     TEXT NOT NULL,
  agent     TEXT NOT NULL,
  vector    TEXT NOT NULL,
  at        INTEGER NOT NULL  -- when this version was published
) STRICT;
CREATE INDEX bus_version_thing ON bus_version (thing, agent);
