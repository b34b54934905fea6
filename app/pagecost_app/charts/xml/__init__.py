"""Charts of questions about XML in pages."""
