"""One overwritten page in five translation layers: what does the flash have to do for it?"""

from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from pagecost.answers import remembered
from pagecost.devices import ftl
from pagecost.studies.fields import Choices, Steps
from pagecost.studies.finding import Finding, cells, compared, things
from pagecost.studies.flash import flash_fields
from pagecost.studies.flash.flash_fields import PAGES_PER_BLOCK, WORKLOAD
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side
from pagecost.units import format_bytes, format_si, grouped

ROUNDS = 6
TERMS = {
    "host": "the page itself",
    "copied": "collection copies",
    "merged": "merge copies",
    "translation": "map pages",
}


class Inputs(StudyInputs):
    """The same device and stream for every layer."""

    layers: Annotated[
        tuple[str, ...],
        Choices(lambda: {name: layer.title for name, layer in ftl.LAYERS.items()}, noun="translation layer"),
        Field(min_length=1, title="Translation layers", description="How the device finds a page again."),
    ] = ("page", "block", "bast", "fast", "dftl")
    workload: WORKLOAD = "uniform"
    spare: Annotated[float, *flash_fields.spare(*flash_fields.shares(7, 10, 15, 20, 28, 40, 50))] = 0.15
    cached_share: Annotated[
        float,
        Steps((0.01, 0.03, 0.1, 0.3, 1.0), "1", lambda share: f"{share:.0%} of the map"),
        Field(gt=0, le=1, title="Cached map of DFTL", description="Share of the map entries that lie in RAM."),
    ] = 0.1
    blocks: Annotated[int, *flash_fields.blocks(128, 256, 512, le=4096)] = 128
    pages_per_block: PAGES_PER_BLOCK = 64
    seed: SEED = 1

    @model_validator(mode="after")
    def _room_for_all(self):
        flash_fields.enough_spare_blocks(self.blocks, self.spare, "each layer")
        return self


class Case(NamedTuple):
    """Everything that a row depends on."""

    layer: str
    workload: str
    spare: float
    cached_share: float
    blocks: int
    pages_per_block: int
    seed: int


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per layer: pages programmed per host page by cause, erases, merges by kind, and RAM for the map."""
    cases = [
        Case(
            layer,
            inputs.workload,
            inputs.spare,
            inputs.cached_share if layer == "dftl" else 1.0,
            inputs.blocks,
            inputs.pages_per_block,
            inputs.seed,
        )
        for layer in inputs.layers
    ]
    runs = []
    for _, run in side_by_side(_run, cases):
        runs.append(run)
        progress(len(runs) / len(cases), partial(_result, inputs, runs.copy()))
    return _result(inputs, runs, _notes(inputs, runs))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each layer: the terms of its write amplification, its erases and merges, and its map."""
    lines = []
    for row in range(len(result)):
        terms = " + ".join(
            f"{_number(result[name][row])} {label}" for name, label in TERMS.items() if result[name][row] > 0
        )
        merges = ", ".join(
            f"{_number(result[f'{kind}_merges'][row])} {kind} merges"
            for kind in ("switch", "partial", "full")
            if result[f"{kind}_merges"][row] > 0
        )
        lines.append(
            f"{result.cell('layer', row)}: {terms} = {_number(result['write_amplification'][row])} pages "
            f"programmed per host page; per {grouped(1000)} host pages {_number(result['erases'][row])} erases"
            f"{f', {merges}' if merges else ''}; the map needs {format_bytes(result['map_bytes'][row])} of RAM."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        range(len(result)),
        "write_amplification",
        cells(result, "layer"),
        several="At {spare} spare space {least} programs fewest, {low} per host page; {most} programs {high}, "
        "{times} as many.",
        one="At {spare} spare space {most} programs {high} per host page.",
        none="Nothing is known of the pages programmed.",
        show=lambda fact: things(fact, "page"),
        spare=f"{inputs.spare:.0%}",
    )


def _number(value: float) -> str:
    return format_si(float(value), "1")


@remembered
def _run(case: Case) -> ftl.Run:
    geometry = ftl.Geometry(blocks=case.blocks, pages_per_block=case.pages_per_block, spare=case.spare)
    cached = max(1, round(case.cached_share * geometry.logical_pages)) if case.layer == "dftl" else None
    return ftl.simulate(
        geometry,
        ftl.Workload(kind=case.workload),
        layer=case.layer,
        rounds=ROUNDS,
        seed=case.seed,
        cached_entries=cached,
    )


def _result(inputs: Inputs, runs, notes=()) -> Result:
    def per_write(name: str, times: float = 1.0) -> np.ndarray:
        return np.array([times * getattr(run.counts, name) / run.counts.host_pages for run in runs])

    columns = {
        "layer": Column(
            np.array([run.layer for run in runs]),
            "text",
            "translation layer",
            {name: layer.title for name, layer in ftl.LAYERS.items()},
        ),
        "write_amplification": Column(
            np.array([run.write_amplification for run in runs]), "1", "pages programmed per host page"
        ),
        "host": Column(per_write("host_pages"), "1", TERMS["host"]),
        "copied": Column(per_write("copied_pages"), "1", TERMS["copied"]),
        "merged": Column(per_write("merged_pages"), "1", TERMS["merged"]),
        "translation": Column(per_write("translation_pages"), "1", TERMS["translation"]),
        "copy_reads": Column(per_write("copy_reads"), "1", "pages read for copies, per host page"),
        "translation_reads": Column(per_write("translation_reads"), "1", "pages of the map read, per host page"),
        "erases": Column(per_write("erases", 1000), "1", f"erases per {grouped(1000)} host pages"),
        "switch_merges": Column(per_write("switch_merges", 1000), "1", f"switch merges per {grouped(1000)} host pages"),
        "partial_merges": Column(
            per_write("partial_merges", 1000), "1", f"partial merges per {grouped(1000)} host pages"
        ),
        "full_merges": Column(per_write("full_merges", 1000), "1", f"full merges per {grouped(1000)} host pages"),
        "worst_request": Column(np.array([run.worst_request for run in runs]), "1", "worst host write, extra pages"),
        "map_bytes": Column(np.array([run.map_bytes for run in runs]), "B", "RAM for the map"),
        "steady": Column(np.array([run.steady for run in runs]), "1", "steady by the SNIA criterion"),
    }
    return Result.of(columns, notes)


def _notes(inputs: Inputs, runs):
    geometry = ftl.Geometry(blocks=inputs.blocks, pages_per_block=inputs.pages_per_block, spare=inputs.spare)
    yield (
        f"{grouped(geometry.blocks)} blocks of {geometry.pages_per_block} pages, {grouped(geometry.logical_pages)} of "
        f"{grouped(geometry.physical_pages)} pages for the host; filled once in order, then overwritten {ROUNDS} times "
        f"page by page; the last {ROUNDS // 3} passes are measured."
    )
    for run in runs:
        if not run.steady:
            yield f"{ftl.LAYERS[run.layer].title}: {run.steadiness.sentence()}"


STUDY = Study(
    name="translation_layers",
    title="One overwritten page in five translation layers: what does the flash do for it?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="wang2011 §5.2.1; schmidt2009 §3",
    presets={
        "sequential overwrite": {"workload": "sequential"},
        "80 % of the writes to 20 % of the pages": {"workload": "hot-cold"},
        "the whole map of DFTL in RAM": {"layers": ("page", "dftl"), "cached_share": 1.0},
    },
)
