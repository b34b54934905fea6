"""Which block size is best for a device and a query, and does the thesis' Algorithm 1 agree?"""

from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.devices import PATTERNS, TERMS, Rated, algorithm_1, best_block, load, title_of
from pagecost.devices.service import is_random
from pagecost.studies.devices import block_size
from pagecost.studies.fields import Choice, From, Steps
from pagecost.studies.finding import Finding, cells, compared, counted
from pagecost.studies.study import Column, Progress, Result, Study, no_progress
from pagecost.units import format_bytes, format_seconds

AGREES, DIFFERS, NO_BASELINE = "agrees", "differs", "no baseline"
QUESTIONS = {
    **{query: f"{query} = {pattern}" for query, pattern in best_block.QUERIES.items()},
    **{pattern: pattern for pattern in PATTERNS},
}
FREE_TERMS = ("transfer_s", "measured_s")  # what grows with the block, or is not split


class Inputs(block_size.CurveInputs):
    """The devices, what "best" means, and the query whose curves are drawn."""

    devices: block_size.DeviceNames = (
        *("fernando-hard-disk", "fernando-flash-drive", "fernando-ssd"),
        *("wd400bb", "intel-x25-e", "fio-virtual-disk"),
    )
    criterion: Annotated[
        str,
        Choice(lambda: best_block.CRITERIA),
        Field(title="Best means", description="The rule that chooses a block size from the curve."),
    ] = "near_best"
    within: Annotated[
        float,
        Steps((0.01, 0.02, 0.05, 0.1, 0.2, 0.3), "1", lambda share: f"within {share:.0%}"),
        Field(gt=0, lt=1, title="Near the best is", description="How far below the highest throughput is near enough."),
    ] = 0.05
    useful_bytes: Annotated[
        int,
        Steps((0, *block_size.BLOCKS), "B", lambda size: format_bytes(size) if size else "the whole block"),
        Field(
            ge=0,
            title="Useful bytes",
            description="What the query needs of each random block; the rest is read or written in vain.",
        ),
    ] = 0
    detail: Annotated[
        str,
        Choice(lambda: QUESTIONS, noun="query or access pattern"),
        From("fernando2011 §5.1"),
        Field(title="Query or pattern", description="A query stands for the pattern that it causes."),
    ] = "selective WHERE"

    @property
    def pattern(self) -> str:
        """The access pattern whose curves are drawn."""
        return best_block.pattern_of(self.detail)


class Curve(NamedTuple):
    """Throughput of useful bytes [B/s] over block size [B] of one device and pattern; one array entry per size.

    device_s: how long a request keeps the device busy. largest_term: what most of it is, empty where it is not split.
    """

    title: str
    block_bytes: np.ndarray
    throughput_bytes_per_s: np.ndarray
    device_s: np.ndarray
    largest_term: list[str]

    def at(self, size: float) -> int:
        """The index of a block size, or -1."""
        found = np.flatnonzero(self.block_bytes == size)
        return int(found[0]) if found.size else -1


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device and pattern: the block size that each rule chooses, and the one of Algorithm 1.

    block_bytes is the choice of the rule asked for; throughput, requests and time are those at that size.
    algorithm_1_bytes is nan where the thesis has no such device; algorithm_1_share: its throughput over the best one.
    A device of which fewer than two of the block sizes are known for a pattern has no row for it: none is the best.
    """
    rows = []
    result = _all_curves(inputs)
    for device in dict.fromkeys(result["device"].tolist()):
        for pattern in PATTERNS:
            whole = curve(inputs, result, device, pattern)
            offered = np.isin(whole.block_bytes, inputs.block_sizes_bytes) & np.isfinite(whole.throughput_bytes_per_s)
            if offered.sum() > 1:
                rows.append(_row(inputs, device, pattern, whole, offered))
    values = {name: np.array([row[name] for row in rows]) for name in rows[0]} if rows else _none()
    names = {"device": result.columns["device"].names}
    columns = {name: Column(values[name], unit, label, names.get(name, {})) for name, (unit, label) in COLUMNS.items()}
    alone = sorted(_cells(result) - {(row["device"], row["pattern"]) for row in rows})
    return Result.of(columns, _notes(inputs, result, alone))


COLUMNS = {
    "device": ("text", "device"),
    "pattern": ("text", "pattern"),
    "block_bytes": ("B", "best block size"),
    "throughput_bytes_per_s": ("B/s", "throughput"),
    "iops": ("1/s", "requests per second"),
    "device_s": ("s", "device time of a request"),
    **{f"{name}_bytes": ("B", title) for name, title in best_block.CRITERIA.items()},
    "algorithm_1_bytes": ("B", "Algorithm 1"),
    "algorithm_1_share": ("1", "Algorithm 1: throughput / best"),
    "verdict": ("text", "Algorithm 1 and the rule"),
    "reason": ("text", "why"),
}
"""Unit and label of every column."""


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each device: the reason for its choice, and the lines of Algorithm 1 that run."""
    lines = []
    for row in result.rows(pattern=inputs.pattern):
        device = result["device"][row]
        kind = class_of(device)
        line = f"{result.cell('device', row)}: {result['reason'][row]}"
        if kind:
            run = algorithm_1.steps(kind, inputs.pattern)
            line += f" Algorithm 1 runs lines {', '.join(str(step.line) for step in run)}: {run[-1].text} (KB)."
        lines.append(line)
    return lines or [f"Of none of the devices two block sizes are known with {inputs.pattern}s."]


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    compared_rows = np.flatnonzero(result["verdict"] != NO_BASELINE)
    agreeing = counted(result, np.flatnonzero(result["verdict"] == AGREES), "cells where Algorithm 1 agrees")
    best = compared(
        result,
        result.rows(pattern=inputs.pattern),
        "block_bytes",
        cells(result, "device"),
        several="For a {detail} the best block is {low} on {least} and {high} on {most}",
        one="For a {detail} the best block is {high}, on {most} as on all others",
        none="For a {detail} the best block was not measured",
        detail=inputs.detail,
    )
    return Finding(best, "; Algorithm 1 agrees in ", agreeing, f" of {compared_rows.size} cells.")


