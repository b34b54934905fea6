"""Which drives, and how many, answer so many requests a second within a time, for years and within a budget?"""

import math
from collections.abc import Iterable
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.answers import replays, response_goals, service_samples
from pagecost.answers.response_goals import Goal, Knee, Percentile
from pagecost.buffer import Curve
from pagecost.devices import title_of
from pagecost.economics import Endurance, Owned, endurance
from pagecost.studies import finding
from pagecost.studies.fields import Choice, Choices, Group, OfSystem, Steps, how_many
from pagecost.studies.finding import Finding, at, marked
from pagecost.studies.plan.goal_money import (
    BUDGET,
    DEAR,
    HOLDS,
    MONEY,
    PRICES,
    VOLUME,
    WATTS,
    WITHIN,
    affordable,
    cost_row,
    drives_for,
    owned_by,
    power,
    share_within,
    wear_row,
)
from pagecost.studies.plan.response_goal_said import (
    BEYOND,
    BUFFER_ALONE,
    BUFFERS,
    COSTS,
    CURVE,
    ESTIMATED,
    FORMULA,
    NUMBERS,
    UNSURE,
    WEAR,
    answered,
    columns_of,
    explain,
    notes,
)
from pagecost.studies.shared_fields import SEED, energy_price, horizon, per_second, share_of_reads
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, formulas_first, no_progress
from pagecost.studies.typed import CATALOGUE
from pagecost.workload import sources

NONE = "none"
CHECK_SEED = 7919  # added to the seed of the runs that look for the knee
SIZES = 33  # of the buffer, from a few pages to all
BUFFER = Group("A buffer in front")
DEFAULT = ("cheetah-15k5", "mtron-pro-7500", "intel-x25-e", "intel-dc-p3700-800gb")


class Inputs(StudyInputs):
    """The goal, the load, the drives, and what they may cost."""

    devices: Annotated[
        tuple[str, ...],
        Choices(
            lambda: {name: title_of(name) for name in service_samples.simulated()},
            noun="drive with mechanics",
            lacks=service_samples.LACKS,
        ),
        OfSystem("devices.database.device"),
        Field(min_length=1, title="Drives", description="All that can be simulated request by request."),
    ] = DEFAULT
    within_s: Annotated[float, *WITHIN] = 2e-3
    share: Annotated[float, *share_within("Share of the requests that the goal is for.")] = 0.99
    rate_hz: Annotated[
        float,
        Steps((100.0, 300.0, 1000.0, 3000.0, 10_000.0, 20_000.0, 50_000.0, 100_000.0, 1e6), "1/s", per_second),
        Field(gt=0, le=1e9, title="Requests", description="A second, at random times, on random pages of 4 KiB."),
    ] = 20_000.0
    read_share: Annotated[float, *share_of_reads("Of the requests, where no buffer is in front.")] = 0.7
    years: Annotated[float, *horizon("How long the drives shall last.")] = 5.0
    budget_usd: Annotated[float, *BUDGET] = 10_000.0
    load: Annotated[
        str,
        Choice(
            lambda: {NONE: "none: the requests as they are", **sources.titles()},
            free=True,
            such=lambda name: sources.check(name),
        ),
        BUFFER,
        Field(title="Load", description="Page references that go through a buffer (LRU) before the drives."),
    ] = NONE
    frames: Annotated[
        int,
        Steps(tuple(round(2 ** (k / 2)) for k in range(8, 41)), "frames", how_many("frames")),
        BUFFER,
        OfSystem("memory.buffer_frames"),
        Field(ge=1, le=2**31, title="Buffer size", description="Pages that the buffer holds, where there is a load."),
    ] = 1024
    prices: Annotated[str, *PRICES] = CATALOGUE
    watts: Annotated[str, *WATTS] = CATALOGUE
    price_per_kwh: Annotated[float, MONEY, *energy_price("Dollars a kWh; yours, for prices are volatile.")] = 0.15
    volume_bytes: Annotated[float, *VOLUME] = 0.0
    seed: SEED = 1

    @property
    def goal(self) -> Goal:
        """Of the requests as they are."""
        return Goal(share=self.share, within_s=self.within_s, read_share=self.read_share)


