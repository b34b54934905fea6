"""What a disk should do by theory: closed forms beside which a run is drawn.

Requests of one size, aligned to it, lie at independent random places of a part of the disk; only then is the wait
uniform over a turn and are the service times alike, as M/G/1 asks for. (Neighbouring seeks share a place and are
weakly correlated, which M/G/1 leaves out.)
"""

import functools
from dataclasses import dataclass

import numpy as np

from pagecost.devices.disk.geometry import Geometry
from pagecost.devices.disk.model import Disk
from pagecost.errors import require


@dataclass(frozen=True)
class Moments:
    """Mean terms of the service of a random request, first come first served, and the variance of their sum.

    mean_s: term -> mean [s], the names of `running.TERMS`. variance_s2 [s²]. distance: mean cylinders between requests.
    """

    mean_s: dict[str, float]
    variance_s2: float
    distance: float

    @property
    def service_s(self) -> float:
        """Mean service time [s]."""
        return sum(self.mean_s.values())

    @property
    def squared_variation(self) -> float:
        """Variance over squared mean, C²."""
        return self.variance_s2 / self.service_s**2


def random_requests(disk: Disk, span_sectors: int, sectors: int, *, write: bool = False) -> Moments:
    """Moments of requests of `sectors` at random places of the first `span_sectors` of the disk.

    The distance between two random sectors is distributed as the autocorrelation of sectors per cylinder; the arm
    takes the longer of seek and head switch; the wait is uniform over a turn. Raises ModelError for an empty span.
    """
    require(
        sectors <= span_sectors <= disk.geometry.sectors,
        f"{disk.name}: a span must be {sectors}..{disk.geometry.sectors} sectors; got {span_sectors}",
    )
    share, chance, track, switch_turns = _by_cylinder(disk.geometry, span_sectors)
    seek = disk.seek_s(np.arange(share.size), write=write)
    same = 1 / disk.geometry.heads  # both on the same surface
    switched = np.maximum(seek, disk.head_switch_s)
    arm, arm_squared = (chance @ (same * seek**k + (1 - same) * switched**k) for k in (1, 2))
    on_the_spot = chance[0] * (1 - same) * disk.head_switch_s
    per_sector = disk.turn_s / track
    crossing = (sectors - np.gcd(track.astype(int), sectors)) / track * switch_turns * disk.turn_s
    transfer = share @ per_sector * sectors
    spread = share @ (per_sector * sectors) ** 2 - transfer**2
    return Moments(
        mean_s={
            "overhead_s": disk.overhead_s,
            "seek_s": float(arm - on_the_spot),
            "rotation_s": disk.turn_s / 2,
            "switch_s": float(on_the_spot + share @ crossing),
            "transfer_s": float(transfer),
        },
        variance_s2=float(arm_squared - arm**2 + disk.turn_s**2 / 12 + spread),
        distance=float(chance @ np.arange(share.size)),
    )


def open_wait_s(service_s: float, squared_variation: float, arrivals_per_s: float) -> float:
    """Mean wait [s] in an M/G/1 queue (Pollaczek and Khinchine): ρ s (1 + C²) / (2 (1 - ρ)).

    C² = 1 gives M/M/1, 0 M/D/1. Raises ModelError unless 0 <= ρ < 1.
    """
    load = arrivals_per_s * service_s
    require(0 <= load < 1, f"an open queue needs a load in [0, 1); got {load:.3g}")
    return load * service_s * (1 + squared_variation) / (2 * (1 - load))


def sorted_batch_distance(cylinders: float, batch: int) -> float:
    """Mean cylinders between requests of a batch of random ones served upwards from the edge: N / (Q + 1)."""
    return cylinders / (batch + 1)


def shortest_wait_s(turn_s: float, batch: int) -> float:
    """Mean wait [s] for the first of `batch` random sectors to come round: T / (Q + 1)."""
    return turn_s / (batch + 1)


@functools.lru_cache(maxsize=8)
def _by_cylinder(geometry: Geometry, span_sectors: int):
    """Of each cylinder of the span: its share of the span, the chance of a distance of so many cylinders between two
    requests, sectors on a track, mean turn from track to track [turns].
    """
    heads = geometry.heads
    counts = [zone.cylinders for zone in geometry.zones]
    track = np.repeat([zone.track_sectors for zone in geometry.zones], counts)
    skew = np.repeat([(heads - 1) * zone.track_skew + zone.cylinder_skew for zone in geometry.zones], counts) / heads
    ends = np.cumsum(track * heads)
    used = int(np.searchsorted(ends, span_sectors)) + 1
    share = np.diff(np.minimum(ends[:used], span_sectors), prepend=0) / span_sectors
    return share, _distances(share), track[:used].astype(float), (skew / track)[:used]


def _distances(share: np.ndarray) -> np.ndarray:
    """Chance of each distance between two independent cylinders drawn with chances `share`, shape as `share`."""
    length = 1 << (2 * share.size - 1).bit_length()
    spectrum = np.fft.rfft(share, length)
    both = np.fft.irfft(spectrum * spectrum.conj(), length)[: share.size]
    both[1:] *= 2
    return np.maximum(both, 0) / both.sum()
