"""A small English grammar: words, verbs, clauses and what they point at; lists apart from rules."""
