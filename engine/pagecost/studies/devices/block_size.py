"""Which block size suits which device and access pattern?"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

import numpy as np
from pydantic import Field, field_validator

from pagecost import catalogue
from pagecost.devices import PATTERNS, TERMS, HardDisk, Measured, Rated, load, modelled, read_fio, title_of
from pagecost.devices.service import Model, ServiceTime
from pagecost.errors import known, require
from pagecost.studies.fields import Choice, Choices, FilePath, From, OfSystem, Steps
from pagecost.studies.finding import Finding, cells, compared
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, format_cell, format_seconds

KIB = 1024
SMALLEST_BLOCK_BYTES, LARGEST_BLOCK_BYTES = 512, 64 * 1024 * KIB
BLOCKS = tuple(512 << k for k in range(14))  # 512 B .. 4 MiB
SPANS = tuple(float(f"{digit}e{zeros}") for zeros in range(7, 14) for digit in (1, 2, 5))[:-2]

THESIS_DEVICES = (
    "fernando-hard-disk",
    "fernando-flash-drive",
    "fernando-microsd",
    "fernando-memory-stick",
    "fernando-ssd",
)
THESIS_BLOCKS = tuple(size * KIB for size in (4, 16, 64, 256, 1024))
CURVES = 8  # that a chart can tell apart
ALONE, ENERGY, MEASURED = "alone", "energy", "measured"


def _require_block(size: int) -> None:
    require(
        SMALLEST_BLOCK_BYTES <= size <= LARGEST_BLOCK_BYTES,
        f"a block size must be {SMALLEST_BLOCK_BYTES}..{LARGEST_BLOCK_BYTES} bytes; got {size}",
    )


DeviceNames = Annotated[
    tuple[str, ...],
    Choices(modelled, most=CURVES, such=load, noun="device"),
    OfSystem("devices.database.device"),
    Field(min_length=1, title="Devices", description="Devices of the catalogue, and measurements."),
]


class CurveInputs(StudyInputs):
    """Which devices and block sizes are compared."""

    devices: DeviceNames = (
        "wd400bb",
        "hgst-7k1000-750gb",
        "intel-x25-e",
        "samsung-970-pro-1tb",
        "fernando-flash-drive",
    )
    fio_file: Annotated[
        str,
        FilePath("fio JSON result"),
        Field(title="Your own fio result", description="A fio JSON result, drawn beside the models as measured."),
    ] = ""
    block_sizes_bytes: Annotated[
        tuple[int, ...],
        Choices(
            lambda: {size: format_bytes(size) for size in BLOCKS},
            most=len(BLOCKS),
            unit="B",
            such=_require_block,
            noun="block size",
        ),
        From("fernando2011 Table 3.1"),
        Field(min_length=1, title="Block sizes", description="Bytes that one request reads or writes."),
    ] = tuple(4 * KIB << k for k in range(9))
    span_bytes: Annotated[
        float,
        Steps(SPANS, "B", format_bytes),
        Field(gt=0, title="Span of the data", description="Part of the device that random requests fall on."),
    ] = 2e10

    @field_validator("block_sizes_bytes")
    @classmethod
    def _rising_sizes(cls, sizes):
        return tuple(sorted(sizes))


class Inputs(CurveInputs):
    """What is compared, and what is taken apart."""

    detail_block_bytes: Annotated[
        int,
        Steps(BLOCKS, "B", format_bytes),
        Field(title="Block size in detail", description="The block size whose time is split into its terms."),
    ] = 4 * KIB
    detail_pattern: Annotated[
        str,
        Choice(lambda: {pattern: pattern for pattern in PATTERNS}, noun="access pattern"),
        Field(title="Pattern in detail", description="The access pattern whose time is split into its terms."),
    ] = "random read"

    @field_validator("detail_block_bytes")
    @classmethod
    def _possible_size(cls, size):
        _require_block(size)
        return size

    @property
    def all_sizes_bytes(self) -> tuple[int, ...]:
        """The block sizes with the one in detail among them, rising."""
        return tuple(sorted({*self.block_sizes_bytes, self.detail_block_bytes}))


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device, pattern and block size: requests and bytes per second.

    Rates are those with as many requests outstanding as `depth` says. Table `alone`: the time of one request while no
    other is outstanding, and its terms, where it is known. Table `energy`: load power over requests per second, where
    the power is known. Table `measured`: every point of the fio results, with its depth, latency and percentiles.
    """
    return curves(inputs, inputs.all_sizes_bytes)


