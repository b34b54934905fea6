"""What does it cost to clean a segment of a log, and how much of the volume may be full before that is dear?"""

from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from pagecost.answers import file_systems, remembered
from pagecost.answers.file_systems import BINS, Cleaned, Cleaning
from pagecost.devices import ftl
from pagecost.devices.ftl import theory
from pagecost.studies import finding
from pagecost.studies.fields import Choice, Choices, From, Steps, how_many
from pagecost.studies.finding import Finding, cells, compared
from pagecost.studies.path.path_fields import SELECTIONS
from pagecost.studies.shared_fields import HOT_SHARE, HOT_WRITES, SEED, WORKLOAD, percent, shares
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side

UTILISATIONS = shares(20, 35, 50, 60, 70, 75, 80, 85)
KEPT = {"together": "nothing", "sorted": "cleaned pages, by age", "apart": "cleaned pages from new ones"}
READS = {"whole": "whole segments", "live": "live blocks"}
SEGMENTS = 256
LEAST_EMPTY = 0.005  # of the cleaned segments hold nothing; less is not told from a log that is not quite steady


class Inputs(StudyInputs):
    """How full the log is, what is written to it, and how it is cleaned."""

    utilisation: Annotated[
        float,
        Steps(shares(*range(10, 90, 5)), "1", percent),
        Field(ge=0.05, le=0.88, title="Fill level", description="Share of the volume that live data take."),
    ] = 0.75
    selections: Annotated[
        tuple[str, ...],
        Choices(lambda: SELECTIONS, noun="selection of segments"),
        Field(min_length=1, title="Cleaned first", description="Which segments the cleaner takes."),
    ] = tuple(SELECTIONS)
    workload: WORKLOAD = "hot-cold"
    hot_share: HOT_SHARE = 0.1
    hot_writes: HOT_WRITES = 0.9
    kept_apart: Annotated[
        str,
        Choice(lambda: KEPT, noun="order of cleaned pages"),
        Field(title="Kept apart", description="Where the cleaner writes what lives: cleaned pages tend to be cold."),
    ] = "apart"
    reads: Annotated[
        str,
        Choice(lambda: READS, noun="way to read a segment"),
        From("Rosenblum and Ousterhout 1992, section 3.4"),
        Field(title="The cleaner reads", description="A whole segment in one piece, or only what lives in it."),
    ] = "whole"
    segment_blocks: Annotated[
        int,
        Steps((32, 64, 128, 256), "blocks", how_many("blocks")),
        Field(ge=8, le=512, title="Segment", description=f"Blocks of one of the {SEGMENTS} segments."),
    ] = 64
    seed: SEED = 1

    @model_validator(mode="after")
    def _whole(self):
        _case(self, self.selections[0], self.utilisation)  # a load that cannot be says so
        return self


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per selection and fill level, simulated beside theory; `chosen` marks the fill level of the inputs.

    write_cost: blocks that move per block of new data, reads of the cleaner included. Table `segments`: how full the
    segments are at the chosen fill level.
    """
    cases = [_case(inputs, name, inputs.utilisation) for name in inputs.selections]
    cases += [_case(inputs, name, level) for level in UTILISATIONS for name in inputs.selections]
    found: dict[Cleaning, Cleaned] = {}
    for done, (case, answer) in enumerate(side_by_side(_point, cases), start=1):
        found[case] = answer
        if done % len(inputs.selections) == 0:
            progress(done / len(cases), partial(_result, inputs, found.copy()))
    return _result(inputs, found, _notes(inputs))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each selection what the cleaner finds, and what follows from it."""
    lines = []
    for row in result.rows(chosen=True):
        u, read = result["cleaned_utilisation"][row], result["read"][row]
        lines.append(
            f"{result.cell('selection', row)}: a cleaned segment is u = {u:.3f} full, and a block of new data costs "
            f"{read:.2f} read + {result['rewritten'][row]:.2f} rewritten + 1 = "
            f"{result['write_cost'][row]:.2f}; {_formula(inputs.reads == 'whole', u, read)}."
        )
    for row in result.rows_in("theory", utilisation=inputs.utilisation):
        table = result.tables["theory"]
        line = f"Theory, {table['law'][row]}: {table['write_cost'][row]:.2f}."
        if line not in lines:
            lines.append(line)
    return lines


