"""What does the fastest hierarchy for the money look like? Prices of Rahm's Table 2.1, or those of other devices."""

import math
from typing import Annotated, NamedTuple, Self

import numpy as np
from pydantic import Field, field_validator

from pagecost import catalogue
from pagecost.answers.transaction_runs import Case, Point, estimated
from pagecost.economics import hierarchy
from pagecost.economics.hierarchy import ENDS, LEVELS, Bought
from pagecost.errors import require
from pagecost.studies import finding
from pagecost.studies.fields import About, Choice, Group, Steps
from pagecost.studies.finding import Finding, at
from pagecost.studies.study import Column, Fact, Progress, Result, Study, formulas_first, no_progress
from pagecost.studies.transactions import transaction_inputs as parameters
from pagecost.studies.transactions import transaction_system as shared
from pagecost.studies.transactions.transaction_plans import Systems
from pagecost.studies.workers import side_by_side
from pagecost.transactions import rahm, theory
from pagecost.transactions.plans import HOMES, UNITS, Plan
from pagecost.units import format_cell, format_seconds, grouped, usd

NONE = "no price"
GAIN = 0.02  # what a dearer plan must be faster by: as much as a simulated point is uncertain
SIMULATED = 8  # plans at most: what bars can stand under each other
AT_ONCE = 50  # plans whose formulas are one piece of work: replays are side by side, and threads cost little
PRICES = "Prices"


def priced() -> dict[str, str]:
    """Device id -> name and date of the price, of every device with a price in dollars; and no price at all."""
    found = {id: device for id, device in catalogue.devices().items() if device.dollar_prices}
    names = {id: f"{device.name} ({hierarchy.newest_price(device).date})" for id, device in found.items()}
    return {NONE: "not for sale"} | names


def _price_of(title: str, meaning: str) -> About:
    return (Choice(priced), Group(PRICES), Field(title=title, description=meaning))


