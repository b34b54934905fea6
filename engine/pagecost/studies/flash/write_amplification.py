"""What does a random overwrite really cost, and how much spare space and which collector make it cheap?"""

import math
from concurrent.futures import as_completed
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from pagecost.answers import remembered
from pagecost.devices import ftl
from pagecost.devices.ftl import theory
from pagecost.intervals import mean_and_half_width
from pagecost.studies.fields import Choice, Choices, Steps, how_many
from pagecost.studies.finding import Finding, at, cells, compared, least_and_most, things
from pagecost.studies.flash import flash_fields
from pagecost.studies.flash.flash_fields import HOT_SHARE, HOT_WRITES, PAGES_PER_BLOCK, WORKLOAD
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, formulas_first, no_progress
from pagecost.studies.workers import workers
from pagecost.units import grouped

SPARES = (0.05, 0.07, 0.10, 0.15, 0.20, 0.28, 0.40, 0.50)
CHOOSING = {"d-choices": "Best of {} drawn", "windowed-greedy": "Best of the {} oldest"}
PARAMETER = {"d-choices": "choices", "windowed-greedy": "window"}  # by which a policy is told among how many
REPLICATIONS = 4
ROUNDS = 9  # each writes the device once; the last three are measured
FRONTIERS = {
    "shared": "nothing: one open block",
    "separate": "copies from the host's writes",
    "heat": "hot pages from cold ones",
}


class Inputs(StudyInputs):
    """The device, the collector and the load."""

    spare: Annotated[float, *flash_fields.spare(*flash_fields.shares(*range(4, 61)), ge=0.03)] = 0.07
    policies: Annotated[
        tuple[str, ...],
        Choices(lambda: {name: policy.title for name, policy in ftl.VICTIMS.items()}, noun="victim policy"),
        Field(min_length=1, title="Victim policies", description="Which block is collected when free ones run out."),
    ] = ("fifo", "greedy", "d-choices")
    choices: Annotated[
        int,
        Steps((1, 2, 3, 5, 10, 20, 50, 100), "1", how_many("blocks")),
        Field(
            ge=1,
            le=8192,
            title="Choice among",
            description="Blocks of which the emptiest is collected: d of d choices, the window of windowed greedy.",
        ),
    ] = 2
    workload: WORKLOAD = "uniform"
    hot_share: HOT_SHARE = 0.2
    hot_writes: HOT_WRITES = 0.8
    trimmed: Annotated[
        float,
        Steps((0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5), "1", lambda share: f"{share:.0%} trimmed"),
        Field(ge=0, le=0.9, title="Trimmed", description="Share of the logical pages that the host has given back."),
    ] = 0.0
    frontiers: Annotated[
        str,
        Choice(lambda: FRONTIERS, noun="frontiers"),
        Field(
            title="Kept apart",
            description="Copied pages tend to be cold. A counter of writes tells hot pages from cold ones better.",
        ),
    ] = "shared"
    blocks: Annotated[int, *flash_fields.blocks(256, 512, 1024)] = 256
    pages_per_block: PAGES_PER_BLOCK = 64
    seed: SEED = 1

    @model_validator(mode="after")
    def _room_for_the_reserve(self):
        flash_fields.enough_spare_blocks(self.blocks, min(self.spare, SPARES[0]), "the collector")
        return self


class Case(NamedTuple):
    """Everything that one point of a curve depends on."""

    policy: str
    spare: float
    choices: int
    workload: ftl.Workload
    frontiers: str
    blocks: int
    pages_per_block: int
    seed: int

    @property
    def geometry(self) -> ftl.Geometry:
        """The device with the spare space of the slider."""
        return ftl.Geometry(blocks=self.blocks, pages_per_block=self.pages_per_block, spare=self.spare)


class Point(NamedTuple):
    """Means over the replications; half_width of the 95 % confidence interval of write amplification."""

    write_amplification: float
    half_width: float
    host_pages: float
    copied_pages: float
    erases: float
    worst_request: float
    wear: float
    steady: bool
    sentence: str


