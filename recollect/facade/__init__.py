"""The verbs of `Memory`, one module for each concern. Arguments are checked here, the work is done below."""
