"""The inputs that the studies of the transaction system share: the parameters of Rahm 1992, Tables 3.1 to 3.3."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

from pydantic import Field, field_validator

from pagecost import catalogue, devices
from pagecost.answers import service_samples
from pagecost.answers.device_servers import log_servers_of, servers_of
from pagecost.answers.transaction_runs import DebitCreditLoad, Transactions
from pagecost.studies.fields import About, Choice, From, Group, OfSystem, Steps, how_many
from pagecost.studies.shared_fields import FORCE, SEED, STRATEGY
from pagecost.studies.study import StudyInputs
from pagecost.transactions import Computer, DiskUnit, TransactionSystem, rahm
from pagecost.transactions.parameters import LOCKING
from pagecost.units import format_cell, format_seconds, grouped
from pagecost.workload.debit_credit import DebitCredit

TABLE = "rahm1992 Table 4.1"
RATES = (10.0, 50.0, 100.0, 150.0, 170.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0)
OWN = "as set here"
LAWS = {"exponential": "exponential", "constant": "constant"}
AVERAGE, MECHANICS = "average", "mechanics"
DEVICE_TIMES = {AVERAGE: "mean times, as in the paper", MECHANICS: "mechanics: arm and turn, collection of flash"}
ACCESS = {"synchronous": "the processor waits", "asynchronous": "the processor switches"}
GRANULES = {name: name for name in LOCKING}
SWITCH = {"on": "on", "off": "off"}
YES_NO = {"yes": "yes", "no": "no"}
PAGE_BYTES = service_samples.PAGE_BYTES

LOAD, PROCESSING, BUFFERS, STORAGE = "Load", "Processors and locks", "Buffers and NVEM", "Disks, controllers, devices"
"""Titles of the parts of the panel."""


def device_choices() -> dict[str, str]:
    """Table 4.1's times, or a device of the catalogue in their place."""
    return {OWN: OWN} | devices.modelled()


def thousands(value: float) -> str:
    return f"{value / 1000:g} thousand" if value >= 1000 else f"{value:g}"


pages = how_many("pages")


CACHE_PAGES = Annotated[
    int,
    Steps((250, 500, 1000, 2000, 4000), "pages", pages),
    From("rahm1992 §4.5"),
    Field(ge=2, le=100_000, title="Size of the second level", description="Pages of cache or NVEM."),
]
READS_APPENDED = Annotated[
    str,
    Choice(lambda: YES_NO),
    Field(title="New HISTORY pages are read", description="The paper does not say; its volatile hits fit yes."),
]
NVEM_CACHING = Annotated[
    str,
    Choice(
        lambda: {"all": "all that main memory replaces", "modified": "changed ones", "unmodified": "unchanged ones"}
    ),
    From("rahm1992 §3.3; which of them Table 4.2 has is not said"),
    Field(title="Pages that an NVEM cache takes", description="Under FORCE changed ones also go there at commit."),
]
"""The inputs of the questions that put a second level behind main memory."""


def number(stops, label, group: str, title: str, meaning: str, unit: str = "1", **limits) -> About:
    """The kind of input that is a number with slider stops; its default is that of Table 4.1."""
    return (Steps(stops, unit, label), From(TABLE), _of(group), Field(title=title, description=meaning, **limits))


def choice(options, group: str, title: str, meaning: str, such=None) -> About:
    """The kind of input that is one of some options: id -> label, or a function that gives them. such: of `Choice`."""
    found = options if callable(options) else lambda: options
    return (Choice(found, such=such), _of(group), Field(title=title, description=meaning))


def seconds(stops, group: str, title: str, meaning: str, **limits) -> About:
    """The kind of input that is a time."""
    return number(stops, format_seconds, group, title, meaning, "s", **limits)


def rate(meaning: str, title: str = "Rate in detail") -> About:
    """The kind of input that is an arrival rate; meaning: what is said of it."""
    steps = Steps(RATES, "1/s", lambda rate: f"{grouped(rate)} TPS")
    place = OfSystem("load.transaction_rate_hz")
    about = Field(gt=0, le=100_000, title=title, description=f"ArrRate{meaning}.")
    return (steps, place, about)


def _of(group: str):
    return Group(group) if group else None


def _instructions(title: str, meaning: str, stops, least: float = 0) -> About:
    return number(stops, thousands, PROCESSING, title, meaning, ge=least, le=1e9)


