"""Text indexes: BM25 over the terms of `language.terms`, one module per engine, imported where it is wired."""
