"""What does the fastest hierarchy for the money look like? Prices of Rahm's Table 2.1, or those of other devices."""

import functools
import itertools
import math
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, field_validator

from pagecost import catalogue
from pagecost.catalogue import Price
from pagecost.errors import known, require
from pagecost.studies.fields import Choice, Group, Steps
from pagecost.studies.shared_fields import grouped
from pagecost.studies.study import Column, Progress, Result, Study, no_progress
from pagecost.studies.transactions import transaction_inputs as parameters
from pagecost.studies.transactions import transaction_system as shared
from pagecost.studies.transactions.transaction_plans import LOG_HOMES, UNITS, Plan, system_of
from pagecost.studies.workers import side_by_side
from pagecost.transactions import rahm, theory
from pagecost.units import format_seconds

NONE = "no price"
ENDS = {"low": "low ends", "middle": "middle", "high": "high ends"}
MAIN_PAGES = (200, 500, 1000, 2000)
CACHE_PAGES = (500, 1000, 2000)
BRANCH_HOMES = ("nvem", "ssd", "main memory")
LOGS = ("disk", "disk cache write buffer", "NVEM write buffer", "ssd", "nvem")
LEVELS = {"main": "main memory", "nvem": "NVEM", "cache": "disk caches", "ssd": "SSD", "disk": "disks"}
"""What is paid for."""
GAIN = 0.02  # what a dearer plan must be faster by: as much as a simulated point is uncertain
SIMULATED = 8  # plans at most: what bars can stand under each other
PRICES = "Prices"


def priced() -> dict[str, str]:
    """Device id -> name and date of the price, of every device with a price in dollars; and no price at all."""
    found = {id: device for id, device in catalogue.devices().items() if device.prices}
    names = {id: f"{device.name} ({device.prices[-1].date})" for id, device in found.items()}
    return {NONE: "not for sale"} | names


def _price_of(title: str, meaning: str):
    return Annotated[str, Choice(priced), Group(PRICES), Field(title=title, description=meaning)]


class Inputs(parameters.StrategyInputs):
    """The load, the target and the prices; every combination of sizes and homes is a plan."""

    rate_hz: Annotated[
        float,
        Steps(parameters.RATES, "1/s", lambda rate: f"{rate:g} TPS"),
        Field(gt=0, le=100_000, title="Rate", description="ArrRate that every plan must bear."),
    ] = 500.0
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
    main_price: _price_of("Main memory", "Whose price it has. Table 2.1's NVEM costs half as much.") = (
        "rahm-main-memory"
    )
    nvem_price: _price_of("NVEM", "Whose price it has.") = "rahm-nvem"
    cache_price: _price_of("Disk caches", "Table 2.1 prints no price: plans with one have none, or that of …") = NONE
    ssd_price: _price_of("SSD", "Whose price it has; its times are set among the devices.") = "rahm-ssd"
    disk_price: _price_of("Disks", "Whose price they have; their times are set among the devices.") = "rahm-db-disk"
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

    @field_validator("price_end")
    @classmethod
    def _known_end(cls, name):
        return known("end of a price range", name, ENDS)

    @field_validator("main_price", "nvem_price", "cache_price", "ssd_price", "disk_price")
    @classmethod
    def _known_price(cls, name):
        known("device with a price", name, priced())
        if name != NONE:
            price = _price(name)
            sized = price.per == "MB" or catalogue.device(name).get("capacity_bytes")
            require(bool(sized), f"{name}: its price is for one device, and its capacity is not known")
        return name


