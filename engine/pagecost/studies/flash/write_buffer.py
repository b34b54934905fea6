"""What does RAM in front of the flash save, and which page should leave it first?"""

from concurrent.futures import as_completed
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from pagecost.answers import remembered
from pagecost.devices import ftl
from pagecost.devices.ftl import LAYERS
from pagecost.devices.ftl.run import MOST_ROUNDS
from pagecost.intervals import mean_and_half_width
from pagecost.studies.fields import Choice, Choices, Steps
from pagecost.studies.finding import Finding, cells, compared, things
from pagecost.studies.flash import flash_fields
from pagecost.studies.flash.flash_fields import HOT_SHARE, HOT_WRITES, PAGES_PER_BLOCK, WORKLOAD
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import workers
from pagecost.units import grouped

SIZES = flash_fields.shares(0.5, 1, 2, 4, 8, 16, 32)
ROUNDS = 4  # that are measured when the device is steady, each as many writes as the host has pages
NONE = "none"
TERMS = {
    "flushed": "host pages that reach the flash",
    "padded": "padding",
    "copied": "collection copies",
    "merged": "merge copies",
}


class Inputs(StudyInputs):
    """A buffer in front of one device."""

    buffer_share: Annotated[
        float,
        Steps(flash_fields.shares(0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32), "1", lambda share: f"{share:.1%}"),
        Field(gt=0, le=0.5, title="Buffer size", description="Pages of RAM, as a share of the pages of the host."),
    ] = 0.04
    buffers: Annotated[
        tuple[str, ...],
        Choices(lambda: {name: policy.title for name, policy in ftl.WRITE_POLICIES.items()}, noun="policy"),
        Field(min_length=1, title="Buffer policies", description="What leaves the buffer when it is full."),
    ] = ("lru", "fab", "bplru")
    layer: Annotated[
        str,
        Choice(lambda: {name: layer.title for name, layer in ftl.LAYERS.items()}, noun="translation layer"),
        Field(title="Translation layer", description="What stands behind the buffer."),
    ] = "fast"
    workload: WORKLOAD = "hot-cold"
    hot_share: HOT_SHARE = 0.2
    hot_writes: HOT_WRITES = 0.8
    spare: Annotated[float, *flash_fields.spare(*flash_fields.shares(7, 10, 15, 20, 28, 40, 50))] = 0.15
    blocks: Annotated[int, *flash_fields.blocks(128, 256, le=2048)] = 128
    pages_per_block: PAGES_PER_BLOCK = 32
    seed: SEED = 1

    @model_validator(mode="after")
    def _room_for_all(self):
        flash_fields.enough_spare_blocks(self.blocks, self.spare, "the layer")
        return self


class Case(NamedTuple):
    """Everything that a point depends on."""

    policy: str  # of the buffer; NONE: there is no buffer
    share: float
    layer: str
    workload: ftl.Workload
    spare: float
    blocks: int
    pages_per_block: int
    seed: int


