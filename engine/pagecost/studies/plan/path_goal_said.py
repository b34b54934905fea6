"""The words of the study `path_goal`: of its columns, its notes, and how each answer was found."""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from pagecost import catalogue
from pagecost.answers.path_goals import LEAST_FRAMES
from pagecost.devices import title_of
from pagecost.economics import LEVELS, YEAR_S, endurance
from pagecost.oltp.drives import MOST_MEMBERS
from pagecost.studies.loop_fields import TOGETHER, arms_in_words, bounds_in_words, write_cache_in_words
from pagecost.studies.loop_loads import DEBIT_CREDIT, TPC_C
from pagecost.studies.plan import response_goal_said as of_drives
from pagecost.studies.plan.goal_money import NO_PRICE, NOT_RATED, PAID, power, price_notes
from pagecost.studies.plan.path_goal_inputs import OF_REQUESTS, REQUESTS, load_titles
from pagecost.studies.plan.response_goal_said import COSTS, NUMBERS, WEAR
from pagecost.studies.shared_fields import FORCE, per_second, unused_said
from pagecost.studies.study import Result
from pagecost.units import format_bytes, format_cell, format_seconds, format_years, grouped

if TYPE_CHECKING:
    from pagecost.studies.plan.path_goal import Enough, Inputs

BUFFERS, LIMITS, LOGS, LOG_COST = "buffers", "limits", "log", "log_usd"
ALONE = "slower even alone"
CROWDED = "not with any number of drives"
TOO_SMALL = "in time only at a lower rate"
LOOKING = "still counting"

LABELS = of_drives.LABELS | {
    "alone_s": ("s", "percentile of transactions that never meet"),
    "knee_hz": ("1/s", "largest rate within the goal"),
    "knee_low_hz": ("1/s", "its interval from"),
    "knee_high_hz": ("1/s", "its interval to"),
    "capacity_hz": ("1/s", "rate that the path can do at all"),
    "seed": ("1", "seed"),
    "path_hz": ("1/s", "transactions a second"),
    "count_every": ("1", "drives, with every seed"),
    "count_any": ("1", "drives, with one of the seeds"),
    "mean_s": ("s", "mean response time then"),
    "busy": ("1", "share of the time that a drive works"),
    "frames": ("1", "least buffer in frames, with every seed; 0: none"),
    "buffer_bytes": ("B", "these frames with the pages of the load"),
    "frames_any": ("1", "frames, with one of the seeds"),
    "largest": ("1", "frames of the largest that was tried"),
    "most_hz": ("1/s", f"what {MOST_MEMBERS} drives do when all come at once"),
    "busiest": ("text", "what is busiest then"),
    "busiest_busy": ("1", "share of the time that this works"),
    "mostly": ("text", "longest part of a lone response"),
    "mostly_s": ("s", "how long that is"),
    "log_busy": ("1", "share of the time that a device of the log's own works"),
    "log_bytes_per_s": ("B/s", "written to all of them"),
    "log_worn_years": ("year", "years until they are worn out"),
    LOG_COST: ("USD", "the log's own devices, in all"),
}
"""Unit and label of every column."""


def asked_for(inputs: "Inputs") -> str:
    """The goal in words: p99 within 2 ms at 50 transactions of TPC-C a second, 5 years, 10 000 $."""
    return (
        f"p{100 * inputs.share:g} within {format_seconds(inputs.within_s)} at {per_second(inputs.rate_hz)} "
        f"{words_of(inputs)}, {format_years(inputs.years)}, {format_cell(inputs.budget_usd, 'USD')}"
    )


def words_of(inputs: "Inputs") -> str:
    """What comes in a second: transactions, those of the load; a request for a single page is one, too."""
    if inputs.load == REQUESTS:
        return f"transactions a second ({load_titles()[REQUESTS]}, {inputs.read_share:.0%} reads)"
    return f"transactions of {load_titles()[inputs.load]} a second"