class Inputs(parameters.StrategyInputs):
    """The load, the target and the prices; every combination of sizes and homes is a plan."""

    rate_hz: Annotated[float, *parameters.rate(" that every plan must bear", "Rate")] = 500.0
    target_s: Annotated[
        float,
        Steps((7e-3, 10e-3, 15e-3, 20e-3, 25e-3, 30e-3, 40e-3, 60e-3), "s", format_seconds),
        Field(gt=0, le=100, title="Response time wanted", description="The cheapest plan within it is looked for."),
    ] = 25e-3
    price_end: Annotated[
        str,
        Choice(lambda: ENDS),
        Group(PRICES),
        Field(title="Where prices are a range", description="Table 2.1 prints ranges; the middle is their mean."),
    ] = "middle"
    main_price: Annotated[
        str, *_price_of("Main memory", "Whose price it has. Table 2.1's NVEM costs half as much.")
    ] = "rahm-main-memory"
    nvem_price: Annotated[str, *_price_of("NVEM", "Whose price it has.")] = "rahm-nvem"
    cache_price: Annotated[
        str, *_price_of("Disk caches", "Table 2.1 prints no price: plans with one have none, or that of …")
    ] = NONE
    ssd_price: Annotated[str, *_price_of("SSD", "Whose price it has; its times are set among the devices.")] = (
        "rahm-ssd"
    )
    disk_price: Annotated[str, *_price_of("Disks", "Whose price they have; their times are set among the devices.")] = (
        "rahm-db-disk"
    )
    most_busy: Annotated[
        float,
        Steps((0.3, 0.5, 0.6, 0.8, 0.9), "1", lambda share: f"{share:.0%}"),
        Group(PRICES),
        Field(gt=0, lt=1, title="Busy at most", description="More devices are bought, where they are priced apiece."),
    ] = 0.6
    history_hours: Annotated[
        float,
        Steps((1.0, 4.0, 8.0, 24.0, 168.0), "h", lambda hours: f"{hours:g} h"),
        Group(PRICES),
        Field(ge=0, le=100_000, title="HISTORY kept", description="Hours at the rate above; our choice."),
    ] = 8.0
    log_pages: Annotated[
        int,
        Steps((500, 1000, 2500, 10_000, 100_000), "pages", parameters.pages),
        Group(PRICES),
        Field(ge=1, le=10**9, title="Log kept", description="Newest pages where the log lives; older are archived."),
    ] = 2500

    @field_validator("main_price", "nvem_price", "cache_price", "ssd_price", "disk_price")
    @classmethod
    def _can_be_bought(cls, name):
        if name != NONE:
            hierarchy.offer(catalogue.device(name), "middle")
        return name

    @property
    def price_names(self) -> dict[str, str]:
        """Level -> device whose price it has, or `NONE`."""
        return {level: getattr(self, f"{level}_price") for level in LEVELS}

    @property
    def offers(self) -> dict[str, hierarchy.Offer | None]:
        """Level -> what it can be bought for; None where it is not for sale."""
        return {
            level: None if name == NONE else hierarchy.offer(catalogue.device(name), self.price_end)
            for level, name in self.price_names.items()
        }

    @property
    def sizes(self) -> hierarchy.Sizes:
        """Pages of what has to live somewhere."""
        pages = self.load_model.pages_of()
        history = math.ceil(self.rate_hz * 3600 * self.history_hours / self.history_factor)
        return hierarchy.Sizes(pages["ACCOUNT"], history, pages["BRANCH"] + pages["TELLER"], self.log_pages)


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per plan that bears the rate, by formula, the cheapest first; table "simulated": those that count."""
    market = Market.of(inputs)
    bought = [found for plan in _plans(inputs) if (found := buy(inputs, plan, market)) is not None]
    cases = {item.plan: case_of(inputs, item, market.systems) for item in bought}
    formulas: dict[Plan, theory.Estimate] = {}
    parts = [list(cases)[at : at + AT_ONCE] for at in range(0, len(cases), AT_ONCE)]
    for part, estimates in side_by_side(lambda part: [estimated(cases[plan]) for plan in part], parts):
        formulas |= zip(part, estimates, strict=True)
        progress(0.0, None)  # which may cancel
    bought = [item for item in bought if not formulas[item.plan].saturated]
    require(bool(bought), f"no plan bears {inputs.rate_hz:g} transactions per second; set a lower rate")
    bought.sort(key=lambda item: (math.isnan(item.total_usd), item.total_usd, formulas[item.plan].response_s))
    response_s = [formulas[item.plan].response_s for item in bought]
    front = hierarchy.front([item.total_usd for item in bought], response_s, GAIN)
    chosen = hierarchy.cheapest_within(front, response_s, inputs.target_s)
    detail = hierarchy.spread(front, SIMULATED, chosen)

    def result(points: list[tuple[Case, Point]]) -> Result:
        return _result(bought, response_s, front, chosen, dict(zip(detail, points, strict=True)))

    points = shared.answer([cases[bought[place].plan] for place in detail], progress, result)
    return result(points).with_notes(_notes(inputs, chosen is not None))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The cheapest plan that meets the target: what it costs on each level, and what the target costs."""
    rows = result.rows(chosen=True)
    if not rows.size:
        return [f"No plan with a price answers within {format_seconds(inputs.target_s)}."]
    row = rows[0]
    paid = [level for level in LEVELS if result[f"{level}_usd"][row] > 0]
    parts = [f"{LEVELS[level]} {result.cell(f'{level}_usd', row)}" for level in paid]
    lines = [
        f"The cheapest within {format_seconds(inputs.target_s)} is {result['plan'][row]}. {' + '.join(parts)} = "
        f"{result.cell('cost_usd', row)}; {result.cell('formula_s', row)} by formula, {simulated_s(result, row)} "
        "simulated."
    ]
    for other in result.rows(front=True):
        lines.append(f"{result.cell('cost_usd', other)}: {result.cell('formula_s', other)}, {result['plan'][other]}.")
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    rows, target = result.rows(chosen=True), format_seconds(inputs.target_s)
    if not rows.size:
        return finding.found(f"No plan with a price answers within {target} at {format_cell(inputs.rate_hz, '1')} TPS.")
    return finding.found(
        "For {cost} a plan answers within {target} at {rate} TPS, the cheapest of {plans}: {plan}.",
        cost=at(result, "cost_usd", rows[0]),
        target=target,
        rate=format_cell(inputs.rate_hz, "1"),
        plans=grouped(len(result)),
        plan=str(result["plan"][rows[0]]),
    )


