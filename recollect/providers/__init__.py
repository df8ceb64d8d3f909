"""Models, local and remote, behind narrow protocols. A library loads when its provider is first used."""