class TransactionInputs(StudyInputs):
    """The parameters of Tables 3.1 to 3.3 that a study does not vary itself, with the settings of Table 4.1."""

    buffer_pages: Annotated[
        int,
        *number(
            (200, 500, 1000, 1500, 2000, 3000, 5000),
            pages,
            "",
            "Main-memory buffer",
            "BufferSize, one LRU list for all.",
            unit="pages",
            ge=2,
            le=1_000_000,
        ),
        OfSystem("memory.buffer_frames"),
    ] = 2000
    processors: Annotated[
        int, *number((1, 2, 4, 8, 16), str, "", "Processors", "NumCPU.", ge=1, le=1000), OfSystem("processors.servers")
    ] = 4
    instructions_per_s: Annotated[
        float,
        *number(
            (10e6, 25e6, 50e6, 100e6, 200e6, 1e9, 10e9),
            lambda rate: f"{format_cell(rate / 1e6, '1')} MIPS",
            PROCESSING,
            "Speed of a processor",
            "MIPS.",
            unit="1/s",
            gt=0,
            le=1e12,
        ),
    ] = 50e6
    instructions_begin: Annotated[
        float, *_instructions("Instructions to begin", "InstrBOT, mean of an exponential.", (10e3, 20e3, 40e3, 80e3))
    ] = 40e3
    instructions_reference: Annotated[
        float,
        *_instructions("Instructions per reference", "InstrOR, mean of an exponential.", (10e3, 20e3, 40e3, 80e3)),
    ] = 40e3
    instructions_end: Annotated[
        float, *_instructions("Instructions to end", "InstrEOT, mean of an exponential.", (10e3, 25e3, 50e3, 100e3))
    ] = 50e3
    instructions_io: Annotated[
        float,
        *_instructions(
            "Instructions per I/O", "InstrIO: two process switches and a channel.", (300, 1000, 3000, 10e3, 30e3)
        ),
    ] = 3000
    instructions_nvem: Annotated[
        float, *_instructions("Instructions per NVEM access", "InstrNVEM.", (100, 300, 1000, 3000), 1)
    ] = 300
    multiprogramming: Annotated[
        int,
        *number(
            (1, 5, 10, 20, 50, 100, 500),
            str,
            PROCESSING,
            "Transactions at a time",
            "MPL; others wait in an input queue.",
            ge=1,
            le=10_000,
        ),
    ] = 500
    account_locks: Annotated[str, *choice(GRANULES, PROCESSING, "Locks on ACCOUNT", "CCmode: page or object.")] = "page"
    branch_locks: Annotated[
        str, *choice(GRANULES, PROCESSING, "Locks on BRANCH and TELLER", "CCmode: page or object.")
    ] = "page"
    history_locks: Annotated[
        str, *choice(GRANULES, PROCESSING, "Locks on HISTORY", "CCmode: all append to one page.")
    ] = "none"
    logging: Annotated[str, *choice(SWITCH, PROCESSING, "Logging", "Each update transaction writes a page of log.")] = (
        "on"
    )
    branches: Annotated[
        int,
        *number(
            (10, 50, 100, 200, 500, 1000, 5000),
            grouped,
            LOAD,
            "Branches",
            "NumObjects of BRANCH.",
            ge=1,
            le=1_000_000,
        ),
    ] = 500
    tellers_per_branch: Annotated[
        int,
        *number((1, 5, 10, 20), str, LOAD, "Tellers per branch", "NumObjects of TELLER, per branch.", ge=1, le=1000),
    ] = 10
    accounts_per_branch: Annotated[
        int,
        *number(
            (100, 1000, 10_000, 100_000, 1_000_000),
            grouped,
            LOAD,
            "Accounts per branch",
            "NumObjects of ACCOUNT, per branch.",
            ge=1,
            le=10_000_000,
        ),
    ] = 100_000
    branch_factor: Annotated[
        int, *number((1, 2, 5, 10), str, LOAD, "BRANCH records to a page", "BlockFactor.", ge=1, le=1000)
    ] = 1
    teller_factor: Annotated[
        int,
        *number(
            (1, 5, 10, 20), str, LOAD, "TELLER records to a page", "BlockFactor, where not clustered.", ge=1, le=1000
        ),
    ] = 10
    account_factor: Annotated[
        int, *number((1, 5, 10, 20, 50), str, LOAD, "ACCOUNT records to a page", "BlockFactor.", ge=1, le=1000)
    ] = 10
    history_factor: Annotated[
        int, *number((5, 10, 20, 50, 100), str, LOAD, "HISTORY records to a page", "BlockFactor.", ge=1, le=1000)
    ] = 20
    local_share: Annotated[
        float,
        *number(
            (0.0, 0.5, 0.85, 1.0),
            lambda share: f"{share:.0%}",
            LOAD,
            "Local accounts",
            "K: accounts of the teller's own branch.",
            ge=0,
            le=1,
        ),
    ] = 0.85
    clustering: Annotated[
        str,
        *choice(
            {"on": "tellers on their branch's page", "off": "apart"},
            LOAD,
            "Clustering",
            "Whether BRANCH and TELLER records share pages.",
        ),
    ] = "on"
    seed: Annotated[SEED, Group(LOAD)] = 1
    nvem_s: Annotated[
        float,
        *seconds((10e-6, 25e-6, 50e-6, 75e-6, 100e-6), BUFFERS, "NVEM access", "NVEMdelay, constant.", ge=0, le=1),
    ] = 50e-6
    nvem_servers: Annotated[int, *number((1, 2, 4), str, BUFFERS, "NVEM servers", "NumNVEMservers.", ge=1, le=1000)] = 1
    reads_appended: Annotated[READS_APPENDED, Group(BUFFERS)] = "yes"
    nvem_access: Annotated[str, *choice(ACCESS, BUFFERS, "Access to NVEM", "AccessMode.")] = "synchronous"
    unit_access: Annotated[
        str,
        *choice(
            ACCESS,
            BUFFERS,
            "Access to SSD and disks",
            "AccessMode; waiting pays only for what is faster than a switch.",
        ),
    ] = "asynchronous"
    write_buffer_pages: Annotated[
        int,
        *number(
            (50, 100, 200, 500, 1000),
            pages,
            BUFFERS,
            "Write buffer",
            "WrBufferSizeNVEM, or the non-volatile pages of a disk cache.",
            unit="pages",
            ge=1,
            le=100_000,
        ),
    ] = 500
    controller_s: Annotated[
        float,
        *seconds(
            (0.1e-3, 0.5e-3, 1e-3, 2e-3),
            STORAGE,
            "Controller",
            "ContrDelay per page; none in a device of the catalogue.",
            ge=0,
            le=1,
        ),
    ] = 1e-3
    transmission_s: Annotated[
        float,
        *seconds(
            (0.0, 0.1e-3, 0.4e-3, 1e-3),
            STORAGE,
            "Transmission",
            "TransDelay; none in a device of the catalogue.",
            ge=0,
            le=1,
        ),
    ] = 0.4e-3
    database_disk_s: Annotated[
        float,
        *seconds(
            (2e-3, 5e-3, 10e-3, 15e-3, 20e-3), "", "Database disk", "DiskDelay of the database disks.", gt=0, le=10
        ),
    ] = 15e-3
    log_disk_s: Annotated[
        float,
        *seconds(
            (1e-3, 2.5e-3, 5e-3, 10e-3),
            "",
            "Log disk",
            "DiskDelay of a log disk: sequential, so less seeking.",
            gt=0,
            le=10,
        ),
    ] = 5e-3
    database_disks: Annotated[
        int,
        *number(
            (1, 10, 50, 100, 200, 400),
            str,
            STORAGE,
            "Database disks",
            "NumDisks: servers of one queue, so that no disk is hot.",
            ge=1,
            le=10_000,
        ),
        OfSystem("devices.database.count"),
    ] = 400
    database_controllers: Annotated[
        int, *number((1, 5, 20, 50, 100), str, STORAGE, "Database controllers", "NumControllers.", ge=1, le=10_000)
    ] = 100
    log_controllers: Annotated[
        int, *number((1, 2, 4, 8), str, STORAGE, "Controllers per log disk", "NumControllers.", ge=1, le=1000)
    ] = 4
    law: Annotated[
        str, *choice(LAWS, STORAGE, "Service times", "Of controllers and disks; the paper gives means only.")
    ] = "exponential"
    database_device: Annotated[
        str,
        *choice(device_choices, STORAGE, "In place of the database disks", "A device of the catalogue."),
        OfSystem("devices.database.device"),
    ] = OWN
    ssd_device: Annotated[
        str,
        *choice(
            device_choices,
            STORAGE,
            "In place of the SSD",
            "As set: battery-backed DRAM behind controller and channel.",
        ),
    ] = OWN
    log_device: Annotated[
        str,
        *choice(
            device_choices,
            STORAGE,
            "In place of the log disk",
            "A device of the catalogue; on a disk each write waits a turn.",
        ),
        OfSystem("devices.log.device"),
    ] = OWN
    device_times: Annotated[
        str,
        *choice(
            DEVICE_TIMES,
            STORAGE,
            "Times of these devices",
            "Means with the service times above, or single requests of the simulated device.",
        ),
    ] = AVERAGE

    @field_validator("database_device", "ssd_device", "log_device")
    @classmethod
    def _has_page_times(cls, name):
        if name != OWN:
            devices.random_page_times(name, PAGE_BYTES, kind=devices.BUSY)
        return name

    @field_validator("device_times")
    @classmethod
    def _has_mechanics(cls, name, info):
        if name == MECHANICS:
            for device in ("database_device", "ssd_device", "log_device"):
                if info.data.get(device, OWN) != OWN:
                    service_samples.require_simulated(info.data[device])
        return name

    def unused(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Inputs that change nothing here, and why."""
        yield from ()

    @property
    def force(self) -> bool:
        """Whether changed pages are written at commit."""
        return False

    @property
    def transactions(self) -> Transactions:
        """What the transactions are made of: Debit-Credit."""
        return DebitCreditLoad(self.load_model, self.seed)

    @property
    def load_model(self) -> DebitCredit:
        """What Debit-Credit is made of."""
        names = ("branches", "tellers_per_branch", "accounts_per_branch", "local_share")
        factors = ("branch_factor", "teller_factor", "account_factor", "history_factor")
        given = {name: getattr(self, name) for name in names + factors}
        return DebitCredit(**given, clustered=self.clustering == "on")

    @property
    def computer(self) -> Computer:
        """Processors, transaction manager and buffers as set here."""
        names = (
            *("processors", "instructions_per_s", "multiprogramming", "buffer_pages", "nvem_s", "force"),
            *("instructions_begin", "instructions_reference", "instructions_end"),
            *("instructions_io", "instructions_nvem", "nvem_servers"),
        )
        return Computer(
            **{name: getattr(self, name) for name in names},
            nvem_synchronous=self.nvem_access == "synchronous",
            logging=self.logging == "on",
            reads_appended=self.reads_appended == "yes",
            controller_law=self.law,
            disk_law=self.law,
        )

    @property
    def locking(self) -> dict[str, str]:
        """Lock granule by partition."""
        branch = self.branch_locks
        return {"ACCOUNT": self.account_locks, "HISTORY": self.history_locks, "BRANCH": branch, "TELLER": branch}

    def system(
        self,
        database: str,
        log: str,
        *,
        log_disks: int = 1,
        cache_pages: int = 1000,
        nvem_caching: str = rahm.NVEM_CACHING,
        **computer,
    ) -> TransactionSystem:
        """A system with these allocations; `computer` changes what the inputs say."""
        system = rahm.system(
            rahm_allocation(database, self.ssd_device),
            rahm_allocation(log, self.ssd_device),
            computer=replace(self.computer, **computer),
            database_unit=self.database_unit(database),
            log_unit=self.log_unit(log, log_disks),
            cache_pages=cache_pages,
            nvem_caching=nvem_caching,
            write_buffer_pages=self.write_buffer_pages,
            locking=self.locking,
        )
        return self.accessed(system)

    def accessed(self, system: TransactionSystem) -> TransactionSystem:
        """The system with the chosen access mode to its disk units."""
        if self.unit_access == "asynchronous":
            return system
        waits = {name: replace(place, synchronous=True) for name, place in system.partitions.items()}
        return replace(system, partitions=waits, log=replace(system.log, synchronous=True))

    def database_unit(self, allocation: str, name: str = rahm.DATABASE) -> DiskUnit:
        """A unit of the database, or what stands in its place under that allocation."""
        stand_in = self.ssd_device if allocation == "ssd" else self.database_device
        servers = (self.database_disks, self.database_controllers)
        return self._unit(name, stand_in, "random", self.database_disk_s, *servers)

    def log_unit(self, allocation: str, disks: int) -> DiskUnit:
        """The same for the log."""
        stand_in = self.ssd_device if allocation == "ssd" else self.log_device
        return self._unit(rahm.LOG, stand_in, "sequential", self.log_disk_s, disks, self.log_controllers * disks)

    def _unit(self, name, stand_in, pattern, disk_s, disks, controllers) -> DiskUnit:
        if stand_in == OWN:
            times = {"read_s": disk_s, "write_s": disk_s}
            times |= {"controller_s": self.controller_s, "transmission_s": self.transmission_s}
        elif self.device_times == MECHANICS:
            times = dict(service_samples.times(catalogue.device(stand_in), pattern).of_unit)
            times |= {"controller_s": 0.0, "transmission_s": 0.0}
        else:
            of_log = pattern == "sequential"
            found = log_servers_of(stand_in, PAGE_BYTES) if of_log else servers_of(stand_in, pattern, PAGE_BYTES)
            times = found.times
            times |= {"controller_s": 0.0, "transmission_s": 0.0}
        return DiskUnit(name=name, disks=disks, controllers=controllers, **times)


class StrategyInputs(TransactionInputs):
    """With the update strategy as an input."""

    strategy: Annotated[str, *STRATEGY, From("rahm1992 §4.2")] = "NOFORCE"

    @property
    def force(self) -> bool:
        """Whether changed pages are written at commit."""
        return self.strategy == FORCE


def rahm_allocation(allocation: str, ssd_device: str) -> str:
    """A device of the catalogue in place of the SSD is a unit whose every access goes to the device."""
    return "disk" if allocation == "ssd" and ssd_device != OWN else allocation
