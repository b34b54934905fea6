"""What a transaction system is made of (Rahm 1992, Tables 3.1 to 3.3), and which allocations make sense (Table 2.2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from pagecost import reads
from pagecost.errors import ModelError, known, require

MAIN_MEMORY, NVEM = "main memory", "NVEM"
RESIDENT, WRITE_BUFFER, DATABASE_BUFFER = "resident files", "write buffer", "database buffer"
VOLATILE, NONVOLATILE, SSD, REGULAR = "volatile cache", "non-volatile cache", "SSD", "regular disk"

USES: Mapping[str, Mapping[str, bool]] = {
    RESIDENT: {NVEM: True, SSD: True, NONVOLATILE: False, VOLATILE: False},
    WRITE_BUFFER: {NVEM: True, SSD: False, NONVOLATILE: True, VOLATILE: False},
    DATABASE_BUFFER: {NVEM: True, SSD: False, NONVOLATILE: True, VOLATILE: True},
}
"""Table 2.2: what each intermediate storage type can be used for."""

REASONS: Mapping[tuple[str, str], str] = {
    (RESIDENT, NONVOLATILE): "a disk cache keeps the pages in use, not whole files",
    (RESIDENT, VOLATILE): "a disk cache keeps the pages in use, not whole files",
    (WRITE_BUFFER, SSD): "an SSD keeps whole files, so there is no disk behind it to write to later",
    (WRITE_BUFFER, VOLATILE): "a page in it would be lost with the power before it is on disk",
    (DATABASE_BUFFER, SSD): "an SSD keeps whole files, so it has nothing to replace",
}

LOCKING = ("none", "page", "object")
DISK_LAW = "exponential"  # of service times; the paper names their means alone
INSTRUCTIONS_DESTAGE = 0  # not stated; Rahm's Fig. 4.2 at 700 TPS decided
READS_APPENDED = True  # not stated; the hits of volatile caches in Rahm's Table 4.2 decided
CACHING = {"none": 0, "modified": 1, "unmodified": 2, "all": 3}
LAWS = ("constant", "exponential", "sampled")
SPREADS = {"constant": 0.0, "exponential": 1.0}  # squared coefficients of variation
KINDS = (REGULAR, VOLATILE, NONVOLATILE, WRITE_BUFFER, SSD)


def check_use(storage: str, use: str) -> None:
    """Raise ModelError with the reason unless Table 2.2 allows the storage type for the use."""
    row = USES[known("usage form", use, USES)]
    require(
        row[known("intermediate storage", storage, row)],
        f"a {storage} cannot serve as {use}: {REASONS.get((use, storage), '')}",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Computer:
    """Processors, transaction manager and buffer manager: Table 3.2, with the settings of Table 4.1.

    multiprogramming: transactions at work at a time. instructions_…: means of exponential numbers; 0: the processor is
    not visited for it, so that a transaction makes as many visits as it has bursts of work. buffer_pages: main
    memory. instructions_destage: for a write from NVEM to disk behind the transactions' backs; the paper states none,
    and with those of an I/O an NVEM write buffer would lose to one in the disk's cache at 700 TPS, against Fig. 4.2.
    force: FORCE instead of NOFORCE. nvem_cache_pages, nvem_write_buffer_pages: sizes in NVEM.
    nvem_synchronous: a processor waits for NVEM instead of switching. Beyond the paper: group_size transactions share
    a log write, or as many as there are group_wait_s after the first; clean_early writes modified pages behind the
    transactions' backs before they are replaced; reads_appended: the first touch of a new page reads it.
    """

    multiprogramming: int = 500
    instructions_begin: float = 40_000
    instructions_reference: float = 40_000
    instructions_end: float = 50_000
    instructions_io: float = 3000
    instructions_nvem: float = 300
    instructions_destage: float = field(
        default_factory=lambda: reads.in_force("parameters.INSTRUCTIONS_DESTAGE", INSTRUCTIONS_DESTAGE)
    )
    processors: int = 4
    instructions_per_s: float = 50e6
    buffer_pages: int = 2000
    force: bool = False
    logging: bool = True
    nvem_cache_pages: int = 0
    nvem_write_buffer_pages: int = 0
    nvem_servers: int = 1
    nvem_s: float = 50e-6
    nvem_synchronous: bool = True
    group_size: int = 1
    group_wait_s: float = 5e-3
    clean_early: bool = False
    reads_appended: bool = field(default_factory=lambda: reads.in_force("parameters.READS_APPENDED", READS_APPENDED))
    controller_law: str = "exponential"
    disk_law: str = field(default_factory=lambda: reads.in_force("parameters.DISK_LAW", DISK_LAW))

    def __post_init__(self):
        for name in ("multiprogramming", "processors", "buffer_pages", "nvem_servers", "group_size"):
            require(getattr(self, name) >= 1, f"computer: {name} must be at least 1; got {getattr(self, name)}")
        held = self.nvem_synchronous and self.nvem_s > 0
        require(
            not held or self.instructions_nvem > 0,
            "computer: a synchronous NVEM access needs instructions_nvem above 0; got 0",
        )
        require(
            self.multiprogramming <= 10_000,
            f"computer: multiprogramming must be at most 10000; got {self.multiprogramming}",
        )
        require(
            self.instructions_per_s > 0,
            f"computer: instructions_per_s must be positive; got {self.instructions_per_s}",
        )
        for name in (
            *("instructions_begin", "instructions_reference", "instructions_end", "instructions_io"),
            *(
                "instructions_nvem",
                "instructions_destage",
                "nvem_cache_pages",
                "nvem_write_buffer_pages",
                "nvem_s",
                "group_wait_s",
            ),
        ):
            require(getattr(self, name) >= 0, f"computer: {name} must not be negative; got {getattr(self, name)}")
        known("distribution of controller times", self.controller_law, LAWS[:2])
        known("distribution of disk times", self.disk_law, LAWS[:2])


@dataclass(frozen=True, kw_only=True, slots=True)
class DiskUnit:
    """Whatever offers a disk's interface (Table 3.3), with the settings of Table 4.1 for database disks.

    kind: one of KINDS; "write buffer" is a non-volatile cache of which only that use is made. disks: any of them takes
    the next page, as in the paper; with own_queues a page lies on one of them, neighbours on neighbours, and waits for
    that one. at_once: pages that each of them works on at a time, so that there are disks × at_once servers.
    read_delay_s, write_delay_s: what a page takes on a disk beyond its server's time, while the server has the next
    already; beside the channel's transmission_s, which every page takes. copies: disks that each write takes for
    write_s, side by side, with own_queues those that follow each other; whoever waits does so for one of them.
    reads_old: before each write a disk reads what is old, as of parities, and waits for its turn anew.
    cache_read_misses, cache_write_misses: whether such a page is brought into the cache; the IBM 3990 does the first
    always and the second only when its cache is non-volatile. samples, write_samples: service times of the disks with
    mean 1, drawn at random in place of the computer's disk_law; writes are like reads where there are none of their
    own.
    """

    name: str
    kind: str = REGULAR
    controllers: int = 100
    controller_s: float = 1e-3
    transmission_s: float = 0.4e-3
    disks: int = 400
    read_s: float = 15e-3
    write_s: float = 15e-3
    at_once: int = 1
    read_delay_s: float = 0.0
    write_delay_s: float = 0.0
    copies: int = 1
    own_queues: bool = False
    reads_old: bool = False
    cache_pages: int = 0
    cache_read_misses: bool = True
    cache_write_misses: bool = False
    samples: tuple[float, ...] = ()
    write_samples: tuple[float, ...] = ()

    def __post_init__(self):
        who = f"disk unit {self.name}"
        known(f"kind of {who}", self.kind, KINDS)
        require(self.name not in ("", NVEM, MAIN_MEMORY), f"{who}: a disk unit needs a name of its own")
        require(self.controllers >= 1, f"{who}: controllers must be at least 1; got {self.controllers}")
        require(self.disks >= 1, f"{who}: disks must be at least 1; got {self.disks}")
        require(self.at_once >= 1, f"{who}: at_once must be at least 1; got {self.at_once}")
        require(1 <= self.copies <= self.disks, f"{who}: copies must be 1..{self.disks}, its disks; got {self.copies}")
        times = ("controller_s", "transmission_s", "read_s", "write_s", "read_delay_s", "write_delay_s")
        for name in (*times, "cache_pages"):
            require(getattr(self, name) >= 0, f"{who}: {name} must not be negative; got {getattr(self, name)}")
        cached = self.kind in (VOLATILE, NONVOLATILE, WRITE_BUFFER)
        require(
            cached == (self.cache_pages > 0),
            f"{who}: a {self.kind} {'needs' if cached else 'has no'} cache_pages; got {self.cache_pages}",
        )
        for samples in (self.samples, self.write_samples):
            mean = float(np.mean(samples)) if samples else 1.0
            require(abs(mean - 1) < 1e-6, f"{who}: the samples must have mean 1; got {mean:g}")
        require(bool(self.samples) or not self.write_samples, f"{who}: samples of writes need samples of reads beside")

    @property
    def queues(self) -> int:
        """Queues before its disks."""
        return self.disks if self.own_queues else 1

    @property
    def servers(self) -> int:
        """Pages that all disks work on at a time."""
        return self.disks * self.at_once

    def spread(self, law: str, *, write: bool) -> float:
        """Squared coefficient of variation of the disks' times under a law of the computer."""
        if self.samples:
            return float(np.var((write and self.write_samples) or self.samples))
        return SPREADS[law]


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a partition or the log lives: "main memory", "NVEM" or the name of a disk unit, and how it is treated.

    locking: none, page or object. nvem_caching: which replaced pages go to the NVEM cache (none, modified, unmodified,
    all). nvem_write_buffer: writes go there and to disk later. synchronous: a processor waits for the device.
    """

    home: str
    locking: str = "page"
    nvem_caching: str = "none"
    nvem_write_buffer: bool = False
    synchronous: bool = False

    def __post_init__(self):
        known("lock granule", self.locking, LOCKING)
        known("NVEM caching mode", self.nvem_caching, CACHING)


@dataclass(frozen=True, kw_only=True, slots=True)
class TransactionSystem:
    """A computer, its disk units, and where partitions and log live. Raises ModelError where that makes no sense."""

    computer: Computer = field(default_factory=Computer)
    units: tuple[DiskUnit, ...]
    partitions: Mapping[str, Place]
    log: Place

    def __post_init__(self):
        names = [unit.name for unit in self.units]
        require(len(set(names)) == len(names), f"two disk units have the same name; got {', '.join(names)}")
        require(bool(self.partitions), "a transaction system needs at least one partition")
        for name, place in self.partitions.items():
            self._check(f"partition {name}", place)
        self._check("the log", self.log)
        require(self.log.home != MAIN_MEMORY, "the log: main memory is volatile, so a log there would be lost")
        require(
            self.log.nvem_caching == "none",
            "the log: a page of the log is never read again, so caching it in NVEM makes no sense",
        )

    def __hash__(self):
        return hash((self.computer, self.units, tuple(self.partitions.items()), self.log))

    @property
    def cached_pages(self) -> int:
        """Pages that main memory, the NVEM cache and the caches of all disk units hold together."""
        own = self.computer.buffer_pages + self.computer.nvem_cache_pages
        return own + sum(unit.cache_pages for unit in self.units)

    def unit(self, name: str) -> DiskUnit:
        """The disk unit of that name."""
        return next(unit for unit in self.units if unit.name == name)

    def _check(self, who: str, place: Place) -> None:
        names = [unit.name for unit in self.units]
        try:
            if place.home in (VOLATILE, NONVOLATILE):
                check_use(place.home, RESIDENT)
            known("home", place.home, [MAIN_MEMORY, NVEM, *names])
        except ModelError as error:
            raise ModelError(f"{who}: {error}") from None
        cached, buffered = place.nvem_caching != "none", place.nvem_write_buffer
        if place.home in (MAIN_MEMORY, NVEM):
            require(
                not (cached or buffered),
                f"{who}: it is resident in {place.home}, so an NVEM cache or write buffer for it makes no sense",
            )
            return
        require(not cached or self.computer.nvem_cache_pages > 0, f"{who}: the NVEM cache has no pages")
        require(not buffered or self.computer.nvem_write_buffer_pages > 0, f"{who}: the NVEM write buffer has no pages")
        kind = self.unit(place.home).kind
        twice = kind in (NONVOLATILE, WRITE_BUFFER)
        require(
            not (buffered and twice),
            f"{who}: a write buffer belongs in NVEM or in the {kind} of {place.home}, not in both",
        )
        require(
            not (cached and twice),
            f"{who}: pages cached in NVEM are written to disk from there, so a write buffer in {place.home} makes no "
            "sense",
        )
        require(
            not (buffered and cached),
            f"{who}: an NVEM cache takes the writes already, so an NVEM write buffer makes no sense",
        )
