"""What other programs export, one module per format: each turns a file into items that `add` takes."""
