"""The write path: what a caller gives becomes checked drafts, then one transaction."""