def _formula(whole: bool, u: float, read: float) -> str:
    """What a block costs by how full cleaned segments are, with its number; read: by the cleaner, for each new block.

    A whole segment is read for each 1 - u new blocks, but for the share e of the segments that hold nothing.
    """
    if not whole:
        return f"(1 + u) / (1 - u) = {(1 + u) / (1 - u):.2f}"
    empty = 1 - read * (1 - u)
    if empty < LEAST_EMPTY:
        return f"2 / (1 - u) = {2 / (1 - u):.2f}"
    cost = (2 - empty) / (1 - u)
    return f"e = {empty:.3f} of all cleaned ones hold nothing and are not read: (2 - e) / (1 - u) = {cost:.2f}"


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    rows = result.rows(chosen=True)
    if rows.size and not (result["write_cost"][rows] > 1).any():
        return finding.found(
            "On a volume that is {full} full nothing lives in the segments that are cleaned: cleaning moves no block.",
            full=f"{inputs.utilisation:.0%}",
        )
    return compared(
        result,
        rows,
        "write_cost",
        cells(result, "selection"),
        several="On a volume that is {full} full, cleaning {least} moves fewest blocks per block of new data, "
        "{low} with its own; {most} "
        "moves {high}.",
        one="On a volume that is {full} full, cleaning {most} moves {high} blocks per block of new data, its own too.",
        none="Nothing is known of the blocks moved.",
        full=f"{inputs.utilisation:.0%}",
    )


def _case(inputs: Inputs, selection: str, utilisation: float) -> Cleaning:
    load = ftl.Workload(kind=inputs.workload, hot_share=inputs.hot_share, hot_writes=inputs.hot_writes)
    return Cleaning(
        selection,
        utilisation,
        load,
        inputs.kept_apart == "sorted",
        2 if inputs.kept_apart == "apart" else 1,
        inputs.reads == "whole",
        SEGMENTS,
        inputs.segment_blocks,
        inputs.seed,
    )


def _cost(whole: bool, u: float) -> float:
    """Blocks moved per new one where cleaned segments are u full; nothing of an empty segment is read."""
    if u <= 0:
        return 1.0
    return (2 if whole else 1 + u) / (1 - u)


TOGETHER = "oldest first, all in one log"
FEWEST = "fewest live blocks first, uniform overwrites"
PARTED = "hot and cold perfectly apart, spare space split in the best way"


@remembered
def _law(case: Cleaning, rho: float) -> tuple[str, float]:
    """(what theory is about, blocks moved per new one by it) that stands beside a selection; ("", nan): none."""
    kind, classes = case.workload.kind, ftl.classes(case.workload, case.segments * case.segment_blocks)
    if case.selection == "timestamp" and kind != "sequential":
        return TOGETHER, _cost(case.whole, 1 - 1 / theory.fifo_mixed(rho, *classes))
    if case.selection == "greedy" and kind == "uniform":
        return FEWEST, _cost(case.whole, 1 - 1 / theory.greedy(rho, case.segment_blocks))
    if case.selection == "cost-benefit" and kind == "hot-cold":
        return PARTED, _cost(case.whole, 1 - 1 / theory.separated(rho, *classes))
    return "", np.nan


def _point(case: Cleaning) -> Cleaned:
    """A simulated point; its theory, which may take longer, is remembered beside it."""
    found = file_systems.cleaning(case)
    _law(case, found.rho)
    return found


