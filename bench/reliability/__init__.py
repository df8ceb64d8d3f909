"""Proof that the store survives: what runs for minutes or hours, and a table of figures at the end."""
