"""Questions about operators of query plans."""

TITLE = "Operators"
RANK = 6.7  # place among the topics, along the I/O path
ORDER = (
    "index_or_scan",
    "joins_by_device",
    "joins_on_rows",
    "btree_node_size",
    "in_page_logging",
)
"""The questions in the order in which they build on each other; one that is not named comes last."""