def notes(inputs: "Inputs", bought: Mapping[str, "Enough"], refused: Mapping[str, str]) -> Iterator[str]:
    """What a reader must know of the runs, of what is left out, of prices, watts and wear."""
    for name, reason in refused.items():
        yield f"Left out: {title_of(name)}. {reason[0].upper()}{reason[1:].rstrip('.')}."
    yield (
        "Transactions come at random times and go the whole way: connection, processors, locks, buffer, log, page "
        f"cache, file system, scheduler, drives. {_placed(inputs)}"
    )
    yield (
        f"Each of {inputs.seeds} seeds draws another load, other times and arrivals; the knee's interval is that of "
        "its mean (95 %, Student's t). What is enough held with every seed; what a path cannot do for ever does not."
    )
    yield (
        "An SSD has its mean times here, by operation, size and pattern: pauses of its collector and queues of dies "
        "are in the question of the drive alone (response_goal)."
    )
    yield from arms_in_words(inputs.path(name).setup.storage for name in bought)
    yield from bounds_in_words(inputs.path(name).setup.storage for name in bought)
    if inputs.write_cache_bytes:
        yield f"{write_cache_in_words(inputs.write_cache_bytes)} What a path can do at all is with full caches."
        filling = ", ".join(title_of(name) for name, enough in bought.items() if enough.at_once.filling)
        if filling:
            yield f"Not yet full when all had come: the caches of {filling}. For ever they may do less."
    roomy = {name: enough.at_once.filled for name, enough in bought.items() if enough.at_once.filled < 1}
    if inputs.fill and roomy:
        named = ", ".join(f"{title_of(name)} {share:.0%}" for name, share in roomy.items())
        yield (
            f"So much of the buffer was full when the clock began: {named}. Until it is, nothing is written to make "
            "room: for ever a path may do less and wear out sooner. Let more transactions fill it, or ask for less."
        )
    if inputs.length > inputs.measured:
        yield f"A run measures {grouped(inputs.length)} transactions, so that ten take longer than the percentile."
    if inputs.offered is not None and inputs.load not in (TPC_C, DEBIT_CREDIT):
        yield f"The load: {inputs.offered.in_words(inputs, inputs.page_bytes)}."
    yield from unused_said(inputs, without_effect(inputs))
    if inputs.strategy == FORCE:
        yield "FORCE: what a transaction has changed is written behind its log before it ends."
    beside = () if inputs.log_device == TOGETHER or not bought else (inputs.log_device,)
    for name in dict.fromkeys((*bought, *beside)):
        yield from price_notes(inputs, name)
        if endurance(catalogue.device(name)) is None:
            yield NOT_RATED.format(title_of(name))
        said = power(inputs, catalogue.device(name))[1]
        if said:
            yield said


def _placed(inputs: "Inputs") -> str:
    """Where the log lies, how drives are joined, and how many there are at least."""
    level = LEVELS[inputs.log_level]
    count = level.joined(inputs.log_count)
    its = title_of(inputs.log_device) if count == 1 else f"{count} × {title_of(inputs.log_device)} ({level.title})"
    apart = inputs.log_device != TOGETHER
    log = f"has {'one ' if count == 1 else ''}{its} for itself" if apart else "lies with the data"
    fewest = "" if inputs.drive_count == inputs.count else f"; knee and buffer are of {inputs.drive_count}"
    return f"The log {log}; several drives are striped in units of 64 KiB ({LEVELS[inputs.level].title}){fewest}."


def without_effect(inputs: "Inputs") -> Iterator[tuple[tuple[str, ...], str]]:
    """Inputs of loads that are not chosen, those that the chosen one has itself, and those of a log that lies with the
    data; and why."""
    load = f"The load is {load_titles()[inputs.load]}"
    if inputs.load != REQUESTS:
        yield OF_REQUESTS, load
    for names, _ in inputs.of_other_loads():
        yield names, load
    if inputs.offered is not None and inputs.offered.mean_s is not None:
        yield ("transaction_s",), load
    own_bytes = inputs.asked().page_bytes
    if own_bytes != inputs.page_bytes:
        yield ("page_bytes",), f"The trace has its own pages, of {format_bytes(own_bytes)}"
    if inputs.log_device == TOGETHER:
        yield ("log_count", "log_level"), "The log lies with the data"


