"""What does every buffer size cost: misses and write-backs of whole curves, and the memory against the device?"""

from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost import catalogue, devices
from pagecost.answers import page_costs
from pagecost.answers.page_costs import PageCosts
from pagecost.answers.replays import (
    Loaded,
    SampledPieces,
    che_curve,
    curve_of_pieces,
    curve_sizes,
    exact_curve,
    replayed,
    sampled_curve,
    sampled_sizes,
)
from pagecost.buffer import Curve, Replay
from pagecost.buffer.policies import find, title_of
from pagecost.economics import break_even_interval_s, hierarchy
from pagecost.studies import finding
from pagecost.studies.buffer import buffer_fields
from pagecost.studies.buffer.buffer_fields import among
from pagecost.studies.fields import Choice, From, OfSystem, Steps
from pagecost.studies.finding import Finding, percent
from pagecost.studies.shared_fields import shares
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side
from pagecost.units import format_bytes, format_cell, format_seconds, grouped, so_many, usd

POINTS = 25  # of every curve, so that their cheapest sizes can be compared; every other one is in buffer_size too
EXACT, SAMPLED, CHE = "LRU, every size exactly", "LRU, from a sample", "LRU by Che's formula"
REPLAYED = "replayed"
WHOLE, SAMPLE = "whole", "sample"
READINGS = {WHOLE: "whole, for every curve", SAMPLE: "only a sample, however large it is"}
MEMORY = "five-minute-memory-2007"
GB = 1e9


def memory_usd_per_gb() -> float:
    """The price of memory in the catalogue that inputs begin with [USD for 10^9 bytes]."""
    return GB * hierarchy.offer(catalogue.device(MEMORY), "middle").usd_per_byte


class Inputs(StudyInputs):
    """What is replayed, on what the misses and write-backs fall, and what memory and device cost."""

    trace: buffer_fields.TRACE = "sqlite-order-entry"
    policies: Annotated[
        tuple[str, ...], *buffer_fields.policies("Replayed size by size, beside LRU's whole curve.", 0, most=5)
    ] = (
        "arc",
        "cflru",
        "min",
    )
    reading: Annotated[
        str,
        Choice(lambda: READINGS),
        Field(
            title="Trace in memory",
            description="A trace that does not fit is read piece by piece; only the sampled curve can be had of it.",
        ),
    ] = WHOLE
    sample: Annotated[
        float,
        Steps(shares(0.1, 1, 2, 5, 10, 20, 50), "1", lambda share: f"{100 * share:g}%"),
        Field(gt=0, le=1, title="Sample", description="Share of the pages that the sampled curve looks at."),
    ] = 0.1
    device: Annotated[str, *buffer_fields.device()] = "intel-x25-m-g2-80gb"
    references_per_s: Annotated[
        float,
        OfSystem("load.rate_hz"),
        Steps((100.0, 300.0, 1000.0, 3000.0, 10_000.0, 30_000.0, 100_000.0), "1/s", partial(format_cell, unit="1/s")),
        Field(gt=0, le=1e9, title="Load", description="Page references per second that the system must serve."),
    ] = 1000.0
    memory_price: Annotated[
        float,
        Steps(
            (1.0, 3.0, 5.0, 10.0, 20.0, memory_usd_per_gb(), 100.0, 1000.0, 10_000.0),
            "USD/GB",
            partial(format_cell, unit="USD/GB"),
        ),
        From("prices.csv, five-minute-memory-2007"),
        Field(gt=0, le=1e9, title="Price of memory", description="Dollars for a GB (10^9 bytes) of buffer."),
    ] = memory_usd_per_gb()
    device_price: Annotated[
        float,
        Steps(
            (0.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 30_000.0),
            "1",
            lambda usd: format_cell(usd, "USD") if usd else "catalogue",
        ),
        Field(ge=0, le=1e9, title="Price of a device", description="Dollars; 0 takes the price of the catalogue."),
    ] = 0.0
    page_bytes: buffer_fields.PAGE_BYTES = buffer_fields.AS_THE_TRACE_SAYS


