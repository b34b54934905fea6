"""How much does the order of requests gain a disk?"""

from functools import partial
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from pagecost import catalogue
from pagecost.answers import disk_runs
from pagecost.answers.disk_runs import REPLICATIONS, SERVICE, Queued
from pagecost.devices.disk import SCHEDULERS, SECTOR_BYTES, TERMS, Disk, Moments
from pagecost.errors import require
from pagecost.intervals import half_width
from pagecost.studies import finding
from pagecost.studies.disk import disk_inputs
from pagecost.studies.disk.disk_inputs import SHARES, SPANS
from pagecost.studies.fields import Choices, OfSystem, Steps
from pagecost.studies.finding import Finding, at, bare, least_and_most
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side
from pagecost.units import format_bytes, format_seconds, grouped

DEPTHS = tuple(1 << k for k in range(7))  # 1 .. 64
TITLES = {name: scheduler.title for name, scheduler in SCHEDULERS.items()}


def a_depth(depth: int) -> None:
    """Raise ModelError for what is no queue depth."""
    require(1 <= depth <= 1024, f"a queue depth must be 1..1024; got {depth}")


class Inputs(StudyInputs):
    """Which disk is asked for what, and who orders the requests."""

    disk: Annotated[str, *disk_inputs.disk("Hard disks of the catalogue of which enough is known.")] = "wd400bb"
    schedulers: Annotated[
        tuple[str, ...],
        Choices(lambda: TITLES, noun="disk scheduler"),
        OfSystem("devices.database.scheduler"),
        Field(min_length=1, title="Schedulers", description="Who picks the next request of the queue."),
    ] = ("fcfs", "sstf", "c-look", "sptf")
    depths: Annotated[
        tuple[int, ...],
        Choices(lambda: {depth: str(depth) for depth in DEPTHS}, most=len(DEPTHS), unit="requests", such=a_depth),
        AfterValidator(lambda depths: tuple(sorted(depths))),
        Field(min_length=1, title="Queue depths", description="Requests that are outstanding at all times."),
    ] = DEPTHS
    span_bytes: Annotated[
        float,
        Steps(SPANS, "B", format_bytes),
        Field(gt=0, title="Span of the data", description="Part of the disk, from the outside, that requests fall on."),
    ] = 2e10
    request_bytes: disk_inputs.REQUEST_BYTES = 4096
    write_share: Annotated[
        float,
        Steps(SHARES, "1", lambda share: f"{share:.0%}"),
        OfSystem("load.write_share"),
        Field(ge=0, le=1, title="Share of writes", description="Writes settle longer after a seek."),
    ] = 0.0
    requests: Annotated[
        int,
        Steps((500, 1000, 2000, 3000, 5000, 10_000, 20_000), "requests", grouped),
        Field(ge=100, le=1_000_000, title="Requests per run", description=f"Of each of {REPLICATIONS} runs."),
    ] = 3000
    detail_depth: Annotated[
        int,
        Steps(DEPTHS, "requests", str),
        Field(ge=1, le=1024, title="Queue depth in detail", description="The depth whose times are split into terms."),
    ] = 32
    seed: SEED = 1

    @property
    def all_depths(self) -> tuple[int, ...]:
        """The depths with the one in detail among them, rising."""
        return tuple(sorted({*self.depths, self.detail_depth}))


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per scheduler and queue depth: requests per second with their 95 % interval, response times, terms.

    Ten runs of their own random requests each; all schedulers and depths get the same requests. Facts: the closed
    forms of first come, first served.
    """
    disk = Disk.of(catalogue.device(inputs.disk))
    wanted = [(scheduler, depth) for depth in inputs.all_depths for scheduler in inputs.schedulers]
    span, sectors = _span_sectors(inputs, disk), inputs.request_bytes // SECTOR_BYTES

    def queued(cell: tuple[str, int]) -> Queued:
        return disk_runs.queued(disk, *cell, span, sectors, inputs.write_share, inputs.requests, inputs.seed)

    theory = expected(inputs, disk)
    cells: list[tuple[str, int, Queued]] = []
    for cell, found in side_by_side(queued, wanted):
        cells.append((*cell, found))
        if len(cells) % len(inputs.schedulers) == 0:
            progress(len(cells) / len(wanted), partial(_result, inputs, cells.copy(), theory))
    result = _result(inputs, cells, theory)
    return result.with_notes((*_notes(inputs, disk), *_too_short(inputs, result)))


def expected(inputs: Inputs, disk: Disk) -> Moments:
    """The closed form for first come, first served."""
    sectors = inputs.request_bytes // SECTOR_BYTES
    return disk_runs.mixed(disk, _span_sectors(inputs, disk), sectors, inputs.write_share)


NOTHING_S = 1e-12  # what differences of times leave behind
APART = 0.05  # of a response time: so far from Little's law it is not that of a steady queue


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For the depth in detail: how each scheduler's rate and response time come about."""
    theory = expected(inputs, Disk.of(catalogue.device(inputs.disk)))
    means = " + ".join(f"{TERMS[name]} {format_seconds(time)}" for name, time in theory.mean_s.items() if time > 0)
    lines = [f"By formula, first come, first served: {means} = {format_seconds(theory.service_s)} at every depth."]
    depth = inputs.detail_depth
    for row in detail_rows(inputs, result):
        shown = [name for name in SERVICE if result[name][row] > NOTHING_S]
        parts = [f"{TERMS[name]} {format_seconds(result[name][row])}" for name in shown]
        service = format_seconds(sum(result[name][row] for name in SERVICE))
        lines.append(
            f"{result.cell('scheduler', row)} at depth {depth}: {' + '.join(parts)} = {service}, so "
            f"{result['iops'][row]:.4g} requests/s; by Little's law each takes {depth} / {result['iops'][row]:.4g} = "
            f"{format_seconds(depth / result['iops'][row])} (counted: {format_seconds(result['response_s'][row])})."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    rows = detail_rows(inputs, result)
    both = least_and_most(result, rows, "iops")
    best = both[1] if both else rows[0]
    named = {"rate": bare(at(result, "iops", best)), "slow": at(result, "response_99_s", best)}
    compared = ""
    if result["scheduler"][best] != "fcfs":  # whose formula is no other scheduler to be compared with
        compared, named["gain"] = ", {gain} times as many as first come, first served", at(result, "gain", best)
    return finding.found(
        f"With {{depth}} requests outstanding {{best}} answers most: {{rate}} requests per second{compared}; 99 % of "
        "them within {slow}.",
        depth=str(inputs.detail_depth),
        best=result.cell("scheduler", best),
        **named,
    )


def detail_rows(inputs: Inputs, result: Result) -> np.ndarray:
    """The rows of the depth in detail, one per scheduler."""
    return result.rows(depth=inputs.detail_depth)


def _span_sectors(inputs: Inputs, disk: Disk) -> int:
    return disk_runs.span_sectors(disk, inputs.span_bytes, inputs.request_bytes)


def _result(inputs: Inputs, cells, theory: Moments, notes=()) -> Result:
    order = {scheduler: number for number, scheduler in enumerate(inputs.schedulers)}
    cells = sorted(cells, key=lambda cell: (order[cell[0]], cell[1]))
    runs = [cell[2] for cell in cells]
    rates, terms = (np.array([getattr(run, name) for run in runs]) for name in ("iops", "terms"))
    iops = rates.mean(axis=1)
    columns = {
        "scheduler": Column(np.array([cell[0] for cell in cells]), "text", "scheduler", TITLES),
        "depth": Column(np.array([cell[1] for cell in cells]), "1", "queue depth"),
        "iops": Column(iops, "1/s", "requests per second"),
        "iops_interval": Column(half_width(rates, axis=1), "1/s", "half of the 95 % interval"),
        "gain": Column(iops * theory.service_s, "1", "times first come, first served"),
        "response_s": Column(terms.sum(axis=1), "s", "mean response"),
        "response_99_s": Column(
            np.array([run.percentile_99_s for run in runs]), "s", "99th percentile of the response"
        ),
        "cylinders": Column(np.array([run.cylinders for run in runs]), "1", "cylinders per request"),
    }
    for column, (name, label) in enumerate(TERMS.items()):
        columns[name] = Column(terms[:, column], "s", label)
    facts = {
        "first_come_iops": Fact(1 / theory.service_s, "1/s", "first come, first served by formula"),
        "first_come_cylinders": Fact(theory.distance, "1", "cylinders per request of it by formula"),
    }
    return Result.of(columns, notes, facts=facts)


def _too_short(inputs: Inputs, result: Result):
    """Which runs were too short for their depth: who is passed over again and again has not been answered yet."""
    by_law_s = result["depth"] / result["iops"]
    apart = np.flatnonzero(np.abs(by_law_s - result["response_s"]) > APART * result["response_s"])
    if apart.size:
        row = apart[np.argmax(np.abs(np.log(by_law_s[apart] / result["response_s"][apart])))]
        yield (
            f"{grouped(inputs.requests)} requests are too few for queues of up to {result['depth'][apart].max()}: "
            f"response times are not yet those of a longer run, {result.cell('scheduler', row)} at depth "
            f"{result['depth'][row]} has {format_seconds(result['response_s'][row])} where "
            f"Little's law has {format_seconds(by_law_s[row])}."
        )


def _notes(inputs: Inputs, disk: Disk):
    yield from disk_inputs.notes_of(inputs.disk)
    device = catalogue.device(inputs.disk)
    if any(parameter.status == "fitted" for parameter in device.parameters.values()):
        yield f"{device.name}: the source prints no numbers of its own; parameters fitted to its stated orderings."
    if inputs.span_bytes > disk.geometry.capacity_bytes:
        yield f"{device.name}: the span is the whole disk, {format_bytes(disk.geometry.capacity_bytes)}."
    yield (
        f"{REPLICATIONS} runs of {grouped(inputs.requests)} requests after a warm-up; the interval is Student's. "
        f"Requests are random, aligned to their size, and one arrives when another leaves: a closed queue, so requests "
        f"per second and response time are tied by Little's law."
    )
    yield "No write cache and no read-ahead: what is seen is the arm and the platters."


STUDY = Study(
    name="disk_scheduling",
    title="How much does the order of requests gain a disk?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="wang2011 Fig. 3 and Fig. 13; schmidt2009 §6 (NCQ); Worthington, Ganger and Patt 1994",
    presets={
        "the disk of Schmidt 2009": {"disk": "wd800aajs", "span_bytes": 1e11},
        "15 000 turns a minute": {"disk": "cheetah-15k5", "span_bytes": 1e11},
        "a disk of 1991": {"disk": "hp-97560", "span_bytes": 2e9},
        "every scheduler, one third writes": {
            "schedulers": tuple(SCHEDULERS),
            "write_share": 0.33,
            "requests": 2000,
        },
        "one gigabyte: a short stroke": {"span_bytes": 1e9},
    },
)
