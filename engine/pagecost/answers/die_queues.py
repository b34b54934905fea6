"""A die of an SSD as a queue, by formula: requests at random times, collections in its way, reads first or not."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost.devices.ssd import Ssd
from pagecost.devices.ssd.collecting import Collecting, Step
from pagecost.transactions.percentiles import Kind, OpenQueue, Tail
from pagecost.transactions.waiting import (
    CELLS_OF_SERVICE,
    FULLEST,
    LONGEST,
    WAITS,
    Grid,
    Within,
    at_random,
    placed,
    renewals,
    residual,
)

ALL = np.ones(1)


@dataclass(frozen=True, eq=False)
class DieQueue(OpenQueue):
    """A die of an SSD to which reads and writes come at random times (Poisson).

    kinds: reads, then writes; a write's service is its own programs and its share of the collector's work. collecting:
    that work. programs_s: without it. interface_s: of a request on the host's interface, which all dies share. lanes:
    dies that a request needs at once, of so many. order: a key of `ORDERS`; suspend_s: what it takes to stop a program
    or an erase. Rates are those of one die.

    First come, first served: what lies before an arrival is that of small requests alone (M/G/1), and, while a
    collection is under way or waits, what is left of it and of those before it: as in M/G/1 with two classes, but
    with collections as regular as they are (GI/G/1, in the time that small requests leave, whose unevenness counts as
    one of the times apart). Where collections come at random the mean is that of M/G/1 within 3 %.

    Reads first: a read waits for the step that the die is at and for other reads, exact for non-preemptive priority
    (Cobham 1954; Kleinrock, Queueing Systems 2, 1976, 3.3); writes wait as before, slowed by the share of the die that
    reads take. The interface is a queue of its own (M/D/1), as if what comes from dies came
    at random; waits for channels are not in it. A request of several dies waits for the slowest, as if they were
    independent, and once for the interface.
    """

    kinds: tuple[Kind, Kind]
    collecting: Collecting
    programs_s: float
    interface_s: float = 0.0
    lanes: int = 1
    dies: int = 1
    order: str = "fifo"
    suspend_s: float = 0.0

    @classmethod
    def of(cls, ssd: Ssd, read_share: float, request_bytes: int, found: Collecting) -> "DieQueue":
        """A die of an SSD. found: what its collector does where requests of so many bytes are written."""
        units = ssd.units_of(request_bytes)
        lanes = min(units, ssd.dies)
        each = units / lanes
        interface_s = ssd.interface_s(request_bytes)
        pages_s = math.ceil(each / ssd.batch) * (ssd.read_command_s + ssd.chip.read_s)
        programs_s = each * (ssd.write_transfer_s + ssd.program_s)
        outside_s = interface_s + ssd.overhead_s
        reads = Kind(read_share, pages_s + each * ssd.transfer_s, outside_s)
        at_once = ssd.write_cache_bytes > 0
        writes = Kind(1 - read_share, programs_s + found.mean_s, outside_s, waits=not at_once)
        return cls((reads, writes), found, programs_s, interface_s, lanes, ssd.dies, ssd.order, ssd.suspend_s)

    @property
    def capacity_hz(self) -> float:
        return 1 / max(self.service_s, self.interface_s * self.dies / self.lanes)

    def tail_at(self, rate_hz: float, of: Sequence[Kind] = ()) -> Tail:
        asked = [kind for kind in of or self.kinds if kind.share]
        share = sum(kind.share for kind in asked)
        slowest = self._within(rate_hz, asked, interface=True)
        others = self._within(rate_hz, asked, interface=False) if self.lanes > 1 else slowest

        def longer(time_s: float) -> float:
            tail = 0.0
            for kind in asked:
                lanes = self.lanes if kind.waits else 1
                left_s = time_s - kind.delay_s
                tail += kind.share / share * (1 - slowest(kind, left_s) * others(kind, left_s) ** (lanes - 1))
            return tail

        return longer

    def _within(self, rate_hz: float, asked: Sequence[Kind], interface: bool) -> Callable[[Kind, float], float]:
        """Chance that a request of a kind is done by its die within a time [s], with the wait for the interface or not.

        One die's work waits for it; the others' goes along.
        """
        reads, writes = self.kinds
        before = functools.cache(functools.partial(self._before, rate_hz, interface))
        parts: dict[Kind, list[_Part]] = {}
        if reads in asked:
            wait = self._of_reads(rate_hz, interface) if self._reads_first else before()[0]
            parts[reads] = [_Part(1.0, wait, np.array([reads.service_s]), ALL)]
        if writes in asked:
            parts[writes] = self._writes(rate_hz, before)
        return lambda kind, time_s: sum(part.within(time_s) for part in parts[kind])

    @property
    def _reads_first(self) -> bool:
        return self.order != "fifo" and self.kinds[1].share > 0

    def _writes(self, rate_hz: float, before: Callable[[], tuple[Within, Within]]) -> "list[_Part]":
        reads, writes = self.kinds
        of = self.collecting
        if not writes.waits:
            grid = Grid.reaching(self._interface_reach_s(rate_hz), finest_s=self.interface_s / CELLS_OF_SERVICE)
            return [_Part(1.0, grid.within(self._interface(grid, rate_hz)), np.zeros(1), ALL)]
        of_plain, of_collecting = before()
        slowed = 1 / (1 - rate_hz * reads.share * reads.service_s) if self._reads_first else 1.0
        parts = [_Part(1 - of.share, of_plain, np.array([self.programs_s]), ALL, slowed)]
        if of.share:
            parts.append(_Part(of.share, of_collecting, of.times_s + self.programs_s, of.chances, slowed))
        return parts

    def _before(self, rate_hz: float, interface: bool) -> tuple[Within, Within]:
        """Work that lies before a request at random, and before a write that has a collection in its way."""
        reads, writes = self.kinds
        of = self.collecting
        own = np.array([reads.service_s, self.programs_s]), np.array([reads.share, writes.share])
        small_s = float((own[0] * own[1]).sum())  # of the average small request
        small = min(rate_hz * small_s, FULLEST)
        collections_hz = rate_hz * writes.share * of.share
        mean_s = float((of.times_s * of.chances).sum()) if collections_hz else 0.0
        load = min(collections_hz * mean_s / (1 - small), FULLEST)  # of the time that small requests leave
        grid = self._grid(rate_hz, small, small_s, load)
        before = at_random(small, grid.transform(residual(grid, *own)))
        along = self._interface(grid, rate_hz) if interface else np.ones(grid.cells + 1)
        if not collections_hz:
            return (grid.within(before * along),) * 2
        apart_s = mean_s / load
        varied_s = rate_hz * float((own[0] ** 2 * own[1]).sum()) / (1 - small)  # small requests do not come evenly
        waits = renewals(grid, placed(grid, of.times_s, of.chances), apart_s, of.squared_variation + varied_s / apart_s)
        left = grid.transform(residual(grid, of.times_s, of.chances))
        of_all = before * (1 - load + load * waits * left * before)
        return grid.within(of_all * along), grid.within(waits * before * along)

    def _interface(self, grid: Grid, rate_hz: float) -> np.ndarray:
        """Transform of the wait for it."""
        load = self._interface_load(rate_hz)
        if not load:
            return np.ones(grid.cells + 1)
        return at_random(load, grid.transform(residual(grid, np.array([self.interface_s]), ALL)))

    def _interface_load(self, rate_hz: float) -> float:
        """None where requests need all dies, which are slower: what they hand over comes one after the other."""
        return min(rate_hz * self.dies / self.lanes * self.interface_s, FULLEST) if self.dies > self.lanes else 0.0

    def _interface_reach_s(self, rate_hz: float) -> float:
        load = self._interface_load(rate_hz)
        return max(self.interface_s, 1e-9) * (LONGEST + WAITS / 2 / (1 - load))

    def _grid(self, rate_hz: float, small: float, small_s: float, load: float) -> Grid:
        """Far enough for what is rarely waited for, at loads of small requests of such a mean and of collections."""
        reads, of = self.kinds[0], self.collecting
        longest_s = max(reads.service_s, self.programs_s)
        reach_s = longest_s * (LONGEST + WAITS / 2 / (1 - small)) + self._interface_reach_s(rate_hz)
        if not load:
            return Grid.reaching(reach_s, finest_s=small_s / CELLS_OF_SERVICE)
        mean_s, second_s2 = (float((of.times_s**power * of.chances).sum()) for power in (1, 2))
        spread = (of.squared_variation + second_s2 / mean_s**2 - 1) / 2
        reach_s += of.times_s.max() * LONGEST + mean_s * WAITS * spread * load / (1 - load)
        return Grid.reaching(reach_s, finest_s=mean_s / CELLS_OF_SERVICE)

    def _of_reads(self, rate_hz: float, interface: bool) -> Within:
        """What a read waits for where reads go first: the step that the die is at, and other reads."""
        reads, writes = self.kinds
        load = min(rate_hz * reads.share * reads.service_s, FULLEST)
        steps = [*self.collecting.steps, Step(1.0, self.programs_s, suspended=True)]
        longest_s = max(step.seconds for step in steps)
        reach_s = longest_s + reads.service_s * (LONGEST + WAITS / 2 / (1 - load)) + self._interface_reach_s(rate_hz)
        grid = Grid.reaching(reach_s, finest_s=reads.service_s / CELLS_OF_SERVICE)
        left = np.zeros(grid.cells)
        for step in steps:
            mass = residual(grid, np.array([step.seconds]), ALL)
            if step.suspended and self.order == "suspend":
                mass = _at_most(mass, round(self.suspend_s / grid.step_s))
            left += rate_hz * writes.share * step.per_write * step.seconds * mass
        idle = max(1 - load - left.sum(), 0.0)
        alone = at_random(load, grid.transform(residual(grid, np.array([reads.service_s]), ALL)))
        steps_before = (idle + grid.transform(left)) / (1 - load)
        along = self._interface(grid, rate_hz) if interface else np.ones(grid.cells + 1)
        return grid.within(alone * steps_before * along)


class _Part(NamedTuple):
    """A share of the requests of a kind, that wait and are then served for one of some times [s] by chance."""

    share: float
    wait: Within
    times_s: np.ndarray
    chances: np.ndarray
    slowed: float = 1.0

    def within(self, time_s: float) -> float:
        """Chance that a request of the kind is one of them and takes no longer than a time [s]."""
        return self.share * float((self.chances * self.wait(time_s / self.slowed - self.times_s)).sum())


def _at_most(mass: np.ndarray, place: int) -> np.ndarray:
    """A mass with all that lies beyond a place of the grid at that place."""
    cut = mass.copy()
    place = min(place, mass.size - 1)
    cut[place] += cut[place + 1 :].sum()
    cut[place + 1 :] = 0.0
    return cut
