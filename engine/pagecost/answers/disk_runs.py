"""Hard disks driven request by request, as several questions ask for it: the same random requests, ten runs each.

Every run is remembered by the disk itself and by all that it was asked, so that a slider which comes back costs
nothing, and a changed disk is another question.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost import catalogue, reads
from pagecost.devices.disk import (
    SECTOR_BYTES,
    TERMS,
    Array,
    BufferedSession,
    Disk,
    Moments,
    Process,
    Session,
    WriteBackSession,
    random_requests,
    share,
)
from pagecost.errors import ModelError, require
from pagecost.intervals import half_width
from pagecost.remembering import remembered
from pagecost.units import format_bytes

REPLICATIONS = 10  # runs with their own random requests
SERVICE = tuple(name for name in TERMS if name != "queue_s")
"""The terms of a request without its wait in the queue."""
SHORTEST_S = 1e-12
"""What a term lasts at least [s]: terms are differences of times on a clock of some seconds, which doubles tell apart
to 1e-15 s, while a sector passes the head in microseconds. What is shorter is what rounding left of nothing."""
ACCESS_WARM_UP = 50  # accesses before those that count


def disks() -> dict[str, str]:
    """Disk id -> name of every hard disk of the catalogue that can be driven request by request.

    Whoever asks for names rests on no number of a disk: what is read here is not recorded.
    """
    with reads.unrecorded():
        return {id: device.name for id, device in catalogue.devices().items() if _usable(device)}


def _usable(device: catalogue.Device) -> bool:
    if device.model != "hard_disk":
        return False
    try:
        Disk.of(device)
    except ModelError:
        return False
    return True


def span_sectors(disk: Disk, span_bytes: float, request_bytes: int) -> int:
    """Sectors that requests fall on, from the outside; the whole disk where it holds less than the span.

    Raises ModelError for a span that holds no request.
    """
    sectors = min(int(span_bytes) // SECTOR_BYTES, disk.geometry.sectors)
    require(
        sectors * SECTOR_BYTES >= request_bytes,
        f"a span of {format_bytes(span_bytes)} holds no request of {format_bytes(request_bytes)}",
    )
    return sectors


@remembered
def requests(
    span_sectors: int,
    sectors: int,
    write_share: float,
    count: int,
    seed: int,
    replication: int,
    unit_sectors: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(first sectors, write flags), shape (count,): aligned to their size, at random places of the span.

    unit_sectors: no request lies over the end of a unit of so many sectors; each holds as many places as fit.
    """
    random, unit = np.random.default_rng((seed, replication)), unit_sectors or sectors
    places = span_sectors // unit * (unit // sectors) + span_sectors % unit // sectors
    of_unit, within = np.divmod(random.integers(0, places, count), unit // sectors)
    return of_unit * unit + within * sectors, random.random(count) < write_share


def mixed(disk: Disk, span_sectors: int, sectors: int, write_share: float) -> Moments:
    """`random_requests` of reads and writes in a mix."""
    read, write = (random_requests(disk, span_sectors, sectors, write=flag) for flag in (False, True))
    mean = {name: (1 - write_share) * read.mean_s[name] + write_share * write.mean_s[name] for name in read.mean_s}
    between = write_share * (1 - write_share) * (read.service_s - write.service_s) ** 2
    variance = (1 - write_share) * read.variance_s2 + write_share * write.variance_s2 + between
    return Moments(mean, variance, read.distance)


@dataclass(frozen=True)
class Mean:
    """The mean of runs with their own requests, and half of its 95 % interval (Student), 0 if only rounding differs."""

    value: float
    half_width: float

    @classmethod
    def of(cls, runs) -> "Mean":
        """Of one number per run, shape (REPLICATIONS,)."""
        runs = np.asarray(runs, float)
        half = float(half_width(runs))
        return cls(float(runs.mean()), half if half > 1e-9 * abs(runs.mean()) else 0.0)


class Buffer(NamedTuple):
    """What a disk reads ahead into: rate of its interface [B/s], bytes of one of its eight segments."""

    interface_bytes_per_s: float
    segment_bytes: int

    @classmethod
    def of(cls, device: catalogue.Device) -> "Buffer":
        """Of a disk of the catalogue; where it says nothing, twice the rate of the media and 8 MiB in all."""
        zone = Disk.of(device).geometry.zones[0]
        outer_bytes_per_s = zone.track_sectors * SECTOR_BYTES * device.value("rotation_hz")
        return cls(
            device.get("interface_bytes_per_s", 2 * outer_bytes_per_s), int(device.get("cache_bytes", 8 << 20)) // 8
        )


class Accesses(NamedTuple):
    """Requests one at a time, those of the warm-up first. lbn: their first sectors; terms: [s], columns of `TERMS`."""

    lbn: np.ndarray
    terms: np.ndarray


@remembered
def accesses(
    disk: Disk,
    pattern: str,
    write: bool,
    span_sectors: int,
    sectors: int,
    count: int,
    seed: int,
    buffer: Buffer,
    replication: int,
) -> Accesses:
    """`count` accesses after a warm-up. pattern: "whole disk", "span", "next track" or "sequential"."""
    count += ACCESS_WARM_UP
    if pattern in ("whole disk", "span"):
        lbn = requests(span_sectors, sectors, 0.0, count, seed, replication)[0]
    else:
        zone = disk.geometry.zones[0]
        step = zone.track_sectors if pattern == "next track" else sectors
        places = disk.geometry.heads * zone.cylinders * zone.track_sectors // step - 1
        start = np.random.default_rng((seed, replication)).integers(0, places)
        lbn = (start + np.arange(count)) % places * step
    buffered = pattern == "sequential" and not write
    session = BufferedSession(disk, **buffer._asdict()) if buffered else Session(disk)
    return Accesses(lbn, _without_rounding(session.serve(lbn, sectors, np.full(lbn.size, write)).table))


def _without_rounding(table: np.ndarray) -> np.ndarray:
    """Terms [s] of accesses, of which those that are none are 0."""
    return np.where(np.abs(table) < SHORTEST_S, 0.0, table)


class Queued(NamedTuple):
    """Ten runs of a closed queue: requests per second of each, mean terms [s] of a request (columns of `TERMS`), the
    99th percentile of the response [s], cylinders crossed per request."""

    iops: np.ndarray
    terms: np.ndarray
    percentile_99_s: float
    cylinders: float


@remembered
def queued(
    disk: Disk,
    scheduler: str,
    depth: int,
    span_sectors: int,
    sectors: int,
    write_share: float,
    count: int,
    seed: int,
) -> Queued:
    """Random requests, `depth` outstanding at all times, in the order that the scheduler chooses."""
    runs = []
    warm_up = 100 + 4 * depth
    for replication in range(REPLICATIONS):
        lbn, write = requests(span_sectors, sectors, write_share, warm_up + count, seed, replication)
        session = Session(disk, scheduler, depth)
        session.serve(lbn[:warm_up], sectors, write[:warm_up], last=False)
        runs.append(session.serve(lbn[warm_up:], sectors, write[warm_up:], last=False))
    table = _without_rounding(np.concatenate([run.table for run in runs]))
    return Queued(
        np.array([run.throughput for run in runs]),
        table.mean(axis=0),
        float(np.quantile(table.sum(axis=1), 0.99)),
        sum(run.cylinders_crossed for run in runs) / len(table),
    )


class ArrayLoad(NamedTuple):
    """Disk requests per request, requests per second of a member that always works, mean response [s]."""

    ios: float
    largest_iops: float
    response_s: float


@remembered
def array_load(
    disk: Disk,
    level: int,
    disks: int,
    sectors: int,
    write_share: float,
    requests_per_s: float,
    count: int,
    seed: int,
    replication: int,
) -> ArrayLoad:
    """Random requests within a striping unit each, at random times (Poisson); the first tenth is not in the response.

    The largest rate is that of the same requests all at once, whatever their rate: a disk that always works never
    finds its arm where the read of a parity's write has left it.
    """
    array = Array(disks=disks, level=level)
    lbn, write = requests(array.sectors(disk), sectors, write_share, count, seed, replication, array.unit_sectors)
    gaps = np.random.default_rng((seed, replication, 1)).exponential(1 / requests_per_s, count)
    run = array.serve(disk, np.cumsum(gaps), lbn, sectors, write)
    response_s = float(run.response_s[count // 10 :].mean())
    at_once = array.serve(disk, np.zeros(count), lbn, sectors, write)
    return ArrayLoad(run.ios / count, count * disks / at_once.busy_s.sum(), response_s)


class Sharing(NamedTuple):
    """What a reader and a writer get of a disk in some time, its idle share, and how often it waited for the reader."""

    read_bytes_per_s: float
    writes_per_s: float
    idle: float
    waits: int


@remembered
def sharing(
    disk: Disk,
    host: str,
    alone: bool,
    jumps: bool,
    read_bytes: int,
    pause_s: float,
    wait_s: float,
    outstanding: int,
    seconds: float,
    seed: int,
    replication: int,
) -> Sharing:
    """A reader beside a writer of random 4 KiB blocks, or alone. jumps: the reader reads at random places."""
    sectors, random = read_bytes // SECTOR_BYTES, np.random.default_rng((seed, replication))
    blocks = disk.geometry.sectors // sectors
    order = random.integers(0, blocks, 4000) if jumps else random.integers(0, blocks) + np.arange(40_000)
    reader = Process(lbn=order % blocks * sectors, sectors=sectors, pause_s=pause_s)
    places = random.integers(0, disk.geometry.sectors // 8, 4000) * 8
    writer = Process(lbn=places, sectors=8, write=True, outstanding=outstanding)
    run = share(disk, [reader] if alone else [reader, writer], host, seconds, wait_s=wait_s)
    return Sharing(float(run.bytes_per_s[0]), float(run.requests_per_s[-1]), run.idle, run.waits)


@remembered
def write_times_s(disk: Disk, pattern: str, sectors: int, cache_bytes: int, count: int, seed: int) -> np.ndarray:
    """Time [s] of each of `count` writes, shape (count,), random or "sequential". cache_bytes: of a write-back cache;
    0: none."""
    if pattern == "random":
        lbn = requests(disk.geometry.sectors, sectors, 1.0, count, seed, 0)[0]
    else:
        lbn = np.arange(count) % (disk.geometry.sectors // sectors) * sectors
    if cache_bytes:
        return WriteBackSession(disk, limit_bytes=cache_bytes).serve(lbn, sectors).response_s
    return Session(disk).serve(lbn, sectors, np.ones(count, bool)).service_s
