"""The reader of pairs: what follows from how probable it is that a newer text ends what an older one says."""
