"""Other libraries beside ours, each in an environment of its own: `python -m bench.peers`."""
