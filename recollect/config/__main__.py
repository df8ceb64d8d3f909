"""Print the reference of all settings."""

from recollect.config.document import reference

print(reference(), end="")
