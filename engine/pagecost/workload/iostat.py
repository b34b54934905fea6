"""What `iostat -x` of sysstat 11 and 12 prints, as text or by `-o JSON`: the load of each device over time.

Columns by name, as iostat(1) describes them; its kB and MB are 1024 and 1024² bytes, avgrq-sz counts 512-byte sectors.
"""

import json
import re
from pathlib import Path

from pagecost import texts
from pagecost.errors import ModelError, known, require, require_file
from pagecost.workload.measured import MeasuredLoad

MOST_BYTES = 256 << 20  # of a file that is read whole
_BYTES = {"rkB/s": 1024, "wkB/s": 1024, "rMB/s": 1024**2, "wMB/s": 1024**2, "rsec/s": 512, "wsec/s": 512}
_QUEUE, _BUSY, _NAME = ("aqu-sz", "avgqu-sz"), ("%util", "util"), ("Device", "Device:", "disk_device")
_HUMAN = {"": 0, "k": 1, "M": 2, "G": 3, "T": 4}

Sample = dict[str, str]  # one device in one report: column -> text


def is_one(head: str) -> bool:
    """Whether the first lines of a text are iostat's, of whatever options."""
    if head.lstrip().startswith("{"):
        return '"sysstat"' in head and '"disk"' in head
    lines = [line.split() for line in head.splitlines()]
    return any({*line} & {"Device", "Device:"} and {*line} & {"r/s", "tps"} for line in lines)


def read(path) -> dict[str, MeasuredLoad]:
    """The load of every device in a file of iostat's, by its name, in the order of the file.

    The first of several reports is left out: it is the mean since the system was started. Raises ModelError for a file
    that is missing, too large or none of `iostat -x`.
    """
    path = Path(path)
    require_file(path, f"iostat {path}")
    require(path.stat().st_size <= MOST_BYTES, f"iostat {path}: more than 256 MiB; cut it to the hours that matter")
    text = texts.read(path, "replace")
    try:
        reports = _of_json(text) if text.lstrip().startswith("{") else _of_text(text)
        require(bool(reports), "no line of it describes a device; write it by iostat -x 10 60")
        first = reports[0][0]
        if {"r/s", "w/s"} - {*first}:
            raise ModelError("it has no columns r/s and w/s; write it by iostat -x")
        note = "The one report is the mean since the system was started, unless it was made with -y."
        if len(reports) > 1:
            reports, note = reports[1:], "The first report, the mean since the system was started, is left out."
        names = dict.fromkeys(_name(sample) for report in reports for sample in report)
        return {name: _load(str(path), name, reports, note) for name in names}
    except ModelError as error:
        raise ModelError(f"iostat {path}: {error}") from None


def of_device(path, device: str | None) -> MeasuredLoad:
    """The load of one device, of that with most requests where none is named: of members and what they are joined to
    that is the whole. Raises ModelError as `read`, and for a device that is not there.
    """
    loads = read(path)
    if device is None:
        return max(loads.values(), key=lambda load: load.rate_hz)
    return loads[known("device in it", device, loads)]


def of_member(path, device: str | None) -> MeasuredLoad:
    """The load of one device that is no joined one, of the busiest where none is named: by its utilisation, then by its
    requests. Raises ModelError as `of_device`.
    """
    if device is not None:
        return of_device(path, device)
    loads = read(path)
    single = [load for name, load in loads.items() if not is_joined(name)] or [*loads.values()]
    return max(single, key=lambda load: (load.utilisation or 0.0, load.rate_hz))


def is_joined(name: str) -> bool:
    """Whether that is the kernel's name for several devices joined, or for a part of one: md0, dm-1. Their requests are
    counted once more at the devices below; their utilisation is 0 in many kernels.
    """
    return re.fullmatch(r"md(_d)?\d+(p\d+)?|dm-\d+", name) is not None


