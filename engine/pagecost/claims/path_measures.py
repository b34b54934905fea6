"""How claims on the whole path are measured: what stands in the tables of its studies, of the devices that it takes.

Each measure is told the study, a preset and what is set besides, as the record has it, so that seeds, inputs that flip
a verdict and the button that opens the study reach it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pagecost import catalogue, oltp, studies
from pagecost.answers import path_runs
from pagecost.claims.answers import answer, asks_as, compared
from pagecost.errors import known, require
from pagecost.studies import Result
from pagecost.studies.path.path_answers import case_of
from pagecost.studies.path.path_fields import COMMERCIAL, MYSQL
from pagecost.studies.path.path_inputs import Point

CLEARLY = 1.5  # a factor; between it and its inverse a difference is "not clear"
DISK, SSDS = "hgst-7k1000-750gb", ("mtron-pro-7500", "intel-x25-e", "indilinx-barefoot-ssd")
SYSTEMS = (COMMERCIAL, MYSQL)
SHORT_S = 20.0  # of the runs whose differences are large
SYSTEM, RATINGS = "system", "ratings"
"""What a measure asks: a run of the whole system, or the ratings of its device alone."""
PAIR = ("in-place", "log-structured")


def _asked(study: str, preset: str, set: Mapping | None, **narrowed) -> Result:
    """A study's answer of no more devices or systems than are wanted."""
    return answer(study, preset, {**narrowed, **(set or {})})


def _cell(result: Result, column: str, **where) -> float:
    rows = result.rows(**where)
    require(len(rows) == 1, f"one system answers for {', '.join(map(str, where.values()))}; got {len(rows)}")
    return float(result[column][rows[0]])


def path_value(
    study: str,
    preset: str,
    device: str,
    layout: str,
    column: str,
    database: str = COMMERCIAL,
    scale: float = 1.0,
    set: Mapping | None = None,
) -> float:
    """A number of a whole system on a device and file system, times `scale`."""
    return _values(study, preset, device, (layout,), column, database, set)[0] * scale


def _values(
    study: str,
    preset: str,
    device: str,
    layouts: Sequence[str],
    column: str,
    database: str,
    set: Mapping | None,
) -> list[float]:
    """A number of a whole system on a device with each of several file systems, which are asked side by side.

    No more is asked than that: lines about the same system share its run, whatever else each of them asks.
    """
    chosen = list(dict.fromkeys(layouts))
    result = _asked(study, preset, set, devices=[device], databases=[database], file_systems=chosen)
    return [_cell(result, column, device=device, file_system=layout) for layout in layouts]


def path_gain(
    study: str,
    preset: str,
    device: str,
    database: str = COMMERCIAL,
    layout: str = "log-structured",
    over: str = "in-place",
    by: str = SYSTEM,
    set: Mapping | None = None,
) -> float:
    """Transactions on one file system over those on another.

    by: "ratings": of the pages that are written alone. Each costs its size at the rated rate of the device, in sequence
    where the file system gathers them, else at random; there is no metadata, no queue and no processor.
    """
    if known("way to compare", by, (SYSTEM, RATINGS)) == RATINGS:
        page_bytes = studies.find(study).inputs(set, preset).profile(database).page_bytes
        page_s = [_rated_page_s(device, page_bytes, each) for each in (layout, over)]
        return page_s[1] / page_s[0]
    tpm = _values(study, preset, device, (layout, over), "tpm", database, set)
    return tpm[0] / tpm[1]


def _rated_page_s(device: str, page_bytes: int, layout: str) -> float:
    """Time [s] to write a page by the data sheet."""
    entry = catalogue.device(device)
    if layout == "log-structured":
        return page_bytes / entry.value("sequential_write_bytes_per_s")
    return page_bytes / (4096 * entry.value("random_write_iops"))


@asks_as(path_gain)
def path_advantage(**compared) -> str:
    """The same in words: "clearly more" from a factor of 1.5 on, "clearly less" below its inverse, else "not clear"."""
    gain = path_gain(**compared)
    return "clearly more" if gain >= CLEARLY else "not clear" if gain > 1 / CLEARLY else "clearly less"


@asks_as(path_gain)
def path_gains(**compared) -> str:
    """Whether one file system does "more" than another, or "not more"."""
    return "more" if path_gain(**compared) > 1 else "not more"


def beats_the_disk(
    study: str,
    preset: str,
    device: str,
    layout: str,
    database: str = COMMERCIAL,
    disk: str = DISK,
    set: Mapping | None = None,
) -> str:
    """Whether a device does "more" transactions than the disk with the same file system, or "not more"."""
    tpm = [path_value(study, preset, each, layout, "tpm", database, set=set) for each in (device, disk)]
    return "more" if tpm[0] > tpm[1] else "not more"


