"""Models that read a question and a text together and say how well one answers the other."""