def simulated_s(result: Result, row: int) -> str:
    """The simulated response time of a plan with its interval, or that it was not simulated."""
    found = result.rows_in("simulated", plan=result["plan"][row])
    if not found.size:
        return "not simulated"
    columns = result.tables["simulated"].columns
    return f"{columns['response_s'].cell(found[0])} ± {columns['half_width_s'].cell(found[0])}"


def _plans(inputs: Inputs) -> list[Plan]:
    return hierarchy.plans(inputs.buffer_pages, inputs.write_buffer_pages)


class Market(NamedTuple):
    """What the inputs offer and say of every system, once for many plans."""

    offers: dict[str, hierarchy.Offer | None]
    sizes: hierarchy.Sizes
    systems: Systems

    @classmethod
    def of(cls, inputs: Inputs) -> Self:
        """That of these inputs."""
        return cls(inputs.offers, inputs.sizes, Systems(inputs))


def buy(inputs: Inputs, plan: Plan, market: Market | None = None) -> Bought | None:
    """What the plan costs at the rate; None where something is not for sale. A disk cache is, at an unknown price.

    market: that of the inputs, if it is known already.
    """
    offers, sizes, systems = market or Market.of(inputs)
    held = hierarchy.held_pages(plan, sizes)
    apiece = any(offer.capacity_bytes for level in ("ssd", "disk") if (offer := offers[level]) is not None)
    for_sale = all(offers[level] for level in LEVELS if held[level] and level != "cache")
    work_s = _device_seconds(inputs, plan, systems) if apiece and for_sale else {}
    return hierarchy.buy(plan, held, offers, work_s, page_bytes=parameters.PAGE_BYTES, most_busy=inputs.most_busy)


def case_of(inputs: Inputs, bought: Bought, systems: Systems | None = None) -> Case:
    """The plan as a point: with as many devices as were bought, or enough where bytes are priced.

    systems: those of the inputs, if they are made already.
    """
    systems = systems or Systems(inputs)
    names = {"ssd": [UNITS["SSD"]], "disk": [unit for kind, unit in UNITS.items() if kind != "SSD"]}
    disks = {unit: count for level, count in bought.devices.items() for unit in names.get(level, ())}
    system = systems.of(bought.plan, disks=disks)
    said = hierarchy.describe(bought.plan)
    return Case(said, inputs.rate_hz, system, systems.transactions, inputs.rate_hz, inputs.seed)


def _device_seconds(inputs: Inputs, plan: Plan, systems: Systems) -> dict[str, float]:
    """Seconds of work per second of all disks and of all SSDs."""
    system = systems.of(plan)
    used = theory.estimate(system, systems.transactions.load(system.cached_pages), inputs.rate_hz).utilisation
    busy = {"ssd": 0.0, "disk": 0.0}
    for unit in system.units:
        level = "ssd" if unit.name == UNITS["SSD"] or (unit.name == rahm.LOG and plan.log == "ssd") else "disk"
        busy[level] += used[f"{unit.name} disk"] * unit.disks
    return busy


def _result(bought: list[Bought], response_s, front, chosen, points: dict[int, tuple[Case, Point]]) -> Result:
    def of(read) -> np.ndarray:
        return np.array([read(item) for item in bought])

    places = np.arange(len(bought))
    columns = {
        "plan": Column(of(lambda item: hierarchy.describe(item.plan)), "text", "plan"),
        "cost_usd": Column(of(lambda item: item.total_usd), "USD", "cost"),
        "formula_s": Column(np.array(response_s), "s", "response time by formula"),
        "account": Column(of(lambda item: item.plan.account), "text", "home of ACCOUNT and HISTORY", HOMES),
        "branch": Column(of(lambda item: item.plan.branch), "text", "home of BRANCH and TELLER", HOMES),
        "log": Column(of(lambda item: item.plan.log), "text", "home of the log", HOMES),
        "buffer_pages": Column(of(lambda item: item.plan.buffer_pages), "1", "main memory, pages"),
        "nvem_pages": Column(of(lambda item: item.nvem_pages), "1", "NVEM, pages"),
    }
    for level, label in LEVELS.items():
        columns[f"{level}_usd"] = Column(of(lambda item, level=level: item.cost_usd[level]), "USD", f"cost of {label}")
    columns |= {
        "disks": Column(of(lambda item: item.devices.get("disk", 0)), "1", "disks bought, 0 where bytes are priced"),
        "ssds": Column(of(lambda item: item.devices.get("ssd", 0)), "1", "SSDs bought, likewise"),
        "front": Column(np.isin(places, front), "1", "no cheaper plan comes close"),
        "chosen": Column(places == (-1 if chosen is None else chosen), "1", "cheapest within target"),
    }
    facts = {
        "plans": Fact(len(bought), "1", "plans that bear the rate"),
        "not_priced": Fact(sum(math.isnan(item.total_usd) for item in bought), "1", "of them without a cost"),
    }
    runs = {place: point.run for place, (_, point) in points.items() if point.run is not None}
    return Result.of(columns, facts=facts, more={"simulated": _simulated(columns, runs)} if runs else {})


