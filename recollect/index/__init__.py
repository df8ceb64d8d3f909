"""Derived indexes: rebuilt from the tables, kept fresh by the change feed, thrown away without loss."""
