"""What does every buffer size cost: misses and write-backs of whole curves, and the memory against the device?"""

import functools
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from pagecost import catalogue
from pagecost.buffer import Sampler, che_misses, lru_curve, sampled_lru_curve
from pagecost.buffer.policies import find, title_of
from pagecost.economics import break_even_interval_s
from pagecost.errors import known
from pagecost.studies.buffer import buffer_fields, page_sources
from pagecost.studies.buffer.buffer_size import curve_sizes, opened, page_times, references_of, replayed
from pagecost.studies.buffer.trace_insight import rejected_sentences
from pagecost.studies.fields import Choice, From, Steps
from pagecost.studies.flash.flash_fields import shares
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side
from pagecost.units import format_bytes, format_seconds

POINTS = 25  # of every curve, so that their cheapest sizes can be compared; every other one is in buffer_size too
EXACT, SAMPLED, CHE = "LRU, every size exactly", "LRU, from a sample", "LRU by Che's formula"
WHOLE, SAMPLE = "whole", "sample"
READINGS = {WHOLE: "whole, for every curve", SAMPLE: "only a sample, however large it is"}
MEMORY = "five-minute-memory-2007"
GB = 1e9


def memory_usd_per_gb() -> float:
    """The price of memory in the catalogue that inputs begin with."""
    return 1000 * catalogue.device(MEMORY).prices[0].amount


