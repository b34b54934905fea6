"""Which block size suits which device and access pattern?"""

from typing import Annotated

import numpy as np
from pydantic import Field, field_validator

from pagecost import catalogue
from pagecost.devices import PATTERNS, TERMS, HardDisk, Measured, Rated, load, modelled, read_fio
from pagecost.errors import known, require
from pagecost.studies.fields import Choice, Choices, FilePath, From, Steps
from pagecost.studies.shared_fields import no_twins
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, format_seconds

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


DeviceNames = Annotated[
    tuple[str, ...],
    Choices(modelled),
    Field(min_length=1, max_length=8, title="Devices", description="Devices of the catalogue, and measurements."),
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
        Choices(lambda: {size: format_bytes(size) for size in BLOCKS}, most=len(BLOCKS), unit="B"),
        From("fernando2011 Table 3.1"),
        Field(min_length=1, title="Block sizes", description="Bytes that one request reads or writes."),
    ] = tuple(4 * KIB << k for k in range(9))
    span_bytes: Annotated[
        float,
        Steps(SPANS, "B", format_bytes),
        Field(gt=0, title="Span of the data", description="Part of the device that random requests fall on."),
    ] = 2e10

    @field_validator("devices")
    @classmethod
    def _known_devices(cls, names):
        options = modelled()
        for name in names:
            if name not in options:
                load(name)  # says what is wrong: unknown, or too little known of it
        return no_twins("device", names)

    @field_validator("block_sizes_bytes")
    @classmethod
    def _rising_sizes(cls, sizes):
        for size in sizes:
            _require_block(size)
        return tuple(sorted(set(sizes)))


class Inputs(CurveInputs):
    """What is compared, and what is taken apart."""

    detail_block_bytes: Annotated[
        int,
        Steps(BLOCKS, "B", format_bytes),
        Field(title="Block size in detail", description="The block size whose time is split into its terms."),
    ] = 4 * KIB
    detail_pattern: Annotated[
        str,
        Choice(lambda: {pattern: pattern for pattern in PATTERNS}),
        Field(title="Pattern in detail", description="The access pattern whose time is split into its terms."),
    ] = "random read"

    @field_validator("detail_block_bytes")
    @classmethod
    def _possible_size(cls, size):
        _require_block(size)
        return size

    @field_validator("detail_pattern")
    @classmethod
    def _known_pattern(cls, pattern):
        return known("access pattern", pattern, PATTERNS)

    @property
    def all_sizes_bytes(self) -> tuple[int, ...]:
        """The block sizes with the one in detail among them, rising."""
        return tuple(sorted({*self.block_sizes_bytes, self.detail_block_bytes}))


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device, pattern and block size: the time of a request, its terms, throughput and energy.

    energy_j is active power x time where the power is known, else nan. Rows of measurements have origin "measured".
    """
    return curves(inputs, inputs.all_sizes_bytes)


def curves(inputs: CurveInputs, sizes_bytes) -> Result:
    """The same for the given block sizes [bytes], rising."""
    models = {name: load(name) for name in inputs.devices}
    if inputs.fio_file:
        own = read_fio(inputs.fio_file)
        models[own.name] = own
    sizes = np.array(sizes_bytes)
    cells = [(name, model, pattern) for name, model in models.items() for pattern in PATTERNS]
    services = [model.service(pattern, sizes, inputs.span_bytes) for _, model, pattern in cells]
    total = np.concatenate([service.total_s for service in services])
    block = np.tile(sizes, len(cells))
    power = np.array([_active_w(name) for name, _, _ in cells]).repeat(sizes.size)
    columns = {
        "device": Column(np.array([name for name, _, _ in cells]).repeat(sizes.size), "text", "device"),
        "origin": Column(np.array([_origin(model) for _, model, _ in cells]).repeat(sizes.size), "text", "origin"),
        "pattern": Column(np.array([pattern for _, _, pattern in cells]).repeat(sizes.size), "text", "pattern"),
        "block_bytes": Column(block, "B", "block size"),
        "request_s": Column(total, "s", "time of a request"),
        "throughput_bytes_per_s": Column(block / total, "B/s", "throughput"),
        "iops": Column(1 / total, "1/s", "requests per second"),
        "energy_j": Column(power * total, "J", "energy of a request"),
    }
    none = np.zeros(sizes.size)
    for term, label in TERMS.items():
        values = np.concatenate([service.terms.get(term, none) for service in services])
        if values.any():
            columns[term] = Column(values, "s", label)
    return Result.of(columns, _notes(inputs, models))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each device: how the time of the request in detail comes about, term by term."""
    lines = []
    for row in detail_rows(inputs, result):
        terms = {TERMS[name]: result[name][row] for name in TERMS if name in result.columns}
        parts = [f"{label} {format_seconds(value)}" for label, value in terms.items() if value > 0]
        total = format_seconds(result["request_s"][row])
        device = result["device"][row]
        lines.append(f"{device}: {' + '.join(parts)} = {total}" if parts else f"{device}: not measured at this size")
    return lines


def detail_rows(inputs: Inputs, result: Result) -> np.ndarray:
    """The rows of the pattern and block size in detail, one per device."""
    return result.rows(pattern=inputs.detail_pattern, block_bytes=inputs.detail_block_bytes)


def _require_block(size: int) -> None:
    require(
        SMALLEST_BLOCK_BYTES <= size <= LARGEST_BLOCK_BYTES,
        f"a block size must be {SMALLEST_BLOCK_BYTES}..{LARGEST_BLOCK_BYTES} bytes; got {size}",
    )


def _active_w(name: str) -> float:
    device = catalogue.devices().get(name)
    return np.nan if device is None else device.get("active_w", np.nan)


def _origin(model) -> str:
    return "measured" if isinstance(model, Measured) else "model"


def _notes(inputs: CurveInputs, models):
    for name, model in models.items():
        if isinstance(model, HardDisk) and not model.has_seek_curve and inputs.span_bytes < model.capacity_bytes:
            yield (
                f"{name}: only the average seek is known, not track-to-track and full stroke, so the seek does not "
                f"shrink with the span; random times are an upper bound."
            )
        if isinstance(model, Rated):
            yield f"{name}: from data-sheet ratings; 1 / IOPS at the rated queue depth, not the latency of one request."
        if isinstance(model, Measured):
            yield f"{name}: measured by fio; nothing is drawn outside the measured block sizes."
        device = catalogue.devices().get(name)
        if device and any(parameter.status == "fitted" for parameter in device.parameters.values()):
            yield f"{name}: the source prints no numbers of its own; parameters fitted to its stated orderings."


def winner(result: Result, pattern: str, block_bytes: int) -> str:
    """The device with the highest throughput for one pattern and block size.

    Raises ModelError when the result has no such row.
    """
    rows = result.rows(pattern=known("access pattern", pattern, PATTERNS), block_bytes=block_bytes)
    require(rows.size > 0, f"the result has no block size of {block_bytes} bytes")
    return str(result["device"][rows[np.nanargmax(result["throughput_bytes_per_s"][rows])]])


STUDY = Study(
    name="block_size",
    title="Which block size suits which device and access pattern?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
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
