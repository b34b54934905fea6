"""What the studies of XML transactions share: a workload through buffer, caches and device, and what each one costs."""

import functools
from typing import NamedTuple

import numpy as np

from pagecost import catalogue, devices
from pagecost.devices import energy
from pagecost.oscaches import Host, Traffic
from pagecost.studies.study import Column
from pagecost.studies.xml.xml_inputs import PAGE_BYTES, Processor
from pagecost.xmlstore import experiment

TRANSACTIONS, WARM_UP = 24_000, 12_000
COUNTED = TRANSACTIONS - WARM_UP
TERMS = {"cpu_s": "processor", "io_s": "data I/O", "log_s": "log"}
SERVICE = {"random": "random", "next": "sequential"}  # the first word of `oscaches.WORK` as an access pattern
LAID_OUT = (
    "Pages of a database are laid out from stored samples of its collections, not from all of its text. Stored whole, "
    "10 MB take between 1 % less and 3 % more pages than the layout says, 100 MB between 11 % less (customers) and 2 % "
    "more."
)


class Load(NamedTuple):
    """What the database asks for: mapping, bytes as text, share of writing transactions, seed."""

    mapping: str
    plain_bytes: float
    write_share: float
    seed: int


class Counted(NamedTuple):
    """Per transaction: pages touched, log pages, records, labels decoded. traffic: of all counted ones."""

    traffic: Traffic
    pages: float
    log_pages: float
    records: float
    decoded: float
    height: int
    database_bytes: float


class Times(NamedTuple):
    """Seconds per transaction: cpu_s + io_s + log_s - hidden_s = elapsed_s. behind_s: device work not waited for.

    load: share of the time that the device works. mean_w: by the paper's formula.
    """

    cpu_s: float
    io_s: float
    log_s: float
    hidden_s: float
    behind_s: float
    elapsed_s: float
    load: float
    mean_w: float


@functools.lru_cache(maxsize=1024)
def counted(load: Load, host: Host) -> Counted:
    """The second half of a workload on a host, after the first has filled its caches."""
    database = experiment.database(load.mapping, load.plain_bytes)
    work = experiment.workload(database, TRANSACTIONS, load.write_share, load.seed)
    pages, writes = work.requests.page_references()
    traffic = host.run(pages, writes, database.pages, page_bytes=PAGE_BYTES, warm_up=int(work.first[WARM_UP]))
    return Counted(
        traffic=traffic,
        pages=traffic.references / COUNTED,
        log_pages=float(np.ceil(work.log_bytes[WARM_UP:] / PAGE_BYTES).mean()),
        records=float(work.records[WARM_UP:].mean()),
        decoded=float(work.decoded[WARM_UP:].mean()),
        height=database.height,
        database_bytes=database.pages * PAGE_BYTES,
    )


def times(device: str, found: Counted, processor: Processor) -> Times:
    """A transaction's time by cause, and the power of the device, one transaction after the other."""
    waited_s, behind_s = (_work_s(device, counts, found) for counts in (found.traffic.waited, found.traffic.behind))
    cpu_s = processor.transaction_s + found.records * processor.record_s + found.decoded * processor.decode_s
    model = devices.load(device)
    log_s = found.log_pages * float(model.service("sequential write", PAGE_BYTES).total_s)
    hidden_s = processor.overlap * min(cpu_s, waited_s + log_s)
    working_s = waited_s + log_s + behind_s
    # the device may have more to do behind the scenes than there is time: then the database waits for it after all
    late_s = max(0.0, working_s - (cpu_s + waited_s + log_s - hidden_s))
    elapsed_s = cpu_s + waited_s + log_s - hidden_s + late_s
    load = min(working_s / elapsed_s, 1.0)  # a rounding error may lead above
    idle_w, active_w = (catalogue.device(device).value(name) for name in ("idle_w", "active_w"))
    mean_w = float(energy.average_w(idle_w, active_w, load))
    return Times(cpu_s, waited_s + late_s, log_s, hidden_s, behind_s, elapsed_s, load, mean_w)


def _work_s(device: str, counts: dict[str, int], found: Counted) -> float:
    """Device time [s] per transaction of some work; what only the device's cache does takes the interface's time."""
    model, total = devices.load(device), 0.0
    for name, number in counts.items():
        how, what = name.split()
        if not number:
            continue
        if how == "cached":
            total += number * PAGE_BYTES / catalogue.device(device).value("interface_bytes_per_s")
        else:
            service = model.service(f"{SERVICE[how]} {what}", PAGE_BYTES, span_bytes=found.database_bytes)
            total += number * float(service.total_s)
    return total / COUNTED


def cost_columns(counts: list[Counted], costs: list[Times]) -> dict[str, Column]:
    """What a study shows of many runs, aligned; per transaction unless said otherwise."""

    def of(name: str) -> np.ndarray:
        return np.array([getattr(cost, name) for cost in costs])

    tps, mean_w = 1 / of("elapsed_s"), of("mean_w")
    reads = np.array([found.traffic.device_requests(write=False) for found in counts]) / COUNTED
    writes = np.array([found.traffic.device_requests(write=True) for found in counts]) / COUNTED
    log_pages = np.array([found.log_pages for found in counts])
    return {
        "tps": Column(tps, "1/s", "transactions per second"),
        **{name: Column(of(name), "s", label) for name, label in TERMS.items()},
        "hidden_s": Column(of("hidden_s"), "s", "hidden by overlap"),
        "behind_s": Column(of("behind_s"), "s", "device work that nobody waits for"),
        "load": Column(of("load"), "1", "device under load"),
        "mean_w": Column(mean_w, "W", "mean power"),
        "energy_j": Column(mean_w / tps, "J", "energy per transaction"),
        "iops_per_w": Column((reads + writes + log_pages) * tps / mean_w, "1/J", "device requests per second and watt"),
        "pages": Column(np.array([found.pages for found in counts]), "1", "pages touched"),
        "reads": Column(reads, "1", "pages read"),
        "writes": Column(writes, "1", "pages written"),
        "hit_ratio": Column(np.array([found.traffic.hit_ratio("buffer") for found in counts]), "1", "buffer hit ratio"),
        "height": Column(np.array([found.height for found in counts]), "1", "index levels"),
    }
