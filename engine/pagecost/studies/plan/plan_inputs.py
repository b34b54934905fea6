"""What the questions about plans have in common: the load, the processors, the prices; and a plan's figures as rows."""

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from pagecost import catalogue, devices
from pagecost.answers import path_runs
from pagecost.buffer import POLICIES
from pagecost.buffer.policies import find, title_of
from pagecost.planner import Figure, Plan
from pagecost.planner.run_lines import INPUTS, LEFT_OUT, MERGED, system_of
from pagecost.studies.fields import About, Choice, Group, OfSystem, Steps, how_many
from pagecost.studies.loop_loads import TPOX_BYTES, TPOX_MAPPING, TPOX_MIX
from pagecost.studies.shared_fields import NOFORCE, SEED, STRATEGY, energy_price, horizon, percent, shares
from pagecost.studies.study import Column, StudyInputs
from pagecost.studies.typed import CATALOGUE, amounts, typed_prices
from pagecost.system import LAYOUTS, NOTHING, PERCENTILES, System, memories
from pagecost.units import format_bytes, format_seconds, format_si, grouped
from pagecost.workload import sources
from pagecost.workload.tpcc import MIX_TITLES

LOAD, MONEY, MACHINE = "Load in detail", "Money", "Machine and log"


def choosable() -> dict[str, str]:
    """Device id -> name of all of which times are known."""
    return {name: title for name, title in path_runs.drives().items() if name in catalogue.devices()}


BUSY_AT_MOST: About = (
    Steps(shares(50, 60, 70, 80, 90), "1", percent),
    OfSystem("candidates.busy_at_most"),
    Field(gt=0, lt=1, title="Busy at most", description="Of any device and of the processors."),
)
UNCERTAINTY: About = (
    Steps(shares(0, 10, 20, 30, 50), "1", lambda share: f"± {share:.0%}"),
    OfSystem("candidates.uncertainty"),
    Field(ge=0, lt=1, title="Uncertainty", description="Of every number without an interval of its own."),
)


