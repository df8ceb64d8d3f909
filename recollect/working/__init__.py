"""The short-term tiers: what was just said, what is in mind, where the talk is going."""
