"""From which share of the rows on is a table scan faster than an index? Break-even selectivity by device."""

from collections.abc import Iterator
from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost import operators
from pagecost.devices import title_of
from pagecost.operators import MANY, ORDERS, IndexSize, OnDevice, Size
from pagecost.operators.plan import times_s
from pagecost.operators.selection import MERGED, SORTED, UNSORTED, break_even_formula
from pagecost.studies.fields import Choice, Steps
from pagecost.studies.finding import Finding, cells, compared, percent
from pagecost.studies.operators import operator_fields
from pagecost.studies.operators.operator_fields import DEPTH, PAGE_BYTES, depth_text, times_of
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, format_seconds, grouped

SHARES = tuple(10 ** (-5 + step / 8) for step in range(41))
CURVE_DEPTHS = (1, 4, 16, 64, 256)
INDEX, SCAN = "index scan", "table scan"


def _share(share: float) -> str:
    return f"{share * 100:.3g} %"


class Inputs(StudyInputs):
    """A table, an index on a column by which it is not sorted, and the devices."""

    devices: Annotated[
        tuple[str, ...], *operator_fields.devices("Devices of the catalogue on which the table may lie.")
    ] = operator_fields.DEVICES
    selectivity: Annotated[
        float,
        Steps((1e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1), "1", _share),
        Field(ge=0, le=1, title="Selectivity", description="Share of the rows that the query asks for."),
    ] = 1e-3
    rows: Annotated[int, *operator_fields.rows("the table")] = 10_000_000
    row_bytes: Annotated[int, *operator_fields.row_bytes("the table")] = 100
    page_bytes: PAGE_BYTES = 4096
    depth: DEPTH = MANY
    order: Annotated[
        str,
        Choice(lambda: dict(ORDERS), noun="order of fetching"),
        Field(title="Rows are fetched", description="What is done with the list of rows that the index found."),
    ] = SORTED

    @property
    def index(self) -> IndexSize:
        """The index, with its table."""
        return IndexSize(Size(self.rows, self.row_bytes, self.page_bytes))


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device and share of the rows: the times of both plans; `chosen` marks the share of the inputs.

    Table `break_even`: from which share on the scan is the faster plan, as the plans say and by the formula without the
    index, and the plan for the chosen share with its terms. Table `depths`: the break-even share over the queue depth.
    """
    index = inputs.index
    shares = np.array(sorted({*SHARES, inputs.selectivity}))
    rows: dict[str, list] = {name: [] for name in ("device", "share", "index_s", "scan_s")}
    ends: dict[str, list] = {name: [] for name in ("device", "share", "formula", "plan", "index_s", "rows_s", "scan_s")}
    deeper: dict[str, list] = {name: [] for name in ("device", "depth", "share")}
    notes = []
    plans = {share: operators.index_scan(index, share, inputs.order) for share in shares.tolist()}
    known: dict[tuple[float, float, float], float] = {}

    def break_even(times: OnDevice) -> float:
        """Worked out once for all depths at which a device is equally fast."""
        key = float(times.run_s(1)), float(times.run_s(1, at_once=1)), float(times.run_s(index.table.pages, at_once=1))
        if key not in known:
            known[key] = operators.break_even(index, times, inputs.order)
        return known[key]

    for device in inputs.devices:
        times, note = times_of(device, inputs.page_bytes, inputs.depth)
        note = note or times_of(device, inputs.page_bytes, 1)[1]
        notes += [note] if note else []
        scan_s = operators.table_scan(index.table).time_s(times)
        for share, index_s in zip(plans, times_s(plans.values(), times), strict=True):
            _append(rows, (device, share, index_s, scan_s))
        phases = operators.index_scan(index, inputs.selectivity, inputs.order).phases_s(times)
        plan = INDEX if sum(phases.values()) < scan_s else SCAN
        terms = (phases["index"], phases.get("rows", 0.0), scan_s)
        _append(ends, (device, break_even(times), _formula(inputs, index, times), plan, *terms))
        for depth in CURVE_DEPTHS:
            deep, missing = times_of(device, inputs.page_bytes, depth)
            if not missing:
                _append(deeper, (device, depth, break_even(deep)))
    return _result(inputs, rows, ends, deeper, notes)


def _append(rows: dict[str, list], values) -> None:
    for column, value in zip(rows.values(), values, strict=True):
        column.append(value)


def _formula(inputs: Inputs, index: IndexSize, times: OnDevice) -> float:
    """The closed form, nan for an order that it does not know."""
    if inputs.order == MERGED:
        return np.nan
    page_s = operators.table_scan(index.table).time_s(times) / index.table.pages
    return break_even_formula(float(times.run_s(1)), page_s, index.table.rows_per_page, inputs.order)


def _result(inputs: Inputs, rows: dict, ends: dict, deeper: dict, notes: list[str]) -> Result:
    names = {name: title_of(name) for name in inputs.devices}
    share = np.array(rows["share"])
    index_s, scan_s = np.array(rows["index_s"]), np.array(rows["scan_s"])
    columns = {
        "device": Column(np.array(rows["device"], str), "text", "device", names),
        "selectivity": Column(share, "1", "share of the rows"),
        "index_s": Column(index_s, "s", "time of the index scan"),
        "scan_s": Column(scan_s, "s", "time of the table scan"),
        "times_scan": Column(index_s / scan_s, "1", "time of the index scan over that of the table scan"),
        "chosen": Column(share == inputs.selectivity, "1", "chosen share"),
    }
    ending = {
        "device": Column(np.array(ends["device"], str), "text", "device", names),
        "selectivity": Column(np.array(ends["share"]), "1", "break-even share of the rows"),
        "plan": Column(np.array(ends["plan"], str), "text", "faster plan for the chosen share"),
        "index_s": Column(np.array(ends["index_s"]), "s", "index pages"),
        "rows_s": Column(np.array(ends["rows_s"]), "s", "pages of rows"),
        "scan_s": Column(np.array(ends["scan_s"]), "s", "table scan"),
    }
    if inputs.order != MERGED:
        ending["formula"] = Column(np.array(ends["formula"]), "1", "break-even by the formula, without the index")
    over_depth = {
        "device": Column(np.array(deeper["device"], str), "text", "device", names),
        "depth": Column(np.array(deeper["depth"], int), "1", "requests outstanding"),
        "selectivity": Column(np.array(deeper["share"], float), "1", "break-even share of the rows"),
    }
    more = {"break_even": ending} | ({"depths": over_depth} if deeper["device"] else {})
    table = inputs.index.table
    facts = {
        "pages": Fact(table.pages, "1", "pages of the table"),
        "rows_per_page": Fact(table.rows_per_page, "1", "rows in a page"),
        "leaves": Fact(inputs.index.levels[-1], "1", "leaves of the index"),
        "levels": Fact(len(inputs.index.levels), "1", "levels of the index"),
    }
    if any(share == 0 for share in (*ends["share"], *deeper["share"])):
        notes = [*notes, "A break-even of 0: the scan is faster for a single row, too."]
    return Result.of(columns, [*notes, *_notes(inputs)], facts=facts, more=more)


def _notes(inputs: Inputs) -> Iterator[str]:
    yield "The processor's time is not counted, nor what a buffer would hold of the table or the index."
    yield (
        "A drive that works on several requests at once finishes so many in the time of one alone, up to its rated "
        "rate. A disk is modelled as serving one after the other, so the depth does not change it."
    )
    yield (
        "One query alone: on its way down the index each page waits for the one above it, and it has no more requests "
        "outstanding than it has rows to fetch. A scan is one request."
    )
    yield "A table may lie anywhere on a disk: the seek is the mean over all of it, less where a table lies together."
    if inputs.order == UNSORTED:
        yield "Row by row the same page is read again for each of its rows."
    if inputs.order == MERGED:
        yield "The formula knows nothing of neighbours in one request, so it is not shown."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The pages of both plans, and for each device the comparison at the chosen share."""
    index = inputs.index
    table = index.table
    plan = operators.index_scan(index, inputs.selectivity, inputs.order)
    requests = sum(access.runs for access in plan.accesses if access.phase == "rows")
    pages = sum(access.all_pages for access in plan.accesses if access.phase == "rows")
    lines = [
        f"{grouped(table.rows)} rows of {format_bytes(table.row_bytes)}, {table.rows_per_page} in a page of "
        f"{format_bytes(table.page_bytes)}: {grouped(table.pages)} pages, and {grouped(index.levels[-1])} leaves of "
        "the index.",
        f"{_share(inputs.selectivity)} of them: {grouped(pages)} pages of rows in {grouped(requests)} "
        f"requests ({ORDERS[inputs.order]}), {depth_text(inputs.depth)}.",
    ]
    ends = result.tables["break_even"]
    for row in range(len(ends)):
        index_s = ends["index_s"][row] + ends["rows_s"][row]
        share = ends["selectivity"][row]
        even = f"they take the same at {_share(share)}" if share > 0 else "the scan is faster for a single row, too"
        lines.append(
            f"{ends.columns['device'].cell(row)}: index {format_seconds(index_s)}, scan "
            f"{format_seconds(ends['scan_s'][row])}; {even}."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    ends = result.tables["break_even"]
    ever = np.flatnonzero(ends["selectivity"]).tolist()
    unknown = "Nothing is known of these devices."
    return compared(
        ends,
        ever,
        "selectivity",
        cells(ends, "device"),
        several="The index is the faster plan up to {low} of the rows on {least}, and up to {high} on {most}.",
        one="The index is the faster plan up to {high} of the rows on {most}.",
        none="The scan is the faster plan, for a single row, too." if len(ends) else unknown,
        show=percent,
    )


STUDY = Study(
    name="index_or_scan",
    title="Index or scan: from which share of the rows on is reading the whole table faster?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="load",
    source="Cardenas 1975; Yao 1977; Tsirogiannis et al. 2009; Graefe 2009",
    presets={
        "one request at a time": {"depth": 1},
        "row by row": {"order": UNSORTED},
        "neighbours in one request": {"order": MERGED},
        "wide rows": {"row_bytes": 400, "page_bytes": 8192},
    },
)
