"""Zoned geometry: which cylinder, head and sector a sector number means, and at which angle it starts."""

import math
from dataclasses import dataclass

import numpy as np

from pagecost.devices.disk import mechanics_kernels as kernels
from pagecost.errors import require

SECTOR_BYTES = 512
ZONES = 16  # where only the outer and inner rate are known
GROUPS = 4096  # the zone of a sector is looked up in at most so many groups


@dataclass(frozen=True, kw_only=True, slots=True)
class Zone:
    """Neighbouring cylinders with equally many sectors on a track.

    track_skew, cylinder_skew: sectors that the first sector is turned on, from head to head and from the last head of
    a cylinder to the first head of the next, so that it comes round when the switch is over.
    """

    cylinders: int
    track_sectors: int
    track_skew: int = 0
    cylinder_skew: int = 0

    def __post_init__(self):
        require(self.cylinders >= 1, f"a zone needs at least one cylinder; got {self.cylinders}")
        require(self.track_sectors >= 1, f"a track needs at least one sector; got {self.track_sectors}")
        for name in ("track_skew", "cylinder_skew"):
            require(getattr(self, name) >= 0, f"{name} must not be negative; got {getattr(self, name)}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Geometry:
    """The sectors of a disk, numbered cylinder by cylinder from the outside, within one head by head.

    sectors: how many are addressed; the rest of the last cylinder is spare. Raises ModelError unless heads × cylinders
    × sectors per track agrees with `sectors` to within that last cylinder.
    """

    heads: int
    zones: tuple[Zone, ...]
    sectors: int

    def __post_init__(self):
        require(self.heads >= 1, f"a disk needs at least one head; got {self.heads}")
        require(len(self.zones) >= 1, "a disk needs at least one zone")
        require(len(self.zones) <= 256, f"a disk may have at most 256 zones; got {len(self.zones)}")
        product = sum(zone.cylinders * self.heads * zone.track_sectors for zone in self.zones)
        spare = product - self.sectors
        require(
            0 <= spare < self.heads * self.zones[-1].track_sectors,
            f"the geometry does not multiply out: {self.heads} heads and {self.cylinders} cylinders in "
            f"{len(self.zones)} zones hold {product} sectors; the disk has {self.sectors}",
        )

    @classmethod
    def zoned(
        cls,
        *,
        capacity_bytes: float,
        heads: int,
        rotation_hz: float,
        outer_bytes_per_s: float,
        inner_bytes_per_s: float,
        track_switch_s: float = 0.0,
        cylinder_switch_s: float = 0.0,
        zones: int = ZONES,
    ) -> "Geometry":
        """The geometry that a data sheet implies.

        The rates [B/s] are those of long sequential reads in the outermost and innermost zone, switches of track and
        cylinder [s] included; sectors per track fall linearly between them over `zones` zones of about equally many
        cylinders, as many as the capacity [B] needs. Skews are the switches, rounded up to sectors.
        """
        given = {"capacity_bytes": capacity_bytes, "rotation_hz": rotation_hz, "inner_bytes_per_s": inner_bytes_per_s}
        for name, number in given.items():
            require(number > 0, f"{name} must be positive; got {number}")
        require(
            inner_bytes_per_s <= outer_bytes_per_s,
            f"the inner zone must not be faster than the outer; got {inner_bytes_per_s:g}, {outer_bytes_per_s:g} B/s",
        )
        require(zones >= 1, f"a disk needs at least one zone; got {zones}")
        require(heads >= 1, f"a disk needs at least one head; got {heads}")
        zones = 1 if inner_bytes_per_s == outer_bytes_per_s else zones
        track_s = 1 / rotation_hz + ((heads - 1) * track_switch_s + cylinder_switch_s) / heads
        rates = np.linspace(outer_bytes_per_s, inner_bytes_per_s, zones)
        on_track = [max(1, round(rate * track_s / SECTOR_BYTES)) for rate in rates]
        sectors = int(capacity_bytes // SECTOR_BYTES)
        each = int(sectors / (heads * np.mean(on_track)) / zones)
        require(
            each >= 1,
            f"a capacity of {capacity_bytes:g} bytes is too small for {zones} zones of {heads} heads "
            f"with {on_track[0]} to {on_track[-1]} sectors per track",
        )
        left = sectors - each * heads * sum(on_track[:-1])
        cylinders = [each] * (zones - 1) + [-(-left // (heads * on_track[-1]))]
        return cls(
            heads=heads,
            zones=tuple(
                Zone(
                    cylinders=count,
                    track_sectors=track,
                    track_skew=skew(track_switch_s, rotation_hz, track),
                    cylinder_skew=skew(cylinder_switch_s, rotation_hz, track),
                )
                for count, track in zip(cylinders, on_track, strict=True)
            ),
            sectors=sectors,
        )

    @property
    def cylinders(self) -> int:
        """Of all zones."""
        return sum(zone.cylinders for zone in self.zones)

    @property
    def capacity_bytes(self) -> int:
        """What the host can store."""
        return self.sectors * SECTOR_BYTES

    def table(self) -> np.ndarray:
        """The zones as the kernels want them, int64[zones, 5]: first and last sector, first cylinder, sectors of a
        track, sectors of a cylinder.
        """
        rows = np.zeros((len(self.zones), 5), np.int64)
        lbn = cylinder = 0
        for row, zone in zip(rows, self.zones, strict=True):
            whole = self.heads * zone.track_sectors
            row[kernels.FIRST_LBN], row[kernels.FIRST_CYLINDER] = lbn, cylinder
            lbn, cylinder = lbn + zone.cylinders * whole, cylinder + zone.cylinders
            row[kernels.LAST_LBN] = lbn - 1
            row[kernels.TRACK_SECTORS], row[kernels.CYLINDER_SECTORS] = zone.track_sectors, whole
        return rows

    def shares(self) -> np.ndarray:
        """Of each zone 1 / sectors of a track, 1 / sectors of a cylinder and the skews in turns, float64[zones, 4]."""
        rows = np.zeros((len(self.zones), 4))
        for row, zone in zip(rows, self.zones, strict=True):
            track = zone.track_sectors
            row[kernels.PER_SECTOR], row[kernels.PER_CYLINDER] = 1 / track, 1 / (self.heads * track)
            row[kernels.TRACK_SKEW] = zone.track_skew / track
            row[kernels.CYLINDER_SKEW] = ((self.heads - 1) * zone.track_skew + zone.cylinder_skew) % track / track
        return rows

    def groups(self) -> tuple[np.ndarray, int]:
        """(zone of the first sector of each group of 2^bits sectors, bits)."""
        bits = max(0, math.ceil(math.log2(self.sectors / GROUPS)))
        firsts = np.arange((self.sectors - 1 >> bits) + 1) << bits
        last = self.table()[:, kernels.LAST_LBN]
        return np.searchsorted(last, firsts).astype(np.uint8), bits

    def sector_numbers(self, cylinder, head, sector) -> np.ndarray:
        """The sector numbers (LBN) of places, int64: the inverse of `Disk.places`. Arrays of one shape (n,).

        Raises ModelError for a place that the disk does not have.
        """
        cylinder, head, sector = (np.asarray(each, np.int64) for each in (cylinder, head, sector))
        table = self.table()
        require(
            bool(((cylinder >= 0) & (cylinder < self.cylinders) & (head >= 0) & (head < self.heads)).all()),
            f"cylinders must be 0..{self.cylinders - 1} and heads 0..{self.heads - 1}",
        )
        rows = table[np.searchsorted(table[:, kernels.FIRST_CYLINDER], cylinder, side="right") - 1]
        on_track = rows[..., kernels.TRACK_SECTORS]
        require(bool(((sector >= 0) & (sector < on_track)).all()), "a sector number exceeds its track")
        within = cylinder - rows[..., kernels.FIRST_CYLINDER]
        lbn = rows[..., kernels.FIRST_LBN] + (within * self.heads + head) * on_track + sector
        require(bool((lbn < self.sectors).all()), f"places beyond the last of {self.sectors} sectors are spare")
        return lbn

    def cylinder_of(self, lbn: int) -> int:
        """The cylinder of one sector, 0 <= lbn < sectors."""
        for zone in self.table():
            if lbn <= zone[kernels.LAST_LBN]:
                break
        return int(zone[kernels.FIRST_CYLINDER] + (lbn - zone[kernels.FIRST_LBN]) // zone[kernels.CYLINDER_SECTORS])


def skew(switch_s: float, rotation_hz: float, track_sectors: int) -> int:
    """Sectors that pass under the head during a switch, rounded up."""
    require(switch_s >= 0, f"a switch time must not be negative; got {switch_s}")
    return math.ceil(switch_s * rotation_hz * track_sectors - 1e-9)
