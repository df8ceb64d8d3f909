"""Pictures of what is stored: where things go, and how they are drawn. Standalone, without anything from a network."""