NOT_SIMULATED = Point(
    write_amplification=math.nan,
    half_width=math.nan,
    host_pages=math.nan,
    copied_pages=math.nan,
    erases=math.nan,
    worst_request=math.nan,
    wear=math.nan,
    steady=False,
    sentence="",
)


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per policy and spare space, simulated beside theory; `chosen` marks the spare space of the inputs.

    wear: largest over mean erase count. theory: nan where none is known for the workload. worst_request: most pages
    that one host write had to wait for.
    """
    cases = [_case(inputs, policy, inputs.spare) for policy in inputs.policies]
    cases += [_case(inputs, policy, spare) for spare in reversed(SPARES) for policy in inputs.policies]
    found: dict[Case, Point] = {}
    if np.isfinite([_theory(case) for case in cases]).any():
        progress(0.0, lambda: _result(inputs, dict.fromkeys(cases, NOT_SIMULATED)))
    with workers() as pool:
        running = {pool.submit(_point, case): case for case in dict.fromkeys(cases)}
        for done, future in enumerate(as_completed(running), start=1):
            found[running[future]] = future.result()
            if done % len(inputs.policies) == 0 and all(case in found for case in cases[: len(inputs.policies)]):
                progress(done / len(running), partial(_result, inputs, found.copy()))
    return _result(inputs, found, _notes(inputs, found))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each policy at the chosen spare space: programs over host pages, what a victim holds, and theory."""
    lines = []
    for row in result.rows(chosen=True):
        title = title_of(inputs, result["policy"][row])
        host, copied = (int(result[name][row]) for name in ("host_pages", "copied_pages"))
        amplification, half_width = result["write_amplification"][row], result["half_width"][row]
        live = inputs.pages_per_block * (1 - 1 / amplification)
        line = (
            f"{title}: ({grouped(host)} host pages + {grouped(copied)} copies) / {grouped(host)} = {amplification:.3f} "
            f"± {half_width:.3f}; a collected block holds {live:.1f} of {inputs.pages_per_block} pages live, "
            f"and 1 / (1 - {live:.1f} / {inputs.pages_per_block}) is the same"
        )
        if np.isfinite(result["theory"][row]):
            line += f"; theory {result['theory'][row]:.3f}"
        lines.append(f"{line}.")
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    rows = result.rows(chosen=True)
    both = least_and_most(result, rows, "write_amplification")
    theory = at(result, "theory", both[0]) if both else None
    return compared(
        result,
        rows,
        "write_amplification",
        cells(result, "policy"),
        several="With {spare} spare space {least} programs fewest, {low} per host page"
        + (" ({theory} in theory)" if theory and np.isfinite(theory.number) else "")
        + "; {most} programs {high}.",
        one="With {spare} spare space {most} programs {high} per host page.",
        none="Nothing is known of the pages programmed.",
        show=lambda fact: things(fact, "page"),
        spare=f"{inputs.spare:.0%}",
        theory=theory or "",
    )


def title_of(inputs: Inputs, policy: str) -> str:
    """The policy by its title, with the number of blocks it chooses among where that matters."""
    return CHOOSING[policy].format(inputs.choices) if policy in CHOOSING else ftl.VICTIMS[policy].title


def _load(inputs: Inputs) -> ftl.Workload:
    return ftl.Workload(
        kind=inputs.workload, hot_share=inputs.hot_share, hot_writes=inputs.hot_writes, trimmed=inputs.trimmed
    )


def _case(inputs: Inputs, policy: str, spare: float) -> Case:
    choices = inputs.choices if policy in CHOOSING else 2
    return Case(
        policy, spare, choices, _load(inputs), inputs.frontiers, inputs.blocks, inputs.pages_per_block, inputs.seed
    )


def _spelled(case: Case) -> str:
    return f"{case.policy}:{PARAMETER[case.policy]}={case.choices}" if case.policy in PARAMETER else case.policy


@remembered
def _point(case: Case) -> Point:
    """One point, kept: a slider that comes back costs nothing."""
    runs = [
        ftl.simulate(
            case.geometry,
            case.workload,
            policy=_spelled(case),
            separate=case.frontiers == "separate",
            heat_pages=int(case.frontiers == "heat"),
            rounds=ROUNDS,
            seed=1000 * case.seed + number,
        )
        for number in range(REPLICATIONS)
    ]
    mean, half_width = mean_and_half_width([run.write_amplification for run in runs])
    return Point(
        mean,
        half_width,
        sum(run.counts.host_pages for run in runs),
        sum(run.counts.copied_pages for run in runs),
        sum(run.counts.erases for run in runs),
        max(run.worst_request for run in runs),
        float(np.mean([run.erase_counts.max() / max(run.erase_counts.mean(), 1e-9) for run in runs])),
        all(run.steady for run in runs),
        runs[0].steadiness.sentence(),
    )


def by_theory(inputs: Inputs, policy: str, spare: float) -> float:
    """Write amplification of a policy at a spare space, of the device and load of the inputs; nan if none is known."""
    return _theory(_case(inputs, policy, spare))


@remembered
def _theory(case: Case) -> float:
    """Write amplification by theory for the spare space without the collector's reserve; nan if none is known."""
    load = case.workload
    if load.kind == "sequential" and case.policy in ("fifo", "greedy", "cost-benefit"):
        return 1.0
    if case.frontiers != "shared":
        return np.nan
    rho = theory.load(case.geometry, trimmed=load.trimmed)
    if case.policy == "random":
        return theory.random_victim(rho)  # a random block is as full as the mean, whatever is written
    if case.policy == "fifo":
        return theory.fifo_mixed(rho, *ftl.classes(load, case.geometry.logical_pages))
    if load.kind != "uniform":
        return np.nan
    if case.policy == "greedy":
        return theory.greedy(rho, case.pages_per_block)
    return theory.d_choices(rho, case.pages_per_block, case.choices) if case.policy == "d-choices" else np.nan


