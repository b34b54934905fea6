"""A disk that is driven request by request: geometry, seek curve, rotation by absolute angle."""

from dataclasses import dataclass, field

import numpy as np

from pagecost import catalogue
from pagecost.devices.disk import mechanics_kernels as kernels
from pagecost.devices.disk import seek
from pagecost.devices.disk.geometry import SECTOR_BYTES, ZONES, Geometry, Zone, skew
from pagecost.devices.hard_disk import HardDisk
from pagecost.errors import require
from pagecost.remembering import remembered


@dataclass(frozen=True, kw_only=True)
class Disk:
    """One arm over turning platters. The closed-form twin is `HardDisk`.

    rotation_hz: turns per second. curve: seek time of a read over the distance in cylinders. write_settle_s: how much
    longer the arm settles before a write, after seeks of two cylinders and more; a seek of one takes
    write_track_to_track_s where that is known, else as long as a read's. head_switch_s: between surfaces of a
    cylinder; it overlaps with the seek. overhead_s: of every command, before the arm moves. phase: how far the platters
    have turned at time 0, in turns, 0 <= phase < 1. notes: what was assumed because the data sheet does not say it.

    Left out: remapped sectors, thermal effects, the transfer over the interface (it overlaps with the media's).
    """

    name: str
    geometry: Geometry
    rotation_hz: float
    curve: seek.Curve
    write_settle_s: float = 0.0
    write_track_to_track_s: float | None = None
    head_switch_s: float = 0.0
    overhead_s: float = 0.0
    phase: float = 0.0
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self):
        require(self.rotation_hz > 0, f"{self.name}: rotation_hz must be positive; got {self.rotation_hz}")
        require(
            0 <= self.phase < 1, f"{self.name}: the phase must be a part of a turn, 0 <= phase < 1; got {self.phase}"
        )
        require(self.geometry.cylinders >= 2, f"{self.name}: a disk with an arm needs at least two cylinders")
        for name in ("write_settle_s", "head_switch_s", "overhead_s"):
            require(getattr(self, name) >= 0, f"{self.name}: {name} must not be negative; got {getattr(self, name)}")
        require(self.curve.rises(self.geometry.cylinders), f"{self.name}: the seek curve must rise with the distance")

    @staticmethod
    @remembered
    def of(device: catalogue.Device, *, head_switch_s: float | None = None, zones: int = ZONES) -> "Disk":
        """From a catalogue device, with what it states; every assumption stands in `notes`.

        head_switch_s: catalogues do not state it; None takes the track-to-track seek, since both end in settling on a
        neighbouring track. Raises ModelError when capacity, rotation, average seek or any media rate is unknown.
        """
        notes = []
        average = device.value("average_seek_read_s")
        shortest = device.get("track_to_track_seek_read_s")
        if head_switch_s is None:
            head_switch_s = shortest or 0.0
            taken = "the track-to-track seek" if shortest else "nothing"
            notes.append(f"the head switch is not stated; {taken} is taken for it")
        to_neighbour_s = max(shortest or 0.0, device.get("track_to_track_seek_write_s", 0.0), head_switch_s)
        geometry = _geometry(device, head_switch_s, to_neighbour_s, zones, notes)
        if device.id in seek.PUBLISHED:
            curve, assumed = seek.PUBLISHED[device.id], ""
        else:
            longest = device.get("full_stroke_seek_read_s")
            curve, assumed = seek.fitted(geometry.cylinders, average, shortest, longest)
        if assumed:
            notes.append(assumed)
        return Disk(
            name=device.id,
            geometry=geometry,
            rotation_hz=device.value("rotation_hz"),
            curve=curve,
            write_settle_s=device.get("average_seek_write_s", average) - average,
            write_track_to_track_s=device.get("track_to_track_seek_write_s"),
            head_switch_s=head_switch_s,
            overhead_s=device.get("overhead_s", 0.0),
            notes=tuple(notes),
        )

    @classmethod
    def flat(cls, name: str, *, capacity_bytes: float, access_s: float, bytes_per_s: float) -> "Disk":
        """A device for which every place is alike, in the disk's terms: `access_s` and the transfer, nothing moves.

        Tracks of one sector, so that the wait for the platter is half the transfer of a sector. Raises ModelError
        unless all three are positive.
        """
        for what, number in {"capacity": capacity_bytes, "access_s": access_s, "bytes_per_s": bytes_per_s}.items():
            require(number > 0, f"{name}: {what} must be positive; got {number}")
        heads = int(capacity_bytes) // (2 * SECTOR_BYTES)
        geometry = Geometry(heads=heads, zones=(Zone(cylinders=2, track_sectors=1),), sectors=2 * heads)
        return cls(
            name=name,
            geometry=geometry,
            rotation_hz=bytes_per_s / SECTOR_BYTES,
            curve=seek.Constant(0.0),
            overhead_s=access_s,
        )

    @property
    def turn_s(self) -> float:
        """Time of one turn of the platters."""
        return 1.0 / self.rotation_hz

    def seek_s(self, distance, *, write: bool = False) -> np.ndarray:
        """Seek times [s] over `distance` [cylinders], 0 <= distance < cylinders, shape as `distance`."""
        distance = np.asarray(distance)
        times = self.curve(distance)
        if not write:
            return times
        first = self.curve(1) if self.write_track_to_track_s is None else self.write_track_to_track_s
        return np.where(distance >= 2, times + self.write_settle_s, np.where(distance == 1, first, times))

    def mechanics(self) -> kernels.Mechanics:
        """The disk as the kernels want it."""
        return _mechanics(self)

    def places(self, lbn):
        """(cylinder, head, sector, angle in turns 0..1) of sector numbers, arrays of the shape (n,) of `lbn`.

        Raises ModelError for sectors that the disk does not have.
        """
        lbn = np.ascontiguousarray(np.atleast_1d(lbn), np.int64)
        self.require_inside(lbn, 1)
        cylinder, head, sector = (np.empty(lbn.size, np.int64) for _ in range(3))
        angle = np.empty(lbn.size)
        kernels.locate_all(self.mechanics(), lbn, cylinder, head, sector, angle)
        return cylinder, head, sector, angle

    def require_inside(self, lbn: np.ndarray, sectors) -> None:
        """Raise ModelError unless every request lies on the disk."""
        last = self.geometry.sectors - 1
        low, high = lbn.min(initial=0), (lbn + sectors).max(initial=1) - 1
        require(
            low >= 0 and high <= last,
            f"{self.name}: requests must lie in sectors 0..{last}; got {low if low < 0 else high}",
        )

    def twin(self) -> HardDisk:
        """The closed form of the same disk: mean times of random requests, one at a time.

        Its seek over a part of the disk is Lee's; with another curve only the average is handed over. The media rate
        is that of the mean track, without switches.
        """
        cylinders = self.geometry.cylinders
        lee = isinstance(self.curve, seek.Lee)
        on_track = self.geometry.sectors / (cylinders * self.geometry.heads)
        average = seek.mean_seek_s(self.curve, cylinders)
        return HardDisk(
            name=self.name,
            capacity_bytes=self.geometry.capacity_bytes,
            rotation_hz=self.rotation_hz,
            media_bytes_per_s=on_track * SECTOR_BYTES * self.rotation_hz,
            average_seek_read_s=average,
            average_seek_write_s=average + self.write_settle_s,
            track_to_track_seek_s=float(self.curve(1)) if lee else None,
            full_stroke_seek_s=float(self.curve(cylinders)) if lee else None,
            overhead_s=self.overhead_s,
        )


