"""What a file is that someone brings along: a trace, a fio result, iostat's output, a device or a system.

Each is understood by the reader that every other face uses; here it is told which one, and what can be asked with it.
"""

import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pagecost import device_files, system, texts
from pagecost.devices import read_fio
from pagecost.errors import ModelError, require, require_file
from pagecost.studies import STUDIES
from pagecost.studies.fields import FilePath, kind_of
from pagecost.studies.taking import takes
from pagecost.units import format_bytes, format_cell, format_seconds, format_years, grouped
from pagecost.workload import iostat, traces
from pagecost.workload.measured import MeasuredLoad
from pagecost.workload.traces import layouts, packed
from pagecost.xmlstore.parsing import pieces_of, require_well_formed
from pagecost_app import calibrate_command, trace_command

HEAD_BYTES = 1 << 16
MOST_REQUESTS = 4_000_000  # of a trace that is looked at on the page
SHOWN = 5  # first rows
UNKNOWN_COLUMNS = "a table, but what its columns mean is not known; say which one is the offset, and what else is there"


@dataclass(frozen=True)
class Preview:
    """The first rows as a table for people."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Imported:
    """What a file is and says. facts: label -> text. opens: study -> the inputs that it fills in.

    problem: what is wrong with it, empty where nothing is. head: the first lines of a table, whose columns may be
    named; layout: what they mean as far as it is known. device: the file is one that can be kept. says: what it says of
    a system, path -> value; whole: the system that it is.
    """

    kind: str
    facts: Mapping[str, str]
    previews: tuple[Preview, ...] = ()
    notes: tuple[str, ...] = ()
    opens: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    problem: str = ""
    head: layouts.Head | None = None
    layout: layouts.Layout | None = None
    device: str = ""
    says: Mapping[str, Any] = field(default_factory=dict)
    whole: system.System | None = None


def understood(
    path: str, name: str, columns: str = "", progress: Callable[[float], None] = traces.no_progress
) -> Imported:
    """What the file at a path is. name: as it is shown and asked for again; columns: what those of a table mean.

    Raises ModelError, one sentence, for a file that is missing, empty, a folder or not ours to read, and for a damaged
    one of a kind that it says to be.
    """
    place = traces.path_of(path)
    try:
        require_file(place, name)
        require(place.stat().st_size > 0, f"{name}: the file is empty")
        head = packed.head_of(place, HEAD_BYTES)
    except OSError as error:
        raise ModelError(f"{name}: it cannot be read: {error.strerror or error}") from None
    text = texts.of_bytes(head, "replace") if texts.is_utf16(head) or b"\0" not in head else ""
    if not columns:
        if iostat.is_one(text):
            return _of_iostat(iostat.read(place))
        if '"fio version"' in text:
            return _of_fio(str(place), name)
        if text.lstrip().startswith("<"):
            return _of_xml(place, name, progress)
        if place.suffix.lower() == ".toml":
            return _of_toml(place)
        require(not text.lstrip().startswith("{"), f"{name}: JSON, but neither of fio nor of iostat -o JSON")
    require(not texts.is_utf16(head), f"{name}: {texts.UTF16}")
    return _of_trace(path, name, text, columns, progress)


def _of_xml(place: Path, name: str, progress: Callable[[float], None]) -> Imported:
    """An XML document; what is none is said here, before a question does."""
    size = place.stat().st_size

    def pieces() -> Iterator[bytes]:
        with place.open("rb") as file:
            for piece in pieces_of(file):
                progress(file.tell() / size)
                yield piece

    require_well_formed(name, pieces())
    return Imported("XML document", {"Size": format_bytes(size)}, opens=_opening(name, "XML"))


def _of_trace(path: str, name: str, text: str, columns: str, progress: Callable[[float], None]) -> Imported:
    head, layout = _table(text, columns)
    behind = f"#{columns}" if columns else ""
    found = trace_command.inspect(f"{path}{behind}", None, None, progress, MOST_REQUESTS)
    format = traces.FORMATS.get(found["format"])
    facts = {}
    if found["requests"]:
        facts = {"Format": format.title if format else "a table, its columns named"} if found["format"] else {}
        facts |= {label: format_cell(found[key], unit) for key, (label, unit) in _TRACE_FACTS.items() if key in found}
    rejected = tuple((str(bad["line"]), bad["text"][:100], bad["reason"]) for bad in found.get("rejected", ())[:SHOWN])
    previews = [_rows(f"The first {SHOWN} requests as understood", found.get("first_requests", ()))]
    previews += [Preview("Lines that were not understood", ("line", "text", "why"), rejected)] if rejected else []
    unknown = head is not None and not found["requests"] and not columns
    problem = f"{name}: {UNKNOWN_COLUMNS}" if unknown else found["problem"].replace(path, name)
    found = {"format": "", "requests": 0} if unknown else found
    table = head is not None and (columns or found["format"] in _TABLES or not found["requests"])
    if table and head is not None:
        titles = tuple(head.title(number) for number in range(head.width))
        previews.insert(0, Preview("The first lines of the file", titles, head.rows[:SHOWN]))
    usable = found["requests"] and not found["problem"]
    return Imported(
        kind="trace",
        facts=facts,
        previews=tuple(preview for preview in previews if preview.rows),
        notes=tuple(note["note"] for note in found.get("notes", ())),
        opens=_taking("load.source", f"{name}{behind}") if usable else {},
        problem=problem,
        head=head if table else None,
        layout=layout if table else None,
        says={"load.source": f"{traces.path_of(path).resolve()}{behind}"} if usable else {},
    )


_TABLES = {"table", *traces.PUBLISHED_LAYOUTS}
_TRACE_FACTS = {
    "requests": ("Requests", "1"),
    "page_references": ("Page references", "1"),
    "distinct_pages": ("Different pages", "1"),
    "footprint_bytes": ("They hold", "B"),
    "read_share": ("Share of reads", "1"),
    "time_span_s": ("Time span", "s"),
    "streams": ("Files or devices", "1"),
    "page_bytes": ("A page has", "B"),
    "sequential_share": ("Share of sequential requests", "1"),
    "rejected_lines": ("Lines not understood", "1"),
}


def _table(text: str, columns: str) -> tuple[layouts.Head | None, layouts.Layout | None]:
    """The first lines as a table, and what its columns mean as far as it is known."""
    layout = layouts.Layout.of(columns) if columns else None
    try:
        head = layouts.head_of(text, layout.delimiter if layout else "", layout.header if layout else "")
    except ModelError:
        return None, layout
    if head.width < 2 or not any(text[:1].isdigit() for row in head.rows for text in row):
        return None, layout
    if layout is None:
        layout = next((layout for fits, layout in traces.PUBLISHED_LAYOUTS.values() if fits(text.encode())), None)
    try:
        return head, layout or layouts.recognised(head)
    except ModelError:
        return head, None


def fit_and_keep(path: str, name: str, capacity: str) -> str:
    """Fit a device to a fio result and put it among one's own; what was done, as sentences. capacity: as typed, or "".

    Raises ModelError where the result says too little, and for a device that is there already.
    """
    found = calibrate_command.fitted([Path(path)], "auto", (), capacity.strip() or None)
    words = calibrate_command.said(calibrate_command.tables(found))
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder:
        file = Path(folder) / f"{Path(name).stem}.toml"
        calibrate_command.write(found, file, None)
        place = device_files.add(file)
    return f"{words} Kept as {place}: it is in every list of devices now."


def _of_fio(path: str, name: str) -> Imported:
    measured = read_fio(path)
    rows = tuple(
        (
            point.pattern,
            format_bytes(point.block_bytes),
            format_cell(point.depth, "1"),
            format_cell(point.iops, "1/s"),
            format_cell(point.bytes_per_s, "B/s"),
            format_seconds(point.latency_s) if point.latency_s == point.latency_s else "–",
        )
        for point in measured.points
    )
    header = ("pattern", "block", "depth", "requests", "throughput", "mean latency")
    opens = _opening(name, "fio")
    facts = {"Measurements": str(len(rows))}
    return Imported("fio result", facts, (Preview("What was measured", header, rows),), measured.remarks, opens)


def _opening(name: str, of: str) -> dict[str, dict[str, str]]:
    """The studies that take a file of such a kind, and the input that takes it."""
    return {
        study.name: {field_name: name}
        for study in STUDIES.values()
        for field_name, asked in study.Inputs.model_fields.items()
        if isinstance(kind := kind_of(asked), FilePath) and of in kind.of
    }


def _of_iostat(loads: Mapping[str, MeasuredLoad]) -> Imported:
    rows = tuple(
        (
            load.device,
            format_cell(load.rate_hz, "1/s"),
            format_cell(load.peak_rate_hz, "1/s"),
            format_cell(load.read_share, "1"),
            format_cell(load.request_bytes, "B"),
            format_cell(load.queue, "1"),
            format_cell(load.utilisation, "1"),
        )
        for load in loads.values()
    )
    header = ("device", "requests", "at most", "share of reads", "mean size", "queue", "utilisation")
    most = max(loads.values(), key=lambda load: load.rate_hz)
    facts = {"Devices": str(len(rows)), "Reports": str(len(most.rates_hz)), "With most requests": most.device}
    opens: dict[str, dict[str, Any]] = {}
    says = most.of_system() if most.rate_hz else {}
    for place, value in says.items():
        for study, values in _taking(place, value).items():
            opens.setdefault(study, {}).update(values)
    notes = (*most.notes, f"Questions are opened with the load of {most.device}.")
    return Imported("iostat", facts, (Preview("The load of each device", header, rows),), notes, opens, says=says)


def _of_toml(place) -> Imported:
    try:
        content = tomllib.loads(place.read_text("utf8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ModelError(f"{place.name}: this is not TOML: {error}") from None
    if "device" in content:
        return _of_device(place)
    found = system.read(place)
    values = {study.name: dict(study.of_system(found).values) for study in STUDIES.values()}
    rows = tuple((placed.role, f"{placed.count} × {placed.device}", placed.level) for placed in found.devices)
    facts = {
        "Name": found.name,
        "Load": found.load.source,
        "Buffer": f"{grouped(found.memory.buffer_frames)} frames, {found.memory.policy}",
        "For": format_years(found.economics.horizon_years),
    }
    places = Preview("Its devices", ("what lies on it", "device", "joined as"), rows)
    opens = {name: taken for name, taken in values.items() if taken}
    return Imported("system", facts, (places,), (), opens, whole=found)


def _of_device(place) -> Imported:
    device = device_files.read(place).device
    rows = tuple((each.name, each.stated, each.status, each.source) for each in device.parameters.values())
    missing = {model: names for model, names in device_files.missing_for(device).items() if names}
    notes = tuple(f"For the model {model} it lacks {', '.join(names)}." for model, names in missing.items())
    facts = {"Name": device.name, "Class": device.device_class, "Its id": device.id}
    stated = Preview("What is stated", ("parameter", "stated", "status", "source"), rows)
    says = {"devices.database.device": device.id}
    return Imported("device", facts, (stated,), notes, device=device.id, says=says)


def _rows(title: str, records: Iterable[Mapping]) -> Preview:
    records = list(records)
    header = tuple(records[0]) if records else ()
    return Preview(title, header, tuple(tuple(str(value) for value in record.values()) for record in records))


def _taking(place: str, value) -> dict[str, dict[str, Any]]:
    """The studies of which an input takes what stands at a place of a system, with that value."""
    return {
        study.name: {name: value}
        for study in STUDIES.values()
        for name, path in takes(study.Inputs).items()
        if path == place
    }
