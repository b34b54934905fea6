"""How many disks does one SSD replace? Lee 2009, slides 11 to 16."""

from collections.abc import Callable
from math import isfinite
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from pagecost import catalogue, oltp
from pagecost.answers import page_costs, path_runs
from pagecost.answers.path_runs import FILE_SYSTEMS, drives
from pagecost.economics import hierarchy
from pagecost.errors import require
from pagecost.studies import finding, mix_fields
from pagecost.studies.fields import Choice, Choices, From, Group, OfSystem, Steps, how_many
from pagecost.studies.finding import Finding, at, things
from pagecost.studies.loop_fields import SCHEDULER, TOGETHER
from pagecost.studies.path.path_answers import (
    Found,
    answered,
    names_of,
    notes,
    numbers,
    of_term,
    tpm_columns,
)
from pagecost.studies.path.path_fields import OWN, seconds_of
from pagecost.studies.path.path_inputs import MixesInputs, Point, VolumeInputs
from pagecost.studies.path.whole_path import short_name
from pagecost.studies.study import Column, Progress, Result, Study, no_progress
from pagecost.units import format_bytes, format_cell, format_si

COUNTS = (1, 2, 4, 8, 10, 12, 16)
FROM_CATALOGUE = 0.0
PRICES = "Prices"
GB = 1e9


def _price(whose: str) -> tuple:
    return (
        Steps(
            (FROM_CATALOGUE, 100.0, 200.0, 400.0, 800.0),
            "USD",
            lambda usd: format_cell(usd, "USD") if usd else "the catalogue's",
        ),
        Group(PRICES),
        Field(ge=0, le=1e6, title=f"Price of {whose}", description="0: the catalogue's newest, where it has one."),
    )


class Inputs(MixesInputs, VolumeInputs):
    """One SSD, and the disks that it is compared with."""

    ssd: Annotated[
        str,
        Choice(drives),
        OfSystem("devices.database.device"),
        From("lee2009 slide 8"),
        Field(title="SSD", description="One, with the data."),
    ] = "indilinx-barefoot-ssd"
    disk: Annotated[
        str,
        Choice(drives),
        From("lee2009 slide 8"),
        Field(title="Disk", description="Several, striped, each with a queue, with the data."),
    ] = "cheetah-15k5"
    counts: Annotated[
        tuple[int, ...],
        Choices(lambda: {count: str(count) for count in COUNTS}, most=7),
        From("lee2009 slide 12: 8"),
        Field(min_length=1, title="Numbers of disks", description="That are tried."),
    ] = (1, 2, 4, 8, 16)
    mixes: Annotated[
        tuple[str, ...],
        *mix_fields.mixes(4, "Lee measures one type of transaction alone at a time.", From("lee2009 slides 13, 14")),
    ] = ("order-status", "new-order", "lee2009")
    file_system: Annotated[
        str,
        Choice(lambda: FILE_SYSTEMS),
        OfSystem("file_system.layout"),
        Field(title="File system", description="How pages lie on the device; no cleaner wakes."),
    ] = "none"
    scheduler: Annotated[str, *SCHEDULER] = "deadline"
    users: Annotated[
        int,
        Steps((1, 2, 5, 10, 20, 30, 60, 100, 200), "1", how_many("users")),
        From("fitted: 5 : 1 in Order-Status, lee2009 slide 13"),
        OfSystem("load.users"),
        Field(ge=1, le=1000, title="Users", description="The slides do not say how many there were."),
    ] = 60
    warehouses: Annotated[
        int,
        Steps((3, 10, 30, 100, 140), "1", how_many("warehouses")),
        From("lee2009 slide 12: 10 GB"),
        OfSystem("load.warehouses"),
        Field(ge=1, le=150, title="Warehouses", description="71 MB each, without indexes."),
    ] = 140
    processors: Annotated[
        int,
        Steps((1, 2, 4, 8, 16), "1", how_many("processors")),
        From("lee2009 slide 12: 4"),
        OfSystem("processors.servers"),
        Field(ge=1, le=256, title="Processors", description="Of one queue."),
    ] = 4
    page_cache_bytes: Annotated[
        float,
        Steps((0, 64 * 2**20, 256 * 2**20, 2**30), "B", lambda size: format_bytes(size) if size else "none"),
        OfSystem("memory.page_cache_bytes"),
        Field(ge=0, le=2**36, title="Page cache", description="Of the operating system; none: direct I/O."),
    ] = 0.0
    buffer_frames: Annotated[
        int,
        Steps((256, 1024, 4096, 12800, 65536), "frames", how_many("frames")),
        OfSystem("memory.buffer_frames"),
        From("lee2009 slide 12: 100 MB"),
        Field(ge=64, le=2**20, title="Buffer", description="Pages that it holds; one for each user at least."),
    ] = 12800
    ssd_usd: Annotated[float, *_price("an SSD")] = FROM_CATALOGUE
    disk_usd: Annotated[float, *_price("a disk")] = FROM_CATALOGUE
    seconds: Annotated[float, *seconds_of((5.0, 10.0, 30.0, 60.0))] = 10.0

    @property
    def chosen_mixes(self) -> tuple[str, ...]:
        """Those of the lines."""
        return self.mixes_of(self.mixes)

    @model_validator(mode="after")
    def _two_devices(self):
        require(self.ssd != self.disk, f"the SSD is compared with another device; got {self.ssd} for both")
        return self


