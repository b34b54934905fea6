"""Questions about the database buffer."""

TITLE = "Buffer"
RANK = 4  # place among the topics, along the I/O path
ORDER = (
    "buffer_size",
    "miss_curve",
    "policy_cost",
    "policy_ranking",
    "write_clustering",
    "trace_insight",
)
"""The questions in the order in which they build on each other; one that is not named comes last."""
