-- How the code that records are about stands now. What it was when a record was written is in the record's attributes;
-- a row here says where that is today and whether it is the same. Made of records and files: not journalled, not exported.
CREATE TABLE code_anchor (
  record_pk  INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  position   INTEGER NOT NULL,         -- among the anchors of the record
  project_pk INTEGER NOT NULL REFERENCES code_project(pk) ON DELETE CASCADE,
  print      INTEGER NOT NULL,         -- of the record's anchors: a row with another print counts no more
  path       TEXT NOT NULL,            -- where the file is now
  line       INTEGER NOT NULL,         -- 0: the whole file
  end_line   INTEGER NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('fresh', 'moved', 'drifted', 'orphaned')),
  size       INTEGER NOT NULL,         -- of the file when it was looked at; -1: it was not there
  mtime_ns   INTEGER NOT NULL,
  PRIMARY KEY (record_pk, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX code_anchor_state ON code_anchor (state) WHERE state = 'orphaned';

-- A record is also found by the file that its anchor has followed.
DROP VIEW mark_of;
CREATE VIEW mark_of (mark, record_pk) AS
  SELECT iif(leaf.path = '$', leaf.key, trim(substr(leaf.path, 3), '"')) || '=' || leaf.atom, r.pk
  FROM record r, json_tree(iif(json_valid(r.place), r.place, NULL)) leaf
  WHERE leaf.atom IS NOT NULL AND iif(leaf.path = '$', leaf.key, trim(substr(leaf.path, 3), '"')) IN
    ('position_type', 'file_path', 'section_path', 'module_path', 'class_name', 'function_name', 'url')
  UNION ALL
  SELECT iif(leaf.path = '$', leaf.key, trim(substr(leaf.path, 3), '"')) || '=' || leaf.atom, r.pk
  FROM record r, json_tree(iif(json_valid(r.facets), r.facets, NULL)) leaf
  WHERE leaf.atom IS NOT NULL AND iif(leaf.path = '$', leaf.key, trim(substr(leaf.path, 3), '"')) IN
    ('diataxis_type', 'primary_persona', 'secondary_personas', 'verification_state', 'confidence', 'domain_tags',
     'is_time_sensitive', 'source_type')
  UNION ALL
  SELECT 'related_file=' || leaf.value, r.pk
  FROM record r, json_each(iif(json_valid(r.metadata), r.metadata, NULL), '$.related_files') leaf
  WHERE leaf.type = 'text'
  UNION ALL
  SELECT 'related_file=' || a.path, a.record_pk FROM code_anchor a
  UNION ALL  -- a path by its last part: the name, two slashes, the folder
  SELECT 'file_name=' || substr(path, folder + 1) || '//' || substr(path, 1, folder), pk
  FROM (SELECT pk, path, length(rtrim(path, replace(path, '/', ''))) AS folder
        FROM (SELECT r.pk AS pk, json_extract(r.place, '$.file_path') AS path FROM record r WHERE json_valid(r.place)))
  WHERE path IS NOT NULL;

CREATE TRIGGER code_anchor_insert AFTER INSERT ON code_anchor BEGIN
  INSERT OR IGNORE INTO mark (mark, record_pk) VALUES ('related_file=' || new.path, new.record_pk);
END;
CREATE TRIGGER code_anchor_delete AFTER DELETE ON code_anchor BEGIN
  DELETE FROM mark WHERE mark = 'related_file=' || old.path AND record_pk = old.record_pk
    AND NOT EXISTS (SELECT 1 FROM mark_of m WHERE m.record_pk = old.record_pk AND m.mark = 'related_file=' || old.path);
END;
