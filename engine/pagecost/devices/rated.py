"""A device known only by its ratings: IOPS at one block size, and sequential rates."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pagecost.catalogue import NEEDS
from pagecost.devices.service import Model, ServiceTime, block_sizes, is_random, is_write
from pagecost.errors import require

LATENCIES = {
    "read": ("qd1_read_s", "rated_read_latency_s"),
    "write": ("qd1_write_s", "rated_write_latency_s"),
}
"""What the catalogue may say of the time of one random request alone, best first: measured, then rated. Without any,
the rate at queue depth 1 does, `qd1_random_…_iops`.
"""

LEAST_FLASH_S = {"read": 30e-6, "write": 8e-6}
"""What one random read, or one write, alone takes at least of a flash SSD of which nobody says it: the shortest times
of those of the catalogue of which somebody does (kioxia-cd9p-r-7680gb, sandisk-sn861-u2-1600gb). 1 / the rate with many
outstanding is up to a hundred times less.
"""

FLASH, XPOINT = "flash SSD", "3D XPoint SSD"
SOLID_STATE = (FLASH, XPOINT)
"""Classes of devices of which a write alone is taken to be handed over in the same time wherever it goes: 15 µs at
random and 13 µs in sequence, says the maker of solidigm-d7-p5810-800gb (source cnews-d7-p5810), who alone gives both.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rated:
    """Device time of a request at the rated queue depth, 1 / throughput, and the latency of one alone where known.

    A rating holds for blocks of rated_block_bytes; what is larger moves at the sequential rate, what is smaller
    costs as much as a rated block. Sequential IOPS, where rated, bound small sequential requests. rated_queue_depth:
    requests outstanding at the rates, None where not known. read_latency_s, write_latency_s: of one random request of
    a rated block while no other is outstanding, None where not known; a write is then handed over, not yet on the
    medium. host_overhead_s: of the host, from an answer to the next request, beyond what the drive is rated at; only
    where one request is outstanding, for else it is hidden behind the others. device_class: that of the
    catalogue, "" where not known; of `SOLID_STATE` write_latency_s holds in sequence too.
    """

    name: str
    random_read_iops: float
    random_write_iops: float
    sequential_read_bytes_per_s: float
    sequential_write_bytes_per_s: float
    sequential_read_iops: float | None = None
    sequential_write_iops: float | None = None
    rated_block_bytes: float = 4096
    rated_queue_depth: float | None = None
    read_latency_s: float | None = None
    write_latency_s: float | None = None
    host_overhead_s: float = 0.0
    device_class: str = ""

    def __post_init__(self):
        for field in (*map(str, NEEDS["rated"]), "rated_block_bytes"):
            require(getattr(self, field) > 0, f"{self.name}: {field} must be positive; got {getattr(self, field)}")
        rates = ("sequential_read_iops", "sequential_write_iops")
        for field in (*rates, "rated_queue_depth", "read_latency_s", "write_latency_s"):
            value = getattr(self, field)
            require(value is None or value > 0, f"{self.name}: {field} must be positive; got {value}")
        host_s, depth = self.host_overhead_s, self.rated_queue_depth
        require(host_s >= 0, f"{self.name}: host_overhead_s must not be negative; got {host_s}")
        require(
            host_s == 0 or depth == 1,
            f"{self.name}: host_overhead_s counts with one request outstanding only; rated_queue_depth is {depth}",
        )

    @classmethod
    def of(cls, device) -> "Rated":
        """From a catalogue device; a rating given as a bound counts at its bound."""
        needed: dict[str, Any] = {str(field): device.value(field) for field in NEEDS["rated"]}
        latencies: dict[str, Any] = {f"{kind}_latency_s": _latency_s(device, kind) for kind in LATENCIES}
        return cls(
            name=device.id,
            **needed,
            sequential_read_iops=device.get("sequential_read_iops"),
            sequential_write_iops=device.get("sequential_write_iops"),
            rated_block_bytes=device.get("rated_block_bytes", 4096),
            rated_queue_depth=device.get("rated_queue_depth"),
            host_overhead_s=device.get("host_overhead_s", 0.0),
            device_class=device.device_class,
            **latencies,
        )

    def service(self, pattern: str, block_bytes, span_bytes: float | None = None) -> ServiceTime:
        """Device time of each block size [bytes] at the rated queue depth, shape as `block_bytes`.

        Terms: transfer at the sequential rate, as `access_s` what the IOPS rating adds to it, and the host's overhead.
        latency_s is that of one request alone, what exceeds a rated block at the sequential rate; nan where it is not
        known, as of sequential reads, and of sequential writes but to solid state.
        span_bytes is ignored. Raises ModelError for sizes below 1.
        """
        sizes = block_sizes(block_bytes)
        kind = "write" if is_write(pattern) else "read"
        rate = getattr(self, f"sequential_{kind}_bytes_per_s")
        iops = getattr(self, f"{'random' if is_random(pattern) else 'sequential'}_{kind}_iops")
        access = 0.0 if iops is None else max(1 / iops - self.rated_block_bytes / rate, 0.0)
        smallest = np.maximum(sizes, self.rated_block_bytes) if is_random(pattern) else sizes
        terms = {"access_s": np.zeros_like(sizes) + access, "transfer_s": smallest / rate}
        if self.host_overhead_s:
            terms["overhead_s"] = np.zeros_like(sizes) + self.host_overhead_s
        alone_s = getattr(self, f"{kind}_latency_s") if self._times_alone(pattern) else None
        if alone_s is None:
            return ServiceTime(terms, self.rated_queue_depth or np.nan)
        beyond = np.maximum(smallest - self.rated_block_bytes, 0.0)
        latency_s = alone_s + self.host_overhead_s + beyond / rate
        return ServiceTime(terms, self.rated_queue_depth or np.nan, latency_s)

    def _times_alone(self, pattern: str) -> bool:
        """Whether the latencies hold for a pattern: at random, and in sequence for what is handed over."""
        return is_random(pattern) or (self.device_class in SOLID_STATE and is_write(pattern))


def least_alone_s(model: Model, pattern: str) -> float:
    """What a random request or a write alone is taken to take [s] of a solid-state drive of which it is not known.

    Of flash `LEAST_FLASH_S`; of 3D XPoint, which has no page to program behind a buffer, a write takes what a read of
    the drive does: those of which both are known are rated alike. 0 for whatever else, or where it is known.
    """
    if not (isinstance(model, Rated) and (is_random(pattern) or is_write(pattern))) or model.rated_queue_depth == 1:
        return 0.0
    kind = "write" if is_write(pattern) else "read"
    if getattr(model, f"{kind}_latency_s") is not None:
        return 0.0
    if model.device_class == XPOINT and kind == "write":
        return model.read_latency_s or 0.0
    return LEAST_FLASH_S[kind] if model.device_class == FLASH else 0.0


def why_alone(model: Model) -> str:
    """A clause that says where `least_alone_s` of a model comes from."""
    if isinstance(model, Rated) and model.device_class == XPOINT:
        return "what a read takes, for drives of 3D XPoint are rated alike at both"
    return "the shortest of any flash drive, so that response times are bounds from below"


def _latency_s(device, kind: str) -> float | None:
    """Seconds of one random read or write alone, from the best number that the catalogue has; None without any."""
    for name in LATENCIES[kind]:
        if device.get(name) is not None:
            return device.get(name)
    rate = device.get(f"qd1_random_{kind}_iops")
    return None if rate is None else 1 / rate
