"""A small English grammar: what the words of one sentence are to each other.

It decides where a clause begins and ends, who it is about, which verb it turns on, what "and" joins, what a pronoun
points at, and whether the clause affirms, denies, plans or supposes. The doors are `clauses.read_clause` for one clause
and `coordination.clauses_in` for a sentence; `words.words_of` makes the words that all of them take.
"""
