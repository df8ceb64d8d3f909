"""States: who holds which value in which respect, and whether a newer value takes the place of an older one.

It reads statements for what is so at one time (a home, an employer, a price, an attribute) and texts for the amounts,
days and names they claim. The doors are `holdings.holdings_of` for what a statement says to be so,
`conflicts.conflict_between` for two statements, and `claims.claims_of` for the values in a text.
"""
