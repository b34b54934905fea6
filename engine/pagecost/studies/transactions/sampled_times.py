"""Service times of a device request by request, as the distribution that a server of a queue draws from."""

import functools

import numpy as np

from pagecost import catalogue
from pagecost.devices import disk, ssd
from pagecost.errors import require
from pagecost.studies.disk import disk_inputs
from pagecost.studies.flash.ssd_runs import ssd_of, steady_session

PAGE_BYTES = 4096
REQUESTS, QUANTILES = 20_000, 500  # simulated, and kept of each kind
IDLE_S = 0.05  # mean time between two writes of a log: by then the disk has turned to anywhere


def require_known(device: str) -> None:
    """Raise ModelError unless the device can be simulated request by request."""
    simulated = [*disk_inputs.disks(), *ssd.catalogued()]
    require(device in simulated, f"{device}: it is known by mean times only; mechanics: {', '.join(simulated)}")


@functools.lru_cache(maxsize=64)
def times(device: str, pattern: str, seed: int = 1) -> dict:
    """What `DiskUnit` takes: read_s, write_s, and samples of both with mean 1, of single pages one after the other.

    "random": over all of the device, reads and writes in equal shares, so that an SSD collects while it serves.
    "sequential": one page after the other, each written when the device has been idle for a while.
    """
    require_known(device)
    read_s, write_s = (_of_disk if device in disk_inputs.disks() else _of_ssd)(device, pattern, seed)
    found = {}
    for what, name, values in (("read", "samples", read_s), ("write", "write_samples", write_s)):
        kept = np.quantile(values, (np.arange(QUANTILES) + 0.5) / QUANTILES)
        found[f"{what}_s"] = float(np.mean(values))
        found[name] = tuple((kept / kept.mean()).tolist())
    return found


def _of_disk(device: str, pattern: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    model, sectors = disk.Disk.of(catalogue.device(device)), PAGE_BYTES // disk.SECTOR_BYTES
    found = []
    for write in (False, True):
        lbn, _ = disk_inputs.requests(model.geometry.sectors, sectors, float(write), REQUESTS, seed, 0)
        gaps_s = np.random.default_rng((seed, 47)).exponential(IDLE_S, REQUESTS)
        if pattern == "sequential":
            lbn = np.arange(REQUESTS) * sectors
        flags = np.full(REQUESTS, write)
        run = disk.Session(model, closed=False).serve(lbn, sectors, flags, np.cumsum(gaps_s))
        found.append(run.service_s)
    return found[0], found[1]


def _of_ssd(device: str, pattern: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
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
