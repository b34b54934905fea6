"""Can a system afford to write every changed page at commit? Rahm's Fig. 4.3."""

from typing import Annotated

from pydantic import Field, field_validator

from pagecost.errors import known
from pagecost.studies.fields import Choices, Steps
from pagecost.studies.study import Progress, Result, Study, no_progress
from pagecost.studies.transactions import transaction_inputs as parameters
from pagecost.studies.transactions import transaction_system as shared
from pagecost.studies.transactions.database_allocation import ALLOCATIONS, system_of


class Inputs(parameters.TransactionInputs):
    """The allocations, each with both update strategies."""

    allocations: Annotated[
        tuple[str, ...],
        Choices(lambda: ALLOCATIONS, most=4),
        Field(min_length=1, max_length=4, title="Allocations", description="Where all partitions and the log live."),
    ] = ("disk", "disk cache write buffer", "nvem")
    rate_hz: Annotated[
        float,
        Steps(parameters.RATES, "1/s", lambda rate: f"{rate:g} TPS"),
        Field(gt=0, le=100_000, title="Rate in detail", description="ArrRate whose response time is taken apart."),
    ] = 500.0

    @field_validator("allocations")
    @classmethod
    def _known_allocations(cls, names):
        return tuple(known("allocation", name, ALLOCATIONS) for name in names)

    @property
    def labels(self) -> tuple[str, ...]:
        """The series: each allocation with NOFORCE and with FORCE."""
        return tuple(f"{name}, {strategy}" for name in self.allocations for strategy in parameters.STRATEGIES)


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per allocation, strategy and arrival rate."""
    rates = sorted({*parameters.RATES, inputs.rate_hz})
    cases = [case_of(inputs, label, rate) for rate in rates for label in inputs.labels]
    points = shared.answer(cases, progress, lambda points: shared.by_rate(inputs, inputs.labels, points))
    return Result.of(shared.by_rate(inputs, inputs.labels, points).columns, tuple(shared.notes(points, inputs)))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """At the rate in detail: the terms of the response time, which add up."""
    return shared.explain_rows(result, result.rows(rate_hz=inputs.rate_hz))


def case_of(inputs: Inputs, label: str, rate_hz: float) -> shared.Case:
    """One point of a series, which is an allocation and a strategy."""
    name, _, strategy = label.rpartition(", ")
    system = system_of(inputs, name, force=known("update strategy", strategy, parameters.STRATEGIES) == "FORCE")
    return shared.Case(label, rate_hz, system, inputs.load, rate_hz, inputs.seed)


STUDY = Study(
    name="force_noforce",
    title="Is it affordable to write every changed page at commit? FORCE against NOFORCE",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    source="rahm1992 §4.4, Fig. 4.3",
    presets={
        "Fig. 4.3: disk, write buffer, NVEM": {},
        "SSD and a write buffer in NVEM": {"allocations": ("disk", "NVEM write buffer", "ssd")},
    },
)
