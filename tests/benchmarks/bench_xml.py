"""`make bench`: the XML store, one thread: load, rebuild, and transactions through the indexes with pages on record.

Transactions are measured twice. "recorded" is the mode of the experiment: the pages that each of the eight TPoX
transactions touches in a database of 100 MB, as Requests. "stored" is a query that really walks a stored sample: the
element index, the containers of one document and its values, in Python. The kernels are compiled first; figures are
the best of ROUNDS rounds in seconds of this thread, as other programs only ever add to them.
"""

import sys
import tempfile
import time
from pathlib import Path

from pagecost.xmlstore import MAPPINGS, experiment, load, queries
from pagecost.xmlstore.documents import tpox

ROUNDS, TRANSACTIONS, QUERIES = 3, 100_000, 2
ASKED_BYTES_PER_S, ASKED_PER_S = 10e6, 100_000
DOCUMENTS, FIRST_ID = 400, 1011


def best(work) -> float:
    """Seconds of this thread that the fastest round takes."""
    seconds = []
    for _ in range(ROUNDS):
        started = time.thread_time()
        work()
        seconds.append(time.thread_time() - started)
    return min(seconds)


def report(what: str, per_s: float, unit: str, asked: float) -> bool:
    """Print one figure; whether it is below what was asked."""
    print(f"{what:30}{per_s:14,.1f} {unit:24}{'' if per_s >= asked else f'  below {asked:,.0f}'}")
    return per_s < asked


def main() -> int:
    texts = [("customer", [tpox.document("customer", number, 500, DOCUMENTS)]) for number in range(DOCUMENTS)]
    size = sum(len(piece) for _, pieces in texts for piece in pieces)
    late = []
    with tempfile.TemporaryDirectory() as folder:
        for mapping in MAPPINGS:
            path = Path(folder) / mapping
            load(texts[:2], {mapping: path}, sync=False)[mapping].close()
            taken = best(lambda path=path, mapping=mapping: load(texts, {mapping: path}, sync=False)[mapping].close())
            late.append(report(f"load, {mapping}", size / taken / 1e6, "MB/s of text", ASKED_BYTES_PER_S / 1e6))
            with load(texts, {mapping: path}, sync=False)[mapping] as store:
                taken = best(lambda store=store: sum(map(len, store.text())))
                late.append(report(f"rebuild, {mapping}", size / taken / 1e6, "MB/s of text", ASKED_BYTES_PER_S / 1e6))
                taken = best(lambda store=store: stored_queries(store)) / QUERIES
                late.append(report(f"stored query, {mapping}", 1 / taken, "per second", ASKED_PER_S))
    for mapping in MAPPINGS:
        database = experiment.database(mapping, 1e8)
        for share in (0.0, 0.5):
            taken = best(
                lambda database=database, share=share: experiment.workload(
                    database, TRANSACTIONS, share
                ).requests.page_references()
            )
            what = f"recorded, {mapping}, {share:.0%} write"
            late.append(report(what, TRANSACTIONS / taken, "transactions per second", ASKED_PER_S))
    return int(any(late))


def stored_queries(store) -> None:
    """Names of one customer each, through the element index, with the pages on record."""
    for number in range(QUERIES):
        with queries.recorded(store) as held:
            found = queries.select(store, f'//Customer[@id="{FIRST_ID + number}"]/Name/LastName/text()')
        assert found, number
        assert held[0].page.size


if __name__ == "__main__":
    sys.exit(main())
