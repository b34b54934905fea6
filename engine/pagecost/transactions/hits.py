"""Hit ratios on every level without time: transactions run one after the other (Rahm 1992, Table 4.2)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pagecost.errors import require
from pagecost.remembering import remembered
from pagecost.transactions import storage_kernels as storage
from pagecost.transactions.assembly import caches_of, rules_of
from pagecost.transactions.loads import Load, turning_over
from pagecost.transactions.parameters import NVEM, Computer, DiskUnit, Place, TransactionSystem


@dataclass(frozen=True, eq=False)
class Hits:
    """Counts per record type, float64, per transaction: references, hits in main memory, NVEM and disk cache, reads
    and writes that went to where the page lives (the reads include the hits in disk caches)."""

    records: tuple[str, ...]
    per_transaction: np.ndarray

    def ratio(self, level: str, record: str | None = None) -> float:
        """Share of all object references (of one record type) that hit on a level: main, nvem or cache."""
        column = {"main": storage.MAIN_HITS, "nvem": storage.NVEM_HITS, "cache": storage.CACHE_HITS}[level]
        rows = self.per_transaction if record is None else self.per_transaction[[self.records.index(record)]]
        return float(rows[:, column].sum() / rows[:, storage.REFERENCES].sum())

    @property
    def nvem_writes(self) -> float:
        """Pages per transaction that were written to the NVEM cache."""
        return float(self.per_transaction[:, storage.NVEM_WRITES].sum())

    @property
    def second_level(self) -> float:
        """Share of all object references that hit in NVEM or a disk cache."""
        return self.ratio("nvem") + self.ratio("cache")

    @property
    def reads(self) -> Mapping[str, float]:
        """Reads per transaction that went to where the page lives, by record type."""
        return dict(zip(self.records, self.per_transaction[:, storage.HOME_READS].tolist(), strict=True))

    @property
    def writes(self) -> Mapping[str, float]:
        """Writes per transaction, likewise, those of changed pages that went to the NVEM cache as well included."""
        return dict(zip(self.records, self.per_transaction[:, storage.HOME_WRITES].tolist(), strict=True))


def hits(system: TransactionSystem, load: Load, *, transactions: int = 40_000, warm_up: int | None = None) -> Hits:
    """Replay `transactions` after `warm_up` of them (default: `turning_over`). Results are kept."""
    require(transactions >= 1, f"a replay needs at least one transaction; got {transactions}")
    if warm_up is None:
        warm_up = turning_over(system.cached_pages + 2 + len(system.units))
    return _replayed(_timeless(system), load, transactions, warm_up)


def _timeless(system: TransactionSystem) -> TransactionSystem:
    """The same caches and rules without times, log and what no partition uses, so that systems that differ in those
    share a replay."""
    c, places = system.computer, system.partitions.values()
    computer = Computer(
        buffer_pages=c.buffer_pages,
        force=c.force,
        nvem_cache_pages=c.nvem_cache_pages if any(place.nvem_caching != "none" for place in places) else 0,
        nvem_write_buffer_pages=c.nvem_write_buffer_pages if any(place.nvem_write_buffer for place in places) else 0,
        reads_appended=c.reads_appended,
    )
    kept = ("kind", "cache_pages", "cache_read_misses", "cache_write_misses")
    homes = {place.home for place in places}
    units = tuple(
        DiskUnit(name=unit.name, **{name: getattr(unit, name) for name in kept})
        for unit in system.units
        if unit.name in homes
    )
    return TransactionSystem(computer=computer, units=units, partitions=system.partitions, log=Place(home=NVEM))


@remembered
def _replayed(system: TransactionSystem, load: Load, transactions: int, warm_up: int) -> Hits:
    caches, rules, arrays = caches_of(system), rules_of(system, load), load.arrays()
    state = (np.zeros(len(load.partitions), np.int64), np.zeros(len(system.units), np.int64))
    victim, counts = np.zeros(1 + load.longest, np.int64), np.zeros((len(load.partitions), storage.TALLIES), np.int64)
    storage.replay(caches, rules, arrays, 0, warm_up, *state, victim, counts)
    counts[:] = 0
    storage.replay(caches, rules, arrays, warm_up, transactions, *state, victim, counts)
    return Hits(load.partitions, counts / transactions)
