"""Questions about devices side by side."""

TITLE = "Devices"
RANK = 1  # place among the topics, along the I/O path
ORDER = (
    "block_size",
    "best_block_size",
    "file_and_block_size",
    "energy_per_operation",
    "device_fit",
)
"""The questions in the order in which they build on each other; one that is not named comes last."""
