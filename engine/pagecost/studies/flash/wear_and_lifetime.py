"""How evenly do blocks wear, and how many years does a device last under a workload?"""

from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.answers import flash_wear
from pagecost.answers.flash_wear import LEVELLED, Span, Wear
from pagecost.devices import ftl, ssd
from pagecost.devices.ftl import lifetime
from pagecost.studies.fields import Choice, From, OfSystem, Steps, how_many
from pagecost.studies.finding import Finding, compared
from pagecost.studies.flash import flash_fields
from pagecost.studies.flash.flash_fields import HOT_SHARE, HOT_WRITES, PAGES_PER_BLOCK, WORKLOAD
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side
from pagecost.units import format_bytes, format_si, grouped

BINS = 20
OFF, ON = "not levelled", "levelled"
CYCLES, RATED = "cycles", "rated"
ENDS = {CYCLES: "the first block is worn out", RATED: "the stated endurance is used up"}
"""What ends a life, and how people say it."""
PAGE_BYTES = 4096
OWN = "own"


def _bytes_label(size: float) -> str:
    return format_si(size, "B") if size else "not stated"


class Inputs(StudyInputs):
    """A device, its cells and what is written to it every day."""

    device: Annotated[
        str,
        Choice(
            lambda: {OWN: "as given below", **ssd.catalogued()},
            noun="device",
            lacks=f"its chips are not known (flash_chip, channels, spare_share); take {OWN} and say what you know",
        ),
        OfSystem("devices.database.device"),
        Field(
            title="Device", description="An SSD of the catalogue: what is known of it goes before what stands below."
        ),
    ] = OWN
    workload: WORKLOAD = "hot-cold"
    hot_share: HOT_SHARE = 0.1
    hot_writes: HOT_WRITES = 0.95
    layer: Annotated[
        str,
        Choice(lambda: {name: layer.title for name, layer in ftl.LAYERS.items()}, noun="translation layer"),
        Field(title="Translation layer", description="Static wear levelling is built into the page map and DFTL."),
    ] = "page"
    wear_gap: Annotated[
        int,
        Steps((5, 10, 20, 50, 100, 200), "1", lambda gap: f"gap {gap}"),
        Field(
            ge=1,
            le=100_000,
            title="Static wear levelling",
            description="The least worn block is collected when it is so many erases behind the most worn one.",
        ),
    ] = 20
    filled: Annotated[
        float,
        Steps((0.3, 0.5, 0.7, 0.8, 0.9, 1.0), "1", lambda share: f"{share:.0%} full"),
        Field(
            ge=0.05,
            le=1,
            title="Fill level",
            description="Share of the host's pages that hold data. The rest is trimmed, and as good as spare space.",
        ),
    ] = 1.0
    spare: Annotated[float, *flash_fields.spare(*flash_fields.shares(7, 10, 15, 20, 28, 40, 50))] = 0.15
    capacity_bytes: Annotated[
        float,
        Steps((32e9, 64e9, 80e9, 160e9, 256e9, 512e9, 1e12, 2e12), "B", lambda size: format_si(size, "B")),
        Field(gt=0, le=1e15, title="Capacity", description="What the host sees, in decimal bytes."),
    ] = 64e9
    program_erase_cycles: Annotated[
        int,
        Steps((1_000, 3_000, 5_000, 10_000, 30_000, 100_000), "1", how_many("erases")),
        From("wang2011 Table 5"),
        Field(ge=100, le=10**7, title="P/E cycles", description="Erases that a block of the flash stands."),
    ] = 100_000
    daily_bytes: Annotated[
        float,
        Steps((1e9, 5e9, 20e9, 50e9, 100e9, 500e9, 1e12, 5e12), "B", lambda size: f"{format_si(size, 'B')} a day"),
        From("wang2011 Table 5"),
        Field(gt=0, le=1e16, title="Written a day", description="By the host, in decimal bytes."),
    ] = 50e9
    unit_bytes: Annotated[
        int,
        Steps((4096, 8192, 16384, 32768, 65536), "B", format_bytes),
        Field(
            ge=PAGE_BYTES,
            le=1 << 20,
            title="Indirection unit",
            description="What one map entry stands for. A 4 KiB write makes the device write a whole unit.",
        ),
    ] = PAGE_BYTES
    rated_bytes: Annotated[
        float,
        Steps((0, 15e12, 200e12, 600e12, 2e15, 2.555e15), "B", _bytes_label),
        Field(ge=0, le=1e18, title="Stated endurance", description="Host bytes that the maker promises; 0: none."),
    ] = 0.0
    pages_per_block: PAGES_PER_BLOCK = 64
    seed: SEED = 1

    @property
    def drive(self) -> "Drive":
        """The device that is meant: what is known of it, and what the inputs say for the rest."""
        given = Drive(
            self.capacity_bytes,
            self.program_erase_cycles,
            self.spare,
            self.pages_per_block,
            self.layer,
            self.rated_bytes,
        )
        if self.device == OWN:
            return given
        device = catalogue.device(self.device)
        model = ssd.Ssd.of(device)
        chip = catalogue.device(device.text("flash_chip"))
        found = {
            "capacity_bytes": device.get("capacity_bytes"),
            "program_erase_cycles": device.get("program_erase_cycles", chip.get("program_erase_cycles")),
            "rated_bytes": _rated_bytes(device),
        }
        found |= {"spare": model.spare, "pages_per_block": model.geometry.pages_per_block, "layer": model.layer}
        return given._replace(**{name: value for name, value in found.items() if value is not None})


