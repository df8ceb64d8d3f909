"""Sameness: whether two texts say the same.

Three measures, from strict to lenient: `literal` compares what must agree to the letter, `sense` brings wording that
changes nothing (spelling, contractions, fillers, order) to one form while a text is stored, and `rewording` also takes
listed synonyms for one, for upkeep. The door is `sense.says_the_same`.
"""
