"""One reader of source files for each language, all with the same result: the facts of a file."""
