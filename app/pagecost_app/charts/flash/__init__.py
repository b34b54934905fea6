"""Charts of questions about flash and SSDs."""
