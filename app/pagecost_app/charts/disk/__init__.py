"""Charts of questions about the hard disk."""
