"""Energy: of one operation of a flash chip, and of one request to a device with idle and load power.

The two levels answer different questions and are never added: the power of a device already feeds its chips.
"""

import math
from dataclasses import dataclass

import numpy as np

from pagecost import catalogue
from pagecost.errors import known, require

FOUR_KIB = 4096.0
OPERATIONS = ("read", "program", "erase share")
"""The operations of a chip, per 4 KiB; of an erase the share of 4 KiB in its block."""

_PER_PAGE = {"read": "page_read_j", "program": "page_program_j"}
_PER_4KB = {"read": "read_4kb_j", "program": "write_4kb_j", "erase share": "erase_4kb_j"}


@dataclass(frozen=True, slots=True)
class Stated:
    """A number [SI] with the status of its source in the catalogue; nan and "not known" where there is none."""

    value: float
    status: str


UNKNOWN = Stated(np.nan, "not known")


def of_chip(device: catalogue.Device, operation: str) -> Stated:
    """Energy [J] that a chip needs to read or program 4 KiB, or its share of an erase; `UNKNOWN` where nobody says it.

    operation: of `OPERATIONS`; ModelError for another one.
    """
    direct = device.parameters.get(_PER_4KB[known("operation of a chip", operation, OPERATIONS)])
    if direct is not None:
        return Stated(_number(direct), direct.status)
    per_page = device.parameters.get(_PER_PAGE.get(operation, "block_erase_j"))
    if per_page is None:
        return UNKNOWN
    pages = FOUR_KIB / device.value("page_bytes")
    share = pages / device.value("pages_per_block") if operation == "erase share" else pages
    return Stated(_number(per_page) * share, per_page.status)


def _number(parameter: catalogue.Parameter) -> float:
    return parameter.value if isinstance(parameter.value, float) else np.nan  # known as a range only


def average_w(idle_w, active_w, busy):
    """Average power [W] of a device that works a share `busy` of the time and idles the rest (Schmidt 2009, §6.2).

    Numbers or arrays of one shape; nan, which is not known, stays nan. Raises ModelError unless 0 <= busy <= 1, and for
    power below 0.
    """
    for what, power_w in (("idle", idle_w), ("load", active_w)):
        require(not np.any(np.asarray(power_w) < 0), f"{what} power must not be negative; got {power_w} W")
    require(bool(np.all((np.asarray(busy) >= 0) & (np.asarray(busy) <= 1))), f"busy must be in 0..1; got {busy}")
    return active_w * busy + np.where(np.asarray(busy) == 1, 0.0, idle_w * (1 - np.asarray(busy)))


def busy_share(idle_w: float, active_w: float, average: float) -> float:
    """The share of the time that a device works when its power averages to `average` [W]: `average_w` solved for busy.

    Raises ModelError unless idle_w <= average <= active_w and the two differ.
    """
    require(active_w > idle_w, f"load power must exceed idle power; got {active_w:g} and {idle_w:g} W")
    require(idle_w <= average <= active_w, f"average power must be {idle_w:g}..{active_w:g} W; got {average:g}")
    return (average - idle_w) / (active_w - idle_w)


def request_j(idle_w, active_w, request_s, busy=1.0):
    """Energy [J] of one request that takes request_s, with its share of the idle time between requests.

    busy: share of the time that the device works, above 0; at 1 only the load power counts. Shapes and errors as
    `average_w`; ModelError, too, for a time below 0.
    """
    require(not np.any(np.asarray(request_s) < 0), f"a request must not take less than 0 s; got {request_s}")
    require(bool(np.all(np.asarray(busy) > 0)), f"busy must be above 0; got {busy}")
    return average_w(idle_w, active_w, busy) * request_s / busy


@dataclass(frozen=True, eq=False)
class Course:
    """Power over time of a device that takes one request after the other: active_w [W] while it works, else idle_w [W].

    starts_s, ends_s: when each request is worked on [s], rising. until_s: the end of what is looked at [s].
    """

    idle_w: float
    active_w: float
    starts_s: np.ndarray
    ends_s: np.ndarray
    until_s: float

    @property
    def busy(self) -> float:
        """Share of the time that it works, 0..1."""
        return float((self.ends_s - self.starts_s).sum() / self.until_s)

    @property
    def active_j(self) -> float:
        """Energy of the time that it works [J]."""
        return self.active_w * self.busy * self.until_s

    @property
    def idle_j(self) -> float:
        """Energy of the pauses [J]."""
        return self.idle_w * (1 - self.busy) * self.until_s

    @property
    def mean_w(self) -> float:
        """Energy of all the time over the time [W]."""
        return (self.active_j + self.idle_j) / self.until_s


def course(idle_w: float, active_w: float, arrivals_s, service_s: float) -> Course:
    """The power over time of a device that gets requests at these times [s], first come first served.

    arrivals_s: rising, from 0. service_s: of each request [s], above 0. It ends with the last request.
    Raises ModelError for watts that are no idle and load power, and times that do not rise.
    """
    arrivals = np.asarray(arrivals_s, float)
    require(0 <= idle_w <= active_w, f"power must be 0 <= idle <= load; got {idle_w:g} and {active_w:g} W")
    require(service_s > 0, f"a request must take more than 0 s; got {service_s:g}")
    require(arrivals.size > 0, "at least one request is needed")
    require(bool(arrivals[0] >= 0 and np.all(np.diff(arrivals) >= 0)), "arrivals must rise from 0 s")
    before_s = service_s * np.arange(arrivals.size)
    starts = np.maximum.accumulate(arrivals - before_s) + before_s
    return Course(idle_w, active_w, starts, starts + service_s, float(starts[-1] + service_s))


def sleep_pays_s(idle_w: float, sleep_w: float, wake_j: float) -> float:
    """The pause [s] from which on sleep takes less energy than idling, if waking takes wake_j [J] beyond sleep.

    Infinite where sleep saves nothing. Raises ModelError for negative numbers and for nan.
    """
    require(all(value >= 0 for value in (idle_w, sleep_w, wake_j)), "watts and joules must not be negative")
    return wake_j / (idle_w - sleep_w) if idle_w > sleep_w else math.inf
