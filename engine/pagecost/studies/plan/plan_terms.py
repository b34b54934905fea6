"""What does one plan give, and from which terms? Every figure of a plan, computed again on its own."""

from typing import Annotated

import numpy as np
from pydantic import Field, field_validator

from pagecost import planner
from pagecost.planner.screening import TERMS
from pagecost.planner.space import parts_of
from pagecost.studies.fields import Choice, OfSystem, Steps, how_many
from pagecost.studies.finding import Derived, Finding, found
from pagecost.studies.plan.plan_inputs import BUSY_AT_MOST, UNCERTAINTY, PlanInputs, figure_columns
from pagecost.studies.study import Column, Fact, Progress, Result, Study, no_progress
from pagecost.units import format_seconds

PLANS = {
    "database=2*intel-x25-m-g2-80gb:raid-1/buffer=4096": "two Intel X25-M, mirrored",
    "database=8*wd800aajs:raid-0/buffer=4096": "eight WD800AAJS disks",
    "database=4*wd800aajs:raid-1/log=1*intel-x25-m-g2-80gb:raid-0/buffer=4096": "four disks, the log on an SSD",
    "database=1*intel-dc-p3700-800gb:raid-0/buffer=4096": "one Intel DC P3700",
}
"""Some plans by their codes."""


class Inputs(PlanInputs):
    """One plan under a load."""

    plan: Annotated[
        str,
        Choice(lambda: PLANS, free=True, typed="database=2*DEVICE:raid-1/buffer=1024", such=parts_of, of_file=False),
        Field(title="Plan", description="Devices by role, COUNT*DEVICE:LEVEL, and the caches."),
    ] = next(iter(PLANS))
    response_s: Annotated[
        float,
        Steps(
            (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 1.0), "s", lambda goal: format_seconds(goal) if goal else "not asked"
        ),
        OfSystem("targets.response_s"),
        Field(ge=0, le=1e4, title="Response time", description="To hold as it grows; 0: not asked."),
    ] = 0.0
    busy_at_most: Annotated[float, *BUSY_AT_MOST] = 0.8
    uncertainty: Annotated[float, *UNCERTAINTY] = 0.2
    runs: Annotated[
        int,
        Steps((0, 1, 2, 3), "1", how_many("runs", zero="by formula")),
        Field(ge=0, le=10, title="Runs", description="Simulations of it with other random numbers; 0: none."),
    ] = 0

    @field_validator("plan")
    @classmethod
    def _plan_is_read(cls, text):
        parts_of(text)
        return text.strip()


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """A row per term of the mean response with its interval; table `figures`: every figure likewise, with formula and
    sources.

    The fact `title` names the plan as people do.
    """
    system = planner.candidates_of(inputs.plan, inputs.system)
    made = planner.figures_of_one(
        system, inputs.plan, seed=inputs.seed, runs=inputs.runs, progress=lambda share, _: progress(share, None)
    )
    return Result.of(
        {
            "term": Column(np.array(list(made.terms)), "text", "part of the response time", TERMS),
            "time_s": Column(np.array(list(made.terms.values())), "s", "mean time of a transaction"),
            "low_s": Column(np.array([made.intervals[term][0] for term in made.terms]), "s", "95 % of the draws from"),
            "high_s": Column(np.array([made.intervals[term][1] for term in made.terms]), "s", "95 % of the draws to"),
        },
        facts={"title": Fact(made.plan.title, "text", "the plan in words")},
        more={"figures": figure_columns([made.plan])},
    ).with_notes(made.notes)


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The formula of each figure, with its numbers."""
    figures = result.tables["figures"]
    return [f"{figures['title'][row]}: {figures['formula'][row]}." for row in range(len(figures))]


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    plan = str(result.facts["title"].value)
    return found("{plan}: a transaction takes {time} on average, by formula.", plan=plan, time=total(result))


def total(result: Result) -> Derived:
    """The mean response time."""
    return Derived(float(result["time_s"].sum()), "s", "mean response time", "sum of its terms")


STUDY = Study(
    name="plan_terms",
    title="What does one plan give, term by term?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="money",
    source="formulas of the planner, docs/models/planner.md#by-formula",
    presets={
        "one NVMe drive": {"plan": "database=1*intel-dc-p3700-800gb:raid-0/buffer=4096"},
        "eight disks": {"plan": "database=8*wd800aajs:raid-0/buffer=4096", "transactions_per_s": 50.0},
    },
)
