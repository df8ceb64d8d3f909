-- Turns of agents between their calls: what was said so far, and which are over. Bookkeeping: not journalled, not exported.

CREATE TABLE agent_turn (
  pk         BIGINT PRIMARY KEY,
  id         TEXT COLLATE "C" NOT NULL UNIQUE,
  scope_pk   BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  session    TEXT COLLATE "C",
  mind       TEXT COLLATE "C",  -- the name of the mind that heard the prompt; NULL: none did
  caller     TEXT COLLATE "C" NOT NULL,
  name       TEXT COLLATE "C",
  actor      TEXT COLLATE "C",
  state      TEXT COLLATE "C" NOT NULL DEFAULT 'open',
  words      TEXT COLLATE "C",  -- JSON: prompt and messages; NULL once it is over
  shown      TEXT COLLATE "C",  -- JSON: the records that the window showed
  begun_at   BIGINT NOT NULL,
  touched_at BIGINT NOT NULL,
  over_at    BIGINT,
  reason     TEXT COLLATE "C",
  operation  TEXT COLLATE "C"  -- what was kept of it
);
CREATE INDEX agent_turn_open ON agent_turn (touched_at) WHERE state = 'open';
CREATE INDEX agent_turn_scope ON agent_turn (scope_pk, pk);

INSERT INTO key_given VALUES ('agent_turn', 0);
CREATE FUNCTION agent_turn_key() RETURNS TRIGGER LANGUAGE plpgsql AS $body$
BEGIN
  NEW.pk := 1 + greatest((SELECT max(pk) FROM agent_turn), (SELECT last FROM key_given WHERE name = 'agent_turn'));
  RETURN NEW;
END $body$;
CREATE TRIGGER agent_turn_key BEFORE INSERT ON agent_turn FOR EACH ROW WHEN (NEW.pk IS NULL) EXECUTE FUNCTION agent_turn_key();
CREATE FUNCTION agent_turn_key_gone() RETURNS TRIGGER LANGUAGE plpgsql AS $body$
BEGIN
  UPDATE key_given SET last = (SELECT max(pk) FROM gone)
  WHERE name = 'agent_turn' AND last < (SELECT max(pk) FROM gone);
  RETURN NULL;
END $body$;
CREATE TRIGGER agent_turn_key_gone AFTER DELETE ON agent_turn REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION agent_turn_key_gone();