def _simulated(columns: dict[str, Column], runs) -> dict[str, Column]:
    """The plans that were simulated."""

    def of(name: str, unit: str, label: str) -> Column:
        return Column(np.array([getattr(run, name) for run in runs.values()]), unit, label)

    return {
        **{name: Column(c.values[list(runs)], c.unit, c.label) for name, c in columns.items() if name in _SAID},
        "response_s": of("response_s", "s", "mean response time"),
        "half_width_s": of("half_width_s", "s", "± at 95 % confidence"),
        "throughput_hz": of("throughput_hz", "1/s", "transactions per second"),
    }


_SAID = ("plan", "cost_usd", "formula_s")


def _notes(inputs: Inputs, met: bool):
    for level, name in inputs.price_names.items():
        if level == "cache":
            continue
        if name == NONE:
            yield f"{LEVELS[level]}: no price is known, so plans that need it are left out."
        else:
            device = catalogue.device(name)
            price = hierarchy.newest_price(device)
            amount = f"{usd(hierarchy.amount(price, inputs.price_end))} per {price.per}"
            yield f"{LEVELS[level]}: {amount}, {price.date} ({price.source}, {price.status}; {device.name})."
    if inputs.cache_price == NONE:
        yield "Disk caches: the paper prints no price, so plans with a write buffer in one are shown without a cost."
    yield (
        "Storage alone is priced, no processors. Bytes are priced in 1991, so that arms cost nothing there and enough "
        "disks are assumed; where devices are priced apiece, as many are bought as hold the bytes and stay below the "
        "share of time that they may be busy. Disks that hold only the log are not bought apart."
    )
    yield from shared.device_notes(inputs)
    if not met:
        yield f"No plan with a price answers within {format_seconds(inputs.target_s)}."


STUDY = Study(
    name="storage_cost",
    title="What does the fastest storage hierarchy for the money look like?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    estimate=formulas_first(compute),
    place="money",
    source="rahm1992 Table 2.1, §4.3, §4.5 and §5",
    presets={
        "1991: a response within 25 ms": {},
        "1991: within 10 ms": {"target_s": 10e-3},
        "1991, a disk cache priced like an SSD": {"cache_price": "rahm-ssd"},
        "the same in 2009: devices and prices": {
            "main_price": "five-minute-memory-2007",
            "nvem_price": NONE,
            "ssd_price": "intel-x25-m-g2-80gb",
            "disk_price": "hgst-7k1000-1tb",
            "database_device": "hgst-7k1000-750gb",
            "log_device": "hgst-7k1000-750gb",
            "ssd_device": "intel-x25-m-g2-80gb",
        },
        "the same with 3D XPoint as NVEM, 2017": {
            "main_price": "five-minute-memory-2007",
            "nvem_price": "intel-optane-p4800x-375gb",
            "nvem_s": 10e-6,
            "ssd_price": "intel-dc-p3700-1600gb",
            "disk_price": "seagate-archive-v2-8tb",
            "database_device": "seagate-exos-x18-18tb",
            "log_device": "seagate-exos-x18-18tb",
            "ssd_device": "intel-dc-p3700-800gb",
            "target_s": 10e-3,
        },
    },
)