class Point(NamedTuple):
    """Per host write."""

    hit_ratio: float
    flushed: float
    padded: float
    copied: float
    merged: float
    half_width: float  # of the 95 % interval of their sum
    steady: bool


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per policy and buffer size, and one without a buffer; `chosen` marks the buffer size of the inputs.

    write_amplification: pages programmed per write of the host: flushed (1 - hit ratio) + padded + copied + merged.
    """
    cases = _rows(inputs)
    found: dict[Case, Point] = {}
    with workers() as pool:
        running = {pool.submit(_point, case): case for case, _ in sorted(cases, key=lambda row: not row[1])}
        for done, future in enumerate(as_completed(running), start=1):
            found[running[future]] = future.result()
            if all(case in found for case, chosen in cases if chosen):
                progress(done / len(running), partial(_result, inputs, found.copy()))
    return _result(inputs, found, _notes(inputs, found))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For the chosen size: what reaches the flash, and what the layer makes of it."""
    lines = []
    for row in result.rows(chosen=True):
        cell = {name: float(result[name][row]) for name in ("hit_ratio", "write_amplification", *TERMS)}
        terms = " + ".join(f"{cell[name]:.3f} {label}" for name, label in TERMS.items() if cell[name] > 0)
        lines.append(
            f"{result.cell('policy', row)}: of a host write {cell['hit_ratio']:.1%} hits the buffer, so "
            f"1 - {cell['hit_ratio']:.3f} = {1 - cell['hit_ratio']:.3f} must go to the flash; {terms} = "
            f"{cell['write_amplification']:.3f} ± {result['half_width'][row]:.3f} pages programmed per host write."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    names, without = cells(result, "policy"), title_of(NONE)

    def named(row: int) -> str:
        return without.lower() if (name := names(row)) == without else name  # it never begins the sentence

    return compared(
        result,
        result.rows(chosen=True),
        "write_amplification",
        named,
        several="In front of {layer}, with {share} of its pages, {least} saves most: {low} programmed per host "
        "write; {most} has {high}.",
        one="In front of {layer}, with {share} of its pages, {most} has {high} programmed per host write.",
        none="Nothing is known of the pages programmed.",
        show=lambda fact: things(fact, "page"),
        layer=LAYERS[inputs.layer].title,
        share=f"{inputs.buffer_share:.1%}",
    )


def title_of(policy: str) -> str:
    """The policy as a legend calls it."""
    return "No buffer" if policy == NONE else ftl.WRITE_POLICIES[policy].title


def _rows(inputs: Inputs) -> list[tuple[Case, bool]]:
    """(case, whether it is of the chosen size): without a buffer, at the chosen size, then each policy's curve."""
    load = ftl.Workload(kind=inputs.workload, hot_share=inputs.hot_share, hot_writes=inputs.hot_writes)
    device = (inputs.layer, load, inputs.spare, inputs.blocks, inputs.pages_per_block, inputs.seed)
    rows = [(Case(NONE, 0.0, *device), True)]
    rows += [(Case(policy, inputs.buffer_share, *device), True) for policy in inputs.buffers]
    return rows + [(Case(policy, share, *device), False) for policy in inputs.buffers for share in SIZES]


@remembered
def _point(case: Case) -> Point:
    geometry = ftl.Geometry(blocks=case.blocks, pages_per_block=case.pages_per_block, spare=case.spare)
    pages = 0 if case.policy == NONE else max(1, round(case.share * geometry.logical_pages))
    simulation = ftl.Simulation(
        geometry,
        case.workload,
        layer=case.layer,
        seed=case.seed,
        buffer_pages=pages,
        buffer_policy=case.policy if pages else "lru",
    )
    per_round: list[float] = []
    while len(per_round) < MOST_ROUNDS and not ftl.Steadiness.of(per_round).steady:
        per_round.append(simulation.write(geometry.logical_pages).counts.programmed_pages / geometry.logical_pages)
    before = _hits_and_padding(simulation.buffer)
    writes = ROUNDS * geometry.logical_pages
    rounds = [simulation.write(geometry.logical_pages).counts for _ in range(ROUNDS)]
    counts = sum(rounds, ftl.Counts())
    after = _hits_and_padding(simulation.buffer)
    hits, padded = (late - early for late, early in zip(after, before, strict=True))
    return Point(
        hits / writes,
        (counts.host_pages - padded) / writes,
        padded / writes,
        (counts.copied_pages + counts.translation_pages) / writes,
        counts.merged_pages / writes,
        mean_and_half_width([one.programmed_pages / geometry.logical_pages for one in rounds])[1],
        ftl.Steadiness.of(per_round).steady,
    )


def _hits_and_padding(buffer: ftl.WriteBuffer | None) -> tuple[int, int]:
    return (0, 0) if buffer is None else (buffer.hits, buffer.padded_pages)


def _result(inputs: Inputs, found: dict, notes=()) -> Result:
    rows = [(case, chosen) for case, chosen in _rows(inputs) if case in found]
    points = {name: np.array([getattr(found[case], name) for case, _ in rows]) for name in Point._fields}
    columns = {
        "policy": Column(
            np.array([case.policy for case, _ in rows]),
            "text",
            "buffer policy",
            {policy: title_of(policy) for policy in (NONE, *inputs.buffers)},
        ),
        "buffer_share": Column(np.array([case.share for case, _ in rows]), "1", "buffer over the host's pages"),
        "chosen": Column(np.array([chosen for _, chosen in rows]), "1", "the chosen buffer size"),
        "write_amplification": Column(
            np.sum([points[name] for name in TERMS], axis=0), "1", "pages programmed per write of the host"
        ),
        "half_width": Column(points["half_width"], "1", "± at 95 % confidence"),
        "hit_ratio": Column(points["hit_ratio"], "1", "writes that hit the buffer"),
        **{name: Column(points[name], "1", f"{label}, per host write") for name, label in TERMS.items()},
        "steady": Column(points["steady"], "1", "steady by the SNIA criterion"),
    }
    return Result.of(columns, notes)


def _notes(inputs: Inputs, found: dict[Case, Point]):
    yield (
        f"{grouped(inputs.blocks)} blocks of {inputs.pages_per_block} pages; filled once in order past the buffer, "
        "then written, in rounds of as many writes as the host has pages, until steady (SNIA); then "
        f"{ROUNDS} rounds are measured."
    )
    for case, point in found.items():
        if not point.steady:
            yield f"{title_of(case.policy)}, {case.share:.1%} of buffer: not steady after {MOST_ROUNDS} rounds."
    yield "The buffer keeps writes only, and what is in it would be lost without power: a real device needs capacitors."


STUDY = Study(
    name="write_buffer",
    title="What does a write buffer save? Programs per host write against RAM in front of the flash",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="fernando2011 §2.1.2; Jo et al. 2006; Kim and Ahn 2008",
    presets={
        "uniform random writes: only (1 - hit ratio) is saved": {"workload": "uniform", "layer": "page"},
        "log blocks of their own (BAST)": {"layer": "bast"},
        "a page map": {"layer": "page"},
        "sequential overwrite": {"workload": "sequential"},
    },
)
