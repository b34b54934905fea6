"""Where should the database live? Rahm's Fig. 4.2, and the same with the devices of other years."""

import functools
from typing import Annotated

from pydantic import Field

from pagecost.answers.transaction_runs import Case
from pagecost.studies.fields import Choices
from pagecost.studies.study import Progress, Result, Study, formulas_first, no_progress
from pagecost.studies.transactions import transaction_inputs as parameters
from pagecost.studies.transactions import transaction_system as shared
from pagecost.transactions import rahm

CLEANED = "early writing"
ALLOCATIONS = {
    **{name: rahm.DATABASE_ALLOCATIONS[name] for name in ("disk", "disk cache write buffer", "NVEM write buffer")},
    **{name: rahm.DATABASE_ALLOCATIONS[name] for name in ("ssd", "nvem", "main memory")},
    "main memory, NVEM log": "main memory, log in NVEM",
    CLEANED: "disk, modified pages written early",
}


class Inputs(parameters.StrategyInputs):
    """The allocations to compare; the log goes where the database goes, on enough devices."""

    allocations: Annotated[
        tuple[str, ...],
        Choices(lambda: ALLOCATIONS),
        Field(min_length=1, title="Allocations", description="Where all four partitions and the log live."),
    ] = ("disk", "disk cache write buffer", "NVEM write buffer", "ssd", "nvem", "main memory")
    rate_hz: Annotated[float, *parameters.rate(" whose response time is taken apart")] = 500.0


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per allocation and arrival rate."""
    return shared.over_rates(inputs, names_of(inputs), functools.partial(case_of, inputs), progress)


def names_of(inputs: Inputs) -> dict[str, str]:
    """Series -> its name."""
    return {name: ALLOCATIONS[name] for name in inputs.allocations}


def explain(inputs: Inputs, result: Result) -> list[str]:
    """At the rate in detail: the terms of the response time, which add up."""
    return shared.explain_rows(result, result.rows(chosen=True), rate_hz=inputs.rate_hz)


def case_of(inputs: Inputs, name: str, rate_hz: float) -> Case:
    """One point of a series."""
    return Case(name, rate_hz, system_of(inputs, name), inputs.transactions, rate_hz, inputs.seed)


def system_of(inputs: parameters.TransactionInputs, name: str, **computer):
    """The system of an allocation, with enough log disks that they are no bottleneck."""
    log = {"main memory": "disk", "main memory, NVEM log": "nvem", CLEANED: "disk"}.get(name, name)
    database = {"main memory, NVEM log": "main memory", CLEANED: "disk"}.get(name, name)
    return inputs.system(database, log, log_disks=50, clean_early=name == CLEANED, **computer)


STUDY = Study(
    name="database_allocation",
    title="Where should the database live? Disk, write buffer, SSD, NVEM or main memory",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=shared.describe_at_rate,
    estimate=formulas_first(compute),
    place="device",
    source="rahm1992 §4.3, Fig. 4.2",
    presets={
        "Fig. 4.2: six allocations": {},
        "main memory with its log in NVEM; early writing": {
            "allocations": (
                *("disk", "early writing", "disk cache write buffer"),
                *("nvem", "main memory", "main memory, NVEM log"),
            ),
        },
        "constant service times": {"law": "constant"},
        "the same in 2009": {
            "database_device": "hgst-7k1000-750gb",
            "log_device": "hgst-7k1000-750gb",
            "ssd_device": "intel-x25-e",
        },
        "the same in 2009, by the mechanics of the devices": {
            "database_device": "hgst-7k1000-750gb",
            "log_device": "hgst-7k1000-750gb",
            "ssd_device": "intel-x25-e",
            "device_times": parameters.MECHANICS,
        },
        "the same with a disk and an SSD of the 2020s": {
            "database_device": "seagate-exos-x18-18tb",
            "log_device": "seagate-exos-x18-18tb",
            "ssd_device": "samsung-970-pro-1tb",
        },
    },
)
