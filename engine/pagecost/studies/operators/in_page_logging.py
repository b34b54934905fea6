"""Does a log region in each erase unit save erases and time? In place, log-structured, in-page logging on one chip."""

from collections.abc import Iterator
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from pagecost import catalogue
from pagecost.answers import page_log_runs
from pagecost.devices.nand import Chip, chips
from pagecost.errors import require
from pagecost.operators import page_logging
from pagecost.operators.page_logging import HOT_SHARE, IN_PAGE, IN_PLACE, LOG_STRUCTURED, METHODS, Layout, Work
from pagecost.studies.fields import Choice, From, OfSystem, Steps, how_many
from pagecost.studies.finding import Finding, cells, compared
from pagecost.studies.shared_fields import SEED, percent, shares
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, format_seconds, grouped

SIZES = (20, 50, 100, 200, 500, 1000, 2000, 4000, 8000)
REGIONS = (1, 2, 4, 8, 16)
TERMS = {
    "read_s": "reads of pages and logs",
    "copy_s": "reads for copies",
    "program_s": "programs",
    "erase_s": "erases",
}


def _skew(share: float) -> str:
    return "uniform" if share == HOT_SHARE else f"{share:.0%} to a fifth"


class Inputs(StudyInputs):
    """A flash chip, how pages lie on it, and the updates."""

    chip: Annotated[
        str,
        Choice(chips, noun="flash chip"),
        Field(title="Flash chip", description="Chips of the catalogue whose pages, blocks and times are known."),
    ] = "samsung-4gb-flash-chip"
    update_bytes: Annotated[
        int,
        Steps(SIZES, "B", format_bytes),
        Field(ge=1, le=1 << 20, title="Update", description="Bytes of a change, with what says where it belongs."),
    ] = 100
    log_pages: Annotated[
        int,
        Steps(REGIONS, "1", how_many("pages")),
        Field(ge=1, le=1024, title="Log region", description="Database pages of each erase unit that hold its log."),
    ] = 2
    sector_bytes: Annotated[
        int,
        Steps((256, 512, 1024, 2048, 4096), "B", format_bytes),
        Field(ge=1, le=1 << 16, title="Log sector", description="What is written at once into a log region."),
    ] = 1024
    page_bytes: Annotated[
        int,
        Steps((4096, 8192, 16384), "B", format_bytes),
        From("Lee and Moon 2007"),
        OfSystem("memory.page_bytes"),
        Field(ge=512, le=1 << 20, multiple_of=512, title="Database page", description="A multiple of a flash page."),
    ] = 8192
    pages: Annotated[
        int,
        Steps((1920, 3840, 7680, 15360), "1", how_many("pages")),
        Field(ge=64, le=1 << 18, title="Database", description="Pages that updates fall on."),
    ] = 7680
    buffer_share: Annotated[
        float,
        Steps(shares(1, 2, 5, 10, 20, 50), "1", percent),
        Field(gt=0, lt=1, title="Buffer", description="Share of the pages that an LRU buffer holds."),
    ] = 0.05
    hot_writes: Annotated[
        float,
        Steps(shares(20, 40, 60, 80, 95), "1", _skew),
        Field(ge=0, le=1, title="Skew", description="Share of the updates that a fifth of the pages gets."),
    ] = HOT_SHARE
    updates: Annotated[
        int,
        Steps((10_000, 20_000, 40_000, 100_000), "1", lambda count: grouped(int(count))),
        Field(ge=1000, le=10**6, title="Updates", description="As many again come before them to fill the buffer."),
    ] = 40_000
    seed: SEED = 1

    @model_validator(mode="after")
    def _an_update_is_of_a_page(self):
        page_logging.check_update(self.update_bytes, self.page_bytes)
        return self

    @property
    def frames(self) -> int:
        """Pages that the buffer holds."""
        return max(1, round(self.buffer_share * self.pages))

    def layout(self, log_pages: int | None = None) -> Layout:
        """How pages lie on the chip. Raises ModelError as `Layout`."""
        chip = Chip.of(catalogue.device(self.chip))
        return Layout(chip, self.page_bytes, log_pages or self.log_pages, self.sector_bytes)


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per way of writing and size of an update: erases, flash pages programmed and time for each update.

    `chosen` marks the size of the inputs. Table `regions`: the same for the chosen size over the size of the log
    region, which the log of the whole device has as spare space.
    """
    layout = inputs.layout()
    load = (inputs.pages, inputs.frames, inputs.updates, inputs.hot_writes, inputs.seed)
    traffic = page_log_runs.traffic(*load)
    require(bool(traffic.written.size), "no page left the buffer: ask for more updates or a smaller buffer")
    progress(0.2, None)
    sizes = sorted({*(size for size in SIZES if size <= inputs.page_bytes), inputs.update_bytes})
    fixed = {
        IN_PLACE: page_logging.in_place(layout, traffic),
        LOG_STRUCTURED: page_log_runs.log_structured(layout, *load),
    }
    progress(0.5, None)
    works = [
        (method, size, fixed.get(method) or page_logging.in_page(layout, traffic, size))
        for method in METHODS
        for size in sizes
    ]
    regions: list[tuple[str, float, Work]] = []
    for log_pages in sorted({*(pages for pages in REGIONS if pages < layout.slots), inputs.log_pages}):
        other = inputs.layout(log_pages)
        regions += [
            (IN_PLACE, log_pages, fixed[IN_PLACE]),
            (LOG_STRUCTURED, log_pages, page_log_runs.log_structured(other, *load)),
            (IN_PAGE, log_pages, page_logging.in_page(other, traffic, inputs.update_bytes)),
        ]
        progress(0.5 + 0.5 * log_pages / layout.slots, None)
    more = {"regions": _columns(inputs, regions, "log_pages", "log region [pages]", "1", inputs.log_pages)}
    facts = {
        "log_sectors": Fact(layout.log_sectors, "1", "sectors of a log region"),
        "programs_of_a_page": Fact(layout.programs_of_a_page, "1", "programs of a flash page between erases"),
        "data_pages": Fact(layout.data_pages, "1", "pages of data in an erase unit"),
        "pages_written": Fact(traffic.written.size / traffic.updates, "1", "pages that leave the buffer, per update"),
    }
    columns = _columns(inputs, works, "update_bytes", "update", "B", inputs.update_bytes)
    return Result.of(columns, _notes(inputs, layout), facts=facts, more=more)


def _columns(inputs: Inputs, works: list, axis: str, label: str, unit: str, chosen: float) -> dict[str, Column]:
    chip = inputs.layout().chip
    place = np.array([at for _, at, _ in works])
    found = [work for *_, work in works]
    times = {term: np.array([work.times_s(chip)[term] for work in found]) for term in TERMS}

    def per_update(values) -> np.ndarray:
        return np.array(values, float) / inputs.updates

    return {
        "method": Column(np.array([method for method, *_ in works]), "text", "changed pages are written"),
        axis: Column(place, unit, label),
        "erases_per_update": Column(per_update([work.erases for work in found]), "1", "erases per update"),
        "programs_per_update": Column(per_update([work.programs for work in found]), "1", "programs per update"),
        "sectors_per_update": Column(per_update([work.sectors for work in found]), "1", "log sectors per update"),
        "time_per_update_s": Column(np.sum(list(times.values()), axis=0), "s", "time per update"),
        **{term: Column(times[term], "s", TERMS[term]) for term in TERMS},
        "chosen": Column(place == chosen, "1", "chosen"),
    }


def _notes(inputs: Inputs, layout: Layout) -> Iterator[str]:
    if layout.programs_of_a_page > 1:
        yield (
            f"A flash page of a log region is programmed {layout.programs_of_a_page} times between two erases: single-"
            "level cells of the time allowed four, cells of several bits one."
        )
    yield "Operations go one after the other on one chip; a log sector takes as long to program as a flash page."
    yield (
        "The log of the whole device has the same flash: what in-page logging takes for log regions is its spare "
        f"space, and {page_logging.RESERVE_BLOCKS} blocks besides."
    )


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The unit and its log region, and for each way of writing the terms of an update's time."""
    layout = inputs.layout()
    lines = [
        f"An erase unit of {format_bytes(layout.unit_bytes)} has {grouped(layout.data_pages)} pages of data and a log "
        f"region of {layout.log_sectors} sectors; {result.facts['pages_written'].number:.3f} pages leave the buffer "
        "per update."
    ]
    for row in result.rows(chosen=True):
        terms = " + ".join(f"{TERMS[term]} {format_seconds(result[term][row])}" for term in TERMS if result[term][row])
        lines.append(
            f"{result['method'][row]}: {result['erases_per_update'][row]:.4f} erases per update; {terms} = "
            f"{result.cell('time_per_update_s', row)}."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        result.rows(chosen=True),
        "erases_per_update",
        cells(result, "method"),
        several="An update of {size} erases fewest blocks with {least}, {low}; with {most} it is {high}, "
        "{times} as many.",
        one="An update of {size} erases {high} blocks with {most}.",
        none="Nothing is known of the erases.",
        size=format_bytes(inputs.update_bytes),
    )


STUDY = Study(
    name="in_page_logging",
    title="Does a log in each erase unit save erases? In place, log-structured, in-page logging",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="log",
    source="Lee and Moon 2007; fernando2011 §2.2",
    presets={
        "Lee and Moon's unit": {"chip": "nand-slc-large-block", "log_pages": 1, "sector_bytes": 512},
        "large updates": {"update_bytes": 4000},
        "skewed updates": {"hot_writes": 0.8},
    },
)