def _load(source: str, name: str, reports: list[list[Sample]], note: str) -> MeasuredLoad:
    samples = [sample for report in reports for sample in report if _name(sample) == name]
    reads, writes = ([_number(sample, column) for sample in samples] for column in ("r/s", "w/s"))
    rates = tuple(map(sum, zip(reads, writes, strict=True)))
    asked = sum(rates)
    moved = [value for sample in samples for column in sample if (value := _bytes(sample, column)) is not None]
    to_it = [(sample, column) for sample in samples for column in sample if column in _BYTES and column[0] == "w"]
    written = [value for sample, column in to_it if (value := _bytes(sample, column)) is not None]
    discards = sum(_number(sample, "d/s") for sample in samples if "d/s" in sample)
    notes = [note, "Requests are counted at the device, below every cache."]
    if discards:
        notes.append(f"{discards / len(samples):.3g} discards a second are not counted as requests.")
    if len(samples) < len(reports):
        notes.append(f"{name} is in {len(samples)} of {len(reports)} reports; its means are over these.")
    return MeasuredLoad(
        source=source,
        device=name,
        rate_hz=asked / len(samples),
        read_share=sum(reads) / asked if asked else None,
        request_bytes=sum(moved) / asked if asked and moved else None,
        peak_rate_hz=max(rates),
        rates_hz=rates,
        queue=_mean(samples, _QUEUE),
        utilisation=None if (busy := _mean(samples, _BUSY)) is None else busy / 100,
        written_bytes_per_s=sum(written) / len(samples) if written else None,
        read_s=_await_s(samples, "r_await", reads),
        write_s=_await_s(samples, "w_await", writes),
        notes=tuple(notes),
    )


def _of_text(text: str) -> list[list[Sample]]:
    """The samples of every report: lines below a line that names the columns, up to the next that is no sample."""
    reports: list[list[Sample]] = []
    columns: list[str] = []
    for line in text.splitlines():
        words = line.split()
        if {*words} & {"Device", "Device:"} and len(words) > 2:
            columns = words
            reports.append([])
        elif columns and len(words) == len(columns):
            reports[-1].append(dict(zip(columns, words, strict=True)))
        else:
            columns = columns if words and len(words) < len(columns) and not words[0].startswith("avg-cpu") else []
            require(not columns, f"the line {line[:60]!r} has {len(words)} of the {len(columns)} columns; it is cut")
    return [report for report in reports if report]


def _of_json(text: str) -> list[list[Sample]]:
    try:
        found = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise ModelError("its JSON is damaged or cut; iostat -o JSON ends it when it is stopped by Ctrl-C") from None
    try:
        disks = [report.get("disk", []) for host in found["sysstat"]["hosts"] for report in host["statistics"]]
        samples = [[{name: str(value) for name, value in disk.items()} for disk in report] for report in disks]
    except (AttributeError, KeyError, TypeError):
        raise ModelError('its JSON has no "sysstat", "hosts", "statistics" with "disk"') from None
    return [report for report in samples if report]


def _name(sample: Sample) -> str:
    return next((sample[column] for column in _NAME if column in sample), "?")


def _mean(samples: list[Sample], columns: tuple[str, ...]) -> float | None:
    values = [_number(sample, column) for sample in samples for column in columns if column in sample]
    return sum(values) / len(values) if values else None


def _await_s(samples: list[Sample], column: str, rates: list[float]) -> float | None:
    """Mean time [s] of the requests that came at these rates, from a column in milliseconds."""
    if not sum(rates) or not all(column in sample for sample in samples):
        return None
    return sum(_number(sample, column) * rate for sample, rate in zip(samples, rates, strict=True)) / sum(rates) / 1e3


def _bytes(sample: Sample, column: str) -> float | None:
    """Bytes per second of a column that says them, None of any other."""
    if column not in _BYTES:
        return None
    text = sample[column]
    return _number(sample, column) * (1 if text[-1:].isalpha() else _BYTES[column])


def _number(sample: Sample, column: str) -> float:
    """A number of a report, also with a decimal comma, a per cent sign or, by --human, a letter for powers of 1024."""
    text = sample.get(column, "")
    match = re.fullmatch(r"(\d{1,15}(?:[.,]\d{1,9})?)([kMGT]?)%?", text, re.ASCII)
    if match is None:
        raise ModelError(f"{column} of {_name(sample)} must be a number from 0; got {text!r}")
    return float(match[1].replace(",", ".")) * 1024 ** _HUMAN[match[2]]
