"""The version, read by the build and by `recollect --version`."""

__version__ = "0.1.0"
