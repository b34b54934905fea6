"""Questions about the hard disk."""
