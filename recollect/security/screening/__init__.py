"""What a text is before it is stored. Pure: a text in, a value out; no store, no network."""
