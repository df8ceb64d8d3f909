-- What agents do, and the code they do it to.

-- Files that notes of agents are about were kept as `files` of their metadata once, where no search looks for them.
UPDATE record
SET metadata = json_remove(json_set(metadata, '$.related_files', json_extract(metadata, '$.files')), '$.files')
WHERE json_valid(metadata) AND json_type(metadata, '$.files') = 'array'
  AND json_type(metadata, '$.related_files') IS NULL
  AND category IN ('gotcha', 'decision', 'preference', 'pattern', 'requirement', 'error_pattern', 'module_insight',
                   'workflow', 'work_state', 'dead_end')
  AND (SELECT count(*) FROM json_each(metadata)) = 1;  -- as the tool stored them; other metadata is its caller's own
