"""What upkeep asks a language model in the background, within a budget of tokens.

All steps share one ledger, and a step that is refused goes on by rules or waits. `asking` is the door; `awaited`
counts what waits for a model, and `wording` has one sentence written for many.
"""
