"""Works off what was queued when records were stored: vectors, reading, statements that a language model draws.

Jobs are durable and are tried again; each handler remembers how far it has come, so that a stop costs nothing.
`worker` is the door: a thread that hands each job to its handler.
"""
