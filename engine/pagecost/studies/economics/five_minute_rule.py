"""How often must a page be read to be worth its place in memory? Gray and Putzolu's rule, over the years."""

from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost import catalogue, devices
from pagecost.devices import title_of
from pagecost.economics import break_even_interval_s, hierarchy
from pagecost.errors import present
from pagecost.studies.fields import Choice, Choices, OfSystem, Steps
from pagecost.studies.finding import Finding, cells, compared
from pagecost.studies.shared_fields import unused_said
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, format_cell, format_seconds, format_si, money, usd

MB = 2**20
MEMORY = "ddr5-rdimm-64gb"  # of today: its price, and its watts beside a device of your own
ENERGY = "energy"
TODAY = "today"  # begins the names of pairs with devices of the catalogue, which have times for every page size
PAGE_SIZES = tuple(1024 * 2**step for step in range(11))
PAIRS = {
    "1987 disk": ("five-minute-disk-1987", "five-minute-memory-1987"),
    "1997 disk": ("five-minute-disk-1997", "five-minute-memory-1997"),
    "2007 disk": ("five-minute-disk-2007", "five-minute-memory-2007"),
    "2007 flash": ("five-minute-flash-2007", "five-minute-memory-2007"),
    "2018 disk": ("five-minute-disk-2018", "five-minute-memory-2018"),
    "2018 flash": ("five-minute-flash-2018", "five-minute-memory-2018"),
    "2007 flash before disk": ("five-minute-disk-2007", "five-minute-flash-2007"),
    "2018 flash before disk": ("five-minute-disk-2018", "five-minute-flash-2018"),
    "today disk": ("seagate-exos-x18-18tb", MEMORY),
    "today flash": ("samsung-990-pro-2tb", MEMORY),
    "today server flash": ("samsung-pm1743-1920gb", MEMORY),
}
"""Year and device -> (what is read from, what the page is kept in); today: the newest prices of the catalogue."""
TITLES = {name: f"{name.removeprefix('today ')} of today" if name.startswith("today ") else name for name in PAIRS}
"""What people call them."""
NONE = "none"


def priced() -> dict[str, str]:
    """Device id -> name of the modelled devices with a price."""
    known_well = {name: catalogue.devices()[name] for name in devices.modelled() if name in catalogue.devices()}
    return {name: device.name for name, device in known_well.items() if np.isfinite(device.price_usd)}


class Inputs(StudyInputs):
    """Which years, which page, and a device and memory price of one's own."""

    pairs: Annotated[
        tuple[str, ...],
        Choices(lambda: TITLES, noun="year and device"),
        Field(title="Years", description="As the rule's papers took prices and rates, or as the catalogue has them."),
    ] = ("1987 disk", "1997 disk", "2007 disk", "2007 flash", "2018 disk", "2018 flash", "today flash")
    page_bytes: Annotated[
        int,
        Steps(PAGE_SIZES, "B", format_bytes),
        OfSystem("memory.page_bytes"),
        Field(ge=512, le=1 << 24, title="Page size", description="Of the bars."),
    ] = 4096
    device: Annotated[
        str,
        Choice(
            lambda: {NONE: "none", **priced()},
            noun="device with a price",
            lacks="it has no price; state one with its day under [[prices]]",
        ),
        OfSystem("devices.database.device"),
        Field(title="A device of your own", description="Its access time grows with the page."),
    ] = "seagate-exos-x18-18tb"
    memory_price: Annotated[
        float,
        Steps((1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0), "USD/GB", partial(format_cell, unit="USD/GB")),
        Field(gt=0, le=1e9, title="Price of memory", description="Dollars for a GB (10^9 bytes), for your device."),
    ] = 5.0
    read_share: Annotated[
        float,
        Steps((0.0, 0.25, 0.5, 0.75, 0.9, 1.0), "1", lambda share: f"{share:.0%} reads"),
        OfSystem("load.read_share"),
        Field(
            ge=0,
            le=1,
            title="Share of reads",
            description="Of the accesses that memory saves, today and for your device.",
        ),
    ] = 1.0


def interval_of(pair: str, page_bytes: float, read_share: float = 1.0) -> float:
    """The break-even interval [s] of a year, from the catalogue's prices and access rates; all reads if not said."""
    read_from, kept_in = (catalogue.device(name) for name in PAIRS[pair])
    access_s = access_of(pair, read_share, page_bytes)
    return break_even_interval_s(page_bytes, access_s, read_from.price_usd, _per_byte(kept_in))


