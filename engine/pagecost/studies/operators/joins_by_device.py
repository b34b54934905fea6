"""Which join is cheapest on which device, and from which cost of a random read on do joins that fetch late win?"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.devices import title_of
from pagecost.economics.cost import energy_per_s
from pagecost.errors import ModelError, require
from pagecost.operators import MANY, GivenTimes, Join, OnDevice, Pax, Plan, RunTimes, Size, joins, late
from pagecost.operators.plan import times_s
from pagecost.studies.fields import OfSystem, Steps, how_many
from pagecost.studies.finding import Finding, compared
from pagecost.studies.operators import operator_fields
from pagecost.studies.operators.operator_fields import DEPTH, PAGE_BYTES, depth_text, times_of, unknown_wear, worn
from pagecost.studies.shared_fields import percent, shares
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, format_cell, format_seconds, grouped

BLOCK_LOOPS, INDEX_LOOPS, SORT_MERGE, GRACE, HYBRID, DIGEST, FLASH = (
    "block nested loops",
    "index nested loops",
    "sort-merge join",
    "GRACE hash join",
    "hybrid hash join",
    "DigestJoin",
    "FlashJoin",
)
METHODS = (BLOCK_LOOPS, INDEX_LOOPS, SORT_MERGE, GRACE, HYBRID, DIGEST, FLASH)
LATE, OTHERS = (DIGEST, FLASH), "best of the others"
"""The joins that read the join attributes first and fetch rows afterwards, and what stands for all others."""
MEMORY_SHARES = tuple(10 ** (-2 + step / 4) for step in range(9))
RATIOS = tuple(2.0**step for step in range(9))


class Inputs(StudyInputs):
    """Two tables, memory, and devices."""

    devices: Annotated[
        tuple[str, ...],
        *operator_fields.devices("Devices on which tables and intermediate results lie."),
    ] = operator_fields.DEVICES
    device: Annotated[
        str, *operator_fields.device("Device in detail", "The device whose joins are drawn over memory.")
    ] = "intel-x25-e"
    memory_share: Annotated[
        float,
        Steps(shares(1, 2, 5, 10, 20, 50, 100, 150), "1", percent),
        Field(gt=0, le=100, title="Memory", description="For the join, as a share of the smaller table R."),
    ] = 0.1
    share: Annotated[
        float,
        Steps(shares(0, 0.1, 1, 2, 5, 10, 20, 50, 100), "1", lambda share: f"{share:.1%}"),
        Field(ge=0, le=1, title="Rows that join", description="Share of the rows of each table that find a partner."),
    ] = 0.02
    outer_rows: Annotated[int, *operator_fields.rows("R")] = 1_000_000
    inner_rows: Annotated[int, *operator_fields.rows("S")] = 4_000_000
    row_bytes: Annotated[int, *operator_fields.row_bytes("both tables")] = 200
    kept: Annotated[
        float,
        Steps(shares(0, 10, 25, 50, 100), "1", percent),
        Field(ge=0, le=1, title="Columns in the result", description="Share of a row's bytes that the result shows."),
    ] = 0.25
    page_bytes: PAGE_BYTES = 8192
    pax_pages: Annotated[
        int,
        Steps((2, 4, 8, 16, 32), "1", how_many("pages")),
        Field(
            ge=2,
            le=1024,
            title="Page of columns",
            description="Pages that FlashJoin's pages of columns span; in one a column's values stand together.",
        ),
    ] = 8
    depth: DEPTH = MANY
    price_per_kwh: Annotated[
        float,
        Steps((0.05, 0.1, 0.15, 0.2, 0.3, 0.5), "USD/kWh", partial(format_cell, unit="USD/kWh")),
        OfSystem("economics.price_usd_per_kwh"),
        Field(ge=0, le=100, title="Price of energy", description="Of a kWh, in dollars."),
    ] = 0.15

    def join(self, memory_share: float) -> Join:
        """The join with so much memory, as a share of R. Raises ModelError as `Size` and `Join`."""
        outer, inner = (Size(rows, self.row_bytes, self.page_bytes) for rows in (self.outer_rows, self.inner_rows))
        memory = max(1, round(memory_share * outer.pages))
        return Join(outer, inner, memory, self.share, kept=self.kept)


def plan_of(method: str, join: Join, pax: Pax, times: RunTimes) -> Plan:
    """The plan of a join by its name, its cluster and order the cheapest on a device. Raises ModelError for memory that
    is too small for it."""
    if method == BLOCK_LOOPS:
        return joins.block_nested_loops(join)
    if method == INDEX_LOOPS:
        return joins.buffered_index_nested_loops(join)
    if method == SORT_MERGE:
        return joins.sort_merge(join, times)
    if method == GRACE:
        return joins.grace_hash(join)
    if method == HYBRID:
        return joins.hybrid(join, times)
    return late.best_digest_join(join, times) if method == DIGEST else late.best_flash_join(join, pax, times)


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device and join for the chosen memory: its time and pages; `fastest` marks the device's best.

    Table `memory`: the joins on the device in detail over memory. Table `ratio`: a device as fast as it in sequence
    whose random page costs so many times one in sequence: the best join that fetches late and the best other one.
    Table `energy`: load power over the time and its price, where the power is known. Table `wear`: what is written to
    the device, as a share of its rated bytes, and table `worn_price` the same of its price, where these are known.
    Joins that the memory is too small for are not in the tables; a note names them.
    """
    chosen, pax = inputs.join(inputs.memory_share), Pax(inputs.pax_pages)
    rows: dict[str, list] = {name: [] for name in ("device", "method", "time_s", "read", "written", "runs", "fastest")}
    notes: list[str] = []
    missing: dict[str, str] = {}
    for device in inputs.devices:
        times, note = times_of(device, inputs.page_bytes, inputs.depth)
        notes += [note] if note else []
        plans, refused = _plans(chosen, pax, times)
        missing |= refused
        require(bool(plans), f"{chosen.memory_pages} pages of memory are too few for every join; ask for more")
        spent = dict(zip(plans, times_s(plans.values(), times), strict=True))
        best = next(
            method for method in spent if spent[method] <= min(spent.values()) * (1 + 1e-9)
        )  # of equals the first
        for method, plan in plans.items():
            values = (device, method, spent[method], plan.pages_read, plan.pages_written, plan.runs, method == best)
            for column, value in zip(rows.values(), values, strict=True):
                column.append(value)
    times, note = times_of(inputs.device, inputs.page_bytes, inputs.depth)
    notes += [note] if note and inputs.device not in inputs.devices else []
    progress(0.3, None)
    more = {"memory": _over_memory(inputs, pax, times), "ratio": _over_ratio(inputs, chosen, pax, times)}
    more |= _energies(rows, inputs.price_per_kwh)
    written_bytes = [pages * inputs.page_bytes for pages in rows["written"]]
    more |= worn(rows["device"], rows["method"], written_bytes)
    notes += unknown_wear(inputs.devices)
    notes += [f"{method}: {why}." for method, why in missing.items()]
    return _result(inputs, rows, more, [*notes, *_notes(inputs)])