def curves(inputs: CurveInputs, sizes_bytes: Iterable[float]) -> Result:
    """The same for the given block sizes [bytes], rising. Of a measurement also the sizes that were measured."""
    own = read_fio(inputs.fio_file) if inputs.fio_file else None
    whole = {name: load(name) for name in inputs.devices}
    titles = {name: title_of(name) for name in inputs.devices}
    if own:
        name = own.name if own.name not in whole else f"{own.name} (fio)"
        whole[name], titles[name] = own, f"{own.name} (measured)"
    drawn: dict[str, Model] = {}
    for name, model in whole.items():
        for part, each in _parts(model).items():
            drawn[f"{name}, {part}" if part else name] = each
            titles[f"{name}, {part}" if part else name] = f"{titles[name]}, {part}" if part else titles[name]
    rows: dict[str, list] = {name: [] for name in ("device", "pattern", "block", "service")}
    for name, model in drawn.items():
        for pattern in PATTERNS:
            sizes = _sizes_of(model, pattern, sizes_bytes)
            service = model.service(pattern, sizes, inputs.span_bytes)
            for at in np.flatnonzero(np.isfinite(service.total_s)).tolist():
                for key, value in zip(rows, (name, pattern, sizes[at], _at(service, at)), strict=True):
                    rows[key].append(value)
    names = {name: title for name, title in titles.items() if name in drawn}
    more = {}
    if any(np.isfinite(service.latency_s) for service in rows["service"]):
        more[ALONE] = _alone(rows, names)
    power = np.array([_active_w(name) for name in rows["device"]])
    if np.isfinite(power).any():
        more[ENERGY] = _energy(rows, names, power)
    if measured := [(name, model) for name, model in whole.items() if isinstance(model, Measured)]:
        more[MEASURED] = _measured(measured, titles)
    return Result.of(_rates(rows, names, drawn), _notes(inputs, whole, titles, len(drawn)), more=more)


def _parts(model: Model) -> Mapping[str, Model]:
    """The curves of a model by what tells them apart: one, except of a measurement at several queue depths."""
    return model.parts() if isinstance(model, Measured) else {"": model}


def _sizes_of(model: Model, pattern: str, sizes_bytes: Iterable[float]) -> np.ndarray:
    """The sizes asked for and, of a measurement, those that it has."""
    measured = model.curve(pattern, model.depth)[0] if isinstance(model, Measured) else np.empty(0)
    return np.unique([*sizes_bytes, *measured])


def _at(service: ServiceTime, at: int) -> ServiceTime:
    """One of the requests of a service time."""
    return ServiceTime({name: term[at] for name, term in service.terms.items()}, service.depth, service.latency_s[at])


def _labels(rows: dict, names: dict[str, str], chosen=slice(None)) -> dict[str, Column]:
    """The columns that say which request a row is about."""
    sizes = np.array(rows["block"], float)[chosen]
    return {
        "device": Column(np.array(rows["device"], str)[chosen], "text", "device", names),
        "pattern": Column(np.array(rows["pattern"], str)[chosen], "text", "pattern"),
        "block_bytes": Column(sizes.astype(int) if (sizes == np.floor(sizes)).all() else sizes, "B", "block size"),
    }


def _rates(rows: dict, names: dict[str, str], drawn: dict) -> dict[str, Column]:
    busy = np.array([service.total_s for service in rows["service"]], float)
    label = _labels(rows, names)
    block = np.array(rows["block"], float)
    return {
        "device": label["device"],
        "origin": Column(np.array([_origin(drawn[name]) for name in rows["device"]], str), "text", "origin"),
        "pattern": label["pattern"],
        "block_bytes": label["block_bytes"],
        "throughput_bytes_per_s": Column(block / busy, "B/s", "throughput"),
        "iops": Column(1 / busy, "1/s", "requests per second"),
        "depth": Column(np.array([_depth(service) for service in rows["service"]], str), "text", "outstanding"),
    }


def _alone(rows: dict, names: dict[str, str]) -> dict[str, Column]:
    """Where it is known, the time of one request while no other is outstanding, and its terms."""
    latency = np.array([service.latency_s for service in rows["service"]], float)
    there = np.flatnonzero(np.isfinite(latency))
    split = [_terms(rows["service"][at]) for at in there]
    columns = _labels(rows, names, there) | {"request_s": Column(latency[there], "s", "time of a request alone")}
    for term, label in TERMS.items():
        values = np.array([terms.get(term, 0.0) for terms in split], float)
        if values.any():
            columns[term] = Column(values, "s", label)
    return columns


def _terms(service: ServiceTime) -> dict[str, float]:
    """The terms of a request alone; where only their sum is known, that."""
    alone = service.depth == 1 and service.total_s == service.latency_s
    terms = service.terms if alone else {"measured_s": service.latency_s}
    return {name: float(value) for name, value in terms.items()}


