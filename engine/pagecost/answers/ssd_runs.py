"""Runs of SSDs that several questions ask for: a device is brought to its steady state once, and answers are kept."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pagecost import catalogue
from pagecost.devices.ssd import WITHIN, Session, Ssd, SteadyRun, run_until_steady
from pagecost.devices.ssd.run import BIN_EDGES_S, Run
from pagecost.devices.ssd.steady import least_requests
from pagecost.errors import known, require
from pagecost.remembering import remembered
from pagecost.units import format_bytes

MOST_DIES = 64  # with more dies, fewer blocks each: what a run shows hardly depends on them, its time does
BLOCKS, FEW_BLOCKS = 128, 32
STATES = {"steady": "collections are under way", "fresh": "filled once, in order"}
PATTERNS = {"random": "any place, each request anew", "sequential": "one request after the other"}
QUANTILES = 500  # that are kept of the response times of reads and of writes
LEAST_FRESH = 100  # requests of a run on a fresh device


def ssd_of(device: catalogue.Device, **changes) -> Ssd:
    """A device of the catalogue, scaled down to 128 (or 32) erase blocks per die; its spare share is kept.

    Raises ModelError naming what is not known of it.
    """
    ssd = Ssd.of(device, blocks=FEW_BLOCKS)
    return Ssd.of(device, **{"blocks": FEW_BLOCKS if ssd.dies > MOST_DIES else BLOCKS, **changes})


@dataclass(frozen=True, kw_only=True)
class Load:
    """What is asked of an SSD, closed: `depth` requests are outstanding at all times.

    read_share: 0..1. span_share of the device that requests fall on, 0 < share <= 1. state: a key of `STATES`: a run on
    a fresh device ends before the collector starts. pattern: a key of `PATTERNS`. within: half width of the 95 %
    interval of the rate that is wanted, over the rate; quantiles_within: of mean, p50, p95 and p99 of the reads and of
    the writes, over each, where a run that lasts shall know those too. Raises ModelError for a share that is none, or
    an unknown name.
    """

    depth: int = 1
    read_share: float = 0.0
    request_bytes: int = 4096
    span_share: float = 1.0
    state: str = "steady"
    pattern: str = "random"
    within: float = WITHIN
    quantiles_within: float | None = None
    seed: int = 1

    def __post_init__(self):
        known("state of an SSD", self.state, STATES)
        known("pattern", self.pattern, PATTERNS)
        require(0 <= self.read_share <= 1, f"the share of reads must be in 0..1; got {self.read_share}")
        require(0 < self.span_share <= 1, f"the span must be above 0 and at most 1 device; got {self.span_share}")

    def places(self, ssd: Ssd) -> Callable[[int], np.ndarray]:
        """Draws first units of the next requests, aligned to their size, shape (count,)."""
        units = ssd.units_of(self.request_bytes)
        places = max(1, int(ssd.logical_units * self.span_share) // units)
        if self.pattern == "sequential":
            at = 0

            def following(count: int) -> np.ndarray:
                nonlocal at
                at += count
                return np.arange(at - count, at) % places * units

            return following
        random = np.random.default_rng([self.seed, 31])
        return lambda count: random.integers(0, places, count) * units


@dataclass(frozen=True, kw_only=True, eq=False)
class Measured:
    """What is kept of a run: figures of its measured part, not its requests.

    iops [1/s], half_width of its 95 % interval as a share of it (nan: too few requests for one). latencies_s and
    terms_s by whom they are of: None all requests, False reads, True writes; nan where there is none. share_within:
    share of all requests that take at most `BIN_EDGES_S`. quantiles_s: 500 response times at equal steps of the share,
    of reads (False) and of writes (True); half_widths: of the intervals of mean, p50, p95 and p99 of both, over each,
    where the load asked for them.
    """

    iops: float
    half_width: float
    steady: bool
    sentence: str
    requests: int
    throughput_bytes_per_s: float
    variation: float
    write_amplification: float
    latencies_s: dict[bool | None, dict[str, float]]
    terms_s: dict[bool | None, dict[str, float]]
    share_within: np.ndarray
    quantiles_s: dict[bool, np.ndarray]
    utilisation: dict[str, float]
    energy_j: dict[str, float]
    half_widths: dict[bool, dict[str, float]]

    @classmethod
    def of(cls, made: SteadyRun, steady: bool, sentence: str) -> "Measured":
        """The figures of a run. sentence: how well its rate is known and whether it lasts."""
        run = made.run
        ordered = np.sort(run.response_s)
        return cls(
            iops=run.iops,
            half_width=made.half_width,
            steady=steady,
            sentence=sentence,
            requests=run.size,
            throughput_bytes_per_s=run.throughput_bytes_per_s,
            variation=float(ordered.std() / ordered.mean()),
            write_amplification=run.write_amplification,
            latencies_s={of: run.latencies_s(of) for of in (None, False, True)},
            terms_s={None: run.terms_s, **{of: run.terms_of(write=of) for of in (False, True)}},
            share_within=np.searchsorted(ordered, BIN_EDGES_S, side="right") / ordered.size,
            quantiles_s={of: _quantiles(run, of) for of in (False, True)},
            utilisation=run.utilisation,
            energy_j=run.energy_j,
            half_widths=made.half_widths,
        )


def _quantiles(run: Run, write: bool) -> np.ndarray:
    times = run.of(write)
    return np.quantile(times, (np.arange(QUANTILES) + 0.5) / QUANTILES) if times.size else np.empty(0)


@remembered
def measured(ssd: Ssd, load: Load) -> Measured:
    """The load on the SSD: run until it is steady, or until it is not worth waiting any longer, which it then says."""
    flash = replace(ssd, order="fifo", write_cache_bytes=0)  # neither changes where a write goes
    ready = prepared(flash, load.state, load.pattern, load.request_bytes, load.span_share, load.seed)
    session = ready.on_a_copy(load.depth, request_bytes=load.request_bytes, ssd=ssd)
    if load.state == "steady" or load.read_share == 1:
        made = run_until_steady(
            session, requests_of(ssd, load), within=load.within, quantiles_within=load.quantiles_within
        )
        return Measured.of(made, made.steady, made.sentence())
    room = max(LEAST_FRESH, int(0.8 * _room(ssd) / (1 - load.read_share) / session.units))
    draw = requests_of(ssd, load)
    if room < least_requests(load.depth):
        run = session.serve(*draw(room), last=True)
        made = SteadyRun(run, warm_up=0, half_width=math.nan, unmet=())
        return Measured.of(
            made, False, f"Fresh: {run.size} requests before the device collects, too few for an interval."
        )
    made = run_until_steady(session, draw, within=load.within, most=room)
    return Measured.of(made, False, f"Fresh: {made.known()}, before the device collects.")


def requests_of(ssd: Ssd, load: Load) -> Callable[[int], tuple[np.ndarray, np.ndarray]]:
    """Draws the next requests of a load: (first unit, write flag), shape (count,) each."""
    places, random = load.places(ssd), np.random.default_rng([load.seed, 37])
    return lambda count: (places(count), random.random(count) >= load.read_share)


@remembered
def prepared(ssd: Ssd, state: str, pattern: str, request_bytes: int, span_share: float, seed: int) -> Session:
    """The flash of an SSD, filled in order ("fresh"), or written until it is steady (SNIA PTS). Work on a copy of it.

    Steady: first single units at random, all over it; then, if that is another load, as the load writes. Without the
    first, dies that always get the two halves of a request would have one history, and collect at the same moment.
    """
    if state == "fresh":
        return Session(ssd, request_bytes=request_bytes, seed=seed)
    if pattern == "random" and span_share == 1 and ssd.units_of(request_bytes) == 1:
        session = Session(ssd, request_bytes=request_bytes, seed=seed)
        session.precondition()
        return session
    session = steady_session(ssd, seed).on_a_copy(request_bytes=request_bytes)
    session.precondition(
        Load(request_bytes=request_bytes, span_share=span_share, pattern=pattern, seed=seed).places(ssd)
    )
    return session


def steady_session(ssd: Ssd, seed: int) -> Session:
    """An SSD that was overwritten at random until nothing changes any more; work on a copy of it."""
    return prepared(ssd, "steady", "random", ssd.unit_bytes, 1.0, seed)


def _room(ssd: Ssd) -> int:
    """Units that a fresh device takes before it collects."""
    geometry = ssd.geometry
    return max(1, ssd.dies * (geometry.physical_pages - geometry.logical_pages - 3 * geometry.pages_per_block))


def cache_note(ssds) -> str:
    """Which of the drives answer writes from a cache."""
    cached = [f"{ssd.name} {format_bytes(ssd.write_cache_bytes)}" for ssd in ssds if ssd.write_cache_bytes]
    if not cached:
        return "No write cache: a write is done when its page is programmed."
    return (
        f"Write caches: {', '.join(cached)}. A write is answered when it has room there, and keeps it until it is "
        "programmed; reads that would find their page in it go to the flash all the same."
    )


def scale_note(ssd: Ssd, device: catalogue.Device) -> str:
    """How large the simulated device is."""
    whole = device.get("capacity_bytes")
    of = f" of {format_bytes(whole)}" if whole else ""
    dies = "one die" if ssd.dies == 1 else f"{ssd.dies} independent dies"
    return (
        f"{device.name}: {format_bytes(ssd.logical_units * ssd.unit_bytes)}{of} are simulated, on {dies}; the share of "
        "spare space is kept."
    )


def assumption_notes(ssd: Ssd, device: catalogue.Device):
    """What of a drive is fitted or recalled, a sentence."""
    if ssd.notes:
        yield f"{device.name}: not on its data sheet: {', '.join(ssd.notes)}."
    if not ssd.commands_known:
        yield f"{device.name}: command and address cycles on its channels are not known, and take no time here."
