"""How evenly do blocks wear, and how many years does a device last under a workload?"""

import functools
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, field_validator, model_validator

from pagecost.devices import ftl
from pagecost.devices.ftl import lifetime
from pagecost.errors import known
from pagecost.studies.fields import Choice, From, Steps
from pagecost.studies.flash import flash_fields
from pagecost.studies.flash.flash_fields import HOT_SHARE, HOT_WRITES, PAGES_PER_BLOCK, WORKLOAD
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side
from pagecost.units import format_bytes, format_si

ROUNDS = 40  # each writes the device once; wear is counted in the second half
BINS = 20
OFF, ON = "not levelled", "levelled"
PAGE_BYTES = 4096


def _bytes_label(size: float) -> str:
    return format_si(size, "B") if size else "not stated"


class Inputs(StudyInputs):
    """A device, its cells and what is written to it every day."""

    workload: WORKLOAD = "hot-cold"
    hot_share: HOT_SHARE = 0.1
    hot_writes: HOT_WRITES = 0.95
    layer: Annotated[
        str,
        Choice(lambda: {name: layer.title for name, layer in ftl.LAYERS.items()}),
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
    spare: flash_fields.spare(*flash_fields.shares(7, 10, 15, 20, 28, 40, 50)) = 0.15
    capacity_bytes: Annotated[
        float,
        Steps((32e9, 64e9, 80e9, 160e9, 256e9, 512e9, 1e12, 2e12), "B", lambda size: format_si(size, "B")),
        Field(gt=0, le=1e15, title="Capacity", description="What the host sees, in decimal bytes."),
    ] = 64e9
    program_erase_cycles: Annotated[
        int,
        Steps((1_000, 3_000, 5_000, 10_000, 30_000, 100_000), "1", lambda count: f"{count} erases"),
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
    blocks: flash_fields.blocks(128, 256, 512, le=2048) = 128
    pages_per_block: PAGES_PER_BLOCK = 32
    seed: SEED = 1

    @field_validator("layer")
    @classmethod
    def _known_layer(cls, name):
        return known("translation layer", name, ftl.LAYERS)

    @model_validator(mode="after")
    def _room_for_all(self):
        flash_fields.enough_spare_blocks(self.blocks, self.spare, "the layer")
        return self


class Wear(NamedTuple):
    """What a run did to the blocks. erases: in the second half; spread: largest - smallest erase count at the end."""

    write_amplification: float
    erases: np.ndarray
    spread: int
    moves: int


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """Rows of part "lifetime", one with and one without levelling; rows of part "erases" count blocks by erases.

    evenness: mean over largest wear at the end of life. Without levelling, that of the second half of the run, which
    goes on; with levelling (cycles - spread) / cycles, for the spread stays as it is. relative_erases: over the mean.
    """
    found = {}
    for name, wear in side_by_side(lambda name: _wear(_case(inputs, name)), [OFF, ON]):
        found[name] = wear
        progress(len(found) / 2, _result(inputs, found))
    return _result(inputs, found, _notes(inputs, found))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The bytes that can be written, term by term, and the years they last."""
    lines = []
    cells = inputs.capacity_bytes * inputs.program_erase_cycles
    over = inputs.spare / (1 - inputs.spare)
    for row in result.rows(part="lifetime"):
        cell = {
            name: float(result[name][row])
            for name in ("write_amplification", "evenness", "total_bytes", "lifetime_s", "drive_writes_per_day")
        }
        years = cell["lifetime_s"] / lifetime.YEAR_S
        lines.append(
            f"{result['levelling'][row].capitalize()}: {format_si(inputs.capacity_bytes, 'B')} × "
            f"{inputs.program_erase_cycles} cycles × (1 + {over:.3f} over-provisioning) / write amplification "
            f"{cell['write_amplification']:.3f} × evenness {cell['evenness']:.3f} = "
            f"{format_si(cell['total_bytes'], 'B')}; at {format_si(inputs.daily_bytes, 'B')} a day {years:.1f} years, "
            f"{cell['drive_writes_per_day']:.2f} drive writes a day over five years."
        )
    ideal_years = lifetime.years(cells, inputs.daily_bytes / lifetime.DAY_S)
    lines.append(
        f"Cells alone, without spare space and any loss: {format_si(cells, 'B')}, {ideal_years:.1f} years at "
        f"{format_si(inputs.daily_bytes, 'B')} a day."
    )
    if inputs.rated_bytes:
        factor = lifetime.implied_write_amplification(cells, inputs.rated_bytes)
        years = lifetime.years(inputs.rated_bytes, inputs.daily_bytes / lifetime.DAY_S)
        lines.append(
            f"The maker states {format_si(inputs.rated_bytes, 'B')}, {years:.1f} years: that leaves a factor "
            f"{factor:.2f} for write amplification and all other losses."
        )
    return lines


class Case(NamedTuple):
    """Everything that a run depends on."""

    layer: str
    workload: ftl.Workload
    wear_gap: int
    spare: float
    blocks: int
    pages_per_block: int
    seed: int


def _case(inputs: Inputs, levelling: str) -> Case:
    load = ftl.Workload(kind=inputs.workload, hot_share=inputs.hot_share, hot_writes=inputs.hot_writes)
    gap = inputs.wear_gap if levelling == ON and inputs.layer in LEVELLED else 0
    return Case(inputs.layer, load, gap, inputs.spare, inputs.blocks, inputs.pages_per_block, inputs.seed)


LEVELLED = ("page", "dftl")  # the layers that know static wear levelling


@functools.lru_cache(maxsize=256)
def _wear(case: Case) -> Wear:
    geometry = ftl.Geometry(blocks=case.blocks, pages_per_block=case.pages_per_block, spare=case.spare)
    separate = {"separate": True} if case.layer == "page" else {}  # cold pages gather, as in a device of some age
    simulation = ftl.Simulation(
        geometry, case.workload, layer=case.layer, seed=case.seed, wear_gap=case.wear_gap, **separate
    )
    half = ROUNDS // 2 * geometry.logical_pages
    before = simulation.write(half).erase_counts.astype(np.int64)
    made = simulation.write(half)
    return Wear(
        made.write_amplification,
        made.erase_counts - before,
        int(np.ptp(made.erase_counts)),
        simulation.device.counts().wear_moves,
    )


def _result(inputs: Inputs, found: dict[str, Wear], notes=()) -> Result:
    cycles = inputs.program_erase_cycles
    rows = []
    for name, wear in found.items():
        amplification = wear.write_amplification * inputs.unit_bytes / PAGE_BYTES
        mean = wear.erases.mean()
        levelled = _case(inputs, name).wear_gap > 0
        evenness = max(1 / cycles, (cycles - wear.spread) / cycles) if levelled else mean / wear.erases.max()
        total = lifetime.total_bytes_written(
            inputs.capacity_bytes, cycles, amplification, inputs.spare / (1 - inputs.spare), evenness
        )
        years = lifetime.years(total, inputs.daily_bytes / lifetime.DAY_S)
        rows.append(
            {
                "part": "lifetime",
                "levelling": name,
                "write_amplification": amplification,
                "evenness": evenness,
                "erase_spread": wear.spread,
                "erase_variation": wear.erases.std() / mean,
                "total_bytes": total,
                "lifetime_s": years * lifetime.YEAR_S,
                "drive_writes_per_day": lifetime.drive_writes_per_day(total, inputs.capacity_bytes, 5),
                "wear_moves": wear.moves,
            }
        )
    widest = max(wear.erases.max() / wear.erases.mean() for wear in found.values())
    edges = np.linspace(0, max(2.0, float(widest) * 1.001), BINS + 1)
    for name, wear in found.items():
        blocks, _ = np.histogram(wear.erases / wear.erases.mean(), edges)
        rows += [
            {"part": "erases", "levelling": name, "from_relative": low, "to_relative": high, "blocks": count}
            for low, high, count in zip(edges[:-1], edges[1:], blocks, strict=True)
        ]
    columns = {
        name: Column(np.array([row[name] for row in rows]), "text", label)
        for name, label in (("part", "part of the answer"), ("levelling", "static wear levelling"))
    }
    for name, (unit, label) in NUMBERS.items():
        columns[name] = Column(np.array([row.get(name, np.nan) for row in rows], float), unit, label)
    return Result.of(columns, notes)


NUMBERS = {
    "write_amplification": ("1", "pages programmed per host page"),
    "evenness": ("1", "mean over largest wear at the end"),
    "erase_spread": ("1", "largest - smallest erase count"),
    "erase_variation": ("1", "standard deviation over mean of erases"),
    "total_bytes": ("B", "host bytes until the first block is worn out"),
    "lifetime_s": ("s", "lifetime"),
    "drive_writes_per_day": ("1", "capacities a day over five years"),
    "wear_moves": ("1", "blocks collected for levelling"),
    "from_relative": ("1", "erases over the mean, from"),
    "to_relative": ("1", "to"),
    "blocks": ("1", "blocks"),
}


def _notes(inputs: Inputs, found: dict[str, Wear]):
    yield (
        f"Wear is simulated on {inputs.blocks} blocks of {inputs.pages_per_block} pages over {ROUNDS} passes, and what "
        f"the second half shows is taken to go on to the end of life. {found[OFF].erases.mean():.0f} erases a block "
        "were counted on average."
    )
    if inputs.layer not in LEVELLED:
        yield f"{ftl.LAYERS[inputs.layer].title}: no static wear levelling is built in, so both rows are the same."
    else:
        yield (
            f"With levelling erase counts end {found[ON].spread} apart, not {inputs.wear_gap}: the least worn block is "
            f"looked for once in {ftl.WEAR_CHECK_ERASES} erases, and meanwhile the others go on wearing."
        )
    yield "The device is worn out when its first block is. Real devices retire blocks and go on for a while."
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
    source="wang2011 Table 5, §4; fernando2011 §2.1.2",
    presets={
        "Mtron PRO 7500: more than 140 years, 50 GB a day in order": {
            "workload": "sequential",
            "capacity_bytes": 32e9,
            "daily_bytes": 50e9,
            "rated_bytes": 2.555e15,
        },
        "Intel X25-E: 2 PB of random writes": {"workload": "uniform", "spare": 0.15, "rated_bytes": 2e15},
        "4 KiB writes onto an indirection unit of 64 KiB": {"workload": "uniform", "unit_bytes": 65536},
        "written in order, as a log-structured file system does": {"workload": "sequential"},
    },
)
