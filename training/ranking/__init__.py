"""How the weights of the ranking's parts are fitted; see training/README.md."""
