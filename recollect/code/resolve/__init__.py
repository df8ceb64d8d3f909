"""From the facts of all files to edges: what each import, base and call means, and how sure that is."""
