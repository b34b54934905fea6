"""How large a buffer does a workload need, and under which replacement policy?"""

from functools import partial
from typing import Annotated

import numpy as np

from pagecost import devices
from pagecost.answers import page_costs
from pagecost.answers.page_costs import PageCosts
from pagecost.answers.replays import Loaded, curve_sizes, replayed
from pagecost.buffer import Replay
from pagecost.buffer.policies import find, title_of
from pagecost.studies.buffer import buffer_fields
from pagecost.studies.buffer.buffer_fields import among
from pagecost.studies.finding import Finding, cells, compared
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_seconds, grouped, so_many
from pagecost.workload.loads import DEBIT_CREDIT


class Inputs(StudyInputs):
    """What is replayed, and on what the misses fall."""

    trace: buffer_fields.TRACE = "sqlite-order-entry"
    frames: buffer_fields.SIZE = 1024
    policies: Annotated[tuple[str, ...], *buffer_fields.policies("MIN looks into the future: a bound.")] = (
        "fifo",
        "clock",
        "lru",
        "min",
    )
    device: Annotated[str, *buffer_fields.device()] = "intel-x25-e"
    page_bytes: buffer_fields.PAGE_BYTES = buffer_fields.AS_THE_TRACE_SAYS


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per policy and buffer size; `chosen` marks the size of the inputs, the others draw the curve.

    Times are per page reference: misses x random read + write-backs x random write of one page, over references;
    device time, and beside it the wait of one reference after the other, nan where the device's is not known.
    """
    loaded, progress = buffer_fields.opened(inputs, progress)
    source, costs = loaded.source, page_costs.of_pages(inputs.device, loaded.source.page_bytes)
    replays: list[tuple[Replay, bool]] = [(replayed(source, policy, inputs.frames), True) for policy in inputs.policies]
    progress(0.0, partial(_result, loaded, replays.copy(), costs))
    sizes = curve_sizes(loaded.references.distinct)
    wanted = [(policy, size) for size in reversed(sizes) for policy in inputs.policies]
    for done, (policy, size) in enumerate(wanted, start=1):
        replays.append((replayed(source, policy, size), False))
        if done % len(inputs.policies) == 0:
            progress(done / len(wanted), partial(_result, loaded, replays.copy(), costs))
    order = {policy: number for number, policy in enumerate(inputs.policies)}
    replays.sort(key=lambda item: (not item[1], order[item[0].policy], item[0].frames))
    return _result(loaded, replays, costs, _notes(inputs, loaded, costs))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each policy at the chosen size: where its time per reference comes from."""
    read, write = result.facts["page_read_s"].cell, result.facts["page_write_s"].cell
    lines = []
    for row in result.rows(chosen=True):
        misses, write_backs, references = (int(result[name][row]) for name in ("misses", "write_backs", "references"))
        line = (
            f"{result.cell('policy', row)}: ({grouped(misses)} misses × {read} + "
            f"{grouped(write_backs)} write-backs × {write}) / {grouped(references)} = "
            f"{format_seconds(result['time_per_reference_s'][row])}"
        )
        wait_s = result["wait_per_reference_s"][row]
        lines.append(f"{line}; one after the other {format_seconds(wait_s)}" if np.isfinite(wait_s) else line)
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    online = [row for row in result.rows(chosen=True) if not find(str(result["policy"][row]))[0].offline]
    return compared(
        result,
        online or result.rows(chosen=True),
        "time_per_reference_s",
        cells(result, "policy"),
        several="With {frames} {least} costs least without knowing the future: {low} of {device} per page "
        "reference; {most} costs {high}.",
        one="With {frames} {most} costs {high} of {device} per page reference.",
        none="What a page reference costs is not known.",
        frames=so_many(inputs.frames, "frame"),
        device=devices.title_of(inputs.device),
    )


def _result(loaded: Loaded, replays, costs: PageCosts, notes=()) -> Result:
    runs = [run for run, _ in replays]

    def counted(name: str) -> np.ndarray:
        return np.array([getattr(run, name) for run in runs])

    frames, references, misses, write_backs = map(counted, ("frames", "references", "misses", "write_backs"))
    reading, writing = misses * costs.busy.read_s / references, write_backs * costs.busy.write_s / references
    waiting = costs.alone_s(misses, write_backs) / references
    columns = {
        "policy": buffer_fields.policy_column(counted("policy")),
        "frames": Column(frames, "1", "buffer size in frames"),
        "buffer_bytes": Column(frames * loaded.source.page_bytes, "B", "buffer size"),
        "chosen": Column(np.array([chosen for _, chosen in replays]), "1", "the chosen size"),
        "references": Column(references, "1", "page references"),
        "hit_ratio": Column(counted("hit_ratio"), "1", "hit ratio"),
        "misses": Column(misses, "1", "misses"),
        "read_hits": Column(counted("read_hits"), "1", "read hits"),
        "write_hits": Column(counted("write_hits"), "1", "write hits"),
        "write_backs": Column(write_backs, "1", "dirty evictions (write-backs)"),
        "dirty_left": Column(counted("dirty_left"), "1", "dirty pages left"),
        "read_s": Column(reading, "s", "reading misses, per reference"),
        "write_s": Column(writing, "s", "writing dirty evictions, per reference"),
        "time_per_reference_s": Column(reading + writing, "s", "device time per page reference"),
        "wait_per_reference_s": Column(waiting, "s", "wait per page reference, one after the other"),
    }
    return Result.of(columns, notes, facts=buffer_fields.page_facts(loaded.source.page_bytes, costs))


def _notes(inputs: Inputs, loaded: Loaded, costs: PageCosts):
    yield from loaded.sentences()
    yield costs.busy.note
    if inputs.frames >= loaded.references.distinct:
        pages = grouped(loaded.references.distinct)
        yield f"The buffer holds all {pages} pages: only the first reference to each page misses."
    if "min" in inputs.policies:
        yield f"{title_of('min')} knows the future: fewest misses {among(inputs.policies)}, not the fewest write-backs."


STUDY = Study(
    name="buffer_size",
    title="How large a buffer does this workload need, and under which policy?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="buffer",
    source="rahm1992 §4.5; fernando2011 §2.2",
    presets={
        "PostgreSQL, on a hard disk": {"trace": "postgresql-order-entry", "device": "hgst-7k1000-750gb"},
        "Debit-Credit of 1992, LRU": {
            "trace": DEBIT_CREDIT,
            "policies": ("lru",),
            "device": "rahm-db-disk",
        },
        "SQLite, on a USB stick": {"trace": "sqlite-order-entry", "device": "fernando-flash-drive"},
    },
)
