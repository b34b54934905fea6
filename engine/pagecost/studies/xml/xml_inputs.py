"""What goes into the XML experiment of Schmidt 2009, section 6: the inputs that its studies share."""

import math
from typing import Annotated

from pydantic import Field

from pagecost import catalogue, devices
from pagecost.answers.xml_runs import PAGE_BYTES, Processor
from pagecost.answers.xml_write_cache import WriteCache
from pagecost.devices.disk import Disk
from pagecost.errors import known, require
from pagecost.oscaches import Host
from pagecost.studies.fields import Choice, Choices, From, Group, OfSystem, Steps
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import StudyInputs
from pagecost.studies.xml.xml_fields import SEVERAL_MAPPINGS
from pagecost.units import format_bytes, format_seconds
from pagecost.xmlstore import MAPPINGS

SIZES = (1e7, 1e8, 1e9)
WRITING = {"commit": "at commit", "eviction": "when evicted from the buffer"}
THROUGH, SWEPT = "through", "swept"
DISK_WRITES = {THROUGH: "reach the platters at once", SWEPT: "wait in the disk's cache, which is emptied in sweeps"}
UNSAID = "What the paper does not say"
WARM, COLD = "warm", "cold"
STARTS = {WARM: "caches are filled first", COLD: "caches are empty"}


def has_power(device: str) -> bool:
    """Whether idle and load power of a device are known, and not as bounds: such as the power of one asleep."""
    if device in devices.measurements():
        return False
    known_device = catalogue.device(device)
    return all(math.isfinite(known_device.known(name)) for name in ("idle_w", "active_w"))


def with_power() -> dict[str, str]:
    """Device id -> name of every device that `has_power`."""
    return {name: title for name, title in devices.modelled().items() if has_power(name)}


def why_not(name: str) -> None:
    """Raise ModelError that says why a device is none of `with_power()`."""
    known("device", name, devices.modelled())
    require(has_power(name), f"{name}: its idle and load power are not known, or no more of one than a bound")


DEVICES = Annotated[
    tuple[str, ...],
    Choices(with_power, most=2, such=why_not),
    From("schmidt2009 §6, Table 1"),
    OfSystem("devices.database.device"),
    Field(min_length=1, title="Devices", description="At most two, with known power."),
]
PLAIN_BYTES = Annotated[
    float,
    Steps(SIZES, "B", format_bytes),
    Field(ge=1e6, le=1e11, title="Database", description="Size as text of the database that the bars compare."),
]
WRITE_SHARE = Annotated[
    float,
    Steps((0.0, 0.1, 0.2, 0.3, 0.4, 0.5), "1", lambda share: f"{share:.0%} write"),
    From("schmidt2009 §6"),
    Field(ge=0, le=1, title="Writing transactions", description="Share of transactions that write."),
]
BUFFER_BYTES = Annotated[
    float,
    Steps((4e6, 16e6, 64e6, 256e6), "B", format_bytes),
    From("schmidt2009 §6"),
    OfSystem("memory.buffer_bytes"),
    Field(ge=65536, le=1e10, title="Buffer", description="Of the database, LRU."),
]
DISK_WAIT_S = Annotated[
    float,
    Steps((0.0, 0.0025, 0.005, 0.0075, 0.01), "s", format_seconds),
    Group(UNSAID),
    Field(
        ge=0,
        le=1,
        title="Wait of a disk",
        description="After each page that a hard disk reads, while it idles; nothing in the paper explains it.",
    ),
]


