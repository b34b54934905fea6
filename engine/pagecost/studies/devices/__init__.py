"""Questions about devices side by side."""