def _plans(join: Join, pax: Pax, times: RunTimes) -> tuple[dict[str, Plan], dict[str, str]]:
    """The plans that are possible, and why the others are not."""
    plans, refused = {}, {}
    for method in METHODS:
        try:
            plans[method] = plan_of(method, join, pax, times)
        except ModelError as error:
            refused[method] = str(error)
    return plans, refused


def _over_memory(inputs: Inputs, pax: Pax, times: OnDevice) -> dict[str, Column]:
    rows: list[tuple[str, float, float]] = []
    for share in sorted({*MEMORY_SHARES, inputs.memory_share}):
        join = inputs.join(share)
        plans, _ = _plans(join, pax, times)
        rows += [(method, share, time_s) for method, time_s in zip(plans, times_s(plans.values(), times), strict=True)]
    method, memory, time_s = (np.array(column) for column in zip(*rows, strict=True))
    return {
        "method": Column(method, "text", "join"),
        "memory": Column(memory, "1", "memory over the size of R"),
        "time_s": Column(time_s, "s", "time of the join"),
    }


def _over_ratio(inputs: Inputs, join: Join, pax: Pax, times: OnDevice) -> dict[str, Column]:
    page_s = float(times.run_s(1 << 16)) / (1 << 16)
    kinds = {**{method: (method,) for method in LATE}, OTHERS: tuple(set(METHODS) - set(LATE))}
    rows: list[tuple[str, float, float]] = []
    for ratio in RATIOS:
        given = GivenTimes(random_s=ratio * page_s, sequential_s=page_s)
        plans, _ = _plans(join, pax, given)
        spent = dict(zip(plans, times_s(plans.values(), given), strict=True))
        for kind, methods in kinds.items():
            there = [spent[method] for method in methods if method in spent]
            rows += [(kind, ratio, min(there))] if there else []
    named, ratios, time_s = (np.array(column) for column in zip(*rows, strict=True))
    return {
        "kind": Column(named, "text", "join"),
        "ratio": Column(ratios, "1", "time of a random page over one in sequence"),
        "time_s": Column(time_s, "s", "time of the join"),
    }