class Bought(NamedTuple):
    """A plan with what it costs. cost_usd: by level, nan where a price is not known. disks: unit -> devices."""

    plan: Plan
    cost_usd: dict[str, float]
    disks: dict[str, int]

    @property
    def total_usd(self) -> float:
        return sum(self.cost_usd.values())


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per plan that bears the rate: all by formula, those that count simulated too. The cheapest come first."""
    bought = [
        found
        for plan in plans(inputs.buffer_pages, inputs.write_buffer_pages)
        if (found := buy(inputs, plan)) is not None
    ]
    cases = {item.plan: case_of(inputs, item) for item in bought}
    answers = {}
    for plan, (_, answer) in zip(cases, side_by_side(shared.estimated, list(cases.values())), strict=True):
        answers[plan] = answer
        progress(0.0, None)  # which may cancel
    bought = [item for item in bought if not answers[item.plan].saturated]
    require(bool(bought), f"no plan bears {inputs.rate_hz:g} transactions per second; set a lower rate")
    bought.sort(key=lambda item: (math.isnan(item.total_usd), item.total_usd, answers[item.plan].response_s))
    front = _front(bought, answers)
    chosen = next((item for item in front if answers[item.plan].response_s <= inputs.target_s), None)
    detail = _detail(front, chosen)

    def paired(points) -> dict:
        return dict(zip((item.plan for item in detail), points, strict=True))

    points = shared.answer(
        [cases[item.plan] for item in detail],
        progress,
        lambda points: _result(inputs, bought, answers, front, chosen, paired(points)),
    )
    return Result.of(
        _result(inputs, bought, answers, front, chosen, paired(points)).columns, tuple(_notes(inputs, chosen))
    )


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The cheapest plan that meets the target: what it costs on each level, and what the target costs."""
    rows = result.rows(chosen=True)
    if not rows.size:
        return [f"No plan with a price answers within {format_seconds(inputs.target_s)}."]
    row = rows[0]
    paid = [level for level in LEVELS if result[f"{level}_usd"][row] > 0]
    parts = [f"{LEVELS[level]} {dollars(result[f'{level}_usd'][row])}" for level in paid]
    simulated = f"{format_seconds(result['response_s'][row])} ± {format_seconds(result['half_width_s'][row])}"
    lines = [
        f"The cheapest within {format_seconds(inputs.target_s)} is {result['plan'][row]}. {' + '.join(parts)} = "
        f"{dollars(result['cost_usd'][row])}; {format_seconds(result['formula_s'][row])} by formula, {simulated} "
        "simulated."
    ]
    for other in result.rows(front=True):
        said = format_seconds(result["formula_s"][other])
        lines.append(f"{dollars(result['cost_usd'][other])}: {said}, {result['plan'][other]}.")
    return lines


def dollars(amount: float) -> str:
    """275 287 $."""
    return f"{grouped(round(amount))} $"


@functools.lru_cache(maxsize=16)
def plans(buffer_pages: int, write_buffer_pages: int) -> tuple[Plan, ...]:
    """Every combination of sizes and homes that makes sense, with one more size of main memory."""
    found = []
    ways = [
        ("disk", 1000),
        ("disk cache write buffer", 1000),
        ("NVEM write buffer", 1000),
        ("ssd", 1000),
        ("nvem", 1000),
    ]
    ways += [("NVEM cache", pages) for pages in CACHE_PAGES]
    for main, (home, pages), log in itertools.product(sorted({*MAIN_PAGES, buffer_pages}), ways, LOGS):
        for branch in dict.fromkeys((home, *BRANCH_HOMES)):
            sizes = {"buffer_pages": main, "cache_pages": pages, "write_buffer_pages": write_buffer_pages}
            found.append(Plan(account=home, history=home, branch=branch, log=log, **sizes))
    return tuple(found)


def buy(inputs: Inputs, plan: Plan) -> Bought | None:
    """What the plan costs at the rate; None where something is not for sale. A disk cache is, at an unknown price."""
    held = _held_pages(inputs, plan)
    prices = {
        "main": inputs.main_price,
        "nvem": inputs.nvem_price,
        "ssd": inputs.ssd_price,
        "disk": inputs.disk_price,
    }
    if any(held[level] and prices[level] == NONE for level in prices):
        return None
    work = _device_seconds(inputs, plan)
    cost, disks = {}, {}
    for level in LEVELS:
        name = prices.get(level, inputs.cache_price)
        if not held[level]:
            cost[level] = 0.0
        elif name == NONE:
            cost[level] = math.nan
        else:
            cost[level], count = _cost(inputs, name, held[level] * parameters.PAGE_BYTES, work.get(level, 0.0))
            if count and level in ("ssd", "disk"):
                disks[level] = count
    return Bought(plan, cost, disks)


