"""Charts of questions about transactions over an extended storage hierarchy."""