def access_of(pair: str, read_share: float, page_bytes: float) -> float:
    """Device time of an access [s] of a year's device: the same for all pages in the papers of the rule, not today."""
    if pair.startswith(TODAY):
        return _busy_s(PAIRS[pair][0], page_bytes, read_share)
    return _rated_access_s(catalogue.device(PAIRS[pair][0]), read_share)


def energy_interval_s(page_bytes: float, access_s: float, device_w: float, memory_w_per_byte: float) -> float:
    """The interval [s] at which a page in memory takes as much energy as its accesses: watts in place of prices."""
    return break_even_interval_s(page_bytes, access_s, device_w, memory_w_per_byte)


def _rated_access_s(device: catalogue.Device, read_share: float) -> float:
    """1 / accesses a second of a mix, p / reads a second + (1 - p) / writes; of reads where no writes are stated."""
    read_s = 1 / device.value("random_read_iops")
    writes = device.get("random_write_iops")
    return read_share * read_s + (1 - read_share) / writes if writes else read_s


def _per_byte(memory: catalogue.Device) -> float:
    """Dollars a byte of memory, or of a device that serves as one."""
    price = hierarchy.newest_price(memory)
    return price.middle / memory.bytes_of(price)


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per year (or device) and page size; `chosen` marks the page of the inputs.

    interval_s: a page that is accessed at least once in this time is cheaper in memory. access_s: how long an access
    keeps the device busy, 1 / accesses a second, for the rule pays for a share of the device; its papers take it as the
    same for all sizes, a device of today or of one's own does not.
    """
    sizes = sorted({*PAGE_SIZES, inputs.page_bytes})
    rows: list[tuple[str, float, float, float]] = [
        (pair, size, access_of(pair, inputs.read_share, size), interval_of(pair, size, inputs.read_share))
        for pair in inputs.pairs
        for size in sizes
    ]
    if inputs.device != NONE:
        for size in sizes:
            access_s = _busy_s(inputs.device, size, inputs.read_share)
            price = catalogue.device(inputs.device).price_usd
            interval_s = break_even_interval_s(size, access_s, price, inputs.memory_price / 1e9)
            rows.append((inputs.device, size, access_s, interval_s))
    series, page, access, interval = (
        (np.array(column) for column in zip(*rows, strict=True)) if rows else [np.array([])] * 4
    )
    names = TITLES | {name: title_of(name) for name in (inputs.device,) if name != NONE}
    columns = {
        "series": Column(np.array(series, str), "text", "year and device", names),
        "page_bytes": Column(page, "B", "page size"),
        "access_s": Column(access, "s", "device time of an access"),
        "interval_s": Column(interval, "s", "break-even interval"),
        "chosen": Column(page == inputs.page_bytes, "1", "chosen page size"),
    }
    return Result.of(columns, _notes(inputs), more=_energy(inputs, names))


def _energy(inputs: Inputs, names: dict[str, str]) -> dict[str, dict[str, Column]]:
    """The rule with watts in place of prices, at the chosen page, of what both watts are known."""
    size, share = inputs.page_bytes, inputs.read_share
    asked = [(pair, PAIRS[pair][0], access_of(pair, share, size), PAIRS[pair][1]) for pair in inputs.pairs]
    if inputs.device != NONE:
        asked.append((inputs.device, inputs.device, _busy_s(inputs.device, size, share), MEMORY))
    rows = []
    for name, device, access_s, memory in asked:
        watts = tuple(catalogue.device(each).known("active_w") for each in (device, memory))
        if np.isfinite(watts).all() and catalogue.device(memory).device_class == "main memory":
            per_byte = watts[1] / catalogue.device(memory).value("capacity_bytes")
            interval_s = energy_interval_s(inputs.page_bytes, access_s, watts[0], per_byte)
            rows.append((name, watts[0], per_byte * 1e9, interval_s))
    if not rows:
        return {}
    series, device_w, memory_w, interval = zip(*rows, strict=True)
    return {
        ENERGY: {
            "series": Column(np.array(series), "text", "year and device", names),
            "device_w": Column(np.array(device_w), "W", "power of the device at work"),
            "memory_w": Column(np.array(memory_w), "W", "power of a GB of memory"),
            "interval_s": Column(np.array(interval), "s", "break-even interval by energy"),
        }
    }


def _busy_s(device: str, page_bytes: float, read_share: float) -> float:
    page = devices.random_page_times(device, page_bytes, kind=devices.BUSY)
    return read_share * page.read_s + (1 - read_share) * page.write_s


def _notes(inputs: Inputs):
    yield "Prices and rates of the years are recalled from the papers that stated the rule, not verified."
    for pair in inputs.pairs:
        if pair.startswith(TODAY):
            read_from, kept_in = (catalogue.device(name) for name in PAIRS[pair])
            priced_on = ((device.name, hierarchy.newest_price(device)) for device in (read_from, kept_in))
            dated = " and ".join(f"{name} {hierarchy.said(price)} of {price.date}" for name, price in priced_on)
            yield (
                f"{pair}: {dated}; its rate is the data sheet's with many requests outstanding, beyond pages of 4 KiB "
                "with its bandwidth."
            )
    if inputs.read_share < 1:
        yield "The devices of the rule's papers know reads only; writes count where the catalogue states their rate."
    yield "The rule of 1987 took records of 1 KB, that of 1997 pages of 8 KB, later ones 4 KB."
    if inputs.device == NONE:
        yield from unused_said(inputs, [(("memory_price",), "It is for a device of your own, and there is none")])
    if inputs.device != NONE:
        price = present(catalogue.device(inputs.device).newest_price, f"{inputs.device}: no price in dollars is known")
        yield f"{title_of(inputs.device)}: {hierarchy.said(price)} of {price.date} ({price.status})."
        yield devices.random_page_times(inputs.device, inputs.page_bytes, kind=devices.BUSY).note


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The rule with its numbers, for each series at the chosen page."""
    lines = []
    for row in result.rows(chosen=True):
        name, title, access_s = str(result["series"][row]), result.cell("series", row), result["access_s"][row]
        if name in PAIRS:
            read_from, kept_in = (catalogue.device(each) for each in PAIRS[name])
            price, per_mb = read_from.price_usd, _per_byte(kept_in) * MB
        else:
            price, per_mb = catalogue.device(name).price_usd, inputs.memory_price / 1e9 * MB
        lines.append(
            f"{title}: {MB / inputs.page_bytes:g} pages per MB / {format_si(1 / access_s, '')} accesses per second × "
            f"{usd(price)} / {format_si(money().of_usd(per_mb), '')} {money().sign} per MB = "
            f"{format_seconds(result['interval_s'][row])}."
        )
    for row in result.rows_in(ENERGY):
        energy = result.tables[ENERGY]
        lines.append(
            f"{energy.columns['series'].cell(row)}, by energy: {format_si(energy['device_w'][row], 'W')} for a device, "
            f"{format_si(energy['memory_w'][row], 'W')} for a GB of memory: "
            f"{format_seconds(energy['interval_s'][row])}."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        result.rows(chosen=True),
        "interval_s",
        cells(result, "series"),
        several="A page of {page} is worth its place in memory if it is read again within {low} ({least}) to "
        "{high} "
        "({most}).",
        one="A page of {page} is worth its place in memory if it is read again within {high} ({most}).",
        none="The break-even interval of a page of {page} is not known.",
        page=format_bytes(inputs.page_bytes),
    )


STUDY = Study(
    name="five_minute_rule",
    title="How often must a page be read to be worth its place in memory?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="money",
    source="Gray and Putzolu 1987; Gray and Graefe 1997; Graefe 2007; Appuswamy et al. 2019",
    presets={
        "flash as the memory before a disk": {
            "pairs": ("2007 disk", "2007 flash before disk", "2018 disk", "2018 flash before disk"),
            "device": NONE,
        },
        "today, in dollars and in watts": {
            **{"pairs": ("2018 disk", "2018 flash", "today disk", "today flash", "today server flash")},
            "device": NONE,
        },
        "1987, records of 1 KB": {"pairs": ("1987 disk",), "page_bytes": 1024, "device": NONE},
        "an SSD that is mostly written": {"device": "intel-x25-m-g2-80gb", "read_share": 0.25},
    },
)
