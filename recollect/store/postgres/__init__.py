"""A store in a PostgreSQL database: many processes and machines share it."""