def case_of(inputs: Inputs, bought: Bought) -> shared.Case:
    """The plan as a point: with as many devices as were bought, or enough where bytes are priced."""
    names = {"ssd": [UNITS["SSD"]], "disk": [unit for kind, unit in UNITS.items() if kind != "SSD"]}
    disks = {unit: count for level, count in bought.disks.items() for unit in names[level]}
    system = system_of(inputs, bought.plan, disks=disks)
    return shared.Case(describe(bought.plan), inputs.rate_hz, system, inputs.load, inputs.rate_hz, inputs.seed)


def describe(plan: Plan) -> str:
    """A plan in a line."""
    home = plan.account
    pages = {
        "disk cache write buffer": "disk with a write buffer in its cache",
        "NVEM write buffer": "disk with a write buffer in NVEM",
        "NVEM cache": f"disk with {plan.cache_pages} pages of cache in NVEM",
    }.get(home, LOG_HOMES.get(home, home))
    branch = "" if plan.branch == home else f", BRANCH and TELLER in {LOG_HOMES.get(plan.branch, plan.branch)}"
    log = {"disk": "log on disk", "ssd": "log on SSD", "nvem": "log in NVEM"}.get(
        plan.log, "log through a write buffer in " + ("NVEM" if plan.log.startswith("NVEM") else "its disk's cache")
    )
    return f"{plan.buffer_pages} pages of main memory, rest on {pages}{branch}, {log}"


def _held_pages(inputs: Inputs, plan: Plan) -> dict[str, float]:
    """Pages on each level."""
    load = inputs.load_model.pages_of()
    sizes = {
        "ACCOUNT": load["ACCOUNT"],
        "BRANCH": load["BRANCH"] + load["TELLER"],
        "HISTORY": math.ceil(inputs.rate_hz * 3600 * inputs.history_hours / inputs.history_factor),
    }
    held = dict.fromkeys(LEVELS, 0.0)
    held["main"] = plan.buffer_pages
    held["nvem"] = plan.nvem_cached() + plan.nvem_buffered()
    in_cache = [plan.account, plan.log].count("disk cache write buffer")
    held["cache"] = plan.write_buffer_pages * in_cache
    homes = {"ACCOUNT": plan.account, "HISTORY": plan.history, "BRANCH": plan.branch}
    for name, home in homes.items():
        held[_LEVEL_OF.get(home, "disk")] += sizes[name]
    held[_LEVEL_OF.get(plan.log, "disk")] += inputs.log_pages
    return held


_LEVEL_OF = {"main memory": "main", "nvem": "nvem", "ssd": "ssd"}


def _device_seconds(inputs: Inputs, plan: Plan) -> dict[str, float]:
    """Seconds of work per second of all disks and of all SSDs; nothing where nothing is priced apiece."""
    if all(name == NONE or _price(name).per == "MB" for name in (inputs.ssd_price, inputs.disk_price)):
        return {}
    system = system_of(inputs, plan)
    used = theory.estimate(system, inputs.load, inputs.rate_hz).utilisation
    busy = {"ssd": 0.0, "disk": 0.0}
    for unit in system.units:
        level = "ssd" if unit.name == UNITS["SSD"] or (unit.name == rahm.LOG and plan.log == "ssd") else "disk"
        busy[level] += used[f"{unit.name} disk"] * unit.disks
    return busy


def _cost(inputs: Inputs, name: str, size_bytes: float, busy: float) -> tuple[float, int]:
    """(dollars, devices; 0 where bytes are priced)."""
    price = _price(name)
    amount = _amount(price, inputs.price_end)
    if price.per == "MB":
        return amount * size_bytes / 1e6, 0
    count = max(
        math.ceil(size_bytes / catalogue.device(name).value("capacity_bytes")), math.ceil(busy / inputs.most_busy)
    )
    return amount * count, count


def _price(name: str) -> Price:
    return max(catalogue.device(name).prices, key=lambda price: price.date)


def _amount(price: Price, end: str) -> float:
    if price.amount is not None:
        return price.amount
    return {"low": price.low, "middle": (price.low + price.high) / 2, "high": price.high}[end]