def class_of(device: str) -> str:
    """The device class of Algorithm 1, or empty: a measurement, or a device that the thesis does not know."""
    found = catalogue.devices().get(device)
    return best_block.class_of(found.device_class) if found else ""


def drawn_curves(inputs: Inputs) -> dict[str, Curve]:
    """The curves of the pattern in detail, by device."""
    result = _all_curves(inputs)
    return {name: curve(inputs, result, name, inputs.pattern) for name in dict.fromkeys(result["device"].tolist())}


def curve(inputs: Inputs, result: Result, device: str, pattern: str) -> Curve:
    """One curve of a result of `block_size`, with useful bytes only."""
    rows = result.rows(device=device, pattern=pattern)
    sizes, device_s = result["block_bytes"][rows], 1 / result["iops"][rows]
    useful = np.minimum(sizes, inputs.useful_bytes) if inputs.useful_bytes and is_random(pattern) else sizes
    title = result.columns["device"].names.get(device, device)
    return Curve(title, sizes, useful / device_s, device_s, _largest_terms(result, device, pattern, sizes))


def _largest_terms(result: Result, device: str, pattern: str, sizes: np.ndarray) -> list[str]:
    """What most of a request's time is, beside transfer, for each size; empty where the time is not split."""
    largest = []
    for size in sizes:
        terms = block_size.terms_alone(result, device=device, pattern=pattern, block_bytes=size)
        costs = {TERMS[name]: time_s for name, time_s in terms.items() if name not in FREE_TERMS}
        term, time_s = max(costs.items(), key=lambda item: item[1], default=("", 0.0))
        largest.append(term if time_s > 0 else "")
    return largest


def _cells(result: Result) -> set[tuple[str, str]]:
    """The devices and patterns of which anything is known."""
    return set(zip(result["device"].tolist(), result["pattern"].tolist(), strict=True))


def _all_curves(inputs: Inputs) -> Result:
    """The curves of all devices; the sizes of Algorithm 1 are among them."""
    asked = {size for sizes in best_block.ALGORITHM_1.values() for size in sizes}
    return block_size.curves(inputs, sorted({*inputs.block_sizes_bytes, *asked}))


