"""The reader of pairs that ships: fitted trees, and the transformer and the baseline they were held against."""