def _energies(rows: dict[str, list], price_per_kwh: float) -> dict[str, dict[str, Column]]:
    """Table `energy`: of the devices whose load power is known, that for as long as each join takes, and its price."""
    known = catalogue.devices()
    power = np.array([known[device].get("active_w", np.nan) for device in rows["device"]])
    there = np.flatnonzero(np.isfinite(power))
    if not there.size:
        return {}
    names = {device: title_of(device) for device in rows["device"]}
    energy_j = power[there] * np.array(rows["time_s"])[there]
    columns = {
        "device": Column(np.array(rows["device"], str)[there], "text", "device", names),
        "method": Column(np.array(rows["method"], str)[there], "text", "join"),
        "energy_j": Column(energy_j, "J", "energy of the join, at load"),
        "energy_usd": Column(energy_per_s(1.0, price_per_kwh) * energy_j, "USD", "price of that energy"),
    }
    return {"energy": columns}


def _result(inputs: Inputs, rows: dict, more: dict, notes: list[str]) -> Result:
    names = {name: title_of(name) for name in inputs.devices}
    columns = {
        "device": Column(np.array(rows["device"], str), "text", "device", names),
        "method": Column(np.array(rows["method"], str), "text", "join"),
        "time_s": Column(np.array(rows["time_s"]), "s", "time of the join"),
        "pages_read": Column(np.array(rows["read"]), "1", "pages read"),
        "pages_written": Column(np.array(rows["written"]), "1", "pages written"),
        "runs": Column(np.array(rows["runs"]), "1", "requests"),
        "fastest": Column(np.array(rows["fastest"]), "1", "fastest on its device"),
    }
    join = inputs.join(inputs.memory_share)
    facts = {
        "outer_pages": Fact(join.outer.pages, "1", "pages of R"),
        "inner_pages": Fact(join.inner.pages, "1", "pages of S"),
        "memory_pages": Fact(join.memory_pages, "1", "pages of memory"),
        "results": Fact(join.results, "1", "rows of the result"),
    }
    return Result.of(columns, notes, facts=facts, more=more)


def _notes(inputs: Inputs) -> Iterator[str]:
    yield "The processor's time and the writing of the result are not counted."
    yield (
        "Memory that index nested loops does not need for R is an LRU buffer of the index and the rows of S: with room "
        "for both, each of their pages is read once at most. DigestJoin and FlashJoin are as their authors state "
        "them: of what they scan first, no page is kept for the rows that they fetch afterwards."
    )
    yield "Of sort-merge, hybrid hash and the joins that fetch late the cluster size is the one that is cheapest."
    if inputs.share < 1:
        yield "Which rows find no partner is known only after the join: the other joins carry them to the end."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The sizes, and for each device its fastest join with its phases."""
    join, pax = inputs.join(inputs.memory_share), Pax(inputs.pax_pages)
    lines = [
        f"R has {grouped(join.outer.pages)} pages of {format_bytes(inputs.page_bytes)}, S {grouped(join.inner.pages)}; "
        f"{grouped(join.memory_pages)} pages of memory; {grouped(join.results)} rows join; {depth_text(inputs.depth)}."
    ]
    for row in np.flatnonzero(result["fastest"]).tolist():
        times, _ = times_of(str(result["device"][row]), inputs.page_bytes, inputs.depth)
        phases = plan_of(str(result["method"][row]), join, pax, times).phases_s(times)
        terms = " + ".join(f"{phase} {format_seconds(time_s)}" for phase, time_s in phases.items() if time_s > 0)
        lines.append(
            f"{result.cell('device', row)}: {result['method'][row]} is fastest, {terms} = "
            f"{result.cell('time_s', row)}{_spent(result, row)}."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        np.flatnonzero(result["fastest"]).tolist(),
        "time_s",
        lambda row: f"{result.cell('device', row)} ({result['method'][row]})",
        several="The fastest join takes {low} on {least}, and {high} on {most}.",
        one="The fastest join takes {high} on {most}.",
        none="No join is known to be fastest.",
    )


SPENT = {"energy_j": "energy", "energy_usd": "energy", "rated_share": "wear", "worn_usd": "worn_price"}
SAID = {"energy_usd": " of energy", "rated_share": " of its rated bytes", "worn_usd": " of its price"}


def _spent(result: Result, row: int) -> str:
    """Energy, wear and their money of a row, as far as they are known."""
    here = {name: str(result[name][row]) for name in ("device", "method")}
    said = ""
    for name, table in SPENT.items():
        if table in result.tables:
            for at in result.rows_in(table, **here).tolist():
                said += f"; {result.tables[table].columns[name].cell(at)}{SAID.get(name, '')}"
    return said


STUDY = Study(
    name="joins_by_device",
    title="Which join is cheapest on which device? From what a random read costs on, fetching late wins",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="load",
    source="Shapiro 1986; Li et al. 2009 (DigestJoin); Tsirogiannis et al. 2009 (FlashJoin)",
    presets={
        "every row joins": {"share": 1.0, "kept": 1.0},
        "one request at a time": {"depth": 1},
        "R fits into memory": {"memory_share": 1.5},
        "a disk in detail": {"device": "hgst-7k1000-750gb"},
    },
)