def _result(inputs: Inputs, found: dict[Cleaning, Cleaned], notes=()) -> Result:
    rows = [(_case(inputs, name, inputs.utilisation), True) for name in inputs.selections]
    rows += [(_case(inputs, name, level), False) for name in inputs.selections for level in UTILISATIONS]
    rows = [(case, chosen) for case, chosen in rows if case in found]
    answers = [found[case] for case, _ in rows]
    read, rewritten = (np.array([getattr(answer, name) for answer in answers]) for name in ("read", "rewritten"))
    level = Column(np.array([case.utilisation for case, _ in rows]), "1", "live share of the volume")
    columns = {
        "selection": Column(np.array([case.selection for case, _ in rows]), "text", "cleaned first", SELECTIONS),
        "utilisation": level,
        "chosen": Column(np.array([chosen for _, chosen in rows]), "1", "the chosen fill level"),
        "write_cost": Column(1 + read + rewritten, "1", "blocks moved per block of new data"),
        "read": Column(read, "1", "read by the cleaner, per block of new data"),
        "rewritten": Column(rewritten, "1", "rewritten by the cleaner, per block of new data"),
        "cleaned_utilisation": Column(np.array([each.u for each in answers]), "1", "live share of cleaned segments"),
        "of_usable": Column(np.array([each.rho for each in answers]), "1", "live share, what is kept clean left out"),
    }
    more = {"segments": _segments([case for case, chosen in rows if chosen], found)}
    laws = [(case, *_law(case, found[case].rho)) for case, _ in rows]
    laws = [law for law in laws if law[1]]
    if laws:
        more["theory"] = {
            "selection": Column(np.array([case.selection for case, _, _ in laws]), "text", "beside", SELECTIONS),
            "law": Column(np.array([name for _, name, _ in laws]), "text", "theory of"),
            "utilisation": Column(np.array([case.utilisation for case, _, _ in laws]), "1", level.label),
            "write_cost": Column(np.array([cost for _, _, cost in laws]), "1", "blocks moved by theory"),
        }
    return Result.of(columns, notes, more=more)


def _segments(cases: list[Cleaning], found: dict[Cleaning, Cleaned]) -> dict[str, Column]:
    """How full the segments in use are, for each case in steps of a twentieth."""
    low = np.tile(np.arange(BINS) / BINS, len(cases))
    share = np.concatenate([np.zeros(0), *(found[case].shares for case in cases)])
    return {
        "selection": Column(np.repeat([case.selection for case in cases], BINS), "text", "cleaned first", SELECTIONS),
        "from_live": Column(low, "1", "live share of a segment, from"),
        "to_live": Column(low + 1 / BINS, "1", "live share of a segment, to"),
        "segments": Column(share, "1", "share of the segments in use"),
    }


def _notes(inputs: Inputs):
    yield (
        f"{SEGMENTS} segments of {inputs.segment_blocks} blocks without metadata, each page a block; overwritten "
        f"{file_systems.WARM_PASSES} times, then {file_systems.MEASURED_PASSES} times measured. Theory leaves out the "
        "segments that the cleaner keeps clean."
    )
    if inputs.reads == "whole":
        yield "Theory goes by how full cleaned segments are on average; one that holds nothing is not read."
    yield (
        "Pale lines: oldest first where new and cleaned pages share one log; fewest live blocks first for uniform "
        "overwrites; beside benefit over cost the bound for hot and cold pages that are kept perfectly apart."
    )
    if "timestamp" in inputs.selections and inputs.workload != "sequential":
        yield (
            "Oldest first passes over segments that are live as a whole, and its theory does not: it lies above where "
            "segments of few blocks are often so, with 8 blocks and 88 % in use by a fifth."
        )


STUDY = Study(
    name="segment_cleaning",
    title="What does it cost to clean a segment of a log? Blocks moved against how full the volume is",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="file system",
    source="Rosenblum and Ousterhout 1992; wang2011 §5.1; Desnoyers 2012",
    presets={
        "uniform overwrites beside theory": {"workload": "uniform", "kept_apart": "together"},
        "hot and cold together, oldest first beside theory": {"kept_apart": "together"},
        "cleaned pages sorted by age": {"kept_apart": "sorted"},
        "only live blocks are read": {"reads": "live", "workload": "uniform", "kept_apart": "together"},
        "80 % of the writes to 20 % of the pages": {"hot_share": 0.2, "hot_writes": 0.8},
    },
)
