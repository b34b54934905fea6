"""Questions about money."""

TITLE = "Economics"
RANK = 7  # place among the topics, along the I/O path
ORDER = (
    "total_cost",
    "five_minute_rule",
)
"""The questions in the order in which they build on each other; one that is not named comes last."""
