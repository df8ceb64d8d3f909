"""What a memory does for itself between calls."""
