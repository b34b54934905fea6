"""Measures of claims about levels of caching: three of them, under FORCE, and with clustered records (Rahm 1992)."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from pagecost.transactions import Computer, DiskUnit, debit_credit, hits, rahm
from pagecost.transactions import caches_kernels as caches
from pagecost.transactions import storage_kernels as storage
from pagecost.transactions.assembly import caches_of, rules_of
from pagecost.transactions.loads import turning_over
from pagecost.transactions.parameters import VOLATILE
from pagecost.workload.debit_credit import DebitCredit


def third_level_hits(main: int, nvem: int, cache: int, write_misses: bool, reads_appended: bool | None = None) -> float:
    """Hits [% of all references] of a disk cache behind main memory and an NVEM cache under NOFORCE; pages of each.

    nvem: 0 for none. write_misses: whether the disk cache keeps pages that are written and not in it, as a non-volatile
    one does. reads_appended: whether a new HISTORY page is read; None: as is usual here.
    """
    usual = Computer(buffer_pages=main)
    computer = usual if reads_appended is None else dataclasses.replace(usual, reads_appended=reads_appended)
    database, pages = ("NVEM cache", nvem) if nvem else ("volatile cache", cache)
    system = rahm.system(database, computer=computer, cache_pages=pages, nvem_caching="modified")
    home = system.unit(rahm.DATABASE)
    cached = dataclasses.replace(home, kind=VOLATILE, cache_pages=cache, cache_write_misses=write_misses)
    units = tuple(cached if unit is home else unit for unit in system.units)
    return 100 * hits(dataclasses.replace(system, units=units), debit_credit()).ratio("cache")


def clustering_raises_hits(buffers: Sequence[int], points: float) -> str:
    """Whether BRANCH pages hit in main memory more often where TELLER lies on them, by more than so many points of
    their references, at each of these buffers [pages]: "raises" or "does not".
    """
    gains = (_branch_hits(pages, clustered=True) - _branch_hits(pages, clustered=False) for pages in buffers)
    return "raises" if all(gain > points for gain in gains) else "does not"


def _branch_hits(pages: int, clustered: bool) -> float:
    system = rahm.system(computer=Computer(buffer_pages=pages, reads_appended=False))
    return 100 * hits(system, debit_credit(DebitCredit(clustered=clustered))).ratio("main", "BRANCH")


def write_hits(buffer_pages: int, cache: int, force: bool = True, read_misses: bool = True) -> str:
    """Whether more than half of the pages written to a volatile disk cache are in it: "most" or "not most".

    buffer_pages, cache: pages of main memory and of the disk cache. read_misses: whether it keeps what it had to read.
    """
    unit = DiskUnit(name=rahm.DATABASE, cache_read_misses=read_misses)
    computer = Computer(buffer_pages=buffer_pages, force=force)
    system = rahm.system("volatile cache", computer=computer, database_unit=unit, cache_pages=cache)
    written, found = _written_and_found(system)
    return "most" if found > written / 2 else "not most"


def _written_and_found(system, transactions: int = 8000) -> tuple[int, int]:
    """Pages written to the first disk unit, and those of them that its cache held; no time passes."""
    load = debit_credit()
    held, rules, arrays = caches_of(system), rules_of(system, load), load.arrays()
    first = turning_over(system.cached_pages)
    appended, buffered, victim = np.zeros(4, np.int64), np.zeros(2, np.int64), np.zeros(1 + load.longest, np.int64)
    counts = np.zeros((len(load.partitions), storage.TALLIES), np.int64)
    storage.replay(held, rules, arrays, 0, first, appended, buffered, victim, counts)
    written: list[bool] = []

    def write(key) -> None:
        written.append(caches.find(held, caches.FIRST_UNIT, key) >= 0)
        storage.write_unit(held, rules, 0, key, buffered)

    for transaction in range(first, first + transactions):
        changed = []
        for reference in range(*load.first[[transaction % load.transactions, transaction % load.transactions + 1]]):
            key, fresh = storage.page_of(rules, arrays, reference, appended)
            bits = storage.fix(held, rules, key, 1, fresh, victim)
            changed.append(key)
            if bits & storage.VICTIM_HOME:
                write(victim[0])
            if bits & storage.READ_HOME:
                storage.read_unit(held, rules, 0, key)
        for key in dict.fromkeys(changed) if rules.force else ():
            if storage.force(held, rules, key):
                write(key)
    return len(written), sum(written)
