"""Charts of questions about the database buffer."""
