"""Can a system afford to write every changed page at commit? Rahm's Fig. 4.3."""

import functools
from typing import Annotated

from pydantic import Field

from pagecost.answers.transaction_runs import Case
from pagecost.errors import known
from pagecost.studies.fields import Choices
from pagecost.studies.shared_fields import FORCE, STRATEGIES
from pagecost.studies.study import Progress, Result, Study, formulas_first, no_progress
from pagecost.studies.transactions import transaction_inputs as parameters
from pagecost.studies.transactions import transaction_system as shared
from pagecost.studies.transactions.database_allocation import ALLOCATIONS, system_of


class Inputs(parameters.TransactionInputs):
    """The allocations, each with both update strategies."""

    allocations: Annotated[
        tuple[str, ...],
        Choices(lambda: ALLOCATIONS, most=4),
        Field(min_length=1, title="Allocations", description="Where all partitions and the log live."),
    ] = ("disk", "disk cache write buffer", "nvem")
    rate_hz: Annotated[float, *parameters.rate(" whose response time is taken apart")] = 500.0


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per allocation, strategy and arrival rate."""
    return shared.over_rates(inputs, names_of(inputs), functools.partial(case_of, inputs), progress)


def names_of(inputs: Inputs) -> dict[str, str]:
    """Series -> its name: each allocation with NOFORCE and with FORCE."""
    return {
        f"{name}, {strategy}": f"{ALLOCATIONS[name]}, {strategy}"
        for name in inputs.allocations
        for strategy in STRATEGIES
    }


def explain(inputs: Inputs, result: Result) -> list[str]:
    """At the rate in detail: the terms of the response time, which add up."""
    return shared.explain_rows(result, result.rows(chosen=True), rate_hz=inputs.rate_hz)


def case_of(inputs: Inputs, label: str, rate_hz: float) -> Case:
    """One point of a series, which is an allocation and a strategy."""
    name, _, strategy = label.rpartition(", ")
    system = system_of(inputs, name, force=known("update strategy", strategy, STRATEGIES) == FORCE)
    return Case(label, rate_hz, system, inputs.transactions, rate_hz, inputs.seed)


STUDY = Study(
    name="force_noforce",
    title="Is it affordable to write every changed page at commit? FORCE against NOFORCE",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=shared.describe_at_rate,
    estimate=formulas_first(compute),
    place="log",
    source="rahm1992 §4.4, Fig. 4.3",
    presets={
        "Fig. 4.3: disk, write buffer, NVEM": {},
        "SSD and a write buffer in NVEM": {"allocations": ("disk", "NVEM write buffer", "ssd")},
    },
)
