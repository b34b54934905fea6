"""What questions about goals have in common: the goal, the budget, and what so many drives cost over the years."""

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Protocol

from pydantic import Field

from pagecost import catalogue
from pagecost.devices import title_of
from pagecost.devices.energy import average_w
from pagecost.economics import (
    LEVELS,
    YEAR_S,
    Endurance,
    Holding,
    Owned,
    Power,
    Terms,
    device_writes_per_day,
    hierarchy,
    ownership,
)
from pagecost.studies.fields import About, Group, OfSystem, Steps
from pagecost.studies.typed import amounts, typed_prices, typed_watts
from pagecost.units import format_bytes, format_cell, format_seconds

HOLDS, DEAR = "holds", "over the budget"
NO_PRICE = "in time, cost not known"
PAID = ("purchase", "worn", "energy")
"""The parts of the cost that these questions have."""

MONEY = Group("Prices, watts and volume")

WITHIN: About = (
    Steps((1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1), "s", format_seconds),
    OfSystem("targets.response_s"),
    Field(gt=0, le=3600, title="Response time", description="The goal: the percentile may take so long."),
)
BUDGET: About = (
    Steps((1000.0, 3000.0, 10_000.0, 30_000.0, 100_000.0, 1e6), "USD", partial(format_cell, unit="USD")),
    OfSystem("budget_usd"),
    Field(gt=0, le=1e12, title="Budget", description="For drives, new ones and energy, over the runtime."),
)
PRICES: About = (
    amounts(typed_prices, "cheetah-15k5=300, …"),
    MONEY,
    OfSystem("economics.prices"),
    Field(title="Prices", description="In dollars a drive; your own as drive=price, drive=price."),
)
WATTS: About = (
    amounts(typed_watts, "cheetah-15k5=IDLE/LOAD"),
    MONEY,
    Field(title="Watts", description="Of a drive, idle and at load; your own as drive=idle/load."),
)
VOLUME: About = (
    Steps((0.0, 1e11, 3e11, 1e12, 3e12, 1e13), "B", lambda size: format_bytes(size) if size else "not asked"),
    MONEY,
    OfSystem("load.volume_bytes"),
    Field(ge=0, le=1e18, title="Volume", description="Data that the drives hold together; 0: not asked."),
)


def share_within(description: str) -> About:
    """The kind of input that says which percentile a goal is for."""
    return (
        Steps((0.5, 0.9, 0.95, 0.99, 0.999), "1", lambda share: f"{share:.5g}"),
        OfSystem("targets.share"),
        Field(gt=0, le=0.9999, title="Percentile", description=description),
    )


class Paid(Protocol):
    """Inputs that say what drives cost."""

    @property
    def prices(self) -> str: ...
    @property
    def watts(self) -> str: ...
    @property
    def years(self) -> float: ...
    @property
    def price_per_kwh(self) -> float: ...


def power(inputs: Paid, device: catalogue.Device) -> tuple[Power, str]:
    """(watts of a drive, what must be said of them): as typed, else the catalogue's, nan where not known.

    A load power that is a bound from above makes the cost one, too.
    """
    typed = typed_watts(inputs.watts).get(device.id)
    if typed is not None:
        return typed, ""
    idle, active = (device.parameters.get(name) for name in ("idle_w", "active_w"))
    if idle is None or active is None or idle.bound or active.bound not in ("", "<="):
        unknown = f"{title_of(device.id)}: its watts in a working server are not known, nor so its cost in all; give "
        return Power(math.nan, math.nan), f"{unknown}them, such as {device.id}=IDLE/LOAD."
    said = f"{title_of(device.id)}: its load power is a bound, {active.stated}, so its energy is at most this much."
    return Power(device.value("idle_w"), device.value("active_w")), said if active.bound else ""


def owned_by(inputs: Paid, device: catalogue.Device, drives: int, busy: float, worn_s: float) -> Owned:
    """So many drives over the years, each busy for a share of the time and worn out after worn_s [s]."""
    price = typed_prices(inputs.prices).get(device.id, device.price_usd)
    watts = power(inputs, device)[0]
    mean_w = float(average_w(watts.idle_w, watts.active_w, min(busy, 1.0)))
    terms = Terms(horizon_s=inputs.years * YEAR_S, price_per_kwh=inputs.price_per_kwh)
    return ownership(Holding(drives, price, mean_w, worn_s), terms)


def drives_for(volume_bytes: float, device: catalogue.Device, level: str = "raid-0") -> int:
    """How many drives hold a volume [B] together, joined as a RAID level says; 0 where none is asked for."""
    bare = math.ceil(volume_bytes / device.value("capacity_bytes") * (1 - 1e-12)) if volume_bytes else 0
    return LEVELS[level].devices_for(bare)


def affordable(budget_usd: float, total_usd: float) -> str:
    """The verdict of the budget on what is in time."""
    if math.isnan(total_usd):
        return NO_PRICE
    return HOLDS if total_usd <= budget_usd else DEAR


NOT_RATED = "{}: how much it may be written is not known, so no replacement by wear is counted."


def price_notes(inputs: Paid, name: str) -> Iterator[str]:
    """Which price a drive has, of which day, or that it has none."""
    if name in typed_prices(inputs.prices):
        return
    newest = catalogue.device(name).newest_price
    if newest is not None:
        yield f"{title_of(name)}: {hierarchy.said(newest)} of {newest.date} ({catalogue.STATUSES[newest.status]})."
    else:
        yield f"{title_of(name)}: the catalogue has no price; give one, such as {name}=100, to see what it costs."


def wear_row(name: str, rated: Endurance, written_bytes_per_s: float, worn_s: float, owned: Owned) -> dict:
    """How long a drive lasts that is written so fast [B/s]."""
    return {
        "device": name,
        "wear": rated.said,
        "written_bytes_per_s": written_bytes_per_s,
        "asked_per_day": device_writes_per_day(catalogue.device(name), written_bytes_per_s, 1.0),
        "worn_years": worn_s / YEAR_S,
        "replacements": float(owned.replacements),
    }


def cost_row(name: str, owned: Owned, beside_usd: Mapping[str, float] = {}) -> dict:
    """What drives cost, part by part, what there is beside them by column, and all of it."""
    return {
        "device": name,
        **{f"{part}_usd": float(getattr(owned, part)) for part in PAID},
        **beside_usd,
        "total_usd": float(owned.total) + sum(beside_usd.values()),
    }
