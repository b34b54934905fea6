"""How claims on the whole path are measured: one run of each system, or what stands in the tables of its studies."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pagecost import oltp, studies
from pagecost.answers import path_runs
from pagecost.claims.answers import answer
from pagecost.studies import Result
from pagecost.studies.path.path_answers import case_of
from pagecost.studies.path.path_inputs import Point

CLEARLY = 1.5  # a factor; between it and its inverse a difference is "not clear"
COMMERCIAL, MYSQL = "Wang 2011, commercial system", "Wang 2011, MySQL"
PRESETS = {"commercial": COMMERCIAL, "mysql": MYSQL}
DISK, SSDS = "hgst-7k1000-750gb", ("mtron-pro-7500", "intel-x25-e", "indilinx-barefoot-ssd")
SHORT_S = 20.0  # of the runs whose differences are large


def _whole(database: str, values: dict | None = None) -> Result:
    return answer("whole_path", PRESETS[database], values)


def _cell(result: Result, column: str, **where) -> float:
    (row,) = result.rows(**where)
    return float(result[column][row])


def path_value(database: str, device: str, layout: str, column: str, scale: float = 1.0) -> float:
    """A number of the system of Wang 2011 on a device and file system, times `scale`."""
    return _cell(_whole(database), column, device=device, file_system=layout) * scale


def path_gain(database: str, device: str, layout: str = "log-structured", over: str = "in-place") -> float:
    """Transactions on one file system over those on another."""
    tpm = [path_value(database, device, each, "tpm") for each in (layout, over)]
    return tpm[0] / tpm[1]


def path_advantage(database: str, device: str, layout: str = "log-structured", over: str = "in-place") -> str:
    """The same in words: "clearly more" from a factor of 1.5 on, "clearly less" below its inverse, else "not clear"."""
    gain = path_gain(database, device, layout, over)
    return "clearly more" if gain >= CLEARLY else "not clear" if gain > 1 / CLEARLY else "clearly less"


def path_gains(database: str, device: str, layout: str = "log-structured", over: str = "in-place") -> str:
    """Whether one file system does "more" than another, or "not more"."""
    return "more" if path_gain(database, device, layout, over) > 1 else "not more"


def beats_the_disk(database: str, device: str, layout: str, disk: str = DISK) -> str:
    """Whether a device does "more" transactions than the disk with the same file system, or "not more"."""
    tpm = [path_value(database, each, layout, "tpm") for each in (device, disk)]
    return "more" if tpm[0] > tpm[1] else "not more"


def clear_gains(databases: Sequence[str] = ("commercial", "mysql"), layout: str = "log-structured") -> float:
    """In how many of the cases on SSDs a file system does clearly more than the one in place."""
    cases = [(database, device) for database in databases for device in SSDS]
    return float(sum(path_advantage(*case, layout=layout) == "clearly more" for case in cases))


def writes_below(database: str, device: str, layout: str) -> str:
    """Bytes written below the file system: "as many" as above it (0.9 to 1.15 times), "more" or "fewer"."""
    factor = path_value(database, device, layout, "write_factor")
    return "more" if factor > 1.15 else "fewer" if factor < 0.9 else "as many"


def larger_writes(database: str, device: str, layout: str = "log-structured", over: str = "in-place") -> str:
    """Whether the device's writes are "larger" under one file system than under another, or "not larger"."""
    size = [path_value(database, device, each, "physical_write_bytes") for each in (layout, over)]
    return "larger" if size[0] > size[1] else "not larger"


def mean_write(database: str, device: str, than_bytes: float, layout: str = "log-structured") -> str:
    """Whether the device's mean write is "larger" than so many bytes, or "not larger"."""
    size = path_value(database, device, layout, "physical_write_bytes")
    return "larger" if size > than_bytes else "not larger"


def without_blocks(database: str, device: str, layout: str = "out-of-place") -> str:
    """Whether the log does "more" without summaries and metadata, or "not more": the database's own log has none."""
    result = answer("whole_path", PRESETS[database], {"devices": [device], "file_systems": [layout]})
    return "more" if result["tpm"][0] > path_value(database, device, "log-structured", "tpm") else "not more"


def slow_large_writes(database: str, device: str, factor: float = 2.0, above_bytes: float = 32768) -> str:
    """Whether nilfs2 does "fewer" transactions where sequential writes above so many bytes take `factor` times as long.

    Else "not fewer". The paper shows that they are slower without numbers; a factor of 2 is assumed.
    """
    inputs = studies.find("whole_path").inputs(preset=PRESETS[database])
    case = case_of(inputs, Point(database=database, device=device, file_system="log-structured"), 0, SHORT_S)
    storage = case.setup.storage
    assert isinstance(storage.drive, oltp.TimedDrive)
    slow = replace(storage.drive, slow_above_bytes=above_bytes, slow_factor=factor)
    changed = replace(case, setup=replace(case.setup, storage=replace(storage, drive=slow)))
    return "fewer" if path_runs.measured(changed).tpm < path_runs.measured(case).tpm else "not fewer"


def _cleaned(database: str, device: str) -> tuple[np.ndarray, np.ndarray]:
    """(intervals falling, loss at each in percent)."""
    result = answer("cleaning_interval", "Wang 2011, three SSDs")
    rows = [row for row in result.rows(database=database, device=device) if result["interval_s"][row] > 0]
    rows.sort(key=lambda row: -result["interval_s"][row])
    return result["interval_s"][rows], 100 * result["loss"][rows]