def clear_gains(
    study: str,
    preset: str,
    databases: Sequence[str] = SYSTEMS,
    devices: Sequence[str] = SSDS,
    by: str = SYSTEM,
    set: Mapping | None = None,
) -> float:
    """In how many of the cases the log-structured file system does clearly more than the one in place."""
    cases = [(device, database) for database in databases for device in devices]
    gains = [path_gain(study, preset, *case, by=by, set=set) for case in cases]
    return float(sum(gain >= CLEARLY for gain in gains))


def writes_below(
    study: str, preset: str, device: str, layout: str, database: str = COMMERCIAL, set: Mapping | None = None
) -> str:
    """Bytes written below the file system: "as many" as above it (0.9 to 1.15 times), "more" or "fewer"."""
    factor = path_value(study, preset, device, layout, "write_factor", database, set=set)
    return "more" if factor > 1.15 else "fewer" if factor < 0.9 else "as many"


def larger_writes(
    study: str,
    preset: str,
    device: str,
    database: str = COMMERCIAL,
    layout: str = "log-structured",
    over: str = "in-place",
    set: Mapping | None = None,
) -> str:
    """Whether the device's writes are "larger" under one file system than under another, or "not larger"."""
    size = _values(study, preset, device, (layout, over), "physical_write_bytes", database, set)
    return "larger" if size[0] > size[1] else "not larger"


def mean_write(
    study: str,
    preset: str,
    device: str,
    than_bytes: float,
    database: str = COMMERCIAL,
    layout: str = "log-structured",
    set: Mapping | None = None,
) -> str:
    """Whether the device's mean write is "larger" than so many bytes, or "not larger"."""
    size = path_value(study, preset, device, layout, "physical_write_bytes", database, set=set)
    return "larger" if size > than_bytes else "not larger"


def without_blocks(
    study: str,
    preset: str,
    device: str,
    database: str = COMMERCIAL,
    layout: str = "out-of-place",
    over: str = "log-structured",
    set: Mapping | None = None,
) -> str:
    """Whether the log does "more" without summaries and metadata, or "not more": the database's own log has none."""
    tpm = _values(study, preset, device, (layout, over), "tpm", database, set)
    return "more" if tpm[0] > tpm[1] else "not more"


def slow_large_writes(
    study: str,
    preset: str,
    device: str,
    database: str = COMMERCIAL,
    factor: float = 2.0,
    above_bytes: float = 32768,
    set: Mapping | None = None,
) -> str:
    """Whether nilfs2 does "fewer" transactions where sequential writes above so many bytes take `factor` times as long.

    Else "not fewer". The paper shows that they are slower without numbers; a factor of 2 is assumed.
    """
    inputs = studies.find(study).inputs(set, preset)
    case = case_of(inputs, Point(database=database, device=device, file_system="log-structured"), 0, SHORT_S)
    storage = case.setup.storage
    assert isinstance(storage.drive, oltp.TimedDrive)
    slow = replace(storage.drive, slow_above_bytes=above_bytes, slow_factor=factor)
    changed = replace(case, setup=replace(case.setup, storage=replace(storage, drive=slow)))
    return "fewer" if path_runs.measured(changed).tpm < path_runs.measured(case).tpm else "not fewer"


def _cleaned(
    study: str, preset: str, database: str, device: str, set: Mapping | None, **narrowed
) -> tuple[np.ndarray, np.ndarray]:
    """(intervals falling, loss at each in percent)."""
    result = _asked(study, preset, set, devices=[device], databases=[database], **narrowed)
    rows = [row for row in result.rows(database=database, device=device) if result["interval_s"][row] > 0]
    rows.sort(key=lambda row: -result["interval_s"][row])
    return result["interval_s"][rows], 100 * result["loss"][rows]


def cleaning_loss(
    study: str, preset: str, database: str, device: str, interval_s: float, set: Mapping | None = None
) -> float:
    """Percent of the throughput that is lost where the cleaner wakes so often."""
    intervals_s, loss = _cleaned(study, preset, database, device, set, intervals_s=[interval_s])
    return float(loss[intervals_s == interval_s][0])


def cleaning_trend(study: str, preset: str, database: str, device: str, set: Mapping | None = None) -> str:
    """How the loss goes from 10 to 5, 2 and 1 s: "rises", "falls" or "neither"."""
    return _course(_cleaned(study, preset, database, device, set)[1])


def most_sensitive(study: str, preset: str, interval_s: float = 1.0, count: int = 3, set: Mapping | None = None) -> str:
    """The cases that lose most to cleaning, so many of the six, by name."""
    loss = {
        f"{device}/{database}": cleaning_loss(study, preset, database, device, interval_s, set)
        for database in SYSTEMS
        for device in SSDS
    }
    return ", ".join(sorted(sorted(loss, key=lambda name: -loss[name])[:count]))


