"""What an SSD is built of: chips, channels, a host interface, and the translation layer on every die."""

from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isnan

from pagecost import catalogue
from pagecost.devices.ftl import LAYERS, Geometry
from pagecost.devices.nand import Chip
from pagecost.devices.ssd import state_kernels as kernels
from pagecost.errors import known, require

ORDERS = {
    "fifo": "first come, first served",
    "reads first": "reads first, between the steps of a collection",
    "suspend": "reads first, erases and programs are suspended",
}
"""How a die orders its work."""

TIMED_LAYERS = tuple(name for name in LAYERS if name != "dftl")
SUSPEND_S = 20e-6  # what it takes to suspend an erase or a program, an assumption


@dataclass(frozen=True, kw_only=True)
class Ssd:
    """An SSD. Every die has its own translation layer over its own share of the pages (static allocation CWDP).

    channels · dies_per_channel dies of `planes` planes; `lockstep` channels work as one (old drives stripe every page).
    unit_bytes: what the map moves, at most the multi-plane page, which a die programs at once: its units share a
    program, since the controller gathers them. blocks: multi-plane erase blocks of each die. spare: 1 - logical /
    physical. channel_bytes_per_s, interface_bytes_per_s [B/s]. command_s: of the interface, per request, one at a time;
    overhead_s: of the controller, per request, many at once. order: a key of `ORDERS`. copy_back: copies stay inside
    the chip. paced: a collection is done little by little, with the writes it makes room for (page map only); else at
    once, in the way of one write. write_cache_bytes: a write is answered when it is in the cache, and a read of what
    is there without the flash; 0: when it is programmed. policy, reserve_blocks, log_blocks: see `ftl.Options`. notes:
    what was assumed.
    Raises ModelError for a geometry that does not multiply out, spare space not above 0, and times below 0.
    """

    name: str
    chip: Chip
    channels: int
    dies_per_channel: int = 1
    planes: int = 1
    lockstep: int = 1
    unit_bytes: int = 4096
    blocks: int = 64
    spare: float = 0.07
    channel_bytes_per_s: float = inf
    interface_bytes_per_s: float = inf
    command_s: float = 0.0
    overhead_s: float = 0.0
    layer: str = "page"
    policy: str = "greedy"
    reserve_blocks: int = 2
    log_blocks: int | None = None
    order: str = "fifo"
    suspend_s: float = SUSPEND_S
    copy_back: bool = False
    paced: bool = False
    write_cache_bytes: int = 0
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self):
        known("translation layer with timing", self.layer, TIMED_LAYERS)
        known("order of a die's work", self.order, ORDERS)
        for name in ("channels", "dies_per_channel", "planes", "lockstep", "unit_bytes"):
            number = getattr(self, name)
            require(
                int(number) == number and number > 0,
                f"{self.name}: {name} must be a whole number above 0; got {number}",
            )
        for name in ("channel_bytes_per_s", "interface_bytes_per_s"):
            require(getattr(self, name) > 0, f"{self.name}: {name} must be above 0; got {getattr(self, name)}")
        for name in ("command_s", "overhead_s", "suspend_s"):
            require(
                0 <= getattr(self, name) < inf, f"{self.name}: {name} must not be negative; got {getattr(self, name)}"
            )
        require(
            self.channels % self.lockstep == 0,
            f"{self.name}: {self.channels} channels are not a whole number of groups of {self.lockstep} in lockstep",
        )
        require(
            self.page_bytes % self.unit_bytes == 0,
            f"{self.name}: a program of {self.page_bytes} bytes is not a whole number of units of {self.unit_bytes}",
        )
        require(
            not self.paced or self.layer == "page",
            f"{self.name}: only a page map collects little by little; got {self.layer!r}",
        )
        require(
            self.write_cache_bytes >= 0 and self.write_cache_bytes % self.unit_bytes == 0,
            f"{self.name}: a write cache must be a whole number of units of {self.unit_bytes} bytes; "
            f"got {self.write_cache_bytes}",
        )
        require(self.geometry.logical_pages > 0, f"{self.name}: a die leaves no page for the host")

    @classmethod
    def of(cls, device: catalogue.Device, **changes) -> "Ssd":
        """From a catalogue device with `flash_chip` and `channels`; changes: other fields than the catalogue's.

        Raises ModelError naming what is not known.
        """
        chip = Chip.of(catalogue.device(device.text("flash_chip")))
        fields = {
            "name": device.id,
            "chip": chip,
            "channels": int(device.value("channels")),
            "dies_per_channel": int(device.get("dies_per_channel", 1)),
            "planes": int(device.get("planes_per_die", 1)),
            "lockstep": int(device.get("channels_in_lockstep", 1)),
            "spare": device.value("spare_share"),
            "channel_bytes_per_s": device.get("channel_bytes_per_s", chip.bus_bytes_per_s),
            "interface_bytes_per_s": device.get("usable_interface_bytes_per_s", inf),
            "command_s": device.get("command_s", 0.0),
            "overhead_s": device.get("overhead_s", 0.0),
            "layer": device.get("translation_layer", "page"),
            "order": device.get("die_order", "fifo"),
            "copy_back": bool(device.get("copy_back", 0)),
            "paced": bool(device.get("paced_collection", 0)),
            "write_cache_bytes": int(device.get("write_cache_bytes", 0)),
        }
        assumed = [
            f"{name} {parameter.stated} ({parameter.status})"
            for name, parameter in device.parameters.items()
            if name in ASSUMABLE and parameter.status in ("fitted", "derived", "recalled")
        ]
        return cls(**{**fields, "notes": tuple(assumed), **changes})

    @cached_property
    def geometry(self) -> Geometry:
        """Of one die."""
        units = self.chip.pages_per_block * self.batch
        return Geometry(blocks=self.blocks, pages_per_block=units, page_bytes=self.unit_bytes, spare=self.spare)

    @property
    def dies(self) -> int:
        """Dies, or groups of them in lockstep, that work on their own."""
        return self.channels * self.dies_per_channel // self.lockstep

    @property
    def page_bytes(self) -> int:
        """Bytes that a die, or a group in lockstep, programs at once."""
        return self.chip.page_bytes * self.planes * self.lockstep

    @property
    def batch(self) -> int:
        """Units of such a page."""
        return self.page_bytes // self.unit_bytes

    @property
    def logical_units(self) -> int:
        """Units that the host sees."""
        return self.dies * self.geometry.logical_pages

    @property
    def bus_bytes_per_s(self) -> float:
        """Of a channel, or of the channels that work in lockstep."""
        return self.channel_bytes_per_s * self.lockstep

    @property
    def transfer_s(self) -> float:
        """A unit over its channel."""
        return self.unit_bytes / self.bus_bytes_per_s

    @property
    def commands_known(self) -> bool:
        """Whether command and address cycles on the channel are known; else they count as nothing."""
        return not (isnan(self.chip.read_command_s) or isnan(self.chip.program_command_s))

    @property
    def read_command_s(self) -> float:
        """Command and address cycles of a page read on its channel, those of every plane, 0 where not known."""
        return self.chip.read_command_s * self.planes if self.commands_known else 0.0

    @property
    def program_command_s(self) -> float:
        """A unit's share of those of a program."""
        return self.chip.program_command_s * self.planes / self.batch if self.commands_known else 0.0

    @property
    def write_transfer_s(self) -> float:
        """A unit that is written over its channel, with its share of the command."""
        return self.transfer_s + self.program_command_s

    @property
    def program_s(self) -> float:
        """A unit's share of a program."""
        return self.chip.program_s / self.batch

    @property
    def copy_s(self) -> float:
        """A copied unit whose page is read for it alone, nobody in the way."""
        return self.chip.read_s + self.copy_transfer_s + self.program_s

    @property
    def copy_transfer_s(self) -> float:
        """Time on the channel of one unit that collection copies; only commands where the copy stays in the chip.

        Every unit pays for the command that reads its page, as where a unit is a whole page.
        """
        return (0.0 if self.copy_back else 2 * self.transfer_s) + self.read_command_s + self.program_command_s

    def interface_s(self, request_bytes: int) -> float:
        """A request over the host interface."""
        return self.command_s + request_bytes / self.interface_bytes_per_s

    def units_of(self, request_bytes: int) -> int:
        """Units of a request. ModelError unless it is a whole number of them that fits on the device."""
        units, rest = divmod(int(request_bytes), self.unit_bytes)
        require(
            rest == 0 and 0 < units <= self.logical_units,
            f"{self.name}: a request must be 1..{self.logical_units} units of {self.unit_bytes} bytes; "
            f"got {request_bytes} bytes",
        )
        return units

    @property
    def cache_units(self) -> int:
        """Units that the write cache holds."""
        return self.write_cache_bytes // self.unit_bytes

    def params(self, request_bytes: int, depth: int, closed: bool, last: bool) -> kernels.Params:
        """The device as the kernels want it."""
        return kernels.Params(
            read_s=float(self.chip.read_s),
            program_s=float(self.program_s),
            erase_s=float(self.chip.erase_s),
            transfer_s=float(self.transfer_s),
            write_transfer_s=float(self.write_transfer_s),
            read_command_s=float(self.read_command_s),
            copy_transfer_s=float(self.copy_transfer_s),
            suspend_s=float(self.suspend_s),
            overhead_s=float(self.overhead_s),
            interface_s=float(self.interface_s(request_bytes)),
            batch=self.batch,
            block_pages=self.chip.pages_per_block,
            order=tuple(ORDERS).index(self.order),
            units=self.units_of(request_bytes),
            depth=depth,
            cache_units=self.cache_units,
            closed=bool(closed),
            last=bool(last),
        )


ASSUMABLE = (
    *("flash_chip", "channels", "dies_per_channel", "planes_per_die", "channels_in_lockstep", "spare_share"),
    *("channel_bytes_per_s", "usable_interface_bytes_per_s", "command_s", "overhead_s", "translation_layer"),
    *("die_order", "copy_back", "paced_collection", "write_cache_bytes"),
)
"""Parameters of the catalogue that `Ssd.of` reads."""
