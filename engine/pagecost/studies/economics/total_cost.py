"""What does storage cost over the years, and when has a dearer purchase paid for itself? Schmidt 2009, section 2."""

import itertools
import math
from typing import Annotated

import numpy as np
from pydantic import Field, field_validator

from pagecost import catalogue
from pagecost.economics import LEVELS, YEAR_S, Cost, Need, System, break_even_s, sized
from pagecost.errors import known, require
from pagecost.studies.fields import Choice, Choices, From, Steps
from pagecost.studies.shared_fields import grouped, no_twins
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_seconds, format_si

POINTS = 41
CATALOGUE = "catalogue"
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
        Choices(candidates, most=4),
        Field(min_length=1, max_length=4, title="Devices", description="One system of each; capacity and power known."),
    ] = ("wd800aajs", "intel-x25-m-g2-80gb")
    prices: Annotated[
        str,
        Choice(lambda: {CATALOGUE: "as in the catalogue"}, free=True, typed="wd800aajs=45, wd400bb=30", of_file=False),
        Field(title="Prices", description="In dollars a device; your own as device=price, device=price."),
    ] = CATALOGUE
    volume_bytes: Annotated[
        float,
        Steps((1e11, 3e11, 1e12, 3e12, 1e13, 3e13, 1e14), "B", lambda size: format_si(size, "B")),
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
        Field(ge=0, le=1, title="Share of reads", description="Of the requests of the application."),
    ] = 0.7
    level: Annotated[
        str,
        Choice(lambda: {name: level.title for name, level in LEVELS.items()}),
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
        Field(ge=0, le=100, title="Price of energy", description="Dollars a kWh; yours, for prices are volatile."),
    ] = 0.15
    overhead: Annotated[
        float,
        Steps((1.0, 1.2, 1.5, 2.0, 2.5), "1", lambda factor: f"PUE {factor:g}"),
        From("schmidt2009 §2: cooling is left out"),
        Field(ge=1, le=10, title="PUE", description="All energy over that of the devices: cooling, conversion."),
    ] = 1.0
    years: Annotated[
        float,
        Steps((1.0, 3.0, 5.0, 7.0, 10.0, 20.0), "year", lambda years: f"{years:g} years"),
        Field(gt=0, le=100, title="Runtime", description="How long the system runs."),
    ] = 5.0
    server_w: Annotated[
        float,
        Steps((100.0, 200.0, 300.0, 500.0, 1000.0), "W", lambda watts: f"{watts:g} W"),
        Field(gt=0, le=1e7, title="Rest of the server", description="Mean power of all that is not storage."),
    ] = 300.0

    @field_validator("devices")
    @classmethod
    def _known_devices(cls, names):
        for name in names:
            known("device with capacity, power and random rates", name, candidates())
        return no_twins("device", names)

    @field_validator("level")
    @classmethod
    def _known_level(cls, name):
        return known("RAID level", name, LEVELS)

    @field_validator("prices")
    @classmethod
    def _prices_are_read(cls, text):
        typed_prices(text)
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
        )


def typed_prices(text: str) -> dict[str, float]:
    """Dollars by device from `device=price, device=price`. Raises ModelError for the first part that is none."""
    if text.strip() in ("", CATALOGUE):
        return {}
    found = {}
    for part in text.split(","):
        name, _, amount = (piece.strip() for piece in part.partition("="))
        known("device", name, catalogue.devices())
        try:
            found[name] = float(amount)
        except ValueError:
            found[name] = math.nan
        require(0 <= found[name] < math.inf, f"prices: write {name}=DOLLARS, a number; got {part.strip()!r}")
    return found


