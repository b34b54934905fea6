"""What the pages of a walk cost on a device: time, energy and money of a read and of a write of 4 KiB."""

import math
from functools import cache
from typing import NamedTuple

from pagecost import devices
from pagecost.answers import page_costs
from pagecost.economics.cost import energy_per_s
from pagecost.errors import ModelError, known
from pagecost.system import Economics
from pagecost.units import format_seconds, format_years

PAGE_BYTES = 4096
DEVICE = "intel-x25-m-g2-80gb"  # where a walk begins: times, power and price are known
Cost = tuple[float, float, float]  # time [s], energy [J], money [USD]; nan where it is not known


class Bill(NamedTuple):
    """The price of a page on a device. said: where the numbers are from, in a sentence."""

    device: str
    read: Cost
    write: Cost
    said: str


@cache
def offered() -> dict[str, str]:
    """Every device, id -> name, whose times of a random page of 4 KiB are known."""
    return {name: title for name, title in devices.modelled().items() if _timed(name)}


def _timed(name: str) -> bool:
    try:
        busy = page_costs.of_pages(name, PAGE_BYTES).busy
    except ModelError:
        return False
    return math.isfinite(busy.read_s) and math.isfinite(busy.write_s)


@cache
def bill(device: str) -> Bill:
    """The bill of a device. Money is the device's price for the share of its life that a page takes, and its energy.

    Raises ModelError for a device that is not `offered`.
    """
    known("device with known times of a page", device, offered())
    economics = Economics()
    busy, joules = page_costs.of_pages(device, PAGE_BYTES).busy, page_costs.page_energies(device, PAGE_BYTES)
    usd_per_s = page_costs.price_usd(device) / economics.horizon_s
    usd_per_j = energy_per_s(1.0, economics.price_usd_per_kwh)

    def cost(time_s: float, joule: float) -> Cost:
        return time_s, joule, time_s * usd_per_s + (joule * usd_per_j if math.isfinite(joule) else 0.0)

    said = (
        f"On {devices.title_of(device)} a random page of 4 KiB takes {format_seconds(busy.read_s)} to read and "
        f"{format_seconds(busy.write_s)} to write. Money is the device's price over "
        f"{format_years(economics.horizon_years)}, for as long as it works, and energy at "
        f"{economics.price_usd_per_kwh:g} $/kWh where its power is known."
    )
    return Bill(device, cost(busy.read_s, joules[0]), cost(busy.write_s, joules[1]), said)
