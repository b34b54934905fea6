"""How much energy does one operation need, on the chip and at the plug, and who gives most requests for a watt?"""

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost import catalogue, devices
from pagecost.devices import PATTERNS, energy, title_of
from pagecost.studies.fields import Choice, Choices, From, OfSystem, Steps
from pagecost.studies.finding import Derived, Finding, bare, cells, compared
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_cell, format_si

CHIPS, ENERGY = "chips", "energy"
MEASURES = {
    "iops_per_w": "requests per second for a watt",
    "iops_per_gb": "requests per second for a GB",
    "usd_per_iops": "price of a request per second",
}
"""What a device may be judged by. Watts for a request per second are joules, the energy of a request."""
TABLE_OF = {"iops_per_w": ENERGY, "iops_per_gb": "size", "usd_per_iops": "money"}
"""The table in which a measure stands."""


def chip_options() -> dict[str, str]:
    """The flash chips of the catalogue; of some the energy is not known."""
    return {id: device.name for id, device in catalogue.devices().items() if device.device_class == "flash chip"}


def device_options() -> dict[str, str]:
    """The devices of the catalogue of which power, or price and requests per second, are known."""
    return {
        id: device.name
        for id, device in catalogue.devices().items()
        if device.get("active_w") is not None or (device.price_usd == device.price_usd and _has_rate(device))
    }


class Inputs(StudyInputs):
    """The chips, the devices, how busy they are, and what they are judged by."""

    chips: Annotated[
        tuple[str, ...],
        Choices(chip_options, noun="flash chip"),
        From("fernando2011 Table 2.1"),
        Field(min_length=1, title="Chips", description="Energy inside the chip, without any controller."),
    ] = ("nand-lee-chang-2005", "nor-lee-chang-2005", "nand-slc-large-block", "nand-mlc", "nand-tlc")
    devices: Annotated[
        tuple[str, ...],
        Choices(
            device_options,
            noun="device with known power or price",
            lacks="neither its power nor a price is known; state its active_w, or a price under [[prices]]",
        ),
        From("schmidt2009 Table 1"),
        OfSystem("devices.database.device"),
        Field(min_length=1, title="Devices", description="Whole drives, by their idle and load power."),
    ] = (
        *("consumer-disk-2009", "high-end-disk-2009", "consumer-ssd-2009", "high-end-ssd-2009"),
        *("cheetah-15k5", "indilinx-barefoot-ssd", "intel-x25-m-g2-80gb", "intel-optane-p4800x-375gb"),
    )
    busy: Annotated[
        float,
        Steps((0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0), "1", lambda share: f"{share:.0%} busy"),
        Field(gt=0, le=1, title="Busy", description="Share of the time that the device works; else it idles."),
    ] = 1.0
    pattern: Annotated[
        str,
        Choice(lambda: {pattern: pattern for pattern in PATTERNS}, noun="access pattern"),
        Field(title="Pattern judged", description="The access pattern of the right chart, 4 KiB a request."),
    ] = "random read"
    measure: Annotated[
        str,
        Choice(lambda: MEASURES),
        From("lee2009 slide 17"),
        Field(title="Judged by", description="What the right chart shows."),
    ] = "iops_per_w"


