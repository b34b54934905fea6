"""What a run leaves for the next of its kind: transactions, what the buffer does with them, a volume laid out."""

from pagecost.remembering import forget_shared


def forget() -> None:
    """Drop it: some 200 MB after 100,000 transactions, which runs that come together share."""
    forget_shared()
