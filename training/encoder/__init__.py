"""The sentence encoder that ships: fine-tuned, exported, and its forms compared."""
