"""How large should a node of a B+-tree be? Utility over cost, by device and size (Gray and Graefe 1997)."""

from collections.abc import Iterator
from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost.devices import title_of
from pagecost.operators import MANY
from pagecost.operators.node_size import ENTRY_BYTES, FILL, height, node_sizes
from pagecost.studies.fields import From, Steps
from pagecost.studies.finding import Finding, cells, compared
from pagecost.studies.operators import operator_fields
from pagecost.studies.operators.operator_fields import DEPTH, depth_text, times_of
from pagecost.studies.shared_fields import percent, shares
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, format_seconds

SIZES = tuple(512 << step for step in range(13))  # 512 B .. 2 MiB
UNIT_BYTES = 512


class Inputs(StudyInputs):
    """The devices, and what a node is made of."""

    devices: Annotated[
        tuple[str, ...], *operator_fields.devices("Devices of the catalogue on which the index may lie.")
    ] = (*operator_fields.DEVICES, "samsung-4gb-flash-chip")
    entry_bytes: Annotated[
        int,
        Steps((8, 12, 16, 20, 24, 32, 64, 128), "B", format_bytes),
        From("five-minute rule, 1997"),
        Field(ge=4, le=179, title="Entry", description="Bytes of a key and of what it leads to."),
    ] = ENTRY_BYTES
    fill: Annotated[
        float,
        Steps(shares(50, 60, 70, 80, 90, 100), "1", percent),
        Field(ge=0.5, le=1, title="Fill", description="How full nodes are."),
    ] = FILL
    writes: Annotated[
        float,
        Steps((0.0, 0.1, 0.25, 0.5, 1.0), "1", lambda writes: f"{writes:g} write{'s' * (writes != 1)} a visit"),
        Field(ge=0, le=10, title="Writes", description="How often a node that was read is written back."),
    ] = 0.0
    rows: Annotated[int, *operator_fields.rows("the table")] = 10_000_000
    depth: DEPTH = 1


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device and size of a node: its cost, its utility a second, and that over the device's best.

    Table `best`: of each device the best size, the levels of a tree of such nodes, the device time of the way down.
    """
    sizes = np.array([size for size in SIZES if size * inputs.fill >= 2 * inputs.entry_bytes])
    rows: dict[str, list] = {name: [] for name in ("device", "size", "cost_s", "rate", "share")}
    best: dict[str, list] = {name: [] for name in ("device", "size", "smallest", "largest", "levels", "search_s")}
    notes = []
    for device in inputs.devices:
        times, note = times_of(device, UNIT_BYTES, inputs.depth)
        notes += [note] if note else []
        found = node_sizes(
            sizes, times, UNIT_BYTES, entry_bytes=inputs.entry_bytes, fill=inputs.fill, writes=inputs.writes
        )
        share = found.per_second / found.per_second.max()
        for name, column in zip(
            rows, ([device] * sizes.size, sizes, found.cost_s, found.per_second, share), strict=True
        ):
            rows[name] += list(column)
        near = sizes[share >= 0.95]
        levels = float(height(inputs.rows, sizes[found.best], entry_bytes=inputs.entry_bytes, fill=inputs.fill))
        read_s = float(times.run_s(sizes[found.best] / UNIT_BYTES))
        values = (device, sizes[found.best], near.min(), near.max(), levels, levels * read_s)
        for column, value in zip(best.values(), values, strict=True):
            column.append(value)
    names = {name: title_of(name) for name in inputs.devices}
    columns = {
        "device": Column(np.array(rows["device"], str), "text", "device", names),
        "node_bytes": Column(np.array(rows["size"]), "B", "node"),
        "cost_s": Column(np.array(rows["cost_s"]), "s", "time of a node"),
        "utility_hz": Column(np.array(rows["rate"]), "1/s", "halvings of the search per second"),
        "of_best": Column(np.array(rows["share"]), "1", "utility over cost, of the device's best"),
    }
    more = {
        "best": {
            "device": Column(np.array(best["device"], str), "text", "device", names),
            "node_bytes": Column(np.array(best["size"]), "B", "best node"),
            "from_bytes": Column(np.array(best["smallest"]), "B", "smallest within 5 % of it"),
            "to_bytes": Column(np.array(best["largest"]), "B", "largest within 5 % of it"),
            "levels": Column(np.array(best["levels"]), "1", "levels of the tree"),
            "search_s": Column(np.array(best["search_s"]), "s", "device time of the way down"),
        }
    }
    return Result.of(columns, [*notes, *_notes(inputs)], more=more)


def _notes(inputs: Inputs) -> Iterator[str]:
    yield "No level is taken to be in memory: the best size is the same, the way down is shorter with a buffer."
    yield "A drive reads at least a rated block, so a node below 4 KiB costs as much as one of 4 KiB."
    if inputs.depth == MANY:
        yield "With many outstanding the rate counts and not the wait: that is right for many searches side by side."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The formula, and for each device its best node with the numbers."""
    lines = [
        f"Utility of a node: log2({inputs.fill:g} × size / {inputs.entry_bytes} B), the halvings of a search; cost: "
        f"the time of one read and {inputs.writes:g} writes, {depth_text(inputs.depth)}."
    ]
    best = result.tables["best"]
    for row, device in enumerate(best["device"].tolist()):
        (at,) = result.rows(device=device, node_bytes=best["node_bytes"][row])
        utility = result["utility_hz"][at] * result["cost_s"][at]
        lines.append(
            f"{best.columns['device'].cell(row)}: {format_bytes(best['node_bytes'][row])}, {utility:.2f} halvings in "
            f"{format_seconds(result['cost_s'][at])}; {best['levels'][row]:.0f} levels, "
            f"{format_seconds(best['search_s'][row])} from the root to a leaf."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    best = result.tables["best"]
    return compared(
        best,
        range(len(best)),
        "node_bytes",
        cells(best, "device"),
        several="The best node has {low} on {least} and {high} on {most}.",
        one="The best node has {high} on every device.",
        none="No device was asked for.",
    )


STUDY = Study(
    name="btree_node_size",
    title="How large should a node of a B+-tree be? Utility over cost by device",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="load",
    source="Gray and Graefe 1997; Graefe 2009",
    presets={
        "many searches side by side": {"depth": MANY},
        "every visit writes": {"writes": 1.0},
        "long keys": {"entry_bytes": 128},
    },
)
