"""What does a random overwrite really cost, and how much spare space and which collector make it cheap?"""

import functools
import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, field_validator, model_validator

from pagecost.devices import ftl
from pagecost.devices.ftl import theory
from pagecost.errors import known, require
from pagecost.studies.fields import Choice, Choices, From, Steps
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress

SPARES = (0.05, 0.07, 0.10, 0.15, 0.20, 0.28, 0.40, 0.50)
REPLICATIONS = 4
ROUNDS = 9  # each writes the device once; the last three are measured
FRONTIERS = {"shared": "one block for both", "separate": "a block of their own"}


class Inputs(StudyInputs):
    """The device, the collector and the load."""

    spare: Annotated[
        float,
        Steps(tuple(percent / 100 for percent in range(4, 61)), "1", lambda share: f"{share:.0%}"),
        Field(
            ge=0.03,
            le=0.9,
            title="Spare space",
            description="Share of the flash that the host never sees: 1 - logical / physical pages.",
        ),
    ] = 0.07
    policies: Annotated[
        tuple[str, ...],
        Choices(lambda: {name: policy.title for name, policy in ftl.VICTIMS.items()}),
        Field(min_length=1, title="Victim policies", description="Which block is collected when free ones run out."),
    ] = ("fifo", "greedy", "d-choices")
    choices: Annotated[
        int,
        Steps((1, 2, 3, 5, 10, 20), "1", lambda d: f"d = {d}"),
        Field(ge=1, le=1000, title="d of d choices", description="Blocks drawn, of which the emptiest is collected."),
    ] = 2
    workload: Annotated[
        str,
        Choice(lambda: ftl.KINDS),
        Field(title="Workload", description="Which pages the host overwrites, one at a time."),
    ] = "uniform"
    hot_share: Annotated[
        float,
        Steps((0.05, 0.1, 0.2, 0.3, 0.4, 0.5), "1", lambda share: f"{share:.0%} of the pages"),
        Field(gt=0, lt=1, title="Hot pages", description="Share of the pages that is hot (hot and cold only)."),
    ] = 0.2
    hot_writes: Annotated[
        float,
        Steps((0.5, 0.6, 0.7, 0.8, 0.9, 0.95), "1", lambda share: f"{share:.0%} of the writes"),
        Field(gt=0, lt=1, title="Hot writes", description="Share of the writes that the hot pages get."),
    ] = 0.8
    trimmed: Annotated[
        float,
        Steps((0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5), "1", lambda share: f"{share:.0%} trimmed"),
        Field(ge=0, le=0.9, title="Trimmed", description="Share of the logical pages that the host has given back."),
    ] = 0.0
    frontiers: Annotated[
        str,
        Choice(lambda: FRONTIERS),
        Field(title="Copies go to", description="Copied pages tend to be cold: apart, they keep out of hot blocks."),
    ] = "shared"
    blocks: Annotated[
        int,
        Steps((256, 512, 1024), "blocks", lambda count: f"{count} blocks"),
        Field(ge=64, le=8192, title="Erase blocks", description="More blocks are nearer to theory, and slower."),
    ] = 256
    pages_per_block: Annotated[
        int,
        Steps((16, 32, 64, 128, 256), "pages", lambda count: f"{count} pages"),
        From("wang2011 Table 1"),
        Field(ge=4, le=1024, title="Pages per block", description="Pages that are erased together."),
    ] = 64
    seed: Annotated[
        int,
        Steps(tuple(range(1, 11)), "1", lambda seed: f"seed {seed}"),
        Field(ge=1, le=2**31, title="Seed", description="Equal seeds give equal numbers."),
    ] = 1

    @field_validator("policies")
    @classmethod
    def _known_policies(cls, names):
        for name in names:
            known("victim policy", name, ftl.VICTIMS)
        require(len(set(names)) == len(names), f"a policy is named twice in {', '.join(names)}")
        return names

    @field_validator("workload")
    @classmethod
    def _known_workload(cls, name):
        return known("workload", name, ftl.KINDS)

    @field_validator("frontiers")
    @classmethod
    def _known_frontiers(cls, name):
        return known("place for copies", name, FRONTIERS)

    @model_validator(mode="after")
    def _room_for_the_reserve(self):
        spare_blocks = self.blocks * min(self.spare, SPARES[0])
        require(
            spare_blocks >= 6, f"{self.blocks} blocks leave the collector {spare_blocks:.1f} spare ones; it needs 6"
        )
        return self


class Case(NamedTuple):
    """Everything that one point of a curve depends on."""

    policy: str
    spare: float
    choices: int
    workload: ftl.Workload
    separate: bool
    blocks: int
    pages_per_block: int
    seed: int

    @property
    def geometry(self) -> ftl.Geometry:
        return ftl.Geometry(blocks=self.blocks, pages_per_block=self.pages_per_block, spare=self.spare)


