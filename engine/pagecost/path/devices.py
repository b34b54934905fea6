"""Stages that carry requests out: a scheduler that orders them, and the devices, with when each was done.

A device hands back the requests that it carried out, in the order in which they came, and the account says when each
was complete: the time between arrival and completion is its response. Pages become sectors or flash units in
`Requests.in_units`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any

import numpy as np

from pagecost.devices import disk, ftl, ssd
from pagecost.devices.ftl.page_map_kernels import READ as FTL_READ
from pagecost.devices.ftl.page_map_kernels import TRIM as FTL_TRIM
from pagecost.devices.nand import Chip
from pagecost.errors import require
from pagecost.path.account import Passed
from pagecost.requests import READ, TRIM, WRITE, Requests

CHUNK = 1 << 16  # requests to a translation layer at a time


@dataclass(frozen=True, eq=False, kw_only=True)
class SchedulerStage:
    """A queue of `depth` places before a device, emptied in the order of a disk scheduler (`disk.SCHEDULERS`).

    What comes out are the requests in that order; one that was overtaken is handed on no earlier than the one that
    overtook it came. The scheduler sees the arm of `disk`, and when it is free: behind it a `DiskStage` of that disk in
    order of arrival does everything at the very times at which the scheduler decided. closed: as in `disk.Session`.
    Trims are handed on in place and wait for nobody.
    """

    disk: disk.Disk
    scheduler: str = "sptf"
    depth: int = 32
    closed: bool = False
    name = "scheduler"

    def serve(self, requests: Requests, warm_up: Requests | None = None) -> Passed:
        """warm_up: requests before, in no account; the queue is empty behind them. ModelError as `disk.Session`."""
        session = _disk_session(self)
        before = None if warm_up is None else _ordered(session, warm_up)
        return Passed.of(self.name, requests, _ordered(session, requests), warm_up=before)


@dataclass(frozen=True, eq=False, kw_only=True)
class DiskStage:
    """A hard disk. scheduler, depth and closed as in `disk.Session`; trims cost it nothing.

    idle_w, active_w: its power, nan where not known.
    """

    disk: disk.Disk
    scheduler: str = "fcfs"
    depth: int = 1
    closed: bool = False
    idle_w: float = nan
    active_w: float = nan
    name = "disk"

    def serve(self, requests: Requests, warm_up: Requests | None = None) -> Passed:
        """warm_up: requests before, in no account; the queue is empty behind them.

        Raises ModelError as `disk.Session`, and where a page is no whole number of sectors.
        """
        session = _disk_session(self)
        if warm_up is not None:
            _disk_run(session, warm_up)
        run = _disk_run(session, requests)
        moved = requests.op != TRIM
        handed = requests.chosen(moved)
        ends_s = np.empty(handed.size)
        # one arm: with arrivals ignored, one service follows the other
        done_s = np.cumsum(run.service_s) if self.closed else handed.arrival_s[run.number] + run.response_s
        ends_s[run.number] = done_s
        return Passed.of(
            self.name,
            requests,
            handed,
            absorbed_bytes=requests.bytes_of(TRIM),
            time_s=run.elapsed_s,
            busy_s=run.busy_s,
            energy_j=self.active_w * run.busy_s + (self.idle_w * run.idle_s if run.idle_s else 0.0),
            completion_s=ends_s,
            warm_up=None if warm_up is None else warm_up.chosen(warm_up.op != TRIM),
        )


def _disk_session(stage: SchedulerStage | DiskStage) -> disk.Session:
    return disk.Session(stage.disk, stage.scheduler, stage.depth, stage.closed)


def _ordered(session: disk.Session, requests: Requests) -> Requests:
    """The requests in the order in which the session serves them; trims stay where they are."""
    order = np.arange(requests.size)
    moves = np.flatnonzero(requests.op != TRIM)
    order[moves] = moves[_disk_run(session, requests).number]
    handed = requests.chosen(order)
    return replace(handed, arrival_s=np.maximum.accumulate(handed.arrival_s))


def _disk_run(session: disk.Session, requests: Requests) -> disk.Run:
    moved = requests.chosen(requests.op != TRIM)
    lbn, sectors = disk.sectors_of(moved)
    run = session.serve(lbn, sectors, moved.op == WRITE, moved.arrival_s)
    return replace(run, number=run.number - (run.number.min() if run.size else 0))


@dataclass(frozen=True, eq=False, kw_only=True)
class SsdStage:
    """An SSD with channels, dies and a translation layer. depth, closed and seed as in `ssd.Session`.

    precondition: overwritten at random until it is steady first; else filled `passes` times as `fill` says
    (`ssd.Session`). A request of several pages becomes one of each page, done when its last page is. Trims reach the
    map in their place, so that what they gave back is not copied, and take no time. energy_j: of the chips' operations,
    without idle power. In a closed run arrivals mean nothing, and no completion is told.
    """

    ssd: ssd.Ssd
    depth: int = 32
    closed: bool = False
    precondition: bool = False
    passes: int = 1
    fill: str = "in order"
    seed: int = 1
    name = "ssd"

    def serve(self, requests: Requests, warm_up: Requests | None = None) -> Passed:
        """warm_up: requests before, in no account; queue and write cache are empty behind them.

        Raises ModelError as `ssd.Session`, and where a page is no whole number of the SSD's units.
        """
        requests.in_units(self.ssd.unit_bytes, "flash units")
        session = ssd.Session(
            self.ssd,
            self.depth,
            self.closed,
            request_bytes=requests.page_bytes,
            seed=self.seed,
            passes=self.passes,
            fill=self.fill,
        )
        if self.precondition:
            session.precondition()
        if warm_up is not None:
            _ssd_run(session, warm_up)
        run, single, of = _ssd_run(session, requests)
        handed = requests.chosen(requests.op != TRIM)
        ends_s = np.zeros(requests.size)
        if not self.closed:
            np.maximum.at(ends_s, of[run.number], single.arrival_s[run.number] + run.response_s)
        ends_s = ends_s[requests.op != TRIM]
        counts, unit = run.counts, self.ssd.unit_bytes
        return Passed.of(
            self.name,
            requests,
            handed,
            absorbed_bytes=requests.bytes_of(TRIM),
            time_s=run.elapsed_s,
            energy_j=sum(run.energy_j.values()),
            programmed_bytes=counts.programmed_pages * unit,
            copied_bytes=(counts.programmed_pages - counts.host_pages) * unit,
            erases=counts.erases,
            completion_s=None if self.closed else ends_s,
            warm_up=None if warm_up is None else warm_up.chosen(warm_up.op != TRIM),
        )


def _ssd_run(session: ssd.Session, requests: Requests) -> tuple[ssd.Run, Requests, np.ndarray]:
    """(the run, page by page, the reads and writes in it by their numbers, of which request each is)."""
    single, of = requests.pagewise()
    first, _ = single.in_units(session.ssd.unit_bytes, "flash units")
    trim = single.op == TRIM
    run = session.serve(first, single.op == WRITE, single.arrival_s, trim=trim, last=True)
    return run, single.chosen(~trim), of[~trim]


@dataclass(frozen=True, eq=False, kw_only=True)
class FtlStage:
    """Flash under a translation layer, without time: what the requests wear.

    layer and options as in `ftl.Simulation`; fill: every page is written once before, in order. chip: for the energy of
    its pages and blocks, which must be those of the geometry; None: not known. Trims are carried out.
    """

    geometry: ftl.Geometry
    layer: str = "page"
    fill: bool = True
    chip: Chip | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    name = "flash"

    def serve(self, requests: Requests, warm_up: Requests | None = None) -> Passed:
        """warm_up: requests before, in no account.

        Raises ModelError as `ftl.Simulation`, and where a page is no whole number of flash pages.
        """
        unit, chip = self.geometry.page_bytes, self.chip
        require(
            chip is None or (chip.page_bytes, chip.pages_per_block) == (unit, self.geometry.pages_per_block),
            f"blocks of {self.geometry.pages_per_block} pages of {unit} bytes are not those of {chip and chip.name}",
        )
        device = ftl.Simulation(self.geometry, layer=self.layer, fill=self.fill, **self.options).device
        if warm_up is not None:
            serve_flash(device, warm_up, unit)
        before = device.counts()
        serve_flash(device, requests, unit)
        counts = device.counts() - before
        return Passed.of(
            self.name,
            requests,
            requests,
            energy_j=self._energy_j(counts),
            programmed_bytes=counts.programmed_pages * unit,
            copied_bytes=(counts.programmed_pages - counts.host_pages) * unit,
            erases=counts.erases,
            warm_up=warm_up,
        )

    def _energy_j(self, counts: ftl.Counts) -> float:
        if self.chip is None:
            return nan
        reads = counts.host_reads + counts.copy_reads + counts.translation_reads
        programs = counts.programmed_pages * self.chip.program_j
        return reads * self.chip.read_j + programs + counts.erases * self.chip.erase_j


def serve_flash(device: ftl.Layer, requests: Requests, unit_bytes: int) -> None:
    """Let a translation layer serve requests of whole flash pages of `unit_bytes`, in order, trims among them."""
    first, count = requests.in_units(unit_bytes, "flash pages")
    of = np.repeat(np.arange(requests.size), count)
    page = first[of] + np.arange(of.size) - np.repeat(np.cumsum(count) - count, count)
    flags = np.zeros(TRIM + 1, np.uint32)
    flags[READ], flags[TRIM] = FTL_READ, FTL_TRIM
    asked = device._requests(page, 0) | flags[requests.op[of]]
    for at in range(0, asked.size, CHUNK):
        device.serve(asked[at : at + CHUNK])
