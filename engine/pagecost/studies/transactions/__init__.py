"""Questions about transactions over an extended storage hierarchy."""