def price_of(inputs: Inputs, device: str) -> float:
    """Dollars for one device: as typed, else the catalogue's newest; nan where that has none."""
    return typed_prices(inputs.prices).get(device, catalogue.device(device).price_usd)


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """Rows of part "system", one per device; "time", what it has cost after so many years; "pair", for two of them.

    Costs are dollars, nan where a price is not known. break_even_years: when the two have cost the same, nan where one
    is never dearer. usd_per_iops: total cost over the largest rate at this share of reads. overtaken_years: when
    energy has cost as much as the devices.
    """
    systems = {name: sized(catalogue.device(name), inputs.need) for name in inputs.devices}
    costs = {name: _cost(inputs, system) for name, system in systems.items()}
    runtime_s = inputs.years * YEAR_S
    rows = [_system_row(inputs, systems[name], costs[name], runtime_s) for name in inputs.devices]
    for name, cost in costs.items():
        for years in np.linspace(0, inputs.years, POINTS):
            total = cost.at(years * YEAR_S) if cost else math.nan
            rows.append({"part": "time", "device": name, "years": years, "total_usd": total})
    for one, other in itertools.combinations(inputs.devices, 2):
        rows.append(_pair_row(costs, one, other))
    columns = {
        name: Column(np.array([row.get(name, "") for row in rows]), "text", label) for name, label in TEXTS.items()
    }
    for name, (unit, label) in NUMBERS.items():
        columns[name] = Column(np.array([row.get(name, np.nan) for row in rows], float), unit, label)
    return Result.of(columns, _notes(inputs, systems))


TEXTS = {
    "part": "part of the answer",
    "device": "device",
    "other": "compared with",
    "decided_by": "what sets the number of devices",
    "cheaper": "the cheaper one in the end",
}
NUMBERS = {
    "count": ("1", "devices"),
    "for_volume": ("1", "devices for the volume"),
    "for_throughput": ("1", "devices for the requests"),
    "busy": ("1", "share of the time that a device works"),
    "price_usd": ("USD", "dollars a device"),
    "initial_usd": ("USD", "dollars for the devices"),
    "energy_usd": ("USD", "dollars for their energy"),
    "total_usd": ("USD", "dollars in all"),
    "usd_per_iops": ("USD s", "dollars per request a second that it can do"),
    "max_iops": ("1/s", "requests a second at most"),
    "mean_w": ("W", "mean power"),
    "iops_per_w": ("1/J", "requests a second and watt"),
    "storage_share": ("1", "storage's share of the server's energy"),
    "overtaken_years": ("year", "years until energy costs as much as the devices"),
    "years": ("year", "runtime"),
    "break_even_years": ("year", "years until both have cost the same"),
}


def _cost(inputs: Inputs, system: System) -> Cost | None:
    price = price_of(inputs, system.device)
    return system.cost(price, inputs.price_per_kwh, inputs.overhead) if math.isfinite(price) else None


def _system_row(inputs: Inputs, system: System, cost: Cost | None, runtime_s: float) -> dict:
    row = {
        "part": "system",
        "device": system.device,
        "decided_by": system.decided_by,
        "count": system.count,
        "for_volume": system.for_volume,
        "for_throughput": system.for_throughput,
        "busy": system.busy,
        "price_usd": price_of(inputs, system.device),
        "max_iops": system.iops,
        "mean_w": system.mean_w,
        "iops_per_w": inputs.iops / system.mean_w if system.mean_w else math.nan,
        "storage_share": system.mean_w / (system.mean_w + inputs.server_w),
        "years": inputs.years,
    }
    if cost is None:
        return row
    return row | {
        "initial_usd": cost.initial,
        "energy_usd": cost.per_s * runtime_s,
        "total_usd": cost.at(runtime_s),
        "usd_per_iops": cost.per_iops(runtime_s, system.iops),
        "overtaken_years": cost.overtaken_s() / YEAR_S,
    }


