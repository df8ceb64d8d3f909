"""Agents of one store tell each other what they found: published once, delivered once to each who asked for such."""
