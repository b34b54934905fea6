"""Runs the system in the loop: fill, warm-up, windows of time, the laws asserted, and what was measured."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pagecost import cancellation
from pagecost.errors import require
from pagecost.filesystem import CAUSES
from pagecost.intervals import batch_interval
from pagecost.oltp import machine_kernels as m
from pagecost.oltp import page_cache_kernels as page_cache
from pagecost.oltp import queues_kernels as q
from pagecost.oltp.assembly import DEVICE, LOG_DEVICE, assemble, station_names
from pagecost.oltp.laws import check_laws
from pagecost.oltp.loads import Load
from pagecost.oltp.loop_kernels import run as run_events
from pagecost.oltp.setup import Setup
from pagecost.transactions import stations_kernels as stations

TERMS = {
    "processor_wait_s": "wait for a processor",
    "processor_s": "processing",
    "lock_wait_s": "wait for locks",
    "read_s": "reading pages",
    "write_s": "writing pages that make room or are forced",
    "log_s": "log",
    "cleaning_s": "wait for clean segments",
}
"""Terms of the response time, which add up to it, in the order of the arrays."""

OPEN_TERMS = TERMS | {"entry_s": "wait for a connection"}
"""The same where transactions come by themselves."""

LEVELS = {"database": "asked by the database", "file system": "put to the queues", "device": "carried out"}
"""Levels at which requests are counted."""

OPERATIONS = ("read", "write", "trim")
CACHE_COUNTS = ("page cache hits", "page cache reads", "pages read ahead")
WRITE_CACHES = {
    "extents destaged": q.DESTAGES,
    "blocks written over": q.OVERWRITTEN,
    "write cache reads": q.READ_HITS,
    "writes without room": q.STALLS,
}
"""What is counted of the devices' write caches."""

SERIES = ("tps", "response_s", "device_utilisation", "device_reads_hz", "device_writes_hz")
PERCENTILES = (50, 90, 95, 99)
WINDOWS = 60  # into which a run is cut
MOST_SECONDS = 1e6


@dataclass(frozen=True, eq=False)
class OltpRun:
    """What was measured after the warm-up. Times in s, sizes in bytes.

    tps: completed transactions per second, in all, and by_type. response_s ± half_width_s: mean, 95 % interval from
    batch means; response_of: by type; percentiles: 50, 90, 95, 99 -> s. composition: `TERMS` (`OPEN_TERMS` where they
    come by themselves) -> s of a mean transaction, which add up to response_s. utilisation: busy share of a server, by
    station; queue: mean number waiting; written_bytes: to it, where it is a device. counts: what happened, in all.
    requests, moved_bytes: (level, operation) -> number, bytes. sizes: the same -> int64[SIZES], requests of 1, 2-3,
    4-7, … blocks. by_cause: (cause in the file system, operation) -> bytes; causes are `filesystem.CAUSES`. average_w,
    energy_j: of all devices, nan where not known. filled: share of the buffer's frames, as far as the database has
    pages for them, that held one when the measuring began: below 1 nothing was driven out for room. window_end_s:
    float64[windows], since the end of the warm-up; windows: name of `SERIES` -> float64[windows], the utilisation that
    of the busiest device. ended: the load ran out of transactions before its time. events: that were handled.
    """

    seconds: float
    transactions: int
    tps: float
    by_type: Mapping[str, float]
    response_s: float
    half_width_s: float
    response_of: Mapping[str, float]
    percentiles: Mapping[int, float]
    composition: Mapping[str, float]
    utilisation: Mapping[str, float]
    queue: Mapping[str, float]
    written_bytes: Mapping[str, int]
    counts: Mapping[str, int]
    requests: Mapping[tuple[str, str], int]
    moved_bytes: Mapping[tuple[str, str], int]
    sizes: Mapping[tuple[str, str], np.ndarray]
    by_cause: Mapping[tuple[str, str], int]
    average_w: float
    energy_j: float
    filled: float
    window_end_s: np.ndarray
    windows: Mapping[str, np.ndarray]
    ended: bool
    events: int

    @property
    def tpm(self) -> float:
        """Transactions per minute."""
        return 60 * self.tps

    def devices(self, *, of_log: bool = False) -> tuple[str, ...]:
        """The stations that are the devices of the data, or those that the log has for itself."""
        title = LOG_DEVICE if of_log else DEVICE
        return tuple(name for name in self.written_bytes if name.startswith(title))

    def busy(self, *, of_log: bool = False) -> float:
        """Busy share of these devices, the mean over them; nan where there are none."""
        names = self.devices(of_log=of_log)
        return float(np.mean([self.utilisation[name] for name in names])) if names else float("nan")

    def mean_request_bytes(self, level: str, operation: str) -> float:
        """Mean size of the requests [B] at a level of `LEVELS`; nan where there were none."""
        count = self.requests[level, operation]
        return self.moved_bytes[level, operation] / count if count else float("nan")


