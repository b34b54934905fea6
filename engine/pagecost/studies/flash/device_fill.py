"""What happens inside a new flash device while it fills, and when is it in its steady state?"""

from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from pagecost.devices import ftl
from pagecost.studies.fields import Choice, Steps
from pagecost.studies.finding import Finding, at, found, percent, things
from pagecost.studies.flash import flash_fields
from pagecost.studies.flash.flash_fields import HOT_SHARE, HOT_WRITES, PAGES_PER_BLOCK, WORKLOAD
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import grouped, so_many

PER_PASS = 10  # points of the curve while the host writes as many pages as it has
PERCENTILES = {"erases_min": 0, "erases_p10": 10, "erases_p50": 50, "erases_p90": 90, "erases_max": 100}
BINS = 24


class Inputs(StudyInputs):
    """A page-mapped device as it comes from the shop, and what is written to it."""

    spare: Annotated[float, *flash_fields.spare(*flash_fields.shares(5, 7, 10, 15, 20, 28, 40, 50), ge=0.03)] = 0.07
    policy: Annotated[
        str,
        Choice(lambda: {name: policy.title for name, policy in ftl.VICTIMS.items()}, noun="victim policy"),
        Field(title="Victim policy", description="Which block is collected when free ones run out."),
    ] = "greedy"
    workload: WORKLOAD = "uniform"
    hot_share: HOT_SHARE = 0.2
    hot_writes: HOT_WRITES = 0.8
    passes: Annotated[
        int,
        Steps((2, 4, 6, 8, 10, 15, 20, 25), "1", lambda count: so_many(count, "time its pages", "times its pages")),
        Field(ge=1, le=100, title="Written", description="Host writes, in multiples of the pages that the host sees."),
    ] = 15
    wear_gap: Annotated[
        int,
        Steps((0, 2, 5, 10, 20, 50), "1", lambda gap: f"gap {gap}" if gap else "off"),
        Field(
            ge=0,
            le=100_000,
            title="Static wear levelling",
            description="The least worn block is collected when it is so many erases behind the most worn one.",
        ),
    ] = 0
    blocks: Annotated[int, *flash_fields.blocks(256, 1024, 4096, 16384, 65536, le=1 << 17)] = 1024
    pages_per_block: PAGES_PER_BLOCK = 64
    seed: SEED = 1

    @model_validator(mode="after")
    def _room_for_the_reserve(self):
        flash_fields.enough_spare_blocks(self.blocks, self.spare, "the collector")
        return self


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per tenth of a pass as the device fills; table "erases" counts its blocks by their erases.

    A pass: as many writes as the host has pages. The result grows with every row. steady: from here on the criterion
    of SNIA holds over the last five passes.
    """
    geometry = ftl.Geometry(blocks=inputs.blocks, pages_per_block=inputs.pages_per_block, spare=inputs.spare)
    load = ftl.Workload(kind=inputs.workload, hot_share=inputs.hot_share, hot_writes=inputs.hot_writes)
    simulation = ftl.Simulation(
        geometry, load, seed=inputs.seed, fill=False, policy=inputs.policy, wear_gap=inputs.wear_gap
    )
    pages, total = geometry.logical_pages, PER_PASS * inputs.passes
    rounds: list[dict] = []
    passes: list[float] = []  # write amplification of each
    of_pass = ftl.Counts()
    for number in range(total):
        made = simulation.write(pages * (number + 1) // PER_PASS - pages * number // PER_PASS)
        simulation.rounds.clear()  # each keeps the erase counts of all blocks: a long run would fill the memory
        of_pass += made.counts
        if (number + 1) % PER_PASS == 0:
            passes.append(of_pass.write_amplification)
            of_pass = ftl.Counts()
        rounds.append(
            {
                "written": (number + 1) / PER_PASS,
                "write_amplification": made.write_amplification,
                "free_share": made.free_blocks / geometry.blocks,
                "steady": ftl.Steadiness.of(passes).steady,
                **dict(zip(PERCENTILES, np.percentile(made.erase_counts, list(PERCENTILES.values())), strict=True)),
                "erases_mean": float(made.erase_counts.mean()),
            }
        )
        progress((number + 1) / total, partial(_result, rounds.copy(), made.erase_counts))
    return _result(rounds, made.erase_counts, _notes(inputs, geometry, passes))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """When the free blocks ran out, what the last writes cost, and whether that stays so."""
    written, amplification = result["written"], result["write_amplification"]
    logical = round(inputs.blocks * inputs.pages_per_block * (1 - inputs.spare))
    rising = np.flatnonzero(amplification > 1)
    lines = [
        f"Free blocks last until physical / logical = 1 / (1 - {inputs.spare:g}) = {1 / (1 - inputs.spare):.3f} times "
        f"the host's {grouped(logical)} pages are written; until then every host page costs one program."
    ]
    if rising.size:
        lines.append(
            f"Copies first show in the tenth of a pass that ends at {written[rising[0]]:.1f} times its pages; at most "
            f"{amplification.max():.3f} pages are programmed per host page (at {written[amplification.argmax()]:.1f})."
        )
    lines.append(
        f"In the last tenth, at {written[-1]:.1f} times its pages, {amplification[-1]:.3f} pages are programmed per "
        f"host page, {amplification[-1] - 1:.3f} of them copies."
    )
    mean, most = result["erases_mean"][-1], result["erases_max"][-1]
    lines.append(
        f"A block was erased {mean:.1f} times on average and {most:.0f} times at most: the most worn one takes "
        + (f"{most / mean:.2f} times its share." if mean else "what there is.")
    )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    last, steady = len(result) - 1, steady_from(result)
    said = f"steady by the SNIA criterion from {steady:.0f} times its pages on" if steady else "not steady yet"
    return found(
        f"After writing {{written}} times its pages the device programs {{pages}} per host page, with "
        f"{{free}} of its blocks free; {said}.",
        written=at(result, "written", last),
        pages=things(at(result, "write_amplification", last), "page"),
        free=percent(at(result, "free_share", last)),
    )


def steady_from(result: Result) -> float | None:
    """Writes, in multiples of the host's pages, from which on the criterion held to the end; None if it does not."""
    not_yet = np.flatnonzero(result["steady"] == 0)
    first = not_yet[-1] + 1 if not_yet.size else 0
    return float(result["written"][first]) if first < len(result) else None