def points_of(inputs: Inputs) -> list[Point]:
    """For each mix the SSD, then the disks by their number."""
    return [
        inputs.point(
            database=OWN,
            device=device,
            file_system=inputs.file_system,
            mix=mix,
            scheduler=inputs.scheduler,
            count=count,
        )
        for mix in inputs.chosen_mixes
        for device, count in ((inputs.ssd, 1), *((inputs.disk, count) for count in sorted(inputs.counts)))
    ]


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per mix and storage: what it does, draws and costs, and what the SSD does beside it."""
    points = points_of(inputs)

    def result(found: Found) -> Result:
        return _result(inputs, found)

    found = answered(inputs, points, inputs.seconds, progress, result)
    return result(found).with_notes(_notes(inputs, found))


def _result(inputs: Inputs, found: Found) -> Result:
    points = list(found)
    rates = tpm_columns(found)
    tps = rates["tpm"].values / 60
    role = np.array(["ssd" if _is_ssd(inputs, point) else "disks" for point in points])
    watts = np.array([_watts(point, runs) for point, runs in found.items()])
    usd = np.array([_of_all(point, page_costs.price_usd, _given_usd(inputs, point)) for point in points])
    gb = np.array([_of_all(point, capacity_bytes) / GB for point in points])
    iops = numbers(found, _iops, "1/s", "requests that the devices do")
    of_mix = {point.mix: row for row, point in enumerate(points) if _is_ssd(inputs, point)}
    base = np.array([of_mix.get(point.mix, -1) for point in points])

    def beside(values: np.ndarray) -> np.ndarray:
        there = (base >= 0) & (values > 0)  # where nothing was done, nothing is so many times as much
        return np.divide(values[base], values, out=np.full(values.size, np.nan), where=there)

    columns = {
        "mix": Column(names_of(points, lambda point: point.mix), "text", "mix", inputs.mix_titles()),
        "role": Column(role, "text", "storage", {"ssd": "SSD", "disks": "disks"}),
        "device": Column(names_of(points, lambda point: point.device), "text", "device", drives()),
        "count": Column(np.array([point.count for point in points]), "1", "devices"),
        **rates,
        "tps": Column(tps, "1/s", "transactions per second"),
        "lead": Column(beside(tps), "1", "transactions of the SSD over those of the disks"),
        "power_w": Column(watts, "W", "power of the devices"),
        "per_j": Column(tps / watts, "1/J", "transactions per joule"),
        "lead_per_j": Column(beside(tps / watts), "1", "transactions per joule of the SSD over those of the disks"),
        "iops": iops,
        "iops_per_gb": Column(iops.values / gb, "1/s", "requests per second for each GB"),
        "usd": Column(usd, "USD", "price of the devices"),
        "usd_per_tps": Column(usd / tps, "USD", "price of a transaction per second"),
        "usd_per_iops": Column(usd / iops.values, "USD", "price of a request per second"),
        "write_ratio": numbers(found, write_ratio, "1", "writes per read, of the devices"),
        **{term: numbers(found, of_term(term), "s", label) for term, label in oltp.TERMS.items()},
        "busy": numbers(found, oltp.OltpRun.busy, "1", "busy share of the devices"),
    }
    if not np.isfinite(usd).any():  # a column that nobody can fill
        columns = {name: column for name, column in columns.items() if not name.startswith("usd")}
    return Result.of(columns)


def write_ratio(run: oltp.OltpRun) -> float:
    """Writes of the devices over their reads; nan where they read nothing."""
    reads = run.requests["device", "read"]
    return run.requests["device", "write"] / reads if reads else float("nan")


def _iops(run: oltp.OltpRun) -> float:
    return sum(run.requests["device", operation] for operation in ("read", "write")) / run.seconds


def _is_ssd(inputs: Inputs, point: Point) -> bool:
    return point.device == inputs.ssd and point.count == 1 and point.device != inputs.disk


def _watts(point: Point, runs: list[oltp.OltpRun]) -> float:
    """Of all devices: idle and at work by their busy share; where only the power under load is known, that."""
    mean_w = path_runs.mean_of(runs, lambda run: run.average_w)
    if np.isfinite(mean_w):
        return mean_w
    return _of_all(point, active_w)


def _of_all(point: Point, each: Callable[[str], float], given: float = 0.0) -> float:
    """A number of all devices together, those of the log as well. given: that of a device of the data, if not 0."""
    log = point.log_storage
    return point.count * (given or each(point.device)) + (log.count * each(point.log_device) if log else 0.0)


def active_w(device: str) -> float:
    """Power of one device under load [W]; nan where it is not known."""
    entry = catalogue.devices().get(device)
    return entry.get("active_w", np.nan) if entry else np.nan


def _given_usd(inputs: Inputs, point: Point) -> float:
    """What a person says that a device of the data costs; 0: the catalogue says it."""
    return inputs.ssd_usd if _is_ssd(inputs, point) else inputs.disk_usd


def capacity_bytes(device: str) -> float:
    """Of one device; nan where it is not known."""
    entry = catalogue.devices().get(device)
    return entry.get("capacity_bytes", np.nan) if entry else np.nan


def _notes(inputs: Inputs, found: Found):
    yield from notes(inputs, found)
    log = () if inputs.log_device == TOGETHER else ((inputs.log_device, FROM_CATALOGUE),)
    for device, given in ((inputs.ssd, inputs.ssd_usd), (inputs.disk, inputs.disk_usd), *log):
        yield _price_in_words(device, given)
    if log:
        yield "Power, price, capacity and requests are with the log's own devices, the same for SSD and disks."
    yield (
        "Power: idle and at work by the busy share; of a device of which only the power under load is known, that "
        "power all the time. Striped in units of 64 KiB."
    )


def _price_in_words(device: str, given: float) -> str:
    """What a device costs and who says so."""
    entry = catalogue.devices().get(device)
    name, price = drives()[device], entry.newest_price if entry else None
    if given:
        return f"Price of {name}: {format_cell(given, 'USD')}, as it was set."
    if price is None:
        return f"Price of {name}: not known, so that what dollars buy is left blank for it."
    told = f"; {price.note}" if price.note else ""
    return f"Price of {name}: {hierarchy.said(price)} of {price.date} ({price.source}, {price.status}{told})."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """What the SSD does beside so many disks, row by row."""
    lines = []
    for row in result.rows(role="disks"):
        count = int(result["count"][row])
        many = f"{count} × {short_name(result.cell('device', row))}"
        lead, per_joule = float(result["lead"][row]), float(result["lead_per_j"][row])
        does = (
            f"the SSD does {format_si(lead, '1')} times as many" if isfinite(lead) else "on one side nothing was done"
        )
        power = (
            f"{format_si(per_joule, '1')} times as many for a joule"
            if isfinite(per_joule)
            else "not every power is known"
        )
        lines.append(
            f"{result.cell('mix', row)}: {many} {format_cell(result['tps'][row], '1')} transactions per second at "
            f"{result.cell('power_w', row)}; {does}, and {power}."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    replaced = {mix: found for mix in inputs.chosen_mixes if (found := replaced_by(result, mix)) is not None}
    if not replaced:
        return finding.found("Beside these disks too few transactions ran to compare.")
    called = inputs.mix_titles()
    ordered = sorted(replaced, key=lambda mix: replaced[mix].rank)
    least, most = replaced[ordered[0]], replaced[ordered[-1]]
    if least.words == most.words:
        return Finding("One SSD replaces ", most.words, f" ({', '.join(called[mix] for mix in replaced)}).")
    return Finding(
        "One SSD replaces ", most.words, f" ({called[ordered[-1]]}), and ", least.words, f" ({called[ordered[0]]})."
    )


class Replaced(NamedTuple):
    """How many disks do what one SSD does. words: in a sentence; rank: rises with that number."""

    words: Finding
    rank: float


def replaced_by(result: Result, mix: str) -> Replaced | None:
    """Between which of the numbers of disks that were tried one SSD lies; None where too few transactions ran.

    Where intervals (95 %) of SSD and disks meet, so many disks do about what it does.
    """
    known = np.isfinite(result["half_width"])
    ssd = [row for row in result.rows(role="ssd", mix=mix) if known[row]]
    rows = [row for row in result.rows(role="disks", mix=mix) if known[row]]
    if not ssd or not rows:
        return None
    tpm, half, fewer = result["tpm"], result["half_width"], 0
    for row in sorted(rows, key=lambda row: result["count"][row]):
        count, more = at(result, "count", row), tpm[ssd[0]] - tpm[row]
        if abs(more) <= half[ssd[0]] + half[row]:
            return Replaced(finding.found("about {disks}", disks=things(count, "disk")), count.number)
        if more < 0:
            above = f"more than {fewer} and " if fewer else ""
            below = "fewer than {disks}" if fewer or count.number > 1 else "less than {disks}"
            return Replaced(finding.found(above + below, disks=things(count, "disk")), (fewer + count.number) / 2)
        fewer = int(count.number)
    return Replaced(finding.found("more than {disks}", disks=things(count, "disk")), fewer + 1)


LEE = {"counts": (8,), "mixes": ("order-status", "new-order"), "seconds": 30.0}

STUDY = Study(
    name="ssd_or_disks",
    title="How many disks does one SSD replace?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="whole path",
    source="lee2009 slides 8 to 17",
    presets={
        "Lee 2009, eight disks": LEE,
        "2009, with prices: one SSD beside desktop disks": {
            "ssd": "intel-x25-m-g2-80gb",
            "disk": "wd800aajs",
            "mixes": ("order-status", "new-order"),
            "counts": (1, 4, 8),
        },
        "today: one NVMe SSD": {"ssd": "samsung-970-pro-1tb", "disk": "seagate-exos-x18-18tb", "counts": (1, 4, 16)},
    },
)