def _energy(rows: dict, names: dict[str, str], power: np.ndarray) -> dict[str, Column]:
    there = np.flatnonzero(np.isfinite(power))
    busy = np.array([rows["service"][at].total_s for at in there], float)
    return _labels(rows, names, there) | {"energy_j": Column(power[there] * busy, "J", "energy of a request, at load")}


PERCENTILES = {50.0: "p50_s", 99.0: "p99_s", 99.9: "p999_s"}


def _measured(measured: list[tuple[str, Measured]], titles: dict[str, str]) -> dict[str, Column]:
    """Every point of the fio results, as measured."""
    points = [(name, point) for name, model in measured for point in model.points]

    def column(unit, label, value, names=None):
        return Column(np.array([value(point) for _, point in points]), unit, label, names or {})

    columns = {
        "device": Column(np.array([name for name, _ in points]), "text", "device", titles),
        "job": column("text", "job", lambda point: point.job),
        "pattern": column("text", "pattern", lambda point: point.pattern),
        "block_bytes": column("B", "size of a request, mean", lambda point: point.block_bytes),
        "sizes": column("text", "sizes", lambda point: "mixed" if point.sizes_mixed else "one"),
        "depth": column("1", "outstanding (queue depth)", lambda point: point.depth),
        "jobs": column("1", "jobs side by side", lambda point: point.jobs),
        "beside": column("text", "beside", lambda point: _beside(point)),
        "limited": column("1", "held down by fio", lambda point: point.limited),
        "iops": column("1/s", "requests per second", lambda point: point.iops),
        "throughput_bytes_per_s": column("B/s", "throughput", lambda point: point.bytes_per_s),
        "latency_s": column("s", "time of a request, mean", lambda point: point.latency_s),
    }
    for percent, name in PERCENTILES.items():
        columns[name] = column("s", f"{percent:g} % take at most", lambda point, of=percent: point.percentile_s(of))
    return {name: each for name, each in columns.items() if each.unit != "s" or np.isfinite(each.values).any()}


def _beside(point) -> str:
    return f"others, {point.read_share:.0%} reads" if point.beside else "nothing else"


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each device: how the time of the request in detail comes about, term by term, or what is known instead."""
    lines = []
    times = detail_s(inputs, result)
    for device, (title, time_s) in times.items():
        where = {"device": device, "pattern": inputs.detail_pattern, "block_bytes": inputs.detail_block_bytes}
        rates = result.rows(**where)
        if np.isfinite(time_s):
            terms = terms_alone(result, **where)
            parts = [f"{TERMS[name]} {format_seconds(value)}" for name, value in terms.items() if value > 0]
            lines.append(f"{title}: {' + '.join(parts)} = {format_seconds(time_s)}")
        elif rates.size:
            rate = format_cell(result["iops"][rates[0]], "1/s")
            many = result["depth"][rates[0]]
            lines.append(f"{title}: how long one takes alone is not known; {rate} with {many} outstanding")
        else:
            lines.append(f"{title}: not measured at this size")
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        result.rows(pattern=inputs.detail_pattern, block_bytes=inputs.detail_block_bytes),
        "throughput_bytes_per_s",
        cells(result, "device"),
        several="{pattern} in blocks of {block}: {most} carries most, {high}, {times} as much as {least} with {low}.",
        one="{pattern} in blocks of {block}: {most} carries {high}.",
        none="{pattern} in blocks of {block} was not measured.",
        pattern=inputs.detail_pattern.capitalize(),
        block=format_bytes(inputs.detail_block_bytes),
    )


def detail_rows(inputs: Inputs, result: Result) -> np.ndarray:
    """The rows of the pattern and block size in detail, one per device that has a rate there."""
    return result.rows(pattern=inputs.detail_pattern, block_bytes=inputs.detail_block_bytes)


def detail_s(inputs: Inputs, result: Result) -> dict[str, tuple[str, float]]:
    """Device -> (its title, time [s] of the request in detail alone, nan where that is not known)."""
    devices = result.columns["device"]
    found = {}
    for device in dict.fromkeys(devices.values.tolist()):
        where = {"device": device, "pattern": inputs.detail_pattern, "block_bytes": inputs.detail_block_bytes}
        row = alone_row(result, **where)
        time_s = np.nan if row is None else float(result.tables[ALONE]["request_s"][row])
        found[device] = devices.names.get(device, device), time_s
    return found


def alone_row(result: Result, **where) -> int | None:
    """The row of the table `alone` about a request, None where its time is not known."""
    rows = result.rows_in(ALONE, **where)
    return int(rows[0]) if rows.size else None


def terms_alone(result: Result, **where) -> dict[str, float]:
    """Term of `TERMS` -> its time [s], of a request while no other is outstanding; none where that is not known."""
    row = alone_row(result, **where)
    if row is None:
        return {}
    alone = result.tables[ALONE]
    return {name: float(alone[name][row]) for name in TERMS if name in alone.columns}


def _active_w(name: str) -> float:
    device = catalogue.devices().get(name)
    return np.nan if device is None else device.get("active_w", np.nan)


def _origin(model: Model) -> str:
    return "measured" if isinstance(model, Measured) else "model"


def _depth(service: ServiceTime) -> str:
    """How many requests are outstanding at the rate, in words."""
    return f"{service.depth:g}" if np.isfinite(service.depth) else "many"


def _notes(inputs: CurveInputs, models: Mapping[str, Model], titles: dict[str, str], curves: int) -> Iterator[str]:
    for name, model in models.items():
        title = titles[name]
        if isinstance(model, HardDisk) and not model.has_seek_curve and inputs.span_bytes < model.capacity_bytes:
            yield (
                f"{title}: only the average seek is known, not track-to-track and full stroke, so the seek does not "
                f"shrink with the span; random times are an upper bound."
            )
        if isinstance(model, Rated):
            yield f"{title}: from data-sheet ratings, {_rated_at(model)}."
        if isinstance(model, Measured):
            yield f"{title}: measured by fio{_measured_at(model)}; nothing is drawn outside what was measured."
            yield from (f"{title}: {remark}" for remark in model.remarks)
        if _is_fitted(catalogue.devices().get(name)):
            yield f"{title}: the source prints no numbers of its own; parameters fitted to its stated orderings."
    if curves > CURVES:
        yield f"Drawn are the first {CURVES} of {curves} curves; the table has all of them."


def _is_fitted(device: catalogue.Device | None) -> bool:
    """Whether a number that the device's model needs is a fitted one."""
    if device is None:
        return False
    needed = {name for need in catalogue.NEEDS[device.model] for name in ([need] if isinstance(need, str) else need)}
    return any(name in needed and found.status == "fitted" for name, found in device.parameters.items())


