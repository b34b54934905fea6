"""What a disk should do by theory: closed forms beside which a run is drawn.

Requests of one size, aligned to it, lie at independent random places of a part of the disk; only then is the wait
uniform over a turn and are the service times alike, as M/G/1 asks for. (Neighbouring seeks share a place and are
weakly correlated, which M/G/1 leaves out.)
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost.devices.disk.geometry import Geometry
from pagecost.devices.disk.model import Disk
from pagecost.errors import require
from pagecost.remembering import remembered

PARTS = 48  # of the arm's times, and of a turn


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
    takes the longer of seek and head switch; the wait is uniform over a turn. Raises ModelError for a request without
    a sector and for a span that does not hold one.
    """
    _require_request(sectors)
    require(
        sectors <= span_sectors <= disk.geometry.sectors,
        f"{disk.name}: a span must be {sectors}..{disk.geometry.sectors} sectors; got {span_sectors}",
    )
    arm = _arm(disk, span_sectors, write)
    share, track, switch_turns = _by_zone(disk.geometry, span_sectors)
    per_sector = disk.turn_s / track
    crossing = (sectors - np.gcd(track.astype(int), sectors)) / track * switch_turns * disk.turn_s
    transfer = share @ per_sector * sectors
    spread = share @ (per_sector * sectors) ** 2 - transfer**2
    return Moments(
        mean_s={
            "overhead_s": disk.overhead_s,
            "seek_s": arm.mean_s - arm.on_the_spot_s,
            "rotation_s": disk.turn_s / 2,
            "switch_s": float(arm.on_the_spot_s + share @ crossing),
            "transfer_s": float(transfer),
        },
        variance_s2=float(arm.second_s2 - arm.mean_s**2 + disk.turn_s**2 / 12 + spread),
        distance=arm.distance,
    )


@remembered
def random_services(disk: Disk, span_sectors: int, sectors: int, *, write: bool = False) -> np.ndarray:
    """Service times [s], all equally likely, of the requests that `random_requests` has the moments of, in order.

    Shape (PARTS²,): every one of as many equal parts of the arm's times with every one of a turn's; what is left over
    is constant, at its mean. Raises ModelError for an empty span.
    """
    moments = random_requests(disk, span_sectors, sectors, write=write)
    chance = _distance_chances(disk.geometry, span_sectors)
    seek = disk.seek_s(np.arange(chance.size), write=write)
    same = 1 / disk.geometry.heads
    arm_s = np.concatenate([seek, np.maximum(seek, disk.head_switch_s)])
    order = np.argsort(arm_s)
    ended = np.cumsum(np.concatenate([chance * same, chance * (1 - same)])[order])
    middles = (np.arange(PARTS) + 0.5) / PARTS
    arm_s = arm_s[order][np.minimum(np.searchsorted(ended, middles), ended.size - 1)]
    times_s = np.sort((arm_s[:, None] + middles * disk.turn_s).ravel())
    return times_s + (moments.service_s - times_s.mean())


def sequential_read(disk: Disk, sectors: int, *, pause_s: float = 0.0, bus_s: float = 0.0) -> dict[str, float]:
    """Mean terms [s] of a long sequential read in the outermost zone, with read-ahead into a buffer.

    pause_s: of the host between requests; bus_s: of one sector over the interface. The reader waits for the platter
    or the platter for the reader, whoever is slower: max(overhead + bus, media time - pause). Raises ModelError for a
    request without a sector and for times below 0.
    """
    _require_request(sectors, pause_s, bus_s)
    zone = disk.geometry.zones[0]
    media_s = sectors / zone.track_sectors * (1 + _mean_skew(disk) / zone.track_sectors) * disk.turn_s
    rest_s = max(sectors * bus_s, media_s - pause_s - disk.overhead_s)
    transfer_s = min(rest_s, sectors / zone.track_sectors * disk.turn_s)
    return _terms(disk, transfer_s=transfer_s, rotation_s=rest_s - transfer_s)


