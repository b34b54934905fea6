"""Do joins on real rows ask for the pages that their plans expect? Predicted against counted."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost.answers import join_runs
from pagecost.answers.join_runs import METHODS, Load, Ran
from pagecost.errors import ModelError, require
from pagecost.operators.running_joins import ALL_FETCHES, CONNECTED
from pagecost.studies import finding
from pagecost.studies.fields import OfSystem, Steps, how_many
from pagecost.studies.finding import Derived, Finding, at
from pagecost.studies.operators import operator_fields
from pagecost.studies.shared_fields import SEED, percent, shares
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, grouped

ROWS = (300, 1000, 3000, 9000, 20_000)


class Inputs(StudyInputs):
    """Two tables of generated rows, and memory."""

    outer_rows: Annotated[
        int,
        Steps(ROWS, "1", how_many("rows")),
        Field(ge=1, le=20_000, title="Rows of R", description="Each has a key of its own."),
    ] = 3000
    inner_rows: Annotated[
        int,
        Steps(ROWS, "1", how_many("rows")),
        Field(ge=1, le=20_000, title="Rows of S", description="Each refers to a key, at random."),
    ] = 9000
    memory_pages: Annotated[
        int,
        Steps((20, 30, 40, 60, 100, 200, 400), "1", how_many("pages")),
        Field(ge=1, le=10_000, title="Memory", description="Pages that a join may hold."),
    ] = 40
    share: Annotated[
        float,
        Steps(shares(1, 2, 5, 10, 30, 50, 100), "1", percent),
        Field(ge=0, le=1, title="Rows that join", description="Share of the rows of each table that find a partner."),
    ] = 0.1
    row_bytes: Annotated[
        int,
        Steps((32, 64, 128, 256), "B", format_bytes),
        Field(ge=16, le=2048, title="Row", description="Bytes of a row of both tables."),
    ] = 64
    page_bytes: Annotated[
        int,
        Steps((512, 1024, 2048, 4096), "B", format_bytes),
        OfSystem("memory.page_bytes"),
        Field(ge=512, le=1 << 16, multiple_of=512, title="Page size", description="A multiple of 512 bytes."),
    ] = 1024
    cluster_pages: Annotated[
        int,
        Steps((1, 2, 3, 4), "1", how_many("pages")),
        Field(ge=1, le=64, title="Cluster", description="Pages of a request of sorting and of hashing in parts."),
    ] = 1
    device: Annotated[
        str, *operator_fields.device("Device", "Whose wear is told: what is written, over the bytes it is rated for.")
    ] = "samsung-970-pro-1tb"
    seed: SEED = 1

    @property
    def load(self) -> Load:
        """The rows and how they are joined."""
        return Load(
            self.outer_rows,
            self.inner_rows,
            self.row_bytes,
            self.page_bytes,
            self.share,
            self.memory_pages,
            self.cluster_pages,
            seed=self.seed,
        )


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per join that the memory is enough for: pages read and written and requests, expected and counted.

    Tables `wear` and `worn_price`: what the joins wrote, as a share of the rated bytes of the device and of its price.
    right: whether its pairs are those of a plain join in memory.
    """
    found: dict[str, Ran] = {}
    missing: dict[str, str] = {}
    for number, method in enumerate(METHODS):
        try:
            found[method] = join_runs.ran(method, inputs.load)
        except ModelError as error:
            missing[method] = str(error)
        progress((number + 1) / len(METHODS), partial(_result, inputs, found.copy(), {}) if found else None)
    require(bool(found), next(iter(missing.values()), "no join ran"))
    return _result(inputs, found, missing)


def _result(inputs: Inputs, found: dict[str, Ran], missing: dict[str, str]) -> Result:
    runs = list(found.values())

    def expected(what: str) -> np.ndarray:
        return np.array([np.nan if run.plan is None else float(getattr(run.plan, what)) for run in runs])

    columns = {
        "method": Column(np.array(list(found)), "text", "join"),
        "expected_read": Column(expected("pages_read"), "1", "pages read, expected"),
        "read": Column(np.array([run.found.pages_read for run in runs]), "1", "pages read, counted"),
        "expected_written": Column(expected("pages_written"), "1", "written, expected"),
        "written": Column(np.array([run.found.pages_written for run in runs]), "1", "pages written, counted"),
        "expected_requests": Column(expected("runs"), "1", "requests, expected"),
        "requests": Column(np.array([run.requests for run in runs]), "1", "requests, counted"),
        "results": Column(np.array([run.results for run in runs]), "1", "rows of the result"),
        "right": Column(np.array([run.right for run in runs]), "1", "as a plain join finds them"),
    }
    outer, inner = (table.size.pages for table in inputs.load.tables())
    facts = {"outer_pages": Fact(outer, "1", "pages of R"), "inner_pages": Fact(inner, "1", "pages of S")}
    written_bytes = [float(run.found.pages_written * inputs.page_bytes) for run in runs]
    more = operator_fields.worn([inputs.device] * len(runs), list(found), written_bytes)
    notes = [*(f"{method}: {why}." for method, why in missing.items()), *_notes()]
    notes += operator_fields.unknown_wear((inputs.device,))
    return Result.of(columns, notes, facts=facts, more=more)


def _notes() -> Iterator[str]:
    yield (
        "Nested loops and sort-merge ask for exactly what their plans say. Hashing writes a part of a page at the end "
        "of each part, and which rows lie on which pages is chance."
    )
    yield f"What fetching {CONNECTED} asks for is only counted: no formula is known for it."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """What each join expected and found."""
    facts = result.facts
    lines = [
        f"R has {facts['outer_pages'].cell} pages of {format_bytes(inputs.page_bytes)}, S {facts['inner_pages'].cell}; "
        f"{grouped(inputs.memory_pages)} pages of memory. Orders of fetching: "
        + "; ".join(f"{name}: {meaning}" for name, meaning in ALL_FETCHES.items())
        + "."
    ]
    for row in range(len(result)):
        said = [
            f"{what} {grouped(result['expected_' + what][row])} expected, {grouped(result[what][row])} counted"
            if np.isfinite(result[f"expected_{what}"][row])
            else f"{what} {grouped(result[what][row])} counted"
            for what in ("read", "written")
        ]
        lines.append(f"{result['method'][row]}: pages {'; '.join(said)}.")
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    off = np.abs(result["read"] / result["expected_read"] - 1)
    most, fewest = int(np.nanargmax(off)), int(np.argmin(result["read"] + result["written"]))
    wrong = [str(name) for name, right in zip(result["method"], result["right"], strict=True) if not right]
    read, expected = at(result, "read", most), at(result, "expected_read", most)
    how = f"{read.label}, {read.cell}, over {expected.cell}, less 1"
    return finding.found(
        ("Wrong pairs: {wrong}. " if wrong else "")
        + "Pages read are off by at most {off} ({most}); {fewest} needs fewest: {read} read and {written} written.",
        wrong=", ".join(wrong),
        off=Derived(100 * float(off[most]), "%", "distance from the expected pages", how, (read, expected)),
        most=str(result["method"][most]),
        fewest=str(result["method"][fewest]),
        read=at(result, "read", fewest),
        written=at(result, "written", fewest),
    )


STUDY = Study(
    name="joins_on_rows",
    title="Do joins on real rows ask for the pages that their plans expect?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="load",
    source="Shapiro 1986; Li et al. 2009; Tsirogiannis et al. 2009",
    presets={
        "every row joins": {"share": 1.0},
        "memory for all": {"memory_pages": 1000},
        "clusters of three pages": {"cluster_pages": 3, "memory_pages": 60},
    },
)
