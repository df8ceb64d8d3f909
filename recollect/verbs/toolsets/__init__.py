"""Sets of tools for models that call functions: what each is told to be, and what happens when one is called."""
