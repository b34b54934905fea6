"""Questions about flash and SSDs."""

TITLE = "Flash"
RANK = 3  # place among the topics, along the I/O path
ORDER = (
    "write_amplification",
    "translation_layers",
    "device_fill",
    "ssd_queue_depth",
    "read_write_mix",
    "response_times",
    "write_buffer",
    "wear_and_lifetime",
    "program_wear",
    "slc_cache",
)
"""The questions in the order in which they build on each other; one that is not named comes last."""
