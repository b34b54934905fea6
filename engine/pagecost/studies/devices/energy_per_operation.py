"""How much energy does one operation need, on the chip and at the plug, and who gives most requests for a watt?"""

from typing import Annotated

import numpy as np
from pydantic import Field, field_validator

from pagecost import catalogue, devices
from pagecost.devices import PATTERNS, energy
from pagecost.errors import known
from pagecost.studies.fields import Choice, Choices, From, Steps
from pagecost.studies.shared_fields import all_known
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_si

CHIP, DEVICE = "chip", "device"
MEASURES = {
    "iops_per_w": "requests per second for a watt",
    "iops_per_gb": "requests per second for a GB",
    "usd_per_iops": "dollars for a request per second",
}
"""What a device may be judged by. Watts for a request per second are joules, the energy of a request."""


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
        Choices(chip_options),
        From("fernando2011 Table 2.1"),
        Field(min_length=1, max_length=8, title="Chips", description="Energy inside the chip, without any controller."),
    ] = ("nand-lee-chang-2005", "nor-lee-chang-2005", "nand-slc-large-block", "nand-mlc", "nand-tlc")
    devices: Annotated[
        tuple[str, ...],
        Choices(device_options),
        From("schmidt2009 Table 1"),
        Field(min_length=1, max_length=8, title="Devices", description="Whole drives, by their idle and load power."),
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
        Choice(lambda: {pattern: pattern for pattern in PATTERNS}),
        Field(title="Pattern judged", description="The access pattern of the right chart, 4 KiB a request."),
    ] = "random read"
    measure: Annotated[
        str,
        Choice(lambda: MEASURES),
        From("lee2009 slide 17"),
        Field(title="Judged by", description="What the right chart shows."),
    ] = "iops_per_w"

    @field_validator("chips")
    @classmethod
    def _known_chips(cls, names):
        return all_known("flash chip", names, chip_options())

    @field_validator("devices")
    @classmethod
    def _known_devices(cls, names):
        return all_known("device with known power or price", names, device_options())

    @field_validator("pattern")
    @classmethod
    def _known_pattern(cls, name):
        return known("access pattern", name, PATTERNS)

    @field_validator("measure")
    @classmethod
    def _known_measure(cls, name):
        return known("measure", name, MEASURES)


COLUMNS = {
    "level": ("text", "level"),
    "name": ("text", "chip or device"),
    "operation": ("text", "operation on 4 KiB"),
    "energy_j": ("J", "energy of the operation"),
    "status": ("text", "evidence for the energy"),
    "iops": ("1/s", "requests per second, always busy"),
    "average_w": ("W", "average power"),
    "iops_per_w": ("1/J", "requests per second for a watt"),
    "iops_per_gb": ("1/s/GB", "requests per second for a GB"),
    "usd_per_iops": ("USD s", "dollars for a request per second"),
}
"""Unit and label of every column."""


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per chip or device and operation; nan where a number is not known.

    energy_j of a device: average power over requests per second at the chosen load, so it is also W per IO/s. The two
    levels are never added. Requests per GB count decimal gigabytes; prices are of the day the catalogue names.
    """
    rows = [_chip_row(name, operation) for name in inputs.chips for operation in energy.OPERATIONS]
    rows += [_device_row(name, pattern, inputs.busy) for name in inputs.devices for pattern in PATTERNS]
    columns = {
        name: Column(np.array([row.get(name, np.nan) for row in rows]), unit, label)
        for name, (unit, label) in COLUMNS.items()
    }
    return Result.of(columns, _notes(inputs))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each device the formula with its numbers, for the pattern judged."""
    lines = []
    for row in result.rows(level=DEVICE, operation=inputs.pattern):
        device = catalogue.device(result["name"][row])
        iops, joule = result["iops"][row], result["energy_j"][row]
        if not np.isfinite(joule):
            lines.append(f"{device.id}: {_missing(device, iops, inputs.busy)} not known, so nothing follows.")
            continue
        idle = f" + {device.get('idle_w'):g} W × {1 - inputs.busy:.0%}" if inputs.busy < 1 else ""
        lines.append(
            f"{device.id}: ({device.get('active_w'):g} W × {inputs.busy:.0%}{idle}) / "
            f"({iops:.4g} requests/s × {inputs.busy:.0%}) = {format_si(joule, 'J')} a request."
        )
    return lines


def _chip_row(name: str, operation: str) -> dict:
    found = energy.of_chip(catalogue.device(name), operation)
    return {"level": CHIP, "name": name, "operation": operation, "energy_j": found.value, "status": found.status}


def _device_row(name: str, pattern: str, busy: float) -> dict:
    device = catalogue.device(name)
    iops = _iops(device, pattern)
    idle_w, active_w = (device.get(key, np.nan) for key in ("idle_w", "active_w"))
    joule = float(energy.request_j(idle_w, active_w, 1 / iops, busy))
    return {
        "level": DEVICE,
        "name": name,
        "operation": pattern,
        "energy_j": joule,
        "status": device.parameters["active_w"].status if "active_w" in device.parameters else energy.UNKNOWN.status,
        "iops": iops,
        "average_w": float(energy.average_w(idle_w, active_w, busy)),
        "iops_per_w": 1 / joule,
        "iops_per_gb": iops / (device.get("capacity_bytes", np.nan) / 1e9),
        "usd_per_iops": device.price_usd / iops,
    }


def _iops(device: catalogue.Device, pattern: str) -> float:
    """Requests of 4 KiB per second: by the device's model, else by its rating, else nan."""
    if device.model:
        return float(1 / devices.model_of(device).service(pattern, energy.FOUR_KIB).total_s)
    return device.get(f"{pattern.replace(' ', '_')}_iops", np.nan)


def _has_rate(device: catalogue.Device) -> bool:
    return bool(device.model) or device.get("random_read_iops") is not None


def _missing(device: catalogue.Device, iops: float, busy: float) -> str:
    needs = {"load power": device.get("active_w"), "requests per second": None if np.isnan(iops) else iops}
    if busy < 1:
        needs["idle power"] = device.get("idle_w")
    return " and ".join(name for name, value in needs.items() if value is None)


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
        bound = catalogue.device(name).parameters.get("random_read_iops")
        if bound is not None and bound.bound:
            yield f"{name}: its random requests per second are a bound ({bound.stated}), and so is what follows."
    for name in inputs.devices:
        prices = catalogue.device(name).prices
        if prices:
            yield f"{name}: {prices[-1].amount:g} {prices[-1].currency} in {prices[-1].date} ({prices[-1].status})."


STUDY = Study(
    name="energy_per_operation",
    title="How much energy does an operation need, and who gives most for a watt?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
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
