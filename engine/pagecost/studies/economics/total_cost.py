"""What does storage cost over the years, and when has a dearer purchase paid for itself? Schmidt 2009, section 2."""

import itertools
import math
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, field_validator

from pagecost import catalogue
from pagecost.devices import title_of
from pagecost.economics import (
    GROUP,
    LEVELS,
    YEAR_S,
    Cost,
    Endurance,
    Need,
    Power,
    System,
    crossings_s,
    endurance,
    group_said,
    power_of,
    sized,
)
from pagecost.errors import ModelError
from pagecost.studies.economics.typed import CATALOGUE, typed_prices, typed_watts
from pagecost.studies.fields import Choice, Choices, From, Group, OfSystem, Steps
from pagecost.studies.shared_fields import grouped
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, Table, no_progress
from pagecost.units import format_cell, format_seconds, format_si

POINTS = 41
MOST_YEARS = 100.0
SHOWN_TURNS = 200  # replacements that the line over the years shows as steps
COUNTED, LEFT_OUT = "counted", "left out"
WEAR = {COUNTED: "devices worn out by writes are replaced", LEFT_OUT: "left out, as Schmidt 2009 does"}
UNKNOWN_POWER = Power(math.nan, math.nan)
DETAIL = Group("Groups, wear and power")
TIME, PAIRS, CROSSINGS, ENDURANCE, POWER = "time", "pairs", "crossings", "endurance", "power"
USUAL_SHARE = 0.08, 0.25  # of a database server's energy that its storage takes, Schmidt 2009, §2


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
        Choices(candidates, most=4, noun="device with capacity, power and random rates"),
        OfSystem("devices.database.device"),
        Field(min_length=1, title="Devices", description="One system of each; capacity and power known."),
    ] = ("wd800aajs", "intel-x25-m-g2-80gb")
    prices: Annotated[
        str,
        Choice(lambda: {CATALOGUE: "as in the catalogue"}, free=True, typed="wd800aajs=45, wd400bb=30", of_file=False),
        Field(title="Prices", description="In dollars a device; your own as device=price, device=price."),
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
            (0.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10_000.0, 30_000.0, 100_000.0), "1/s", lambda rate: f"{rate:g}/s"
        ),
        Field(ge=0, le=1e9, title="Requests", description="Small ones a second, at random places."),
    ] = 1000.0
    read_share: Annotated[
        float,
        Steps((0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 1.0), "1", lambda share: f"{share:.0%} reads"),
        OfSystem("load.read_share"),
        Field(ge=0, le=1, title="Share of reads", description="Of the requests of the application."),
    ] = 0.7
    level: Annotated[
        str,
        Choice(lambda: {name: level.title for name, level in LEVELS.items()}, noun="RAID level"),
        OfSystem("devices.database.level"),
        Field(title="Availability", description="Redundancy, and what a small write then costs."),
    ] = "raid-1"
    busy_at_most: Annotated[
        float,
        Steps((0.3, 0.5, 0.6, 0.7, 0.8, 1.0), "1", lambda share: f"{share:.0%} busy"),
        Field(gt=0, le=1, title="Load at most", description="Of a device; above some 70 % queues grow long."),
    ] = 0.7
    price_per_kwh: Annotated[
        float,
        Steps((0.05, 0.1, 0.15, 0.2, 0.3, 0.5), "USD/kWh", lambda usd: f"{usd:g} $/kWh"),
        OfSystem("economics.price_usd_per_kwh"),
        Field(ge=0, le=100, title="Price of energy", description="Dollars a kWh; yours, for prices are volatile."),
    ] = 0.15
    overhead: Annotated[
        float,
        Steps((1.0, 1.2, 1.5, 2.0, 2.5), "1", lambda factor: f"PUE {factor:g}"),
        From("schmidt2009 §2: cooling is left out"),
        OfSystem("economics.power_usage_effectiveness"),
        Field(ge=1, le=10, title="PUE", description="All energy over that of the devices: cooling, conversion."),
    ] = 1.0
    years: Annotated[
        float,
        Steps((1.0, 3.0, 5.0, 7.0, 10.0, 20.0), "year", lambda years: f"{years:g} years"),
        OfSystem("economics.horizon_years"),
        Field(gt=0, le=MOST_YEARS, title="Runtime", description="How long the system runs."),
    ] = 5.0
    server_w: Annotated[
        float,
        Steps((100.0, 200.0, 300.0, 500.0, 1000.0), "W", lambda watts: f"{watts:g} W"),
        Field(gt=0, le=1e7, title="Rest of the server", description="Mean power of all that is not storage."),
    ] = 300.0

    group: Annotated[
        int,
        Steps((4, 5, 6, 8, 10, 12, 16, 24), "1", lambda count: f"{count} devices"),
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
        Choice(
            lambda: {CATALOGUE: "as in the catalogue"}, free=True, typed="samsung-970-pro-1tb=IDLE/LOAD", of_file=False
        ),
        DETAIL,
        Field(title="Watts", description="Of a device, idle and at load; your own as device=idle/load."),
    ] = CATALOGUE

    @field_validator("prices")
    @classmethod
    def _prices_are_read(cls, text):
        typed_prices(text)
        return text

    @field_validator("watts")
    @classmethod
    def _watts_are_read(cls, text):
        typed_watts(text)
        return text

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
    """Dollars for one device: as typed, else the catalogue's newest; nan where that has none."""
    return typed_prices(inputs.prices).get(device, catalogue.device(device).price_usd)


