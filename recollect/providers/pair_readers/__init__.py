"""Models that read an older and a newer text together and say what the newer one does to the older one."""
