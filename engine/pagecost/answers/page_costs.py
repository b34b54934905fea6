"""What page references cost on a device: time, energy, and the price of a device, by what the catalogue knows now."""

import math
from typing import NamedTuple

from pagecost import catalogue, devices
from pagecost.devices import ALONE, BUSY, PageTimes, energy


class PageCosts(NamedTuple):
    """A random read and a random write of one page on a device.

    busy: device time of a page, which load and price follow from. alone: what one reference waits for a page while
    nothing else is asked of the device; nan where that is not known.
    """

    busy: PageTimes
    alone: PageTimes

    @property
    def ratio(self) -> float:
        """Device time of a write over that of a read."""
        return self.busy.write_s / self.busy.read_s

    def busy_s(self, misses, write_backs):
        """Device time of so many misses and write-backs, numbers or arrays of one shape."""
        return misses * self.busy.read_s + write_backs * self.busy.write_s

    def alone_s(self, misses, write_backs):
        """Time of them one after the other; nan where it is not known. Shape as the arguments."""
        return misses * self.alone.read_s + write_backs * self.alone.write_s


def of_pages(device: str, page_bytes: int) -> PageCosts:
    """The costs of a page of page_bytes on a device by its name. Raises ModelError as `devices.random_page_times`."""
    return PageCosts(*(devices.random_page_times(device, page_bytes, kind=kind) for kind in (BUSY, ALONE)))


def page_energies(device: str, page_bytes: int) -> tuple[float, float]:
    """Joules of a random read and of a random write of a page of page_bytes; nan where they are not known.

    Of a drive its load power for as long as it works; of a flash chip what it needs itself, with a share of an erase.
    """
    found = catalogue.devices().get(device)
    if found is None:
        return math.nan, math.nan
    if found.get("active_w") is not None:
        power, busy = found.value("active_w"), of_pages(device, page_bytes).busy
        read_j, write_j = (float(energy.request_j(power, power, time)) for time in (busy.read_s, busy.write_s))
        return read_j, write_j
    blocks = page_bytes / energy.FOUR_KIB
    read_j, program_j, erase_j = (energy.of_chip(found, name).value * blocks for name in energy.OPERATIONS)
    return read_j, program_j + erase_j


def price_usd(device: str) -> float:
    """Dollars for one device, the catalogue's newest; nan where it has none."""
    found = catalogue.devices().get(device)
    return found.price_usd if found else math.nan
