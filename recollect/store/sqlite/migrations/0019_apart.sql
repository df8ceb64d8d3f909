-- What stands between the name of a session and a policy is U+001F: not every database keeps a NUL in a text.
UPDATE mind SET session = replace(session, char(0), char(31)) WHERE instr(session, char(0)) > 0;
