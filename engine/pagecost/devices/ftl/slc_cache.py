"""A part of TLC or QLC flash that is written with one bit a cell, fast, and folded into the rest when the host is idle.

A two-rate model: the host writes at the fast rate until the cache is full, then at the slow one.
"""

from dataclasses import dataclass

import numpy as np

from pagecost.errors import require

FAST, SLOW, IDLE = "into the cache", "past the full cache", "idle: folding"


@dataclass(frozen=True, kw_only=True, slots=True)
class SlcCache:
    """cache_bytes [B] >= 0; fast, slow and fold rates [B/s] > 0, slow <= fast. fold: of data out of the cache, idle.

    Raises ModelError for what is not possible.
    """

    cache_bytes: float
    fast_bytes_per_s: float
    slow_bytes_per_s: float
    fold_bytes_per_s: float

    def __post_init__(self):
        require(self.cache_bytes >= 0, f"cache_bytes must not be negative; got {self.cache_bytes}")
        for name in ("fast_bytes_per_s", "slow_bytes_per_s", "fold_bytes_per_s"):
            require(getattr(self, name) > 0, f"{name} must be above 0; got {getattr(self, name)}")
        require(
            self.slow_bytes_per_s <= self.fast_bytes_per_s,
            f"past the cache ({self.slow_bytes_per_s} B/s) nothing is faster than into it "
            f"({self.fast_bytes_per_s} B/s)",
        )

    def burst_s(self, size_bytes: float, free_bytes: float | None = None) -> float:
        """How long [s] writing `size_bytes` takes when `free_bytes` (None: all) of the cache are free."""
        free = self.cache_bytes if free_bytes is None else free_bytes
        return min(size_bytes, free) / self.fast_bytes_per_s + max(0.0, size_bytes - free) / self.slow_bytes_per_s

    def serve(self, burst_bytes: float, bursts: int, idle_s: float) -> dict[str, np.ndarray]:
        """Equal bursts with idle time after each, on an empty cache; one row per phase, in order.

        Columns of shape (phases,): burst (from 1), phase (text), from_s and to_s [s], from_bytes and to_bytes (host
        bytes written so far), rate [B/s], from_cached and to_cached [B].
        """
        require(burst_bytes > 0, f"a burst must write something; got {burst_bytes} bytes")
        require(bursts >= 1, f"at least one burst is needed; got {bursts}")
        require(idle_s >= 0, f"idle time must not be negative; got {idle_s}")
        rows, now_s, written, cached = [], 0.0, 0.0, 0.0
        for burst in range(1, bursts + 1):
            fast = min(burst_bytes, self.cache_bytes - cached)
            for phase, size, rate, stays in (
                (FAST, fast, self.fast_bytes_per_s, fast),
                (SLOW, burst_bytes - fast, self.slow_bytes_per_s, 0.0),
                (IDLE, 0.0, 0.0, -min(cached + fast, self.fold_bytes_per_s * idle_s)),
            ):
                lasts_s = idle_s if phase == IDLE else size / rate
                if lasts_s > 0:
                    times = (now_s, now_s + lasts_s, written, written + size)
                    rows.append((burst, phase, *times, rate, cached, cached + stays))
                now_s, written, cached = now_s + lasts_s, written + size, cached + stays
        names = ("burst", "phase", "from_s", "to_s", "from_bytes", "to_bytes", "rate", "from_cached", "to_cached")
        return {name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