LABELS = {
    "name": ("text", "chip or device"),
    "operation": ("text", "operation on 4 KiB"),
    "energy_j": ("J", "energy of the operation"),
    "status": ("text", "evidence for the energy"),
    "iops": ("1/s", "requests per second, always busy"),
    "average_w": ("W", "average power"),
    "iops_per_w": ("1/J", "requests per second for a watt"),
    "iops_per_gb": ("1/s/GB", "requests per second for a GB"),
    "usd_per_iops": ("USD s", "price of a request per second"),
}
"""Unit and label of every column."""


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device and pattern of which requests per second are known; what follows has tables of its own.

    Table `energy`, where the power is known: energy_j is average power over requests per second at the chosen load, so
    it is also W per IO/s. `size`, where the capacity is: requests per decimal GB. `money`: by prices of the day the
    catalogue names. `chips`: energy inside the chip, a level of its own that is never added.
    """
    rows = [row for name in inputs.devices for row in _device_rows(name, inputs.busy)]
    chips = [row for name in inputs.chips for row in _chip_rows(name)]
    names = {name: title_of(name) for name in (*inputs.chips, *inputs.devices)}
    wanted = {
        CHIPS: (chips, ("energy_j", "status")),
        ENERGY: (rows, ("energy_j", "status", "average_w", "iops_per_w")),
        "size": (rows, ("iops_per_gb",)),
        "money": (rows, ("usd_per_iops",)),
    }
    more = {}
    for table, (found, columns) in wanted.items():
        there = [row for row in found if np.isfinite(row[columns[0]])]
        if there:
            more[table] = _columns(there, columns, names)
    return Result.of(_columns(rows, ("iops",), names), _notes(inputs), more=more)


def _columns(rows: list[dict], columns: tuple[str, ...], names: dict[str, str]) -> dict[str, Column]:
    """Rows as columns: name and operation, then those asked for."""
    found = {}
    for column in ("name", "operation", *columns):
        unit, label = LABELS[column]
        values = np.array([row[column] for row in rows], str if unit == "text" else float)
        found[column] = Column(values, unit, label, names if column == "name" else {})
    return found


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each device the formula with its numbers, for the pattern judged."""
    lines = []
    for name in inputs.devices:
        device, title = catalogue.device(name), title_of(name)
        joule = value_of(result, ENERGY, "energy_j", name, inputs.pattern)
        if not np.isfinite(joule):
            lines.append(f"{title}: {_missing(device, inputs)} not known, so nothing follows.")
            continue
        (row,) = result.rows(name=name, operation=inputs.pattern)
        idle = f" + {device.get('idle_w'):g} W × {1 - inputs.busy:.0%}" if inputs.busy < 1 else ""
        lines.append(
            f"{title}: ({device.get('active_w'):g} W × {inputs.busy:.0%}{idle}) / "
            f"({format_cell(result['iops'][row], '1')} requests/s × {inputs.busy:.0%}) = "
            f"{format_si(joule, 'J')} a request."
        )
    return lines


def _as_money(fact: Fact) -> Fact:
    """What a request a second costs, as an amount."""
    return Derived(fact.number, "USD", fact.label, of=(fact,))


class Said(NamedTuple):
    """How a measure is told: its column, what it is, and the sentences of `compared`."""

    column: str
    what: str
    several: str
    one: str
    show: Callable[[Fact], Fact] = lambda fact: fact


SAID = {
    "iops_per_w": Said(
        "energy_j",
        "the energy",
        "{least} needs least energy for a {pattern} of 4 KiB, {low}; {most} needs most, {high}.",
        "{most} needs {high} for a {pattern} of 4 KiB.",
    ),
    "iops_per_gb": Said(
        "iops_per_gb",
        "the rate and the size",
        "{most} gives most for a GB, {high} {pattern}s a second; {least} gives least, {low}.",
        "{most} gives {high} {pattern}s a second for a GB.",
        bare,
    ),
    "usd_per_iops": Said(
        "usd_per_iops",
        "the rate and the price",
        "{least} costs least for a {pattern} a second, {low}; {most} costs most, {high}.",
        "{most} costs {high} for a {pattern} a second.",
        _as_money,
    ),
}
"""A request's energy is a watt over requests a second: for a watt, who needs least of it gives most."""


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    said = SAID[inputs.measure]
    table = result.tables.get(TABLE_OF[inputs.measure], result)  # no table where nothing of it is known
    return compared(
        table,
        table.rows(operation=inputs.pattern) if TABLE_OF[inputs.measure] in result.tables else (),
        said.column,
        cells(table, "name"),
        several=said.several,
        one=said.one,
        none=f"Nothing is known of {said.what} of a {{pattern}}.",
        show=said.show,
        pattern=inputs.pattern,
    )


def value_of(result: Result, table: str, column: str, name: str, operation: str) -> float:
    """One number of a further table; nan where it is not known."""
    rows = result.rows_in(table, name=name, operation=operation)
    return float(result.tables[table][column][rows[0]]) if rows.size else np.nan


def status_of(result: Result, table: str, name: str) -> str:
    """The evidence for the energy of a chip or device."""
    rows = result.rows_in(table, name=name)
    return str(result.tables[table]["status"][rows[0]]) if rows.size else energy.UNKNOWN.status


def _chip_rows(name: str):
    for operation in energy.OPERATIONS:
        found = energy.of_chip(catalogue.device(name), operation)
        yield {"name": name, "operation": operation, "energy_j": found.value, "status": found.status}


