"""Retrieval quality on other people's conversations, beside simple baselines of the same run."""
