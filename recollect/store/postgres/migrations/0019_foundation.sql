-- The tables of FORMAT.md as PostgreSQL keeps them: names, columns and meanings are those of the SQLite schema of the
-- same number. Text is ordered by its bytes, whatever the database's collation; flags are 0 and 1, as in every store.

-- What the words of the dialect are spelled with (`recollect/store/postgres/dialect.py`).
CREATE TYPE item AS (value TEXT COLLATE "C");

CREATE FUNCTION ascii_lower(x TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN lower(x COLLATE "C");
CREATE FUNCTION larger(x BIGINT, y BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN x >= y THEN x WHEN x < y THEN y END;
CREATE FUNCTION larger(x DOUBLE PRECISION, y DOUBLE PRECISION) RETURNS DOUBLE PRECISION LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN x >= y THEN x WHEN x < y THEN y END;
CREATE FUNCTION smaller(x BIGINT, y BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN x <= y THEN x WHEN x > y THEN y END;
CREATE FUNCTION smaller(x DOUBLE PRECISION, y DOUBLE PRECISION) RETURNS DOUBLE PRECISION LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN x <= y THEN x WHEN x > y THEN y END;
CREATE FUNCTION substr(x TEXT, first BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN pg_catalog.substr(x, first::INT);
CREATE FUNCTION substr(x TEXT, first BIGINT, chars BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN pg_catalog.substr(x, first::INT, chars::INT);
DO $do$  -- a text without its case: as Python's casefold where the server can, else as near as it gets
BEGIN
  IF current_setting('server_version_num')::INT >= 180000 THEN
    CREATE FUNCTION folded(x TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN casefold(x COLLATE pg_unicode_fast);
  ELSIF current_setting('server_version_num')::INT >= 170000 THEN
    CREATE FUNCTION folded(x TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN replace(lower(x COLLATE pg_c_utf8), 'ß', 'ss');
  ELSE
    CREATE FUNCTION folded(x TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN replace(lower(x), 'ß', 'ss');
  END IF;
END $do$;
CREATE FUNCTION each_key(keys BIGINT[]) RETURNS TABLE (value BIGINT) LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
  BEGIN ATOMIC SELECT unnest(keys); END;

CREATE FUNCTION json_part(x TEXT, path TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (x::JSON -> pg_catalog.substr(path, 3))::TEXT;  -- as it is written there; a name of the outermost object
CREATE FUNCTION json_read(x TEXT) RETURNS JSONB LANGUAGE sql IMMUTABLE PARALLEL SAFE  -- which keeps no NUL
  RETURN CASE WHEN strpos(x, '\u0000') = 0 THEN x::JSONB
    ELSE regexp_replace(x, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g')::JSONB END;
CREATE FUNCTION json_found(x TEXT, path TEXT) RETURNS JSONB LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN jsonb_path_query_first(json_read(x), ('strict ' || path)::JSONPATH, '{}', TRUE);
CREATE FUNCTION json_text(x TEXT, path TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN json_found(x, path) #>> '{}';
CREATE FUNCTION json_plain(found JSONB) RETURNS JSONB LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE jsonb_typeof(found) WHEN 'boolean' THEN to_jsonb(found::BOOLEAN::INT) WHEN 'null' THEN NULL ELSE found END;
CREATE FUNCTION json_int(x TEXT, path TEXT) RETURNS BIGINT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN jsonb_typeof(json_found(x, path)) IN ('number', 'boolean')
    THEN trunc(json_plain(json_found(x, path))::NUMERIC)::BIGINT END;
CREATE FUNCTION json_number(x TEXT, path TEXT) RETURNS DOUBLE PRECISION LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN jsonb_typeof(json_found(x, path)) = 'number' THEN json_found(x, path)::DOUBLE PRECISION END;
CREATE FUNCTION json_at(x TEXT, path TEXT) RETURNS JSONB LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN json_plain(json_found(x, path));
CREATE FUNCTION json_sort(found JSONB) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE jsonb_typeof(found) WHEN 'string' THEN 'text' WHEN 'boolean' THEN found::TEXT
    WHEN 'number' THEN CASE WHEN scale(found::NUMERIC) > 0 THEN 'real' ELSE 'integer' END ELSE jsonb_typeof(found) END;
CREATE FUNCTION json_type(x TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN json_sort(json_read(x));
CREATE FUNCTION json_type(x TEXT, path TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN json_sort(json_found(x, path));
-- Objects keep the order of their names, so these build them anew from their parts.
CREATE FUNCTION json_put_part(x TEXT, path TEXT, part TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (SELECT '{' || string_agg(to_json(kept.key)::TEXT || ':' || kept.value, ',' ORDER BY kept.at) || '}' FROM (
    SELECT e.key, CASE WHEN e.key = pg_catalog.substr(path, 3) THEN part ELSE e.value::TEXT END AS value, e.at
    FROM json_each(x::JSON) WITH ORDINALITY e (key, value, at)
    UNION ALL SELECT pg_catalog.substr(path, 3), part, 1 << 30 WHERE x::JSON -> pg_catalog.substr(path, 3) IS NULL) kept);
CREATE FUNCTION json_put(x TEXT, path TEXT, value TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN json_put_part(x, path, to_json(value)::TEXT);
CREATE FUNCTION json_put(x TEXT, path TEXT, value BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN json_put_part(x, path, to_json(value)::TEXT);
CREATE FUNCTION json_put(x TEXT, path TEXT, value JSON) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN json_put_part(x, path, value::TEXT);
CREATE FUNCTION as_json(x TEXT) RETURNS JSON LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN x::JSON;
CREATE FUNCTION json_drop(x TEXT, VARIADIC paths TEXT[]) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN x IS NOT NULL THEN (
    SELECT coalesce('{' || string_agg(to_json(e.key)::TEXT || ':' || e.value::TEXT, ',' ORDER BY e.at) || '}', '{}')
    FROM json_each(x::JSON) WITH ORDINALITY e (key, value, at) WHERE '$.' || e.key <> ALL (paths)) END;
CREATE FUNCTION json_of(key TEXT, part TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN '{' || to_json(key)::TEXT || ':' || coalesce(part, 'null') || '}';
CREATE FUNCTION json_items(found JSONB) RETURNS JSONB LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE jsonb_typeof(found) WHEN 'array' THEN found ELSE '[]'::JSONB END;
CREATE FUNCTION each_item(x TEXT) RETURNS SETOF item LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20
  BEGIN ATOMIC SELECT jsonb_array_elements_text(json_items(json_read(x))); END;
CREATE FUNCTION each_value(x TEXT) RETURNS TABLE (value JSONB) LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20
  BEGIN ATOMIC SELECT json_plain(e) FROM jsonb_array_elements(json_items(json_read(x))) e; END;
CREATE FUNCTION each_item(x TEXT, path TEXT) RETURNS SETOF item LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20
  BEGIN ATOMIC SELECT jsonb_array_elements_text(json_items(json_found(x, path))); END;
CREATE FUNCTION each_value(x TEXT, path TEXT) RETURNS TABLE (value JSONB) LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20
  BEGIN ATOMIC SELECT json_plain(e) FROM jsonb_array_elements(json_items(json_found(x, path))) e; END;
CREATE FUNCTION json_listed(items TEXT[]) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (SELECT '[' || coalesce(string_agg(to_json(e.item)::TEXT, ',' ORDER BY e.at), '') || ']'
    FROM unnest(items) WITH ORDINALITY e (item, at));
CREATE AGGREGATE json_list (TEXT) (SFUNC = array_append, STYPE = TEXT[], FINALFUNC = json_listed, INITCOND = '{}');

CREATE TABLE scope (  -- who may see a record; records carry the small key
  pk       BIGINT PRIMARY KEY,
  key      TEXT COLLATE "C" NOT NULL UNIQUE,
  project  TEXT COLLATE "C",
  squad    TEXT COLLATE "C",
  agent_id TEXT COLLATE "C",
  channel  TEXT COLLATE "C",
  user_id  TEXT COLLATE "C",
  consolidated_to BIGINT NOT NULL DEFAULT 0);

CREATE TABLE session (
  pk              BIGINT PRIMARY KEY,
  id              TEXT COLLATE "C" NOT NULL,
  scope_pk        BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  started_at      BIGINT NOT NULL,
  last_turn_at    BIGINT NOT NULL,
  consolidated_at BIGINT,
  attributes      TEXT COLLATE "C", consolidated_to BIGINT NOT NULL DEFAULT 0, asked_to BIGINT NOT NULL DEFAULT 0,
  UNIQUE (id, scope_pk)
);

CREATE TABLE record (
  pk             BIGINT PRIMARY KEY,
  id             TEXT COLLATE "C" NOT NULL,
  head_pk        BIGINT REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  version        BIGINT NOT NULL DEFAULT 1 CHECK (version >= 1),
  scope_pk       BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  session_pk     BIGINT REFERENCES session(pk) DEFERRABLE,
  kind           TEXT COLLATE "C" NOT NULL CHECK (kind IN ('episodic','semantic','procedural','opinion','entity','snippet','schema')),
  category       TEXT COLLATE "C" NOT NULL CHECK (category <> ''),
  tier           TEXT COLLATE "C" NOT NULL DEFAULT 'longterm' CHECK (tier IN ('task','session','longterm','archive')),
  content        TEXT COLLATE "C" NOT NULL CHECK (content <> ''),
  content_hash   TEXT COLLATE "C" NOT NULL,
  subject        TEXT COLLATE "C",
  predicate      TEXT COLLATE "C",
  object         TEXT COLLATE "C",
  tags           TEXT COLLATE "C" CHECK (tags IS NULL OR json_type(tags) = 'array'),
  metadata       TEXT COLLATE "C" CHECK (metadata IS NULL OR json_type(metadata) = 'object'),
  attributes     TEXT COLLATE "C" CHECK (attributes IS NULL OR json_type(attributes) = 'object'),
  created_at     BIGINT NOT NULL,
  updated_at     BIGINT NOT NULL,
  recorded_at    BIGINT NOT NULL,
  retired_at     BIGINT,
  event_time     BIGINT,
  valid_from     BIGINT,
  valid_until    BIGINT,
  confidence     DOUBLE PRECISION NOT NULL DEFAULT 1.0 CHECK (confidence >= 0.0 AND confidence <= 1.0),
  importance     DOUBLE PRECISION NOT NULL DEFAULT 0.5 CHECK (importance >= 0.0 AND importance <= 1.0),
  strength       DOUBLE PRECISION NOT NULL DEFAULT 1.0 CHECK (strength >= 0.0),
  decay_rate     DOUBLE PRECISION CHECK (decay_rate IS NULL OR decay_rate >= 0.0),
  half_life_days DOUBLE PRECISION CHECK (half_life_days IS NULL OR half_life_days > 0.0),
  access_count    BIGINT NOT NULL DEFAULT 0 CHECK (access_count >= 0),
  access_sessions BIGINT NOT NULL DEFAULT 0 CHECK (access_sessions >= 0),
  last_access     BIGINT,
  success_count   BIGINT NOT NULL DEFAULT 0 CHECK (success_count >= 0),
  failure_count   BIGINT NOT NULL DEFAULT 0 CHECK (failure_count >= 0),
  valence        DOUBLE PRECISION CHECK (valence IS NULL OR (valence >= -1.0 AND valence <= 1.0)),
  arousal        DOUBLE PRECISION CHECK (arousal IS NULL OR (arousal >= 0.0 AND arousal <= 1.0)),
  intensity      DOUBLE PRECISION CHECK (intensity IS NULL OR (intensity >= 0.0 AND intensity <= 1.0)),
  dominance      DOUBLE PRECISION CHECK (dominance IS NULL OR (dominance >= 0.0 AND dominance <= 1.0)),
  surprise       DOUBLE PRECISION CHECK (surprise IS NULL OR (surprise >= 0.0 AND surprise <= 1.0)),
  source         TEXT COLLATE "C",
  role           TEXT COLLATE "C",
  speaker        TEXT COLLATE "C",
  provenance_sessions TEXT COLLATE "C",
  needs_review   BIGINT NOT NULL DEFAULT 0 CHECK (needs_review IN (0, 1)),
  user_verified  BIGINT NOT NULL DEFAULT 0 CHECK (user_verified IN (0, 1)),
  flagged        BIGINT NOT NULL DEFAULT 0 CHECK (flagged IN (0, 1)),
  security       TEXT COLLATE "C" NOT NULL DEFAULT 'cleartext' CHECK (security IN ('cleartext','sensitive','confidential')),
  place          TEXT COLLATE "C",
  facets         TEXT COLLATE "C", perceived TEXT COLLATE "C" CHECK (perceived IS NULL OR json_type(perceived) = 'object'), turn_pk BIGINT REFERENCES record(pk) ON DELETE SET NULL DEFERRABLE, sealed BIGINT,
  CHECK (valid_from IS NULL OR valid_until IS NULL OR valid_from <= valid_until)
);
CREATE UNIQUE INDEX record_id ON record (id) WHERE head_pk IS NULL;
CREATE INDEX record_past ON record (head_pk) WHERE head_pk IS NOT NULL;
CREATE INDEX record_scope ON record (scope_pk);
CREATE INDEX record_session ON record (session_pk) WHERE session_pk IS NOT NULL;
CREATE INDEX record_review ON record (needs_review) WHERE needs_review = 1;
CREATE INDEX record_archive ON record (tier) WHERE tier = 'archive';

CREATE TABLE gap (
  record_pk BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  from_at   BIGINT NOT NULL,
  until_at  BIGINT NOT NULL,
  PRIMARY KEY (record_pk, from_at)
);

CREATE TABLE edge (
  pk             BIGINT PRIMARY KEY,
  id             TEXT COLLATE "C" NOT NULL UNIQUE,
  family         TEXT COLLATE "C" NOT NULL CHECK (family IN ('relation','composition','causation','context')),
  label          TEXT COLLATE "C" NOT NULL CHECK (label <> ''),
  weight         DOUBLE PRECISION NOT NULL DEFAULT 1.0 CHECK (weight >= 0.0),
  confidence     DOUBLE PRECISION NOT NULL DEFAULT 1.0 CHECK (confidence >= 0.0 AND confidence <= 1.0),
  evidence       TEXT COLLATE "C",
  auto_extracted BIGINT NOT NULL DEFAULT 0 CHECK (auto_extracted IN (0, 1)),
  attributes     TEXT COLLATE "C",
  valid_from     BIGINT,
  valid_until    BIGINT,
  recorded_at    BIGINT NOT NULL,
  retired_at     BIGINT
);

CREATE TABLE member (
  edge_pk   BIGINT NOT NULL REFERENCES edge(pk) ON DELETE CASCADE DEFERRABLE,
  record_pk BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  role      TEXT COLLATE "C" NOT NULL CHECK (role IN ('subject','object','context','participant','cause','effect')),
  position  BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (edge_pk, record_pk, role)
);
CREATE INDEX member_record ON member (record_pk, edge_pk);

CREATE TABLE entity (
  pk            BIGINT PRIMARY KEY,
  id            TEXT COLLATE "C" NOT NULL UNIQUE,
  scope_pk      BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  name          TEXT COLLATE "C" NOT NULL,
  folded        TEXT COLLATE "C" NOT NULL,  -- the name as it is compared
  type          TEXT COLLATE "C" NOT NULL CHECK (type IN ('person','project','organization','place','concept','tool','technology','file','service')),
  aliases       TEXT COLLATE "C",
  summary       TEXT COLLATE "C",
  attributes    TEXT COLLATE "C",
  first_seen    BIGINT NOT NULL,
  last_seen     BIGINT NOT NULL,
  retired_at    BIGINT,
  found BIGINT NOT NULL DEFAULT 0 CHECK (found IN (0, 1)));
CREATE INDEX entity_name ON entity (folded, scope_pk);

CREATE TABLE mention (
  record_pk BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  entity_pk BIGINT NOT NULL REFERENCES entity(pk) ON DELETE CASCADE DEFERRABLE,
  surface   TEXT COLLATE "C",
  PRIMARY KEY (record_pk, entity_pk)
);
CREATE INDEX mention_entity ON mention (entity_pk, record_pk);

CREATE TABLE space (  -- one embedding model's vectors; two models never share one
  pk         BIGINT PRIMARY KEY,
  name       TEXT COLLATE "C" NOT NULL UNIQUE,
  dimensions BIGINT NOT NULL CHECK (dimensions > 0),
  metric     TEXT COLLATE "C" NOT NULL DEFAULT 'cosine',
  dtype      TEXT COLLATE "C" NOT NULL DEFAULT 'f16' CHECK (dtype IN ('f16','f32')),
  state      TEXT COLLATE "C" NOT NULL CHECK (state IN ('active','building','retired')),
  created_at BIGINT NOT NULL
);

CREATE TABLE vector (
  space_pk  BIGINT NOT NULL REFERENCES space(pk) ON DELETE CASCADE DEFERRABLE,
  record_pk BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  data      BYTEA NOT NULL,
  PRIMARY KEY (space_pk, record_pk)
);
CREATE INDEX vector_record ON vector (record_pk);

CREATE TABLE change (  -- what derived indexes have to look at again, in order
  seq      BIGINT PRIMARY KEY,
  topic    TEXT COLLATE "C" NOT NULL CHECK (topic IN ('record','vector','edge','entity')),
  first_pk BIGINT NOT NULL,
  last_pk  BIGINT NOT NULL,
  space_pk BIGINT
);

CREATE TABLE operation (
  pk        BIGINT PRIMARY KEY,
  id        TEXT COLLATE "C" NOT NULL UNIQUE,
  verb      TEXT COLLATE "C" NOT NULL,
  at        BIGINT NOT NULL,
  scope_pk  BIGINT REFERENCES scope(pk) DEFERRABLE,
  actor     TEXT COLLATE "C",
  reason    TEXT COLLATE "C",
  count     BIGINT NOT NULL DEFAULT 0,
  final     BIGINT NOT NULL DEFAULT 0 CHECK (final IN (0, 1)),  -- 1: an erasure, nothing is left to restore
  undoes    BIGINT REFERENCES operation(pk) DEFERRABLE,
  undone_by BIGINT REFERENCES operation(pk) DEFERRABLE
);

CREATE TABLE journal (
  pk           BIGINT PRIMARY KEY,
  operation_pk BIGINT NOT NULL REFERENCES operation(pk) DEFERRABLE,
  relation     TEXT COLLATE "C" NOT NULL CHECK (relation IN ('record','vector','edge','member','entity','alias','mention')),
  first_pk     BIGINT NOT NULL,
  last_pk      BIGINT NOT NULL,
  other_pk     BIGINT,  -- second half of a two-part key: the space of a vector, the entity of a mention
  before       TEXT COLLATE "C"
);
CREATE INDEX journal_operation ON journal (operation_pk);
CREATE INDEX journal_rows ON journal (relation, first_pk);

CREATE TABLE evolution_log (  -- every move between tiers, with its reason
  id         BIGINT PRIMARY KEY,
  timestamp  BIGINT NOT NULL,
  operation  TEXT COLLATE "C" NOT NULL,
  node_ids   TEXT COLLATE "C" NOT NULL,
  from_tier  TEXT COLLATE "C",
  to_tier    TEXT COLLATE "C",
  reasoning  TEXT COLLATE "C"
);

CREATE TABLE job (
  pk          BIGINT PRIMARY KEY,
  kind        TEXT COLLATE "C" NOT NULL,
  payload     TEXT COLLATE "C" NOT NULL,
  state       TEXT COLLATE "C" NOT NULL DEFAULT 'ready' CHECK (state IN ('ready','running','done','failed')),
  attempts    BIGINT NOT NULL DEFAULT 0,
  run_after   BIGINT NOT NULL,
  lease_until BIGINT,
  lease_owner TEXT COLLATE "C",
  progress    DOUBLE PRECISION NOT NULL DEFAULT 0.0,
  error       TEXT COLLATE "C",
  created_at  BIGINT NOT NULL,
  finished_at BIGINT
);
CREATE INDEX job_ready ON job (state, run_after);

CREATE TABLE meta (key TEXT COLLATE "C" PRIMARY KEY, value TEXT COLLATE "C" NOT NULL);

CREATE TABLE feedback (
  pk           BIGINT PRIMARY KEY,
  record_pk    BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  operation_pk BIGINT NOT NULL REFERENCES operation(pk) DEFERRABLE,
  at           BIGINT NOT NULL,
  helpful      BIGINT NOT NULL CHECK (helpful IN (0, 1)),
  model        TEXT COLLATE "C",  -- the embedder that made the vector
  vector       BYTEA,  -- half-precision floats
  terms        BYTEA NOT NULL,  -- 8 bytes a term, ascending
  CHECK ((model IS NULL) = (vector IS NULL))
);
CREATE INDEX feedback_record ON feedback (record_pk);

CREATE TABLE recalled (
  record_pk BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  session   BIGINT NOT NULL,  -- a hash of its id
  at        BIGINT NOT NULL,
  PRIMARY KEY (record_pk, session)
);
CREATE INDEX recalled_at ON recalled (at);
CREATE INDEX record_important ON record (importance) WHERE importance >= 0.8;
CREATE INDEX session_recent ON session (scope_pk, last_turn_at);
CREATE INDEX session_begun ON session (scope_pk, started_at);

CREATE TABLE mark (
  mark      TEXT COLLATE "C" NOT NULL,
  record_pk BIGINT NOT NULL,
  PRIMARY KEY (mark, record_pk)
);
CREATE INDEX record_subject ON record (ascii_lower(subject)) WHERE subject IS NOT NULL;

CREATE TABLE alias (
  entity_pk BIGINT NOT NULL REFERENCES entity(pk) ON DELETE CASCADE DEFERRABLE,
  folded    TEXT COLLATE "C" NOT NULL,
  record_pk BIGINT REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  rowid     BIGINT GENERATED ALWAYS AS IDENTITY  -- the order in which names came
);
CREATE INDEX alias_name ON alias (folded, entity_pk);
CREATE INDEX alias_entity ON alias (entity_pk);
CREATE INDEX alias_record ON alias (record_pk) WHERE record_pk IS NOT NULL;
CREATE INDEX entity_type ON entity (scope_pk, type);
CREATE INDEX record_turn ON record (turn_pk) WHERE turn_pk IS NOT NULL;
CREATE INDEX record_unread ON record (pk) WHERE perceived IS NULL AND head_pk IS NULL AND retired_at IS NULL;

CREATE TABLE sense (
  sense     BIGINT NOT NULL,
  record_pk BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  PRIMARY KEY (sense, record_pk)
);
CREATE INDEX sense_record ON sense (record_pk);
CREATE INDEX record_hash ON record (content_hash, scope_pk);

CREATE TABLE run (
  pk           BIGINT PRIMARY KEY,
  id           TEXT COLLATE "C" NOT NULL UNIQUE,
  verb         TEXT COLLATE "C" NOT NULL,
  scope_pk     BIGINT REFERENCES scope(pk) DEFERRABLE,  -- NULL: the whole store
  operation_pk BIGINT REFERENCES operation(pk) DEFERRABLE,  -- NULL: nothing was changed
  state        TEXT COLLATE "C" NOT NULL DEFAULT 'running' CHECK (state IN ('running','done','stopped','failed')),
  started_at   BIGINT NOT NULL,
  finished_at  BIGINT,
  progress     DOUBLE PRECISION NOT NULL DEFAULT 0.0,
  counts       TEXT COLLATE "C" NOT NULL DEFAULT '{}' CHECK (json_type(counts) = 'object'),
  problems     TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (json_type(problems) = 'array'),
  lease_until  BIGINT,
  lease_owner  TEXT COLLATE "C"
);
CREATE INDEX run_recent ON run (started_at);

CREATE TABLE summary (
  pk        BIGINT PRIMARY KEY,
  scope_pk  BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  level     TEXT COLLATE "C" NOT NULL CHECK (level IN ('cluster','domain','global')),
  parent_pk BIGINT REFERENCES summary(pk) ON DELETE SET NULL DEFERRABLE,
  live      BIGINT NOT NULL DEFAULT 0 CHECK (live IN (0, 1)),  -- 0: being built, or to be cleared away
  stale     BIGINT NOT NULL DEFAULT 0 CHECK (stale IN (0, 1)),  -- 1: what is below changed; its words were taken away
  finer     BIGINT NOT NULL DEFAULT 0 CHECK (finer IN (0, 1)),  -- 1: little was known, so it was cut up more finely
  label     TEXT COLLATE "C" NOT NULL DEFAULT '',
  text      TEXT COLLATE "C" NOT NULL DEFAULT '',
  tokens    BIGINT NOT NULL DEFAULT 0,
  records   BIGINT NOT NULL DEFAULT 0,  -- below it
  mass      DOUBLE PRECISION NOT NULL DEFAULT 0.0,  -- how well they are remembered and believed, summed up
  newest_at BIGINT NOT NULL DEFAULT 0,
  entity_pk BIGINT REFERENCES entity(pk) ON DELETE SET NULL DEFERRABLE,  -- whom it is about, if it is about one
  space_pk  BIGINT REFERENCES space(pk) ON DELETE SET NULL DEFERRABLE,
  centroid  BYTEA,
  made_at   BIGINT NOT NULL
);
CREATE INDEX summary_scope ON summary (scope_pk, live, level);
CREATE INDEX summary_parent ON summary (parent_pk) WHERE parent_pk IS NOT NULL;

CREATE TABLE summary_member (  -- which cluster a record is in
  record_pk  BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  summary_pk BIGINT NOT NULL REFERENCES summary(pk) ON DELETE CASCADE DEFERRABLE,
  PRIMARY KEY (record_pk, summary_pk)
);
CREATE INDEX summary_member_of ON summary_member (summary_pk);

CREATE TABLE enriched (
  entity_pk BIGINT PRIMARY KEY REFERENCES entity(pk) ON DELETE CASCADE DEFERRABLE,
  mentions  BIGINT NOT NULL,
  newest_pk BIGINT NOT NULL,
  space_pk  BIGINT REFERENCES space(pk) ON DELETE SET NULL DEFERRABLE,
  centroid  BYTEA,
  at        BIGINT NOT NULL
);

CREATE TABLE rehearsal (
  record_pk    BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  operation_pk BIGINT NOT NULL REFERENCES operation(pk) DEFERRABLE,
  at           BIGINT NOT NULL,
  strength     DOUBLE PRECISION NOT NULL CHECK (strength >= 0.0),
  PRIMARY KEY (record_pk, at)
);

CREATE TABLE faded (
  record_pk    BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  operation_pk BIGINT NOT NULL REFERENCES operation(pk) DEFERRABLE,
  at           BIGINT NOT NULL,
  PRIMARY KEY (record_pk, operation_pk)
);

CREATE TABLE question (
  pk            BIGINT PRIMARY KEY,
  id            TEXT COLLATE "C" NOT NULL UNIQUE,
  scope_pk      BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  kind          TEXT COLLATE "C" NOT NULL CHECK (kind IN ('missing','contradiction','stale')),
  record_pk     BIGINT REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  other_pk      BIGINT REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,  -- what contradicts it
  entity_pk     BIGINT REFERENCES entity(pk) ON DELETE CASCADE DEFERRABLE,  -- what something is missing of …
  field         TEXT COLLATE "C",  -- … and what that is
  priority      DOUBLE PRECISION NOT NULL,
  made_at       BIGINT NOT NULL,
  made_by       BIGINT NOT NULL REFERENCES operation(pk) DEFERRABLE,
  answered_at   BIGINT,
  answered_by   BIGINT REFERENCES operation(pk) DEFERRABLE,
  asked_at      BIGINT,
  asked_session TEXT COLLATE "C",
  dismissed_at  BIGINT,
  CHECK ((record_pk IS NULL) <> (entity_pk IS NULL))
);
CREATE INDEX question_scope ON question (scope_pk, priority) WHERE dismissed_at IS NULL;
CREATE INDEX question_record ON question (record_pk) WHERE record_pk IS NOT NULL;
CREATE INDEX question_other ON question (other_pk) WHERE other_pk IS NOT NULL;
CREATE INDEX question_entity ON question (entity_pk) WHERE entity_pk IS NOT NULL;
CREATE INDEX session_waiting ON session (scope_pk, last_turn_at) WHERE consolidated_at IS NULL;

CREATE TABLE mind (
  pk        BIGINT PRIMARY KEY,
  scope_pk  BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  session   TEXT COLLATE "C" NOT NULL DEFAULT '',  -- '': outside any session
  saved_at  BIGINT NOT NULL,
  heard_at  BIGINT,
  model     TEXT COLLATE "C",  -- the embedder whose vectors these are
  centroid  BYTEA,
  velocity  BYTEA,
  certainty DOUBLE PRECISION NOT NULL DEFAULT 0.0,
  turns     BIGINT NOT NULL DEFAULT 0,
  UNIQUE (scope_pk, session)
);
CREATE INDEX mind_saved ON mind (saved_at);

CREATE TABLE mind_slot (
  mind_pk     BIGINT NOT NULL REFERENCES mind(pk) ON DELETE CASCADE DEFERRABLE,
  position    BIGINT NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  text        TEXT COLLATE "C",  -- NULL: that of the record, as it then is
  source      TEXT COLLATE "C" NOT NULL,
  record_pk   BIGINT REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  activation  DOUBLE PRECISION NOT NULL,  -- when it was saved
  accessed_at BIGINT NOT NULL,
  since       BIGINT NOT NULL,
  uses        BIGINT NOT NULL,
  lasting     BIGINT NOT NULL CHECK (lasting IN (0, 1)),  -- worth keeping when it leaves the mind
  PRIMARY KEY (mind_pk, position),
  CHECK ((text IS NULL) <> (record_pk IS NULL))
);
CREATE INDEX mind_slot_record ON mind_slot (record_pk) WHERE record_pk IS NOT NULL;

CREATE TABLE access_token (
  pk         BIGINT PRIMARY KEY,
  id         TEXT COLLATE "C" NOT NULL UNIQUE,  -- the half of the token that may be shown
  name       TEXT COLLATE "C" NOT NULL UNIQUE,
  hash       TEXT COLLATE "C" NOT NULL,  -- SHA-256 of the other half
  scope_pk   BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  rights     TEXT COLLATE "C" NOT NULL CHECK (json_type(rights) = 'array'),
  made_at    BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  may_add TEXT COLLATE "C" NOT NULL DEFAULT '{}' CHECK (json_type(may_add) = 'object'), policy TEXT COLLATE "C" CHECK (policy IN ('own', 'own+global', 'project')), used_at BIGINT);

CREATE TABLE record_before (
  record_pk     BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  until_at      BIGINT NOT NULL,
  version       BIGINT NOT NULL,  -- of the record at that time
  confidence    DOUBLE PRECISION,
  importance    DOUBLE PRECISION,
  success_count BIGINT,
  failure_count BIGINT,
  arousal       DOUBLE PRECISION,
  valid_from    BIGINT,
  updated_at    BIGINT,
  attributes    TEXT COLLATE "C" CHECK (attributes IS NULL OR json_type(attributes) = 'object'),
  PRIMARY KEY (record_pk, until_at, version)
);

CREATE TABLE edge_before (
  edge_pk        BIGINT NOT NULL REFERENCES edge(pk) ON DELETE CASCADE DEFERRABLE,
  until_at       BIGINT NOT NULL,
  weight         DOUBLE PRECISION,
  confidence     DOUBLE PRECISION,
  auto_extracted BIGINT,
  retired_at     BIGINT,  -- it was withdrawn from then on, until `until_at`
  PRIMARY KEY (edge_pk, until_at)
);

CREATE TABLE sentence_vectors (  -- a row for each record of more than one sentence, written with its vector
  pk        BIGINT PRIMARY KEY,
  space_pk  BIGINT NOT NULL REFERENCES space(pk) ON DELETE CASCADE DEFERRABLE,
  record_pk BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  data      BYTEA NOT NULL,  -- a 32-bit scale for each sentence, then its numbers, one byte each
  UNIQUE (space_pk, record_pk)
);
CREATE INDEX sentence_vectors_record ON sentence_vectors (record_pk);

CREATE TABLE audit (  -- who did what when, never the content
  pk       BIGINT PRIMARY KEY,
  at       BIGINT NOT NULL,
  event    TEXT COLLATE "C" NOT NULL,
  verb     TEXT COLLATE "C" NOT NULL,
  channel  TEXT COLLATE "C" NOT NULL,
  count    BIGINT NOT NULL,
  outcome  TEXT COLLATE "C" NOT NULL,
  told     BYTEA,
  caller   TEXT COLLATE "C",
  scope    TEXT COLLATE "C",
  detail   TEXT COLLATE "C",
  salt     BYTEA,
  mark     BYTEA,  -- NULL until the first entry that is written with marks takes the older ones into the chain
  unnamed  BYTEA   -- a keyed mark in the place of the four, written by an erasure
);

CREATE TABLE sealed (
  ref       BIGINT PRIMARY KEY,
  record_id TEXT COLLATE "C" NOT NULL,
  box       BYTEA NOT NULL
);
CREATE INDEX sealed_of ON sealed (record_id);
CREATE INDEX record_sealed ON record (sealed) WHERE sealed IS NOT NULL;

CREATE TABLE sealed_vector (  -- of texts that are withheld: turned by a key, and searched by nobody without it
  ref      BIGINT NOT NULL REFERENCES sealed(ref) ON DELETE CASCADE DEFERRABLE,
  space_pk BIGINT NOT NULL REFERENCES space(pk) ON DELETE CASCADE DEFERRABLE,
  data     BYTEA NOT NULL,
  PRIMARY KEY (space_pk, ref)
);
CREATE INDEX sealed_vector_of ON sealed_vector (ref);

CREATE TABLE secret_ref (  -- which box holds the secret that `[secret:KIND#REF]` in a text stands for
  ref    TEXT COLLATE "C" NOT NULL,
  sealed BIGINT NOT NULL REFERENCES sealed(ref) ON DELETE CASCADE DEFERRABLE,
  kind   TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (ref, sealed)
);
CREATE INDEX secret_ref_of ON secret_ref (sealed);

CREATE TABLE exported_file (
  pk       BIGINT PRIMARY KEY,
  path     TEXT COLLATE "C" NOT NULL UNIQUE,
  at       BIGINT NOT NULL,
  format   TEXT COLLATE "C" NOT NULL,
  sealed   BIGINT NOT NULL,
  of_scope TEXT COLLATE "C",  -- the key of a scope; NULL: the whole store
  count    BIGINT NOT NULL,
  sha256   TEXT COLLATE "C"   -- of the lines, where there are lines
);

CREATE TABLE erasing (
  pk           BIGINT PRIMARY KEY,
  at           BIGINT NOT NULL,
  whom         TEXT COLLATE "C" NOT NULL,  -- JSON: by which names; gone with the row
  record_pks   TEXT COLLATE "C" NOT NULL,  -- JSON: keys of the records
  operation_pk BIGINT NOT NULL REFERENCES operation (pk) DEFERRABLE
);

CREATE TABLE retention_rule (
  name    TEXT COLLATE "C" PRIMARY KEY,
  rule    TEXT COLLATE "C" NOT NULL,
  hard    BIGINT NOT NULL,  -- erased for good, not archived
  made_at BIGINT NOT NULL
);

CREATE TABLE agent_project (
  root     TEXT COLLATE "C" PRIMARY KEY,  -- the folder that all work trees of a repository share
  name     TEXT COLLATE "C" NOT NULL,  -- its project
  first_at BIGINT NOT NULL,
  last_at  BIGINT NOT NULL
);

CREATE TABLE agent_session (
  pk         BIGINT PRIMARY KEY,
  scope_pk   BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  client     TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  root       TEXT COLLATE "C" NOT NULL DEFAULT '',  -- '': nobody said in which folder
  started_at BIGINT NOT NULL,
  last_at    BIGINT NOT NULL,
  ended_at   BIGINT,
  outside    BIGINT NOT NULL DEFAULT 0,  -- files outside the project that were touched: only their number is kept
  derived_to BIGINT NOT NULL DEFAULT 0,  -- key of the last event that its signals were derived from
  concluded_to BIGINT NOT NULL DEFAULT 0,  -- … and of the last one that records were concluded from
  outcome TEXT COLLATE "C",  -- beginnings of ids of records that it added, spoke for, used, and was shown in vain; JSON
  UNIQUE (scope_pk, client, id)
);
CREATE INDEX agent_session_id ON agent_session (id);

CREATE TABLE agent_event (
  pk          BIGINT PRIMARY KEY,
  scope_pk    BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  session_pk  BIGINT NOT NULL REFERENCES agent_session(pk) ON DELETE CASCADE DEFERRABLE,
  key         TEXT COLLATE "C" NOT NULL,  -- by which it is known when it comes again
  origin      TEXT COLLATE "C" NOT NULL,  -- hook, transcript or call
  type        TEXT COLLATE "C" NOT NULL,
  at          BIGINT NOT NULL,
  step        BIGINT,  -- where its client numbers steps
  agent       TEXT COLLATE "C",  -- of a sub-agent
  tool        TEXT COLLATE "C",
  class       TEXT COLLATE "C",
  target      TEXT COLLATE "C",  -- a print of the command that was run
  duration_ms BIGINT,
  error       TEXT COLLATE "C",  -- at most 200 characters, secrets taken out
  error_hash  TEXT COLLATE "C",
  detail      TEXT COLLATE "C",  -- JSON: source and mode of a moment, length and print of its text, figures of a plan
  UNIQUE (session_pk, key)
);
CREATE INDEX agent_event_at ON agent_event (at);
CREATE INDEX agent_event_error ON agent_event (error_hash) WHERE error_hash IS NOT NULL;

CREATE TABLE agent_file (
  event_pk BIGINT NOT NULL REFERENCES agent_event(pk) ON DELETE CASCADE DEFERRABLE,
  position BIGINT NOT NULL,
  path     TEXT COLLATE "C" NOT NULL,  -- within the project
  class    TEXT COLLATE "C" NOT NULL,
  detail   TEXT COLLATE "C",  -- JSON: lines that were read; hunks of an edit, prints of the lines that went and came
  PRIMARY KEY (event_pk, position)
);
CREATE INDEX agent_file_path ON agent_file (path);

CREATE TABLE agent_signal (
  pk         BIGINT PRIMARY KEY,
  scope_pk   BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  session_pk BIGINT NOT NULL REFERENCES agent_session(pk) ON DELETE CASCADE DEFERRABLE,
  kind       TEXT COLLATE "C" NOT NULL,  -- co_access, error_retry, backtrack, sequence, time_anomaly
  subject    TEXT COLLATE "C" NOT NULL,  -- a file, an error, classes of tools in a row
  other      TEXT COLLATE "C" NOT NULL DEFAULT '',  -- the other file of a pair
  count      BIGINT NOT NULL,
  at         BIGINT NOT NULL,
  detail     TEXT COLLATE "C",  -- JSON
  UNIQUE (session_pk, kind, subject, other)
);
CREATE INDEX agent_signal_subject ON agent_signal (kind, subject);

CREATE TABLE agent_error (
  pk       BIGINT PRIMARY KEY,
  scope_pk BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  tool     TEXT COLLATE "C" NOT NULL,
  hash     TEXT COLLATE "C" NOT NULL,
  text     TEXT COLLATE "C" NOT NULL,  -- normalised
  count    BIGINT NOT NULL,
  first_at BIGINT NOT NULL,
  last_at  BIGINT NOT NULL,
  cure     TEXT COLLATE "C",  -- JSON: what was edited before the same thing went well
  cured_at BIGINT,
  UNIQUE (scope_pk, tool, hash)
);

CREATE TABLE spool_taken (
  name   TEXT COLLATE "C" PRIMARY KEY,
  at     BIGINT NOT NULL,
  events BIGINT NOT NULL,
  cut    BIGINT NOT NULL  -- lines that were no whole event
);

CREATE TABLE code_project (
  pk         BIGINT PRIMARY KEY,
  root       TEXT COLLATE "C" NOT NULL UNIQUE,     -- the folder of the repository, links followed
  name       TEXT COLLATE "C" NOT NULL,            -- the project that records of it belong to
  indexed_at BIGINT NOT NULL,         -- microseconds
  version    BIGINT NOT NULL,         -- of the rules that resolved it; another one makes all of it anew
  folders    TEXT COLLATE "C" NOT NULL DEFAULT '{}' CHECK (json_type(folders) = 'object'),  -- when each was last changed
  left_out   TEXT COLLATE "C" NOT NULL DEFAULT '{}' CHECK (json_type(left_out) = 'object'),  -- how many files, by the reason
  commit_id  TEXT COLLATE "C" NOT NULL DEFAULT '',  -- up to which its history was read
  missing    TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (json_type(missing) = 'array')  -- what its history does not say
);

CREATE TABLE code_change (
  pk         BIGINT PRIMARY KEY,
  project_pk BIGINT NOT NULL REFERENCES code_project(pk) ON DELETE CASCADE DEFERRABLE,
  at_s       BIGINT NOT NULL           -- seconds
);
CREATE INDEX code_change_project ON code_change (project_pk, at_s);

CREATE TABLE code_changed_file (
  path      TEXT COLLATE "C" NOT NULL,
  change_pk BIGINT NOT NULL REFERENCES code_change(pk) ON DELETE CASCADE DEFERRABLE,
  PRIMARY KEY (path, change_pk)
);
CREATE INDEX code_changed_file_change ON code_changed_file (change_pk);

CREATE TABLE code_facts (
  hash     BYTEA NOT NULL PRIMARY KEY,  -- BLAKE2b of the language, the version of its reader, and the bytes
  facts    BYTEA NOT NULL,              -- JSON, deflated
  used_at  BIGINT NOT NULL
);

CREATE TABLE code_file (
  pk          BIGINT PRIMARY KEY,
  project_pk  BIGINT NOT NULL REFERENCES code_project(pk) ON DELETE CASCADE DEFERRABLE,
  path        TEXT COLLATE "C" NOT NULL,           -- from the root, with slashes
  language    TEXT COLLATE "C" NOT NULL,
  size        BIGINT NOT NULL,
  mtime_ns    BIGINT NOT NULL,
  hash        BYTEA NOT NULL,           -- of its facts
  refused     TEXT COLLATE "C",                    -- why it was left out; NULL if it was taken in
  notes       TEXT COLLATE "C" CHECK (notes IS NULL OR json_type(notes) = 'array'),
  symbols     BYTEA NOT NULL,           -- its nodes: JSON lists of symbol, kind, first and last line
  nodes       BYTEA NOT NULL,           -- … and their keys, 8 bytes each
  edges       BYTEA NOT NULL,           -- what leaves it, 20 bytes each (docs/FORMAT.md)
  loose       BYTEA NOT NULL,           -- JSON list of names that its unresolved edges mean
  depends_on  BYTEA NOT NULL,           -- JSON list of the files that its exact and inferred edges lead to
  looked_at   BYTEA NOT NULL,           -- keys of all that its edges rest on, 4 bytes each, ascending
  UNIQUE (project_pk, path)
);

CREATE TABLE code_closure (
  file_pk    BIGINT NOT NULL PRIMARY KEY REFERENCES code_file(pk) ON DELETE CASCADE DEFERRABLE,
  dependents BYTEA NOT NULL             -- 9 bytes each: file, the file through which, depth
);

CREATE TABLE code_anchor (
  record_pk  BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  position   BIGINT NOT NULL,         -- among the anchors of the record
  project_pk BIGINT NOT NULL REFERENCES code_project(pk) ON DELETE CASCADE DEFERRABLE,
  print      BIGINT NOT NULL,         -- of the record's anchors: a row with another print counts no more
  path       TEXT COLLATE "C" NOT NULL,            -- where the file is now
  line       BIGINT NOT NULL,         -- 0: the whole file
  end_line   BIGINT NOT NULL,
  state      TEXT COLLATE "C" NOT NULL CHECK (state IN ('fresh', 'moved', 'drifted', 'orphaned')),
  size       BIGINT NOT NULL,         -- of the file when it was looked at; -1: it was not there
  mtime_ns   BIGINT NOT NULL,
  PRIMARY KEY (record_pk, position)
);
CREATE INDEX code_anchor_state ON code_anchor (state) WHERE state = 'orphaned';

-- What sessions of coding agents cost and were spared: figures that outlive the events they were counted from.
CREATE TABLE agent_meter (
  scope_pk    BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  client      TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  at          BIGINT NOT NULL,  -- of its last event
  steps       BIGINT NOT NULL,
  edited      BIGINT NOT NULL,  -- files
  searches    BIGINT NOT NULL,  -- searches and lists
  first_reads BIGINT NOT NULL,  -- of files that nobody had named
  hinted      BIGINT NOT NULL,  -- first reads of files that the memory had named
  reads       BIGINT NOT NULL,  -- all of them
  rereads     BIGINT NOT NULL,
  errors      BIGINT NOT NULL,
  recurrences BIGINT NOT NULL,  -- errors that an earlier session had met
  looked      BIGINT NOT NULL,  -- characters that searches, lists, first reads of what nobody had named and rereads brought
  unsized     BIGINT NOT NULL,  -- how many of these did not say how much they brought
  told        BIGINT NOT NULL,  -- how often the memory said something unasked
  asked       BIGINT NOT NULL,  -- how often it was asked
  injected    BIGINT NOT NULL,  -- characters of both
  PRIMARY KEY (scope_pk, client, id)
);
CREATE INDEX agent_meter_at ON agent_meter (at);

CREATE TABLE agent_words (
  session_pk BIGINT NOT NULL PRIMARY KEY REFERENCES agent_session(pk) ON DELETE CASCADE DEFERRABLE,
  plan       TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (json_type(plan) = 'array'),  -- steps: text, state, its number
  tail       TEXT COLLATE "C" NOT NULL DEFAULT ''  -- the end of its last message
);

-- What agents tell each other: publications, who asked for such, what waits, and what was delivered.
-- Bookkeeping beside the records: not journalled, not exported.

CREATE TABLE bus_publication (
  pk         BIGINT PRIMARY KEY,
  id         TEXT COLLATE "C" NOT NULL UNIQUE,
  scope_pk   BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,  -- of who published it
  agent      TEXT COLLATE "C" NOT NULL,
  topics     TEXT COLLATE "C" NOT NULL,  -- a JSON list
  visibility TEXT COLLATE "C" NOT NULL,
  targets    TEXT COLLATE "C" NOT NULL,  -- a JSON list of agents
  importance DOUBLE PRECISION NOT NULL,
  standing   DOUBLE PRECISION NOT NULL,  -- of the publisher then: the share of its confidence that a record keeps
  subject    TEXT COLLATE "C",
  at         BIGINT NOT NULL
);

-- The records of a publication, each a version of a thing.
CREATE TABLE bus_part (
  publication_pk BIGINT NOT NULL REFERENCES bus_publication(pk) ON DELETE CASCADE DEFERRABLE,
  record_pk      BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  thing          TEXT COLLATE "C" NOT NULL,
  vector         TEXT COLLATE "C" NOT NULL,  -- JSON: how often each agent had published it
  PRIMARY KEY (publication_pk, record_pk)
);
CREATE INDEX bus_part_record ON bus_part (record_pk);

CREATE TABLE bus_subscription (
  pk             BIGINT PRIMARY KEY,
  id             TEXT COLLATE "C" NOT NULL UNIQUE,
  scope_pk       BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  agent          TEXT COLLATE "C" NOT NULL,
  topics         TEXT COLLATE "C",  -- a JSON list; NULL: any
  importance_min DOUBLE PRECISION NOT NULL,
  sources        TEXT COLLATE "C",  -- a JSON list of agents; NULL: any
  rate           BIGINT NOT NULL,
  at             BIGINT NOT NULL
);
CREATE INDEX bus_subscription_scope ON bus_subscription (scope_pk);

-- What is to be delivered still.
CREATE TABLE bus_waiting (
  publication_pk  BIGINT NOT NULL REFERENCES bus_publication(pk) ON DELETE CASCADE DEFERRABLE,
  agent           TEXT COLLATE "C" NOT NULL,
  subscription_pk BIGINT NOT NULL REFERENCES bus_subscription(pk) ON DELETE CASCADE DEFERRABLE,
  PRIMARY KEY (publication_pk, agent)
);
CREATE INDEX bus_waiting_subscription ON bus_waiting (subscription_pk, publication_pk);

CREATE TABLE bus_delivery (
  pk              BIGINT PRIMARY KEY,
  publication_pk  BIGINT NOT NULL REFERENCES bus_publication(pk) ON DELETE CASCADE DEFERRABLE,
  agent           TEXT COLLATE "C" NOT NULL,
  scope_pk        BIGINT NOT NULL REFERENCES scope(pk) DEFERRABLE,
  subscription_pk BIGINT,  -- NULL: a publisher that is told of a conflict
  outcome         TEXT COLLATE "C" NOT NULL,
  other           TEXT COLLATE "C",  -- at which agent a conflict was
  at              BIGINT NOT NULL,
  UNIQUE (publication_pk, agent)
);
CREATE INDEX bus_delivery_scope ON bus_delivery (scope_pk, pk);
CREATE INDEX bus_delivery_rate ON bus_delivery (subscription_pk, at) WHERE subscription_pk IS NOT NULL;

-- Records that came with a delivery, and versions that agents hold: their own, and those they were told.
CREATE TABLE bus_arrival (
  delivery_pk BIGINT NOT NULL REFERENCES bus_delivery(pk) ON DELETE CASCADE DEFERRABLE,
  position    BIGINT NOT NULL,
  record_pk   BIGINT NOT NULL REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  PRIMARY KEY (delivery_pk, position)
);
CREATE INDEX bus_arrival_record ON bus_arrival (record_pk);

CREATE TABLE bus_version (
  record_pk BIGINT PRIMARY KEY REFERENCES record(pk) ON DELETE CASCADE DEFERRABLE,
  thing     TEXT COLLATE "C" NOT NULL,
  agent     TEXT COLLATE "C" NOT NULL,
  vector    TEXT COLLATE "C" NOT NULL,
  at        BIGINT NOT NULL  -- when this version was published
);
CREATE INDEX bus_version_thing ON bus_version (thing, agent);

-- Terms of every row, past versions included; the words themselves are in record.content. A lexeme's positions are a
-- tally: as many as the term occurs. The totals are those of all rows, which BM25 asks for.
CREATE TABLE record_text (
  pk     BIGINT PRIMARY KEY,
  length BIGINT NOT NULL,
  terms  TSVECTOR NOT NULL
);
CREATE INDEX record_text_terms ON record_text USING gin (terms);
CREATE TABLE record_text_totals (
  texts  BIGINT NOT NULL,
  length BIGINT NOT NULL
);
INSERT INTO record_text_totals VALUES (0, 0);

-- Keys. The next one is the largest there is, and one more; what was deleted leaves its key here, so that keys are never
-- given twice. One writer at a time makes that safe, and a write that fails leaves no hole.
CREATE TABLE key_given (
  name TEXT COLLATE "C" PRIMARY KEY,
  last BIGINT NOT NULL
);
DO $do$
DECLARE
  each_table TEXT;
  key_column TEXT;
BEGIN
  FOREACH each_table IN ARRAY ARRAY['record', 'edge', 'entity', 'change', 'operation', 'journal', 'evolution_log', 'job', 'run',
    'summary', 'question', 'mind', 'access_token', 'agent_session', 'agent_event', 'agent_signal', 'agent_error', 'bus_publication',
    'bus_subscription', 'bus_delivery'] LOOP
    key_column := CASE each_table WHEN 'change' THEN 'seq' WHEN 'evolution_log' THEN 'id' ELSE 'pk' END;
    INSERT INTO key_given VALUES (each_table, 0);
    EXECUTE format($f$
      CREATE FUNCTION %1$s_key() RETURNS TRIGGER LANGUAGE plpgsql AS $body$
      BEGIN
        NEW.%2$s := 1 + greatest((SELECT max(%2$s) FROM %1$I), (SELECT last FROM key_given WHERE name = %1$L));
        RETURN NEW;
      END $body$;
      CREATE TRIGGER %1$s_key BEFORE INSERT ON %1$I FOR EACH ROW WHEN (NEW.%2$s IS NULL) EXECUTE FUNCTION %1$s_key();
      CREATE FUNCTION %1$s_key_gone() RETURNS TRIGGER LANGUAGE plpgsql AS $body$
      BEGIN
        UPDATE key_given SET last = (SELECT max(%2$s) FROM gone)
        WHERE name = %1$L AND last < (SELECT max(%2$s) FROM gone);
        RETURN NULL;
      END $body$;
      CREATE TRIGGER %1$s_key_gone AFTER DELETE ON %1$I REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION %1$s_key_gone();
    $f$, each_table, key_column);
  END LOOP;
  FOREACH each_table IN ARRAY ARRAY['scope', 'session', 'space', 'feedback', 'sentence_vectors', 'sealed',
    'exported_file', 'erasing', 'code_project', 'code_change', 'code_file', 'audit'] LOOP
    key_column := CASE each_table WHEN 'sealed' THEN 'ref' ELSE 'pk' END;
    EXECUTE format($f$
      CREATE FUNCTION %1$s_key() RETURNS TRIGGER LANGUAGE plpgsql AS $body$
      BEGIN
        NEW.%2$s := 1 + coalesce((SELECT max(%2$s) FROM %1$I), 0);
        RETURN NEW;
      END $body$;
      CREATE TRIGGER %1$s_key BEFORE INSERT ON %1$I FOR EACH ROW WHEN (NEW.%2$s IS NULL) EXECUTE FUNCTION %1$s_key();
    $f$, each_table, key_column);
  END LOOP;
END $do$;

-- Marks: what a record is found by besides its words. Triggers keep them in step with `record`; nobody writes here.
CREATE FUNCTION json_atoms(x TEXT, VARIADIC names TEXT[]) RETURNS SETOF TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  BEGIN ATOMIC
    SELECT e.key || '=' || CASE jsonb_typeof(leaf) WHEN 'boolean' THEN (leaf::BOOLEAN)::INT::TEXT ELSE leaf #>> '{}' END
    FROM jsonb_each(json_read(x)) e
    CROSS JOIN LATERAL (
      SELECT e.value WHERE jsonb_typeof(e.value) NOT IN ('array', 'object')
      UNION ALL SELECT a FROM jsonb_array_elements(CASE jsonb_typeof(e.value) WHEN 'array' THEN e.value ELSE '[]' END) a
      UNION ALL SELECT o.value FROM jsonb_each(CASE jsonb_typeof(e.value) WHEN 'object' THEN e.value ELSE '{}' END) o
    ) leaves (leaf)
    WHERE e.key = ANY (names) AND jsonb_typeof(leaf) NOT IN ('array', 'object', 'null');
  END;
CREATE FUNCTION marks_of(place TEXT, facets TEXT, metadata TEXT) RETURNS SETOF TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
  BEGIN ATOMIC
    SELECT json_atoms(place, 'position_type', 'file_path', 'section_path', 'module_path', 'class_name', 'function_name', 'url')
    UNION
    SELECT json_atoms(facets, 'diataxis_type', 'primary_persona', 'secondary_personas', 'verification_state', 'confidence',
                      'domain_tags', 'is_time_sensitive', 'source_type')
    UNION
    SELECT 'related_file=' || (f #>> '{}') FROM jsonb_array_elements(json_items(json_read(metadata) -> 'related_files')) f
    WHERE jsonb_typeof(f) = 'string'
    UNION  -- a path by its last part: the name, two slashes, the folder
    SELECT 'file_name=' || regexp_replace(place::JSON ->> 'file_path', '^(.*/)?([^/]*)$', '\2//\1')
    WHERE place::JSON ->> 'file_path' IS NOT NULL;
  END;

CREATE FUNCTION mark_record() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND (OLD.place IS NOT NULL OR OLD.facets IS NOT NULL OR OLD.metadata IS NOT NULL) THEN
    DELETE FROM mark WHERE record_pk = OLD.pk AND mark IN (SELECT marks_of(OLD.place, OLD.facets, OLD.metadata));
  END IF;
  IF TG_OP <> 'DELETE' AND (NEW.place IS NOT NULL OR NEW.facets IS NOT NULL OR NEW.metadata IS NOT NULL) THEN
    INSERT INTO mark (mark, record_pk) SELECT m, NEW.pk FROM marks_of(NEW.place, NEW.facets, NEW.metadata) m
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_insert AFTER INSERT ON record FOR EACH ROW
  WHEN (NEW.place IS NOT NULL OR NEW.facets IS NOT NULL OR NEW.metadata IS NOT NULL) EXECUTE FUNCTION mark_record();
CREATE TRIGGER mark_update AFTER UPDATE OF place, facets, metadata ON record FOR EACH ROW EXECUTE FUNCTION mark_record();
CREATE TRIGGER mark_delete AFTER DELETE ON record FOR EACH ROW EXECUTE FUNCTION mark_record();

CREATE FUNCTION mark_anchor() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO mark (mark, record_pk) VALUES ('related_file=' || NEW.path, NEW.record_pk) ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM mark WHERE mark = 'related_file=' || OLD.path AND record_pk = OLD.record_pk
      AND NOT EXISTS (SELECT 1 FROM code_anchor a WHERE a.record_pk = OLD.record_pk AND a.path = OLD.path)
      AND NOT EXISTS (SELECT 1 FROM record r CROSS JOIN LATERAL marks_of(r.place, r.facets, r.metadata) m
                      WHERE r.pk = OLD.record_pk AND m = 'related_file=' || OLD.path);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER code_anchor_insert AFTER INSERT ON code_anchor FOR EACH ROW EXECUTE FUNCTION mark_anchor();
CREATE TRIGGER code_anchor_delete AFTER DELETE ON code_anchor FOR EACH ROW EXECUTE FUNCTION mark_anchor();

-- A record that is erased, deleted or changed takes along every summary that may hold words of it or of what was drawn
-- from it, at once. Upkeep writes them anew from what is left.
CREATE VIEW summary_above (record_pk, summary_pk) AS
  SELECT m.record_pk, c.pk FROM summary_member m JOIN summary c ON c.pk = m.summary_pk
  UNION ALL
  SELECT m.record_pk, c.parent_pk FROM summary_member m JOIN summary c ON c.pk = m.summary_pk
  UNION ALL
  SELECT m.record_pk, d.parent_pk FROM summary_member m JOIN summary c ON c.pk = m.summary_pk
  JOIN summary d ON d.pk = c.parent_pk;

CREATE FUNCTION summary_outdated() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  changed RECORD := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  UPDATE summary SET label = '', text = '', tokens = 0, centroid = NULL, stale = 1
  WHERE stale = 0 AND pk IN (SELECT summary_pk FROM summary_above WHERE record_pk IN (changed.pk, changed.turn_pk));
  UPDATE entity SET summary = NULL WHERE summary IS NOT NULL
  AND pk IN (SELECT entity_pk FROM mention WHERE record_pk IN (changed.pk, changed.turn_pk));
  DELETE FROM enriched WHERE entity_pk IN (SELECT entity_pk FROM mention WHERE record_pk IN (changed.pk, changed.turn_pk));
  IF TG_OP = 'DELETE' THEN
    DELETE FROM journal WHERE relation = 'entity' AND json_type(before, '$.summary') = 'text'
    AND first_pk IN (SELECT entity_pk FROM mention WHERE record_pk IN (changed.pk, changed.turn_pk));
  END IF;
  RETURN changed;
END $$;
CREATE TRIGGER summary_erased BEFORE DELETE ON record FOR EACH ROW EXECUTE FUNCTION summary_outdated();
CREATE TRIGGER summary_changed AFTER UPDATE OF content, retired_at, tier, security, flagged, valid_until ON record
  FOR EACH ROW WHEN (NEW.head_pk IS NULL) EXECUTE FUNCTION summary_outdated();

CREATE FUNCTION summary_unnamed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN  -- a record says no longer that it is about this entity
  UPDATE entity SET summary = NULL WHERE pk = OLD.entity_pk AND summary IS NOT NULL;
  DELETE FROM enriched WHERE entity_pk = OLD.entity_pk;
  RETURN NULL;
END $$;
CREATE TRIGGER summary_unnamed AFTER DELETE ON mention FOR EACH ROW EXECUTE FUNCTION summary_unnamed();

-- The words of a record may have been said in any mind whose scope does not contradict the record's. When the record is
-- erased, those minds go as a whole: a vector tells of words, too.
CREATE FUNCTION mind_erased() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM mind WHERE pk IN (
    SELECT m.pk FROM mind m JOIN scope s ON s.pk = m.scope_pk JOIN scope r ON r.pk = OLD.scope_pk
    WHERE coalesce(s.project = r.project, TRUE) AND coalesce(s.squad = r.squad, TRUE)
    AND coalesce(s.agent_id = r.agent_id, TRUE) AND coalesce(s.channel = r.channel, TRUE)
    AND coalesce(s.user_id = r.user_id, TRUE)
  );
  RETURN OLD;
END $$;
CREATE TRIGGER mind_erased BEFORE DELETE ON record FOR EACH ROW WHEN (OLD.head_pk IS NULL) EXECUTE FUNCTION mind_erased();