class Asked(NamedTuple):
    """What reaches the drives: requests a second, misses and write-backs per reference, and the goal for them.

    goal: None where the buffer alone meets it, if only the drives keep up.
    """

    goal: Goal | None
    rate_hz: float
    misses: float
    write_backs: float

    @property
    def per_reference(self) -> float:
        """Requests to the drives per reference."""
        return self.misses + self.write_backs


class Answer(NamedTuple):
    """A drive: its knee, how many of them, the check with another seed, its life, and what it costs (nan: unknown)."""

    knee: Knee
    drives: int
    drives_low: int
    drives_middle: int
    each_hz: float
    check: Percentile
    checked: bool | None
    written_bytes_per_s: float
    endurance: Endurance | None
    worn_s: float
    owned: Owned
    verdict: str


def through_buffer(inputs: Inputs, curve: Curve, place: int, page_bytes: int) -> Asked:
    """What an LRU buffer, of the size at a place of the load's curve, leaves for the drives.

    A reference waits for its own read only; write-backs go on behind it and keep reads waiting at the drive. With a
    share m of misses, the percentile q of all references is the percentile 1 - (1 - q) / m of the reads.
    """
    misses, write_backs = (float(counts[place]) / curve.references for counts in (curve.misses, curve.write_backs))
    asked = misses + write_backs
    if misses <= 1 - inputs.share or asked == 0:
        return Asked(None, inputs.rate_hz * asked, misses, write_backs)
    goal = Goal(
        share=1 - (1 - inputs.share) / misses,
        within_s=inputs.within_s,
        read_share=misses / asked,
        page_bytes=page_bytes,
        reads_only=True,
    )
    return Asked(goal, inputs.rate_hz * asked, misses, write_backs)


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per drive: the largest rate of one within the goal (the knee), with its interval and what stands in it.

    Tables: `curve`: the percentile at every rate that was simulated; `formula`: what a formula says; `numbers`: how
    many drives carry the rate, checked by another seed; `wear`; `costs`: of those that are known; `buffers`: the least
    buffer with which one drive is enough, where there is a load.
    """
    asked, sizes = _asked(inputs)
    if asked.goal is None:
        return _by_buffer_alone(inputs, asked)
    progress(0.0, partial(_estimated, inputs, asked, asked.goal))
    answers: dict[str, Answer] = {}
    for done, name in enumerate(inputs.devices, start=1):
        answers[name] = _answered(inputs, asked, name)
        progress(done / (len(inputs.devices) + 1), partial(_result, inputs, asked, answers.copy(), {}))
    buffers = {name: _least_frames(inputs, name, *sizes) for name in inputs.devices} if sizes else {}
    return _result(inputs, asked, answers, buffers)


def _asked(inputs: Inputs) -> tuple[Asked, tuple[Curve, int] | None]:
    """What reaches the drives; and LRU's curve of the load at some sizes with its page size, None without a load."""
    if inputs.load == NONE:
        return Asked(inputs.goal, inputs.rate_hz, inputs.read_share, 1 - inputs.read_share), None
    source = sources.named(inputs.load)
    distinct = replays.opened(source).references.distinct
    whole = replays.whole_curve(source)
    asked = through_buffer(inputs, whole.at([min(inputs.frames, distinct)]), 0, source.page_bytes)
    return asked, (whole.at(replays.curve_sizes(distinct, SIZES)), source.page_bytes)


def _answered(inputs: Inputs, asked: Asked, name: str) -> Answer:
    device, goal = catalogue.device(name), asked.goal
    assert goal is not None  # else the buffer alone is the answer
    found = response_goals.knee(device, goal, inputs.seed)
    count, middle, least = response_goals.devices_for(asked.rate_hz, found)
    written = (1 - goal.read_share) * goal.page_bytes
    for_volume = drives_for(inputs.volume_bytes, device)
    if count:
        count, middle, least = (max(each, for_volume, 1) for each in (count, middle, least))
    each_hz = asked.rate_hz / count if count else found.capacity_hz * response_goals.IDLE
    check, checked = response_goals.judged(device, goal, each_hz, inputs.seed + CHECK_SEED)
    rated = endurance(device)
    worn_s = rated.worn_s(written * each_hz) if rated else math.inf
    owned = owned_by(inputs, device, count, each_hz / found.capacity_hz, worn_s)
    verdict = _verdict(inputs, found, owned)
    return Answer(
        found, count, least, middle, each_hz, check, checked, written * each_hz, rated, worn_s, owned, verdict
    )


