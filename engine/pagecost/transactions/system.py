"""Runs a transaction system: warm start, batches, confidence intervals, the laws asserted (Rahm 1992, §3)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pagecost import cancellation
from pagecost.errors import known, require
from pagecost.intervals import BATCHES, batch_interval
from pagecost.transactions import machine_kernels as m
from pagecost.transactions import stations_kernels as stations
from pagecost.transactions import storage_kernels as storage
from pagecost.transactions.assembly import assemble, queue_names
from pagecost.transactions.laws import check_laws
from pagecost.transactions.loads import Load, turning_over
from pagecost.transactions.parameters import LAWS, TransactionSystem
from pagecost.transactions.system_kernels import run as run_events

CHUNK = 500  # transactions between two looks at progress
LOCKS = "queue for locks"  # what cannot keep up where transactions hold their places while they wait for each other
PLACES = "multiprogramming level"  # likewise where they hold them while a device is slow, and no queue is at a station
BEYOND_CHANCE = 4.0  # standard deviations of Poisson arrivals by which fewer are answered than come: a queue grows
FULL = 0.999  # offered utilisation from which a station counts as saturated; the rest is noise
BUSY = 0.9  # share of the time that it then works; less where few are answered, and others did what is offered to it
NEXT_LOOK = 1.15  # a run that is too wide goes on by this factor: looking often would stop at lucky moments
WARM_UP = 2000  # transactions before measuring, after the buffers were filled without time


@dataclass(frozen=True, eq=False)
class Run:
    """What was measured. All times in s, per completed transaction; station names as in `utilisation`.

    response_s ± half_width_s: mean and 95 % confidence interval from batch means. percentiles: 50, 90, 95, 99 -> s.
    composition: terms that add up to response_s. throughput_hz. utilisation: busy share of a server. queue: mean
    number waiting. hits: record type -> (references, main memory, NVEM, disk cache), per transaction. ios: per
    transaction, by unit and kind. locks: requests, denied requests, deadlocks per transaction. saturated: what
    cannot keep up, a station, the queue for locks or the multiprogramming level, or empty.
    """

    transactions: int
    seconds: float
    response_s: float
    half_width_s: float
    percentiles: Mapping[int, float]
    composition: Mapping[str, float]
    throughput_hz: float
    utilisation: Mapping[str, float]
    queue: Mapping[str, float]
    hits: Mapping[str, tuple[float, float, float, float]]
    ios: Mapping[str, float]
    locks: Mapping[str, float]
    restarts: int
    saturated: str
    events: int


class Simulation:
    """A transaction system at work, to be carried on in steps. rate_hz: open; terminals and think_s: closed.

    arrivals: "exponential" (Poisson) or "constant" times between the transactions of an open source.
    """

    def __init__(
        self,
        system: TransactionSystem,
        load: Load,
        *,
        rate_hz: float | None = None,
        terminals: int | None = None,
        think_s: float = 0.0,
        arrivals: str = "exponential",
        seed: int = 1,
    ):
        known("distribution of arrivals", arrivals, LAWS[:2])
        require(
            (rate_hz is None) != (terminals is None),
            "a simulation needs an arrival rate or a number of terminals, and not both",
        )
        if rate_hz is not None:
            require(0 < rate_hz < math.inf, f"the arrival rate must be positive and finite; got {rate_hz}")
        if terminals is not None:
            require(1 <= terminals <= 10_000, f"the number of terminals must be 1..10000; got {terminals}")
        require(0 <= think_s < math.inf, f"the think time must be finite and not negative; got {think_s}")
        self.system, self.load = system, load
        self.rate_hz, self.names = rate_hz, queue_names(system)
        self.machine, self.state = assemble(system, load, rate_hz, terminals, think_s, seed, arrivals)
        self.responses = [np.empty(0)]
        self._replay(turning_over(system.cached_pages))
        self._start = self._snapshot()
        if self.carry_on(WARM_UP, keep=False) == WARM_UP:
            self._start = self._snapshot()

    def _replay(self, transactions: int) -> None:
        """Fill main memory and caches without time."""
        state = self.state
        storage.replay(
            *(state.caches, self.machine.rules, self.machine.load, 0, transactions, state.appended, state.buffered),
            *(np.zeros(1 + self.load.longest, np.int64), np.zeros_like(state.counts)),
        )
        state.scalar[m.NEXT_TRANSACTION] = transactions

    def carry_on(self, transactions: int, keep: bool = True) -> int:
        """Complete so many transactions more; returns how many, fewer if the system cannot keep up at all."""
        cancellation.point()
        out = np.empty(transactions)
        done = run_events(self.machine, self.state, out)
        if keep:
            self.responses.append(out[:done])
        return done

    def measure(
        self, *, precision: float = 0.02, least: int = 10_000, most: int = 100_000, progress: Callable | None = None
    ) -> Run:
        """Run until the half width of the interval is `precision` of the mean, within least .. most transactions.

        progress(transactions done, mean so far) may raise to cancel.
        """
        require(0 < precision < 1, f"precision must be in 0..1; got {precision}")
        require(BATCHES <= least <= most, f"least and most must be {BATCHES} <= least <= most; got {least}, {most}")
        done, look = 0, float(least)
        while done < most:
            wanted = min(CHUNK, most - done)
            came = self.carry_on(wanted)
            done += came
            if progress:
                progress(done, self.responses)
            if came < wanted or self._saturated(self._snapshot(), done, 2 * BEYOND_CHANCE) == LOCKS:
                break
            if done >= look:
                mean, half = batch_interval(np.concatenate(self.responses))
                if half <= precision * mean or self._saturated(self._snapshot(), done):
                    break
                look = done * NEXT_LOOK
        return self.result()

    def result(self) -> Run:
        """What was measured since the warm-up. Asserts Little's law and the utilisation law for every station."""
        state, names = self.state, self.names
        check_laws(state, names)
        responses = np.concatenate(self.responses)
        n = max(responses.size, 1)
        was, now = self._start, self._snapshot()
        seconds = now["clock_s"] - was["clock_s"]
        clock, total = now["clock"] - was["clock"], (now["total_s"] - was["total_s"]) / n
        servers = state.stations.count[:, stations.SERVERS]
        utilisation = clock[:, stations.BUSY_AREA_S] / (servers * seconds)
        mean, half = batch_interval(responses)
        counts, units = (now["counts"] - was["counts"]) / n, (now["units"] - was["units"]) / n
        locks = (now["locks"] - was["locks"]) / n
        return Run(
            transactions=responses.size,
            seconds=seconds,
            response_s=mean,
            half_width_s=half,
            percentiles={p: float(np.percentile(responses, p)) if responses.size else np.nan for p in (50, 90, 95, 99)},
            composition=_summed(term_names(self.system), total),
            throughput_hz=responses.size / seconds,
            utilisation=_summed(names, utilisation / np.array([names.count(name) for name in names])),
            queue=_summed(names, clock[:, stations.QUEUE_AREA_S] / seconds),
            hits={
                record: tuple(
                    counts[i, [storage.REFERENCES, storage.MAIN_HITS, storage.NVEM_HITS, storage.CACHE_HITS]].tolist()
                )
                for i, record in enumerate(self.load.partitions)
            },
            ios=self._ios(counts, units, (now["log"] - was["log"]) / n),
            locks=dict(zip(("requests", "denied", "deadlocks"), locks.tolist(), strict=True)),
            restarts=int(now["restarts"] - was["restarts"]),
            saturated=self._saturated(now, n),
            events=int(now["events"] - was["events"]),
        )

    def _ios(self, counts, units, log):
        found = {
            "page reads": float(counts[:, storage.HOME_READS].sum()),
            "page writes": float(counts[:, storage.HOME_WRITES].sum()),
            "NVEM cache writes": float(counts[:, storage.NVEM_WRITES].sum()),
            "log writes": float(log),
        }
        for i, unit in enumerate(self.system.units):
            for column, what in enumerate(("reads", "writes", "read hits", "fast writes")):
                found[f"{unit.name} {what}"] = float(units[i, column])
        return found

    def _saturated(self, now: dict, n: int, beyond: float = BEYOND_CHANCE) -> str:
        """What is offered more than it can do; empty if nothing is, or if the load waits for answers.

        A station, or what no station shows: transactions keep their places in the system while they wait. beyond:
        standard deviations of the arrivals that must still be waiting.
        """
        if self.rate_hz is None:
            return ""
        was = self._start
        clock = now["clock"] - was["clock"]
        servers = self.state.stations.count[:, stations.SERVERS]
        seconds = now["clock_s"] - was["clock_s"]
        offered = self.rate_hz * clock[:, stations.SERVED_S] / n / servers
        worst = int(offered.argmax())
        if offered[worst] >= FULL and clock[worst, stations.BUSY_AREA_S] > BUSY * servers[worst] * seconds:
            return self.names[worst]
        arrived = self.rate_hz * seconds
        if n >= arrived - beyond * np.sqrt(arrived) and self.state.scalar[m.STATUS] == m.RUNNING:
            return ""
        total_s = _summed(term_names(self.system), now["total_s"] - was["total_s"])
        waits = {name: total_s[f"{name} wait"] for name in self.names}
        station = max(waits, key=waits.__getitem__)
        if total_s["lock wait"] > waits[station]:
            return LOCKS
        return PLACES if total_s["input queue"] > waits[station] else station

    def _snapshot(self) -> dict:
        state = self.state
        return {
            "clock": state.stations.clock.copy(),
            "clock_s": float(state.clock_s[0]),
            "total_s": state.total_s.copy(),
            "counts": state.counts.copy(),
            "units": state.unit_count.copy(),
            "locks": state.locks.counts.copy(),
            "log": int(state.scalar[m.LOG_PAGES]),
            "restarts": int(state.scalar[m.RESTARTS]),
            "events": int(state.scalar[m.EVENTS]),
        }


def _summed(names: Sequence[str], values: np.ndarray) -> dict[str, float]:
    """Values by name; those of queues before disks of one unit, which share their names, together."""
    found: dict[str, float] = {}
    for name, value in zip(names, values.tolist(), strict=True):
        found[name] = found.get(name, 0.0) + value
    return found


def simulate(system: TransactionSystem, load: Load, *, progress: Callable | None = None, **options) -> Run:
    """One run: the options of `Simulation`, and `precision`, `least`, `most` of `measure`."""
    lengths = {name: options.pop(name) for name in ("precision", "least", "most") if name in options}
    return Simulation(system, load, **options).measure(progress=progress, **lengths)


def term_names(system: TransactionSystem) -> tuple[str, ...]:
    """The terms of the response time, in the order of the arrays."""
    by_station = [f"{name} {what}" for name in queue_names(system) for what in ("wait", "service")]
    return (*by_station, "transmission", "lock wait", "input queue", "commit group")
