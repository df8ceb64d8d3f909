"""What languages that rules read have in common: the shapes, once. A language's folder gives its words."""
