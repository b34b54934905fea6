"""What a page costs on a device: how long it keeps the device busy, or how long one page alone takes."""

import math
from dataclasses import dataclass

from pagecost.devices.flash import Flash
from pagecost.errors import known, require
from pagecost.units import format_seconds, grouped

BUSY, ALONE = "busy", "alone"
KINDS = {
    BUSY: "device time of a page, with as many outstanding as the device's rates were reached with",
    ALONE: "time of one page while no other is outstanding",
}
"""Which time is asked for: `BUSY` for load and throughput, `ALONE` for what one reference waits."""


@dataclass(frozen=True)
class PageTimes:
    """Times of a read and of a write of one page [s], at random unless asked otherwise; nan where they are not known.

    kind: a key of `KINDS`, what the times are. depth: requests outstanding while a page takes so long, nan where that
    is not known. note: the sentence that a reader must see beside the times.
    """

    read_s: float
    write_s: float
    kind: str
    depth: float
    note: str


def page_times(
    model,
    page_bytes: float,
    span_bytes: float | None = None,
    *,
    kind: str,
    title: str | None = None,
    pattern: str = "random",
) -> PageTimes:
    """The times of pages of page_bytes on a device model, over a span of the device or all of it.

    title: what people call the device in the note. pattern: "random" or "sequential". Raises ModelError for an
    unknown kind, or when the model says nothing of pages of this size.
    """
    known("kind of page time", kind, KINDS)
    title = title or model.name
    asked = [f"{pattern} read", f"{pattern} write"]
    services = [model.service(each, page_bytes, span_bytes=span_bytes) for each in asked]
    busy = [float(service.total_s) for service in services]
    alone = [float(service.latency_s) for service in services]
    wanted = alone if kind == ALONE else busy
    require(
        all(map(math.isfinite, busy)) or any(map(math.isfinite, wanted)),
        f"{title}: it was not measured with {pattern} reads and writes of {page_bytes:g} bytes",
    )
    depth = 1.0 if kind == ALONE else services[0].depth
    if services[0].depth == 1:
        note = f"{title}: one page after the other, so a page keeps it busy as long as one page alone takes."
    elif kind == BUSY:
        many = "many outstanding, how many is not known" if math.isnan(depth) else f"{depth:g} outstanding"
        note = f"{title}: device time of a page, 1 / pages a second with {many}; {_alone(alone, asked)}."
    else:
        note = f"{title}: {_alone(alone, asked)}; it does more a second with many outstanding."
    read_s, write_s = wanted
    if isinstance(model, Flash) and pattern == "random":
        pages = math.ceil(page_bytes / model.page_bytes)
        others = math.ceil(pages / model.stripe_pages) * model.stripe_pages - pages
        if others:
            copied = f"{grouped(others)} other pages of its erase block"
            note += f" It is written in place: a write at random copies the {copied} too."
    return PageTimes(read_s, write_s, kind, depth, note)


def _alone(times: list[float], asked: list[str]) -> str:
    """What one page takes while no other is outstanding, or that it is not known."""
    there = [f"a {what} {format_seconds(time)}" for what, time in zip(asked, times, strict=True) if math.isfinite(time)]
    missing = [f"a {what}" for what, time in zip(asked, times, strict=True) if not math.isfinite(time)]
    said = [f"alone {' and '.join(there)}"] if there else []
    said += [f"how long {' or '.join(missing)} takes alone is not known"] if missing else []
    return ", ".join(said)
