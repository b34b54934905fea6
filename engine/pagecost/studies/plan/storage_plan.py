"""Which storage is best for the money? Every plan by formula, the best simulated, and what would change the choice."""

from collections.abc import Iterable
from typing import Annotated

import numpy as np
from pydantic import Field, ValidationError

from pagecost import planner
from pagecost.economics import LEVELS
from pagecost.errors import ModelError
from pagecost.planner import Plan, Planned
from pagecost.studies.fields import About, Choices, Group, OfSystem, Steps, how_many
from pagecost.studies.finding import Finding, marked
from pagecost.studies.plan.plan_inputs import BUSY_AT_MOST, UNCERTAINTY, PlanInputs, choosable, figure_columns
from pagecost.studies.study import Column, Fact, Progress, Result, Study, no_progress
from pagecost.system import NOTHING, PLACEMENTS, Candidates, System, Targets
from pagecost.units import format_cell, format_seconds, grouped
from pagecost.validation import sentence

COUNTS = (1, 2, 4, 8, 16, 32)
FRAMES = (256, 1024, 4096, 16384, 65536)
CHOICES = "More to choose from"
NO_TARGET = 0.0
AS_ABOVE = "None: as above."
SHOWN_INPUTS = 12


def _count(value) -> None:
    if not 1 <= value <= 10_000:
        raise ModelError(f"a number of devices must be 1..10000; got {value}")


def _in_frames(value: int) -> str:
    return f"{grouped(value)} frames"


def _frames(value) -> None:
    if not 1 <= value <= 2**31:
        raise ModelError(f"a buffer must be 1..2147483648 frames; got {value}")


def _budget_in(system: System, usd_per_unit: float) -> float:
    """The system's budget in a currency of which one is so many dollars; exact in its own."""
    budget = system.targets.budget or NO_TARGET
    return budget * (system.economics.usd_per_unit / float(usd_per_unit))


def _counts(path: str, title: str) -> About:
    return (
        Choices(lambda: {count: str(count) for count in COUNTS}, most=8, such=_count, noun="number"),
        OfSystem(path),
        Field(min_length=1, title=title, description="That are tried."),
    )


def _devices(path: str, title: str, description: str) -> About:
    return (
        Choices(choosable, most=8, noun="device with times"),
        OfSystem(path),
        Field(title=title, description=description),
    )


