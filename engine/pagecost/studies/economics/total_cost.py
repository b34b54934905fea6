"""What does storage cost over the years, and when has a dearer purchase paid for itself? Schmidt 2009, section 2."""

import itertools
import math
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.devices import title_of
from pagecost.economics import (
    GROUP,
    LEVELS,
    MOST_YEARS,
    YEAR_S,
    Currency,
    Endurance,
    Need,
    Owned,
    Owning,
    Power,
    System,
    Terms,
    crossings_s,
    device_writes_per_day,
    endurance,
    just_after,
    power_of,
    sized,
    worn_out_s,
)
from pagecost.errors import ModelError
from pagecost.studies.economics.total_cost_parts import (
    ADDED,
    MEMORY,
    MEMORY_BYTES,
    MODULE,
    MODULES,
    by_year,
    carbon,
    memory_at,
    memory_of,
    parts_of,
)
from pagecost.studies.economics.total_cost_said import (
    BY_YEAR,
    CARBON,
    COUNTED,
    CROSSINGS,
    ENDURANCE,
    LEFT_OUT,
    MADE_OF,
    PAIRS,
    POWER,
    TIME,
    columns_of,
    describe,
    explain,
    notes,
)
from pagecost.studies.fields import Choice, Choices, From, Group, OfSystem, Steps, how_many
from pagecost.studies.shared_fields import energy_price, horizon, percent, share_of_reads, shares
from pagecost.studies.study import Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.typed import CATALOGUE, amounts, typed_failures, typed_prices, typed_watts
from pagecost.units import format_cell, format_si

POINTS = 41
SHOWN_TURNS = 200  # replacements that the line over the years shows as steps
WEAR = {COUNTED: "devices worn out by writes are replaced", LEFT_OUT: "left out, as Schmidt 2009 does"}
FAILURES = {LEFT_OUT: "left out", CATALOGUE: "one a mean time between failures, where the catalogue has it"}
UNKNOWN_POWER = Power(math.nan, math.nan)
DETAIL = Group("Groups, wear and power")
MONEY = Group("Money over the years")


def candidates() -> dict[str, str]:
    """Device id -> name of all devices that can be sized: capacity, power and random rates are known."""
    needed = ("capacity_bytes", "idle_w", "active_w")
    return {
        name: device.name
        for name, device in catalogue.devices().items()
        if device.model in ("rated", "hard_disk") and all(device.get(each) is not None for each in needed)
    }


