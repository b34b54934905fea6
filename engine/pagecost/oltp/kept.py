"""What a run leaves for the next of its kind: transactions, what the buffer does with them, a volume laid out."""

from pagecost.oltp import assembly, loads, outcomes


def forget() -> None:
    """Drop it: some 200 MB after 100,000 transactions, which runs that come together share."""
    for kept in (*loads.KEPT, outcomes.outcomes, assembly.laid_out):
        kept.cache_clear()