def _row(inputs: Inputs, device: str, pattern: str, whole: Curve, offered: np.ndarray) -> dict:
    sizes, throughput = whole.block_bytes[offered], whole.throughput_bytes_per_s[offered]
    choices = {name: best_block.best(name, sizes, throughput, 1 - inputs.within) for name in best_block.CRITERIA}
    chosen = whole.at(choices[inputs.criterion])
    kind = class_of(device)
    thesis = best_block.algorithm_1(kind, pattern) if kind else np.nan
    at_thesis = whole.at(thesis) if kind else -1
    share = whole.throughput_bytes_per_s[at_thesis] / throughput.max() if at_thesis >= 0 else np.nan
    return {
        "device": device,
        "pattern": pattern,
        "block_bytes": float(whole.block_bytes[chosen]),
        "throughput_bytes_per_s": whole.throughput_bytes_per_s[chosen],
        "iops": 1 / whole.device_s[chosen],
        "device_s": whole.device_s[chosen],
        **{f"{name}_bytes": float(size) for name, size in choices.items()},
        "algorithm_1_bytes": float(thesis),
        "algorithm_1_share": share,
        "verdict": (AGREES if thesis == choices[inputs.criterion] else DIFFERS) if kind else NO_BASELINE,
        "reason": _reason(inputs, whole, chosen, at_thesis, throughput.max()),
    }


def _reason(inputs: Inputs, whole: Curve, chosen: int, thesis: int, best: float) -> str:
    size, rate = format_bytes(whole.block_bytes[chosen]), whole.throughput_bytes_per_s
    time = format_seconds(whole.device_s[chosen])
    here = f"{size} gives {rate[chosen] / best:.0%} of the best throughput in {time} of device time"
    if inputs.criterion == "iops":
        here = (
            f"{size} gives the most requests, none takes less than {time} of device time, "
            f"but {rate[chosen] / best:.0%} of the best throughput"
        )
    if thesis < 0:
        return f"{here}; the thesis has no such device, or its size was not measured."
    if thesis == chosen:
        return f"{here}, and Algorithm 1 says the same."
    other, time = format_bytes(whole.block_bytes[thesis]), format_seconds(whole.device_s[thesis])
    if thesis > chosen:
        return (
            f"{here}; {other} of Algorithm 1 gives {rate[thesis] / best:.0%} of it, but a request takes {time} of it."
        )
    term = f", most of it {whole.largest_term[thesis]}" if whole.largest_term[thesis] else ""
    return f"{here}; {other} of Algorithm 1 gives only {rate[thesis] / best:.0%} of it: a request takes {time}{term}."


def _none() -> dict:
    return {name: np.array([]) for name in COLUMNS}


def _notes(inputs: Inputs, result: Result, alone: list[tuple[str, str]]):
    yield (
        "The thesis never says what 'best performing' means: with a fixed cost per request throughput always grows "
        "with the block, and requests per second always fall, so most MB/s and most requests contradict each other."
    )
    if not inputs.useful_bytes:
        yield "All of a block counts as useful. A query that needs one row of it is served better by small blocks."
    names = result.columns["device"].names
    for device, pattern in alone:
        yield f"{names.get(device, device)}: of {pattern}s only one block size is known, so none of them is the best."
    for name in inputs.devices:
        if isinstance(model := load(name), Rated) and None in (model.sequential_read_iops, model.sequential_write_iops):
            title = title_of(name)
            yield f"{title}: rated in MB/s only: its sequential requests seem to cost nothing, any block is as good."
    yield from result.notes


STUDY = Study(
    name="best_block_size",
    title="Which block size is best, and does the thesis' Algorithm 1 agree?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="fernando2011 Algorithm 1, §3.4.1, §5.1",
    presets={
        "thesis plan: its five devices and block sizes": {
            "devices": block_size.THESIS_DEVICES,
            "block_sizes_bytes": block_size.THESIS_BLOCKS,
            "span_bytes": 41e6,
        },
        "the same, most MB/s": {
            "devices": block_size.THESIS_DEVICES,
            "block_sizes_bytes": block_size.THESIS_BLOCKS,
            "span_bytes": 41e6,
            "criterion": "throughput",
        },
        "the same, most requests per second": {
            "devices": block_size.THESIS_DEVICES,
            "block_sizes_bytes": block_size.THESIS_BLOCKS,
            "span_bytes": 41e6,
            "criterion": "iops",
        },
        "a WHERE that needs 4 KiB of each block": {"useful_bytes": 4096, "detail": "selective WHERE"},
        "whole table": {"detail": "whole table"},
    },
)