class Inputs(StudyInputs):
    """What is stored and asked for, on which devices, at which prices."""

    devices: Annotated[
        tuple[str, ...],
        Choices(
            candidates,
            most=4,
            noun="device with capacity, power and random rates",
            lacks="capacity_bytes, idle_w and active_w and random rates must be known; state them with a source",
        ),
        OfSystem("devices.database.device"),
        Field(min_length=1, title="Devices", description="One system of each; capacity and power known."),
    ] = ("wd800aajs", "intel-x25-m-g2-80gb")
    prices: Annotated[
        str,
        amounts(typed_prices, "wd800aajs=45, wd400bb=30"),
        OfSystem(
            "economics.prices",
            money_of="currency",
            amount=lambda system, money: system.economics.prices_in(Currency.read(money)),
        ),
        Field(title="Prices", description="Of a device, in your currency; your own as device=price, device=price."),
    ] = CATALOGUE
    volume_bytes: Annotated[
        float,
        Steps((1e11, 3e11, 1e12, 3e12, 1e13, 3e13, 1e14), "B", lambda size: format_si(size, "B")),
        OfSystem("load.volume_bytes"),
        Field(gt=0, le=1e18, title="Volume", description="Data that must be stored, without redundancy."),
    ] = 3e11
    iops: Annotated[
        float,
        Steps(
            (0.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10_000.0, 30_000.0, 100_000.0),
            "1/s",
            lambda rate: f"{format_cell(rate, '1')}/s",
        ),
        Field(ge=0, le=1e9, title="Requests", description="Small ones a second, at random places."),
    ] = 1000.0
    read_share: Annotated[float, *share_of_reads("Of the requests of the application.")] = 0.7
    level: Annotated[
        str,
        Choice(lambda: {name: level.title for name, level in LEVELS.items()}, noun="RAID level"),
        OfSystem("devices.database.level"),
        Field(title="Availability", description="Redundancy, and what a small write then costs."),
    ] = "raid-1"
    busy_at_most: Annotated[
        float,
        Steps((0.3, 0.5, 0.6, 0.7, 0.8, 1.0), "1", lambda share: f"{percent(share)} busy"),
        Field(gt=0, le=1, title="Load at most", description="Of a device; above some 70 % queues grow long."),
    ] = 0.7
    price_per_kwh: Annotated[float, *energy_price("Yours, of a kWh; prices are volatile.", own_currency=True)] = 0.15
    overhead: Annotated[
        float,
        Steps((1.0, 1.2, 1.5, 2.0, 2.5), "1", lambda factor: f"PUE {factor:g}"),
        From("schmidt2009 §2: cooling is left out"),
        OfSystem("economics.power_usage_effectiveness"),
        Field(ge=1, le=10, title="PUE", description="All energy over that of the devices: cooling, conversion."),
    ] = 1.0
    years: Annotated[float, *horizon("How long the system runs.", 20.0)] = 5.0
    server_w: Annotated[
        float,
        Steps((100.0, 200.0, 300.0, 500.0, 1000.0), "W", lambda watts: f"{format_cell(watts, '1')} W"),
        Field(gt=0, le=1e7, title="Rest of the server", description="Mean power of all that is not storage."),
    ] = 300.0

    group: Annotated[
        int,
        Steps((4, 5, 6, 8, 10, 12, 16, 24), "1", how_many("devices")),
        DETAIL,
        Field(ge=4, le=100, title="Group", description="Devices of a group with parity: 8 are 7 + 1 in RAID-5."),
    ] = GROUP
    wear: Annotated[
        str,
        Choice(lambda: WEAR),
        DETAIL,
        Field(title="Wear", description="Whether devices are bought anew when their rated bytes are written."),
    ] = COUNTED
    watts: Annotated[
        str,
        amounts(typed_watts, "samsung-970-pro-1tb=IDLE/LOAD"),
        DETAIL,
        Field(title="Watts", description="Of a device, idle and at load; your own as device=idle/load."),
    ] = CATALOGUE
    currency: Annotated[
        str,
        Choice(
            lambda: {"USD": "US dollars"},
            free=True,
            such=Currency.read,
            typed="EUR=1.08, dollars for one of it",
            of_file=False,
        ),
        OfSystem("economics.money"),
        MONEY,
        Field(title="Currency", description="Of what you type and see; another with the dollars for one: EUR=1.08."),
    ] = "USD"
    discount: Annotated[
        float,
        Steps(shares(0, 2, 4, 6, 8, 10), "1", percent),
        MONEY,
        OfSystem("economics.discount_per_year"),
        Field(ge=0, le=1, title="Discount", description="By how much money counts less when paid a year later."),
    ] = 0.0
    growth: Annotated[
        float,
        Steps(shares(0, 5, 10, 20, 30, 50), "1", percent),
        MONEY,
        OfSystem("targets.growth_per_year"),
        Field(ge=0, le=10, title="Growth", description="Of volume and requests a year; devices are added in time."),
    ] = 0.0
    spares: Annotated[
        float,
        Steps(shares(0, 2, 5, 10, 20), "1", percent),
        MONEY,
        OfSystem("economics.spare_share"),
        Field(ge=0, le=10, title="Spares", description="Devices bought beside those that work, over these."),
    ] = 0.0
    failures: Annotated[
        str,
        Choice(
            lambda: FAILURES,
            free=True,
            such=typed_failures,
            typed="0.02, a device and year, or wd800aajs=0.02",
            of_file=False,
        ),
        OfSystem("economics.failures_per_year", read=lambda rate: repr(rate) if rate else LEFT_OUT),
        MONEY,
        Field(
            title="Failures",
            description="Of a device in a year, replaced at its price; your own as 0.02, or device=0.02, device=0.03.",
        ),
    ] = LEFT_OUT
    carbon_kg_per_kwh: Annotated[
        float,
        Steps((0.0, 0.05, 0.1, 0.2, 0.3, 0.5), "kg/kWh", lambda kg: f"{kg:g} kg/kWh" if kg else "left out"),
        MONEY,
        OfSystem("economics.carbon_kg_per_kwh"),
        Field(ge=0, le=5, title="Carbon", description="CO₂ of a kWh, as your supplier says; 0: left out."),
    ] = 0.0

    memory_bytes: Annotated[float, *MEMORY_BYTES] = 0.0
    memory: Annotated[str, *MODULES] = MODULE

    @property
    def money(self) -> Currency:
        """Of all amounts that are typed and shown."""
        return Currency.read(self.currency)

    @property
    def need(self) -> Need:
        """What the application asks for."""
        return Need(
            volume_bytes=self.volume_bytes,
            iops=self.iops,
            read_share=self.read_share,
            level=self.level,
            busy_at_most=self.busy_at_most,
            group=self.group,
        )