def watts_of(inputs: Inputs, device: str) -> Power:
    """Watts of one device: as typed, else the catalogue's. Raises ModelError as `power_of`."""
    return typed_watts(inputs.watts).get(device) or power_of(catalogue.device(device))


class Answer(NamedTuple):
    """One system: what it is, how it wears, and what it costs; None where that is not known."""

    system: System
    power: Power
    endurance: Endurance | None
    worn_s: float
    cost: Cost | None

    def replacements(self, runtime_s: float) -> float:
        """How often all are bought anew until a runtime [s] is over."""
        return float(Cost(0.0, 0.0, 0.0, self.worn_s).replacements(runtime_s))


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device: how many are needed, how busy they are, and what they cost over the runtime, in dollars.

    Total = devices + devices bought anew whenever their rated bytes are written + energy; nan where a price or a power
    is not known. usd_per_iops: total cost over the largest rate at this share of reads. Table `time`: cost over the
    years. `pairs`: which of two is cheaper in the end, `crossings`: when that changes. `endurance` and `power`: where
    known; overtaken_years: when energy has cost as much as the devices.
    """
    answers = {name: _answered(inputs, name) for name in inputs.devices}
    names = {name: title_of(name) for name in inputs.devices}
    tables = {
        TIME: _time(inputs, answers),
        PAIRS: _pairs(inputs, answers),
        CROSSINGS: _crossings(answers),
        ENDURANCE: _endurance(inputs, answers),
        POWER: _power(inputs, answers),
    }
    more = {name: _columns(rows, names) for name, rows in tables.items() if rows}
    systems = _columns([_system(inputs, name, answers[name]) for name in inputs.devices], names)
    return Result.of(systems, _notes(inputs, answers), more=more)


LABELS = {
    "device": ("text", "device"),
    "other": ("text", "compared with"),
    "decided_by": ("text", "what sets the number of devices"),
    "count": ("1", "devices"),
    "for_volume": ("1", "devices for the volume"),
    "for_throughput": ("1", "devices for the requests"),
    "busy": ("1", "share of the time that a device works"),
    "max_iops": ("1/s", "requests a second at most"),
    "written_bytes_per_s": ("B/s", "written to a device"),
    "wear": ("text", "endurance"),
    "price_usd": ("USD", "price of a device"),
    "initial_usd": ("USD", "devices"),
    "replaced_usd": ("USD", "worn devices bought anew"),
    "energy_usd": ("USD", "energy"),
    "total_usd": ("USD", "cost in all"),
    "usd_per_iops": ("USD s", "cost of a request a second that it can do"),
    "mean_w": ("W", "mean power"),
    "storage_share": ("1", "storage's share of the server's energy"),
    "years": ("year", "years in use"),
    "cheaper": ("text", "the cheaper one in the end"),
    "now_cheaper": ("text", "the cheaper one from then on"),
    "rated_bytes": ("B", "bytes that a device may be written"),
    "worn_years": ("year", "years until worn out"),
    "replacements": ("1", "times that all are replaced"),
    "idle_w": ("W", "power of an idle device"),
    "active_w": ("W", "power of a working device"),
    "iops_per_w": ("1/J", "requests a second and watt"),
    "overtaken_years": ("year", "years until energy costs as much as the devices"),
}
"""Unit and label of every column."""


def _columns(rows: list[dict], names: dict[str, str]) -> dict[str, Column]:
    """Rows of one kind as columns."""
    named = ("device", "other", "cheaper", "now_cheaper")
    return {
        name: Column(np.array([row[name] for row in rows]), *LABELS[name], names if name in named else {})
        for name in rows[0]
    }


def _answered(inputs: Inputs, name: str) -> Answer:
    device = catalogue.device(name)
    try:
        power = watts_of(inputs, name)
    except ModelError:  # said in the notes
        power = UNKNOWN_POWER
    system, rated = sized(device, inputs.need, power), endurance(device)
    counted = rated if inputs.wear == COUNTED else None
    worn_s = math.inf if counted is None else counted.worn_s(system.written_bytes_per_s)
    price = price_of(inputs, name)
    there = math.isfinite(price) and math.isfinite(system.mean_w)
    cost = system.cost(price, inputs.price_per_kwh, inputs.overhead, worn_s) if there else None
    return Answer(system, power, rated, worn_s, cost)


def _system(inputs: Inputs, name: str, answer: Answer) -> dict:
    system, cost, runtime_s = answer.system, answer.cost, inputs.years * YEAR_S
    price = price_of(inputs, name)
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
        "price_usd": price,
        "initial_usd": system.count * price,
        "replaced_usd": answer.replacements(runtime_s) * system.count * price,
        "energy_usd": cost.per_s * runtime_s if cost else math.nan,
        "total_usd": float(cost.at(runtime_s)) if cost else math.nan,
        "usd_per_iops": float(cost.per_iops(runtime_s, system.iops)) if cost else math.nan,
        "mean_w": system.mean_w,
        "storage_share": system.mean_w / (system.mean_w + inputs.server_w),
    }


def _time(inputs: Inputs, answers: dict[str, Answer]) -> list[dict]:
    """What each system has cost after so many years; a replacement is a step."""
    rows = []
    for name, answer in answers.items():
        if answer.cost is None:
            continue
        runtime_s = inputs.years * YEAR_S
        turns = np.arange(1, min(runtime_s / answer.worn_s, SHOWN_TURNS)) * answer.worn_s
        times_s = np.unique([*np.linspace(0, runtime_s, POINTS), *turns, *np.nextafter(turns, np.inf)])
        rows += [
            {"device": name, "years": time_s / YEAR_S, "total_usd": total}
            for time_s, total in zip(times_s, answer.cost.at(times_s), strict=True)
        ]
    return rows


def _costs(answers: dict[str, Answer]) -> dict[str, Cost]:
    """The systems whose cost is known, with it."""
    return {name: answer.cost for name, answer in answers.items() if answer.cost}


def _pairs(inputs: Inputs, answers: dict[str, Answer]) -> list[dict]:
    totals = {name: float(cost.at(inputs.years * YEAR_S)) for name, cost in _costs(answers).items()}
    return [
        {"device": one, "other": other, "cheaper": one if totals[one] <= totals[other] else other}
        for one, other in itertools.combinations(totals, 2)
    ]


def _crossings(answers: dict[str, Answer]) -> list[dict]:
    """When the cheaper one of two changes, within the longest runtime that can be asked for."""
    rows = []
    for (one, its), (other, others) in itertools.combinations(_costs(answers).items(), 2):
        now = one if its.initial <= others.initial else other
        for time_s in crossings_s(its, others, MOST_YEARS * YEAR_S):
            now = other if now == one else one
            total = float(its.at(time_s))
            rows.append(
                {"device": one, "other": other, "years": time_s / YEAR_S, "total_usd": total, "now_cheaper": now}
            )
    return rows


def _endurance(inputs: Inputs, answers: dict[str, Answer]) -> list[dict]:
    return [
        {
            "device": name,
            "rated_bytes": answer.endurance.written_bytes,
            "written_bytes_per_s": answer.system.written_bytes_per_s,
            "worn_years": answer.worn_s / YEAR_S,
            "replacements": answer.replacements(inputs.years * YEAR_S),
        }
        for name, answer in answers.items()
        if answer.endurance is not None and math.isfinite(answer.worn_s)
    ]


def _power(inputs: Inputs, answers: dict[str, Answer]) -> list[dict]:
    rows = []
    for name, answer in answers.items():
        if not math.isfinite(answer.system.mean_w) or not answer.cost or not answer.cost.per_s:
            continue
        row = {"device": name, "idle_w": answer.power.idle_w, "active_w": answer.power.active_w}
        row["iops_per_w"] = inputs.iops / answer.system.mean_w
        rows.append(row | {"overtaken_years": answer.cost.overtaken_s() / YEAR_S})
    return rows


def _notes(inputs: Inputs, answers: dict[str, Answer]):
    typed = typed_prices(inputs.prices)
    for name, answer in answers.items():
        device, title = catalogue.device(name), title_of(name)
        own = [price for price in device.prices if price.per == "device"]
        if name not in typed and not own:
            yield f"{title}: the catalogue has no price; give one, such as {name}=100, to see what it costs."
        elif name not in typed:
            newest = max(own, key=lambda price: price.date)
            yield f"{title}: {newest.amount:g} $ of {newest.date} ({catalogue.STATUSES[newest.status]})."
        if math.isnan(answer.power.idle_w):
            try:
                watts_of(inputs, name)
            except ModelError as error:
                yield f"{error}. So its energy and its cost in all are not known."
        if answer.endurance is None:
            yield f"{title}: how much it may be written is not known, so no replacement by wear is counted."
    if inputs.wear == LEFT_OUT:
        yield "Replacement by wear is left out."
    redundancy = LEVELS[inputs.level]
    if redundancy.parities:
        lost = f"a group survives the loss of {redundancy.parities}"
        yield f"{group_said(inputs.level, inputs.group)}: {lost} of its devices."
    yield "Prices of different years stand beside each other; controllers, space, work and failed devices are left out."
    yield "Rates are those of data sheets, mostly with many requests outstanding; a request here is 4 KiB."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The number of devices, when they wear out, the total cost with its terms, and each break-even."""
    lines = [_counted(inputs, result, row) for row in range(len(result))]
    for row in result.rows_in(PAIRS):
        pairs = result.tables[PAIRS]
        one, other, cheaper = (pairs.columns[name].cell(row) for name in ("device", "other", "cheaper"))
        found = result.rows_in(CROSSINGS, device=pairs["device"][row], other=pairs["other"][row])
        if found.size:
            crossings = result.tables[CROSSINGS]
            first = f"{crossings['years'][found[0]]:.3g} years"
            again = (
                f" and change places {len(found) - 1} times more within {MOST_YEARS:g} years" if len(found) > 1 else ""
            )
            now = crossings.columns["now_cheaper"].cell(found[0])
            lines.append(f"{one} and {other} have cost the same after {first}; then {now} is the cheaper one{again}.")
        else:
            lines.append(f"{one} and {other}: no break-even, {cheaper} is cheaper all along.")
    return lines


