"""Questions about transactions over an extended storage hierarchy."""

TITLE = "Transactions"
RANK = 6  # place among the topics, along the I/O path
ORDER = (
    "transaction_configurations",
    "log_allocation",
    "database_allocation",
    "force_noforce",
    "second_level_buffer",
    "multi_level_hits",
    "storage_cost",
    "tpcc_throughput",
)
"""The questions in the order in which they build on each other; one that is not named comes last."""