def _device_rows(name: str, busy: float):
    """A row for each pattern of which the requests per second are known."""
    device = catalogue.device(name)
    active_w, idle_w = device.get("active_w", np.nan), device.known("idle_w")
    for pattern in PATTERNS:
        iops = _iops(device, pattern)
        if not np.isfinite(iops):
            continue
        joule = float(energy.request_j(idle_w, active_w, 1 / iops, busy))
        yield {
            "name": name,
            "operation": pattern,
            "energy_j": joule,
            "status": device.parameters["active_w"].status if "active_w" in device.parameters else "",
            "iops": iops,
            "average_w": float(energy.average_w(idle_w, active_w, busy)),
            "iops_per_w": 1 / joule,
            "iops_per_gb": iops / (device.get("capacity_bytes", np.nan) / 1e9),
            "usd_per_iops": device.price_usd / iops,
        }


def _iops(device: catalogue.Device, pattern: str) -> float:
    """Requests of 4 KiB per second: by the device's model, else by its rating for them, else nan."""
    if device.model:
        return float(1 / devices.model_of(device).service(pattern, energy.FOUR_KIB).total_s)
    if device.get("rated_block_bytes", energy.FOUR_KIB) != energy.FOUR_KIB:
        return np.nan
    return device.get(f"{pattern.replace(' ', '_')}_iops", np.nan)


def _has_rate(device: catalogue.Device) -> bool:
    return bool(device.model) or device.get("random_read_iops") is not None


def _missing(device: catalogue.Device, inputs: Inputs) -> str:
    needs = {
        "load power": device.get("active_w", np.nan),
        "requests per second": _iops(device, inputs.pattern),
        "idle power": device.known("idle_w") if inputs.busy < 1 else 0.0,
    }
    return " and ".join(name for name, value in needs.items() if np.isnan(value))


def _notes(inputs: Inputs):
    yield (
        "Energy inside a chip and energy of a device are two levels: the device's power already feeds its chips. "
        "They are never added."
    )
    yield (
        "Per 4 KiB; of an erase the share of 4 KiB in its block. A watt for a request per second is a joule a request."
    )
    yield (
        "Load power over requests per second: a rated number of requests was reached with many waiting, a hard disk's "
        "comes from its mean seek over the whole disk with one waiting."
    )
    for name in inputs.devices:
        title, known = title_of(name), catalogue.device(name).parameters
        for parameter, what in (("random_read_iops", "random requests per second are"), ("active_w", "load power is")):
            if parameter in known and known[parameter].bound:
                yield f"{title}: its {what} a bound ({known[parameter].stated}), and so is what follows."
        if inputs.busy < 1 and "idle_w" in known and known["idle_w"].bound:
            stated = known["idle_w"].stated
            yield f"{title}: its idle power is known only as a bound ({stated}), that of sleep; it is not used."
        prices = catalogue.device(name).prices
        if prices:
            price = prices[-1]
            yield f"{title}: {format_cell(price.amount, price.currency)} in {price.date} ({price.status})."


STUDY = Study(
    name="energy_per_operation",
    title="How much energy does an operation need, and who gives most for a watt?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="fernando2011 Table 2.1; schmidt2009 Table 1, §6.2; lee2009 slides 16 and 17",
    presets={
        "NAND and NOR; the drives of 2009": {
            "chips": ("nand-lee-chang-2005", "nor-lee-chang-2005"),
            "devices": ("consumer-disk-2009", "high-end-disk-2009", "consumer-ssd-2009", "high-end-ssd-2009"),
        },
        "the same, hardly ever busy": {
            "chips": ("nand-lee-chang-2005", "nor-lee-chang-2005"),
            "devices": ("consumer-disk-2009", "high-end-disk-2009", "consumer-ssd-2009", "high-end-ssd-2009"),
            "busy": 0.01,
        },
        "requests for a dollar, 1987 to 2017": {
            "devices": (
                *("five-minute-disk-1987", "five-minute-disk-1997", "five-minute-disk-2007", "five-minute-flash-2007"),
                *("intel-x25-m-g1", "intel-x25-m-g2-160gb", "intel-optane-p4800x-375gb"),
            ),
            "measure": "usd_per_iops",
        },
    },
)
