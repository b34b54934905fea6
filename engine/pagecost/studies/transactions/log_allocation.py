"""Where should the log live, and what does group commit change? Rahm's Fig. 4.1."""

import functools
import math
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from pagecost.answers.transaction_runs import Case, estimated
from pagecost.studies.fields import Choices, From, OfSystem, Steps, how_many
from pagecost.studies.study import Progress, Result, Study, formulas_first, no_progress
from pagecost.studies.transactions import transaction_inputs as parameters
from pagecost.studies.transactions import transaction_system as shared
from pagecost.transactions import rahm
from pagecost.units import format_cell, format_seconds

GROUPED = "group commit"
MOST = 800_000  # transactions of a point: enough for all of Fig. 4.1 to be within 2 %
LOGS = {**rahm.LOG_ALLOCATIONS, GROUPED: "disk, group commit"}


class Inputs(parameters.StrategyInputs):
    """The log allocations to compare; the database is on enough plain disks."""

    logs: Annotated[
        tuple[str, ...],
        Choices(lambda: LOGS, noun="log allocation"),
        Field(min_length=1, title="Log allocations", description="Where the log is written at commit."),
    ] = ("disk", "disk cache write buffer", "ssd", "nvem")
    rate_hz: Annotated[float, *parameters.rate(" whose response time is taken apart")] = 150.0
    log_disks: Annotated[
        int,
        Steps((1, 2, 4, 8), "1", str),
        From("rahm1992 §4.2"),
        OfSystem("devices.log.count"),
        Field(ge=1, le=1000, title="Log disks", description="Servers of the log's disk unit."),
    ] = 1
    group_size: Annotated[
        int,
        Steps((2, 3, 4, 8, 16), "1", how_many("transactions")),
        OfSystem("log.group_size"),
        Field(ge=2, le=1000, title="Commit group", description="Transactions that share a log write (group commit)."),
    ] = 4
    group_wait_s: Annotated[
        float,
        Steps((1e-3, 2e-3, 5e-3, 10e-3, 20e-3), "s", format_seconds),
        Field(gt=0, le=10, title="Group timer", description="A group that is not full is written after this time."),
    ] = 5e-3

    def unused(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Inputs that change nothing here, and why."""
        if GROUPED not in self.logs:
            yield ("group_size", "group_wait_s"), f"'{LOGS[GROUPED]}' is not among the log allocations"


EXACT = 1e-6  # of the rate at which the log disks are full


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per log allocation and arrival rate."""
    return shared.over_rates(inputs, names_of(inputs), functools.partial(case_of, inputs), progress, MOST)


def names_of(inputs: Inputs) -> dict[str, str]:
    """Series -> its name."""
    return {name: LOGS[name] for name in inputs.logs}


def explain(inputs: Inputs, result: Result) -> list[str]:
    """At the rate in detail: the terms of the response time, which add up; then what the log disks can take."""
    lines = shared.explain_rows(result, result.rows(chosen=True), rate_hz=inputs.rate_hz)
    for log in inputs.logs:
        limit_hz = log_limit_hz(inputs, log)
        if math.isfinite(limit_hz):
            rate = format_cell(limit_hz, "1")
            lines.append(f"{LOGS[log]}: busy all the time, the log disks take {rate} transactions per second.")
    return lines


def log_limit_hz(inputs: Inputs, log: str) -> float:
    """Transactions per second at which the log disks have no idle moment; inf if the log needs none."""

    def busy(rate_hz: float) -> float:
        return estimated(case_of(inputs, log, rate_hz)).utilisation["log disk"]

    if not busy(1.0):
        return math.inf
    low, high = 0.0, 1.0 / busy(1.0)  # as if each wrote for himself; groups grow with the rate
    while busy(high) < 1:
        low, high = high, 2 * high
    while high - low > EXACT * high:
        middle = (low + high) / 2
        low, high = (middle, high) if busy(middle) < 1 else (low, middle)
    return high


def case_of(inputs: Inputs, log: str, rate_hz: float) -> Case:
    """One point of a series."""
    if log == GROUPED:
        group_size, wait_s = inputs.group_size, inputs.group_wait_s
        system = inputs.system("disk", "disk", log_disks=inputs.log_disks, group_size=group_size, group_wait_s=wait_s)
    else:
        system = inputs.system("disk", log, log_disks=inputs.log_disks)
    return Case(log, rate_hz, system, inputs.transactions, rate_hz, inputs.seed)


STUDY = Study(
    name="log_allocation",
    title="Where should the log live? Response time over the transaction rate",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=shared.describe_at_rate,
    estimate=formulas_first(compute),
    place="log",
    source="rahm1992 §4.2, Fig. 4.1",
    presets={
        "Fig. 4.1: disk, cached disk, SSD, NVEM": {},
        "group commit instead of new hardware": {"logs": ("disk", "group commit", "ssd")},
        "constant service times": {"law": "constant"},
        "a write buffer in NVEM, four log disks": {
            "logs": ("disk", "NVEM write buffer", "disk cache write buffer"),
            "log_disks": 4,
        },
        "an SSD of 2009 for the log": {"ssd_device": "intel-x25-e", "logs": ("disk", "ssd", "nvem")},
    },
)