def _front(bought: list[Bought], answers) -> list[Bought]:
    """The plans to which no cheaper one comes close, the cheapest first."""
    front, best = [], math.inf
    for item in bought:
        if not math.isnan(item.total_usd) and answers[item.plan].response_s < (1 - GAIN) * best:
            front.append(item)
            best = answers[item.plan].response_s
    return front


def _detail(front: list[Bought], chosen: Bought | None) -> list[Bought]:
    """Those of the front that are simulated: spread over it, with the chosen one."""
    if len(front) <= SIMULATED:
        return front
    places = np.unique(np.linspace(0, len(front) - 1, SIMULATED - 1).round().astype(int)).tolist()
    if chosen is not None:
        places = sorted({*places, front.index(chosen)})
    return [front[place] for place in places]


def _result(inputs: Inputs, bought, answers, front, chosen, runs) -> Result:
    def of(read) -> np.ndarray:
        return np.array([read(item) for item in bought])

    def simulated(read) -> np.ndarray:
        points = [runs.get(item.plan) for item in bought]
        return np.array([np.nan if p is None or p[1].run is None else read(p[1].run) for p in points], float)

    on_front = {item.plan for item in front}
    columns = {
        "plan": Column(of(lambda item: describe(item.plan)), "text", "plan"),
        "cost_usd": Column(of(lambda item: item.total_usd), "USD", "cost"),
        "formula_s": Column(of(lambda item: answers[item.plan].response_s), "s", "response time by formula"),
        "response_s": Column(simulated(lambda run: run.response_s), "s", "mean response time, simulated"),
        "half_width_s": Column(simulated(lambda run: run.half_width_s), "s", "± at 95 % confidence"),
        "throughput_hz": Column(simulated(lambda run: run.throughput_hz), "1/s", "transactions per second"),
        "account": Column(of(lambda item: item.plan.account), "text", "home of ACCOUNT and HISTORY"),
        "branch": Column(of(lambda item: item.plan.branch), "text", "home of BRANCH and TELLER"),
        "log": Column(of(lambda item: item.plan.log), "text", "home of the log"),
        "buffer_pages": Column(of(lambda item: item.plan.buffer_pages), "1", "main memory, pages"),
        "nvem_pages": Column(of(lambda item: _held_pages(inputs, item.plan)["nvem"]), "1", "NVEM, pages"),
    }
    for level, label in LEVELS.items():
        columns[f"{level}_usd"] = Column(of(lambda item, level=level: item.cost_usd[level]), "USD", f"cost of {label}")
    columns |= {
        "disks": Column(of(lambda item: item.disks.get("disk", 0)), "1", "disks bought, 0 where bytes are priced"),
        "ssds": Column(of(lambda item: item.disks.get("ssd", 0)), "1", "SSDs bought, likewise"),
        "front": Column(of(lambda item: item.plan in on_front), "1", "no cheaper plan comes close"),
        "chosen": Column(
            of(lambda item: chosen is not None and item.plan == chosen.plan), "1", "cheapest within target"
        ),
    }
    return Result.of(columns)


def _notes(inputs: Inputs, chosen: Bought | None):
    of = {"main": inputs.main_price, "nvem": inputs.nvem_price, "ssd": inputs.ssd_price, "disk": inputs.disk_price}
    for level, name in of.items():
        if name == NONE:
            yield f"{LEVELS[level]}: no price is known, so plans that need it are left out."
        else:
            price = _price(name)
            amount = f"{_amount(price, inputs.price_end):g} dollars per {price.per}"
            yield f"{LEVELS[level]}: {amount}, {price.date} ({price.source}, {price.status}; {name})."
    if inputs.cache_price == NONE:
        yield "Disk caches: the paper prints no price, so plans with a write buffer in one are shown without a cost."
    yield (
        "Storage alone is priced, no processors. Bytes are priced in 1991, so that arms cost nothing there and enough "
        "disks are assumed; where devices are priced apiece, as many are bought as hold the bytes and stay below the "
        "share of time that they may be busy. Disks that hold only the log are not bought apart."
    )
    if chosen is None:
        yield f"No plan with a price answers within {format_seconds(inputs.target_s)}."


STUDY = Study(
    name="storage_cost",
    title="What does the fastest storage hierarchy for the money look like?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
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
