"""Drives of the system in a closed loop: by what is rated or measured of a device, or else by its simulated chips."""

from dataclasses import dataclass

import numpy as np

from pagecost import catalogue, devices, oltp
from pagecost.answers.ssd_runs import Load as SsdLoad
from pagecost.answers.ssd_runs import measured, ssd_of
from pagecost.devices import Model, ssd
from pagecost.devices.service import ServiceTime, block_sizes, is_random, is_write
from pagecost.oltp.drives import timed
from pagecost.remembering import remembered

SIZES = (4096, 32_768, 262_144)  # bytes of requests of which an SSD's times are measured
DEPTH = 32  # outstanding when its rates are measured


@dataclass(frozen=True)
class ChipTimes:
    """Times of an SSD as the engine simulates it from its chips: a model of a device like any other.

    busy_s, alone_s: by pattern, then by size of `SIZES`: 1 / rate with DEPTH outstanding, and the mean response of one
    request alone, when the device is steady.
    """

    name: str
    busy_s: tuple[tuple[str, tuple[float, ...]], ...]
    alone_s: tuple[tuple[str, tuple[float, ...]], ...]

    def service(self, pattern: str, block_bytes, span_bytes: float | None = None) -> ServiceTime:
        """Device time and latency of each block size [bytes], linear between the sizes, at the last rate beyond."""
        sizes = block_sizes(block_bytes)
        busy_s, alone_s = (_between(sizes, dict(times)[pattern]) for times in (self.busy_s, self.alone_s))
        return ServiceTime({"measured_s": busy_s}, DEPTH, np.maximum(alone_s, busy_s))


def _between(sizes: np.ndarray, times_s: tuple[float, ...]) -> np.ndarray:
    per_byte = times_s[-1] / SIZES[-1]
    return np.where(sizes > SIZES[-1], per_byte * sizes, np.interp(sizes, SIZES, times_s))


@remembered
def chip_times(model: ssd.Ssd, seed: int = 1) -> ChipTimes:
    """Times of a steady SSD. Raises ModelError where its units do not divide the sizes."""
    found: dict[int, list[tuple[str, tuple[float, ...]]]] = {1: [], DEPTH: []}
    for depth, of in found.items():
        for pattern in devices.PATTERNS:
            times = []
            for size in SIZES:
                asked = SsdLoad(
                    depth=depth,
                    read_share=0.0 if is_write(pattern) else 1.0,
                    request_bytes=size,
                    pattern="random" if is_random(pattern) else "sequential",
                    seed=seed,
                )
                made = measured(model, asked)
                times.append(1 / made.iops if depth > 1 else made.latencies_s[None]["mean"])
            of.append((pattern, tuple(times)))
    return ChipTimes(model.name, tuple(found[DEPTH]), tuple(found[1]))


def drive_of(name: str) -> oltp.Drive:
    """The drive of a catalogue device: what is rated, or else what its chips give.

    Raises ModelError for an unknown device or one of which too little is known.
    """
    return timed(name, model_of(name)) if _by_chips(name) else oltp.drive(name)


def model_of(name: str) -> Model:
    """The times of a device by its name: what is rated or measured of it, or else what its chips give.

    Raises ModelError for an unknown device or one of which too little is known.
    """
    return chip_times(ssd_of(catalogue.device(name))) if _by_chips(name) else devices.load(name)


def _by_chips(name: str) -> bool:
    """Whether nothing but its chips is known of a device."""
    device = catalogue.devices().get(name)
    return device is not None and not device.model and name in ssd.catalogued()
