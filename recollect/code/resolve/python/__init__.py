"""The rules of Python: which file an import means, what names and expressions stand for."""
