"""One module per embedder. Import through `providers.registry`: each pulls in a library of its own."""