class Line(NamedTuple):
    """One curve of a policy, and how it was found."""

    method: str
    policy: str
    curve: Curve

    @property
    def title(self) -> str:
        """What people call it."""
        return title_of(self.policy) if self.method == REPLAYED else self.method


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per method, policy and size: misses, write-backs, device time and dollars.

    dollars = memory for the frames + the share of a device that is busy x its price (more than one device counts as
    such). `cheapest` marks the lowest point of each curve. No curve counts the trace's warm-up, if it has one. Che's
    formula knows no write-backs, so its misses stand in the table `che`.
    """
    if inputs.reading == SAMPLE:
        return _of_sample(inputs, progress)
    loaded, progress = buffer_fields.opened(inputs, progress)
    source, costs = loaded.source, page_costs.of_pages(inputs.device, loaded.source.page_bytes)
    lines = [Line(EXACT, "lru", exact_curve(source, POINTS))]
    progress(0.05, partial(_result, inputs, source.page_bytes, costs, lines.copy()))
    sampled = sampled_curve(source, inputs.sample, POINTS)
    if sampled is not None:
        lines.append(Line(SAMPLED, "lru", sampled))
    che = che_curve(source, POINTS)
    progress(0.1, partial(_result, inputs, source.page_bytes, costs, lines.copy(), che))
    wanted = [
        (policy, size)
        for size in reversed(curve_sizes(loaded.references.distinct, POINTS))
        for policy in inputs.policies
    ]
    runs: list[Replay] = []
    for _, run in side_by_side(lambda case: replayed(source, *case), wanted):
        runs.append(run)
        if len(runs) % len(inputs.policies) == 0:
            share = 0.1 + 0.9 * len(runs) / len(wanted)
            grown = lines + _replays(inputs, runs)
            progress(share, partial(_result, inputs, source.page_bytes, costs, grown, che))
    notes = tuple(_notes(inputs, loaded, costs, sampled))
    return _result(inputs, source.page_bytes, costs, lines + _replays(inputs, runs), che, notes)


def _of_sample(inputs: Inputs, progress: Progress) -> Result:
    """The sampled curve alone, from a trace that is never held in memory."""
    source = buffer_fields.source_of(inputs)
    costs = page_costs.of_pages(inputs.device, source.page_bytes)

    def answer(found: SampledPieces, notes=()) -> Result:
        line = Line(SAMPLED, "lru", found.curve.at(sampled_sizes(found.curve, round(found.pages), POINTS)))
        return _result(inputs, source.page_bytes, costs, [line], None, notes)

    def tell(share: float, so_far: SampledPieces | None) -> None:
        progress(share, None if so_far is None else partial(answer, so_far))

    found = curve_of_pieces(source, inputs.sample, tell)
    notes = (
        f"{inputs.trace}: {grouped(found.curve.references)} references to about {grouped(found.pages)} pages of "
        f"{grouped(source.page_bytes)} bytes, read piece by piece in the order of the file; {inputs.sample:.3g} of the "
        "pages were kept.",
        *_beginning(found.curve, round(found.pages)),
        *found.notes,
        costs.busy.note,
        "The exact curve, Che's formula and the replays need the whole trace in memory.",
    )
    return answer(found, notes)


def main_method(inputs: Inputs) -> str:
    """The curve of LRU that the answer is told with."""
    return SAMPLED if inputs.reading == SAMPLE else EXACT


def device_usd(inputs: Inputs) -> float:
    """Dollars for one device: as typed, else the catalogue's newest; nan where that has none."""
    return inputs.device_price or page_costs.price_usd(inputs.device)


def cheapest(result: Result, method: str, policy: str = "lru") -> int | None:
    """The row of a curve's lowest price, which need not be that of all curves; None where prices are not known."""
    rows = result.rows(method=method, policy=policy, cheapest=True)
    return int(rows[0]) if rows.size else None