class Simulation:
    """A system at work, to be carried on in steps. fill: so many transactions of the load have passed through the
    buffer before, without time; 0: cold start."""

    def __init__(self, setup: Setup, load: Load, *, fill: int = 0, seed: int = 1):
        require(
            0 <= fill < load.transactions - setup.users,
            f"fill must leave more transactions than users, 0..{load.transactions - setup.users - 1}; got {fill}",
        )
        self.setup, self.load, self.names, self._fill = setup, load, station_names(setup), fill
        self.machine, self.state = assemble(setup, load, fill, seed)
        self.now_s = 0.0
        self._start = self._snapshot()
        self._windows: list[dict[str, Any]] = [self._start]

    @property
    def ended(self) -> bool:
        """Whether the load has no transaction left."""
        return bool(self.state.core.scalar[m.STATUS] == m.LOAD_ENDED)

    def carry_on(self, until_s: float = np.inf, transactions: int | None = None) -> None:
        """Go on until a time, or until so many transactions more are complete, and close a window.

        Raises ModelError where more requests wait at a time than there is room for.
        """
        cancellation.point()
        scalar = self.state.core.scalar
        most = self.load.transactions if transactions is None else int(scalar[m.COMPLETED]) + transactions
        run_events(self.machine, self.state, until_s, most)
        require(
            scalar[m.STATUS] != m.NO_SPACE,
            f"{type(self.setup.file_system).__name__}: cleaning cannot free a segment; make the volume larger, or "
            "clean more segments at a time",
        )
        require(
            scalar[m.STATUS] != m.TOO_MANY_REQUESTS,
            f"more than {self.state.queues.came_s.size} requests wait at a time: write in smaller batches, or use "
            "fewer users",
        )
        stopped = self.ended or scalar[m.COMPLETED] >= most or not np.isfinite(until_s)
        self.now_s = float(self.state.clock_s[0]) if stopped else until_s
        self._windows.append(self._snapshot())

    @property
    def cached_share(self) -> float:
        """How full the devices' write caches are, all of them together, 0..1; nan where there are none."""
        unit = self.state.queues.unit
        room = int(unit[:, q.CACHE_BLOCKS].sum())
        return float(unit[:, [q.HELD, q.DESTAGING]].sum() / room) if room else float("nan")

    @property
    def responses_s(self) -> np.ndarray:
        """Response times [s] of what was completed since the measuring began, float64[transactions], by completion."""
        return self.state.record.response_s[self._start["completed"] : self._windows[-1]["completed"]].copy()

    def measure_from_here(self) -> None:
        """What was before is a warm-up: it counts no more."""
        self._start = self._snapshot()
        self._windows = [self._start]

    def result(self) -> OltpRun:
        """What was measured since. Asserts Little's law and the utilisation law for every station."""
        state, load = self.state, self.load
        check_laws(state, self.names)
        was, now = self._start, self._windows[-1]
        seconds = now["time_s"] - was["time_s"]
        chosen = slice(was["completed"], now["completed"])
        responses, kinds = state.record.response_s[chosen], state.record.done_kind[chosen]
        n = max(responses.size, 1)
        _, half = batch_interval(responses)
        counts = np.bincount(kinds, minlength=len(load.kinds))
        sums = np.bincount(kinds, responses, minlength=len(load.kinds))
        area, queue = now["area"] - was["area"], now["queue"] - was["queue"]
        utilisation = area / (now["servers"] * seconds) if seconds else np.full(area.size, np.nan)
        made = {name: int(now["counts"][name] - was["counts"][name]) for name in now["counts"]}
        sizes, blocks = now["sizes"] - was["sizes"], now["blocks"] - was["blocks"]
        cells = [(level, op, i, k) for i, level in enumerate(LEVELS) for k, op in enumerate(OPERATIONS)]
        causes, written = now["causes"] - was["causes"], now["written"] - was["written"]
        watts = self._average_w(utilisation[1:])
        terms = OPEN_TERMS if self.setup.rate_hz else TERMS
        return OltpRun(
            seconds=seconds,
            transactions=responses.size,
            tps=responses.size / seconds if seconds else np.nan,
            by_type={kind: count / seconds for kind, count in zip(load.kinds, counts.tolist(), strict=True) if seconds},
            response_s=float(responses.mean()) if responses.size else np.nan,
            half_width_s=half,
            response_of={kind: float(sums[at] / counts[at]) for at, kind in enumerate(load.kinds) if counts[at]},
            percentiles={p: float(np.percentile(responses, p)) if responses.size else np.nan for p in PERCENTILES},
            composition=dict(zip(terms, ((now["total_s"] - was["total_s"]) / n)[: len(terms)].tolist(), strict=True)),
            utilisation=dict(zip(self.names, utilisation.tolist(), strict=True)),
            queue=dict(zip(self.names, (queue / seconds if seconds else queue).tolist(), strict=True)),
            written_bytes=dict(zip(self.names[1:], (written * self.setup.block_bytes).tolist(), strict=True)),
            counts=made,
            requests={(level, op): int(sizes[i, k].sum()) for level, op, i, k in cells},
            moved_bytes={(level, op): int(blocks[i, k]) * self.setup.block_bytes for level, op, i, k in cells},
            sizes={(level, op): sizes[i, k] for level, op, i, k in cells},
            by_cause={
                (cause, op): int(causes[k, i]) * self.setup.block_bytes
                for i, cause in enumerate(CAUSES)
                for k, op in enumerate(OPERATIONS[:2])
                if causes[k, i]
            },
            average_w=watts,
            energy_j=watts * seconds,
            filled=self._filled(self._fill + was["completed"]),
            window_end_s=np.array([window["time_s"] - was["time_s"] for window in self._windows[1:]]),
            windows=self._series(),
            ended=self.ended,
            events=made["events"],
        )

    def _filled(self, transactions: int) -> float:
        """Share of the buffer's frames that so many transactions have filled."""
        passed = int(self.load.first[min(transactions, self.load.transactions)])
        misses = passed - np.count_nonzero(self.machine.load.hit[:passed])
        return min(misses / min(self.setup.buffer.frames, self.load.pages), 1.0)

    def _average_w(self, utilisation: np.ndarray) -> float:
        """Of all devices together: active while they work, idle else."""
        setup, at, watts = self.setup, 0, 0.0
        for storage in (setup.storage, setup.log and setup.log.storage):
            if storage:
                busy = utilisation[at : at + storage.count]
                drive = storage.drive
                watts += float((drive.idle_w + (drive.active_w - drive.idle_w) * busy).sum())
                at += storage.count
        return watts

    def _series(self) -> dict[str, np.ndarray]:
        series: dict[str, list[float]] = {name: [] for name in SERIES}
        for was, now in zip(self._windows, self._windows[1:], strict=False):
            seconds = max(now["time_s"] - was["time_s"], 1e-12)
            responses = self.state.record.response_s[was["completed"] : now["completed"]]
            series["tps"].append(responses.size / seconds)
            series["response_s"].append(float(responses.mean()) if responses.size else np.nan)
            busy = (now["area"] - was["area"])[1:] / (now["servers"][1:] * seconds)
            series["device_utilisation"].append(float(busy.max()))
            requests = (now["sizes"] - was["sizes"])[m.DEVICE].sum(axis=1) / seconds
            series["device_reads_hz"].append(float(requests[q.READ]))
            series["device_writes_hz"].append(float(requests[q.WRITE]))
        return {name: np.array(values) for name, values in series.items()}

    def _snapshot(self) -> dict[str, Any]:
        state, queues = self.state, self.state.queues
        scalar, count, unit = state.core.scalar, state.stations.count, queues.unit
        clock = np.concatenate([state.stations.clock, queues.clock[:, : q.WAIT_UNTIL_S]])
        busy = np.concatenate([count[:, stations.BUSY], unit[:, q.BUSY]])
        waiting = np.concatenate([count[:, stations.QUEUED], unit[:, q.WAITING] + unit[:, q.STALLED]])
        passed_s = self.now_s - clock[:, stations.CHANGED_S]
        names = ("logical reads", "logical writes", "page reads", "page writes", "checkpoint writes", "log writes")
        counted = (*names, "commits", "pages flushed", "syncs", "forced writes")
        counts = dict(zip(counted, state.core.counts.tolist(), strict=True))
        counts |= {"restarts": int(scalar[m.RESTARTS]), "checkpoints": int(scalar[m.CHECKPOINTS])}
        counts |= dict(zip(("lock requests", "lock waits", "deadlocks"), state.locks.counts.tolist(), strict=True))
        counts |= {"merged": int(unit[:, q.MERGES].sum()), "events": int(scalar[m.EVENTS])}
        counts |= {"anticipations": int(unit[:, q.WAITS].sum()), "anticipations won": int(unit[:, q.WON].sum())}
        counts |= {name: int(unit[:, column].sum()) for name, column in WRITE_CACHES.items()}
        counts |= {"cleanings": int(scalar[m.CLEANINGS]), "segments freed": int(scalar[m.FREED])}
        counts |= dict(zip(CACHE_COUNTS, state.cache.count[page_cache.HITS :].tolist(), strict=True))
        return {
            "time_s": self.now_s,
            "completed": int(scalar[m.COMPLETED]),
            "area": clock[:, stations.BUSY_AREA_S] + busy * passed_s,
            "queue": clock[:, stations.QUEUE_AREA_S] + waiting * passed_s,
            "servers": np.concatenate([count[:, stations.SERVERS], unit[:, q.SERVERS]]),
            "counts": counts,
            "causes": state.volume.blocks.copy(),
            "written": unit[:, q.WRITTEN].copy(),
            "sizes": state.core.sizes.copy(),
            "blocks": state.core.blocks.copy(),
            "total_s": state.record.total_s.sum(axis=0),
        }


