"""Which candidates answer best: scored, believed, judged and put in order."""