class Drive(NamedTuple):
    """What a life depends on besides the load. rated_bytes: 0 where no endurance is stated."""

    capacity_bytes: float
    program_erase_cycles: float
    spare: float
    pages_per_block: int
    layer: str
    rated_bytes: float

    @property
    def over_provisioning(self) -> float:
        """Physical / logical - 1."""
        return self.spare / (1 - self.spare)

    @property
    def cells_bytes(self) -> float:
        """What the cells stand without spare space and any loss [B]."""
        return self.capacity_bytes * self.program_erase_cycles


def _rated_bytes(device: catalogue.Device) -> float | None:
    """Host bytes that the maker promises: a life and what is written in it every day."""
    lasts_s, daily = device.get("endurance_s"), device.get("endurance_daily_bytes")
    return None if lasts_s is None or daily is None else lasts_s / lifetime.DAY_S * daily


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row with and one without levelling; table "erases" counts the blocks by their erases over the mean.

    total_bytes: host bytes until the first of two ends, which `ends_by` names: the most worn block has stood its
    cycles (worn_out_bytes), or the stated endurance is used up. …_low and …_high: what scales and seeds of the
    simulation span. evenness: mean over largest erase count when the first block is worn out.
    """
    found: dict[str, Wear] = {}
    for name, wear in side_by_side(lambda name: _wear(inputs, name), [OFF, ON]):
        found[name] = wear
        progress(len(found) / 2, partial(_result, inputs, found.copy()))
    return _result(inputs, found, _notes(inputs, found))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The bytes that can be written, term by term, and the years they last."""
    lines = []
    drive = inputs.drive
    daily = f"{format_si(inputs.daily_bytes, 'B')} a day"
    for row in range(len(result)):
        programmed, erased, evenness, total = (
            float(result[name][row])
            for name in ("write_amplification", "wear_amplification", "evenness", "worn_out_bytes")
        )
        worn = f"write amplification {programmed:.3f}"
        if erased > programmed:
            worn = f"{erased:.3f} pages erased per host page ({worn}: blocks are erased before they are full)"
        lines.append(
            f"{result['levelling'][row].capitalize()}: {format_si(drive.capacity_bytes, 'B')} × "
            f"{grouped(drive.program_erase_cycles)} cycles × (1 + {drive.over_provisioning:.3f} over-provisioning) / "
            f"{worn} × evenness {evenness:.3f} = {format_si(total, 'B')}; at {daily} "
            f"{lifetime.years(total, inputs.daily_bytes / lifetime.DAY_S):.1f} years, "
            f"{lifetime.drive_writes_per_day(total, drive.capacity_bytes, 5):.2f} drive writes a day over five years."
        )
    cells = drive.cells_bytes
    ideal_years = lifetime.years(cells, inputs.daily_bytes / lifetime.DAY_S)
    lines.append(
        f"Cells alone, without spare space and any loss: {format_si(cells, 'B')}, {ideal_years:.1f} years at {daily}."
    )
    if drive.rated_bytes:
        factor = lifetime.implied_write_amplification(cells, drive.rated_bytes)
        years = lifetime.years(drive.rated_bytes, inputs.daily_bytes / lifetime.DAY_S)
        lines.append(
            f"The maker states {format_si(drive.rated_bytes, 'B')}, {years:.1f} years: that leaves a factor "
            f"{factor:.2f} for write amplification and all other losses."
        )
    return lines


