"""What a model sees: a budget of tokens, and the memories that are worth it."""
