"""Runs of catalogue SSDs that several studies ask for: each device is preconditioned once and every answer is kept."""

import functools
import threading
from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from pagecost import catalogue
from pagecost.devices.ssd import Run, Session, Ssd
from pagecost.errors import known
from pagecost.studies.fields import Choice, Steps
from pagecost.units import format_bytes

MOST_DIES = 64  # with more dies, fewer blocks each: what a run shows hardly depends on them, its time does
BLOCKS, FEW_BLOCKS = 128, 32
DEPTHS = tuple(1 << k for k in range(9))  # 1 .. 256
DEPTH = Annotated[
    int,
    Steps(DEPTHS, "requests", str),
    Field(ge=1, le=256, title="Queue depth", description="Requests that are outstanding at all times."),
]
REQUEST_BYTES = Annotated[
    int,
    Steps(tuple(4096 << k for k in range(7)), "B", format_bytes),
    Field(ge=4096, le=1 << 20, title="Request size", description="Bytes of one request, a whole number of pages."),
]

AS_CATALOGUED = "as the drive"
WRITE_CACHES = {AS_CATALOGUED: "as the drive has it", "none": "none"} | {
    str(size << 20): f"{size} MiB" for size in (1, 16, 64)
}
WRITE_CACHE = Annotated[
    str,
    Choice(lambda: WRITE_CACHES),
    AfterValidator(functools.partial(known, "write cache", names=WRITE_CACHES)),
    Field(title="Write cache", description="A write that it has room for is answered before it is programmed."),
]


def cache_changes(write_cache: str) -> dict[str, int]:
    """What an SSD's write cache is to be instead of the catalogue's, for `ssd_of`."""
    if write_cache == AS_CATALOGUED:
        return {}
    return {"write_cache_bytes": 0 if write_cache == "none" else int(write_cache)}


def cache_note(ssds) -> str:
    """Which of the drives answer writes from a cache."""
    cached = [f"{ssd.name} {format_bytes(ssd.write_cache_bytes)}" for ssd in ssds if ssd.write_cache_bytes]
    if not cached:
        return "No write cache: a write is done when its page is programmed."
    return (
        f"Write caches: {', '.join(cached)}. A write is answered when it has room there, and keeps it until it is "
        "programmed; reads that would find their page in it go to the flash all the same."
    )


def ssd_of(device: str, **changes) -> Ssd:
    """A catalogue SSD, scaled down to 128 (or 32) erase blocks per die; its spare share is kept."""
    ssd = Ssd.of(catalogue.device(device), blocks=FEW_BLOCKS)
    return Ssd.of(catalogue.device(device), **{"blocks": FEW_BLOCKS if ssd.dies > MOST_DIES else BLOCKS, **changes})


def request_units(ssd: Ssd, request_bytes: int, span_share: float, count: int, seed: int) -> np.ndarray:
    """First units of random requests, aligned to their size, in the first `span_share` of the device."""
    units = ssd.units_of(request_bytes)
    places = max(1, int(ssd.logical_units * span_share) // units)
    return np.random.default_rng([seed, 31]).integers(0, places, count) * units


@functools.lru_cache(maxsize=1024)
def random_run(
    ssd: Ssd,
    state: str,
    depth: int,
    read_share: float,
    request_bytes: int,
    requests: int,
    seed: int,
    span_share: float = 1.0,
) -> Run:
    """Random reads and writes with `depth` outstanding, after a tenth as many to warm up. state: "fresh" or "steady".

    On a fresh device the run ends before the collector starts, if that is earlier.
    """
    flash = replace(ssd, order="fifo", write_cache_bytes=0)  # neither changes where a write goes
    session = _prepared(flash, state, seed).on_a_copy(depth, request_bytes=request_bytes, ssd=ssd)
    if state == "fresh" and read_share < 1:
        requests = max(100, min(requests, int(0.8 * _room(ssd) / (1 - read_share) / session.units)))
    warm_up = requests // 10 + depth if state == "steady" or read_share == 1 else 0
    first = request_units(ssd, request_bytes, span_share, warm_up + requests, seed)
    write = np.random.default_rng([seed, 37]).random(first.size) >= read_share
    session.serve(first[:warm_up], write[:warm_up])
    return session.serve(first[warm_up:], write[warm_up:], last=warm_up == 0)


def scale_note(ssd: Ssd, device: str) -> str:
    """How large the simulated device is."""
    whole = catalogue.device(device).get("capacity_bytes")
    of = f" of {format_bytes(whole)}" if whole else ""
    dies = "one die" if ssd.dies == 1 else f"{ssd.dies} independent dies"
    return (
        f"{device}: {format_bytes(ssd.logical_units * ssd.unit_bytes)}{of} are simulated, on {dies}; the share of "
        "spare space is kept."
    )


def assumption_notes(ssd: Ssd, device: str):
    """What of a drive is fitted or recalled, a sentence."""
    if ssd.notes:
        yield f"{device}: not on its data sheet: {', '.join(ssd.notes)}."


def _room(ssd: Ssd) -> int:
    """Units that a fresh device takes before it collects."""
    geometry = ssd.geometry
    return max(1, ssd.dies * (geometry.physical_pages - geometry.logical_pages - 3 * geometry.pages_per_block))


_preparing = threading.Lock()


def steady_session(ssd: Ssd, seed: int) -> Session:
    """A device that has been written often enough that nothing changes any more; work on a copy of it."""
    return _prepared(ssd, "steady", seed)


def _prepared(ssd: Ssd, state: str, seed: int) -> Session:
    with _preparing:  # two threads that want the same device prepare it once
        return _session(ssd, state, seed)


@functools.lru_cache(maxsize=6)
def _session(ssd: Ssd, state: str, seed: int) -> Session:
    session = Session(ssd, seed=seed)
    if state == "steady":
        session.precondition()
    return session
