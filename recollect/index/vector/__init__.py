"""Vector indexes: nearest neighbours by cosine, one module per engine, imported where it is wired."""