class PlanInputs(StudyInputs):
    """The load, and what does not differ between plans."""

    source: Annotated[
        str,
        Choice(sources.titles_of_systems, free=True, such=sources.check_of_system, noun="load"),
        OfSystem("load.source"),
        Field(title="Load", description="What the buffer and the devices are asked for."),
    ] = "sqlite-order-entry"
    transactions_per_s: Annotated[
        float,
        Steps((10.0, 50.0, 100.0, 200.0, 500.0, 1000.0), "1/s", lambda rate: f"{grouped(rate)}/s"),
        OfSystem("load.transaction_rate_hz"),
        Field(gt=0, le=1e7, title="Transactions", description="That arrive a second."),
    ] = 200.0
    percentile: Annotated[
        int,
        Steps(PERCENTILES, "1", lambda share: f"{share} %"),
        OfSystem("targets.percentile"),
        Field(ge=50, le=99, title="Percentile", description="How many of 100 the response time is of."),
    ] = 95
    volume_bytes: Annotated[
        float,
        Steps((1e10, 1e11, 3e11, 1e12, 3e12, 1e13), "B", lambda size: format_si(size, "B")),
        OfSystem("load.volume_bytes"),
        Field(gt=0, le=1e18, title="Volume", description="Data that are stored, without redundancy."),
    ] = 3e11
    years: Annotated[float, *horizon("How long it runs.", title="Years")] = 5.0
    references_per_s: Annotated[
        float,
        Steps((200.0, 1000.0, 4000.0, 20_000.0), "1/s", lambda rate: f"{grouped(rate)}/s"),
        OfSystem("load.rate_hz"),
        Group(LOAD),
        Field(gt=0, le=1e9, title="Page references", description="With transactions/s: how many one has, of a trace."),
    ] = 1000.0
    mix: Annotated[
        str,
        Choice(lambda: dict(MIX_TITLES), noun="TPC-C mix"),
        OfSystem("load.mix"),
        Group(LOAD),
        Field(title="Mix", description="Of TPC-C."),
    ] = "normal"
    warehouses: Annotated[
        int,
        Steps((3, 10, 30, 100, 140), "1", how_many("warehouses")),
        OfSystem("load.warehouses"),
        Group(LOAD),
        Field(ge=1, le=150, title="Warehouses", description="Of TPC-C."),
    ] = 30
    tpox_bytes: Annotated[float, *TPOX_BYTES, Group(LOAD)] = 1e9
    tpox_mapping: Annotated[str, *TPOX_MAPPING, Group(LOAD)] = "fs"
    tpox_mix: Annotated[str, *TPOX_MIX, Group(LOAD)] = "half writes"
    page_bytes: Annotated[
        int,
        Steps((LEFT_OUT["page_bytes"], 4096, 8192, 16384), "B", lambda size: format_bytes(size) if size else "its own"),
        OfSystem("memory.page_bytes"),
        Group(LOAD),
        Field(ge=0, le=1 << 30, multiple_of=512, title="Page", description="0: as the load or its trace has them."),
    ] = LEFT_OUT["page_bytes"]
    hot_share: Annotated[
        float,
        Steps(shares(1, 5, 10, 20), "1", percent),
        OfSystem("candidates.hot_share"),
        Group(LOAD),
        Field(gt=0, lt=1, title="Hot pages", description="Share of the pages, the most asked for."),
    ] = 0.1
    growth_per_year: Annotated[
        float,
        Steps((0.0, 0.1, 0.3, 1.0), "1", percent),
        OfSystem("targets.growth_per_year"),
        Group(LOAD),
        Field(ge=0, le=10, title="Growth", description="Of volume and load in a year."),
    ] = 0.0
    processors: Annotated[
        int,
        Steps((1, 2, 4, 8, 16), "1", str),
        OfSystem("processors.servers"),
        Group(MACHINE),
        Field(ge=1, le=256, title="Processors", description="Of one queue."),
    ] = 2
    transaction_s: Annotated[
        float,
        Steps((1e-4, 1e-3, 5e-3, 1e-2), "s", format_seconds),
        OfSystem("processors.transaction_s"),
        Group(MACHINE),
        Field(ge=0, le=10, title="Processor time", description="Of a transaction."),
    ] = 5e-3
    policy: Annotated[
        str,
        Choice(lambda: {name: title_of(name) for name in POLICIES}, free=True, such=find, of_file=False),
        OfSystem("memory.policy"),
        Group(MACHINE),
        Field(title="Replacement", description="Of the buffer."),
    ] = "lru"
    group_size: Annotated[
        int,
        Steps((1, 10, 30, 100), "1", str),
        OfSystem("log.group_size"),
        Group(MACHINE),
        Field(ge=1, le=10_000, title="Group commit", description="Transactions that share a log write at most."),
    ] = 1
    strategy: Annotated[str, *STRATEGY, Group(MACHINE)] = NOFORCE
    layout: Annotated[
        str,
        Choice(lambda: LAYOUTS),
        OfSystem("file_system.layout"),
        Group(MACHINE),
        Field(title="File system", description="In simulations."),
    ] = "in-place"
    write_buffer_bytes: Annotated[
        float,
        Steps((2**20, 2**21, 2**24, 2**30), "B", format_bytes),
        OfSystem("candidates.write_buffer_bytes"),
        Group(MACHINE),
        Field(gt=0, le=1e15, title="Write buffer", description="Where a plan has one."),
    ] = 2.0**21
    log_bytes: Annotated[
        float,
        Steps((2**23, 2**27, 2**30), "B", format_bytes),
        OfSystem("candidates.log_bytes"),
        Group(MACHINE),
        Field(gt=0, le=1e15, title="Log kept", description="Where the log lives."),
    ] = 2.0**27
    prices: Annotated[
        str,
        amounts(typed_prices, "wd800aajs=45, wd400bb=30"),
        Group(MONEY),
        OfSystem("economics.prices"),
        Field(title="Prices", description="In dollars a device; your own as device=price, device=price."),
    ] = CATALOGUE
    memory: Annotated[
        str,
        Choice(lambda: {NOTHING: "costs nothing"} | {name: devices.title_of(name) for name in memories()}),
        OfSystem("candidates.memory"),
        Group(MONEY),
        Field(title="Main memory", description="Whose price it has."),
    ] = "five-minute-memory-2018"
    price_per_kwh: Annotated[float, Group(MONEY), *energy_price("Dollars a kWh.")] = 0.15
    power_usage_effectiveness: Annotated[
        float,
        Steps((1.0, 1.2, 1.5, 2.0), "1", lambda factor: f"PUE {factor:g}"),
        OfSystem("economics.power_usage_effectiveness"),
        Group(MONEY),
        Field(ge=1, le=10, title="PUE", description="All energy over that of the devices."),
    ] = 1.0
    discount_per_year: Annotated[
        float,
        Steps(shares(0, 3, 5, 10), "1", percent),
        OfSystem("economics.discount_per_year"),
        Group(MONEY),
        Field(ge=0, lt=1, title="Discount", description="By which later money counts less."),
    ] = 0.0
    spare_share: Annotated[
        float,
        Steps(shares(0, 5, 10, 20), "1", percent),
        OfSystem("economics.spare_share"),
        Group(MONEY),
        Field(ge=0, le=10, title="Spares", description="Bought beside, per device in use."),
    ] = 0.0
    failures_per_year: Annotated[
        float,
        Steps(shares(0, 1, 2, 5), "1", percent),
        OfSystem("economics.failures_per_year"),
        Group(MONEY),
        Field(ge=0, le=10, title="Failures", description="Of a device in a year."),
    ] = 0.0
    carbon_kg_per_kwh: Annotated[
        float,
        Steps((0.0, 0.05, 0.1, 0.2, 0.3, 0.5), "kg/kWh", lambda kg: f"{kg:g} kg/kWh" if kg else "left out"),
        OfSystem("economics.carbon_kg_per_kwh"),
        Group(MONEY),
        Field(ge=0, le=5, title="Carbon", description="CO₂ of a kWh, as your supplier says; 0: left out."),
    ] = 0.0
    currency: Annotated[
        str,
        Choice(lambda: {"USD": "dollars", "EUR": "euros"}, free=True, typed="three letters", of_file=False),
        OfSystem("economics.currency"),
        Group(MONEY),
        Field(title="Currency", description="Of the answer."),
    ] = "USD"
    usd_per_unit: Annotated[
        float,
        Steps((1.0, 1.1, 1.3), "1", lambda usd: f"{usd:g} $"),
        OfSystem("economics.usd_per_unit"),
        Group(MONEY),
        Field(gt=0, le=1e9, title="Dollars for one", description="Of that currency."),
    ] = 1.0
    seed: SEED = 1

    @model_validator(mode="after")
    def _they_describe_a_system(self):
        """What no field can say alone: a currency has its rate, and a dollar none."""
        assert self.system
        return self

    @property
    def system(self) -> System:
        """The system that these inputs describe."""
        return system_of({name: getattr(self, name) for name in (*INPUTS, *MERGED)}, typed_prices(self.prices))