class Inputs(PlanInputs):
    """Targets, and what a plan may be made of."""

    response_s: Annotated[
        float,
        Steps((1e-3, 1e-2, 5e-2, 0.1, 0.5, 1.0), "s", format_seconds),
        OfSystem("targets.response_s"),
        Field(gt=0, le=1e4, title="Response time wanted", description="Of the percentile, at most."),
    ] = 0.1
    devices: Annotated[
        tuple[str, ...], *_devices("candidates.devices", "Devices", "For the pages of the database.")
    ] = ("wd800aajs", "intel-x25-m-g2-80gb", "intel-x25-m-g2-160gb")
    counts: Annotated[tuple[int, ...], *_counts("candidates.counts", "How many")] = (1, 2, 4, 8)
    levels: Annotated[
        tuple[str, ...],
        Choices(lambda: {name: level.title for name, level in LEVELS.items()}, most=4, noun="RAID level"),
        OfSystem("candidates.levels"),
        Field(min_length=1, title="RAID levels", description="How they join."),
    ] = ("raid-0", "raid-1")
    placements: Annotated[
        tuple[str, ...],
        Choices(lambda: PLACEMENTS, most=4),
        OfSystem("candidates.placements"),
        Field(min_length=1, title="Placement", description="What has devices of its own."),
    ] = ("together", "log apart")
    buffers: Annotated[
        tuple[int, ...],
        Choices(
            lambda: {frames: _in_frames(frames) for frames in FRAMES}, such=_frames, said=_in_frames, noun="buffer"
        ),
        OfSystem("candidates.buffers"),
        Field(min_length=1, title="Buffers", description="Pages in main memory."),
    ] = (1024, 4096)
    budget: Annotated[
        float,
        Steps((NO_TARGET, 500.0, 1e3, 5e3, 1e4, 1e5), "1", lambda money: format_cell(money, "1") if money else "none"),
        OfSystem("targets.budget", money_of="usd_per_unit", amount=_budget_in),
        Field(ge=0, le=1e15, title="Budget", description="For all years, in the currency; 0: none."),
    ] = NO_TARGET
    watts: Annotated[
        float,
        Steps((NO_TARGET, 10.0, 30.0, 100.0, 300.0), "W", lambda watts: f"{watts:g} W" if watts else "any"),
        OfSystem("targets.watts"),
        Field(ge=0, le=1e9, title="Power", description="Mean of all devices, at most; 0: any."),
    ] = NO_TARGET
    log_devices: Annotated[
        tuple[str, ...],
        *_devices("candidates.log_devices", "Devices for the log", AS_ABOVE),
        Group(CHOICES),
    ] = ()
    log_counts: Annotated[
        tuple[int, ...], *_counts("candidates.log_counts", "How many for the log"), Group(CHOICES)
    ] = (1, 2)
    hot_devices: Annotated[
        tuple[str, ...],
        *_devices("candidates.hot_devices", "Devices for hot pages", AS_ABOVE),
        Group(CHOICES),
    ] = ()
    hot_counts: Annotated[
        tuple[int, ...], *_counts("candidates.hot_counts", "How many for hot pages"), Group(CHOICES)
    ] = (1, 2)
    write_buffers: Annotated[
        tuple[str, ...],
        Choices(lambda: {NOTHING: "none"} | choosable(), most=4, noun="device with times"),
        OfSystem("candidates.write_buffers"),
        Group(CHOICES),
        Field(min_length=1, title="Write buffers", description="What takes written pages first."),
    ] = (NOTHING,)
    busy_at_most: Annotated[float, *BUSY_AT_MOST, Group(CHOICES)] = 0.8
    uncertainty: Annotated[float, *UNCERTAINTY, Group(CHOICES)] = 0.2
    runs: Annotated[
        int,
        Steps((0, 1, 2, 3), "1", how_many("runs", zero="by formula")),
        Group(CHOICES),
        Field(ge=0, le=10, title="Runs", description="Simulations of each finalist; 0: none."),
    ] = 2

    @property
    def whole_system(self) -> System:
        """The system with its targets and candidates. Raises ModelError where they break a rule."""
        base = self.system
        chosen = {name: getattr(self, name) for name in Candidates.model_fields if name in type(self).model_fields}
        try:
            candidates = Candidates(**base.candidates.model_dump() | chosen)
            targets = Targets(
                **base.targets.model_dump()
                | {"response_s": self.response_s, "watts": self.watts or None, "budget": self.budget or None}
            )
        except ValidationError as error:
            raise ModelError(f"storage_plan: {sentence(error, Candidates.model_fields)}") from None
        return base.model_copy(update={"candidates": candidates, "targets": targets})


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per plan that counts or came close; tables: figures, tornado, break-evens, how many failed by what."""
    made = planner.plan(
        inputs.whole_system, seed=inputs.seed, runs=inputs.runs, progress=lambda share, _: progress(share, None)
    )
    return result_of(made)


def estimate(inputs: Inputs) -> Result:
    """The plan by formula, while a value is dragged: without runs, draws, tornado and break-evens."""
    return result_of(planner.estimated(inputs.whole_system))


def result_of(made: Planned) -> Result:
    """The answer of the planner as tables."""
    plans = (*made.finalists, *made.losers)
    best = made.best
    money, titles = plans[0].figures["cost"].unit, titles_of(plans)
    pareto = {made.finalists[at].code for at in made.pareto}

    def of(name: str, unit: str, label: str) -> Column:
        return Column(np.array([plan.value(name) for plan in plans], float), unit, label)

    def texts(read, label: str) -> Column:
        return Column(np.array([read(plan) for plan in plans], str), "text", label)

    columns = {
        "title": texts(lambda plan: plan.title, "plan"),
        "cost": of("cost", money, "cost of all years"),
        "percentile_s": Column(np.array([response_s(plan) for plan in plans], float), "s", "response time"),
        "formula_s": of("percentile_s", "s", "by formula"),
        "mean_w": of("mean_w", "W", "power"),
        "life_years": of("life_years", "year", "life of the devices"),
        "finalist": Column(np.arange(len(plans)) < len(made.finalists), "1", "finalist"),
        "pareto": Column(np.array([plan.code in pareto for plan in plans]), "1", "no plan is better in everything"),
        "chosen": Column(np.array([plan is best for plan in plans]), "1", "chosen"),
        "binding": texts(lambda plan: plan.binding or "it is chosen", "why not"),
        "plan": texts(lambda plan: plan.code, "plan, as commands take it"),
    }
    for name in ("mean_w", "life_years"):
        if not np.isfinite(columns[name].values).any() and not np.isinf(columns[name].values).any():
            del columns[name]  # of no plan it is known
    more = {"figures": figure_columns(made.finalists)}
    if any(plan.simulated for plan in made.finalists):
        more["simulated"] = _simulated([plan for plan in made.finalists if plan.simulated])
    if made.tornado:
        more["tornado"] = _tornado(made, money, titles)
    if made.break_evens:
        more["break_evens"] = {
            "one": Column(np.array([each.one for each in made.break_evens]), "text", "cheaper first", titles),
            "other": Column(np.array([each.other for each in made.break_evens]), "text", "cheaper later", titles),
            "at_s": Column(np.array([each.at_s for each in made.break_evens]), "s", "from"),
        }
    facts = {
        "answer": Fact(made.sentence, "text", "answer"),
        "screened": Fact(made.screened, "1", "plans by formula"),
        "feasible": Fact(made.feasible, "1", "of them meet every target"),
        "sureness": Fact(made.sureness, "1", "share of draws in which the same plan is chosen"),
    }
    facts |= {
        f"rejected_{number}": Fact(count, "1", f"plans that miss most: {title}")
        for number, (title, count) in enumerate(made.rejected.items(), start=1)
    }
    lines = (*made.reasons[1:], *(each.sentence for each in made.break_evens[:3]), *made.notes)
    return Result.of(columns, facts=facts, more=more).with_notes(lines)


def titles_of(plans: Iterable[Plan]) -> dict[str, str]:
    """What people call plans, by their codes."""
    return {plan.code: plan.title for plan in plans}


def response_s(plan: Plan) -> float:
    """The percentile of the response time: simulated where it was."""
    simulated = plan.value("simulated_percentile_s")
    return simulated if np.isfinite(simulated) else plan.value("percentile_s")


def _simulated(plans: list[Plan]) -> dict[str, Column]:
    """The plans that were simulated, with the ends of their intervals; of a single run there are none."""
    figures = [plan.figures["simulated_percentile_s"] for plan in plans]

    def of(values, label: str) -> Column:
        return Column(np.array(list(values), float), "s", label)

    columns = {
        "plan": Column(np.array([plan.code for plan in plans]), "text", "plan", titles_of(plans)),
        "cost": Column(np.array([plan.value("cost") for plan in plans]), plans[0].figures["cost"].unit, "cost"),
        "simulated_s": of((figure.value for figure in figures), "response time, simulated"),
        "formula_s": of((plan.value("percentile_s") for plan in plans), "by formula"),
    }
    if all(np.isfinite(figure.low) for figure in figures):
        half = ((figure.high - figure.low) / 2 for figure in figures)
        columns["half_width_s"] = of(half, "± at 95 % confidence")
    return columns


def _tornado(made: Planned, money: str, titles: dict[str, str]) -> dict[str, Column]:
    swings = made.tornado[:SHOWN_INPUTS]

    def of(name: str, unit: str, label: str) -> Column:
        return Column(np.array([getattr(swing, name) for swing in swings]), unit, label)

    def chosen(name: str, label: str) -> Column:
        return Column(np.array([getattr(swing, name) or "none" for swing in swings]), "text", label, titles)

    return {
        "title": of("title", "text", "input"),
        "low": of("low", "1", "from"),
        "high": of("high", "1", "to"),
        "unit": of("unit", "text", "unit"),
        "cost_low": of("cost_low", money, "cost there"),
        "cost_high": of("cost_high", money, "and there"),
        "chosen_low": chosen("chosen_low", "chosen there"),
        "chosen_high": chosen("chosen_high", "and there"),
    } | (
        {"total_effect": of("total_effect", "1", "Sobol's total index of the gap to the runner-up")}
        if all(np.isfinite(swing.total_effect) for swing in swings)
        else {}
    )


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The figures of the plan that is chosen, with their formulas."""
    figures = result.tables["figures"]
    rows = result.rows(chosen=True)
    lines = [str(result.facts["answer"].value)]
    if rows.size:
        code = str(result["plan"][rows[0]])
        lines += [f"{figures['title'][row]}: {figures['formula'][row]}." for row in figures.rows(plan=code)]
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    figures = result.tables["figures"]
    rows = [row for code in result["plan"][result.rows(chosen=True)[:1]] for row in figures.rows(plan=code)]
    told = ((figures["value"][row].item(), str(figures["unit"][row]), str(figures["title"][row])) for row in rows)
    return marked(str(result.facts["answer"].value), *(Fact(*each) for each in told))


