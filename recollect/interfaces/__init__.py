"""Where people and programs meet the memory: the command line, the sandbox."""
