"""Questions about XML in pages."""
