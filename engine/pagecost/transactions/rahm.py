"""The configurations of Rahm 1992, §4, built from the settings of Table 4.1, which are the defaults of the parts."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from pagecost import reads
from pagecost.errors import known
from pagecost.transactions.parameters import (
    MAIN_MEMORY,
    NONVOLATILE,
    NVEM,
    REGULAR,
    SSD,
    VOLATILE,
    WRITE_BUFFER,
    Computer,
    DiskUnit,
    Place,
    TransactionSystem,
)

LOG_DISK_S = 5e-3  # DiskDelay of a log disk: sequential access shortens the seek
LOG_CACHE_PAGES = 500
LOCKING = {"ACCOUNT": "page", "HISTORY": "none", "BRANCH": "page", "TELLER": "page"}
DATABASE, LOG = "database", "log"  # names of the two disk units

DATABASE_ALLOCATIONS: Mapping[str, str] = {
    "disk": "disk",
    "disk cache write buffer": "disk + write buffer in a non-volatile cache",
    "NVEM write buffer": "disk + write buffer in NVEM",
    "ssd": "SSD",
    "nvem": "NVEM",
    "main memory": "main memory, log on disk",
    "volatile cache": "disk with volatile cache",
    "non-volatile cache": "disk with non-volatile cache",
    "NVEM cache": "disk + page cache in NVEM",
}
"""Where the four partitions live, by the names used in studies."""

LOG_ALLOCATIONS: Mapping[str, str] = {
    "disk": "disk",
    "disk cache write buffer": "disk + write buffer in a non-volatile cache",
    "NVEM write buffer": "disk + write buffer in NVEM",
    "ssd": "SSD",
    "nvem": "NVEM",
}
"""Where the log lives."""
NVEM_CACHING = "all"
"""Which replaced pages an NVEM cache takes where nobody says it: with two cells of Table 4.2 in sight."""


def system(
    database: str = "disk",
    log: str = "disk",
    *,
    computer: Computer | None = None,
    database_unit: DiskUnit | None = None,
    log_unit: DiskUnit | None = None,
    cache_pages: int = 1000,
    write_buffer_pages: int = LOG_CACHE_PAGES,
    nvem_caching: str = NVEM_CACHING,
    places: Mapping[str, Place] | None = None,
    locking: Mapping[str, str] | None = None,
) -> TransactionSystem:
    """A transaction system for Debit-Credit with database and log allocated as named.

    database_unit, log_unit: plain disk units whose times and numbers of servers are kept; the allocation sets their
    kind and cache. cache_pages: size of a page cache. nvem_caching: which replaced pages an NVEM cache takes, as
    `Place` has it; the paper does not say which. places: partitions that live elsewhere than the rest. locking: lock
    granules that differ from Table 4.1's.
    """
    known("allocation of the database", database, DATABASE_ALLOCATIONS)
    known("allocation of the log", log, LOG_ALLOCATIONS)
    computer = computer or Computer()
    changes: dict[str, Any] = {}
    if database == "NVEM cache":
        changes["nvem_cache_pages"] = cache_pages
        reads.note([f"constant:rahm.NVEM_CACHING={nvem_caching}"])
    if "NVEM write buffer" in (database, log):
        changes["nvem_write_buffer_pages"] = write_buffer_pages
    return TransactionSystem(
        computer=dataclasses.replace(computer, **changes),
        units=(
            _unit(database_unit or DiskUnit(name=DATABASE), database, cache_pages, write_buffer_pages),
            _unit(log_unit or log_disk(), log, cache_pages, write_buffer_pages),
        ),
        partitions={
            name: _place(database, DATABASE, granule, nvem_caching)
            for name, granule in (LOCKING | dict(locking or {})).items()
        }
        | dict(places or {}),
        log=_place(log, LOG, "none"),
    )


def log_disk(disks: int = 1, controllers: int = 4) -> DiskUnit:
    """The log's disk unit of Table 4.1; one disk."""
    return DiskUnit(name=LOG, disks=disks, controllers=controllers, read_s=LOG_DISK_S, write_s=LOG_DISK_S)


def _unit(unit: DiskUnit, allocation: str, cache_pages: int, write_buffer_pages: int) -> DiskUnit:
    kind, pages = {
        "disk cache write buffer": (WRITE_BUFFER, write_buffer_pages),
        "ssd": (SSD, 0),
        "volatile cache": (VOLATILE, cache_pages),
        "non-volatile cache": (NONVOLATILE, cache_pages),
    }.get(allocation, (REGULAR, 0))
    return dataclasses.replace(unit, kind=kind, cache_pages=pages)


def _place(allocation: str, unit: str, locking: str, nvem_caching: str = "none") -> Place:
    return Place(
        home={"nvem": NVEM, "main memory": MAIN_MEMORY}.get(allocation, unit),
        locking=locking,
        nvem_caching=nvem_caching if allocation == "NVEM cache" else "none",
        nvem_write_buffer=allocation == "NVEM write buffer",
    )