def _counted(inputs: Inputs, result: Result, row: int) -> str:
    """How many of a device are needed, and what they cost."""
    count, title = int(result["count"][row]), result.cell("device", row)
    start = (
        f"{title}: {result['for_volume'][row]:.0f} for {format_si(inputs.volume_bytes, 'B')}, "
        f"{result['for_throughput'][row]:.0f} for {inputs.iops:g} requests a second at {inputs.busy_at_most:.0%} "
        f"busy, {group_said(inputs.level, inputs.group)}: {count}"
    )
    if not np.isfinite(result["total_usd"][row]):
        unknown = "price" if np.isnan(result["price_usd"][row]) else "power"
        return f"{start}. Its {unknown} is not known."
    replaced = result["replaced_usd"][row]
    again = f" + {grouped(round(replaced))} $ for worn ones" if replaced else ""
    return (
        f"{start} × {result['price_usd'][row]:g} ${again} + {format_si(result['mean_w'][row], 'W')} × PUE "
        f"{inputs.overhead:g} × {inputs.years:g} years × {inputs.price_per_kwh:g} $/kWh = "
        f"{grouped(round(result['initial_usd'][row]))} $ + {grouped(round(replaced))} $ + "
        f"{grouped(round(result['energy_usd'][row]))} $ = {grouped(round(result['total_usd'][row]))} $."
        f"{_worn(result, row)}{_overtaken(result, row)} It takes {result['storage_share'][row]:.1%} of the server's "
        f"energy; {USUAL_SHARE[0]:.0%} to {USUAL_SHARE[1]:.0%} are usual."
    )


