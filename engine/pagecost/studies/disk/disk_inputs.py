"""What the studies of the hard disk have in common: which disks, which sizes, which random requests."""

import functools
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from pagecost import catalogue
from pagecost.devices.disk import SECTOR_BYTES, TERMS, Disk, Moments, random_requests
from pagecost.errors import ModelError, require
from pagecost.studies.fields import Choice, Steps
from pagecost.units import format_bytes

REPLICATIONS, STUDENT_95 = 10, 2.262  # runs with their own random requests; two-sided 95 % quantile of 9 degrees
SIZES = tuple(SECTOR_BYTES << k for k in range(12))  # 512 B .. 1 MiB
SPANS = tuple(float(f"{digit}e{zeros}") for zeros in range(8, 13) for digit in (1, 2, 5))
SHARES = (0.0, 0.1, 0.2, 0.33, 0.5, 0.67, 1.0)
SERVICE = tuple(name for name in TERMS if name != "queue_s")


def disks() -> dict[str, str]:
    """Disk id -> name of every hard disk that can be driven request by request."""
    return {id: device.name for id, device in catalogue.devices().items() if _usable(device)}


def _usable(device: catalogue.Device) -> bool:
    if device.model != "hard_disk":
        return False
    try:
        Disk.of(device)
    except ModelError:
        return False
    return True


def whole_sectors(size: int) -> int:
    """The size of a request, checked."""
    require(size % SECTOR_BYTES == 0, f"a request must be a whole number of {SECTOR_BYTES}-byte sectors; got {size}")
    return size


def span_sectors(disk: Disk, span_bytes: float, request_bytes: int) -> int:
    """Sectors that requests fall on, from the outside; the whole disk where it holds less than the span."""
    sectors = min(int(span_bytes) // SECTOR_BYTES, disk.geometry.sectors)
    require(
        sectors * SECTOR_BYTES >= request_bytes,
        f"a span of {format_bytes(span_bytes)} holds no request of {format_bytes(request_bytes)}",
    )
    return sectors


def _known_disk(name: str) -> str:
    Disk.of(catalogue.device(name))
    return name


def disk(description: str, title: str = "Disk"):
    """The kind of input that names a hard disk."""
    return Annotated[str, Choice(disks), AfterValidator(_known_disk), Field(title=title, description=description)]


WHOLE_SECTORS = AfterValidator(whole_sectors)
REQUEST_BYTES = Annotated[
    int,
    Steps(SIZES, "B", format_bytes),
    WHOLE_SECTORS,
    Field(ge=512, le=1 << 20, title="Request size", description="Bytes of one request, a whole number of sectors."),
]


@functools.lru_cache(maxsize=256)
def requests(span_sectors: int, sectors: int, write_share: float, count: int, seed: int, replication: int):
    """(first sectors, write flags), shape (count,): aligned to their size, at random places of the span."""
    random = np.random.default_rng((seed, replication))
    lbn = random.integers(0, span_sectors // sectors, count) * sectors
    return lbn, random.random(count) < write_share


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
        half_width = float(STUDENT_95 * runs.std(ddof=1) / runs.size**0.5)
        return cls(float(runs.mean()), half_width if half_width > 1e-9 * abs(runs.mean()) else 0.0)
