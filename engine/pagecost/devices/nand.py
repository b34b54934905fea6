"""NAND flash chips: what one array operation takes, in time and energy."""

from dataclasses import dataclass
from math import inf, nan

from pagecost import catalogue
from pagecost.errors import require


@dataclass(frozen=True, kw_only=True, slots=True)
class Chip:
    """A die of a chip; the unit of read and program is a page, of erase a block.

    read_s: array to register (tR); program_s: register to array (tPROG); erase_s: a block (tBERS). bus_bytes_per_s: of
    its channel, infinite where not known. read_command_s, program_command_s: command and address cycles of one such
    operation on that channel. read_j, program_j, erase_j: energy of one operation. cycles: program/erase cycles of a
    block. These six are nan where not known. Raises ModelError for times or sizes not above 0.
    """

    name: str
    page_bytes: int
    pages_per_block: int
    read_s: float
    program_s: float
    erase_s: float
    bus_bytes_per_s: float = inf
    read_command_s: float = nan
    program_command_s: float = nan
    read_j: float = nan
    program_j: float = nan
    erase_j: float = nan
    cycles: float = nan

    def __post_init__(self):
        for name in ("page_bytes", "pages_per_block", "read_s", "program_s", "erase_s", "bus_bytes_per_s"):
            require(getattr(self, name) > 0, f"{self.name}: {name} must be above 0; got {getattr(self, name)}")
        for name in ("read_command_s", "program_command_s"):
            require(not getattr(self, name) < 0, f"{self.name}: {name} must not be negative; got {getattr(self, name)}")

    @classmethod
    def of(cls, device: catalogue.Device) -> "Chip":
        """From a catalogue device that has model `flash`. Raises ModelError naming what is not known."""
        return cls(
            name=device.id,
            page_bytes=int(device.value("page_bytes")),
            pages_per_block=int(device.value("pages_per_block")),
            read_s=device.value("page_read_s"),
            program_s=device.value("page_program_s"),
            erase_s=device.value("block_erase_s"),
            bus_bytes_per_s=device.get("channel_bytes_per_s", inf),
            read_command_s=device.get("page_read_command_s", nan),
            program_command_s=device.get("page_program_command_s", nan),
            read_j=device.get("page_read_j", nan),
            program_j=device.get("page_program_j", nan),
            erase_j=device.get("block_erase_j", nan),
            cycles=device.get("program_erase_cycles", nan),
        )


def chips() -> dict[str, str]:
    """Id -> name of every flash chip of the catalogue whose pages, blocks and times are known."""
    return {
        id: device.name
        for id, device in catalogue.devices().items()
        if device.device_class == "flash chip" and device.model == "flash"
    }
