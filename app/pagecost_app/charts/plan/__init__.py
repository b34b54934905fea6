"""Charts of questions of who has to decide."""
