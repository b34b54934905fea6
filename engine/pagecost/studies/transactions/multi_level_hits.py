"""How many references does each level of a storage hierarchy answer? Rahm's Table 4.2, without time."""

from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost.answers.transaction_runs import DebitCreditLoad
from pagecost.studies import finding
from pagecost.studies.fields import Choice, Choices, From, OfSystem, Steps, how_many
from pagecost.studies.finding import Finding, at, cells, compared, percent
from pagecost.studies.shared_fields import SEED, STRATEGIES
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.transactions import transaction_inputs as parameters
from pagecost.transactions import Computer, DiskUnit, hits, rahm, theory
from pagecost.units import grouped
from pagecost.workload.debit_credit import DebitCredit

SIZES = (200, 500, 1000, 2000, 5000)
LEVELS = {
    "volatile": ("volatile cache", 1.0, "volatile disk cache"),
    "non-volatile": ("non-volatile cache", 1.0, "non-volatile disk cache"),
    "NVEM": ("NVEM cache", 1.0, "NVEM cache"),
    "NVEM, half size": ("NVEM cache", 0.5, "NVEM cache of half the size"),
}
TRANSACTIONS = 60_000


class Inputs(StudyInputs):
    """The caches behind main memory, and what the caches do on a miss."""

    levels: Annotated[
        tuple[str, ...],
        Choices(lambda: {name: title for name, (_, _, title) in LEVELS.items()}, noun="second level"),
        Field(min_length=1, title="Second level", description="What lies between main memory and disk."),
    ] = tuple(LEVELS)
    strategies: Annotated[
        tuple[str, ...],
        Choices(lambda: STRATEGIES, noun="update strategy"),
        OfSystem("log.update_strategy"),
        Field(min_length=1, title="Update strategy", description="FORCE writes every changed page at commit."),
    ] = ("NOFORCE", "FORCE")
    cache_pages: parameters.CACHE_PAGES = 1000
    nvem_caching: parameters.NVEM_CACHING = rahm.NVEM_CACHING
    buffer_pages: Annotated[
        int,
        Steps(SIZES, "pages", how_many("pages")),
        OfSystem("memory.buffer_frames"),
        Field(ge=2, le=1_000_000, title="Main-memory buffer in detail", description="Hits by level at this size."),
    ] = 500
    cache_read_misses: Annotated[
        str,
        Choice(lambda: parameters.YES_NO),
        From("rahm1992 §3.3"),
        Field(title="Disk caches keep read misses", description="The page will be in main memory as well."),
    ] = "yes"
    cache_write_misses: Annotated[
        str,
        Choice(lambda: parameters.YES_NO),
        From("rahm1992 §3.3"),
        Field(title="Volatile caches keep write misses", description="Non-volatile ones always do."),
    ] = "no"
    local_share: Annotated[
        float,
        Steps((0.0, 0.5, 0.85, 1.0), "1", lambda share: f"{share:.0%}"),
        From(parameters.TABLE),
        Field(ge=0, le=1, title="Local accounts", description="K: accounts of the teller's own branch."),
    ] = 0.85
    reads_appended: parameters.READS_APPENDED = "yes"
    seed: SEED = 1

    @property
    def names(self) -> dict[str, str]:
        """Series -> its name: each second level with each strategy."""
        return {
            f"{level}, {strategy}": f"{LEVELS[level][2]}, {strategy}"
            for strategy in self.strategies
            for level in self.levels
        }


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per second level, strategy and size of the main-memory buffer."""
    rows = [
        (level, strategy, size)
        for strategy in inputs.strategies
        for level in inputs.levels
        for size in sorted({*SIZES, inputs.buffer_pages})
    ]
    found = []
    for done, row in enumerate(rows, start=1):
        found.append((row, _hits(inputs, *row)))
        if done % 5 == 0:
            progress(done / len(rows), partial(_result, inputs, found.copy()))
    return _result(inputs, found).with_notes(_NOTES)


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For the size in detail: hits of the levels and what is left for the disks."""
    lines = []
    for row in result.rows(buffer_pages=inputs.buffer_pages):
        main, second = 100 * result["main_hits"][row], 100 * result["second_hits"][row]
        lines.append(
            f"{result.cell('configuration', row)}: of 100 references main memory answers {main:.1f} and the second "
            f"level {second:.1f}, so {100 - main - second:.1f} are left; {result['page_writes'][row]:.2f} pages per "
            f"transaction are written to where they live."
        )
    by_formula = theory.che_main_memory(inputs.buffer_pages)
    if inputs.buffer_pages < theory.CHE_LEAST_PAGES:
        lines.append(
            f"Main memory by Che's formula: only from {theory.CHE_LEAST_PAGES} pages on, for it takes the newest "
            "HISTORY page as always held."
        )
        return lines
    lines.append(
        f"Main memory by Che's formula: ACCOUNT 0, HISTORY {by_formula['HISTORY']:.1%}, BRANCH "
        f"{by_formula['BRANCH']:.1%}, TELLER 100%; a quarter of each is {by_formula['all']:.1%}."
    )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    rows = result.rows(chosen=True)
    first = "With {pages} pages main memory answers {hits} of the references; " if rows.size else ""
    known = {"hits": percent(at(result, "main_hits", rows[0]))} if rows.size else {}
    return Finding(
        finding.found(first, pages=grouped(inputs.buffer_pages), **known),
        compared(
            result,
            rows,
            "second_hits",
            cells(result, "configuration"),
            several="of the second levels {most} answers most, {high}, and {least} fewest, {low}.",
            one="the second level, {most}, answers {high}.",
            none="No second level was asked for.",
            show=percent,
        ),
    )