class Inputs(StudyInputs):
    """What is replayed, on what the misses and write-backs fall, and what memory and device cost."""

    trace: buffer_fields.TRACE = "sqlite-order-entry"
    policies: buffer_fields.policies("Replayed size by size, beside LRU's whole curve.", 0, most=5) = (
        "arc",
        "cflru",
        "min",
    )
    reading: Annotated[
        str,
        Choice(lambda: READINGS),
        AfterValidator(lambda name: known("reading", name, READINGS)),
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
    device: buffer_fields.device() = "intel-x25-m-g2-80gb"
    references_per_s: Annotated[
        float,
        Steps((100.0, 300.0, 1000.0, 3000.0, 10_000.0, 30_000.0, 100_000.0), "1/s", lambda rate: f"{rate:.0f} 1/s"),
        Field(gt=0, le=1e9, title="Load", description="Page references per second that the system must serve."),
    ] = 1000.0
    memory_price: Annotated[
        float,
        Steps(
            (1.0, 3.0, 5.0, 10.0, 20.0, memory_usd_per_gb(), 100.0, 1000.0, 10_000.0),
            "USD/GB",
            lambda usd: f"{usd:g} $/GB",
        ),
        From("prices.csv, five-minute-memory-2007"),
        Field(gt=0, le=1e9, title="Price of memory", description="Dollars for a GB (10^9 bytes) of buffer."),
    ] = memory_usd_per_gb()
    device_price: Annotated[
        float,
        Steps(
            (0.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 30_000.0), "1", lambda usd: f"{usd:g} $" if usd else "catalogue"
        ),
        Field(ge=0, le=1e9, title="Price of a device", description="Dollars; 0 takes the price of the catalogue."),
    ] = 0.0

    @model_validator(mode="after")
    def _measured_with_pages(self):
        page_times(self.trace, self.device)
        return self


class Line(NamedTuple):
    """One curve. half widths: of the 95 % confidence interval, 0 where counted; write_backs: nan where not known."""

    method: str
    policy: str
    frames: np.ndarray
    misses: np.ndarray
    write_backs: np.ndarray
    misses_half: np.ndarray
    write_backs_half: np.ndarray
    references: int


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per method, policy and size: misses, write-backs, device time and dollars.

    dollars = memory for the frames + the share of a device that is busy x its price (more than one device counts as
    such). `cheapest` marks the lowest point of each curve. No curve counts the trace's warm-up, if it has one.
    """
    if inputs.reading == SAMPLE:
        return _of_sample(inputs, progress)
    source, progress = opened(inputs.trace, progress)
    lines = [_exact(source)]
    progress(0.05, _result(inputs, lines))
    notes = list(_notes(inputs, source))
    sampled = _sampled(source, inputs.sample)
    if isinstance(sampled, str):
        notes.append(sampled)
    else:
        lines.append(sampled)
    lines.append(_che(source))
    progress(0.1, _result(inputs, lines))
    sizes = curve_sizes(references_of(source).distinct, POINTS)
    wanted = [(policy, size) for size in reversed(sizes) for policy in inputs.policies]
    runs = []
    for _, run in side_by_side(lambda case: replayed(source, *case), wanted):
        runs.append(run)
        if len(runs) % len(inputs.policies) == 0:
            progress(0.1 + 0.9 * len(runs) / len(wanted), _result(inputs, lines + _replays(inputs, runs)))
    return _result(inputs, lines + _replays(inputs, runs), tuple(notes))


def _of_sample(inputs: Inputs, progress: Progress) -> Result:
    """The sampled curve alone, from a trace that is never held in memory."""

    def growing(share: float, curve) -> None:
        progress(share, None if curve is None else _result(inputs, [_at_sizes(*curve)]))

    curve, pages, source = sampled_curve(inputs.trace, inputs.sample, growing)
    notes = (
        f"{inputs.trace}: {curve.references} references to about {pages:.0f} pages of {source.page_bytes} bytes, read "
        f"piece by piece in the order of the file; {inputs.sample:.3g} of the pages were kept.",
        *source.tally.notes,
        *rejected_sentences(source.tally),
        "The exact curve, Che's formula and the replays need the whole trace in memory.",
    )
    return _result(inputs, [_at_sizes(curve, pages)], notes)


def sampled_curve(trace: str, share: float, progress=lambda share, curve: None, format: str | None = None):
    """(curve, estimated distinct pages, the `Pieces` that were read) of a trace of any length.

    progress(share, (curve so far, pages so far) or None) is called between pieces and may raise; a curve is given at
    1, 2, 4, 8 … pieces. A file is read once for each share as long as it does not change.
    """
    path = None if trace in page_sources.GENERATED else page_sources.Pieces(trace, format).path
    version = (trace, path.stat().st_mtime_ns if path else 0, share, format)
    if version not in _sampled_curves:
        done, shown = 0, 1
        sampler = Sampler(share)

        def so_far(part: float) -> None:
            nonlocal shown
            curve = None
            if done >= shown and sampler.is_enough:
                curve, shown = (sampler.curve(), sampler.pages()), 2 * done
            progress(part, curve)

        source = page_sources.Pieces(trace, format, progress=so_far)
        requests = 0
        for piece in source:
            ids, writes = piece.page_references()
            left = source.warm_up - sampler.references
            if 0 < left <= ids.size:
                sampler.add(ids[:left], writes[:left])
                sampler.end_warm_up()
                ids, writes = ids[left:], writes[left:]
            sampler.add(ids, writes)
            requests += piece.size
            done += 1
        source.refuse_nothing(requests)
        for old in list(_sampled_curves)[: len(_sampled_curves) + 1 - 4]:
            _sampled_curves.pop(old, None)
        _sampled_curves[version] = sampler.curve(), sampler.pages(), source
    return _sampled_curves[version]


_sampled_curves: dict[tuple, tuple] = {}


def main_method(inputs: Inputs) -> str:
    """The curve of LRU that the answer is told with."""
    return SAMPLED if inputs.reading == SAMPLE else EXACT


def device_price(inputs: Inputs) -> float:
    """Dollars for one device: as typed, else the catalogue's newest; nan where that has none."""
    if inputs.device_price:
        return inputs.device_price
    known_device = catalogue.devices().get(inputs.device)
    return known_device.price_usd if known_device else float("nan")


def cheapest(result: Result, method: str, policy: str = "lru") -> int | None:
    """The row of a curve's lowest price; None where prices are not known."""
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
    price = device_price(inputs)
    if not np.isfinite(price):
        return [f"{inputs.device}: its price is not known; give one to see which size is cheapest."]
    read_s, write_s = page_times(inputs.trace, inputs.device)
    page_bytes = page_sources.page_bytes_of(inputs.trace)
    interval = break_even_interval_s(page_bytes, read_s, price, inputs.memory_price / GB)
    read, write = format_seconds(read_s), format_seconds(write_s)
    lines = [
        f"Break-even: {price:g} $ × {read} / ({format_bytes(page_bytes)} × {inputs.memory_price:g} $/GB) = "
        f"{format_seconds(interval)}: a page that is read more often is cheaper in memory."
    ]
    last, following = last_frames_interval_s(inputs, result)
    lines.append(
        f"At the cheapest size of LRU the last frames save a read {_seconds(last)}, the next ones would "
        f"{_seconds(following)}; saved write-backs make a frame worth more."
    )
    for row in np.flatnonzero(result["cheapest"]):
        busy = result["busy_devices"][row]
        lines.append(
            f"{result['curve'][row]}: {result['frames'][row]} frames: memory {result['memory_price'][row]:.3g} $ + "
            f"({result['misses'][row]:.0f} × {read} + {result['write_backs'][row]:.0f} × {write}) / "
            f"{result['references'][row]} × {inputs.references_per_s:g} 1/s = {busy:.3g} "
            f"devices × {price:g} $ = {result['total_price'][row]:.3g} $"
        )
    return lines


def _seconds(interval: float) -> str:
    return f"every {format_seconds(interval)}" if np.isfinite(interval) else "never"


@functools.lru_cache(maxsize=16)
def _exact(source: page_sources.PageSource) -> Line:
    references = references_of(source)
    curve = lru_curve(references, warm_up=source.warm_up)
    return _line(EXACT, curve.at(curve_sizes(references.distinct, POINTS)))


@functools.lru_cache(maxsize=64)
def _sampled(source: page_sources.PageSource, share: float) -> Line | str:
    """The sampled curve, or why there is none."""
    references = references_of(source)
    least = 50 / share  # pages, so that each of the four samples has a dozen
    if references.distinct < least:
        return f"A sample of {share:.0%} of {references.distinct} pages is too small to say anything; it is left out."
    curve = sampled_lru_curve(references, share=share, warm_up=source.warm_up)
    return _at_sizes(curve, references.distinct)


def _at_sizes(curve, distinct: float) -> Line:
    return _line(SAMPLED, curve.at(curve_sizes(round(distinct), POINTS)))


@functools.lru_cache(maxsize=16)
def _che(source: page_sources.PageSource) -> Line:
    references = references_of(source)
    sizes = np.array(curve_sizes(references.distinct, POINTS))
    none = np.zeros(sizes.size)
    misses = che_misses(references, sizes, warm_up=source.warm_up)
    counted = references.size - source.warm_up
    return Line(CHE, "lru", sizes, misses, np.full(sizes.size, np.nan), none, none, counted)


def _line(method: str, curve) -> Line:
    halves = curve.misses_half_width, curve.write_backs_half_width
    return Line(method, "lru", curve.frames, curve.misses, curve.write_backs, *halves, curve.references)


def _replays(inputs: Inputs, runs) -> list[Line]:
    lines = []
    for policy in inputs.policies:
        own = sorted((run for run in runs if run.policy == policy), key=lambda run: run.frames)
        frames, misses, written = (
            np.array([getattr(run, name) for run in own]) for name in ("frames", "misses", "write_backs")
        )
        if own:
            none = np.zeros(frames.size)
            lines.append(Line("replayed", policy, frames, misses, written, none, none, own[0].references))
    return lines


def _result(inputs: Inputs, lines: list[Line], notes=()) -> Result:
    read_s, write_s = page_times(inputs.trace, inputs.device)
    page_bytes = page_sources.page_bytes_of(inputs.trace)

    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(line, name) for line in lines])

    def per_line(values) -> np.ndarray:
        return np.repeat(np.array(values), [line.frames.size for line in lines])

    references, frames = per_line([line.references for line in lines]), joined("frames")
    misses, written = joined("misses").astype(float), joined("write_backs").astype(float)
    time_s = (misses * read_s + written * write_s) / references
    busy = time_s * inputs.references_per_s
    memory = frames * page_bytes * inputs.memory_price / GB
    total = memory + busy * device_price(inputs)
    columns = {
        "curve": Column(per_line([_title(line) for line in lines]), "text", "curve"),
        "method": Column(per_line([line.method for line in lines]), "text", "how it was found"),
        "policy": Column(per_line([line.policy for line in lines]), "text", "replacement policy"),
        "frames": Column(frames, "1", "buffer size in frames"),
        "references": Column(references, "1", "page references"),
        "misses": Column(misses, "1", "misses"),
        "miss_ratio": Column(misses / references, "1", "miss ratio"),
        "miss_ratio_half": Column(joined("misses_half") / references, "1", "half width of its 95 % interval"),
        "write_backs": Column(written, "1", "write-backs"),
        "write_back_ratio": Column(written / references, "1", "write-backs per reference"),
        "write_back_ratio_half": Column(
            joined("write_backs_half") / references, "1", "half width of its 95 % interval"
        ),
        "time_per_reference_s": Column(time_s, "s", "device time per reference"),
        "busy_devices": Column(busy, "1", "devices kept busy"),
        "memory_price": Column(memory, "USD", "dollars for memory"),
        "total_price": Column(total, "USD", "dollars for memory and the busy share of devices"),
        "cheapest": Column(_lowest(total, lines), "1", "the cheapest size of its curve"),
    }
    return Result.of(columns, notes)


def _lowest(total: np.ndarray, lines: list[Line]) -> np.ndarray:
    """Marks the lowest known price of each line."""
    marks, at = np.zeros(total.size, bool), 0
    for line in lines:
        part = total[at : at + line.frames.size]
        if np.isfinite(part).any():
            marks[at + int(np.nanargmin(part))] = True
        at += line.frames.size
    return marks


def _title(line: Line) -> str:
    return title_of(line.policy) if line.method == "replayed" else line.method


def _notes(inputs: Inputs, source: page_sources.PageSource):
    references = references_of(source)
    page_bytes = source.requests.page_bytes
    yield (
        f"{source.name}: {references.size} references to {references.distinct} pages of {page_bytes} bytes. "
        f"{source.note}".rstrip()
    )
    if not np.isfinite(device_price(inputs)):
        yield f"{inputs.device}: the catalogue has no price of a device in dollars, so no size is called cheapest."
    if any(find(policy)[0].offline for policy in inputs.policies):
        yield "MIN knows the future: fewest misses of any policy, not the fewest write-backs."
    yield "Che's formula takes every reference as drawn anew and knows no write-backs, so it has no price."


STUDY = Study(
    name="miss_curve",
    title="How much memory is worth its price?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
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
