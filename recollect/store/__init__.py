"""The one durable truth: every record, edge, vector, job and log entry, in one database."""
