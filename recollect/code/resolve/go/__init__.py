"""The rules of Go: which folder an import means, what names and expressions stand for, who implements an interface."""
