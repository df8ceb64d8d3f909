"""The interfaces of other designs, over the one store."""