def last_frames_interval_s(inputs: Inputs, result: Result) -> tuple[float, float]:
    """How often [s] a frame at the cheapest size of LRU's curve saves a miss: (of the last ones, of the next).

    Frames around a point of the curve are taken together; the break-even interval lies between the two where only
    reads cost. nan beyond the curve's ends.
    """
    method = main_method(inputs)
    rows, best = result.rows(method=method), cheapest(result, method)
    at = int(np.flatnonzero(rows == best)[0])
    frames, misses = result["frames"][rows], result["misses"][rows]
    references = result["references"][rows[0]]
    with np.errstate(divide="ignore"):
        interval = np.diff(frames) / (-np.diff(misses) / references * inputs.references_per_s)
    inside = (interval[at - 1] if at > 0 else np.nan, interval[at] if at < interval.size else np.nan)
    return float(inside[0]), float(inside[1])


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The break-even interval, and for each curve its cheapest size with its terms."""
    price = device_usd(inputs)
    if not np.isfinite(price):
        title = devices.title_of(inputs.device)
        return [f"{title}: its price is not known; give one to see which size is cheapest."]
    page_bytes = result.facts["page_bytes"].number
    read, write = result.facts["page_read_s"].cell, result.facts["page_write_s"].cell
    memory = format_cell(inputs.memory_price, "USD/GB")
    lines = [
        f"Break-even: {usd(price)} × {read} / ({format_bytes(page_bytes)} × {memory}) = "
        f"{result.facts['break_even_s'].cell}: a page that is read more often is cheaper in memory."
    ]
    last, following = last_frames_interval_s(inputs, result)
    lines.append(
        f"At the cheapest size of LRU the last frames save a read {_seconds(last)}, the next ones would "
        f"{_seconds(following)}; saved write-backs make a frame worth more."
    )
    for row in np.flatnonzero(result["cheapest"]).tolist():
        busy = result["busy_devices"][row]
        lines.append(
            f"{result['curve'][row]}: {so_many(result['frames'][row], 'frame')}: "
            f"memory {result.cell('memory_price', row)} + "
            f"({grouped(result['misses'][row])} × {read} + {grouped(result['write_backs'][row])} × {write}) / "
            f"{grouped(result['references'][row])} × {format_cell(inputs.references_per_s, '1/s')} = {busy:.3g} "
            f"devices × {usd(price)} = {result.cell('total_price', row)}"
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    device, row = devices.title_of(inputs.device), cheapest(result, main_method(inputs))
    if row is None:
        return finding.found("No size is called cheapest: the price of {device} is not known.", device=device)
    return finding.found(
        "At {rate} references per second on {device} with LRU a buffer of {frames} is cheapest: {price} for "
        "memory and device, at {misses} misses.",
        rate=format_cell(inputs.references_per_s, "1"),
        device=device,
        frames=finding.things(finding.at(result, "frames", row), "frame"),
        price=finding.at(result, "total_price", row),
        misses=percent(finding.at(result, "miss_ratio", row)),
    )


def _seconds(interval: float) -> str:
    return f"every {format_seconds(interval)}" if np.isfinite(interval) else "never"


def _replays(inputs: Inputs, runs: list[Replay]) -> list[Line]:
    lines = []
    for policy in inputs.policies:
        own = sorted((run for run in runs if run.policy == policy), key=lambda run: run.frames)
        frames, misses, written = (
            np.array([getattr(run, name) for run in own]) for name in ("frames", "misses", "write_backs")
        )
        if own:
            none = np.zeros(frames.size)
            lines.append(Line(REPLAYED, policy, Curve(frames, misses, written, none, none, own[0].references)))
    return lines


def _result(
    inputs: Inputs, page_bytes: int, costs: PageCosts, lines: list[Line], che: Curve | None = None, notes=()
) -> Result:
    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(line.curve, name) for line in lines]).astype(float)

    def per_line(values) -> np.ndarray:
        return np.repeat(np.array(values), [line.curve.frames.size for line in lines])

    references, frames = per_line([line.curve.references for line in lines]), joined("frames").astype(np.int64)
    misses, written = joined("misses"), joined("write_backs")
    time_s = costs.busy_s(misses, written) / references
    busy, size = time_s * inputs.references_per_s, frames * page_bytes
    memory, price = size * inputs.memory_price / GB, device_usd(inputs)
    total = memory + busy * price
    half = "half width of its 95 % interval"
    columns = {
        "curve": Column(per_line([line.title for line in lines]), "text", "curve"),
        "method": Column(per_line([line.method for line in lines]), "text", "how it was found"),
        "policy": buffer_fields.policy_column(per_line([line.policy for line in lines])),
        "frames": Column(frames, "1", "buffer size in frames"),
        "buffer_bytes": Column(size, "B", "buffer size"),
        "references": Column(references, "1", "page references"),
        "misses": Column(misses, "1", "misses"),
        "miss_ratio": Column(misses / references, "1", "misses per reference"),
        "miss_ratio_half": Column(joined("misses_half_width") / references, "1", half),
        "write_backs": Column(written, "1", "write-backs"),
        "write_back_ratio": Column(written / references, "1", "write-backs per reference"),
        "write_back_ratio_half": Column(joined("write_backs_half_width") / references, "1", half),
        "time_per_reference_s": Column(time_s, "s", "device time per reference"),
        "busy_devices": Column(busy, "1", "devices kept busy"),
        "memory_price": Column(memory, "USD", "price of the memory"),
        "total_price": Column(total, "USD", "cost of memory and busy devices"),
        "cheapest": Column(_lowest(total, lines), "1", "the cheapest size of its curve"),
    }
    facts = buffer_fields.page_facts(page_bytes, costs)
    if np.isfinite(price):
        interval_s = break_even_interval_s(page_bytes, costs.busy.read_s, price, inputs.memory_price / GB)
        facts |= {
            "device_price": Fact(price, "USD", "price of a device"),
            "break_even_s": Fact(interval_s, "s", "break-even interval of a page that is only read"),
        }
    return Result.of(columns, notes, facts=facts, more=None if che is None else {"che": _che(che, page_bytes)})


def _che(curve: Curve, page_bytes: int) -> dict[str, Column]:
    return {
        "frames": Column(curve.frames, "1", "buffer size in frames"),
        "buffer_bytes": Column(curve.frames * page_bytes, "B", "buffer size"),
        "misses": Column(curve.misses, "1", "misses"),
        "miss_ratio": Column(curve.misses / curve.references, "1", f"misses per reference, {CHE}"),
    }


def _lowest(total: np.ndarray, lines: list[Line]) -> np.ndarray:
    """Marks the lowest known price of each line."""
    marks, at = np.zeros(total.size, bool), 0
    for line in lines:
        part = total[at : at + line.curve.frames.size]
        if np.isfinite(part).any():
            marks[at + int(np.nanargmin(part))] = True
        at += line.curve.frames.size
    return marks


def _beginning(sampled: Curve, pages: int):
    """Where a sampled curve begins, if that is behind the others."""
    if sampled.frames[0] > curve_sizes(pages, POINTS)[0]:
        yield f"The sampled curve begins at {grouped(sampled.frames[0])} frames: of fewer the sample says nothing."


def _notes(inputs: Inputs, loaded: Loaded, costs: PageCosts, sampled: Curve | None):
    yield from loaded.sentences()
    yield costs.busy.note
    if sampled is None:
        pages = loaded.references.distinct
        yield f"A sample of {inputs.sample:.0%} of {grouped(pages)} pages is too small to say anything; it is left out."
    else:
        yield from _beginning(sampled, loaded.references.distinct)
    if not np.isfinite(device_usd(inputs)):
        title = devices.title_of(inputs.device)
        yield f"{title}: the catalogue has no price of a device in dollars, so no size is called cheapest."
    if any(find(policy)[0].offline for policy in inputs.policies):
        yield f"{title_of('min')} knows the future: fewest misses {among(inputs.policies)}, not the fewest write-backs."
    yield "Che's formula takes every reference as drawn anew and knows no write-backs, so it has no price."


STUDY = Study(
    name="miss_curve",
    title="How much memory is worth its price?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="buffer",
    source="Mattson et al. 1970; Waldspurger et al. 2015; Gray and Putzolu 1987",
    presets={
        "a scan pollutes the buffer": {
            "trace": "scan-polluted",
            "policies": ("clock", "2q", "arc", "lirs", "s3-fifo"),
        },
        "CFLRU's window": {"policies": ("cflru:window=0", "cflru:window=0.25", "cflru:window=0.5", "cflru:window=1")},
        "prices of 1987, on an early disk": {
            "trace": "zipf",
            "policies": ("min",),
            "device": "hp-97560",
            "references_per_s": 100.0,
            "memory_price": 5_000_000.0,
            "device_price": 30_000.0,
        },
        "on Optane": {"device": "intel-optane-p4800x-375gb", "references_per_s": 100_000.0, "memory_price": 10.0},
    },
)
