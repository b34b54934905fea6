"""Questions about XML in pages."""

TITLE = "XML"
RANK = 5  # place among the topics, along the I/O path
ORDER = (
    "xml_footprint",
    "xml_page",
    "index_height",
    "label_length",
    "xml_transactions",
    "xml_writes",
    "cache_hierarchy",
)
"""The questions in the order in which they build on each other; one that is not named comes last."""
