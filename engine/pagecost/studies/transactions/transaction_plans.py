"""Plans of a storage hierarchy: where each partition and the log live, and the transaction system that this makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pagecost.errors import ModelError, known, require
from pagecost.studies.transactions.transaction_inputs import OWN, TransactionInputs
from pagecost.transactions import DiskUnit, Place, TransactionSystem, check_use, rahm
from pagecost.transactions.parameters import MAIN_MEMORY, NONVOLATILE, NVEM, REGULAR, SSD, VOLATILE, WRITE_BUFFER

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

_NO_UNIT = {"nvem": NVEM, "main memory": MAIN_MEMORY}
_KINDS = {
    "disk cache write buffer": WRITE_BUFFER,
    "volatile cache": VOLATILE,
    "non-volatile cache": NONVOLATILE,
    "ssd": SSD,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Homes (keys of `HOMES` and `LOG_HOMES`) and sizes in pages. branch: of BRANCH and TELLER."""

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


def system_of(
    inputs: TransactionInputs,
    plan: Plan,
    *,
    log_disks: int = 50,
    disks: Mapping[str, int] | None = None,
    partitions: Sequence[str] = ("ACCOUNT", "HISTORY", "BRANCH", "TELLER"),
    **computer,
) -> TransactionSystem:
    """The transaction system of a plan; the rest is as the inputs say.

    disks: unit -> number of its disks, where it differs. partitions: of the load; those that are not Debit-Credit's
    live where ACCOUNT does, and are locked like it. `computer` changes what the inputs say of it.
    """
    homes = {name: plan.homes.get(name, plan.account) for name in partitions}
    units = {_unit_name(home): _unit(inputs, plan, home) for home in homes.values() if home not in _NO_UNIT}
    for name, count in (disks or {}).items():
        if name in units:
            units[name] = replace(units[name], disks=count)
    log = _log_unit(inputs, plan, (disks or {}).get(rahm.LOG, log_disks))
    sizes = {"nvem_cache_pages": plan.nvem_cached(), "nvem_write_buffer_pages": plan.nvem_buffered()}
    system = TransactionSystem(
        computer=replace(inputs.computer, buffer_pages=plan.buffer_pages, **sizes, **computer),
        units=(*units.values(), log),
        partitions={name: _place(home, inputs.locking.get(name, inputs.account_locks)) for name, home in homes.items()},
        log=Place(
            home=NVEM if plan.log == "nvem" else rahm.LOG,
            locking="none",
            nvem_write_buffer=plan.log == "NVEM write buffer",
        ),
    )
    return inputs.accessed(system)


def _unit_name(home: str) -> str:
    return UNITS[_KINDS.get(home, REGULAR)]


def _unit(inputs: TransactionInputs, plan: Plan, home: str) -> DiskUnit:
    kind = _KINDS.get(home, REGULAR)
    unit = inputs.database_unit(home, UNITS[kind])
    return _of_kind(unit, kind, inputs.ssd_device, {WRITE_BUFFER: plan.write_buffer_pages}.get(kind, plan.cache_pages))


def _log_unit(inputs: TransactionInputs, plan: Plan, disks: int) -> DiskUnit:
    kind = _KINDS.get(plan.log, REGULAR)
    return _of_kind(inputs.log_unit(plan.log, disks), kind, inputs.ssd_device, plan.write_buffer_pages)


def _of_kind(unit: DiskUnit, kind: str, ssd_device: str, pages: int) -> DiskUnit:
    if kind == SSD and ssd_device != OWN:  # every access goes to the device that stands in
        return unit
    return replace(unit, kind=kind, cache_pages=pages if kind in (WRITE_BUFFER, VOLATILE, NONVOLATILE) else 0)


def _place(home: str, locking: str) -> Place:
    return Place(
        home=_NO_UNIT.get(home) or _unit_name(home),
        locking=locking,
        nvem_caching=NVEM_CACHES.get(home, "none"),
        nvem_write_buffer=home == "NVEM write buffer",
    )
