"""What is a second level of buffering worth behind main memory? Rahm's Fig. 4.4."""

import functools
from typing import Annotated

from pydantic import Field

from pagecost.answers.transaction_runs import Case
from pagecost.studies.fields import Choices, From
from pagecost.studies.finding import Finding
from pagecost.studies.study import Progress, Result, Study, formulas_first, no_progress
from pagecost.studies.transactions import transaction_inputs as parameters
from pagecost.studies.transactions import transaction_system as shared
from pagecost.transactions import rahm
from pagecost.units import grouped

SIZES = (200, 500, 1000, 2000, 3000, 5000)
LEVELS = {
    "none": "none",
    "volatile cache": "volatile disk cache",
    "write buffer": "write buffer in a disk cache",
    "non-volatile cache": "non-volatile disk cache",
    "NVEM, half size": "NVEM cache of half the size",
    "NVEM": "NVEM cache",
}


class Inputs(parameters.StrategyInputs):
    """The kinds of second level, and the load (the input `buffer_pages` is what is taken apart)."""

    levels: Annotated[
        tuple[str, ...],
        Choices(lambda: LEVELS, noun="second level"),
        Field(min_length=1, title="Second level", description="What lies between main memory and disk."),
    ] = tuple(LEVELS)
    cache_pages: parameters.CACHE_PAGES = 1000
    nvem_caching: parameters.NVEM_CACHING = rahm.NVEM_CACHING
    rate_hz: Annotated[float, *parameters.rate("", "Rate"), From("rahm1992 §4.5")] = 500.0


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per second level and size of the main-memory buffer."""
    return shared.curves(
        inputs,
        names_of(inputs),
        SIZES,
        functools.partial(case_of, inputs),
        progress,
        chosen=inputs.buffer_pages,
        axis=("buffer_pages", "1", "main-memory buffer, pages"),
        chosen_label="size in detail",
    )


def names_of(inputs: Inputs) -> dict[str, str]:
    """Series -> its name."""
    return {name: LEVELS[name] for name in inputs.levels}


def explain(inputs: Inputs, result: Result) -> list[str]:
    """At the chosen size of main memory: the terms of the response time, which add up."""
    return shared.explain_rows(result, result.rows(chosen=True), buffer_pages=inputs.buffer_pages)


def case_of(inputs: Inputs, name: str, buffer_pages: float) -> Case:
    """One point of a series."""
    system = system_of(inputs, name, int(buffer_pages))
    return Case(name, buffer_pages, system, inputs.transactions, inputs.rate_hz, inputs.seed)


def system_of(inputs: Inputs, level: str, buffer_pages: int):
    """Non-volatile memory is used for the log too (§4.5); the log disks are no bottleneck."""
    database, log, cache_pages = {
        "none": ("disk", "disk", 1),
        "volatile cache": ("volatile cache", "disk", inputs.cache_pages),
        "write buffer": ("disk cache write buffer", "disk cache write buffer", 1),
        "non-volatile cache": ("non-volatile cache", "disk cache write buffer", inputs.cache_pages),
        "NVEM, half size": ("NVEM cache", "nvem", inputs.cache_pages // 2),
        "NVEM": ("NVEM cache", "nvem", inputs.cache_pages),
    }[level]
    caching = inputs.nvem_caching
    return inputs.system(
        database, log, log_disks=50, cache_pages=cache_pages, nvem_caching=caching, buffer_pages=buffer_pages
    )


def with_memory(inputs: Inputs) -> str:
    """The point that is taken apart, in words."""
    return f"with {grouped(inputs.buffer_pages)} pages of main memory"


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return shared.fastest(result, with_memory(inputs), buffer_pages=inputs.buffer_pages)


STUDY = Study(
    name="second_level_buffer",
    title="What is a second level of buffering worth behind main memory?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    estimate=formulas_first(compute),
    place="buffer",
    source="rahm1992 §4.5, Fig. 4.4",
    presets={
        "Fig. 4.4: 1000 pages behind 200 to 5000": {},
        "small main memory in detail": {"buffer_pages": 500},
        "FORCE": {"strategy": "FORCE"},
    },
)
