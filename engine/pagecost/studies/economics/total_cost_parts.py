"""What the total of `total_cost` is made of: parts of devices, main memory beside them, and what they emit."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.economics import PARTS, Holding, Owned, Owning, Terms
from pagecost.studies.fields import About, Choice, Group, Steps
from pagecost.studies.shared_fields import size_or_none

if TYPE_CHECKING:
    from pagecost.studies.economics.total_cost import Answer, Inputs

MEMORY = "memory"
ALL_PARTS = {**PARTS, MEMORY: "main memory and its energy"}
"""What the total is made of, with main memory."""
ADDED = ("growth", "spares", "failed")
"""Those of devices beside the ones of the start and those that writes wear out: one column of the main table."""
MODULE = "ddr5-rdimm-64gb"
GIB = 2.0**30
_GROUP = Group("Main memory")


def memories() -> dict[str, str]:
    """Device id -> name of main memory of which capacity, price and power of a module are known."""
    return {
        name: device.name
        for name, device in catalogue.devices().items()
        if device.device_class == "main memory"
        and all(device.get(each) is not None for each in ("capacity_bytes", "active_w"))
        and math.isfinite(device.price_usd)
    }


MEMORY_BYTES: About = (
    Steps(tuple(GIB * size for size in (0, 64, 128, 256, 512, 1024, 2048)), "B", size_or_none),
    _GROUP,
    Field(ge=0, le=1e15, title="Main memory", description="Priced and powered beside the devices of each system."),
)
MODULES: About = (
    Choice(memories, noun="main memory with capacity, price and power"),
    _GROUP,
    Field(title="Modules", description="Of which it is made, whole ones."),
)


def memory_of(inputs: "Inputs", terms: Terms) -> Owning | None:
    """Main memory on the terms of the devices, without wear and failures; None where there is none."""
    if not inputs.memory_bytes:
        return None
    module = catalogue.device(inputs.memory)
    wanted = inputs.memory_bytes / module.value("capacity_bytes")
    price = inputs.money.of_usd(module.price_usd)
    held = Holding(math.ceil(wanted), price, module.value("active_w"), wanted=wanted)
    return Owning(held, replace(terms, failures_per_year=0.0))


def memory_at(inputs: "Inputs", answer: "Answer", runtime_s) -> np.ndarray:
    """What its main memory has cost after a runtime [s], or each of an array, in dollars."""
    zero = np.zeros(np.shape(runtime_s))
    return zero if answer.memory is None else inputs.money.to_usd(answer.memory.at(runtime_s))


def parts_of(answer: "Answer") -> dict[str, float]:
    """What the total is made of, in the inputs' currency."""
    parts = {part: float(getattr(answer.owned, part)) for part in PARTS}
    memory = _memory(answer)
    parts[MEMORY] = 0.0 if memory is None else float(memory.total)
    return parts | {"total": float(answer.owned.total) + parts[MEMORY]}


def by_year(answers: Mapping[str, "Answer"]) -> list[dict]:
    """The parts of each year, in the inputs' currency."""
    rows = []
    for name, answer in answers.items():
        if answer.priced:
            memory = _memory(answer)
            table = {part: answer.owned.by_year[part] for part in PARTS}
            zero = np.zeros(len(table["energy"]))
            table[MEMORY] = zero if memory is None else np.sum(list(memory.by_year.values()), axis=0)
            rows += [
                {"device": name, "year": year + 1} | dict(zip(table, amounts, strict=True))
                for year, amounts in enumerate(zip(*(each.tolist() for each in table.values()), strict=True))
            ]
    return rows


def carbon(inputs: "Inputs", answers: Mapping[str, "Answer"]) -> list[dict]:
    """Of what energy and devices emit; that of making a device stands only where it is known of all of them."""
    if not inputs.carbon_kg_per_kwh:
        return []
    rows: list[dict] = []
    for name, answer in answers.items():
        if answer.priced:
            memory, kwh = _memory(answer), float(answer.owned.energy_kwh)
            embodied_kg = float(answer.owned.carbon_kg) - kwh * inputs.carbon_kg_per_kwh
            kwh += 0.0 if memory is None else float(memory.energy_kwh)
            row = {"device": name, "energy_kwh": kwh, "energy_kg": kwh * inputs.carbon_kg_per_kwh}
            rows.append(row | {"embodied_kg": embodied_kg})
    if rows and any(math.isnan(row["embodied_kg"]) for row in rows):
        rows = [{key: value for key, value in row.items() if key != "embodied_kg"} for row in rows]
    return rows


def _memory(answer: "Answer") -> Owned | None:
    return None if answer.memory is None else answer.memory.owned(answer.memory.terms.horizon_s)
