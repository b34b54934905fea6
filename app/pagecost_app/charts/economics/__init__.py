"""Charts of questions about money."""
