"""Questions about the database buffer."""
