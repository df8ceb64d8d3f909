"""SQLite through apsw-sqlite3mc: one writer, a pool of readers, write-ahead log, optional page encryption."""
