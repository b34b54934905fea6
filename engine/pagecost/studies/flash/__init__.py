"""Questions about flash and SSDs."""
