"""Plans of a storage hierarchy: where each partition of Debit-Credit and the log live, and how large buffers are."""

from collections.abc import Mapping
from dataclasses import dataclass

from pagecost.errors import ModelError, known, require
from pagecost.transactions import rahm
from pagecost.transactions.parameters import NONVOLATILE, REGULAR, SSD, VOLATILE, WRITE_BUFFER, check_use

HOMES: Mapping[str, str] = {
    "disk": "disk",
    "disk cache write buffer": "disk, write buffer in a disk cache",
    "NVEM write buffer": "disk, write buffer in NVEM",
    "volatile cache": "disk with a volatile cache",
    "non-volatile cache": "disk with a non-volatile cache",
    "NVEM cache": "disk, page cache in NVEM",
    "NVEM cache of modified pages": "disk, modified pages cached in NVEM",
    "NVEM cache of unmodified pages": "disk, unmodified pages cached in NVEM",
    "ssd": "SSD",
    "nvem": "NVEM",
    "main memory": "main memory",
}
"""Where a partition can live, and how its pages are treated there."""

NVEM_CACHES = {
    "NVEM cache": "all",
    "NVEM cache of modified pages": "modified",
    "NVEM cache of unmodified pages": "unmodified",
}
"""Home -> caching mode of NVEM."""

LOG_HOMES = {name: HOMES[name] for name in rahm.LOG_ALLOCATIONS}
IMPOSSIBLE = {
    "volatile cache write buffer": (VOLATILE, "write buffer"),
    "inside a volatile cache": (VOLATILE, "resident files"),
    "inside a non-volatile cache": (NONVOLATILE, "resident files"),
    "ssd write buffer": (SSD, "write buffer"),
    "ssd cache": (SSD, "database buffer"),
}
"""Homes that Table 2.2 rules out -> (storage, use)."""

UNITS = {
    REGULAR: "database",
    WRITE_BUFFER: "database behind a write buffer",
    VOLATILE: "database behind a volatile cache",
    NONVOLATILE: "database behind a non-volatile cache",
    SSD: "SSD",
}
"""Kind of a disk unit -> its name; the log has one of its own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Homes (keys of `HOMES` and `LOG_HOMES`) and sizes in pages. branch: of BRANCH and TELLER.

    Raises ModelError, with the reason, for a home that makes no sense.
    """

    account: str = "disk"
    history: str = "disk"
    branch: str = "disk"
    log: str = "disk"
    buffer_pages: int = 2000
    cache_pages: int = 1000
    write_buffer_pages: int = rahm.LOG_CACHE_PAGES

    def __post_init__(self):
        for partition in ("account", "history", "branch"):
            check_home(getattr(self, partition), partition.upper())
        check_home(self.log, "the log")

    @property
    def homes(self) -> dict[str, str]:
        """Home by partition of Debit-Credit."""
        return {"ACCOUNT": self.account, "HISTORY": self.history, "BRANCH": self.branch, "TELLER": self.branch}

    def nvem_cached(self) -> int:
        """Pages of the NVEM cache; 0 if nothing is cached there."""
        return self.cache_pages if any(home in NVEM_CACHES for home in self.homes.values()) else 0

    def nvem_buffered(self) -> int:
        """Pages of the NVEM write buffer; 0 if nothing is written through it."""
        return self.write_buffer_pages if "NVEM write buffer" in (*self.homes.values(), self.log) else 0


def check_home(home: str, who: str) -> str:
    """The home, if `who` can live there. Raises ModelError with the reason of Table 2.2 where it makes no sense."""
    if home in IMPOSSIBLE:
        try:
            check_use(*IMPOSSIBLE[home])
        except ModelError as error:
            raise ModelError(f"{who}: {error}") from None
    require(who != "the log" or home != "main memory", "the log: main memory is volatile, so a log there would be lost")
    return known(f"home of {who}", home, LOG_HOMES if who == "the log" else HOMES)