def _verdict(inputs: Inputs, found: Knee, owned: Owned) -> str:
    if not found.low_hz:
        return BEYOND if found.alone.low_s > inputs.within_s else UNSURE
    return affordable(inputs.budget_usd, float(owned.total))


def _least_frames(inputs: Inputs, name: str, curve: Curve, page_bytes: int) -> tuple[int, int, bool] | None:
    """(a size that is too small, the least of some sizes with which one drive surely holds, whether larger ones do).

    0: none is too small. None where not even a buffer for all pages is enough.
    """
    device = catalogue.device(name)

    def holds(place: int) -> bool:
        asked = through_buffer(inputs, curve, place, page_bytes)
        if not asked.per_reference:
            return True
        if asked.goal is None:
            share = asked.misses / asked.per_reference
            return asked.rate_hz <= response_goals.capacity_hz(device, share, page_bytes, 1)
        return response_goals.judged(device, asked.goal, asked.rate_hz, inputs.seed)[1] is True

    most = curve.frames.size - 1
    found = response_goals.least_that_holds(holds, 0, most)
    if found is None:
        return None
    above = {(found + most) // 2, most} - {found}
    return int(curve.frames[found - 1]) if found else 0, int(curve.frames[found]), all(holds(place) for place in above)


def _result(inputs: Inputs, asked: Asked, answers: dict[str, Answer], buffers: dict) -> Result:
    names = {name: title_of(name) for name in inputs.devices}
    tables = {
        CURVE: _curve(answers),
        FORMULA: _formula(asked.goal, answers),
        NUMBERS: [_numbers(name, answer) for name, answer in answers.items() if answer.drives],
        WEAR: [
            wear_row(name, answer.endurance, answer.written_bytes_per_s, answer.worn_s, answer.owned)
            for name, answer in answers.items()
            if answer.drives and answer.endurance
        ],
        COSTS: [cost_row(name, answer.owned) for name, answer in answers.items() if answer.verdict in (HOLDS, DEAR)],
        BUFFERS: [_buffers(name, found) for name, found in buffers.items() if found],
    }
    more = {name: columns_of(rows, names) for name, rows in tables.items() if rows}
    main = columns_of([_found(asked, name, answer) for name, answer in answers.items()], names)
    facts = _facts(asked, inputs.load != NONE, _chosen(answers))
    return Result.of(
        main,
        notes(inputs, answers, [power(inputs, catalogue.device(name))[1] for name in answers]),
        facts=facts,
        more=more,
    )


def _chosen(answers: dict[str, Answer]) -> str:
    """The cheapest drive that holds all; empty where none does."""
    holding = {name: answer for name, answer in answers.items() if answer.verdict == HOLDS}
    return min(holding, key=lambda name: float(holding[name].owned.total), default="")


def _found(asked: Asked, name: str, answer: Answer) -> dict:
    knee, references = answer.knee, asked.per_reference
    return {
        "device": name,
        "verdict": answer.verdict,
        "alone_s": knee.alone.value_s,
        "knee_hz": knee.rate_hz / references,
        "knee_low_hz": knee.low_hz / references,
        "knee_high_hz": knee.high_hz / references,
        "formula_hz": knee.formula_hz / references,
        "capacity_hz": knee.capacity_hz / references,
        "monotone": knee.monotone,
    }


def _curve(answers: dict[str, Answer]) -> list[dict]:
    rows = []
    for name, answer in answers.items():
        for point in answer.knee.points:
            found = point.response
            rows.append({"device": name, "drive_hz": point.rate_hz, "response_s": found.value_s})
            rows[-1] |= {"low_s": found.low_s, "high_s": found.high_s, "requests": found.requests}
    return rows


def _formula(goal: Goal | None, devices: Iterable[str]) -> list[dict]:
    """The formula's percentile of each drive up to where its queue is full."""
    assert goal is not None  # else the buffer alone is the answer
    return [
        {"device": name, "drive_hz": rate_hz, "response_s": response_s}
        for name in devices
        for rate_hz, response_s in response_goals.formula_curve(catalogue.device(name), goal)
    ]


def _estimated(inputs: Inputs, asked: Asked, goal: Goal) -> Result:
    """What the formula says of every drive, before anything is simulated."""
    names = {name: title_of(name) for name in inputs.devices}
    estimates = {name: response_goals.served(catalogue.device(name), goal) for name in names}
    rows = [
        {
            "device": name,
            "verdict": ESTIMATED,
            "alone_s": served.percentile_s(goal.share, 0.0),
            "formula_hz": served.rate_within_hz(goal.share, goal.within_s) / asked.per_reference,
        }
        for name, served in estimates.items()
    ]
    facts = _facts(asked, inputs.load != NONE, "")
    return Result.of(columns_of(rows, names), facts=facts, more={FORMULA: columns_of(_formula(goal, names), names)})


def _facts(asked: Asked, buffered: bool, chosen: str) -> dict[str, Fact]:
    return {
        "drive_rate_hz": Fact(asked.rate_hz, "1/s", "requests a second that reach the drives"),
        "misses": Fact(asked.misses if buffered else 1.0, "1", "references that miss the buffer"),
        "chosen": Fact(chosen, "text", "the cheapest drive that holds all"),
    }


def _numbers(name: str, answer: Answer) -> dict:
    return {
        "device": name,
        "count": answer.drives,
        "count_low": answer.drives_low,
        "count_middle": answer.drives_middle,
        "each_hz": answer.each_hz,
        "check_s": answer.check.value_s,
        "check_low_s": answer.check.low_s,
        "check_high_s": answer.check.high_s,
        "checked": {True: "holds", False: "does not hold", None: "cannot be told"}[answer.checked],
    }


def _buffers(name: str, found: tuple[int, int, bool]) -> dict:
    small, frames, larger = found
    return {"device": name, "too_small": small, "frames": frames, "larger_hold": larger}


def _by_buffer_alone(inputs: Inputs, asked: Asked) -> Result:
    """So few references miss that the percentile is one of the buffer: no drive is waited for."""
    columns = {"device": Column(np.array(inputs.devices), "text", "drive", {n: title_of(n) for n in inputs.devices})}
    columns["verdict"] = Column(np.full(len(inputs.devices), BUFFER_ALONE), "text", "does it hold?")
    facts = _facts(asked, True, "")
    return Result.of(columns, notes(inputs, {}, []), facts=facts)


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    if "alone_s" in result.columns and "knee_hz" not in result.columns:
        return finding.found("By formula, while the drives are simulated.")
    costs = result.tables.get(COSTS)
    paid = [at(costs, "total_usd", row) for row in range(len(costs))] if costs else []
    return marked(answered(inputs, result), *paid)


STUDY = Study(
    name="response_goal",
    title="Which drives answer so many requests within a time, and what do they cost?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    estimate=formulas_first(compute),
    place="money",
    source="Lazowska et al. 1984; Law, Simulation Modeling and Analysis; Pollaczek and Khinchine; Ackroyd 1980",
    presets={
        "disks: 100 requests a second within 50 ms": {
            **{"devices": ("wd800aajs", "cheetah-15k5", "hgst-7k1000-750gb"), "within_s": 0.05, "rate_hz": 100.0},
            **{"budget_usd": 1000.0},
        },
        "a goal that no drive can meet": {"within_s": 5e-5},
        "a buffer in front of an SSD": {
            **{"load": "sqlite-order-entry", "frames": 512, "devices": ("mtron-pro-7500", "intel-x25-e")},
            **{"rate_hz": 3000.0, "within_s": 5e-3},
        },
        "999 of 1000 requests": {"share": 0.999, "devices": ("intel-dc-p3700-800gb",), "rate_hz": 50_000.0},
    },
)