def _result(rounds: list[dict], erases: np.ndarray, notes=()) -> Result:
    low, high = int(erases.min()), int(erases.max())
    width = max(1, -(-(high - low + 1) // BINS))
    edges = np.arange(low, high + width + 1, width)
    blocks, _ = np.histogram(erases, edges)

    def column(name: str, label: str) -> Column:
        return Column(np.array([one[name] for one in rounds], float), "1", label)

    columns = {
        "written": column("written", "written, times the host's pages"),
        "write_amplification": column("write_amplification", "pages programmed per host page"),
        "free_share": column("free_share", "free blocks over all"),
        "steady": Column(np.array([one["steady"] for one in rounds]), "1", "steady by the SNIA criterion"),
        **{name: column(name, f"erases of a block, {name[7:]}") for name in (*PERCENTILES, "erases_mean")},
    }
    bars = {
        "from_erases": Column(edges[:-1], "1", "erases of a block, at least"),
        "to_erases": Column(edges[1:], "1", "and less than"),
        "blocks": Column(blocks, "1", "blocks"),
    }
    return Result.of(columns, notes, more={"erases": bars})


def _notes(inputs: Inputs, geometry: ftl.Geometry, passes: list[float]):
    yield (
        f"{grouped(geometry.blocks)} blocks of {geometry.pages_per_block} pages, {grouped(geometry.logical_pages)} for "
        "the host, all erased at the start. A pass is as many writes as the host has pages; ten points are drawn in "
        "each."
    )
    steadiness = ftl.Steadiness.of(passes)
    yield f"{steadiness.sentence()} A round of the criterion is a pass."
    yield (
        "Random writes reach a page for the first time with every write in the beginning, later seldom: after one "
        "pass about a third of the pages (1 / e) was never written, so the device is not full yet."
        if inputs.workload == "uniform"
        else "What is written seldom comes late: the device is full only after its coldest page was written."
    )


STUDY = Study(
    name="device_fill",
    title="What happens while a new device fills? Write amplification, free blocks and erases as they develop",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="SNIA PTS; fernando2011 Fig. 2.3",
    presets={
        "a large device: 4 million pages": {"blocks": 65536, "passes": 6},
        "80 % of the writes to 20 % of the pages": {"workload": "hot-cold", "passes": 15},
        "the same, wear levelled": {"workload": "hot-cold", "passes": 15, "wear_gap": 5},
        "too short to be steady": {"passes": 4},
        "sequential overwrite": {"workload": "sequential"},
    },
)