def cleaning_loss(database: str, device: str, interval_s: float) -> float:
    """Percent of the throughput that is lost where the cleaner wakes so often."""
    intervals_s, loss = _cleaned(database, device)
    return float(loss[intervals_s == interval_s][0])


def cleaning_trend(database: str, device: str, reverse: bool = False) -> str:
    """How the loss goes from 10 to 5, 2 and 1 s: "rises", "falls" or "neither"; reverse: from 1 to 10 s."""
    loss = _cleaned(database, device)[1]
    steps = np.diff(loss[::-1] if reverse else loss)
    return "rises" if (steps > 0).all() else "falls" if (steps < 0).all() else "neither"


def most_sensitive(interval_s: float = 1.0, count: int = 3) -> str:
    """The cases that lose most to cleaning, so many of the six, by name."""
    loss = {f"{device}/{db}": cleaning_loss(db, device, interval_s) for db in PRESETS for device in SSDS}
    return ", ".join(sorted(sorted(loss, key=lambda name: -loss[name])[:count]))


def _buffers(database: str) -> Result:
    return answer("whole_path", "Wang 2011, larger buffers", {"databases": [database]})


def path_over_buffer(database: str, layout: str, reverse: bool = False) -> str:
    """How the throughput goes from the system's own buffer to 32 and 128 MiB: "rises", "falls" or "neither"."""
    result = _buffers(database)
    tpm = result["tpm"][result.rows(file_system=layout)]
    steps = np.diff(tpm[::-1] if reverse else tpm)
    return "rises" if (steps > 0).all() else "falls" if (steps < 0).all() else "neither"


def path_gain_over_buffer(database: str, layout: str = "log-structured", over: str = "in-place") -> str:
    """How the gain of a file system goes from the smallest buffer to the largest: "rises" or "falls"."""
    result = _buffers(database)
    tpm = [result["tpm"][result.rows(file_system=each)] for each in (layout, over)]
    gain = tpm[0] / tpm[1]
    return "falls" if gain[-1] < gain[0] else "rises"


def _mixes() -> Result:
    return answer("whole_path", "Wang 2011, mixes")


def mixes_by_throughput(layout: str, fewest_first: bool = False) -> str:
    """The mixes of Wang 2011 from the most transactions to the fewest, with a file system on the Mtron, or reversed."""
    result = _mixes()
    rows = result.rows(file_system=layout)
    names = result["mix"][rows[np.argsort(-result["tpm"][rows], kind="stable")]].tolist()
    return " > ".join(names[::-1] if fewest_first else names)


def mixes_by_gain(layout: str = "log-structured", over: str = "in-place") -> str:
    """The mixes from the largest gain of a file system to the smallest."""
    result = _mixes()
    tpm = [result["tpm"][result.rows(file_system=each)] for each in (layout, over)]
    gain = tpm[0] / tpm[1]
    names = result["mix"][result.rows(file_system=over)]
    return " > ".join(names[np.argsort(-gain, kind="stable")].tolist())


def scheduler_gain(device: str, layout: str, scheduler: str = "noop", over: str = "anticipatory") -> float:
    """Percent more transactions with one scheduler of the host than with another."""
    result = answer("io_schedulers", "Wang 2011, Fig. 13")
    tpm = [_cell(result, "tpm", device=device, file_system=layout, scheduler=each) for each in (scheduler, over)]
    return 100 * (tpm[0] / tpm[1] - 1)


def scheduler_helps(
    device: str, layout: str, percent: float, scheduler: str = "noop", over: str = "anticipatory"
) -> str:
    """Whether a scheduler does so many percent "more" than another, or "not more"."""
    return "more" if scheduler_gain(device, layout, scheduler, over) >= percent else "not more"


def some_without_gain(helped: Sequence[str], scheduler: str = "noop", over: str = "anticipatory") -> str:
    """Whether "some" or "none" of the cases beside those named ("device/file system") gains nothing."""
    cases = [(device, layout) for device in SSDS for layout in ("in-place", "log-structured")]
    others = [case for case in cases if "/".join(case) not in helped]
    return "some" if any(scheduler_gain(*case, scheduler, over) <= 0 for case in others) else "none"


def _lee(values: dict | None = None) -> Result:
    return answer("ssd_or_disks", "Lee 2009, eight disks", values)


def path_lead(mix: str, disks: int = 8) -> float:
    """Transactions of one SSD over those of so many disks, in Lee's system as a whole."""
    result = _lee({"counts": [disks]} if disks != 8 else None)
    return _cell(result, "lead", mix=mix, role="disks")


def path_ratio(mix: str, column: str, role: str = "disks") -> float:
    """A number of Lee's system as a whole, with eight disks or the one SSD."""
    return _cell(_lee({"mixes": [mix]}), column, mix=mix, role=role)


def path_trend(column: str, role: str, mix: str = "new-order", small: int = 1600, large: int = 51200) -> str:
    """How a column of Lee's system goes from a small buffer to a large one, in frames: "rises" or "falls"."""
    values = [
        _cell(_lee({"mixes": [mix], "buffer_frames": frames}), column, role=role, mix=mix) for frames in (small, large)
    ]
    return "rises" if values[1] > values[0] else "falls"
