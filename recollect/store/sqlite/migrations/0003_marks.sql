-- What a record is found by besides its words: the file, section, code or page it comes from, the sort of text it is.
-- One row for each name=value, past versions included. Triggers keep it in step with `record`, so nobody writes here.
CREATE TABLE mark (
  mark      TEXT NOT NULL,
  record_pk INTEGER NOT NULL,
  PRIMARY KEY (mark, record_pk)
) STRICT, WITHOUT ROWID;

-- The marks a row has by its own columns: the one definition, by which the triggers go.
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
  UNION ALL  -- a path by its last part: the name, two slashes, the folder
  SELECT 'file_name=' || substr(path, folder + 1) || '//' || substr(path, 1, folder), pk
  FROM (SELECT pk, path, length(rtrim(path, replace(path, '/', ''))) AS folder
        FROM (SELECT r.pk AS pk, json_extract(r.place, '$.file_path') AS path FROM record r WHERE json_valid(r.place)))
  WHERE path IS NOT NULL;

CREATE TRIGGER mark_insert AFTER INSERT ON record
WHEN new.place IS NOT NULL OR new.facets IS NOT NULL OR json_extract(new.metadata, '$.related_files') IS NOT NULL BEGIN
  INSERT OR IGNORE INTO mark (mark, record_pk) SELECT mark, record_pk FROM mark_of WHERE record_pk = new.pk;
END;
CREATE TRIGGER mark_before_update BEFORE UPDATE OF place, facets, metadata ON record BEGIN
  DELETE FROM mark WHERE record_pk = old.pk AND mark IN (SELECT mark FROM mark_of WHERE record_pk = old.pk);
END;
CREATE TRIGGER mark_update AFTER UPDATE OF place, facets, metadata ON record BEGIN
  INSERT OR IGNORE INTO mark (mark, record_pk) SELECT mark, record_pk FROM mark_of WHERE record_pk = new.pk;
END;
CREATE TRIGGER mark_delete BEFORE DELETE ON record BEGIN
  DELETE FROM mark WHERE record_pk = old.pk AND mark IN (SELECT mark FROM mark_of WHERE record_pk = old.pk);
END;

INSERT INTO mark (mark, record_pk) SELECT DISTINCT mark, record_pk FROM mark_of;
CREATE INDEX record_subject ON record (subject COLLATE NOCASE) WHERE subject IS NOT NULL;
