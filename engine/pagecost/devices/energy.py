"""Energy: of one operation of a flash chip, and of one request to a device with idle and load power.

The two levels answer different questions and are never added: the power of a device already feeds its chips.
"""

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
    """Energy [J] that a chip needs to read or program 4 KiB, or its share of an erase. Raises ModelError if unknown."""
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

    Numbers or arrays of one shape; nan stays nan. Raises ModelError unless 0 <= busy <= 1.
    """
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

    busy: share of the time that the device works, above 0; at 1 only the load power counts. Shapes as `average_w`.
    """
    require(bool(np.all(np.asarray(busy) > 0)), f"busy must be above 0; got {busy}")
    return average_w(idle_w, active_w, busy) * request_s / busy
