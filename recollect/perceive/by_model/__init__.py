"""What a language model is asked about a text, and how its answer is read.

For each of statements, relations, doubtful pairs and the notes of a session there is one module with the prompt and the
reader of the answer; what an answer may not say is dropped there. No module here calls a model: the caller does, with
`prompt_of` and the reader of the same module.
"""
