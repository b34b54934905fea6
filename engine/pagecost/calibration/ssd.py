"""An SSD from its random reads and writes: the stages of `devices.ssd`, by their closed form."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost.calibration.least_squares import Fit, Unknown, fit
from pagecost.calibration.observations import Observation, Observations
from pagecost.devices.nand import Chip
from pagecost.devices.ssd import Session, Ssd
from pagecost.devices.ssd.theory import closed_rate
from pagecost.errors import require

UNIT_BYTES = 4096
SERVED, SERVED_UNITS = 3000, 200_000  # requests, and pages of them, of a simulated run
STARTS = 256
BLOCKS = 8  # of each die: enough to spread reads over
MOST_DIES = 512  # that are simulated: with more, two of the requests outstanding still hardly ever meet
READS = (
    Unknown("overhead_s", "s", 1e-7, 1e-2, "of the controller and the host, per request, many at once"),
    Unknown("command_s", "s", 1e-8, 1e-3, "of the host interface, per request, one at a time"),
    Unknown("usable_interface_bytes_per_s", "B/s", 1e6, 1e12, "of the host interface"),
    Unknown("page_read_s", "s", 1e-7, 1e-2, "of the array, per page of 4 KiB"),
    Unknown("parallel_reads", "1", 1.0, 4096.0, "dies that work at once, channels times dies on each"),
    Unknown("dies_per_channel", "1", 1.0, 64.0, "dies that share a channel"),
    Unknown("channels_bytes_per_s", "B/s", 1e6, 1e12, "of all channels together"),
)
WRITES = (Unknown("page_program_s", "s", 1e-7, 1e-1, "of a die per 4 KiB written, with its share of the collection"),)
CACHES = {True: "a write is answered when it is in a cache", False: "a write is answered when it is programmed"}


class Load(NamedTuple):
    """The points of a fit as arrays of one shape."""

    write: np.ndarray
    block_bytes: np.ndarray
    depth: np.ndarray

    @classmethod
    def of(cls, observations) -> "Load":
        """From observations."""
        return cls(
            np.array([each.is_write for each in observations], bool),
            np.array([each.block_bytes for each in observations], float),
            np.array([each.depth for each in observations], float),
        )


@dataclass(frozen=True, eq=False)
class SsdFit:
    """An SSD that explains its measurements. cached: whether writes end in a write cache, None without any writes."""

    fit: Fit
    cached: bool | None
    used: tuple[Observation, ...]
    notes: tuple[str, ...]

    kind = "ssd"

    def rates(self, observations: Sequence[Observation]) -> np.ndarray:
        """Requests per second that the best fit predicts, shape (observations,)."""
        return np.exp(log_rates(self.fit.logs, Load.of(observations), bool(self.cached)))

    def rate_interval(self, observations: Sequence[Observation]) -> tuple[np.ndarray, np.ndarray]:
        """Low and high ends of their 95 % intervals, from what the unknowns leave open."""
        load = Load.of(observations)
        low, high = self.fit.interval(lambda logs: log_rates(logs, load, bool(self.cached)))
        return np.exp(low), np.exp(high)

    def response_s(self, observation: Observation) -> np.ndarray:
        """Response times [s] of the simulated drive; empty for writes and what is no whole number of pages."""
        if observation.is_write or observation.block_bytes % UNIT_BYTES:
            return np.empty(0)
        ssd = self.ssd()
        units = ssd.units_of(int(observation.block_bytes))
        count = max(observation.depth + 100, min(SERVED, SERVED_UNITS // units))
        first = np.random.default_rng(7).integers(0, max(ssd.logical_units // units, 1), count) * units
        session = Session(ssd, observation.depth, request_bytes=int(observation.block_bytes))
        return session.serve(first.astype(np.uint32), np.zeros(count, np.uint8), last=False).response_s

    def describes(self, observation: Observation) -> bool:
        """Whether the model says anything of such requests: random ones, and writes only if there were any."""
        return observation.is_random and (not observation.is_write or self.cached is not None)

    def ssd(self) -> Ssd:
        """The best fit as the simulator takes it, its dies and channels rounded; made for reads."""
        values = self.fit.values
        on_each = max(round(values["dies_per_channel"]), 1)
        values["parallel_reads"] = min(values["parallel_reads"], MOST_DIES)
        channels = max(round(values["parallel_reads"] / on_each), 1)
        chip = Chip(
            name="fitted",
            page_bytes=UNIT_BYTES,
            pages_per_block=64,
            read_s=values["page_read_s"],
            program_s=values.get("page_program_s", values["page_read_s"]),
            erase_s=values["page_read_s"],  # no read meets an erase here
        )
        return Ssd(
            name="fitted",
            chip=chip,
            channels=channels,
            dies_per_channel=on_each,
            channel_bytes_per_s=values["channels_bytes_per_s"] / channels,
            interface_bytes_per_s=values["usable_interface_bytes_per_s"],
            command_s=values["command_s"],
            overhead_s=values["overhead_s"],
            blocks=BLOCKS,
            spare=0.5,  # reads need none of it, the translation layer does
        )


def log_rates(logs: np.ndarray, load: Load, cached: bool) -> np.ndarray:
    """Logarithm of the requests per second with `depth` outstanding, shape (..., points) for logs (..., unknowns).

    A cached write is paid by the front alone until the dies cannot keep up. logs: in the order of `READS`, `WRITES`.
    """
    values = np.moveaxis(np.exp(logs)[..., None], -2, 0)  # each a column, beside the points
    overhead_s, command_s, interface, read_s, dies, on_each, all_channels = values[: len(READS)]
    program_s = values[len(READS)] if len(values) > len(READS) else read_s
    channels = np.maximum(dies / on_each, 1.0)
    units = np.maximum(load.block_bytes / UNIT_BYTES, 1.0)
    transfer_s = UNIT_BYTES * channels / all_channels
    front_s = command_s + load.block_bytes / interface
    array_s = np.where(load.write, program_s, read_s)
    rate = closed_rate(
        front_s=front_s,
        delay_s=overhead_s,
        array_s=array_s,
        transfer_s=transfer_s,
        dies=dies,
        channels=channels,
        units=units,
        depth=load.depth,
    )
    if cached:
        front = np.minimum(load.depth / (front_s + overhead_s), 1 / front_s)
        behind = np.minimum(dies / (units * (program_s + transfer_s)), channels / (units * transfer_s))
        rate = np.where(load.write, np.minimum(front, behind), rate)
    return np.log(rate)


def fit_ssd(observations: Observations) -> SsdFit:
    """The SSD that explains the random reads and writes best. Raises ModelError for too few of them."""
    used = [each for each in observations.fitted if each.is_random]
    reads, writes = [o for o in used if not o.is_write], [o for o in used if o.is_write]
    require(bool(reads), "an SSD is fitted to random reads, of which the files hold none")
    require(
        len({each.depth for each in reads}) > 1 or len({each.block_bytes for each in reads}) > 1,
        "an SSD is fitted to random reads of several sizes and depths; the files hold one of each",
    )
    starts = _starts(reads)
    if not writes:
        alone = _fitted(reads, READS, starts[:, : len(READS)], False, observations.noise)
        return SsdFit(alone, None, tuple(reads), _notes(reads, []))
    made = {cached: _fitted(used, READS + WRITES, starts, cached, observations.noise) for cached in CACHES}
    cached = min(made, key=lambda each: float((made[each].weights * made[each].residuals ** 2).sum()))
    return SsdFit(made[cached], cached, tuple(used), (f"{CACHES[cached].capitalize()}.", *_notes(reads, writes)))


def _notes(reads, writes) -> tuple[str, ...]:
    deepest = max(each.depth for each in reads)
    notes = [f"The model of a page read holds for {UNIT_BYTES} bytes; smaller requests cost as much."]
    if deepest == 1:
        notes.append("Nothing was measured with several reads outstanding: what works in parallel shows in sizes only.")
    if not writes:
        notes.append("There are no random writes, so nothing is said of them.")
    return tuple(notes)


def _starts(reads: list[Observation]) -> np.ndarray:
    """First guesses, shape (`STARTS`, unknowns): the shares of the latency and of the rates drawn by lot."""
    first = min(reads, key=lambda each: (each.depth, each.block_bytes))
    alone = first.depth / first.iops
    fastest = max(each.iops for each in reads)
    widest = max(each.iops * each.block_bytes for each in reads)
    shares = np.random.default_rng(1).random((STARTS, len(READS) + len(WRITES)))

    def between(at: int, low: float, high: float) -> np.ndarray:
        return low * (high / low) ** shares[:, at]

    controller = between(0, 0.03, 0.97)
    made = {
        "overhead_s": alone * controller,
        "command_s": between(1, 0.03, 1) / fastest,
        "usable_interface_bytes_per_s": between(2, 1, 6) * widest,
        "page_read_s": alone * (1 - controller),
        "parallel_reads": between(3, 1, 512),
        "dies_per_channel": between(4, 1, 16),
        "channels_bytes_per_s": between(5, 1, 6) * widest,
        "page_program_s": between(6, 0.3, 100) * alone,
    }
    return np.stack([made[each.name] for each in READS + WRITES], axis=1)


def _fitted(used, unknowns, starts, cached: bool, noise: float) -> Fit:
    load = Load.of(used)
    measured = np.array([math.log(each.iops) for each in used])
    weights = np.array([len(each.logs) for each in used], float)
    return fit(
        unknowns,
        lambda logs: log_rates(logs, load, cached),
        measured,
        starts,
        weights=weights,
        noise=noise,
        edges=True,
    )
