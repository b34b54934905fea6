"""Run a workload against a translation layer until it is steady, round by round."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pagecost import cancellation
from pagecost.devices.ftl.blame_kernels import PROGRAMS_DUE, ROWS
from pagecost.devices.ftl.buffers import WRITE_POLICIES
from pagecost.devices.ftl.counts import Counts
from pagecost.devices.ftl.geometry import Geometry
from pagecost.devices.ftl.layers import LAYERS, Layer, Options
from pagecost.devices.ftl.victims import VICTIMS
from pagecost.devices.ftl.workload import CHUNK, KINDS, Workload
from pagecost.devices.ftl.write_buffer import WriteBuffer
from pagecost.errors import known, require

WINDOW = 5  # rounds, SNIA PTS
MOST_ROUNDS = 25  # to become steady
RANGE_LIMIT, SLOPE_LIMIT = 0.20, 0.10  # of the window's average


@dataclass(frozen=True, kw_only=True, slots=True)
class Steadiness:
    """The criterion of SNIA's performance test specification on write amplification per round.

    Over the last five rounds: spread, largest - smallest, at most 20 % of their average; drift, |slope of the best
    line| · 4, at most 10 % of it. With fewer rounds both are nan and nothing is steady.
    """

    rounds: int
    spread: float
    drift: float

    @classmethod
    def of(cls, write_amplification) -> "Steadiness":
        """From the write amplification of each round, shape (rounds,)."""
        last = np.asarray(write_amplification, float)[-WINDOW:]
        if last.size < WINDOW or not np.isfinite(last).all():
            return cls(rounds=len(write_amplification), spread=float("nan"), drift=float("nan"))
        centred = np.arange(WINDOW) - (WINDOW - 1) / 2
        slope = float(centred @ last / (centred @ centred))
        return cls(
            rounds=len(write_amplification),
            spread=float(np.ptp(last) / last.mean()),
            drift=abs(slope) * (WINDOW - 1) / float(last.mean()),
        )

    @property
    def steady(self) -> bool:
        """Whether the criterion of the steady state is met."""
        return self.spread <= RANGE_LIMIT and self.drift <= SLOPE_LIMIT

    def sentence(self) -> str:
        """Whether it is steady, and if not how far it came."""
        if self.rounds < WINDOW:
            return f"Not steady: {self.rounds} rounds were run, the criterion needs {WINDOW}."
        found = (
            f"over the last {WINDOW} of {self.rounds} rounds write amplification spread over {self.spread:.1%} of its "
            f"mean (limit {RANGE_LIMIT:.0%}) and drifted by {self.drift:.1%} (limit {SLOPE_LIMIT:.0%})"
        )
        return f"Steady: {found}." if self.steady else f"Not steady: {found}."


@dataclass(frozen=True, kw_only=True, eq=False)
class Round:
    """One round as a chart streams it. counts: of this round alone; erase_counts, free_blocks: at its end."""

    number: int
    host_pages_before: int
    counts: Counts
    free_blocks: int
    erase_counts: np.ndarray

    @property
    def write_amplification(self) -> float:
        """Pages programmed per page that the host wrote."""
        return self.counts.write_amplification


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """What a workload did to a device. counts: of the measured rounds; whole: since the device was erased.

    write_amplification_per_round: shape (rounds,). worst_request: pages programmed because of one host write, at most;
    blamed_requests: host writes that caused any, in the measured rounds. erase_counts: at the end, shape (blocks,).
    """

    layer: str
    geometry: Geometry
    options: Options
    workload: Workload
    counts: Counts
    whole: Counts
    write_amplification_per_round: np.ndarray
    measured_from: int
    steadiness: Steadiness
    worst_request: int
    blamed_requests: int
    erase_counts: np.ndarray
    map_bytes: int

    @property
    def write_amplification(self) -> float:
        """Programmed pages per host page, in the measured rounds."""
        return self.counts.write_amplification

    @property
    def wear_amplification(self) -> float:
        """Pages whose cycle is used up per host page, in the measured rounds."""
        return self.counts.wear_amplification

    @property
    def steady(self) -> bool:
        """Whether the criterion of the steady state is met."""
        return self.steadiness.steady


class Simulation:
    """A device that is filled, perhaps trimmed, and then overwritten. It can be looked at between rounds."""

    def __init__(
        self,
        geometry: Geometry,
        workload: Workload | np.ndarray | None = None,
        *,
        layer: str = "page",
        seed: int = 1,
        fill: bool = True,
        buffer_pages: int = 0,
        buffer_policy: str = "lru",
        **options,
    ):
        """An empty device, filled once in page order if `fill`.

        workload: a `Workload`, or page numbers that are written over and over, any integers of shape (n,).
        buffer_pages: RAM in front of it that holds writes back (a `WriteBuffer`), 0: none; the fill goes past it.
        options: fields of `Options`. Raises ModelError for what is not possible.
        """
        self.geometry, self.workload = geometry, workload if workload is not None else Workload()
        self.options = Options(seed=seed, **options)
        self.device: Layer = LAYERS[known("translation layer", layer, LAYERS)](geometry, self.options)
        self._pages = geometry.logical_pages
        if isinstance(self.workload, Workload):
            self._stream: Any = self.workload.stream(self._pages, seed)
            live = self.workload.live_pages(self._pages)
        else:
            self._stream = _Repeated(self.device._requests(self.workload, 0))
            live = self._pages
        self.buffer = WriteBuffer(geometry, buffer_pages, buffer_policy) if buffer_pages else None
        self.worst_request = self.blamed_requests = 0
        if fill:
            self._serve_all(self.device.write, np.arange(self._pages))
            self._serve_all(self.device.trim, np.arange(live, self._pages))
        self.rounds: list[Round] = []

    def write(self, writes: int) -> Round:
        """One round: the next `writes` writes of the workload. With a buffer the counts are of what left it."""
        before = self.device.counts()
        buffer, room = np.empty(CHUNK, np.uint32), np.empty(ROWS * CHUNK, np.uint32)
        for at in range(0, writes, CHUNK):
            cancellation.point()
            requests = buffer[: min(CHUNK, writes - at)]
            self._stream.draw(requests)
            for leaving in self.buffer.absorb(requests) if self.buffer else (requests,):
                for start in range(0, leaving.size, CHUNK):
                    part = leaving[start : start + CHUNK]
                    blame = self.device.serve(part, room)[PROGRAMS_DUE]
                    self.worst_request = max(self.worst_request, int(blame.max(initial=0)))
                    self.blamed_requests += int(np.count_nonzero(blame))
        made = Round(
            number=len(self.rounds),
            host_pages_before=before.host_pages,
            counts=self.device.counts() - before,
            free_blocks=self.device.free_blocks,
            erase_counts=self.device.erase_counts.copy(),
        )
        self.rounds.append(made)
        return made

    def _serve_all(self, verb, pages: np.ndarray) -> None:
        for at in range(0, pages.size, CHUNK):
            cancellation.point()
            verb(pages[at : at + CHUNK])

    def result(self, measured_from: int) -> Run:
        """The rounds from number `measured_from` on, as a result."""
        measured = self.rounds[measured_from:]
        require(len(measured) > 0, "a result needs at least one round to measure")
        whole = self.device.counts()
        counts = sum((one.counts for one in measured), Counts())
        per_round = np.array([one.write_amplification for one in self.rounds])
        return Run(
            layer=self.device.name,
            geometry=self.geometry,
            options=self.options,
            workload=self.workload if isinstance(self.workload, Workload) else Workload(),
            counts=counts,
            whole=whole,
            write_amplification_per_round=per_round,
            measured_from=measured_from,
            steadiness=Steadiness.of(per_round),
            worst_request=self.worst_request,
            blamed_requests=self.blamed_requests,
            erase_counts=self.device.erase_counts.copy(),
            map_bytes=self.device.map_bytes,
        )


def warm() -> None:
    """Write a little to every layer, with every victim policy and workload, so that all kernels are compiled."""
    geometry = Geometry(blocks=16, pages_per_block=4, page_bytes=16, spare=0.5)
    for layer in LAYERS:
        Simulation(geometry, layer=layer).write(100)
    for policy in VICTIMS:
        Simulation(geometry, policy=policy).write(100)
        Simulation(geometry, policy=policy, heat_pages=1).write(100)
    for policy in WRITE_POLICIES:
        Simulation(geometry, buffer_pages=8, buffer_policy=policy).write(100)
    for kind in KINDS:
        Simulation(geometry, Workload(kind=kind)).write(100)


class _Repeated:
    """Given page numbers, over and over."""

    def __init__(self, pages: np.ndarray):
        require(pages.size > 0, "the page numbers to write are empty")
        self._pages, self._at = pages, 0

    def draw(self, out: np.ndarray) -> None:
        out[:] = self._pages[(self._at + np.arange(out.size)) % self._pages.size]
        self._at = (self._at + out.size) % self._pages.size


def measure(
    geometry: Geometry,
    workload: Workload | np.ndarray | None = None,
    *,
    writes: int,
    layer: str = "page",
    seed: int = 1,
    rounds: int = 10,
    progress: Callable[[int, int, Simulation], None] = lambda done, total, simulation: None,
    **options,
) -> Run:
    """Write until the device is steady (SNIA), then measure exactly `writes` host pages, in `rounds` equal rounds.

    Before the measurement the device is filled in order and overwritten in rounds of its own size, five to 25 of them;
    the result says whether it was steady at the end. Arguments and errors as for `simulate`.
    """
    simulation = Simulation(geometry, workload, layer=layer, seed=seed, **options)
    _check_rounds(writes, rounds)
    while len(simulation.rounds) < MOST_ROUNDS:
        simulation.write(geometry.logical_pages)
        if Steadiness.of([one.write_amplification for one in simulation.rounds]).steady:
            break
    return _measured(simulation, writes, rounds, 0, progress)


def simulate(
    geometry: Geometry,
    workload: Workload | np.ndarray | None = None,
    *,
    layer: str = "page",
    writes: int | None = None,
    rounds: int = 12,
    seed: int = 1,
    fill: bool = True,
    progress: Callable[[int, int, Simulation], None] = lambda done, total, simulation: None,
    **options,
) -> Run:
    """Overwrite a device `writes` times in `rounds` equal rounds and measure the last third of them.

    workload: a `Workload` (default: uniform random) or page numbers. writes: host pages, >= rounds; None: as many as
    `rounds` times the logical pages. fill: write every page once first, in order. options: fields of `Options`
    (policy, separate, reserve_blocks, …). progress(done, total, simulation) is called after each round and may raise
    to cancel. Raises ModelError for what is not possible.
    """
    simulation = Simulation(geometry, workload, layer=layer, seed=seed, fill=fill, **options)
    writes = rounds * geometry.logical_pages if writes is None else writes
    _check_rounds(writes, rounds)
    return _measured(simulation, writes, rounds, rounds - max(1, rounds // 3), progress)


def _check_rounds(writes: int, rounds: int) -> None:
    require(rounds >= 1, f"at least one round is needed; got {rounds}")
    require(writes >= rounds, f"writes must be at least one per round ({rounds}); got {writes}")


def _measured(simulation: Simulation, writes: int, rounds: int, skipped: int, progress) -> Run:
    """Write `rounds` rounds; the result is of those after the first `skipped` ones."""
    measured_from = len(simulation.rounds) + skipped
    for number in range(rounds):
        if number == skipped:
            simulation.worst_request = simulation.blamed_requests = 0
        simulation.write(writes * (number + 1) // rounds - writes * number // rounds)
        progress(number + 1, rounds, simulation)
    return simulation.result(measured_from)
