"""`make bench`: the XML store, one thread: load, rebuild, and transactions through the indexes with pages on record.

Transactions are measured in three ways. "warm" is what is asked for: the five TPoX transactions that read, on stored
collections whose pages lie in memory, through value, element and document index, every page on record. "one path" is
the same by `queries.select`, one path parsed and answered after the other. "modelled" are the pages that the eight
transactions touch in a database of 100 MB as the experiment draws them. Updates are the operations with journal and
index upkeep, each on stable storage before the next. The kernels are compiled first; figures are the best of ROUNDS
rounds in seconds of this thread, as other programs only ever add to them, but updates in seconds of the clock.
"""

import sys
import tempfile
import time
from pathlib import Path
from random import Random

from pagecost.answers import xml_runs
from pagecost.workload import tpox as load_of_tpox
from pagecost.xmlstore import MAPPINGS, load, lookups, queries, updates
from pagecost.xmlstore.documents import tpox

ROUNDS, TRANSACTIONS, QUERIES, CHANGES = 3, 100_000, 50, 20
ASKED_BYTES_PER_S, ASKED_PER_S = 10e6, 100_000
DATABASE_BYTES = 8e6


def best(work, clock=time.thread_time) -> float:
    """Seconds that the fastest round takes."""
    seconds = []
    for _ in range(ROUNDS):
        started = clock()
        work()
        seconds.append(clock() - started)
    return min(seconds)


def report(what: str, per_s: float, unit: str, asked: float = 0.0) -> bool:
    """Print one figure; whether it is below what was asked."""
    print(f"{what:32}{per_s:14,.1f} {unit:24}{'' if per_s >= asked else f'  below {asked:,.0f}'}", flush=True)
    return per_s < asked


def main() -> int:
    texts = {kind: list(tpox.collection(kind, DATABASE_BYTES)) for kind in tpox.KINDS}
    plain = {kind: sum(len(piece) for _, pieces in named for piece in pieces) for kind, named in texts.items()}
    late = []
    with tempfile.TemporaryDirectory() as folder:
        for mapping in MAPPINGS:
            late += loading(texts["customer"], plain["customer"], mapping, Path(folder) / mapping)
            stores = {
                kind: load(named, {mapping: Path(folder) / kind}, sync=False, value_index=True, whitespace="drop")[
                    mapping
                ]
                for kind, named in texts.items()
            }
            late.append(warm(stores, mapping))
            one_by_one(stores["customer"], mapping)
            changes(stores["customer"], mapping)
            for store in stores.values():
                store.close()
    for mapping in MAPPINGS:
        database = xml_runs.database(mapping, 1e8)
        for share in (0.0, 0.5):
            taken = best(
                lambda database=database, share=share: load_of_tpox.workload(
                    database, TRANSACTIONS, share
                ).requests.page_references()
            )
            what = f"modelled, {mapping}, {share:.0%} write"
            late.append(report(what, TRANSACTIONS / taken, "transactions per second", ASKED_PER_S))
    return int(any(late))


def loading(texts, size: int, mapping: str, path: Path) -> list[bool]:
    """Load without and with the value index, and rebuild."""
    late = []
    for value_index in (False, True):
        options = {"sync": False, "value_index": value_index}
        load(texts[:2], {mapping: path}, **options)[mapping].close()
        taken = best(lambda options=options: load(texts, {mapping: path}, **options)[mapping].close())
        what = f"load{' with value index' if value_index else ''}, {mapping}"
        late.append(report(what, size / taken / 1e6, "MB/s of text", ASKED_BYTES_PER_S / 1e6))
    with load(texts, {mapping: path}, sync=False)[mapping] as store:
        taken = best(lambda: sum(map(len, store.text())))
    return [*late, report(f"rebuild, {mapping}", size / taken / 1e6, "MB/s of text", ASKED_BYTES_PER_S / 1e6)]


def warm(stores, mapping: str) -> bool:
    """The five transactions that read, in equal shares."""
    seconds = 0.0
    for name, (kind, path) in tpox.READING.items():
        lookup = lookups.prepare(stores[kind], path)
        values = Random(1).choices(keys(stores[kind], path), k=TRANSACTIONS // len(tpox.READING))
        assert lookup.run(values[:100], pages_only=True).first_node[-1] >= 100
        taken = best(lambda lookup=lookup, values=values: lookup.run(values, pages_only=True))
        report(f"warm, {mapping}, {name}", len(values) / taken, "transactions per second", ASKED_PER_S)
        seconds += taken
    return report(f"warm, {mapping}, all five", TRANSACTIONS / seconds, "transactions per second", ASKED_PER_S)


def keys(store, path: str) -> list[str]:
    """The values that a path with an open one may be asked for."""
    above, name = path.split("=?]")[0].split("[")
    below = name if name[0] == "@" else f"{name}/text()"
    return [node.value for node in queries.select(store, f"{above}/{below}", use_index=False)]


def one_by_one(store, mapping: str) -> None:
    """One customer's name after another, each path parsed and answered in Python."""
    _, path = tpox.READING["customer"]
    texts = [path.replace("?", f'"{value}"') for value in Random(1).choices(keys(store, path), k=QUERIES)]

    def ask() -> None:
        for text in texts:
            with queries.recorded(store) as held:
                assert queries.select(store, text)
            assert held[0].page.size

    report(f"one path, {mapping}", QUERIES / best(ask), "per second")


def changes(store, mapping: str) -> None:
    """Values changed and documents' parts inserted, each a transaction of its own on stable storage."""
    balances = queries.select(store, "//Account/Balance/OnlineActualBal/text()")[:CHANGES]

    def change() -> None:
        for node in balances:
            updates.change_value(store, node.label, "1234.56")

    accounts = queries.select(store, "//Customer/Accounts")[:CHANGES]
    account = store.subtree(queries.select(store, "//Customer/Accounts/Account")[0].label)

    def insert() -> None:
        for node in accounts:
            updates.insert(store, node.label, account)

    report(f"change a value, {mapping}", CHANGES / best(change, time.perf_counter), "per second")
    report(f"insert an account, {mapping}", len(accounts) / best(insert, time.perf_counter), "per second")


if __name__ == "__main__":
    sys.exit(main())
