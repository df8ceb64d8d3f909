"""Names: who and what a text names, and whether two names can be the same thing's.

It decides which words are names, and of what: people, places, organisations, projects, technologies, services, files.
The doors are `mentions.mentions_in` for a text and `same_name.likeness` for two names.
"""
