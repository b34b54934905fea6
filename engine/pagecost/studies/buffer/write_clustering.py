"""What do a policy's write-backs do to the flash below: trace, buffer and translation layer as one chain?"""

from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost.answers.replays import Loaded, written_by
from pagecost.buffer import Replay, mean_block_run
from pagecost.buffer.policies import title_of
from pagecost.devices import ftl
from pagecost.devices.ftl import LAYERS
from pagecost.errors import require
from pagecost.remembering import remembered
from pagecost.studies import shared_fields
from pagecost.studies.buffer import buffer_fields
from pagecost.studies.fields import Choices
from pagecost.studies.finding import Finding, cells, compared
from pagecost.studies.shared_fields import PAGES_PER_BLOCK
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side
from pagecost.units import grouped, so_many
from pagecost.workload.sources import Source

MOST_PAGES = 1 << 20  # of the simulated device; a pass over it takes about a second
MOST_PASSES = 15  # of the write-backs, to become steady; the criterion needs 5


class Inputs(StudyInputs):
    """What is replayed, at which size, and what kind of device takes the write-backs."""

    trace: buffer_fields.TRACE = "sqlite-order-entry"
    frames: buffer_fields.SIZE = 1024
    policies: Annotated[
        tuple[str, ...],
        *buffer_fields.policies(
            "The first is the yardstick. Parameters are written cflru:window=0.25, the policies' erase blocks "
            "fab:block_pages=128."
        ),
    ] = ("lru", "clock", "cflru", "cfdc", "ref", "fab")
    layers: Annotated[
        tuple[str, ...],
        Choices(
            lambda: {name: layer.title for name, layer in ftl.LAYERS.items()},
            most=len(ftl.LAYERS),
            noun="translation layer",
        ),
        Field(min_length=1, title="Translation layers", description="How the device finds a page again."),
    ] = ("page", "bast", "fast")
    spare: Annotated[float, *shared_fields.spare(*shared_fields.shares(5, 7, 10, 15, 20, 28, 40))] = 0.1
    pages_per_block: PAGES_PER_BLOCK = 64
    page_bytes: buffer_fields.PAGE_BYTES = buffer_fields.AS_THE_TRACE_SAYS