def _hits(inputs: Inputs, level: str, strategy: str, buffer_pages: int):
    database, share, _ = LEVELS[level]
    unit = DiskUnit(
        name=rahm.DATABASE,
        cache_read_misses=inputs.cache_read_misses == "yes",
        cache_write_misses=inputs.cache_write_misses == "yes",
    )
    computer = Computer(
        buffer_pages=buffer_pages, force=strategy == "FORCE", reads_appended=inputs.reads_appended == "yes"
    )
    pages = max(1, int(inputs.cache_pages * share))
    caching = inputs.nvem_caching
    system = rahm.system(
        database, "nvem", computer=computer, database_unit=unit, cache_pages=pages, nvem_caching=caching
    )
    of = DebitCreditLoad(DebitCredit(local_share=inputs.local_share), inputs.seed)
    return hits(system, of.load(system.cached_pages), transactions=TRANSACTIONS)


def _result(inputs: Inputs, found) -> Result:
    rows = [row for row, _ in found]
    answers = [hit for _, hit in found]
    main = np.array([hit.ratio("main") for hit in answers])
    second = np.array([hit.second_level for hit in answers])
    sizes = np.array([size for _, _, size in rows])
    by_formula = {size: theory.che_main_memory(int(size))["all"] for size in set(sizes.tolist())}
    return Result.of(
        {
            "configuration": Column(
                np.array([f"{level}, {strategy}" for level, strategy, _ in rows]), "text", "level", inputs.names
            ),
            "buffer_pages": Column(sizes, "1", "main-memory buffer, pages"),
            "main_hits": Column(main, "1", "hit ratio of main memory"),
            "formula_main_hits": Column(
                np.array([by_formula[size] for size in sizes.tolist()]), "1", "by Che's formula"
            ),
            "second_hits": Column(second, "1", "hit ratio of the second level, of all references"),
            "left": Column(1 - main - second, "1", "share of references that neither level answers"),
            "branch_hits": Column(np.array([hit.ratio("main", "BRANCH") for hit in answers]), "1", "BRANCH in memory"),
            "page_reads": Column(np.array([sum(hit.reads.values()) for hit in answers]), "1", "reads per transaction"),
            "page_writes": Column(
                np.array([sum(hit.writes.values()) for hit in answers]), "1", "writes per transaction"
            ),
            "chosen": Column(sizes == inputs.buffer_pages, "1", "the size in detail"),
        }
    )


_NOTES = (
    f"Debit-Credit with clustered BRANCH and TELLER; {grouped(TRANSACTIONS)} transactions one after the other, after "
    "the caches were filled. The second level's share is of all four references of a transaction, as in the paper.",
    "An NVEM cache that takes all pages takes a replaced one under FORCE again, although a copy went there at commit; "
    "only so do the paper's 3.4 and 0.6 % come out.",
)

STUDY = Study(
    name="multi_level_hits",
    title="How many references does each level of the hierarchy answer?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="buffer",
    source="rahm1992 §4.5, Table 4.2",
    presets={
        "Table 4.2": {},
        "advice: keep write misses, not read misses": {
            "levels": ("volatile", "non-volatile"),
            "cache_read_misses": "no",
            "cache_write_misses": "yes",
            "strategies": ("NOFORCE",),
        },
        "new HISTORY pages are not read": {"reads_appended": "no"},
    },
)
