"""The words of the study `response_goal`: of its columns, its notes, and how each answer was found."""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from pagecost.answers.bounds_said import average_seeks
from pagecost.devices import title_of
from pagecost.economics import YEAR_S
from pagecost.studies.plan.goal_money import HOLDS, NO_PRICE, NOT_RATED, price_notes
from pagecost.studies.shared_fields import per_second
from pagecost.studies.study import Column, Result
from pagecost.units import format_cell, format_seconds, format_years, grouped

if TYPE_CHECKING:
    from pagecost.studies.plan.response_goal import Answer, Inputs

CURVE, FORMULA, NUMBERS, WEAR, COSTS, BUFFERS = "curve", "formula", "numbers", "wear", "costs", "buffers"
BEYOND, UNSURE, BUFFER_ALONE = "slower even alone", "cannot be told even alone", "the buffer alone is enough"
ESTIMATED = "not simulated yet"
SURELY_ABOVE = 1.02  # as much as a measured rate is uncertain

LABELS = {
    "device": ("text", "drive"),
    "verdict": ("text", "does it hold?"),
    "alone_s": ("s", "percentile of requests that never meet"),
    "knee_hz": ("1/s", "largest rate of one within the goal"),
    "knee_low_hz": ("1/s", "at which it surely holds"),
    "knee_high_hz": ("1/s", "at which it surely does not"),
    "formula_hz": ("1/s", "the same by formula"),
    "capacity_hz": ("1/s", "rate that one can do at all"),
    "monotone": ("1", "slower at every higher rate"),
    "drive_hz": ("1/s", "requests a second at one drive"),
    "response_s": ("s", "response time of the percentile"),
    "low_s": ("s", "its interval from"),
    "high_s": ("s", "its interval to"),
    "requests": ("1", "requests measured"),
    "count": ("1", "drives"),
    "count_low": ("1", "drives at the least"),
    "count_middle": ("1", "drives by the estimate"),
    "each_hz": ("1/s", "requests a second that each gets"),
    "check_s": ("s", "percentile with another seed"),
    "check_low_s": ("s", "its interval from"),
    "check_high_s": ("s", "its interval to"),
    "checked": ("text", "with another seed it"),
    "wear": ("text", "endurance"),
    "written_bytes_per_s": ("B/s", "written to a drive"),
    "asked_per_day": ("1", "drive writes a day that it gets"),
    "worn_years": ("year", "years until worn out"),
    "replacements": ("1", "times that all are replaced"),
    "purchase_usd": ("USD", "drives"),
    "worn_usd": ("USD", "worn drives bought anew"),
    "energy_usd": ("USD", "energy"),
    "total_usd": ("USD", "cost in all"),
    "frames": ("1", "least buffer in frames"),
    "too_small": ("1", "frames that are too few"),
    "larger_hold": ("1", "larger buffers hold, too"),
}
"""Unit and label of every column."""


def columns_of(
    rows: list[dict], names: Mapping[str, str], labels: Mapping[str, tuple[str, str]] = LABELS
) -> dict[str, Column]:
    """Rows of one kind as columns. names: of drives. labels: unit and label of every column."""
    return {
        name: Column(np.array([row[name] for row in rows]), *labels[name], names if name == "device" else {})
        for name in rows[0]
    }


def notes(inputs: "Inputs", answers: Mapping[str, "Answer"], of_watts: Iterable[str]) -> Iterator[str]:
    """What a reader must know of the runs, of prices, watts (of_watts) and wear."""
    yield (
        "Requests come at random times on random pages of the whole drive; an SSD was overwritten until it was steady. "
        "Of an array in stripes each drive gets its share; nothing is redundant."
    )
    yield (
        "A rate surely holds where the whole 95 % interval of the percentile (20 batches) is within the goal, and the "
        "drive can do it for ever; the number of drives is that of the rate that surely holds."
    )
    yield (
        "The formula takes each arm or die as a queue of its own. A die has its collector's pauses as often and as "
        "regularly as they come, and reads that go first; no request waits for a channel."
    )
    if inputs.load != "none":
        yield "A reference waits for its own read; write-backs go on behind it. Memory for the buffer is not priced."
    yield from average_seeks(answers)
    for name, answer in answers.items():
        title = title_of(name)
        if not answer.knee.monotone:
            yield f"{title}: its percentile does not rise with every rate, so there may be more than one knee."
        if answer.knee.formula_hz > answer.knee.capacity_hz * SURELY_ABOVE:
            yield f"{title}: its channels hold it up so much that the formula's rate is more than it can do for ever."
        yield from price_notes(inputs, name)
        if answer.drives and answer.endurance is None:
            yield NOT_RATED.format(title)
    yield from filter(None, of_watts)


def asked_for(inputs: "Inputs") -> str:
    """The goal in words: p99 within 2 ms at 20 000 requests a second, 70 % reads, 5 years, 10 000 $."""
    mix = (
        f"{inputs.read_share:.0%} reads"
        if inputs.load == "none"
        else f"{inputs.load} through {grouped(inputs.frames)} frames"
    )
    return (
        f"p{100 * inputs.share:g} within {format_seconds(inputs.within_s)} at {per_second(inputs.rate_hz)} "
        f"requests a second, {mix}, {format_years(inputs.years)}, {format_cell(inputs.budget_usd, 'USD')}"
    )