class Chain(NamedTuple):
    """One policy's write-backs on one layer; run: None where nothing was written back."""

    replay: Replay
    layer: str
    run: ftl.Run | None


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per policy and translation layer.

    The device holds the database in its own page numbers and is filled once; then the write-backs of the replay, in
    their order, are written over and over until the device is steady, and the last pass is counted.
    """
    loaded, progress = buffer_fields.opened(inputs, progress)
    geometry = _geometry(inputs, loaded)
    cases = [
        (loaded.source, policy, inputs.frames, layer, geometry) for policy in inputs.policies for layer in inputs.layers
    ]
    chains = []
    for _, chain in side_by_side(lambda case: chained(*case), cases):
        chains.append(chain)
        progress(len(chains) / len(cases), partial(_result, inputs, loaded, geometry, chains.copy()))
    return _result(inputs, loaded, geometry, chains, tuple(_notes(inputs, loaded, geometry, chains)))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each policy and layer: write-backs times what each of them costs the flash."""
    lines = []
    for row in range(len(result)):
        who, written = f"{result.cell('policy', row)} on {result.cell('layer', row)}", int(result["write_backs"][row])
        if not written:
            lines.append(f"{who}: nothing is written back.")
            continue
        lines.append(
            f"{who}: {grouped(written)} write-backs in runs of {result['block_run'][row]:.3g} × "
            f"{result['write_amplification'][row]:.4g} = {grouped(result['programmed_pages'][row])} pages programmed "
            f"and {grouped(result['erases'][row])} erases for each pass of the trace."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    layer = inputs.layers[0]
    return compared(
        result,
        result.rows(layer=layer),
        "erases",
        cells(result, "policy"),
        several="On {layer} with {frames} {least} has the fewest blocks erased, {low}; {most} has {high}, "
        "{times} as many.",
        one="On {layer} with {frames} {most} has {high} blocks erased.",
        none="On {layer} nothing is known of the blocks erased.",
        layer=LAYERS[layer].title,
        frames=so_many(inputs.frames, "frame"),
    )


def _geometry(inputs: Inputs, loaded: Loaded) -> ftl.Geometry:
    """A device as large as the database, in whole blocks, and its spare blocks."""
    per_block = inputs.pages_per_block
    highest = int(loaded.references.ids.max())
    require(
        highest < MOST_PAGES,
        f"write_clustering: {inputs.trace} needs a device of {highest + 1} pages; at most {MOST_PAGES} are simulated",
    )
    held = highest // per_block + 1
    blocks = held + max(6, round(held * inputs.spare / (1 - inputs.spare)))
    return ftl.Geometry(
        blocks=blocks,
        pages_per_block=per_block,
        page_bytes=loaded.source.page_bytes,
        spare=1 - (held * per_block + 0.5) / (blocks * per_block),
    )


@remembered
def chained(source: Source, policy: str, frames: int, layer: str, geometry: ftl.Geometry) -> Chain:
    """A replay whose write-backs are written to a device over and over, until it is steady."""
    run = written_by(source, policy, frames)
    if run.write_backs == 0:
        return Chain(run, layer, None)
    device = ftl.Simulation(geometry, run.written, layer=layer)
    for _ in range(MOST_PASSES):
        device.write(run.write_backs)
        if ftl.Steadiness.of([one.write_amplification for one in device.rounds]).steady:
            break
    return Chain(run, layer, device.result(len(device.rounds) - 1))


def _result(inputs: Inputs, loaded: Loaded, geometry: ftl.Geometry, chains: list[Chain], notes=()) -> Result:
    run_length = {
        run.policy: mean_block_run(run.written, inputs.pages_per_block) for run in (chain.replay for chain in chains)
    }

    def replayed(name: str) -> np.ndarray:
        return np.array([getattr(chain.replay, name) for chain in chains])

    def counted(name: str) -> np.ndarray:
        return np.array([getattr(chain.run.counts, name) if chain.run else 0 for chain in chains])

    policy, references, erases = replayed("policy"), replayed("references"), counted("erases")
    yardstick = {
        chain.layer: count
        for chain, count in zip(chains, erases, strict=True)
        if chain.replay.policy == inputs.policies[0]
    }
    first = np.array([yardstick[chain.layer] or np.nan for chain in chains])
    layers = {name: layer.title for name, layer in ftl.LAYERS.items()}
    block_run = np.array([run_length[str(name)] for name in policy])
    amplification = np.array([chain.run.write_amplification if chain.run else np.nan for chain in chains])
    steady = np.array([chain.run is None or chain.run.steady for chain in chains])
    columns = {
        "policy": buffer_fields.policy_column(policy),
        "layer": Column(np.array([chain.layer for chain in chains]), "text", "translation layer", layers),
        "frames": Column(replayed("frames"), "1", "buffer size in frames"),
        "references": Column(references, "1", "page references"),
        "misses": Column(replayed("misses"), "1", "misses"),
        "write_backs": Column(replayed("write_backs"), "1", "write-backs"),
        "block_run": Column(block_run, "1", "write-backs in a row to one erase block, mean"),
        "write_amplification": Column(amplification, "1", "pages programmed per write-back"),
        "programmed_pages": Column(counted("programmed_pages"), "1", "pages programmed"),
        "erases": Column(erases, "1", "blocks erased per pass of the trace"),
        "erases_per_reference": Column(erases / references, "1", "blocks erased per page reference"),
        "relative_erases": Column(erases / first, "1", "erases over those of the first policy on the same layer"),
        "full_merges": Column(counted("full_merges"), "1", "full merges"),
        "switch_merges": Column(counted("switch_merges"), "1", "switch merges"),
        "steady": Column(steady, "1", "steady by the SNIA criterion"),
    }
    device_bytes = geometry.physical_pages * geometry.page_bytes
    facts = buffer_fields.page_facts(loaded.source.page_bytes) | {
        "blocks": Fact(geometry.blocks, "1", "erase blocks of the device"),
        "device_bytes": Fact(device_bytes, "B", "size of the device"),
    }
    return Result.of(columns, notes, facts=facts)


def _notes(inputs: Inputs, loaded: Loaded, geometry: ftl.Geometry, chains: list[Chain]):
    yield from loaded.sentences()
    yield (
        f"A device of {grouped(geometry.blocks)} blocks of {geometry.pages_per_block} pages holds the "
        f"{grouped(geometry.logical_pages)} pages of the database; BAST and FAST use the spare blocks as log blocks. "
        "Reads do not wear the flash and are left out."
    )
    if inputs.pages_per_block != 64:
        yield "FAB, REF, CFDC and BPLRU take 64 pages for an erase block unless told, as in fab:block_pages=128."
    for chain in chains:
        if chain.run and not chain.run.steady:
            who = f"{title_of(chain.replay.policy)} on {ftl.LAYERS[chain.layer].title}"
            yield f"{who}: {chain.run.steadiness.sentence()}"


STUDY = Study(
    name="write_clustering",
    title="Which policy wears the flash least: write-backs in runs, or fewer of them?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="buffer",
    source="fernando2011 §2.2; Kim et al. 2002; Lee et al. 2007",
    presets={
        "a small buffer": {"frames": 256},
        "PostgreSQL": {"trace": "postgresql-order-entry"},
        "a locality that moves on": {"trace": "shifting-locality", "frames": 2048},
        "a page map with little spare space": {"layers": ("page", "dftl"), "spare": 0.05},
    },
)
