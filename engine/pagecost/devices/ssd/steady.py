"""A run that is as long as it must be: warmed up until nothing moves any more, measured until its rate is known."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from pagecost.devices.ssd.run import PERCENTILES, Run, joined
from pagecost.devices.ssd.session import Session
from pagecost.errors import require
from pagecost.intervals import mean_and_half_width

BATCHES = 10  # that are measured, after as many that warm up
LEAST, MOST = 1 << 15, 1 << 20  # requests in all: half of them warm up
WITHIN = 0.02  # half width of the 95 % interval of the rate, over the rate
JUDGED = ("mean", "p50", "p95", "p99")  # of response times, where their interval is asked for
KINDS = {False: "reads", True: "writes"}

Draw = Callable[[int], tuple[np.ndarray, np.ndarray]]
"""draw(count): the next requests of a load, (first unit, write flag), shape (count,) each."""


@dataclass(frozen=True, eq=False)
class SteadyRun:
    """The measured part of a run, and whether it stands for what goes on for ever.

    warm_up: requests served before it. half_width: of the 95 % interval of `run.iops`, over it (batch means, Student's
    t). unmet: what is not as it must be in a steady run, a clause each; empty if it is steady. half_widths: of the
    intervals of `JUDGED` of the reads (False) and of the writes (True), where they were asked for (`half_widths`).
    """

    run: Run
    warm_up: int
    half_width: float
    unmet: tuple[str, ...]
    half_widths: dict[bool, dict[str, float]] = field(default_factory=dict)

    @property
    def steady(self) -> bool:
        """Whether the rate is known as closely as was asked for, and nothing that makes it is still moving."""
        return not self.unmet

    def known(self) -> str:
        """How well the rate is known, and from how many requests."""
        return f"± {self.half_width:.1%} at 95 % confidence, {self.run.size} requests after {self.warm_up}"

    def sentence(self) -> str:
        """How well the rate is known, and why it is not steady if it is not."""
        if self.steady:
            return f"Steady: {self.known()}."
        return f"Not steady: {self.known()}; {'; '.join(self.unmet)}."


def half_widths(batches_s: Sequence[np.ndarray]) -> dict[str, float]:
    """`JUDGED` -> half width of its 95 % interval, over its value, from at least two batches of times [s].

    Every batch gives one value of each (Student's t over the batches); empty where a batch has no time at all.
    """
    if not all(batch.size for batch in batches_s):
        return {}
    found = {"mean": [batch.mean() for batch in batches_s]}
    shares = [PERCENTILES[name] for name in JUDGED[1:]]
    of_batches = [np.quantile(batch, shares, method="inverted_cdf") for batch in batches_s]
    found |= dict(zip(JUDGED[1:], np.transpose(of_batches), strict=True))
    widths = {}
    for name, values in found.items():
        mean, half_width = mean_and_half_width(values)
        widths[name] = half_width / mean
    return widths


def too_wide(widths: dict[str, float], within: float, of: str) -> Iterator[str]:
    """A clause for each of `half_widths` that is above `within`."""
    for name, width in widths.items():
        if width > within:
            yield f"{name} of the {of} is known to ± {width:.1%}, {within:.1%} was wanted"


def run_until_steady(
    session: Session,
    draw: Draw,
    *,
    within: float = WITHIN,
    most: int = MOST,
    quantiles_within: float | None = None,
) -> SteadyRun:
    """Serve a load until its rate is known: ten batches are measured after ten that warm up, and both are doubled until

    - the half width of the rate's 95 % interval is at most `within` of it;
    - the first and the second half of the batches agree in rate and in write amplification, within their own noise;
    - what the write cache took and what the flash programmed differ by at most `within` of what was written;
    - where `quantiles_within` is given, the half widths of mean, p50, p95 and p99 of reads and of writes are at most
      that share of them.

    within, quantiles_within: shares between 0 and 1. most: requests in all, at least `least_requests`; the run ends
    there, steady or not. The session should have been preconditioned with the load. Raises ModelError for values that
    are not possible.
    """
    for width in (within, within if quantiles_within is None else quantiles_within):
        require(0 < width < 1, f"the width of an interval must be a share between 0 and 1; got {width}")
    least = least_requests(session.depth)
    require(most >= least, f"a run with {session.depth} outstanding needs at least {least} requests; got {most}")
    batch = max(least, min(LEAST, most)) // (2 * BATCHES)
    parts, held = _serve(session, draw, batch, 2 * BATCHES)
    while True:
        measured = parts[BATCHES:]
        found = _judged(session, measured, held[BATCHES] - held[-1], within)
        widths = {}
        if quantiles_within is not None:
            widths = {write: half_widths([part.of(write) for part in measured]) for write in KINDS}
            found += tuple(
                clause for write, of in KINDS.items() for clause in too_wide(widths[write], quantiles_within, of)
            )
        if not found or 4 * BATCHES * batch > most:
            rate = [part.iops for part in measured]
            mean, half_width = mean_and_half_width(rate)
            return SteadyRun(joined(measured), BATCHES * batch, half_width / mean, found, widths)
        parts = [joined(parts[at : at + 2]) for at in range(0, 2 * BATCHES, 2)]
        held, batch = held[::2], 2 * batch
        more, held_after = _serve(session, draw, batch, BATCHES)
        parts, held = parts + more, held + held_after[1:]


def least_requests(depth: int) -> int:
    """Requests that a run needs at least, so that of every batch some are finished."""
    return 2 * BATCHES * max(2, depth)


def _serve(session: Session, draw: Draw, batch: int, batches: int) -> tuple[list[Run], list[int]]:
    """The next batches, and how many units the write cache held before the first and after each."""
    parts, held = [], [session.cached_units]
    for _ in range(batches):
        parts.append(session.serve(*draw(batch)))
        held.append(session.cached_units)
    return parts, held


def _judged(session: Session, parts: list[Run], drained: int, within: float) -> tuple[str, ...]:
    """What of the measured batches is not steady."""
    unmet = []
    rate = np.array([part.iops for part in parts])
    mean, half_width = mean_and_half_width(rate)
    if half_width > within * mean:
        unmet.append(f"{within:.1%} was wanted")
    if drift := _drift(rate, within):
        unmet.append(f"the rate still moves by {drift:+.1%}")
    copies = np.array([part.write_amplification for part in parts])
    if np.isfinite(copies).all() and (drift := _drift(copies, within)):
        unmet.append(f"write amplification still moves by {drift:+.1%}")
    written = sum(part.counts.host_pages for part in parts)
    if abs(drained) > within * written:
        verb = "gave up" if drained > 0 else "swallowed"
        unmet.append(f"the write cache {verb} {abs(drained) / max(written, 1):.0%} of what was written")
    if session.steadiness is not None and not session.steadiness.steady:
        unmet.append(f"the flash was not before the run ({session.steadiness.sentence().rstrip('.')})")
    return tuple(unmet)


def _drift(values: np.ndarray, within: float) -> float:
    """Second half less first half over the mean, or 0 where that is noise or less than `within`."""
    mean, half_width = mean_and_half_width(values)
    half = values.size // 2
    drift = float(values[half:].mean() - values[:half].mean())
    return 0.0 if abs(drift) <= max(2 * half_width, within * mean) or math.isclose(mean, 0) else drift / mean
