"""Print the reference of all verbs."""

from recollect.verbs.document import reference

print(reference(), end="")
