"""A drive-managed shingled disk: tracks overlap, so a band is written whole; a cache on the platter hides that."""

from dataclasses import dataclass

import numpy as np

from pagecost import catalogue
from pagecost.devices.disk import shingled_kernels as kernels
from pagecost.errors import require


@dataclass(frozen=True, kw_only=True)
class Shingled:
    """Bands behind a persistent media cache (Aghayev and Desnoyers, FAST 2015).

    media_cache_bytes: on the platter, outside. band_bytes: what is written anew together. map_entries: writes that the
    cache keeps track of at most. media_bytes_per_s: of a band, outer_bytes_per_s: of the cache [B/s].

    A write that does not continue the one before is appended to the cache; where that is full, the band of the oldest
    entry is read, merged and written, which frees all entries of that band. A sequential stream goes to its bands.
    Left out: cleaning while the host is idle, overwrites that meet in the cache, seeks (small beside a band), the
    reading of the merged entries.
    """

    capacity_bytes: float
    media_cache_bytes: float
    band_bytes: float
    map_entries: int
    media_bytes_per_s: float
    outer_bytes_per_s: float

    def __post_init__(self):
        for name in ("media_cache_bytes", "band_bytes", "media_bytes_per_s", "outer_bytes_per_s"):
            require(getattr(self, name) > 0, f"{name} must be positive; got {getattr(self, name)}")
        require(self.map_entries >= 1, f"a cache must keep track of at least one write; got {self.map_entries}")
        require(
            self.capacity_bytes >= self.band_bytes,
            f"a disk must hold at least one band of {self.band_bytes:g} bytes; got {self.capacity_bytes:g}",
        )

    @classmethod
    def of(cls, device: catalogue.Device, *, band_bytes: float, map_entries: int) -> "Shingled":
        """From a catalogue device; no maker states bands and map. ModelError where the media cache is not known."""
        outer = device.value("outer_media_bytes_per_s")
        return cls(
            capacity_bytes=device.value("capacity_bytes"),
            media_cache_bytes=device.value("media_cache_bytes"),
            band_bytes=band_bytes,
            map_entries=map_entries,
            media_bytes_per_s=device.get("mean_media_bytes_per_s", outer),
            outer_bytes_per_s=outer,
        )

    def entries(self, request_bytes: int) -> int:
        """Writes of this size that the cache takes before it is full."""
        return max(1, min(self.map_entries, int(self.media_cache_bytes // request_bytes)))

    @property
    def clean_s(self) -> float:
        """Time to read a band and to write it anew [s]."""
        return 2 * self.band_bytes / self.media_bytes_per_s

    def random_writes_s(self, span_bytes: float, request_bytes: int, count: int, seed: int = 1) -> np.ndarray:
        """Time of each of `count` random writes to the first `span_bytes` of a disk whose cache is empty [s], (n,)."""
        require(request_bytes >= 1, f"a request needs at least one byte; got {request_bytes}")
        require(span_bytes > 0, f"a span must be positive; got {span_bytes}")
        bands = max(1, int(min(span_bytes, self.capacity_bytes) // self.band_bytes))
        entries = self.entries(request_bytes)
        log = kernels.Log(
            *(np.zeros(size, np.int64) for size in (entries, entries, bands, 3)),
        )
        took_s = np.empty(count)
        band = np.random.default_rng(seed).integers(0, bands, count)
        kernels.append(log, band, request_bytes / self.outer_bytes_per_s, self.clean_s, took_s)
        return took_s

    def sequential_write_s(self, request_bytes: int) -> float:
        """Time of one request of a sequential stream [s]: bands are written whole, nothing is read."""
        return request_bytes / self.media_bytes_per_s

    def sustained_rate(self, span_bytes: float, request_bytes: int) -> float:
        """Random writes per second in the long run, by formula.

        The bands come round in the order in which they were last written; a band is written anew when its oldest
        entry is `entries` old, with those that came meanwhile: 1 + entries / bands on average.
        """
        bands = max(1, int(min(span_bytes, self.capacity_bytes) // self.band_bytes))
        freed = 1 + (self.entries(request_bytes) - 1) / bands
        return 1 / (request_bytes / self.outer_bytes_per_s + self.clean_s / freed)