def explain(inputs: "Inputs", result: Result) -> list[str]:
    """What is chosen and why, or the nearest that is possible; then every drive with its numbers."""
    return [answered(inputs, result), *(_drive(inputs, result, row) for row in range(len(result)))]


def answered(inputs: "Inputs", result: Result) -> str:
    """The answer in a sentence: the cheapest that holds, or the nearest that is possible and why."""
    goal, chosen = asked_for(inputs), str(result.facts["chosen"].value)
    if result.rows(verdict=LOOKING).size:
        return f"{goal}: knees are found; what is enough is still looked for."
    if chosen:
        (row,) = result.rows_in(NUMBERS, device=chosen)
        (cost,) = result.rows_in(COSTS, device=chosen)
        numbers, costs = result.tables[NUMBERS], result.tables[COSTS]
        return (
            f"{goal}: {numbers['count'][row]:.0f} × {title_of(chosen)}, "
            f"{costs.columns['total_usd'].cell(cost)}, {of_drives.held_by(result)}."
        )
    if COSTS in result.tables:
        costs = result.tables[COSTS]
        cheapest = int(np.argmin(costs["total_usd"]))
        device = str(costs["device"][cheapest])
        (row,) = result.rows_in(NUMBERS, device=device)
        return (
            f"{goal}: nothing holds it all. The nearest is {result.tables[NUMBERS]['count'][row]:.0f} × "
            f"{title_of(device)} for {costs.columns['total_usd'].cell(cheapest)}, over the budget."
        )
    in_time = result.rows(verdict=NO_PRICE)
    if in_time.size:
        names = ", ".join(result.cell("device", row) for row in in_time)
        return f"{goal}: in time are {names}, but what they cost is not known; give prices and watts."
    if (result["knee_hz"] > 0).any():
        best = int(np.argmax(result["knee_hz"]))
        return (
            f"{goal}: impossible with this buffer and up to {MOST_MEMBERS} of any of these drives. The nearest is "
            f"{result.cell('device', best)}: the path as it is answers {result.cell('knee_hz', best)} in time."
            f"{_larger_buffer(inputs, result)}"
        )
    fastest = int(np.argmin(result["alone_s"]))
    return (
        f"{goal}: impossible with this buffer and any of these drives: even transactions that never meet take longer. "
        f"The nearest is {result.cell('device', fastest)} with {result.cell('alone_s', fastest)}"
        f"{_mostly(result, str(result['device'][fastest]))}.{_larger_buffer(inputs, result)}"
    )


def _larger_buffer(inputs: "Inputs", result: Result) -> str:
    """The least buffer with which any of the drives holds it after all, as a sentence; "" where none does."""
    buffers = result.tables.get(BUFFERS)
    if buffers is None or not (buffers["frames"] > 0).any():
        return ""
    enough = np.flatnonzero(buffers["frames"] > 0)
    least = int(enough[np.argmin(buffers["frames"][enough])])
    of_drive = title_of(str(buffers["device"][least]))
    with_drives = of_drive if inputs.drive_count == 1 else f"{inputs.drive_count} × {of_drive}"
    return f" A buffer of {grouped(int(buffers['frames'][least]))} frames is enough with {with_drives}."


def _mostly(result: Result, device: str) -> str:
    """What a lone response consists of mostly, if it is known."""
    limits = result.tables.get(LIMITS)
    return "".join(
        f", on average {limits.columns['mostly_s'].cell(place)} of it {limits['mostly'][place]}"
        for place in result.rows_in(LIMITS, device=device)
        if limits
    )


