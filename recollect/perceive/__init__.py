"""What a text says, found without a model: text in, values out."""
