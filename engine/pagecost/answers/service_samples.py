"""Service times of a device request by request, as the distribution that a server of a queue draws from."""

from typing import NamedTuple

import numpy as np

from pagecost import catalogue
from pagecost.answers import disk_runs
from pagecost.answers.ssd_runs import Load, measured, ssd_of
from pagecost.devices import disk, ssd
from pagecost.errors import require
from pagecost.remembering import remembered
from pagecost.units import format_bytes, grouped

PAGE_BYTES = 4096
QUANTILES = 500  # that are kept of each kind
WITHIN = 0.03  # wanted of the means and quantiles
BATCHES, LEAST, MOST = 10, 1 << 14, ssd.MOST  # requests that are measured of a disk: as many as the intervals need
WARM_UP = 100  # requests after which the arm is anywhere
IDLE_S = 0.05  # mean time between two writes of a log: by then the disk has turned to anywhere
PATTERNS = ("random", "sequential")
LACKS = (
    "only mean times are known of it, and a percentile needs the time of each request: state the chips and channels of "
    "an SSD (flash_chip, channels, spare_share) or the mechanics of a disk"
)
"""Of a device that cannot be simulated request by request, such as one that was fitted to a measurement."""


class ServiceTimes(NamedTuple):
    """Mean times [s] of a page, and samples of both with mean 1, each shape (QUANTILES,).

    requests: how many of both kinds were measured. half_widths: of the 95 % intervals of mean, p50, p95 and p99, over
    each, of reads (False) and of writes (True). unmet: why they do not stand for what goes on for ever, a clause each.
    """

    read_s: float
    write_s: float
    samples: tuple[float, ...]
    write_samples: tuple[float, ...]
    requests: int
    half_widths: dict[bool, dict[str, float]]
    unmet: str = ""

    @property
    def of_unit(self) -> dict[str, float | tuple[float, ...]]:
        """What `DiskUnit` takes of it."""
        return {name: getattr(self, name) for name in ("read_s", "write_s", "samples", "write_samples")}

    @property
    def sentence(self) -> str:
        """How well the times are known, and from how many requests."""
        known = []
        for write, of in ((False, "reads"), (True, "writes")):
            widths = self.half_widths.get(write)
            if widths:
                known.append(f"{of}: {', '.join(f'{name} ± {width:.1%}' for name, width in widths.items())}")
        return (
            f"known from {grouped(self.requests)} requests at 95 % confidence, {'; '.join(known)}"
            f"{f' ({self.unmet})' if self.unmet else ''}."
        )


def simulated() -> tuple[str, ...]:
    """Ids of the devices that can be simulated request by request."""
    return (*disk_runs.disks(), *ssd.catalogued())


def require_simulated(id: str) -> None:
    """Raise ModelError unless the device of the catalogue can be simulated request by request."""
    names = simulated()
    require(id in names, f"{id}: it is known by mean times only; mechanics: {', '.join(names)}")


def cache_sentence(device: catalogue.Device) -> str:
    """Whether anything is cached in the simulated device. Raises ModelError as `require_simulated` does."""
    require_simulated(device.id)
    if device.id in disk_runs.disks() or not ssd_of(device).write_cache_bytes:
        return "Nothing is cached in the device."
    return (
        f"Writes are answered from its cache of {format_bytes(ssd_of(device).write_cache_bytes)} while that has room."
    )


@remembered
def times(device: catalogue.Device, pattern: str, seed: int = 1, within: float = WITHIN) -> ServiceTimes:
    """Times of single pages, one request after the other, from as many as their intervals need.

    "random": over all of the device, reads and writes in equal shares, so that an SSD collects while it serves.
    "sequential": one page after the other, each written when the device has been idle for a while; an SSD only writes
    then, and its reads have the same times. within: half width of the 95 % interval of mean, p50, p95 and p99 of reads
    and of writes that is wanted, over each. Raises ModelError as `require_simulated` does.
    """
    require_simulated(device.id)
    return (_of_disk if device.id in disk_runs.disks() else _of_ssd)(device, pattern, seed, within)


def _with_mean_1(quantiles_s: np.ndarray) -> tuple[float, ...]:
    return tuple((quantiles_s / quantiles_s.mean()).tolist())


def _of_disk(device: catalogue.Device, pattern: str, seed: int, within: float) -> ServiceTimes:
    means: list[float] = []
    samples: list[tuple[float, ...]] = []
    widths: dict[bool, dict[str, float]] = {}
    unmet: list[str] = []
    requests = 0
    for write, of in ((False, "reads"), (True, "writes")):
        batches = _batches_of_disk(disk.Disk.of(device), pattern, write, seed, within)
        times_s = np.concatenate(batches)
        widths[write] = ssd.half_widths(batches)
        unmet += ssd.too_wide(widths[write], within, of)
        means.append(float(times_s.mean()))
        samples.append(_with_mean_1(np.quantile(times_s, (np.arange(QUANTILES) + 0.5) / QUANTILES)))
        requests += times_s.size
    (read_s, write_s), (read_samples, write_samples) = means, samples
    return ServiceTimes(read_s, write_s, read_samples, write_samples, requests, widths, "; ".join(unmet))


def _batches_of_disk(model: disk.Disk, pattern: str, write: bool, seed: int, within: float) -> list[np.ndarray]:
    """Service times [s] in ten batches, twice as long each time until the wanted intervals are reached."""
    sectors, session = PAGE_BYTES // disk.SECTOR_BYTES, disk.Session(model, closed=False)
    random = np.random.default_rng((seed, 47, int(write)))
    places, at = model.geometry.sectors // sectors, 0

    def serve(count: int) -> np.ndarray:
        nonlocal at
        place = np.arange(at, at + count) % places if pattern == "sequential" else random.integers(0, places, count)
        at += count
        arrival_s = session.now_s + np.cumsum(random.exponential(IDLE_S, count))
        return session.serve(place * sectors, sectors, np.full(count, write), arrival_s).service_s

    serve(WARM_UP)
    batches = [serve(LEAST // BATCHES) for _ in range(BATCHES)]
    while any(ssd.too_wide(ssd.half_widths(batches), within, "")) and 2 * BATCHES * batches[0].size <= MOST:
        size = 2 * batches[0].size
        batches = [np.concatenate(batches[place : place + 2]) for place in range(0, BATCHES, 2)]
        batches += [serve(size) for _ in range(BATCHES // 2)]
    return batches


def _of_ssd(device: catalogue.Device, pattern: str, seed: int, within: float) -> ServiceTimes:
    read_share = 0.5 if pattern == "random" else 0.0
    made = measured(ssd_of(device), Load(read_share=read_share, pattern=pattern, quantiles_within=within, seed=seed))
    reads, writes = pattern != "random", True  # a log's reads have the times of its writes
    return ServiceTimes(
        read_s=made.latencies_s[reads]["mean"],
        write_s=made.latencies_s[writes]["mean"],
        samples=_with_mean_1(made.quantiles_s[reads]),
        write_samples=_with_mean_1(made.quantiles_s[writes]),
        requests=made.requests,
        half_widths=made.half_widths,
        unmet="" if made.steady else made.sentence.removesuffix("."),
    )