def _pair_row(costs: dict[str, Cost | None], one: str, other: str) -> dict:
    row = {"part": "pair", "device": one, "other": other}
    first, second = costs[one], costs[other]
    if first is None or second is None:
        return row
    even = break_even_s(first, second)
    in_the_end = min((one, other), key=lambda name: (costs[name].per_s, costs[name].initial))
    if even is None:
        in_the_end = min((one, other), key=lambda name: (costs[name].initial, costs[name].per_s))
        return row | {"cheaper": in_the_end}
    return row | {"cheaper": in_the_end, "break_even_years": even / YEAR_S, "total_usd": first.at(even)}


def _notes(inputs: Inputs, systems: dict[str, System]):
    typed = typed_prices(inputs.prices)
    for name in inputs.devices:
        device = catalogue.device(name)
        own = [price for price in device.prices if price.per == "device"]
        if name in typed:
            continue
        if not own:
            yield f"{name}: the catalogue has no price; give one, such as {name}=100, to see what it costs."
        else:
            newest = max(own, key=lambda price: price.date)
            yield f"{name}: {newest.amount:g} $ of {newest.date} ({catalogue.STATUSES[newest.status]})."
    yield "Prices of different years stand beside each other; controllers, space, work and failed devices are left out."
    yield "Rates are those of data sheets, mostly with many requests outstanding; a request here is 4 KiB."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The number of devices, the total cost with its terms, and each break-even."""
    lines, level = [], LEVELS[inputs.level]
    for row in result.rows(part="system"):
        device, count = str(result["device"][row]), int(result["count"][row])
        start = (
            f"{device}: {result['for_volume'][row]:.0f} for {format_si(inputs.volume_bytes, 'B')}, "
            f"{result['for_throughput'][row]:.0f} for {inputs.iops:g} requests a second at {inputs.busy_at_most:.0%} "
            f"busy, {level.title}: {count}"
        )
        if not np.isfinite(result["price_usd"][row]):
            lines.append(f"{start}. Its price is not known.")
            continue
        lines.append(
            f"{start} × {result['price_usd'][row]:g} $ + {format_si(result['mean_w'][row], 'W')} × PUE "
            f"{inputs.overhead:g} × {inputs.years:g} years × {inputs.price_per_kwh:g} $/kWh = "
            f"{grouped(round(result['initial_usd'][row]))} $ + {grouped(round(result['energy_usd'][row]))} $ = "
            f"{grouped(round(result['total_usd'][row]))} $.{_overtaken(result['overtaken_years'][row])} It takes "
            f"{result['storage_share'][row]:.1%} of the server's energy; {USUAL_SHARE[0]:.0%} to {USUAL_SHARE[1]:.0%} "
            "are usual."
        )
    for row in result.rows(part="pair"):
        one, other = result["device"][row], result["other"][row]
        if not result["cheaper"][row]:
            continue
        years = result["break_even_years"][row]
        if np.isfinite(years):
            lines.append(
                f"{one} and {other} have cost the same after {years:.3g} years; then {result['cheaper'][row]} is the "
                "cheaper one."
            )
        else:
            lines.append(f"{one} and {other}: no break-even, {result['cheaper'][row]} is cheaper all along.")
    return lines


def _overtaken(years: float) -> str:
    """Belady's question: when has running cost as much as buying?"""
    if not math.isfinite(years):
        return ""
    return f" Energy has cost as much as the devices after {format_seconds(years * YEAR_S)}."


STUDY = Study(
    name="total_cost",
    title="What does storage cost over the years, and when does a dearer purchase pay?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    source="schmidt2009 §2",
    presets={
        "few requests: the disk stays cheaper": {"iops": 30.0},
        "no redundancy, cooling included": {"level": "raid-0", "overhead": 2.0},
        "parity and writes": {"level": "raid-5", "read_share": 0.25, "years": 3.0},
        "drives of 2017 to 2020": {
            **{"devices": ("seagate-exos-x18-18tb", "samsung-970-pro-1tb", "intel-optane-p4800x-375gb")},
            **{"volume_bytes": 1e13, "iops": 3000.0},
        },
    },
)
