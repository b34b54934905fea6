"""A hard disk with one arm: seek, rotational latency and transfer, as averages over random requests."""

from dataclasses import dataclass

import numpy as np

from pagecost.devices.service import ServiceTime, block_sizes, is_random, is_write
from pagecost.errors import require


@dataclass(frozen=True, kw_only=True, slots=True)
class HardDisk:
    """Mean service times of a disk without command queueing (one request at a time).

    rotation_hz: turns per second. media_bytes_per_s: rate at which the head reads, mean over the zones. Seek times
    are data-sheet averages over uniformly random pairs of cylinders, without command overhead; with
    track-to-track and full-stroke times they fix Lee's seek curve, so that the mean seek over a part of the disk
    is known. overhead_s is charged to every request.
    """

    name: str
    capacity_bytes: float
    rotation_hz: float
    media_bytes_per_s: float
    average_seek_read_s: float
    average_seek_write_s: float
    track_to_track_seek_s: float | None = None
    full_stroke_seek_s: float | None = None
    overhead_s: float = 0.0

    def __post_init__(self):
        for field in (
            "capacity_bytes",
            "rotation_hz",
            "media_bytes_per_s",
            "average_seek_read_s",
            "average_seek_write_s",
        ):
            require(getattr(self, field) > 0, f"{self.name}: {field} must be positive; got {getattr(self, field)}")
        require(self.overhead_s >= 0, f"{self.name}: overhead_s must not be negative; got {self.overhead_s}")
        if self.track_to_track_seek_s is not None and self.full_stroke_seek_s is not None:
            require(
                self.track_to_track_seek_s <= self.average_seek_read_s <= self.full_stroke_seek_s,
                f"{self.name}: seeks must rise from track-to-track over average to full stroke; got "
                f"{self.track_to_track_seek_s}, {self.average_seek_read_s}, {self.full_stroke_seek_s} s",
            )

    @classmethod
    def of(cls, device) -> "HardDisk":
        """From a catalogue device. The media rate is the mean of outer and inner zone, else the sequential rate."""
        outer, inner = device.get("outer_media_bytes_per_s"), device.get("inner_media_bytes_per_s")
        media = device.value("sequential_read_bytes_per_s") if outer is None else (outer + (inner or outer)) / 2
        return cls(
            name=device.id,
            capacity_bytes=device.value("capacity_bytes"),
            rotation_hz=device.value("rotation_hz"),
            media_bytes_per_s=media,
            average_seek_read_s=device.value("average_seek_read_s"),
            average_seek_write_s=device.get("average_seek_write_s", device.value("average_seek_read_s")),
            track_to_track_seek_s=device.get("track_to_track_seek_read_s"),
            full_stroke_seek_s=device.get("full_stroke_seek_read_s"),
            overhead_s=device.get("overhead_s", 0.0),
        )

    @property
    def turn_s(self) -> float:
        """One turn of the platters."""
        return 1.0 / self.rotation_hz

    @property
    def has_seek_curve(self) -> bool:
        """Whether three seek times are known, so that the seek depends on the part of the disk in use."""
        return self.track_to_track_seek_s is not None and self.full_stroke_seek_s is not None

    def mean_seek_s(self, span_bytes: float, *, write: bool = False) -> float:
        """Mean seek between random places of `span_bytes` neighbouring bytes (0 < span_bytes).

        Lee's curve c + A sqrt(x) + B x with x the distance as a share of all cylinders; over uniform pairs of a part
        f, E sqrt(x) = 8/15 sqrt(f) and E x = f/3. Without a curve the data sheet's average is used,
        which is an upper bound for a part of the disk.
        """
        require(span_bytes > 0, f"{self.name}: span_bytes must be positive; got {span_bytes}")
        settle_s = self.average_seek_write_s - self.average_seek_read_s if write else 0.0
        low, average, high = self.track_to_track_seek_s, self.average_seek_read_s, self.full_stroke_seek_s
        if low is None or high is None:
            return average + settle_s
        root = (-10 * low + 15 * average - 5 * high) / 3
        linear = (7 * low - 15 * average + 8 * high) / 3
        part = min(span_bytes / self.capacity_bytes, 1.0)
        return low + root * np.sqrt(part) * 8 / 15 + linear * part / 3 + settle_s

    def service(self, pattern: str, block_bytes, span_bytes: float | None = None) -> ServiceTime:
        """Mean service time of one request of each block size [bytes], shape as `block_bytes`.

        A sequential stream pays overhead and transfer only: the positioning is paid once. span_bytes: the part of
        the disk that random requests fall on, above 0 (default: all of it). Raises ModelError for sizes below 1 and for
        a part of no bytes.
        """
        sizes = block_sizes(block_bytes)
        zero = np.zeros_like(sizes)
        seek, rotation = zero, zero
        if is_random(pattern):
            span = self.capacity_bytes if span_bytes is None else span_bytes
            seek = zero + self.mean_seek_s(span, write=is_write(pattern))
            rotation = zero + self.turn_s / 2
        return ServiceTime(
            {
                "overhead_s": zero + self.overhead_s,
                "seek_s": seek,
                "rotation_s": rotation,
                "transfer_s": sizes / self.media_bytes_per_s,
            }
        )