def _row_of(result: Result, table: str, row: int) -> tuple[Table, int] | None:
    """The row of a further table that speaks of the device in a row of the main one."""
    rows = result.rows_in(table, device=result["device"][row])
    return (result.tables[table], int(rows[0])) if rows.size else None


def _worn(result: Result, row: int) -> str:
    """When its rated bytes are written, and how often all are replaced."""
    there = _row_of(result, ENDURANCE, row)
    if there is None:
        return ""
    table, at = there
    times = int(table["replacements"][at])
    replaced = f"all are replaced {times} time{'s' * (times != 1)}" if times else "none is replaced"
    rate = format_cell(table["written_bytes_per_s"][at], "B/s")
    worn = format_seconds(table["worn_years"][at] * YEAR_S)
    return f" A device, {result['wear'][row]}, is written at {rate} and worn out after {worn}: {replaced}."


def _overtaken(result: Result, row: int) -> str:
    """Belady's question: when has running cost as much as buying?"""
    there = _row_of(result, POWER, row)
    if there is None:
        return ""
    table, at = there
    return f" Energy has cost as much as the devices after {format_seconds(table['overtaken_years'][at] * YEAR_S)}."


STUDY = Study(
    name="total_cost",
    title="What does storage cost over the years, and when does a dearer purchase pay?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    source="schmidt2009 §2",
    presets={
        "few requests: the disk stays cheaper": {"iops": 30.0},
        "2009, nothing wears out: the dearer purchase pays": {"wear": LEFT_OUT},
        "no redundancy, cooling included": {"level": "raid-0", "overhead": 2.0},
        "parity and writes": {"level": "raid-5", "read_share": 0.25, "years": 3.0},
        "drives of 2017 to 2020": {
            **{"devices": ("seagate-exos-x18-18tb", "samsung-970-pro-1tb", "intel-optane-p4800x-375gb")},
            **{"volume_bytes": 1e13, "iops": 3000.0},
        },
    },
)