@remembered
def _mechanics(disk: Disk) -> kernels.Mechanics:
    distance = np.arange(disk.geometry.cylinders)
    zone_of, bits = disk.geometry.groups()
    return kernels.Mechanics(
        zone=disk.geometry.table(),
        share=disk.geometry.shares(),
        zone_of=zone_of,
        group_bits=bits,
        seek_s=np.stack([disk.seek_s(distance), disk.seek_s(distance, write=True)]),
        heads=disk.geometry.heads,
        rotation_hz=float(disk.rotation_hz),
        turn_s=float(disk.turn_s),
        head_switch_s=float(disk.head_switch_s),
        overhead_s=float(disk.overhead_s),
        phase=float(disk.phase),
    )


def _geometry(device: catalogue.Device, track_switch_s: float, cylinder_switch_s: float, zones: int, notes) -> Geometry:
    heads, cylinders, on_track = (device.get(name) for name in ("heads", "cylinders", "sectors_per_track"))
    rotation_hz = device.value("rotation_hz")
    if heads and cylinders and on_track:
        zone = Zone(
            cylinders=int(cylinders),
            track_sectors=int(on_track),
            track_skew=skew(track_switch_s, rotation_hz, int(on_track)),
            cylinder_skew=skew(cylinder_switch_s, rotation_hz, int(on_track)),
        )
        return Geometry(heads=int(heads), zones=(zone,), sectors=int(heads * cylinders * on_track))
    if not heads:
        heads = 1
        notes.append("the number of heads is not known; all surfaces count as one, so every track is a cylinder")
    outer, inner = device.get("outer_media_bytes_per_s"), device.get("inner_media_bytes_per_s")
    if outer is None or inner is None:
        outer = inner = device.value("sequential_read_bytes_per_s") if outer is None else outer
        notes.append("outer and inner rate are not both known: one zone")
    return Geometry.zoned(
        capacity_bytes=device.value("capacity_bytes"),
        heads=int(heads),
        rotation_hz=rotation_hz,
        outer_bytes_per_s=outer,
        inner_bytes_per_s=inner,
        track_switch_s=track_switch_s,
        cylinder_switch_s=cylinder_switch_s,
        zones=zones,
    )
