"""What one operation of a device costs in money: a share of a flash device's life or of a disk's time, and energy."""

from dataclasses import dataclass

from pagecost import catalogue
from pagecost.economics.cost import energy_per_s
from pagecost.economics.hierarchy import offer
from pagecost.errors import present
from pagecost.system import Economics
from pagecost.units import format_years, grouped

FLASH, CHIP, CYCLES_OF = "intel-x25-e-32gb", "samsung-4gb-flash-chip", "mtron-pro-7500"
DISK = "wd800aajs"


@dataclass(frozen=True)
class Rates:
    """usd_per_j: of energy. usd_per_erased_byte: the price of flash over all that can be erased in its life.
    disk_usd_per_s: the price of the disk over the time that it serves. erase_said, arm_said, energy_said: where the
    numbers are from, a sentence each.
    """

    usd_per_j: float
    usd_per_erased_byte: float
    disk_usd_per_s: float
    erase_said: str
    arm_said: str
    energy_said: str

    @property
    def said(self) -> str:
        """Where all the numbers are from."""
        return f"{self.erase_said} {self.arm_said} {self.energy_said}"


def rates() -> Rates:
    """At the newest prices of the catalogue, and the horizon and price of energy that a system has by default."""
    economics = Economics()
    flash, disk = (offer(catalogue.device(name), "middle") for name in (FLASH, DISK))
    capacity = present(flash.capacity_bytes, f"{FLASH}: its capacity is not known")
    cycles = catalogue.device(CYCLES_OF).value("program_erase_cycles")
    return Rates(
        usd_per_j=energy_per_s(1.0, economics.price_usd_per_kwh),
        usd_per_erased_byte=flash.usd / capacity / cycles,
        disk_usd_per_s=disk.usd / economics.horizon_s,
        erase_said=(
            f"An erase costs its share of the {grouped(cycles)} cycles of a block, at {flash.usd:g} $ for "
            f"{catalogue.device(FLASH).name}."
        ),
        arm_said=(
            f"A second of the arm costs its share of {format_years(economics.horizon_years)}, at {disk.usd:g} $ for "
            f"{catalogue.device(DISK).name}."
        ),
        energy_said=f"Energy costs {economics.price_usd_per_kwh:g} $/kWh.",
    )
