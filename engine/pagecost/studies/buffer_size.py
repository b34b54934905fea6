"""How large a buffer does a workload need, and under which replacement policy?"""

import functools
from typing import Annotated

import numpy as np
from pydantic import Field, field_validator

from pagecost import devices
from pagecost.buffer import POLICIES, References, Replay, replay
from pagecost.errors import known, require
from pagecost.studies import page_sources
from pagecost.studies.fields import Choice, Choices, Steps
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_seconds

CURVE_POINTS = 13
FRAMES = tuple(round(2 ** (k / 4)) for k in range(16, 73))  # 16 .. 262 144 frames


class Inputs(StudyInputs):
    """What is replayed, and on what the misses fall."""

    trace: Annotated[
        str,
        Choice(page_sources.titles, free=True),
        Field(title="Trace", description="A recording or load that comes with pagecost, or the path of a trace file."),
    ] = "sqlite-order-entry"
    frames: Annotated[
        int,
        Steps(FRAMES, "frames", lambda frames: f"{frames:,} frames".replace(",", " ")),
        Field(ge=1, le=2**31, title="Buffer size", description="Pages that the buffer pool holds."),
    ] = 1024
    policies: Annotated[
        tuple[str, ...],
        Choices(lambda: {name: policy.title for name, policy in POLICIES.items()}),
        Field(min_length=1, title="Replacement policies", description="MIN looks into the future: a bound."),
    ] = ("fifo", "clock", "lru", "min")
    device: Annotated[
        str,
        Choice(devices.modelled),
        Field(title="Device", description="Where misses are read from and dirty pages are written to."),
    ] = "intel-x25-e"

    @field_validator("trace")
    @classmethod
    def _readable_trace(cls, name):
        page_sources.load(name)
        return name

    @field_validator("policies")
    @classmethod
    def _known_policies(cls, names):
        for name in names:
            known("replacement policy", name, POLICIES)
        require(len(set(names)) == len(names), f"a policy is named twice in {', '.join(names)}")
        return names

    @field_validator("device")
    @classmethod
    def _known_device(cls, name):
        devices.load(name)
        return name


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per policy and buffer size; `chosen` marks the size of the inputs, the others draw the curve.

    Times are per page reference: misses x random read + write-backs x random write of one page, over references.
    """
    source = page_sources.load(inputs.trace)
    references = _references(source)
    read_s, write_s = _page_times(inputs)
    sizes = curve_sizes(references.distinct)
    replays: list[tuple[Replay, bool]] = [
        (_replayed(source, policy, inputs.frames), True) for policy in inputs.policies
    ]
    progress(0.0, _result(replays, read_s, write_s))
    wanted = [(policy, size) for size in reversed(sizes) for policy in inputs.policies]
    for done, (policy, size) in enumerate(wanted, start=1):
        replays.append((_replayed(source, policy, size), False))
        if done % len(inputs.policies) == 0:
            progress(done / len(wanted), _result(replays, read_s, write_s))
    order = {policy: number for number, policy in enumerate(inputs.policies)}
    replays.sort(key=lambda item: (not item[1], order[item[0].policy], item[0].frames))
    return _result(replays, read_s, write_s, _notes(inputs, source))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each policy at the chosen size: where its time per reference comes from."""
    read_s, write_s = _page_times(inputs)
    lines = []
    read, write = format_seconds(read_s), format_seconds(write_s)
    for row in result.rows(chosen=True):
        title = POLICIES[result["policy"][row]].title
        misses, write_backs, references = (int(result[name][row]) for name in ("misses", "write_backs", "references"))
        time = format_seconds(result["time_per_reference_s"][row])
        lines.append(
            f"{title}: ({misses} misses × {read} + {write_backs} write-backs × {write}) / {references} = {time}"
        )
    return lines


def curve_sizes(distinct_pages: int) -> list[int]:
    """Buffer sizes for a curve: about evenly spaced on a logarithmic axis, from 0.2 % of the pages to all of them."""
    sizes = np.geomspace(max(distinct_pages * 0.002, 1), distinct_pages, CURVE_POINTS)
    return sorted({max(1, round(size)) for size in sizes})


def _page_times(inputs: Inputs) -> tuple[float, float]:
    page_bytes = _page_size_of(page_sources.load(inputs.trace))
    model = devices.load(inputs.device)
    times = [float(model.service(pattern, page_bytes).total_s) for pattern in ("random read", "random write")]
    require(
        bool(np.isfinite(times).all()),
        f"{inputs.device}: it was not measured with blocks of {page_bytes} bytes, the page size of {inputs.trace}",
    )
    return times[0], times[1]


def _page_size_of(source: page_sources.PageSource) -> int:
    return source.requests.page_bytes


@functools.lru_cache(maxsize=4)
def _references(source: page_sources.PageSource) -> References:
    return References.of(*source.requests.page_references())


@functools.lru_cache(maxsize=4096)
def _replayed(source: page_sources.PageSource, policy: str, frames: int) -> Replay:
    """A replay, kept: a slider that comes back, or a change of the device, costs nothing."""
    return replay(_references(source), frames, policy, warm_up=source.warm_up)


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
    return Result(columns, tuple(notes))


def _notes(inputs: Inputs, source: page_sources.PageSource):
    references = _references(source)
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
