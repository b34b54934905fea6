"""A small system that an eye can follow, as one value, and the load that is fed to it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost.buffer import References
from pagecost.buffer.policies import find as find_policy
from pagecost.errors import known, require
from pagecost.filesystem import FileSystem, InPlace, LogStructured, OutOfPlace
from pagecost.requests import WRITE, Requests
from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.tpcc import ROW_BYTES, TRANSACTIONS, TpcC

PAGE_BYTES = 4096
MOST_PAGES, MOST_FRAMES, MOST_CACHED = 48, 24, 24  # that a picture can show
MOST_TRANSACTIONS = 20_000
LOG_PAGES = 8  # of the log file, which is written round and round
SEGMENT_BLOCKS = 16
LOADS = {"debit-credit": "Debit-Credit", "tpc-c": "TPC-C"}
"""The loads by name. Anything else is read as a reference string."""
FILE_SYSTEMS: dict[str, FileSystem] = {
    "in place": InPlace(),
    "log-structured": LogStructured(
        segment_bytes=SEGMENT_BLOCKS * PAGE_BYTES,
        segments_per_clean=1,
        protection_period_s=0.0,
        syncs_per_checkpoint=8,
        trim=True,
    ),
    "out of place": OutOfPlace(
        segment_bytes=SEGMENT_BLOCKS * PAGE_BYTES, segments_per_clean=1, syncs_per_checkpoint=64, trim=True
    ),
}
"""The layouts, with segments of 16 blocks so that one sees them fill."""
DEVICES = {"flash": "flash under a page map, two dies", "disk": "one disk arm"}

# TPC-C's nine tables on so few pages, STOCK and CUSTOMER the largest as they are in full size
TPCC_PAGES = dict(zip(ROW_BYTES, (1, 1, 4, 8, 12, 2, 2, 1, 5), strict=True))
DEBIT_CREDIT = DebitCredit(branches=4, tellers_per_branch=2, accounts_per_branch=60, history_factor=4)
HISTORY_PAGES = 6  # it is written round and round
STRING_TRANSACTION = 4  # references of a transaction of a string without bars, as in Debit-Credit


Form = Callable[[Callable], Callable]
"""An entry point of a model as it is called: compiled, or as plain Python."""


class Load(NamedTuple):
    """References in order. page: int64[n], 0 .. len(names) - 1; write: bool[n]; names: of the pages.

    transaction: int64[n], which transaction a reference belongs to; kinds: the names of the transactions.
    """

    page: np.ndarray
    write: np.ndarray
    transaction: np.ndarray
    names: tuple[str, ...]
    kinds: tuple[str, ...]

    def references(self) -> References:
        """For the buffer. Its dense numbers are those of `ids`."""
        return References.of(self.page, self.write)

    def requests(self) -> Requests:
        """For the stages of `path`."""
        size = self.page.size
        return Requests(
            arrival_s=np.zeros(size),
            op=np.where(self.write, WRITE, 0).astype(np.uint8),
            page=self.page,
            pages=np.ones(size, np.int32),
            stream=np.zeros(size, np.int16),
            page_bytes=PAGE_BYTES,
        )


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What a walk through the path goes through.

    load: a name of `LOADS`, or references such as `1r 2w | 3w`, where a bar ends a transaction (without one every
    fourth reference does). transactions: of a load by name, 1..20 000. frames: of the buffer, 1..24; policy: any that
    replays. group_commit: commits that share a flush of the log; record_bytes: log of a changed page [B].
    page_cache_pages: 4..24; expires: changed pages of it are written back after so many requests to it. file_system: a
    name of `FILE_SYSTEMS`; device: of `DEVICES`. seed: of the load. Raises ModelError where one is not possible.
    """

    load: str = "debit-credit"
    transactions: int = 60
    frames: int = 8
    policy: str = "lru"
    group_commit: int = 3
    record_bytes: int = 400
    page_cache_pages: int = 8
    expires: int = 24
    file_system: str = "in place"
    device: str = "flash"
    seed: int = 1

    def __post_init__(self):
        find_policy(self.policy)
        known("file system", self.file_system, FILE_SYSTEMS)
        known("device", self.device, DEVICES)
        for name, least, most in (
            ("transactions", 1, MOST_TRANSACTIONS),
            ("frames", 1, MOST_FRAMES),
            ("group_commit", 1, 64),
            ("record_bytes", 1, PAGE_BYTES),
            ("page_cache_pages", 4, MOST_CACHED),
            ("expires", 1, 10_000),
        ):
            number = getattr(self, name)
            require(
                isinstance(number, int) and not isinstance(number, bool) and least <= number <= most,
                f"a walk through the path has {least}..{most} {name.replace('_', ' ')}; got {number}",
            )

    def drawn(self) -> Load:
        """The load. Raises ModelError for a string that is none, and for more pages than can be shown."""
        if self.load == "tpc-c":
            return _tpcc(self.transactions, self.seed)
        if self.load == "debit-credit":
            return _debit_credit(self.transactions, self.seed)
        return _typed(self.load)


def _folded(tables: dict[str, int], table: np.ndarray, within: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """(page, names): page `within` of a table on as few pages as the table has here."""
    counts = np.array(list(tables.values()))
    page = (np.cumsum(counts) - counts)[table] + within % counts[table]
    return page.astype(np.int64), tuple(f"{name} {at}" for name, count in tables.items() for at in range(count))


def _tpcc(transactions: int, seed: int) -> Load:
    load = TpcC(warehouses=1)
    run = load.run(transactions, seed)
    sizes = np.array(list(load.pages_of().values()))
    table = run.requests.stream.astype(np.int64)
    # what a table grows by lies behind all tables as loaded; folded, it lies on the table's pages again
    within = np.maximum(run.requests.page - (np.cumsum(sizes) - sizes)[table], 0)
    page, names = _folded(TPCC_PAGES, table, within)
    of = np.searchsorted(run.ends, np.arange(page.size), side="right")
    return Load(page, run.requests.op == WRITE, of, names, tuple(TRANSACTIONS[kind] for kind in run.kinds))


def _debit_credit(transactions: int, seed: int) -> Load:
    run, sizes = DEBIT_CREDIT.requests(transactions, seed), DEBIT_CREDIT.pages_of()
    tables = {"BRANCH": sizes["BRANCH"], "ACCOUNT": sizes["ACCOUNT"], "HISTORY": HISTORY_PAGES}
    table = np.array([1, 2, 0, 0])[run.stream]  # tellers lie on the page of their branch
    first = np.array([0, sizes["BRANCH"], sizes["BRANCH"] + sizes["ACCOUNT"]])
    page, names = _folded(tables, table, run.page - first[table])
    of = np.arange(page.size) // 4
    return Load(page, run.op == WRITE, of, names, ("Debit-Credit",) * transactions)


def _typed(text: str) -> Load:
    parts = [part for part in text.split("|") if part.strip()]
    barred = "|" in text
    references = References.of_text(" ".join(parts))
    require(
        references.distinct <= MOST_PAGES,
        f"a walk for the eye has at most {MOST_PAGES} different pages; got {references.distinct}",
    )
    if barred:
        of = np.repeat(np.arange(len(parts)), [len(part.replace(",", " ").split()) for part in parts])
    else:
        of = np.arange(references.size) // STRING_TRANSACTION
    # pages in the order of their ids, as they would lie in a file
    order = np.argsort(np.argsort(references.ids))
    names = tuple(f"page {id}" for id in np.sort(references.ids).tolist())
    page = order[references.pages].astype(np.int64)
    return Load(page, references.writes.astype(bool), of, names, ("typed",) * (int(of[-1]) + 1))
