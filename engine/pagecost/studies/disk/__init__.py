"""Questions about the hard disk."""

TITLE = "Disk"
RANK = 2  # place among the topics, along the I/O path
ORDER = (
    "disk_access_time",
    "disk_scheduling",
    "disk_sharing",
    "shingled_disk",
    "disk_arrays",
)
"""The questions in the order in which they build on each other; one that is not named comes last."""
