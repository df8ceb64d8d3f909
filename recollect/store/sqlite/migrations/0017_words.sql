-- What an agent planned and said last, until the record of where its work stands is written: then the row goes.
CREATE TABLE agent_words (
  session_pk INTEGER NOT NULL PRIMARY KEY REFERENCES agent_session(pk) ON DELETE CASCADE,
  plan       TEXT NOT NULL DEFAULT '[]' CHECK (json_type(plan) = 'array'),  -- steps: text, state, its number
  tail       TEXT NOT NULL DEFAULT ''  -- the end of its last message
) STRICT;