class ExperimentInputs(StudyInputs):
    """The database, the load, and what the processor needs."""

    devices: DEVICES = ("wd800aajs", "consumer-ssd-2009")
    mappings: SEVERAL_MAPPINGS = tuple(MAPPINGS)
    plain_bytes: PLAIN_BYTES = 1e9
    write_share: WRITE_SHARE = 0.0
    buffer_bytes: BUFFER_BYTES = 16 * 2**20
    os_cache_bytes: Annotated[
        float,
        Steps((0, 16e6, 64e6, 256e6), "B", lambda size: format_bytes(size) if size else "none"),
        OfSystem("memory.page_cache_bytes"),
        Field(
            ge=0,
            le=1e11,
            title="Page cache",
            description="Of the operating system, below the buffer. None: direct I/O is asked for and heeded.",
        ),
    ] = 0
    pages_written: Annotated[
        str,
        Choice(lambda: WRITING, noun="moment of writing"),
        Field(title="Changed pages are written", description="The paper does not say; at commit fits its SSD."),
    ] = "commit"
    disk_writes: Annotated[
        str,
        Choice(lambda: DISK_WRITES, noun="way of writing"),
        Field(
            title="Writes to a hard disk",
            description="The paper does not say whether the disk's cache took them; it has 8 MB.",
        ),
    ] = THROUGH
    rest_s: Annotated[
        float,
        Steps((0.0, 0.1, 0.3, 1.0, 3.0, 10.0), "s", lambda time: format_seconds(time) if time else "at once"),
        Group(UNSAID),
        Field(
            ge=0,
            le=1e6,
            title="Rest in the disk's cache",
            description="Of the oldest page, before the arm begins to empty the cache. Fitted on its watts.",
        ),
    ] = 0.1
    start: Annotated[
        str,
        Choice(lambda: STARTS, noun="start"),
        Group(UNSAID),
        Field(title="When counting begins", description="The paper does not say; cold, all transactions count."),
    ] = WARM
    host_io_s: Annotated[
        float,
        Steps((0.0, 5e-5, 1.5e-4, 4e-4), "s", format_seconds),
        Group(UNSAID),
        Field(
            ge=0,
            le=1,
            title="Host per page asked for",
            description="Calls, copies, file system: counted as I/O, and so as load, whoever answers.",
        ),
    ] = 0.0
    disk_wait_s: DISK_WAIT_S = 0.0
    transaction_s: Annotated[
        float,
        Steps((0.001, 0.003, 0.005, 0.009, 0.02), "s", format_seconds),
        Field(ge=0, le=10, title="Processor per transaction", description="Fitted: 100 tps on the disk at 10 MB, fs."),
    ] = 0.009
    record_s: Annotated[
        float,
        Steps((0.0, 1e-6, 5e-6, 1e-5, 2e-5), "s", format_seconds),
        Field(ge=0, le=1, title="Processor per record", description="Every record that is read or written."),
    ] = 1e-5
    decode_s: Annotated[
        float,
        Steps((0.0, 1e-6, 2e-6, 5e-6, 1e-5), "s", format_seconds),
        Field(
            ge=0, le=1, title="Processor per label", description="Compressed labels are decoded from the page's first."
        ),
    ] = 2e-6
    overlap: Annotated[
        float,
        Steps((0.0, 0.25, 0.5, 0.75, 1.0), "1", lambda share: f"{share:.0%} overlap"),
        Field(
            ge=0, le=1, title="Overlap", description="Share of the shorter of processor and device time that is hidden."
        ),
    ] = 0.0
    seed: SEED = 1

    @property
    def processor(self) -> Processor:
        """What the host takes."""
        cpu_s = self.transaction_s, self.record_s, self.decode_s
        return Processor(*cpu_s, self.overlap, self.host_io_s, self.disk_wait_s)

    @property
    def host(self) -> Host:
        """The caches: direct I/O, unless the operating system has a page cache."""
        page_cache = int(self.os_cache_bytes // PAGE_BYTES)
        return Host(
            buffer_pages=max(1, int(self.buffer_bytes // PAGE_BYTES)),
            page_cache_pages=page_cache,
            direct=page_cache == 0,
            force=self.pages_written == "commit",
        )

    def write_cache_of(self, device: str) -> WriteCache | None:
        """A hard disk's own cache, of the catalogue's size, where it takes writes; else None."""
        found = catalogue.devices().get(device)
        if self.disk_writes == THROUGH or found is None or found.device_class != "hard disk":
            return None
        if not found.get("cache_bytes"):
            return None
        return WriteCache(int(found.value("cache_bytes")), found.value("interface_bytes_per_s"), self.rest_s)

    def disk_of(self, device: str) -> Disk:
        """The hard disk itself, arm and platters. Raises ModelError where the catalogue knows too little of it."""
        return Disk.of(catalogue.device(device))
