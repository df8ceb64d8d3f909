"""Answering by asking memory again and again; and findings of research as records that support each other."""
