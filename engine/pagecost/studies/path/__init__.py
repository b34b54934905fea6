"""Questions about the whole path of an access, from a transaction to the device."""

TITLE = "Path"
RANK = 6.5  # place among the topics, along the I/O path
ORDER = (
    "whole_path",
    "file_system_writes",
    "segment_cleaning",
    "cleaning_interval",
    "io_schedulers",
    "ssd_or_disks",
    "path_lifetime",
    "tpcc_recorded",
)
"""The questions in the order in which they build on each other; one that is not named comes last."""
