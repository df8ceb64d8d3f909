"""The read path: a question becomes ranked records, with an honest word about how."""
