"""Service times of a device request by request, as the distribution that a server of a queue draws from."""

from typing import NamedTuple

import numpy as np

from pagecost import catalogue
from pagecost.answers import disk_runs
from pagecost.answers.memory import remembered
from pagecost.answers.ssd_runs import ssd_of, steady_session
from pagecost.devices import disk, ssd
from pagecost.errors import require

PAGE_BYTES = 4096
REQUESTS, QUANTILES = 20_000, 500  # simulated, and kept of each kind
IDLE_S = 0.05  # mean time between two writes of a log: by then the disk has turned to anywhere
PATTERNS = ("random", "sequential")


class ServiceTimes(NamedTuple):
    """Mean times [s] of a page, and samples of both with mean 1, each shape (QUANTILES,): what `DiskUnit` takes."""

    read_s: float
    write_s: float
    samples: tuple[float, ...]
    write_samples: tuple[float, ...]


def simulated() -> tuple[str, ...]:
    """Ids of the devices that can be simulated request by request."""
    return (*disk_runs.disks(), *ssd.catalogued())


def require_simulated(id: str) -> None:
    """Raise ModelError unless the device of the catalogue can be simulated request by request."""
    names = simulated()
    require(id in names, f"{id}: it is known by mean times only; mechanics: {', '.join(names)}")


@remembered
def times(device: catalogue.Device, pattern: str, seed: int = 1) -> ServiceTimes:
    """Times of single pages, one request after the other. Raises ModelError as `require_simulated` does.

    "random": over all of the device, reads and writes in equal shares, so that an SSD collects while it serves.
    "sequential": one page after the other, each written when the device has been idle for a while.
    """
    require_simulated(device.id)
    read_s, write_s = (_of_disk if device.id in disk_runs.disks() else _of_ssd)(device, pattern, seed)
    (read_mean, reads), (write_mean, writes) = _summary(read_s), _summary(write_s)
    return ServiceTimes(read_mean, write_mean, reads, writes)


def _summary(times_s: np.ndarray) -> tuple[float, tuple[float, ...]]:
    """(mean [s], samples with mean 1)."""
    kept = np.quantile(times_s, (np.arange(QUANTILES) + 0.5) / QUANTILES)
    return float(np.mean(times_s)), tuple((kept / kept.mean()).tolist())


def _of_disk(device: catalogue.Device, pattern: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    model, sectors = disk.Disk.of(device), PAGE_BYTES // disk.SECTOR_BYTES
    found = []
    for write in (False, True):
        lbn, _ = disk_runs.requests(model.geometry.sectors, sectors, float(write), REQUESTS, seed, 0)
        gaps_s = np.random.default_rng((seed, 47)).exponential(IDLE_S, REQUESTS)
        if pattern == "sequential":
            lbn = np.arange(REQUESTS) * sectors
        run = disk.Session(model, closed=False).serve(lbn, sectors, np.full(REQUESTS, write), np.cumsum(gaps_s))
        found.append(run.service_s)
    return found[0], found[1]


def _of_ssd(device: catalogue.Device, pattern: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    session = steady_session(ssd_of(device), seed).on_a_copy(1, request_bytes=PAGE_BYTES)
    random = np.random.default_rng((seed, 53))
    places = session.ssd.logical_units // session.units
    warm_up = REQUESTS // 10
    place = random.integers(0, places, REQUESTS + warm_up)
    write = random.random(place.size) < 0.5
    if pattern == "sequential":
        place, write = np.arange(place.size) % places, np.ones(place.size, bool)
    session.serve(place[:warm_up] * session.units, write[:warm_up])
    run = session.serve(place[warm_up:] * session.units, write[warm_up:])
    return run.of(False) if pattern == "random" else run.of(True), run.of(True)
