"""Where candidates come from. Each source ranks what it knows; none of them decides."""
