"""What must hold after anything that can happen."""
