-- What a token may add to the scope it holds: {"project": ["*"], "agent_id": ["rex"]}, values by dimension, "*" for any.
-- A token that held no scope was made to act for anyone, and goes on doing so; all others may add nothing.

ALTER TABLE access_token ADD COLUMN may_add TEXT NOT NULL DEFAULT '{}' CHECK (json_type(may_add) = 'object');

UPDATE access_token SET may_add = '{"project":["*"],"squad":["*"],"agent_id":["*"],"channel":["*"],"user_id":["*"]}'
WHERE scope_pk IN (SELECT pk FROM scope WHERE coalesce(project, squad, agent_id, channel, user_id) IS NULL);