def explain(inputs: "Inputs", result: Result) -> list[str]:
    """What is chosen and why, or the nearest that is possible; then every drive with its numbers."""
    if result.rows(verdict=ESTIMATED).size:
        return []
    if "knee_hz" not in result.columns:
        return [
            f"{asked_for(inputs)}: only {result.facts['misses'].number:.2%} of the references miss the buffer, fewer "
            f"than the {1 - inputs.share:.2%} that may take longer, so no drive decides. It must only keep up with "
            f"{result.facts['drive_rate_hz'].cell}."
        ]
    return [answered(inputs, result), *(_drive(inputs, result, row) for row in range(len(result)))]


def held_by(result: Result) -> str:
    """What the chosen drive is among those that were tried."""
    holding, tried = len(result.rows(verdict=HOLDS)), len(result)
    if tried == 1:
        return "the only drive tried, and it holds"
    if holding == 1:
        return f"the only one of {tried} drives tried that holds"
    return f"the cheapest of {holding} drives that hold, of {tried} tried"


def answered(inputs: "Inputs", result: Result) -> str:
    """The answer in a sentence: the cheapest that holds, or the nearest that is possible and why."""
    goal, chosen = asked_for(inputs), result.facts["chosen"].value
    if chosen:
        (row,) = result.rows_in(NUMBERS, device=chosen)
        (cost,) = result.rows_in(COSTS, device=chosen)
        numbers, costs = result.tables[NUMBERS], result.tables[COSTS]
        return (
            f"{goal}: {numbers['count'][row]:.0f} × {title_of(str(chosen))}, "
            f"{costs.columns['total_usd'].cell(cost)}, {held_by(result)}."
        )
    if COSTS in result.tables:
        costs = result.tables[COSTS]
        cheapest = int(np.argmin(costs["total_usd"]))
        device = str(costs["device"][cheapest])
        (row,), (found,) = result.rows_in(NUMBERS, device=device), result.rows(device=device)
        numbers = result.tables[NUMBERS]
        count = numbers["count"][row]
        affordable = math.floor(inputs.budget_usd / costs["total_usd"][cheapest] * count)
        rate = f"{affordable} of them carry {grouped(result['knee_low_hz'][found] * affordable)} requests a second"
        return (
            f"{goal}: nothing holds it all. The nearest is {count:.0f} × {title_of(device)} for "
            f"{costs.columns['total_usd'].cell(cheapest)}; within the budget "
            f"{rate if affordable else 'not even one can be had'}."
        )
    in_time = result.rows(verdict=NO_PRICE)
    if in_time.size:
        names = ", ".join(result.cell("device", row) for row in in_time)
        return f"{goal}: in time are {names}, but what they cost is not known; give prices and watts."
    fastest = int(np.argmin(result["alone_s"]))
    return (
        f"{goal}: impossible with these drives, however many: even requests that never meet take longer. The nearest "
        f"is {result.cell('device', fastest)} with {result.cell('alone_s', fastest)}."
    )


def _drive(inputs: "Inputs", result: Result, row: int) -> str:
    """One drive: its knee, how many are needed, the check, its life and its cost."""
    device, title = result["device"][row], result.cell("device", row)
    if not result["knee_low_hz"][row]:
        return (
            f"{title}: requests that never meet take {result.cell('alone_s', row)} at the percentile, so "
            f"{format_seconds(inputs.within_s)} are out of reach with any number of them."
        )
    said = [
        f"{title}: one carries {_rate(result, 'knee_hz', row)} requests a second within the goal (surely "
        f"{_rate(result, 'knee_low_hz', row)}, surely not {_rate(result, 'knee_high_hz', row)}; by formula "
        f"{_rate(result, 'formula_hz', row)})"
    ]
    (at,) = result.rows_in(NUMBERS, device=device)
    numbers = result.tables[NUMBERS]
    said.append(
        f"{per_second(inputs.rate_hz)} / {_rate(result, 'knee_low_hz', row)}: {_drives(numbers['count'][at])} "
        f"({_drives(numbers['count_low'][at])} at the least); with another seed each then takes "
        f"{numbers.columns['check_s'].cell(at)} (to {numbers.columns['check_high_s'].cell(at)}): it "
        f"{numbers['checked'][at]}"
    )
    for place in result.rows_in(WEAR, device=device):
        wear = result.tables[WEAR]
        worn_years = wear["worn_years"][place]
        if math.isfinite(worn_years):
            lasts = (
                f"worn out after {format_seconds(worn_years * YEAR_S)}, {wear['replacements'][place]:.0f} × replaced"
            )
            said.append(f"{wear['asked_per_day'][place]:.3g} drive writes a day, {wear['wear'][place]}: {lasts}")
    for place in result.rows_in(COSTS, device=device):
        costs = result.tables[COSTS]
        parts = " + ".join(f"{costs.columns[f'{part}_usd'].cell(place)} {label}" for part, label in _PARTS.items())
        said.append(f"{parts} = {costs.columns['total_usd'].cell(place)}: {result['verdict'][row]}")
    for place in result.rows_in(BUFFERS, device=device):
        buffers = result.tables[BUFFERS]
        small = buffers["too_small"][place]
        fewer = f"{grouped(small)} are too few" if small else "the fewest that were looked at"
        exception = "" if buffers["larger_hold"][place] else ", but not every larger buffer holds"
        said.append(f"one drive is enough with {grouped(buffers['frames'][place])} frames, {fewer}{exception}")
    return "; ".join(said) + "."


def _rate(result: Result, name: str, row: int) -> str:
    return per_second(result[name][row])


def _drives(count: float) -> str:
    return "1 drive" if count == 1 else f"{grouped(count)} drives"


_PARTS = {"purchase": "for drives", "worn": "for worn ones", "energy": "for energy"}