def _result(inputs: Inputs, found: dict, notes=()) -> Result:
    """The points that are there: first the chosen spare space, then each policy's curve by rising spare space."""
    rows = [(_case(inputs, policy, inputs.spare), True) for policy in inputs.policies]
    rows += [(_case(inputs, policy, spare), False) for policy in inputs.policies for spare in SPARES]
    rows = [(case, chosen) for case, chosen in rows if case in found]
    points = [found[case] for case, _ in rows]
    amplification = np.array([point.write_amplification for point in points])
    spare = np.array([case.spare for case, _ in rows])
    columns = {
        "policy": Column(
            np.array([case.policy for case, _ in rows]),
            "text",
            "victim policy",
            {policy: title_of(inputs, policy) for policy in inputs.policies},
        ),
        "spare": Column(spare, "1", "spare space, 1 - logical / physical"),
        "over_provisioning": Column(spare / (1 - spare), "1", "over-provisioning, physical / logical - 1"),
        "chosen": Column(np.array([chosen for _, chosen in rows]), "1", "the chosen spare space"),
        "write_amplification": Column(amplification, "1", "pages programmed per host page"),
        "half_width": Column(np.array([point.half_width for point in points]), "1", "± at 95 % confidence"),
        "theory": Column(np.array([_theory(case) for case, _ in rows]), "1", "write amplification by theory"),
        "copies_per_write": Column(amplification - 1, "1", "pages copied per host page"),
        "host_pages": Column(np.array([point.host_pages for point in points]), "1", "host pages, all replications"),
        "copied_pages": Column(np.array([point.copied_pages for point in points]), "1", "copied pages"),
        "erases": Column(np.array([point.erases for point in points]), "1", "block erases"),
        "worst_request": Column(np.array([point.worst_request for point in points]), "1", "worst host write, copies"),
        "wear": Column(np.array([point.wear for point in points]), "1", "largest over mean erase count"),
        "steady": Column(np.array([point.steady for point in points]), "1", "steady by the SNIA criterion"),
    }
    return Result.of(columns, notes)


def _notes(inputs: Inputs, found: dict):
    pages = inputs.blocks * inputs.pages_per_block
    yield (
        f"{grouped(inputs.blocks)} blocks of {inputs.pages_per_block} pages = {grouped(pages)} pages; filled once in "
        f"order, then overwritten {ROUNDS} times; the last {ROUNDS // 3} passes of {REPLICATIONS} replications are "
        "measured."
    )
    yield (
        "Spare space is a share of the flash; vendors state over-provisioning of what the host sees "
        f"({inputs.spare:.1%} spare = {inputs.spare / (1 - inputs.spare):.1%}). Theory leaves out the 2 blocks that "
        "the collector keeps free."
    )
    if inputs.workload == "hot-cold":
        rho = theory.load(_case(inputs, "fifo", inputs.spare).geometry, trimmed=inputs.trimmed)
        bound = theory.separated(rho, *ftl.classes(_load(inputs), 0))
        yield (
            f"Theory for hot and cold pages kept perfectly apart, FIFO for each, and the {inputs.spare:.0%} spare "
            f"space split in the best way: {bound:.3f}."
        )
    for case, point in found.items():
        if not point.steady:
            yield f"{title_of(inputs, case.policy)} at {case.spare:.0%} spare: {point.sentence}"


STUDY = Study(
    name="write_amplification",
    title="What does a random overwrite really cost? Write amplification against spare space and victim policy",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    estimate=formulas_first(compute),
    place="device",
    source="wang2011 §5.2.1; Desnoyers 2012; Van Houdt 2013",
    presets={
        "theory's table: FIFO, greedy, d = 2, random": {
            "policies": ("fifo", "greedy", "d-choices", "random"),
            "blocks": 512,
        },
        "80 % of the writes to 20 % of the pages": {
            "workload": "hot-cold",
            "policies": ("fifo", "greedy", "cost-benefit"),
        },
        "the same, copies kept apart": {
            "workload": "hot-cold",
            "policies": ("fifo", "greedy", "cost-benefit"),
            "frontiers": "separate",
        },
        "the same, hot pages kept apart from cold ones": {
            "workload": "hot-cold",
            "policies": ("fifo", "greedy", "cost-benefit"),
            "frontiers": "heat",
        },
        "every policy, hot pages kept apart": {
            "workload": "hot-cold",
            "policies": tuple(ftl.VICTIMS),
            "choices": 20,
            "frontiers": "heat",
            "pages_per_block": 32,
        },
        "from FIFO to greedy: the best of the 20 oldest": {
            "policies": ("fifo", "windowed-greedy", "greedy", "cost-age-times"),
            "choices": 20,
        },
        "20 % of the pages trimmed": {"trimmed": 0.2},
        "sequential overwrite": {"workload": "sequential"},
    },
)