TITLES = {OFF: "wear not levelled", ON: "wear levelled"}
"""Whether wear is levelled, as legends and sentences say it."""


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        range(len(result)),
        "lifetime_s",
        lambda row: f"{TITLES[result['levelling'][row]]}",
        several="{layer}, {most}: {high} until {ends}; {least}: {low}.",
        one=f"{{layer}}, {'wear levelled or not' if len(result) > 1 else '{most}'}: {{high}} until {{ends}}.",
        none="How long it lasts is not known.",
        layer=result.facts["layer"].cell,
        ends=result.cell("ends_by", len(result) - 1),
    )


def _wear(inputs: Inputs, levelling: str) -> Wear:
    drive = inputs.drive
    load = ftl.Workload(
        kind=inputs.workload, hot_share=inputs.hot_share, hot_writes=inputs.hot_writes, trimmed=1 - inputs.filled
    )
    gap = inputs.wear_gap if levelling == ON and drive.layer in LEVELLED else 0
    return flash_wear.wear(load, drive.layer, gap, drive.spare, drive.pages_per_block, PAGE_BYTES, inputs.seed)


def _life(inputs: Inputs, wear: Wear) -> dict:
    """A row of the main table."""
    drive = inputs.drive
    times = inputs.unit_bytes / PAGE_BYTES
    amplification, erased = wear.write_amplification, wear.wear_amplification
    evenness = wear.evenness(drive.program_erase_cycles)

    def worn_out_bytes(of_erases: float, of_wear: float) -> float:
        return lifetime.total_bytes_written(
            drive.capacity_bytes, drive.program_erase_cycles, of_erases * times, drive.over_provisioning, of_wear
        )

    worn_out = Span(
        value=worn_out_bytes(erased.value, evenness.value),
        low=worn_out_bytes(erased.high, evenness.low),
        high=worn_out_bytes(erased.low, evenness.high),
    )
    most = drive.rated_bytes or np.inf
    total = {name: min(getattr(worn_out, name), most) for name in ("value", "low", "high")}
    life_s = {
        name: lifetime.YEAR_S * lifetime.years(of, inputs.daily_bytes / lifetime.DAY_S) for name, of in total.items()
    }
    erases = wear.finest.erases
    return {
        "write_amplification": times * amplification.value,
        "write_amplification_low": times * amplification.low,
        "write_amplification_high": times * amplification.high,
        "wear_amplification": times * erased.value,
        "evenness": evenness.value,
        "evenness_low": evenness.low,
        "evenness_high": evenness.high,
        "worn_out_bytes": worn_out.value,
        "total_bytes": total["value"],
        "lifetime_s": life_s["value"],
        "lifetime_low_s": life_s["low"],
        "lifetime_high_s": life_s["high"],
        "drive_writes_per_day": lifetime.drive_writes_per_day(total["value"], drive.capacity_bytes, 5),
        "erase_variation": erases.std() / erases.mean(),
        "erase_spread": wear.finest.spread,
        "wear_moves": wear.finest.moves,
        "ends_by": RATED if worn_out.value > most else CYCLES,
    }


def _result(inputs: Inputs, found: dict[str, Wear], notes=()) -> Result:
    rows = [_life(inputs, wear) for wear in found.values()]
    columns = {"levelling": Column(np.array(list(found)), "text", "static wear levelling")}
    for name, (unit, label) in NUMBERS.items():
        columns[name] = Column(np.array([row[name] for row in rows], float), unit, label)
    columns["ends_by"] = Column(np.array([row["ends_by"] for row in rows]), "text", "the life ends when", ENDS)
    relative = {name: wear.finest.erases / wear.finest.erases.mean() for name, wear in found.items()}
    edges = np.linspace(0, max(2.0, 1.001 * max(float(one.max()) for one in relative.values())), BINS + 1)
    bars = {
        "levelling": Column(np.repeat(list(found), BINS), "text", "static wear levelling"),
        "from_relative": Column(np.tile(edges[:-1], len(found)), "1", "erases of a block over the mean of all"),
        "to_relative": Column(np.tile(edges[1:], len(found)), "1", "up to"),
        "blocks": Column(np.concatenate([np.histogram(one, edges)[0] for one in relative.values()]), "1", "blocks"),
    }
    return Result.of(columns, notes, facts=_facts(inputs), more={"erases": bars})


def _facts(inputs: Inputs) -> dict[str, Fact]:
    drive = inputs.drive
    facts = {
        "capacity_bytes": Fact(drive.capacity_bytes, "B", "capacity"),
        "program_erase_cycles": Fact(drive.program_erase_cycles, "1", "P/E cycles"),
        "spare": Fact(drive.spare, "1", "spare space, 1 - logical / physical"),
        "layer": Fact(ftl.LAYERS[drive.layer].title, "text", "translation layer"),
    }
    if drive.rated_bytes:
        lasts_s = lifetime.YEAR_S * lifetime.years(drive.rated_bytes, inputs.daily_bytes / lifetime.DAY_S)
        facts["rated_bytes"] = Fact(drive.rated_bytes, "B", "stated endurance")
        facts["rated_lifetime_s"] = Fact(lasts_s, "s", "until the stated endurance is used up")
    return facts