def _rated_at(model: Rated) -> str:
    depth = model.rated_queue_depth
    at = f"with {depth:g} outstanding" if depth else "with many outstanding, how many is not known"
    latencies = {"read": model.read_latency_s, "write": model.write_latency_s}
    known_s = {kind: format_seconds(time_s) for kind, time_s in latencies.items() if time_s is not None}
    unknown = [kind for kind in latencies if kind not in known_s]
    if depth == 1:
        return "one request at a time"
    if not unknown:
        return f"{at}; alone one random read takes {known_s['read']} and one random write {known_s['write']}"
    return f"{at}; how long one {' or '.join(unknown)} takes alone is not known, and 1 / IOPS does not say it"


def _measured_at(model: Measured) -> str:
    depths = sorted({point.depth for point in model.points})
    return f" with {', '.join(map(str, depths))} outstanding"


def winner(result: Result, pattern: str, block_bytes: int) -> str:
    """The device with the highest throughput for one pattern and block size.

    Raises ModelError when the result has no such row.
    """
    rows = result.rows(pattern=known("access pattern", pattern, PATTERNS), block_bytes=block_bytes)
    require(rows.size > 0, f"the result has no {pattern} of {block_bytes} bytes")
    return str(result["device"][rows[np.argmax(result["throughput_bytes_per_s"][rows])]])


STUDY = Study(
    name="block_size",
    title="Which block size suits which device and access pattern?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="fernando2011 §3.4.1; schmidt2009 Fig. 3; wang2011 §2.2",
    presets={
        "thesis plan: 5 devices × 5 block sizes × 4 patterns": {
            "devices": THESIS_DEVICES,
            "block_sizes_bytes": THESIS_BLOCKS,
            "span_bytes": 41e6,
        },
        "thesis plan without the SSD": {
            "devices": THESIS_DEVICES[:-1],
            "block_sizes_bytes": THESIS_BLOCKS,
            "span_bytes": 41e6,
        },
        "models beside a measured virtual disk": {
            "devices": ("fio-virtual-disk", "hgst-7k1000-750gb", "intel-x25-e", "samsung-970-pro-1tb"),
            "block_sizes_bytes": THESIS_BLOCKS,
        },
        "classes of 2009": {
            "devices": ("consumer-ssd-2009", "high-end-ssd-2009", "consumer-disk-2009", "high-end-disk-2009"),
        },
    },
)