def sequential_unbuffered(disk: Disk, sectors: int, *, write: bool = False, pause_s: float = 0.0) -> dict[str, float]:
    """Mean terms [s] of a long sequential stream in the outermost zone without any buffer.

    While the command and the host take their time, the next sector passes the head: the wait is what is left of a
    whole turn, or of several. Only where a request begins on a new track may the skew cover the pause. Raises
    ModelError as `sequential_read`.
    """
    _require_request(sectors, pause_s)
    track = disk.geometry.zones[0].track_sectors
    common = math.gcd(track, sectors)
    first = common / track  # share of the requests that begin on a new track
    missed_s = disk.overhead_s + pause_s
    mean = _to_next_track(disk, write, missed_s)
    mean = {name: first * time for name, time in mean.items()}
    mean["rotation_s"] += (1 - first) * (_whole_turns(missed_s / disk.turn_s) * disk.turn_s - missed_s)
    mean["switch_s"] += (sectors - common) / track * _mean_skew(disk) / track * disk.turn_s
    return _terms(disk, transfer_s=sectors / track * disk.turn_s, **mean)


def next_track(disk: Disk, sectors: int, *, write: bool = False, pause_s: float = 0.0) -> dict[str, float]:
    """Mean terms [s] of requests that start one track after the other, each on the same sector of its track.

    From start to start the platter turns by the skew and by as many whole turns as transfer, pause, overhead and
    switch need. Raises ModelError as `sequential_read`.
    """
    _require_request(sectors, pause_s)
    transfer_s = sectors / disk.geometry.zones[0].track_sectors * disk.turn_s
    mean = _to_next_track(disk, write, transfer_s + pause_s + disk.overhead_s)
    return _terms(disk, transfer_s=transfer_s, **mean)


def _to_next_track(disk: Disk, write: bool, used_s: float) -> dict[str, float]:
    """Mean terms [s] of the arm and the wait from a sector to the same of the next track, `used_s` gone before."""
    zone, heads = disk.geometry.zones[0], disk.geometry.heads
    to_neighbour_s = max(float(disk.seek_s(1, write=write)), disk.head_switch_s if heads > 1 else 0.0)
    steps = [("switch_s", zone.track_skew, disk.head_switch_s)] * (heads - 1)
    steps += [("seek_s", zone.cylinder_skew, to_neighbour_s)]
    mean = dict.fromkeys(("seek_s", "switch_s", "rotation_s"), 0.0)
    for name, skew_sectors, moved_s in steps:
        skewed = skew_sectors / zone.track_sectors
        turned = skewed + _whole_turns((used_s + moved_s) / disk.turn_s - skewed)
        mean[name] += moved_s / heads
        mean["rotation_s"] += (turned * disk.turn_s - used_s - moved_s) / heads
    return mean


def _terms(disk: Disk, **others: float) -> dict[str, float]:
    return {
        "overhead_s": disk.overhead_s,
        "seek_s": 0.0,
        "rotation_s": 0.0,
        "switch_s": 0.0,
        "transfer_s": 0.0,
    } | others


def _mean_skew(disk: Disk) -> float:
    """Sectors by which the next track is turned on, mean over the tracks of a cylinder of the outermost zone."""
    zone, heads = disk.geometry.zones[0], disk.geometry.heads
    return ((heads - 1) * zone.track_skew + zone.cylinder_skew) / heads


def _whole_turns(share: float) -> int:
    """The next whole number of turns; a sector that has passed by rounding only has not passed."""
    return math.ceil(share - 1e-7)