def _course(values: np.ndarray) -> str:
    steps = np.diff(values)
    return "rises" if (steps > 0).all() else "falls" if (steps < 0).all() else "neither"


def path_over_buffer(
    study: str, preset: str, layout: str, database: str = COMMERCIAL, set: Mapping | None = None
) -> str:
    """How the throughput goes from the system's own buffer to 32 and 128 MiB: "rises", "falls" or "neither"."""
    result = _asked(study, preset, set, databases=[database])
    return _course(result["tpm"][result.rows(file_system=layout)])


def path_gain_over_buffer(
    study: str,
    preset: str,
    database: str = COMMERCIAL,
    layout: str = "log-structured",
    over: str = "in-place",
    set: Mapping | None = None,
) -> str:
    """How the gain of a file system goes from the smallest buffer to the largest: "rises" or "falls"."""
    result = _asked(study, preset, set, databases=[database])
    tpm = [result["tpm"][result.rows(file_system=each)] for each in (layout, over)]
    gain = tpm[0] / tpm[1]
    return "falls" if gain[-1] < gain[0] else "rises"


def mixes_by_throughput(
    study: str, preset: str, layout: str, count: int | None = None, set: Mapping | None = None
) -> str:
    """The mixes of a preset from the most transactions to the fewest, with a file system; the first so many of them."""
    result = _asked(study, preset, set)
    rows = result.rows(file_system=layout)
    return " > ".join(result["mix"][rows[np.argsort(-result["tpm"][rows], kind="stable")]][:count].tolist())


def mixes_by_gain(
    study: str,
    preset: str,
    layout: str = "log-structured",
    over: str = "in-place",
    count: int | None = None,
    set: Mapping | None = None,
) -> str:
    """The mixes from the largest gain of a file system to the smallest; the first so many of them."""
    result = _asked(study, preset, set)
    tpm = [result["tpm"][result.rows(file_system=each)] for each in (layout, over)]
    gain = tpm[0] / tpm[1]
    names = result["mix"][result.rows(file_system=over)]
    return " > ".join(names[np.argsort(-gain, kind="stable")][:count].tolist())


def scheduler_gain(
    study: str,
    preset: str,
    device: str,
    layout: str,
    scheduler: str = "noop",
    over: str = "anticipatory",
    set: Mapping | None = None,
) -> float:
    """Percent more transactions with one scheduler of the host than with another."""
    result = _asked(study, preset, set, devices=[device], schedulers=[scheduler, over])
    tpm = [_cell(result, "tpm", device=device, file_system=layout, scheduler=each) for each in (scheduler, over)]
    return 100 * (tpm[0] / tpm[1] - 1)


@asks_as(scheduler_gain)
def scheduler_helps(percent: float, **compared) -> str:
    """Whether a scheduler does so many percent "more" than another, or "not more"."""
    return "more" if scheduler_gain(**compared) >= percent else "not more"


def some_without_gain(
    study: str,
    preset: str,
    helped: Sequence[str],
    scheduler: str = "noop",
    over: str = "anticipatory",
    set: Mapping | None = None,
) -> str:
    """Whether "some" or "none" of the cases beside those named ("device/file system") gains nothing."""
    cases = [(device, layout) for device in SSDS for layout in PAIR]
    others = [case for case in cases if "/".join(case) not in helped]
    none = any(scheduler_gain(study, preset, *case, scheduler, over, set) <= 0 for case in others)
    return "some" if none else "none"


def path_lead(study: str, preset: str, mix: str, disks: int = 8, set: Mapping | None = None) -> float:
    """Transactions of one SSD over those of so many disks, in Lee's system as a whole."""
    return _cell(_asked(study, preset, set, mixes=[mix], counts=[disks]), "lead", mix=mix, role="disks")


def path_ratio(
    study: str, preset: str, mix: str, column: str, role: str = "disks", set: Mapping | None = None
) -> float:
    """A number of Lee's system as a whole, with eight disks or the one SSD."""
    return _cell(_asked(study, preset, set, mixes=[mix]), column, mix=mix, role=role)


def path_trend(
    study: str,
    preset: str,
    column: str,
    role: str,
    mix: str = "new-order",
    small: int = 1600,
    large: int = 51200,
    set: Mapping | None = None,
) -> str:
    """How a column of Lee's system goes from a small buffer to a large one, in frames: "rises", "falls" or "equal"."""
    values = [
        path_ratio(study, preset, mix, column, role, {**(set or {}), "buffer_frames": frames})
        for frames in (small, large)
    ]
    return {"greater": "rises", "less": "falls"}.get(compared(values[1], values[0]), "equal")
