"""Charts of questions about devices side by side."""
