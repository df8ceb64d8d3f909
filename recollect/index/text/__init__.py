"""Text indexes: BM25 over the terms of `model.terms`, one module per engine, imported where it is wired."""