def open_wait_s(
    service_s: float, squared_variation: float, arrivals_per_s: float, arrivals_variation: float = 1.0
) -> float:
    """Mean wait [s] in an M/G/1 queue (Pollaczek and Khinchine): ρ s (1 + C²) / (2 (1 - ρ)), exact.

    C² = 1 gives M/M/1, 0 M/D/1. arrivals_variation: squared coefficient of variation of the times between arrivals,
    above 0 and at most 1: 1 at random, 1 / n where n servers take what comes at random in turn (Erlang). Below 1 GI/G/1
    as approximated by Krämer and Langenbach-Belz 1976: up to n = 16 within 7 % of the response, wait and service.
    Raises ModelError for another variation, unless 0 <= ρ < 1, and for what is below 0.
    """
    require(
        min(service_s, squared_variation) >= 0,
        f"service time and its squared variation must not be negative; got {service_s:g} s and {squared_variation:g}",
    )
    load = arrivals_per_s * service_s
    require(0 <= load < 1, f"an open queue needs a load in [0, 1); got {load:.3g}")
    require(0 < arrivals_variation <= 1, f"arrivals must vary by more than 0 and at most 1; got {arrivals_variation:g}")
    if load == 0:
        return 0.0
    variation = arrivals_variation + squared_variation
    evenly = math.exp(-2 * (1 - load) * (1 - arrivals_variation) ** 2 / (3 * load * variation))
    return load * service_s * variation * evenly / (2 * (1 - load))


def sorted_batch_distance(cylinders: float, batch: int) -> float:
    """Mean cylinders between requests of a batch of random ones served upwards from the edge: N / (Q + 1).

    Raises ModelError for a batch without a request.
    """
    _require_batch(batch)
    return cylinders / (batch + 1)


def shortest_wait_s(turn_s: float, batch: int) -> float:
    """Mean wait [s] for the first of `batch` random sectors to come round: T / (Q + 1). ModelError for none."""
    _require_batch(batch)
    return turn_s / (batch + 1)


def _require_request(sectors: int, *times_s: float) -> None:
    require(sectors >= 1, f"a request must have a sector; got {sectors}")
    require(all(time_s >= 0 for time_s in times_s), f"the times of host and bus must not be negative; got {times_s} s")


def _require_batch(batch: int) -> None:
    require(batch >= 1, f"a batch must have a request; got {batch}")


class _Arm(NamedTuple):
    """First and second moment [s, s²] of what the arm takes, the part of the mean in which it stays, mean distance."""

    mean_s: float
    second_s2: float
    on_the_spot_s: float
    distance: float


@remembered
def _arm(disk: Disk, span_sectors: int, write: bool) -> _Arm:
    """It takes as long as the longer of seek and head switch, whatever is asked for."""
    chance = _distance_chances(disk.geometry, span_sectors)
    distances = np.arange(chance.size)
    seek = disk.seek_s(distances, write=write)
    same = 1 / disk.geometry.heads  # both on the same surface
    switched = np.maximum(seek, disk.head_switch_s)
    mean_s, second_s2 = (float(chance @ (same * seek**k + (1 - same) * switched**k)) for k in (1, 2))
    return _Arm(mean_s, second_s2, float(chance[0] * (1 - same) * disk.head_switch_s), float(chance @ distances))


def _by_zone(geometry: Geometry, span_sectors: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each zone of the span: its share of the span, sectors on a track, mean turn from track to track [turns]."""
    heads = geometry.heads
    sectors = np.array([zone.cylinders * heads * zone.track_sectors for zone in geometry.zones])
    used = np.diff(np.minimum(np.cumsum(sectors), span_sectors), prepend=0)
    track = np.array([zone.track_sectors for zone in geometry.zones], float)
    skew = np.array([(heads - 1) * zone.track_skew + zone.cylinder_skew for zone in geometry.zones]) / heads
    return used / span_sectors, track, skew / track


@remembered
def _distance_chances(geometry: Geometry, span_sectors: int) -> np.ndarray:
    """The chance of a distance of so many cylinders between two requests."""
    counts = [zone.cylinders for zone in geometry.zones]
    ends = np.cumsum(np.repeat([zone.track_sectors * geometry.heads for zone in geometry.zones], counts))
    used = int(np.searchsorted(ends, span_sectors)) + 1
    return _distances(np.diff(np.minimum(ends[:used], span_sectors), prepend=0) / span_sectors)


def _distances(share: np.ndarray) -> np.ndarray:
    """Chance of each distance between two independent cylinders drawn with chances `share`, shape as `share`."""
    length = 1 << (2 * share.size - 1).bit_length()
    spectrum = np.fft.rfft(share, length)
    both = np.fft.irfft(spectrum * spectrum.conj(), length)[: share.size]
    both[1:] *= 2
    return np.maximum(both, 0) / both.sum()
