"""When a device is worn out by what is written to it: rated bytes over the writes of the load."""

import math
from dataclasses import dataclass

from pagecost.catalogue import Device
from pagecost.errors import require
from pagecost.units import DAY_S, format_bytes, format_seconds

RATED = {
    "random_rated_write_bytes": "random writes",
    "rated_write_bytes": "writes",
    "sequential_rated_write_bytes": "sequential writes",
}
"""What the catalogue may say of the bytes that a device may be written, in words: those in sequence wear least, and
count last.
"""


@dataclass(frozen=True)
class Endurance:
    """Bytes that a device may be written until it is worn out, infinite where writing wears nothing. said: in words."""

    written_bytes: float
    said: str

    def worn_s(self, written_bytes_per_s: float) -> float:
        """The time [s] after which it is worn out at this rate of writes, infinite where it never is."""
        require(written_bytes_per_s >= 0, f"bytes written must not be negative; got {written_bytes_per_s:g} a second")
        return self.written_bytes / written_bytes_per_s if written_bytes_per_s else math.inf


def endurance(device: Device) -> Endurance | None:
    """What a device may be written: rated bytes, of a range the low end, else drive writes a day over the warranty.

    Hard disks are not worn by writes. None where nothing is known.
    """
    if device.device_class == "hard disk":
        return Endurance(math.inf, "not worn by writes")
    for name, kind in RATED.items():
        rated = device.parameters.get(name)
        if rated is not None:
            low = " (the low end)" if rated.value is None else ""
            written = rated.low if rated.value is None else device.value(name)
            if written is not None:
                return Endurance(written, f"rated for {rated.stated} of {kind}{low}{_a_day(device, written)}")
    a_day, warranty_s = device.get("drive_writes_per_day"), device.get("warranty_s")
    if a_day is None or warranty_s is None:
        return None
    written = a_day * device.value("capacity_bytes") * warranty_s / DAY_S
    promised = f"{a_day:g} drive writes a day over {format_seconds(warranty_s)}"
    return Endurance(written, f"rated for {promised}, {format_bytes(written)} in all")


def device_writes_per_day(device: Device, written_bytes: float, time_s: float) -> float:
    """How often a day (DWPD) a device is written full, if so many bytes are written to it in a time [s]."""
    return written_bytes / device.value("capacity_bytes") / (time_s / DAY_S)


def _a_day(device: Device, written_bytes: float) -> str:
    """The same as drive writes a day over its warranty, in words; nothing where that is not known."""
    warranty_s = device.get("warranty_s")
    if not warranty_s or not device.get("capacity_bytes"):
        return ""
    a_day = device_writes_per_day(device, written_bytes, warranty_s)
    return f", {a_day:.2g} drive writes a day over {format_seconds(warranty_s)}"