def run(
    setup: Setup,
    load: Load,
    *,
    seconds: float | None = None,
    transactions: int | None = None,
    warm_up_s: float = 0.0,
    fill: int = 0,
    seed: int = 1,
    progress: Callable[[float, Callable[[], OltpRun]], None] | None = None,
) -> OltpRun:
    """One run of so many seconds, or of so many transactions, after warm_up_s seconds that are not counted.

    fill: transactions of the load that pass through the buffer before, without time; 0: cold start. It ends early
    where the load runs out of transactions (`OltpRun.ended`). progress(share done, result so far) is called after each
    window and may raise to cancel. Raises ModelError for values outside their ranges and where parts do not fit.
    """
    require((seconds is None) != (transactions is None), "a run needs a number of seconds or of transactions, not both")
    require(
        seconds is None or 0 < seconds <= MOST_SECONDS,
        f"the seconds of a run must be 0..{MOST_SECONDS:g}; got {seconds}",
    )
    require(transactions is None or transactions >= 1, f"a run needs at least one transaction; got {transactions}")
    require(0 <= warm_up_s <= MOST_SECONDS, f"warm_up_s must be 0..{MOST_SECONDS:g}; got {warm_up_s}")
    simulation = Simulation(setup, load, fill=fill, seed=seed)
    if warm_up_s > 0:
        simulation.carry_on(warm_up_s)
        simulation.measure_from_here()
    for window in range(1, WINDOWS + 1):
        if seconds is not None:
            simulation.carry_on(warm_up_s + seconds * window / WINDOWS)
        else:
            assert transactions is not None
            part = transactions * window // WINDOWS - transactions * (window - 1) // WINDOWS
            if part:
                simulation.carry_on(transactions=part)
        if progress:
            progress(window / WINDOWS, simulation.result)
        if simulation.ended:
            break
    return simulation.result()
