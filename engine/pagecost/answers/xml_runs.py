"""XML databases and their transactions, as several questions ask for them: layout, caches, device, times, watts."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pagecost import catalogue, devices
from pagecost.devices import energy
from pagecost.oscaches import Host, Traffic
from pagecost.remembering import remembered
from pagecost.workload import tpox as load_of_tpox
from pagecost.workload.tpox import Area, Collection, Database
from pagecost.xmlstore import MAPPINGS, footprints
from pagecost.xmlstore.documents import tpox
from pagecost.xmlstore.pages_kernels import HEADER, slot_width

PAGE_BYTES = 4096
TRANSACTIONS, WARM_UP = 24_000, 12_000
COUNTED = TRANSACTIONS - WARM_UP
SERVICE = {"random": "random", "next": "sequential"}
"""The first word of `oscaches.WORK` as an access pattern."""


class Load(NamedTuple):
    """What the database asks for: mapping, bytes as text, share of writing transactions, seed.

    cold: every transaction counts, from empty caches on; else those after a warm-up.
    """

    mapping: str
    plain_bytes: float
    write_share: float
    seed: int
    cold: bool = False

    @property
    def warm_up(self) -> int:
        """Transactions that are not counted."""
        return 0 if self.cold else WARM_UP


class Processor(NamedTuple):
    """Seconds of the host: of its processor per transaction, per record and per label decoded.

    overlap: share of the shorter of processor and device time that is hidden behind the other. host_io_s: per page that
    the database asks for, counted as I/O whoever answers. disk_wait_s: after each page that a hard disk reads.
    """

    transaction_s: float
    record_s: float
    decode_s: float
    overlap: float = 0.0
    host_io_s: float = 0.0
    disk_wait_s: float = 0.0


class Counted(NamedTuple):
    """Per transaction: pages touched, log pages, records, labels decoded. traffic: of all counted `transactions`."""

    transactions: int
    traffic: Traffic
    pages: float
    log_pages: float
    records: float
    decoded: float
    height: int
    database_bytes: float


class Times(NamedTuple):
    """Seconds per transaction: cpu_s + io_s + log_s - hidden_s = elapsed_s. behind_s: device work not waited for.

    load: share of the time that the device works, or the host on its requests. mean_w: by the paper's formula. writes:
    pages that the device writes. not_known: access patterns of which the time of a request alone is not known, so that
    its device time stands.
    """

    cpu_s: float
    io_s: float
    log_s: float
    hidden_s: float
    behind_s: float
    elapsed_s: float
    load: float
    mean_w: float
    writes: float
    not_known: tuple[str, ...] = ()


class Work(NamedTuple):
    """Seconds for requests one after the other: waits_s until they are answered, works_s until the device is done.

    busy_s: device time, which is less than works_s where it can work on several at a time. not_known: as in `Times`.
    """

    waits_s: float
    works_s: float
    busy_s: float
    not_known: tuple[str, ...] = ()


class Served(NamedTuple):
    """What a device makes of a transaction's requests: work that is waited for, device time behind, pages written."""

    waited: Work
    behind_s: float
    writes: float