class Point(NamedTuple):
    """Means over the replications; half_width of the 95 % confidence interval of write amplification."""

    write_amplification: float
    half_width: float
    host_pages: int
    copied_pages: int
    erases: int
    worst_request: int
    wear: float
    steady: bool
    sentence: str


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per policy and spare space, simulated beside theory; `chosen` marks the spare space of the inputs.

    wear: largest over mean erase count. theory: nan where none is known for the workload. worst_request: most pages
    that one host write had to wait for.
    """
    cases = [_case(inputs, policy, inputs.spare) for policy in inputs.policies]
    cases += [_case(inputs, policy, spare) for spare in reversed(SPARES) for policy in inputs.policies]
    found: dict[Case, Point] = {}
    workers = ThreadPoolExecutor(max_workers=min(os.cpu_count() or 1, 8))
    try:
        running = {workers.submit(_point, case): case for case in dict.fromkeys(cases)}
        for done, future in enumerate(as_completed(running), start=1):
            found[running[future]] = future.result()
            if done % len(inputs.policies) == 0 and all(case in found for case in cases[: len(inputs.policies)]):
                progress(done / len(running), _result(inputs, found))
    finally:
        workers.shutdown(cancel_futures=True)
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
            f"{title}: ({host} host pages + {copied} copies) / {host} = {amplification:.3f} ± {half_width:.3f}; "
            f"a collected block holds {live:.1f} of {inputs.pages_per_block} pages live, "
            f"and 1 / (1 - {live:.1f} / {inputs.pages_per_block}) is the same"
        )
        if np.isfinite(result["theory"][row]):
            line += f"; theory {result['theory'][row]:.3f}"
        lines.append(f"{line}.")
    return lines


def title_of(inputs: Inputs, policy: str) -> str:
    """The policy by its title, with d where it matters."""
    return f"Best of {inputs.choices} drawn" if policy == "d-choices" else ftl.VICTIMS[policy].title


def _case(inputs: Inputs, policy: str, spare: float) -> Case:
    load = ftl.Workload(
        kind=inputs.workload, hot_share=inputs.hot_share, hot_writes=inputs.hot_writes, trimmed=inputs.trimmed
    )
    choices = inputs.choices if policy == "d-choices" else 2
    separate = inputs.frontiers == "separate"
    return Case(policy, spare, choices, load, separate, inputs.blocks, inputs.pages_per_block, inputs.seed)


@functools.lru_cache(maxsize=8192)
def _point(case: Case) -> Point:
    """One point, kept: a slider that comes back costs nothing."""
    runs = [
        ftl.simulate(
            case.geometry,
            case.workload,
            policy=case.policy,
            choices=case.choices,
            separate=case.separate,
            rounds=ROUNDS,
            seed=1000 * case.seed + number,
        )
        for number in range(REPLICATIONS)
    ]
    mean, half_width = ftl.mean_and_half_width([run.write_amplification for run in runs])
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


@functools.lru_cache(maxsize=8192)
def _theory(case: Case) -> float:
    """Write amplification by theory for the spare space without the collector's reserve; nan if none is known."""
    load = case.workload
    if load.kind == "sequential" and case.policy in ("fifo", "greedy", "cost-benefit"):
        return 1.0
    if case.separate:
        return np.nan
    rho = theory.load(case.geometry, trimmed=load.trimmed)
    if case.policy == "random":
        return theory.random_victim(rho)  # a random block is as full as the mean, whatever is written
    if case.policy == "fifo":
        return theory.fifo_mixed(rho, *_classes(load, case.geometry.logical_pages))
    if load.kind != "uniform":
        return np.nan
    if case.policy == "greedy":
        return theory.greedy(rho, case.pages_per_block)
    return theory.d_choices(rho, case.pages_per_block, case.choices) if case.policy == "d-choices" else np.nan


def _classes(load: ftl.Workload, logical_pages: int):
    """(shares of the pages, shares of the writes) of the classes of equally popular pages."""
    if load.kind == "hot-cold":
        return (load.hot_share, 1 - load.hot_share), (load.hot_writes, 1 - load.hot_writes)
    if load.kind == "zipf":
        pages = load.live_pages(logical_pages)
        popularity = np.arange(1, pages + 1, dtype=float) ** -load.alpha
        return np.full(pages, 1 / pages), popularity / popularity.sum()
    return (1.0,), (1.0,)


def _result(inputs: Inputs, found: dict, notes=()) -> Result:
    """The points that are there: first the chosen spare space, then each policy's curve by rising spare space."""
    rows = [(_case(inputs, policy, inputs.spare), True) for policy in inputs.policies]
    rows += [(_case(inputs, policy, spare), False) for policy in inputs.policies for spare in SPARES]
    rows = [(case, chosen) for case, chosen in rows if case in found]
    points = [found[case] for case, _ in rows]
    amplification = np.array([point.write_amplification for point in points])
    spare = np.array([case.spare for case, _ in rows])
    columns = {
        "policy": Column(np.array([case.policy for case, _ in rows]), "text", "victim policy"),
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
    return Result(columns, tuple(notes))


def _notes(inputs: Inputs, found: dict):
    pages = inputs.blocks * inputs.pages_per_block
    yield (
        f"{inputs.blocks} blocks of {inputs.pages_per_block} pages = {pages} pages; filled once in order, then "
        f"overwritten {ROUNDS} times; the last {ROUNDS // 3} passes of {REPLICATIONS} replications are measured."
    )
    yield (
        "Spare space is a share of the flash; vendors state over-provisioning of what the host sees "
        f"({inputs.spare:.1%} spare = {inputs.spare / (1 - inputs.spare):.1%}). Theory leaves out the 2 blocks that "
        "the collector keeps free."
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
        "20 % of the pages trimmed": {"trimmed": 0.2},
        "sequential overwrite": {"workload": "sequential"},
    },
)
