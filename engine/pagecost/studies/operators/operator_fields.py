"""Inputs that several questions about operators share, word for word."""

from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost import catalogue, operators
from pagecost.devices import title_of
from pagecost.economics.wear import endurance
from pagecost.errors import ModelError
from pagecost.operators import MANY, OnDevice, on_device
from pagecost.studies.fields import About, Choice, Choices, OfSystem, Steps, how_many
from pagecost.studies.study import Column
from pagecost.units import format_bytes

DEVICES = (
    "hgst-7k1000-750gb",
    "cheetah-15k5",
    "mtron-pro-7500",
    "intel-x25-e",
    "samsung-970-pro-1tb",
    "intel-optane-p4800x-375gb",
)
"""From a disk to a drive that is almost memory."""
DEPTHS = (MANY, 1, 2, 4, 8, 16, 32, 64, 128, 256)


def depth_text(depth: float) -> str:
    """A queue depth as people read it."""
    return "as many as it is rated with" if depth == MANY else f"{depth:g} outstanding"


def device(title: str, description: str, system: str = "devices.database.device") -> About:
    """The kind of input that names a device of the catalogue."""
    return (
        Choice(operators.modelled, noun="device"),
        OfSystem(system),
        Field(title=title, description=description),
    )


def devices(description: str) -> About:
    """The kind of input that names devices of the catalogue."""
    return (
        Choices(operators.modelled, noun="device"),
        OfSystem("devices.database.device"),
        Field(min_length=1, title="Devices", description=description),
    )


PAGE_BYTES = Annotated[
    int,
    Steps(tuple(512 << step for step in range(10)), "B", format_bytes),
    OfSystem("memory.page_bytes"),
    Field(ge=512, le=1 << 20, multiple_of=512, title="Page size", description="A multiple of 512 bytes."),
]
DEPTH = Annotated[
    int,
    Steps(DEPTHS, "1", depth_text),
    Field(
        ge=MANY,
        le=1024,
        title="Queue depth",
        description="Requests that a plan keeps outstanding; 0: as many as a device's rates were reached with.",
    ),
]


def rows(default_of: str) -> About:
    """The kind of input that says how many rows a table has."""
    return (
        Steps(tuple(round(10 ** (3 + step / 2)) for step in range(13)), "1", how_many("rows")),
        Field(ge=1, le=10**10, title=f"Rows of {default_of}", description=f"How many rows {default_of} has."),
    )


def row_bytes(of: str) -> About:
    """The kind of input that says how many bytes a row has."""
    return (
        Steps((16, 32, 50, 64, 100, 128, 200, 256, 400, 512), "B", format_bytes),
        Field(ge=1, le=1 << 20, title=f"Row of {of}", description=f"Bytes of a row of {of}; rows do not span pages."),
    )


def times_of(name: str, page_bytes: int, depth: float) -> tuple[OnDevice, str]:
    """The times of runs on a device, and a sentence where they are not those of the depth that was asked for.

    Where it is not known how long one request takes alone, they are those with many outstanding.
    """
    times = on_device(name, page_bytes, depth)
    try:
        for write in (False, True):
            times.run_s(1, write=write)
    except ModelError:
        note = (
            f"{title_of(name)}: how long one request takes alone is not known, so its times are those with many "
            f"outstanding, not with {depth:g}."
        )
        return on_device(name, page_bytes), note
    return times, ""


def worn(device: list[str], method: list[str], written_bytes: list[float]) -> dict[str, dict[str, Column]]:
    """Tables of what plans wear of their devices, from as many entries of each.

    `wear`: of devices whose rated bytes are known and end. `worn_price`: the same share of the price, where that is
    known too.
    """
    known = catalogue.devices()
    rated = {name: endurance(known[name]) for name in dict.fromkeys(device)}
    most = np.array([found.written_bytes if (found := rated[name]) else np.nan for name in device])
    written = np.array(written_bytes, float)
    share, price = written / most, np.array([known[name].price_usd for name in device])
    names = {name: title_of(name) for name in device}

    def table(there: np.ndarray, more: dict[str, Column]) -> dict[str, Column]:
        return {
            "device": Column(np.array(device, str)[there], "text", "device", names),
            "method": Column(np.array(method, str)[there], "text", "join"),
            **more,
        }

    made = {}
    there = np.isfinite(most)
    if there.any():
        of_rated = Column(share[there], "1", "share of the bytes that it is rated for")
        made["wear"] = table(
            there, {"written_bytes": Column(written[there], "B", "written to the device"), "rated_share": of_rated}
        )
    there &= np.isfinite(price)
    if there.any():
        usd = (share * price)[there]
        made["worn_price"] = table(there, {"worn_usd": Column(usd, "USD", "worn share of the device's price")})
    return made


def unknown_wear(names: tuple[str, ...]) -> list[str]:
    """Of which devices no wear is told, and why, in sentences."""
    known = catalogue.devices()
    rated = {name: endurance(known[name]) for name in names}
    blank = [title_of(name) for name, found in rated.items() if found is None]
    never = [title_of(name) for name, found in rated.items() if found and np.isinf(found.written_bytes)]
    priceless = [
        title_of(name)
        for name, found in rated.items()
        if found and np.isfinite(found.written_bytes) and np.isnan(known[name].price_usd)
    ]
    said = [f"Not worn by writes: {', '.join(never)}."] if never else []
    said += [f"How much it may be written is not known: {', '.join(blank)}."] if blank else []
    return said + ([f"No price is known: {', '.join(priceless)}."] if priceless else [])