def _drive(inputs: "Inputs", result: Result, row: int) -> str:
    """One drive: its knee, how many are enough, which buffer, its life and its cost."""
    device, title = str(result["device"][row]), result.cell("device", row)
    said = [f"{title}: {_knee(inputs, result, row)}"]
    if result["verdict"][row] == LOOKING:
        return f"{said[0]}."
    said += _least(inputs, result, row, device)
    for place in result.rows_in(WEAR, device=device):
        wear = result.tables[WEAR]
        worn_years = wear["worn_years"][place]
        if math.isfinite(worn_years):
            said.append(
                f"{wear['asked_per_day'][place]:.3g} drive writes a day, {wear['wear'][place]}: worn out after "
                f"{format_seconds(worn_years * YEAR_S)}, {wear['replacements'][place]:.0f} × replaced"
            )
    for place in result.rows_in(LOGS, device=device):
        logs = result.tables[LOGS]
        lasts = logs.columns["log_worn_years"].cell(place)
        worn = f", worn out after {lasts}" if math.isfinite(logs["log_worn_years"][place]) else ""
        said.append(f"a device of the log's own works {logs.columns['log_busy'].cell(place)} of the time{worn}")
    for place in result.rows_in(COSTS, device=device):
        costs = result.tables[COSTS]
        log = f" + {costs.columns[LOG_COST].cell(place)} for the log's own" if LOG_COST in costs.columns else ""
        parts = " + ".join(
            f"{costs.columns[f'{part}_usd'].cell(place)} for {word}"
            for part, word in zip(PAID, ("drives", "worn ones", "energy"), strict=True)
        )
        said.append(f"{parts}{log} = {costs.columns['total_usd'].cell(place)}: {result['verdict'][row]}")
    return "; ".join(said) + "."


def _knee(inputs: "Inputs", result: Result, row: int) -> str:
    many = f"{inputs.drive_count} of them" if inputs.drive_count > 1 else "with one"
    if not result["knee_hz"][row]:
        return (
            f"transactions that never meet take {result.cell('alone_s', row)} at the percentile, longer than "
            f"{format_seconds(inputs.within_s)}"
        )
    low, rate, high, most = (
        per_second(result[name][row]) for name in ("knee_low_hz", "knee_hz", "knee_high_hz", "capacity_hz")
    )
    return f"{many}, the path answers {rate} a second within the goal ({low} to {high}; it can do {most} at all)"


def _least(inputs: "Inputs", result: Result, row: int, device: str) -> Iterator[str]:
    """The least number of drives and the least buffer, or why none is enough."""
    for place in result.rows_in(NUMBERS, device=device):
        numbers = result.tables[NUMBERS]
        every, some, count = (int(numbers[name][place]) for name in ("count_every", "count_any", "count"))
        more = f", {count} for the volume" if count > every else ""
        yield (
            f"{_many(every, 'drive')} enough with every seed{f' ({some} with one)' if some < every else ''}{more}; "
            f"another seed takes {numbers.columns['check_s'].cell(place)}: it {numbers['checked'][place]}"
        )
    for place in result.rows_in(LIMITS, device=device):
        limits = result.tables[LIMITS]
        if result["verdict"][row] == ALONE:
            yield f"not even {MOST_MEMBERS} of them change what a lone one takes{_mostly(result, device)}"
        else:
            yield (
                f"not even {MOST_MEMBERS} of them are enough: when all come at once they do "
                f"{per_second(limits['most_hz'][place])} a second, and what is busiest, {limits['busiest'][place]}, "
                f"works {limits['busiest_busy'][place]:.0%} of the time"
            )
    for place in result.rows_in(BUFFERS, device=device):
        frames = int(result.tables[BUFFERS]["frames"][place])
        if frames:
            small = ", the smallest that was tried," if frames <= max(LEAST_FRAMES, inputs.connections) else ""
            yield f"a buffer of {grouped(frames)} frames{small} is enough with {_count(inputs)}"
        elif result["verdict"][row] != ALONE:
            largest = grouped(int(result.tables[BUFFERS]["largest"][place]))
            yield f"with {_count(inputs)} no buffer of up to {largest} frames is enough"


def _count(inputs: "Inputs") -> str:
    return f"{inputs.drive_count} drives" if inputs.drive_count > 1 else "one drive"


def _many(count: int, noun: str) -> str:
    return f"1 {noun} is" if count == 1 else f"{count} {noun}s are"
