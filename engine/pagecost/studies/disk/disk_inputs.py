"""What the studies of the hard disk have in common: which disks, which sizes."""

from typing import Annotated

from pydantic import AfterValidator, Field

from pagecost import catalogue
from pagecost.answers.disk_runs import disks
from pagecost.devices.disk import SECTOR_BYTES, Disk
from pagecost.errors import require
from pagecost.studies.fields import About, Choice, OfSystem, Steps
from pagecost.units import format_bytes

SIZES = tuple(SECTOR_BYTES << k for k in range(12))  # 512 B .. 1 MiB
SPANS = tuple(float(f"{digit}e{zeros}") for zeros in range(8, 13) for digit in (1, 2, 5))
SHARES = (0.0, 0.1, 0.2, 0.33, 0.5, 0.67, 1.0)


def whole_sectors(size: int) -> int:
    """The size of a request, checked."""
    require(size % SECTOR_BYTES == 0, f"a request must be a whole number of {SECTOR_BYTES}-byte sectors; got {size}")
    return size


def why_not(name: str) -> None:
    """Raise ModelError that says what is missing for a device that is none of `disks()`."""
    Disk.of(catalogue.device(name))


def disk(description: str, title: str = "Disk") -> About:
    """The kind of input that names a hard disk."""
    place = OfSystem("devices.database.device")
    return (Choice(disks, such=why_not), place, Field(title=title, description=description))


WHOLE_SECTORS = AfterValidator(whole_sectors)
REQUEST_BYTES = Annotated[
    int,
    Steps(SIZES, "B", format_bytes),
    WHOLE_SECTORS,
    Field(ge=512, le=1 << 20, title="Request size", description="Bytes of one request, a whole number of sectors."),
]


def notes_of(name: str):
    """What of a hard disk is assumed or fitted, a sentence each."""
    device = catalogue.device(name)
    yield from (f"{device.name}: {note}." for note in Disk.of(device).notes)