def _end(end: float, figure: Figure) -> float:
    """An end of the interval; of what is exact the value itself."""
    return end if end == end else figure.value


def figure_columns(plans: Iterable[Plan]) -> dict[str, Column]:
    """A row per figure of each plan."""
    plans = tuple(plans)
    titles = {plan.code: plan.title for plan in plans}
    rows = [(plan.code, each) for plan in plans for each in plan.figures.values() if each.value == each.value]

    def texts(values) -> np.ndarray:
        return np.array(list(values), str)

    def numbers(values) -> np.ndarray:
        return np.array(list(values), float)

    columns: dict[str, Any] = {
        "plan": Column(texts(code for code, _ in rows), "text", "plan", titles),
        "figure": Column(texts(figure.name for _, figure in rows), "text", "figure"),
        "title": Column(texts(figure.title for _, figure in rows), "text", "what it is"),
        "value": Column(numbers(figure.value for _, figure in rows), "1", "value"),
        "unit": Column(texts(figure.unit for _, figure in rows), "text", "unit"),
        "low": Column(numbers(_end(figure.low, figure) for _, figure in rows), "1", "from"),
        "high": Column(numbers(_end(figure.high, figure) for _, figure in rows), "1", "to"),
        "formula": Column(texts(figure.formula for _, figure in rows), "text", "formula"),
        "sources": Column(texts(", ".join(figure.sources) for _, figure in rows), "text", "sources"),
        "run_line": Column(texts(figure.run_line for _, figure in rows), "text", "computed again by"),
    }
    return columns
