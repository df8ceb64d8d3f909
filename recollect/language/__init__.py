"""What the engine knows about human languages: how a text is cut, what its words are, which times it names.

Nothing here knows of records, stores or searches. A language is a folder, `language/en/`, with two kinds of things in
it: lists, which are data, and patterns over them, which `language/frame/` reads the same way for every language.

Lists are files that people who do not program can read and extend (`recollect.language.lists` reads them):

- `NAME.txt` is a set of words or phrases. Entries are separated by commas or line ends, and a phrase may contain
  blanks. Upper and lower case are kept. A `#` at the beginning of a line or after a blank opens a comment. A line
  `[heading]` opens a part of a list that holds several sets of one kind; an entry `key = value` is one of a mapping.
- `NAME.toml` is a table: keys and their values, in sections where there are several tables of one kind.

An entry must be defensible to a stranger: a list holds what the language, or its speakers' world, has many of, not the
names that one set of test conversations happens to contain.
"""
