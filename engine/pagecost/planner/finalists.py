"""The plans that are worth it, simulated: the whole path of an access, or Debit-Credit's hierarchy of storage."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from math import ceil, inf, nan
from typing import NamedTuple

import numpy as np

from pagecost import catalogue, oltp
from pagecost.answers import path_runs
from pagecost.answers.workers import workers
from pagecost.economics import LEVELS
from pagecost.errors import ModelError, present, require
from pagecost.intervals import mean_and_half_width
from pagecost.planner.demand import Asked, transactions_to_fill
from pagecost.planner.numbers import Numbers
from pagecost.planner.room import Held, device_bytes, held, later_s, page_times, pages_lie_over
from pagecost.planner.space import Parts, usable_share
from pagecost.remembering import remembered
from pagecost.system import FORCE, NOTHING, System
from pagecost.transactions import Computer, DiskUnit, Place, TransactionSystem, before_repeating, simulate
from pagecost.transactions import Load as HierarchyLoad
from pagecost.transactions import debit_credit as hierarchy_load
from pagecost.transactions.parameters import REGULAR, WRITE_BUFFER
from pagecost.workload.debit_credit import DebitCredit

MEASURED, FILL = 8_000, 12_000  # transactions of a run of the whole path, and those before that fill the caches
SPARE = 1.05  # of those that fill them: another seed may touch somewhat fewer pages
WARM_UP = 1_000  # transactions before them that find queues as they are later
CONNECTIONS = 1000  # that work on what comes, as many as the loop takes; what finds none free waits for one
INSTRUCTIONS_PER_S = 50e6  # of a processor in Rahm 1992, Table 4.1; its times alone count
SAMPLES = 512  # of a device's times
SERVED = 0.97  # of the asked-for rate: what comes at random varies, in 8 000 transactions by 1.1 %


class Simulated(NamedTuple):
    """Means over runs and the halves of their 95 % intervals. percentile_s: of the transactions' percentile.

    busy: of the busiest device. mean_w: of all devices, nan where not known. why: why it was not simulated, or empty.
    """

    tps: tuple[float, float]
    response_s: tuple[float, float]
    percentile_s: tuple[float, float]
    busy: tuple[float, float]
    mean_w: tuple[float, float]
    runs: int
    why: str = ""


def unsimulated(why: str) -> Simulated:
    """In the place of runs that could not be."""
    none = (nan, nan)
    return Simulated(none, none, none, none, none, 0, why)


def storage(group: tuple[str, int, str], held_bytes: float = 0.0) -> oltp.Storage:
    """The devices of a group (device, count, level) in the loop: each with its queue, joined as the level says."""
    return path_runs.joined(*group, held_bytes=held_bytes)


class Run(NamedTuple):
    """One run of one plan, in numbers."""

    tps: float
    response_s: float
    percentile_s: float
    busy: float
    mean_w: float


class DeviceTimes(NamedTuple):
    """Times of a device [s]: a page read and written at random, requests at a time, a log write behind another.

    The delays pass while the server has the next request already, as those of `numbers.Times`. variation: of pages,
    squared.
    """

    read_s: float
    write_s: float
    read_delay_s: float
    write_delay_s: float
    at_once: int
    log_s: float
    log_delay_s: float
    variation: float


@dataclass(frozen=True)
class Case:
    """A plan and what is asked of it, by value. known: all that the catalogue knows of the plan's devices.

    times: by role; the arm of a disk moves over what lies there. held_bytes: by the devices of the database, of data.
    """

    parts: Parts
    asked: Asked
    known: tuple[catalogue.Device, ...]
    processors: int
    transaction_s: float
    policy: str
    group_size: int
    force: bool
    layout: str
    write_buffer_bytes: float
    rate_hz: float
    times: tuple[tuple[str, DeviceTimes], ...]
    held_bytes: float
    percentile: int
    seed: int


def case_of(parts: Parts, of: Asked, system: System, n: Numbers, seed: int) -> Case:
    """One run of a plan."""
    groups = [group[0] for group in (parts.database, parts.log, parts.hot) if group]
    holds = held(n, parts.hot is not None, parts.log is not None)
    return Case(
        parts,
        of,
        tuple(device for name in groups if (device := catalogue.devices().get(name)) is not None),
        system.processors.servers,
        system.processors.transaction_s,
        system.memory.policy,
        system.log.group_size,
        system.log.update_strategy == FORCE,
        system.file_system.layout,
        system.candidates.write_buffer_bytes,
        n.rate_hz,
        tuple(
            (role, _times(n, device, used_bytes))
            for role, device, used_bytes in _devices(parts, pages_lie_over(n, holds))
        ),
        float(holds.database),
        system.targets.percentile,
        seed,
    )


def _devices(parts: Parts, over: Held) -> Iterator[tuple[str, str, float]]:
    """(role, device, bytes of one of them over which what it holds lies; inf: all) of each role that has devices."""
    for role in ("database", "hot"):
        if group := getattr(parts, role):
            device, count, level = group
            yield role, device, float(device_bytes(getattr(over, role), count, usable_share(count, level)))
    if parts.log:
        yield "log", parts.log[0], inf  # the arm of a log's own disk moves little either way
    if parts.write_buffer != NOTHING:
        yield "write buffer", parts.write_buffer, inf


def _times(n: Numbers, device: str, used_bytes: float) -> DeviceTimes:
    at = n.place(device)
    page = page_times(n, at, used_bytes)
    delays = (float(n.read_delay_s[at]), float(n.write_delay_s[at]))
    log = (float(n.log_s[at]), float(n.log_delay_s[at]))
    variation = float(page.variation)
    return DeviceTimes(float(page.read_s), float(page.write_s), *delays, int(n.at_once[at]), *log, variation)


@remembered
def measured(case: Case) -> Run:
    """One run. Raises ModelError where the plan cannot be simulated."""
    if case.asked.debit_credit is not None:
        return _hierarchy(case)
    return _path(case)


def _path(case: Case) -> Run:
    """The whole path: what comes at random times, processors, locks, buffer, log, page cache, file system, devices."""
    parts = case.parts
    require(
        parts.hot is None and parts.write_buffer == NOTHING,
        "hot pages on devices of their own and write buffers are simulated for Debit-Credit only",
    )
    wanted = max(FILL, ceil(SPARE * transactions_to_fill(case.asked, parts.buffer_frames)))
    load = case.asked.load(wanted + WARM_UP + MEASURED, case.seed)
    fill = min(wanted, load.transactions // 2)
    warm_up = min(WARM_UP, (load.transactions - fill) // 8)
    most = min(MEASURED, load.transactions - fill - warm_up)
    cached = int(parts.page_cache_bytes // case.asked.page_bytes)
    made = oltp.run(
        oltp.Setup(
            users=max(1, min(CONNECTIONS, parts.buffer_frames // 2, most)),
            rate_hz=case.rate_hz,
            processors=oltp.Processors(
                servers=case.processors, transaction_s=case.asked.processor_times(case.transaction_s)
            ),
            buffer=oltp.Buffer(frames=parts.buffer_frames, policy=case.policy, force=case.force),
            page_cache=oltp.PageCache(pages=cached) if cached else None,
            file_system=path_runs.file_system(case.layout, path_runs.Cleaner()),
            log=oltp.Log(
                **case.asked.logged._asdict(),
                group_size=case.group_size,
                storage=storage(parts.log) if parts.log else None,
            ),
            storage=storage(parts.database, case.held_bytes),
        ),
        load,
        transactions=most,
        warm_up_s=min(warm_up / case.rate_hz, oltp.MOST_SECONDS),  # no queue lasts as long
        fill=fill,
        seed=case.seed,
    )
    busy = max(made.utilisation[name] for name in made.written_bytes)
    return Run(made.tps, made.response_s, made.percentiles[case.percentile], busy, made.average_w)


def _hierarchy(case: Case) -> Run:
    """Debit-Credit on units of storage: open arrivals, partitions and log each where the plan puts them."""
    parts = case.parts
    times = dict(case.times)
    buffered = parts.write_buffer != NOTHING
    units = [_unit("database", parts.database, times, _buffer(case, times) if buffered else None)]
    units += [_unit(role, group, times) for role, group in (("hot", parts.hot), ("log", parts.log)) if group]
    if parts.log:
        # of the log nothing is read: devices that write the same at a time are one, so that no write waits for itself
        together = LEVELS[parts.log[2]].write_writes
        own = times["log"]
        unit = replace(units[-1], write_s=own.log_s, write_delay_s=own.log_delay_s, copies=1, reads_old=False)
        units[-1] = replace(unit, disks=max(1, parts.log[1] // together))
    hot = "hot" if parts.hot else "database"
    model = present(case.asked.debit_credit, "the hierarchy of storage is simulated under Debit-Credit only")
    homes = {"ACCOUNT": "database", "HISTORY": "database", "BRANCH": hot, "TELLER": hot}
    instructions = case.transaction_s * INSTRUCTIONS_PER_S / 6  # begin, four references, end
    made = simulate(
        TransactionSystem(
            computer=Computer(
                processors=case.processors,
                instructions_per_s=INSTRUCTIONS_PER_S,
                instructions_begin=instructions,
                instructions_reference=instructions,
                instructions_end=instructions,
                instructions_io=0,
                buffer_pages=parts.buffer_frames,
                group_size=case.group_size,
                force=case.force,
            ),
            units=tuple(units),
            partitions={
                name: Place(home=home, locking="none" if name == "HISTORY" else "object")
                for name, home in homes.items()
            },
            log=Place(home="log" if parts.log else "database", locking="none"),
        ),
        _hierarchy_load(model, before_repeating(parts.buffer_frames), case.seed),
        rate_hz=case.rate_hz,
        seed=case.seed,
        least=10_000,
        most=30_000,
    )
    require(not made.saturated, f"in the simulation {made.saturated} cannot keep up")
    busy = max(share for name, share in made.utilisation.items() if name.endswith(" disk"))
    return Run(made.throughput_hz, made.response_s, made.percentiles[case.percentile], busy, nan)


@remembered
def _hierarchy_load(model: DebitCredit, transactions: int, seed: int) -> HierarchyLoad:
    return hierarchy_load(model, transactions, seed)


def _buffer(case: Case, times: Mapping[str, DeviceTimes]) -> tuple[int, float]:
    pages = max(1, int(case.write_buffer_bytes // case.asked.page_bytes))
    device = times["write buffer"]
    return pages, device.write_s + device.write_delay_s


def _unit(
    role: str, group: tuple[str, int, str], times: Mapping[str, DeviceTimes], buffer: tuple[int, float] | None = None
) -> DiskUnit:
    """Devices of a group. A write takes as many of them as the level says, each for the read of what is old, if any,
    and for the write; who waits does so for the last of them. buffer: its pages, and a write to it [s].
    """
    _, count, level = group
    device = times[role]
    redundancy = LEVELS[level]
    reads_old = redundancy.write_reads > 0
    of_last_s = later_s(device.read_s, device.variation, redundancy.write_reads)
    of_last_s = of_last_s + later_s(device.write_s, device.variation, redundancy.write_writes)
    return DiskUnit(
        name=role,
        kind=WRITE_BUFFER if buffer else REGULAR,
        controller_s=buffer[1] if buffer else 0.0,
        transmission_s=0.0,
        disks=count,
        at_once=device.at_once,
        read_s=device.read_s,
        write_s=device.write_s,
        read_delay_s=device.read_delay_s,
        write_delay_s=device.write_delay_s + (device.read_delay_s if reads_old else 0.0) + float(of_last_s),
        copies=redundancy.write_writes,
        own_queues=True,
        reads_old=reads_old,
        cache_pages=buffer[0] if buffer else 0,
        samples=_spread(device.variation),
    )


@remembered
def _spread(variation: float) -> tuple[float, ...]:
    """Times with mean 1 and a squared coefficient of variation: quantiles of a gamma distribution, all as likely."""
    if variation == 0:
        return (1.0,)
    from scipy.special import gammaincinv  # late: every command imports this file, few come here

    drawn = gammaincinv(1 / variation, (np.arange(SAMPLES) + 0.5) / SAMPLES)
    return tuple((drawn / drawn.mean()).tolist())


def run_all(
    cases: Mapping[tuple[int, int], Case], ended: Callable[[int], None], stop: Callable[[], bool]
) -> dict[int, Simulated]:
    """Runs of plans, by (place, number of the run), side by side; what cannot be simulated says why.

    ended(how many) is called after each; stop(): whether to be content with those. What runs leave for each other is
    dropped. A plan without a run is said to have ended before its turn.
    """
    made: dict[int, dict[int, Run]] = {place: {} for place, _ in cases}
    refused: dict[int, str] = {}
    try:
        with workers() as pool:
            running = {pool.submit(measured, case): key for key, case in cases.items()}
            for done, future in enumerate(as_completed(running), start=1):
                place, number = running[future]
                try:
                    made[place][number] = future.result()
                except ModelError as error:
                    refused[place] = str(error)
                ended(done)
                if stop():
                    break
    finally:
        oltp.forget()
    return {place: _gathered(runs, refused.get(place, "")) for place, runs in made.items()}


def _gathered(runs: Mapping[int, Run], refused: str) -> Simulated:
    """By the runs' numbers, so that means do not depend on which ended first."""
    if refused or not runs:
        return unsimulated(refused or "ended before its turn")
    return gathered([runs[number] for number in sorted(runs)])


def gathered(runs: Sequence[Run]) -> Simulated:
    """Means over the runs of one plan."""
    tps, response, percentile, busy, watts = (_mean([float(each[at]) for each in runs]) for at in range(5))
    return Simulated(tps, response, percentile, busy, watts, len(runs))


def _mean(values: list[float]) -> tuple[float, float]:
    """Mean and half of its interval; nan where something is not known, and of one run the half."""
    if not np.isfinite(values).all():
        return nan, nan
    mean, half = mean_and_half_width(values) if len(values) > 1 else (values[0], nan)
    return float(mean), float(half)
