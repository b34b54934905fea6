"""How large a buffer does a workload need, and under which replacement policy?"""

import functools

import numpy as np

from pagecost import devices
from pagecost.buffer import References, Replay, replay
from pagecost.buffer.policies import title_of
from pagecost.studies.buffer import buffer_fields, page_sources
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress, part_of
from pagecost.units import format_seconds

CURVE_POINTS = 13
READING = 0.3  # of a study's work, where the trace is a file


class Inputs(StudyInputs):
    """What is replayed, and on what the misses fall."""

    trace: buffer_fields.TRACE = "sqlite-order-entry"
    frames: buffer_fields.SIZE = 1024
    policies: buffer_fields.policies("MIN looks into the future: a bound.") = ("fifo", "clock", "lru", "min")
    device: buffer_fields.device() = "intel-x25-e"


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per policy and buffer size; `chosen` marks the size of the inputs, the others draw the curve.

    Times are per page reference: misses x random read + write-backs x random write of one page, over references.
    """
    source, progress = opened(inputs.trace, progress)
    references = references_of(source)
    read_s, write_s = page_times(inputs.trace, inputs.device)
    sizes = curve_sizes(references.distinct)
    replays: list[tuple[Replay, bool]] = [(replayed(source, policy, inputs.frames), True) for policy in inputs.policies]
    progress(0.0, _result(replays, read_s, write_s))
    wanted = [(policy, size) for size in reversed(sizes) for policy in inputs.policies]
    for done, (policy, size) in enumerate(wanted, start=1):
        replays.append((replayed(source, policy, size), False))
        if done % len(inputs.policies) == 0:
            progress(done / len(wanted), _result(replays, read_s, write_s))
    order = {policy: number for number, policy in enumerate(inputs.policies)}
    replays.sort(key=lambda item: (not item[1], order[item[0].policy], item[0].frames))
    return _result(replays, read_s, write_s, _notes(inputs, source))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each policy at the chosen size: where its time per reference comes from."""
    read_s, write_s = page_times(inputs.trace, inputs.device)
    lines = []
    read, write = format_seconds(read_s), format_seconds(write_s)
    for row in result.rows(chosen=True):
        title = title_of(str(result["policy"][row]))
        misses, write_backs, references = (int(result[name][row]) for name in ("misses", "write_backs", "references"))
        time = format_seconds(result["time_per_reference_s"][row])
        lines.append(
            f"{title}: ({misses} misses × {read} + {write_backs} write-backs × {write}) / {references} = {time}"
        )
    return lines


def curve_sizes(distinct_pages: int, points: int = CURVE_POINTS) -> list[int]:
    """Buffer sizes for a curve: about evenly spaced on a logarithmic axis, from 0.2 % of the pages to all of them."""
    sizes = np.geomspace(max(distinct_pages * 0.002, 1), distinct_pages, points)
    return sorted({max(1, round(size)) for size in sizes})


def page_times(trace: str, device: str) -> tuple[float, float]:
    """Device time [s] of a random read and a random write of one page of the trace."""
    found = devices.random_page_times(device, page_sources.page_bytes_of(trace), kind=devices.BUSY)
    return found.read_s, found.write_s


def opened(trace: str, progress: Progress) -> tuple[page_sources.PageSource, Progress]:
    """The trace, read from its file if need be, and the progress of what is left to do."""
    source = page_sources.load(trace, part_of(progress, 0, READING))
    return source, part_of(progress, READING, 1)


@functools.lru_cache(maxsize=4)
def references_of(source: page_sources.PageSource) -> References:
    return References.of(*source.requests.page_references())


@functools.lru_cache(maxsize=4096)
def replayed(source: page_sources.PageSource, policy: str, frames: int) -> Replay:
    """A replay, kept: a slider that comes back, or a change of the device, costs nothing."""
    return replay(references_of(source), frames, policy, warm_up=source.warm_up)


def _result(replays, read_s: float, write_s: float, notes=()) -> Result:
    runs = [run for run, _ in replays]
    references = np.array([run.references for run in runs])
    misses = np.array([run.misses for run in runs])
    write_backs = np.array([run.write_backs for run in runs])
    reading, writing = misses * read_s / references, write_backs * write_s / references
    columns = {
        "policy": Column(np.array([run.policy for run in runs]), "text", "replacement policy"),
        "frames": Column(np.array([run.frames for run in runs]), "1", "buffer size in frames"),
        "chosen": Column(np.array([chosen for _, chosen in replays]), "1", "the chosen size"),
        "references": Column(references, "1", "page references"),
        "hit_ratio": Column(np.array([run.hit_ratio for run in runs]), "1", "hit ratio"),
        "misses": Column(misses, "1", "misses"),
        "read_hits": Column(np.array([run.read_hits for run in runs]), "1", "read hits"),
        "write_hits": Column(np.array([run.write_hits for run in runs]), "1", "write hits"),
        "write_backs": Column(write_backs, "1", "dirty evictions (write-backs)"),
        "dirty_left": Column(np.array([run.dirty_left for run in runs]), "1", "dirty pages left"),
        "read_s": Column(reading, "s", "reading misses, per reference"),
        "write_s": Column(writing, "s", "writing dirty evictions, per reference"),
        "time_per_reference_s": Column(reading + writing, "s", "device time per reference"),
    }
    return Result.of(columns, notes)


def _notes(inputs: Inputs, source: page_sources.PageSource):
    references = references_of(source)
    page_bytes = source.requests.page_bytes
    size = f"{references.size} references to {references.distinct} pages of {page_bytes} bytes"
    yield f"{source.name}: {size}. {source.note}".rstrip()
    if inputs.frames >= references.distinct:
        yield f"The buffer holds all {references.distinct} pages: only the first reference to each page misses."
    if "min" in inputs.policies:
        yield "MIN knows the future: fewest misses for any policy, not the fewest write-backs."


STUDY = Study(
    name="buffer_size",
    title="How large a buffer does this workload need, and under which policy?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    source="rahm1992 §4.5; fernando2011 §2.2",
    presets={
        "PostgreSQL, on a hard disk": {"trace": "postgresql-order-entry", "device": "hgst-7k1000-750gb"},
        "Debit-Credit of 1992, LRU": {
            "trace": page_sources.DEBIT_CREDIT,
            "policies": ("lru",),
            "device": "rahm-db-disk",
        },
        "SQLite, on a USB stick": {"trace": "sqlite-order-entry", "device": "fernando-flash-drive"},
    },
)