RAHM = {
    "source": "debit-credit-1992",
    "devices": ("rahm-db-disk",),
    "counts": (400,),
    "levels": ("raid-0",),
    "placements": ("together", "log apart", "log and hot apart"),
    "log_devices": ("rahm-log-disk", "rahm-ssd", "rahm-nvem"),
    "log_counts": (8,),
    "hot_devices": ("rahm-ssd", "rahm-nvem"),
    "hot_counts": (8,),
    "write_buffers": (NOTHING, "rahm-nvem"),
    "buffers": (500, 2000),
    "memory": "rahm-main-memory",
    "transactions_per_s": 500.0,
    "volume_bytes": 2.1e10,
    "log_bytes": 1.024e7,
    "processors": 4,
    "price_per_kwh": 0.0,
    "response_s": 0.1,
}
LEE = {
    "source": "tpc-c",
    "mix": "order-status",
    "warehouses": 140,
    "transactions_per_s": 100.0,
    "devices": ("cheetah-15k5", "indilinx-barefoot-ssd"),
    "counts": (1, 2, 4, 8, 16),
    "levels": ("raid-0",),
    "placements": ("together",),
    "buffers": (12800,),
    "group_size": 60,
    "volume_bytes": 1e10,
    "processors": 4,
    "transaction_s": 1e-3,
    "prices": "cheetah-15k5=150, indilinx-barefoot-ssd=700",
    "response_s": 0.5,
}

STUDY = Study(
    name="storage_plan",
    title="Which storage is best for the money?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    estimate=estimate,
    place="money",
    source="docs/models/planner.md#by-formula; rahm1992 Table 2.1, lee2009 slides 8 to 17",
    presets={
        "Rahm 1992: main memory, NVEM, SSD, disks": RAHM,
        "Lee 2009: one SSD or many disks": LEE,
    },
)
