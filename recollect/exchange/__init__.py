"""What leaves a store and comes into one: exports, imports, and the erasure of a person."""
