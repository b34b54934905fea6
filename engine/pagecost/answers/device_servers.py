"""A device of the catalogue as servers of a queue: as many pages a second as it can, and a page alone in its time."""

import math
from typing import NamedTuple

from pagecost import catalogue, devices
from pagecost.devices import ALONE, BUSY, Model, PageTimes, least_alone_s, page_times, why_alone
from pagecost.units import format_seconds

KINDS = ("read", "write")


class Servers(NamedTuple):
    """What a `DiskUnit` takes of a device [s], by `servers_of`, and the note that a reader must see beside."""

    at_once: int
    read_s: float
    write_s: float
    read_delay_s: float
    write_delay_s: float
    note: str

    @property
    def times(self) -> dict[str, float]:
        """Without the note: the fields of a `DiskUnit`."""
        return {name: value for name, value in self._asdict().items() if name != "note"}


def servers_of(device: str, pattern: str, page_bytes: float) -> Servers:
    """The servers of one device of the catalogue, or of a measurement, for pages "random" or "sequential".

    A page alone takes `ALONE`, and with many outstanding the device finishes one each `BUSY`; the two differ where it
    works on several at a time. So it is alone / busy servers side by side, rounded down, at least one, each of which
    takes at_once × busy: all of them together finish one each busy, whatever is read and written. Reads and writes
    differ in how many go at a time and the servers are common to both, so the smaller number counts; what a page alone
    takes beyond its server's time is a delay that keeps nobody else waiting. Where alone is less than busy (a write is
    handed over, and the medium is behind) or is not known, the page takes busy, or of a solid-state drive what
    `least_alone_s` says, which the note tells. Raises ModelError where the model says nothing of such pages.
    """
    return servers_of_model(devices.load(device), devices.title_of(device), pattern, page_bytes)


def servers_of_model(model: Model, title: str, pattern: str, page_bytes: float) -> Servers:
    """The same of any model of a device; title: what people call it."""
    busy, alone = (page_times(model, page_bytes, kind=kind, title=title, pattern=pattern) for kind in (BUSY, ALONE))
    pairs = {what: (getattr(busy, f"{what}_s"), getattr(alone, f"{what}_s")) for what in KINDS}
    ratio = min(alone_s / busy_s if math.isfinite(alone_s) else 1.0 for busy_s, alone_s in pairs.values())
    at_once = max(1, math.floor(ratio + 1e-9))
    least_s = {what: least_alone_s(model, f"{pattern} {what}") for what in KINDS}
    read_delay_s, write_delay_s = (
        max((alone_s if math.isfinite(alone_s) else least_s[what]) - at_once * busy_s, 0.0)
        for what, (busy_s, alone_s) in pairs.items()
    )
    doubts = _doubts(pairs, pattern, busy, least_s, why_alone(model))
    note = " ".join([busy.note, *_said(at_once, [read_delay_s, write_delay_s]), *doubts])
    return Servers(at_once, at_once * busy.read_s, at_once * busy.write_s, read_delay_s, write_delay_s, note)


def log_servers_of(device: str, page_bytes: float) -> Servers:
    """The same of pages of a log, each durable before the next is written; see `log_servers_of_model`."""
    return log_servers_of_model(devices.load(device), device, devices.title_of(device), page_bytes)


def log_servers_of_model(model: Model, device: str, title: str, page_bytes: float) -> Servers:
    """Servers for a log: pages in sequence, and on a disk each write takes at least a whole turn.

    The next place has just passed under the head when the page before is durable. A disk that is given by its mean
    alone keeps that. Other devices take a log as they take pages in sequence, which may be into their cache: a page is
    durable after the time of one alone, and their rate bounds how many are on the way.
    """
    found = servers_of_model(model, title, "sequential", page_bytes)
    write_s = max(found.write_s, _turn_s(device) * found.at_once)
    if write_s == found.write_s:
        return found
    told = f"A page of a log must be durable before the next: it waits a whole turn, {format_seconds(write_s)}."
    return found._replace(write_s=write_s, note=f"{found.note} {told}")


def _turn_s(device: str) -> float:
    """A turn of a hard disk of the catalogue [s]; 0 for other devices, and for a disk given by its mean alone."""
    known = catalogue.devices().get(device)
    if known is None or known.device_class != "hard disk" or known.model == "memory":
        return 0.0
    turns_hz = known.get("rotation_hz")
    return 1 / turns_hz if turns_hz else 0.0


def _said(at_once: int, delays_s: list[float]) -> list[str]:
    """How many servers a device is, and the delays beside them."""
    more = [f"a {what} takes {format_seconds(time)}" for what, time in zip(KINDS, delays_s, strict=True) if time > 1e-9]
    delayed = f"; besides, {' and '.join(more)} while the server has the next" if more else ""
    return [f"Here a device is {at_once} server{'s' if at_once > 1 else ''}{delayed}."]


def _doubts(
    pairs: dict[str, tuple[float, float]], pattern: str, busy: PageTimes, least_s: dict[str, float], why: str
) -> list[str]:
    """What is not known of a page alone, and what is shorter than its device time."""
    if busy.depth == 1:
        return []
    lines = []
    missing = [what for what, (_, alone_s) in pairs.items() if not math.isfinite(alone_s)]
    if bounded := [f"a {pattern} {what} {format_seconds(least_s[what])}" for what in missing if least_s[what]]:
        lines.append(f"Alone {' and '.join(bounded)} are assumed, {why}.")
    if unbounded := [f"a {pattern} {what}" for what in missing if not least_s[what]]:
        lines.append(f"For {' and '.join(unbounded)} the device time stands, so response times are bounds from below.")
    for what, (busy_s, alone_s) in pairs.items():
        if alone_s < busy_s:
            lines.append(
                f"A {pattern} {what} takes {format_seconds(busy_s)} here, as when they keep coming, though one alone "
                f"is handed over in {format_seconds(alone_s)}."
            )
    return lines
