-- Who may come in through the server. Of a token only a hash is kept: whoever reads the file cannot use it.

CREATE TABLE access_token (
  pk         INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,  -- the half of the token that may be shown
  name       TEXT NOT NULL UNIQUE,
  hash       TEXT NOT NULL,  -- SHA-256 of the other half
  scope_pk   INTEGER NOT NULL REFERENCES scope(pk),
  rights     TEXT NOT NULL CHECK (json_type(rights) = 'array'),
  made_at    INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;