@remembered
def database(mapping: str, plain_bytes: float, page_bytes: int = PAGE_BYTES, seed: int = 1) -> Database:
    """A TPoX database of that size under a mapping, laid out from stored samples of its collections."""
    at = 1
    collections, plain, stored = {}, 0.0, 0.0
    compressed = MAPPINGS[mapping].compressed
    for kind, documents in tpox.counts(plain_bytes).items():
        found = footprints.of_collection(kind, plain_bytes, tuple(MAPPINGS), page_bytes, 1.0, "drop", seed)[mapping]
        footprint = found.footprint
        pages = math.ceil(footprint.bytes * found.times / page_bytes)
        label = footprint.full_label_bytes / footprint.records
        suffix = (footprint.label_bytes - footprint.label_length_bytes) / footprint.records
        containers = Area(at, pages)
        at += pages
        index, at = _levels(at, pages, label, page_bytes)
        entry = 1 + (suffix if compressed else 2 + label) + 2 + slot_width(page_bytes)
        leaves = math.ceil(documents / ((page_bytes - HEADER) // entry))
        above, at = _levels(at, leaves, label + 2, page_bytes)
        entries = (*above, Area(at, leaves))
        at += leaves
        collections[kind] = Collection(documents, containers, index, entries, footprint.records / footprint.pages)
        plain += footprint.plain_bytes * found.times
        stored += footprint.bytes * found.times
    return Database(mapping, compressed, plain, stored / plain, collections, at, page_bytes)


def _levels(at: int, pages: int, label_bytes: float, page_bytes: int) -> tuple[tuple[Area, ...], int]:
    """The areas of an index above so many pages, root first; the next free page."""
    fan_out = (page_bytes - HEADER) // (1 + label_bytes + 4 + slot_width(page_bytes))
    sizes = []
    while pages > 1:
        pages = math.ceil(pages / fan_out)
        sizes.append(pages)
    areas = []
    for size in reversed(sizes):
        areas.append(Area(at, size))
        at += size
    return tuple(areas), at


@remembered
def counted(load: Load, host: Host) -> Counted:
    """A workload on a host: its second half, after the first has filled the caches, or all of it from a cold start."""
    stored = database(load.mapping, load.plain_bytes)
    work = load_of_tpox.workload(stored, TRANSACTIONS, load.write_share, load.seed)
    pages, writes = work.requests.page_references()
    first = load.warm_up
    traffic = host.run(pages, writes, stored.pages, page_bytes=PAGE_BYTES, warm_up=int(work.first[first]))
    return Counted(
        transactions=TRANSACTIONS - first,
        traffic=traffic,
        pages=traffic.references / (TRANSACTIONS - first),
        log_pages=float(np.ceil(work.log_bytes[first:] / PAGE_BYTES).mean()),
        records=float(work.records[first:].mean()),
        decoded=float(work.decoded[first:].mean()),
        height=stored.height,
        database_bytes=stored.pages * PAGE_BYTES,
    )


def times(device: str, found: Counted, processor: Processor, served: "Served | None" = None) -> Times:
    """A transaction's time by cause, and the power of the device, one transaction after the other.

    Each request that is waited for is alone on the device, so it takes what one alone takes where that is known. What
    nobody waits for may go on side by side: device time. served: what a simulated device made of the same requests, in
    the place of both.
    """
    if served is None:
        waited, behind = (_work(device, counts, found) for counts in (found.traffic.waited, found.traffic.behind))
        served = Served(waited, behind.busy_s, found.traffic.device_requests(write=True) / found.transactions)
    waited, behind_s = served.waited, served.behind_s
    cpu_s = processor.transaction_s + found.records * processor.record_s + found.decoded * processor.decode_s
    log = alone(device, "sequential write", None)
    log_s = found.log_pages * log.waits_s
    host_s = found.pages * processor.host_io_s
    wait_s = processor.disk_wait_s * _disk_reads(device, found)
    io_s = host_s + waited.waits_s + wait_s
    hidden_s = processor.overlap * min(cpu_s, io_s + log_s)
    working_s = waited.works_s + found.log_pages * log.works_s + behind_s
    # the device may have more to do behind the scenes than there is time: then the database waits for it after all
    late_s = max(0.0, working_s - (cpu_s + io_s + log_s - hidden_s))
    elapsed_s = cpu_s + io_s + log_s - hidden_s + late_s
    load = min((working_s + host_s) / elapsed_s, 1.0)  # a rounding error may lead above
    idle_w, active_w = (catalogue.device(device).known(name) for name in ("idle_w", "active_w"))
    mean_w = float(energy.average_w(idle_w, active_w, load))
    not_known = tuple(dict.fromkeys(waited.not_known + (log.not_known if found.log_pages else ())))
    return Times(cpu_s, io_s + late_s, log_s, hidden_s, behind_s, elapsed_s, load, mean_w, served.writes, not_known)


def _disk_reads(device: str, found: Counted) -> float:
    """Pages that a hard disk reads while a transaction waits; none on any other device."""
    if catalogue.device(device).device_class != "hard disk":
        return 0.0
    return sum(found.traffic.waited[name] for name in ("random read", "next read")) / found.transactions


def alone_notes(times_of: Iterable[tuple[str, Times]]) -> list[str]:
    """A sentence for each device of which it is not known what a request alone takes; (device, times) of all runs."""
    missing: dict[str, dict[str, None]] = {}
    for device, found in times_of:
        missing.setdefault(device, {}).update(dict.fromkeys(found.not_known))
    return [
        f"{devices.title_of(device)}: how long {_either(list(patterns))} takes alone is not known; its device time, "
        "1 / requests a second as rated, stands, or what is least of flash, so a transaction may take longer than here."
        for device, patterns in missing.items()
        if patterns
    ]


def _either(patterns: list[str]) -> str:
    """A random read, a random write or a sequential write."""
    *first, last = [f"a {pattern}" for pattern in patterns]
    return f"{', '.join(first)} or {last}" if first else last


def alone(device: str, pattern: str, span_bytes: float | None) -> Work:
    """One request of a page on an idle device, which may answer a write before it is done with it."""
    model = devices.load(device)
    service = model.service(pattern, PAGE_BYTES, span_bytes=span_bytes)
    busy_s, alone_s = float(service.total_s), float(service.latency_s)
    if math.isfinite(alone_s):
        return Work(alone_s, max(alone_s, busy_s), busy_s)
    least_s = max(busy_s, devices.least_alone_s(model, pattern))
    return Work(least_s, least_s, busy_s, (pattern,))


def _work(device: str, counts: dict[str, int], found: Counted) -> Work:
    """Some work per transaction; what only the device's cache does takes the interface's time."""
    work = []
    for name, number in counts.items():
        how, what = name.split()
        if not number:
            continue
        if how == "cached":
            interface_s = PAGE_BYTES / catalogue.device(device).value("interface_bytes_per_s")
            each = Work(interface_s, interface_s, interface_s)
        else:
            each = alone(device, f"{SERVICE[how]} {what}", found.database_bytes)
        work.append((number / found.transactions, each))
    return Work(
        waits_s=sum(number * each.waits_s for number, each in work),
        works_s=sum(number * each.works_s for number, each in work),
        busy_s=sum(number * each.busy_s for number, each in work),
        not_known=tuple(pattern for _, each in work for pattern in each.not_known),
    )
