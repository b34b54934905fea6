"""Charts of the questions about operators."""
