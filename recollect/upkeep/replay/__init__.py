"""Goes over memories while no caller needs the store.

What fades and is used is strengthened, records about one thing are linked, and vectors that the model would make
otherwise today are made anew. `replay` is the door.
"""