NUMBERS = {
    "write_amplification": ("1", "pages programmed per host page"),
    "write_amplification_low": ("1", "at least"),
    "write_amplification_high": ("1", "at most"),
    "wear_amplification": ("1", "pages erased per host page in the long run"),
    "evenness": ("1", "mean over largest wear at the end"),
    "evenness_low": ("1", "at least"),
    "evenness_high": ("1", "at most"),
    "worn_out_bytes": ("B", "host bytes until the first block is worn out"),
    "total_bytes": ("B", "host bytes until the end of life"),
    "lifetime_s": ("s", "lifetime"),
    "lifetime_low_s": ("s", "at least"),
    "lifetime_high_s": ("s", "at most"),
    "drive_writes_per_day": ("1", "capacities a day over five years"),
    "erase_variation": ("1", "standard deviation over mean of erases"),
    "erase_spread": ("1", "largest - smallest erase count"),
    "wear_moves": ("1", "blocks collected for levelling"),
}


def _notes(inputs: Inputs, found: dict[str, Wear]):
    drive = inputs.drive
    if inputs.device != OWN:
        yield (
            f"{catalogue.device(inputs.device).name}: {format_bytes(drive.capacity_bytes)}, {drive.spare:.1%} spare "
            f"space, {ftl.LAYERS[drive.layer].title}, {grouped(drive.program_erase_cycles)} cycles, stated endurance "
            f"{_bytes_label(drive.rated_bytes)}. What the catalogue does not know of it is taken from the inputs."
        )
    steps = "; ".join(
        f"{name}: "
        + ", ".join(f"{value:.3f} ({blocks})" for blocks, value in zip(one.blocks, one.by_blocks, strict=True))
        for name, one in found.items()
    )
    yield (
        f"Write amplification by the blocks of the simulated device, doubled until it changes by less than "
        f"{flash_wear.AGREED:.0%}: {steps}. The spans are those of the last two sizes and {flash_wear.SEEDS} seeds."
    )
    for name, wear in found.items():
        if not wear.converged:
            yield f"Not converged ({name}): a larger device would have another write amplification."
    yield (
        f"Wear is watched until a block was erased {found[OFF].finest.mean_erases[-1]:.0f} times on average; by how "
        "much the most worn block is ahead is taken to go on growing by the power law that it follows, to the end."
    )
    if drive.layer not in LEVELLED:
        yield f"{ftl.LAYERS[drive.layer].title}: no static wear levelling is built in, so both rows are the same."
    else:
        yield (
            f"With levelling erase counts end {found[ON].finest.spread} apart, not {inputs.wear_gap}: the least worn "
            f"block is looked for once in {ftl.WEAR_CHECK_ERASES} erases, and meanwhile the others go on wearing."
        )
    yield "The device is worn out when its first block is. Real devices retire blocks and go on for a while."
    if drive.rated_bytes:
        yield (
            "A stated endurance is a promise, not an end; it is taken for one here: the life ends with it or with the "
            "cycles, whichever comes first."
        )
    if inputs.unit_bytes > PAGE_BYTES:
        yield (
            f"Each 4 KiB write makes the device write {format_bytes(inputs.unit_bytes)}: write amplification is that "
            f"of the units times {inputs.unit_bytes // PAGE_BYTES}."
        )


STUDY = Study(
    name="wear_and_lifetime",
    title="How evenly do blocks wear, and how long does the device last?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="wang2011 Table 5, §4; fernando2011 §2.1.2",
    presets={
        "Mtron PRO 7500: more than 140 years, 50 GB a day in order": {
            "workload": "sequential",
            "capacity_bytes": 32e9,
            "daily_bytes": 50e9,
            "rated_bytes": 2.555e15,
        },
        "Intel X25-E: 2 PB of random writes": {"workload": "uniform", "spare": 0.15, "rated_bytes": 2e15},
        "an NVMe drive, half full": {"device": "intel-dc-p3700-800gb", "workload": "uniform", "filled": 0.5},
        "4 KiB writes onto an indirection unit of 64 KiB": {"workload": "uniform", "unit_bytes": 65536},
        "written in order, as a log-structured file system does": {"workload": "sequential"},
    },
)