def price_of(inputs: Inputs, device: str) -> float:
    """What one device costs in the inputs' currency: as typed, else the catalogue's newest; nan where that has none."""
    typed = typed_prices(inputs.prices)
    return typed[device] if device in typed else inputs.money.of_usd(catalogue.device(device).price_usd)


def failures_of(inputs: Inputs, device: str) -> float | None:
    """Failures of one device a year; None where they are asked for and not known."""
    if inputs.failures == LEFT_OUT:
        return 0.0
    if inputs.failures == CATALOGUE:
        between_s = catalogue.device(device).get("mtbf_s")
        return YEAR_S / between_s if between_s else None
    return typed_failures(inputs.failures).get(device)


def watts_of(inputs: Inputs, device: str) -> Power:
    """Watts of one device: as typed, else the catalogue's. Raises ModelError as `power_of`."""
    return typed_watts(inputs.watts).get(device) or power_of(catalogue.device(device))


class Answer(NamedTuple):
    """One system: what it is, how it wears, and what it costs, nan where a price or a power is not known."""

    system: System
    power: Power
    power_unknown: str
    endurance: Endurance | None
    worn_s: float
    owning: Owning
    owned: Owned
    memory: Owning | None

    @property
    def priced(self) -> bool:
        """Whether all that it costs is known."""
        return math.isfinite(self.owned.total)


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device: how many are needed, how busy they are, and what they cost over the runtime, in dollars.

    Total = devices + devices bought anew whenever their rated bytes are written + energy, and what growth, spares
    and failures add, and main memory, discounted (`economics.ownership`); nan where a price or a power is not
    known. Counts, busy, max_iops and the table `power` are of the start; mean_w and storage_share are means of the
    runtime. usd_per_iops: total cost over the largest rate at this share of reads, in the mean of the runtime. Tables:
    `time`: cost over the years; `parts` and `by_year`: what the total is made of, in the inputs' currency; `pairs`:
    which of two is cheaper in the end, `crossings`: when that changes; `endurance`, `power` and `carbon`: where known;
    overtaken_years: when energy has cost as much as devices.
    """
    answers = {name: _answered(inputs, name) for name in inputs.devices}
    names = {name: title_of(name) for name in inputs.devices}
    tables = {
        TIME: _time(inputs, answers),
        PAIRS: _pairs(inputs, answers),
        CROSSINGS: _crossings(inputs, answers),
        ENDURANCE: _endurance(inputs, answers),
        POWER: _power(inputs, answers),
        MADE_OF: [{"device": name} | parts_of(answer) for name, answer in answers.items() if answer.priced],
        BY_YEAR: by_year(answers),
        CARBON: carbon(inputs, answers),
    }
    code = inputs.money.code
    more = {name: columns_of(rows, names, code) for name, rows in tables.items() if rows}
    systems = columns_of([_system(inputs, name, answers[name]) for name in inputs.devices], names, code)
    return Result.of(systems, notes(inputs, answers), more=more)


def _answered(inputs: Inputs, name: str) -> Answer:
    device = catalogue.device(name)
    power, unknown = UNKNOWN_POWER, ""
    try:
        power = watts_of(inputs, name)
    except ModelError as error:
        unknown = str(error)
    system, rated = sized(device, inputs.need, power), endurance(device)
    counted = rated if inputs.wear == COUNTED else None
    worn_s = math.inf if counted is None else counted.worn_s(system.written_bytes_per_s)
    price = price_of(inputs, name)
    terms = Terms(
        horizon_s=inputs.years * YEAR_S,
        price_per_kwh=inputs.price_per_kwh,
        power_usage_effectiveness=inputs.overhead,
        discount_per_year=inputs.discount,
        growth_per_year=inputs.growth,
        spare_share=inputs.spares,
        failures_per_year=failures_of(inputs, name) or 0.0,
        carbon_kg_per_kwh=inputs.carbon_kg_per_kwh or None,
        currency=inputs.money,
    )
    embodied_kg = device.get("embodied_kg", math.nan)
    owning = Owning(system.holding(price, power.idle_w, worn_s, embodied_kg), terms)
    owned, memory = owning.owned(terms.horizon_s), memory_of(inputs, terms)
    return Answer(system, power, unknown, rated, worn_s, owning, owned, memory)


def _system(inputs: Inputs, name: str, answer: Answer) -> dict:
    system, price, usd = answer.system, price_of(inputs, name), inputs.money.to_usd
    parts, mean_w = parts_of(answer), answer.owning.mean_w()
    iops = answer.owning.mean_devices() / system.request_s
    return {
        "device": name,
        "decided_by": system.decided_by,
        "count": system.count,
        "for_volume": system.for_volume,
        "for_throughput": system.for_throughput,
        "busy": system.busy,
        "max_iops": system.iops,
        "written_bytes_per_s": system.written_bytes_per_s,
        "wear": answer.endurance.said if answer.endurance else "not known",
        "price_usd": usd(price),
        "initial_usd": usd(system.count * price),
        "replaced_usd": usd(parts["worn"]),
        "added_usd": usd(sum(parts[part] for part in ADDED)),
        "energy_usd": usd(parts["energy"]),
        "memory_usd": usd(parts[MEMORY]),
        "total_usd": usd(parts["total"]),
        "usd_per_iops": usd(parts["total"]) / iops,
        "mean_w": mean_w,
        "storage_share": mean_w / (mean_w + inputs.server_w),
    }


def _time(inputs: Inputs, answers: dict[str, Answer]) -> list[dict]:
    """What each system has cost after so many years; a replacement is a step."""
    rows = []
    for name, answer in answers.items():
        if not answer.priced:
            continue
        runtime_s = inputs.years * YEAR_S
        turns = answer.owning.turns_s(runtime_s, SHOWN_TURNS)
        times_s = np.unique([*np.linspace(0, runtime_s, POINTS), *turns, *np.atleast_1d(just_after(turns))])
        times_s = times_s[times_s <= runtime_s]
        totals = inputs.money.to_usd(answer.owning.at(times_s)) + memory_at(inputs, answer, times_s)
        rows += [
            {"device": name, "years": time_s / YEAR_S, "total_usd": total}
            for time_s, total in zip(times_s, totals, strict=True)
        ]
    return rows


def _owned(answers: dict[str, Answer]) -> dict[str, Owning]:
    """The systems whose cost is known."""
    return {name: answer.owning for name, answer in answers.items() if answer.priced}


def _pairs(inputs: Inputs, answers: dict[str, Answer]) -> list[dict]:
    totals = {name: float(owning.at(inputs.years * YEAR_S)) for name, owning in _owned(answers).items()}
    return [
        {"device": one, "other": other, "cheaper": one if totals[one] <= totals[other] else other}
        for one, other in itertools.combinations(totals, 2)
    ]


def _crossings(inputs: Inputs, answers: dict[str, Answer]) -> list[dict]:
    """When the cheaper one of two changes, within the longest runtime that can be asked for; of growth, that asked."""
    rows = []
    for (one, its), (other, others) in itertools.combinations(_owned(answers).items(), 2):
        now = one if its.at(0.0) <= others.at(0.0) else other
        for time_s in crossings_s(its, others, _looked_at_years(inputs) * YEAR_S):
            now = other if now == one else one
            total = inputs.money.to_usd(float(its.at(time_s))) + float(memory_at(inputs, answers[one], time_s))
            rows.append(
                {"device": one, "other": other, "years": time_s / YEAR_S, "total_usd": total, "now_cheaper": now}
            )
    return rows


def _looked_at_years(inputs: Inputs) -> float:
    """Until when crossings are looked for: what grows is not thought of beyond the runtime."""
    return inputs.years if inputs.growth else MOST_YEARS


def _endurance(inputs: Inputs, answers: dict[str, Answer]) -> list[dict]:
    return [
        {
            "device": name,
            "rated_bytes": answer.endurance.written_bytes,
            "written_bytes_per_s": answer.system.written_bytes_per_s,
            "worn_years": float(worn_out_s(answer.owning.held, answer.owning.terms)) / YEAR_S,
            "rated_per_day": _per_day(name, answer.endurance.written_bytes, inputs.years * YEAR_S),
            "asked_per_day": _per_day(name, answer.system.written_bytes_per_s, 1.0),
            "replacements": float(answer.owned.replacements),
        }
        for name, answer in answers.items()
        if answer.endurance is not None and math.isfinite(answer.worn_s)
    ]


def _per_day(name: str, written_bytes: float, time_s: float) -> float:
    return device_writes_per_day(catalogue.device(name), written_bytes, time_s)


def _power(inputs: Inputs, answers: dict[str, Answer]) -> list[dict]:
    rows = []
    for name, answer in answers.items():
        if not answer.priced:
            continue
        line = answer.system.cost(price_of(inputs, name), inputs.price_per_kwh, inputs.overhead)
        if not line.per_s:
            continue
        row = {"device": name, "idle_w": answer.power.idle_w, "active_w": answer.power.active_w}
        row["iops_per_w"] = inputs.iops / answer.system.mean_w
        rows.append(row | {"overtaken_years": line.overtaken_s() / YEAR_S})
    return rows


STUDY = Study(
    name="total_cost",
    title="What does storage cost over the years, and when does a dearer purchase pay?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="money",
    source="schmidt2009 §2",
    presets={
        "few requests: the disk stays cheaper": {"iops": 30.0},
        "2009, nothing wears out: the dearer purchase pays": {"wear": LEFT_OUT},
        "no redundancy, cooling included": {"level": "raid-0", "overhead": 2.0},
        "parity and writes": {"level": "raid-5", "read_share": 0.25, "years": 3.0},
        "growing by 20 % a year, discounted, in euros": {
            **{"growth": 0.2, "discount": 0.05, "spares": 0.1, "currency": "EUR=1.08", "price_per_kwh": 0.25},
            **{"failures": "wd800aajs=0.03, intel-x25-m-g2-80gb=0.01", "carbon_kg_per_kwh": 0.3},
        },
        "drives of 2017 to 2020": {
            **{"devices": ("seagate-exos-x18-18tb", "samsung-970-pro-1tb", "intel-optane-p4800x-375gb")},
            **{"volume_bytes": 1e13, "iops": 3000.0},
        },
    },
)
