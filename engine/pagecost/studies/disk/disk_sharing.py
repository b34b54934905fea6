"""Should a disk wait for a reader who will soon ask again?"""

from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost import catalogue, devices
from pagecost.answers import disk_runs
from pagecost.answers.disk_runs import REPLICATIONS, Mean, Sharing
from pagecost.devices.disk import HOSTS, Disk
from pagecost.studies.disk import disk_inputs
from pagecost.studies.fields import Choice, Steps
from pagecost.studies.finding import Finding, cells, compared, percent
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side
from pagecost.units import format_bytes, format_cell, format_seconds, grouped

NO_ARM = "no arm"
SECONDS = 6.0  # long enough for a write to fall due, and at least
PAUSES, QUEUES = 100, 30  # of the reader, and of the waits behind a whole queue of writes of so long each:
WRITE_S = 1e-2
TITLES = {name: title for name, (title, _) in HOSTS.items()}
FLAT_BYTES, FLAT_ACCESS_S, FLAT_RATE = 4e9, 1e-4, 250e6
LOADS = {"sequential reader, random writer": False, "random reader, random writer": True}


class Inputs(StudyInputs):
    """A reader who waits for each answer, beside a writer who does not."""

    disk: Annotated[str, *disk_inputs.disk("It is compared with a device without an arm.")] = "wd400bb"
    load: Annotated[
        str, Choice(lambda: {name: name for name in LOADS}), Field(title="Load", description="Where the reader reads.")
    ] = "sequential reader, random writer"
    read_bytes: Annotated[
        int,
        Steps(disk_inputs.SIZES[3:], "B", format_bytes),
        disk_inputs.WHOLE_SECTORS,
        Field(ge=512, le=1 << 20, title="Read size", description="Of one read, a whole number of sectors."),
    ] = 65536
    pause_s: Annotated[
        float,
        Steps((0.0, 1e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2), "s", format_seconds),
        Field(ge=0, le=1, title="Pause of the reader", description="From an answer to its next read."),
    ] = 1e-3
    wait_s: Annotated[
        float,
        Steps((0.0, 1e-3, 3e-3, 6e-3, 1e-2, 2e-2), "s", format_seconds),
        Field(ge=0, le=1, title="Longest wait", description="Of the anticipatory scheduler for a reader."),
    ] = 6e-3
    outstanding: Annotated[
        int,
        Steps((1, 2, 4, 8, 16, 32), "requests", str),
        Field(ge=1, le=256, title="Writes outstanding", description="That the writer has in the queue at all times."),
    ] = 16
    seed: SEED = 1


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device and scheduler: what reader and writer get, and how long the device stood still."""
    devices = {inputs.disk: Disk.of(catalogue.device(inputs.disk)), NO_ARM: flat()}
    rows = []
    for number, (name, device) in enumerate(devices.items(), start=1):
        alone = Mean.of([run.read_bytes_per_s for run in _runs(inputs, device, "noop", True)])
        for host in HOSTS:
            read, write, idle, waits = np.array(_runs(inputs, device, host, False)).T
            read, write = Mean.of(read), Mean.of(write)
            total = read.value / inputs.read_bytes + write.value
            of_reader = (read.value, read.half_width, read.value / alone.value)
            of_both = (write.value, write.half_width, total, idle.mean(), waits.mean())
            rows.append((name, host, *of_reader, *of_both))
        progress(number / len(devices), None)
    column = [np.array(each) for each in zip(*rows, strict=True)]
    columns = {
        "device": Column(column[0], "text", "device", disk_runs.disks()),
        "scheduler": Column(column[1], "text", "scheduler", TITLES),
        "read_bytes_per_s": Column(column[2], "B/s", "the reader gets"),
        "read_interval": Column(column[3], "B/s", "half of its 95 % interval"),
        "of_alone": Column(column[4], "1", "of what the reader gets alone"),
        "writes_per_s": Column(column[5], "1/s", "the writer gets"),
        "writes_interval": Column(column[6], "1/s", "half of its 95 % interval"),
        "total_per_s": Column(column[7], "1/s", "requests of both"),
        "idle": Column(column[8], "1", "share of the time that the device stood still"),
        "waits": Column(column[9], "1", "times that it waited for the reader"),
    }
    return Result.of(columns, _notes(inputs))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """What each scheduler does with the reader's pause."""
    lines = []
    for row in range(len(result)):
        lines.append(
            f"{result.cell('device', row)}, {result.cell('scheduler', row)}: the reader gets "
            f"{format_bytes(result['read_bytes_per_s'][row])}/s, {result['of_alone'][row]:.0%} of what it gets alone, "
            f"the writer {format_cell(result['writes_per_s'][row], '1')} writes/s; in {seconds(inputs):g} s the device "
            f"waited {grouped(result['waits'][row])} times and stood still {result['idle'][row]:.0%} of the time."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words: of the schedulers of the disk alone, for only they can be chosen."""
    return compared(
        result,
        result.rows(device=inputs.disk),
        "of_alone",
        cells(result, "scheduler"),
        several="On {disk} the reader keeps {low} of its rate beside a {writer} by {least}, and {high} by {most}.",
        one="On {disk} the reader keeps {high} of its rate beside a {writer}, whatever the scheduler.",
        none="Nothing is known of reader and writer.",
        show=percent,
        disk=devices.title_of(inputs.disk),
        writer=inputs.load.split(", ")[-1],
    )


def seconds(inputs: Inputs) -> float:
    """How long a run lasts [s]: in too few reads of the reader one more or less would count for much."""
    return max(SECONDS, PAUSES * inputs.pause_s, QUEUES * inputs.outstanding * WRITE_S)


def flat() -> Disk:
    """The device without an arm: every place costs the same."""
    return Disk.flat(NO_ARM, capacity_bytes=FLAT_BYTES, access_s=FLAT_ACCESS_S, bytes_per_s=FLAT_RATE)


def _runs(inputs: Inputs, device: Disk, host: str, alone: bool) -> list[Sharing]:
    asked = (LOADS[inputs.load], inputs.read_bytes, inputs.pause_s, inputs.wait_s, inputs.outstanding, seconds(inputs))

    def run(replication: int) -> Sharing:
        return disk_runs.sharing(device, host, alone, *asked, inputs.seed, replication)

    return [found for _, found in side_by_side(run, list(range(REPLICATIONS)))]


def _notes(inputs: Inputs):
    yield from disk_inputs.notes_of(inputs.disk)
    yield (
        f"No arm: every request takes {format_seconds(FLAT_ACCESS_S)} and its transfer at {format_bytes(FLAT_RATE)}/s, "
        "wherever it lies; an assumed device that shows the principle, not a product."
    )
    yield (
        f"{REPLICATIONS} runs of {seconds(inputs):g} s. Requests that touch are merged. The anticipatory scheduler "
        "serves reads first, in one direction; it waits for a reader that reads near by and asks again in time; a "
        "write that is 5 s old brings a batch of 16. Without read-ahead: the drive keeps nothing."
    )


STUDY = Study(
    name="disk_sharing",
    title="Should a disk wait for a reader who will soon ask again?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="wang2011 Fig. 13; Iyer and Druschel, SOSP 2001",
    presets={
        "a reader who jumps: nothing to wait for": {"load": "random reader, random writer"},
        "a reader who thinks too long": {"pause_s": 1e-2},
        "one write at a time": {"outstanding": 1},
    },
)
