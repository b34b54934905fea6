"""A plan: what an operator asks of the device, as runs of neighbouring pages, before a single row is looked at."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pagecost.operators.run_times import RunTimes


class Access(NamedTuple):
    """runs requests, each for `pages` neighbouring pages, in a phase of the work. All may be expected values.

    at_once: how many of them can be outstanding (>= 1): 1 in a chain, in which each waits for the one before it.
    """

    phase: str
    runs: float
    pages: float
    write: bool = False
    at_once: float = np.inf

    @property
    def all_pages(self) -> float:
        """Pages of all its runs together."""
        return self.runs * self.pages


class Plan(NamedTuple):
    """An operator with all that it asks of the device."""

    name: str
    accesses: tuple[Access, ...]

    @property
    def pages_read(self) -> float:
        """Pages that are read."""
        return sum(access.all_pages for access in self.accesses if not access.write)

    @property
    def pages_written(self) -> float:
        """Pages that are written."""
        return sum(access.all_pages for access in self.accesses if access.write)

    @property
    def runs(self) -> float:
        """Requests, each of which has to be positioned for."""
        return sum(access.runs for access in self.accesses)

    def phases_s(self, times: RunTimes) -> dict[str, float]:
        """Phase -> its time [s] on a device, in the order of the work."""
        return _phases_s((self,), times)[0]

    def time_s(self, times: RunTimes) -> float:
        """Time [s] of all on a device; the processor's is not counted."""
        return sum(self.phases_s(times).values())


def times_s(plans: Iterable[Plan], times: RunTimes) -> list[float]:
    """`Plan.time_s` of each of many plans, for which the device is asked once."""
    return [sum(phases.values()) for phases in _phases_s(tuple(plans), times)]


def _phases_s(plans: Sequence[Plan], times: RunTimes) -> list[dict[str, float]]:
    found = [dict.fromkeys((access.phase for access in plan.accesses), 0.0) for plan in plans]
    for write in (False, True):
        some = [
            (of_plan, access)
            for of_plan, plan in zip(found, plans, strict=True)
            for access in plan.accesses
            if access.write == write and access.runs
        ]
        if some:
            pages, at_once = (np.array([getattr(access, name) for _, access in some]) for name in ("pages", "at_once"))
            each_s = times.run_s(pages, write=write, at_once=at_once)
            for (of_plan, access), run_s in zip(some, each_s.tolist(), strict=True):
                of_plan[access.phase] += access.runs * run_s
    return found


def in_runs(phase: str, pages: float, most: float, write: bool = False) -> Access:
    """So many pages in as few runs of at most `most` pages as there can be, all of one mean length."""
    if pages <= 0:
        return Access(phase, 0, 0, write)
    runs = np.ceil(pages / most)
    return Access(phase, float(runs), pages / float(runs), write)
