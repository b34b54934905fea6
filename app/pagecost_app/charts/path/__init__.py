"""Charts of questions about the whole path of an access."""
