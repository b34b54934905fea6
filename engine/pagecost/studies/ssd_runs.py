"""Runs of catalogue SSDs that several studies ask for: each device is preconditioned once and every answer is kept."""

import functools
import threading

import numpy as np

from pagecost import catalogue
from pagecost.devices.ssd import Run, Session, Ssd
from pagecost.units import format_bytes

MOST_DIES = 64  # with more dies, fewer blocks each: what a run shows hardly depends on them, its time does
BLOCKS, FEW_BLOCKS = 128, 32


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
    session = _prepared(ssd, state, seed).on_a_copy(depth, request_bytes=request_bytes)
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


def per_second(rate: float) -> str:
    """A rate as people read it: 34 980, 435, 12.4."""
    return f"{rate:,.0f}".replace(",", " ") if rate >= 100 else f"{rate:.3g}"


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
