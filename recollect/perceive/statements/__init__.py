"""Statements: the sentences of a turn that are worth keeping on their own, told about the one who said them.

It decides what a turn states, in which words ("I use tabs" by Ana becomes "Ana uses tabs"), of which category, and
whether that is sure and telling enough to be kept. The door is `propositions.propositions_of`.
"""
