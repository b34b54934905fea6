"""How many XML transactions does a disk or an SSD carry, how long do they wait for what, and at how many watts?"""

import functools
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, field_validator

from pagecost import buffer, catalogue, devices
from pagecost.devices import energy
from pagecost.errors import known, require
from pagecost.studies.fields import Choice, Choices, From, Steps
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes
from pagecost.xmlstore import MAPPINGS, experiment

TRANSACTIONS, WARM_UP = 24_000, 12_000
SIZES = (1e7, 1e8, 1e9)
WRITING = {"commit": "at commit", "eviction": "when evicted from the buffer"}
TERMS = {"cpu_s": "processor", "io_s": "data I/O", "log_s": "log"}


class Inputs(StudyInputs):
    """The database, the load, and what the processor needs."""

    devices: Annotated[
        tuple[str, ...],
        Choices(lambda: {name: title for name, title in devices.modelled().items() if _has_power(name)}, most=2),
        From("schmidt2009 §6, Table 1"),
        Field(min_length=1, max_length=2, title="Devices", description="At most two, with known power."),
    ] = ("wd800aajs", "consumer-ssd-2009")
    mappings: Annotated[
        tuple[str, ...],
        Choices(lambda: {name: f"{name}: {mapping.title}" for name, mapping in MAPPINGS.items()}),
        Field(min_length=1, title="Storage mappings", description="What is stored of each node."),
    ] = tuple(MAPPINGS)
    plain_bytes: Annotated[
        float,
        Steps(SIZES, "B", format_bytes),
        Field(ge=1e6, le=1e11, title="Database", description="Size as text of the bars on the right."),
    ] = 1e9
    write_share: Annotated[
        float,
        Steps((0.0, 0.1, 0.2, 0.3, 0.4, 0.5), "1", lambda share: f"{share:.0%} write"),
        From("schmidt2009 §6"),
        Field(ge=0, le=1, title="Writing transactions", description="Share of transactions that write."),
    ] = 0.0
    buffer_bytes: Annotated[
        float,
        Steps((4e6, 16e6, 64e6, 256e6), "B", format_bytes),
        From("schmidt2009 §6"),
        Field(ge=65536, le=1e10, title="Buffer", description="Of the database, LRU."),
    ] = 16 * 2**20
    os_cache_bytes: Annotated[
        float,
        Steps((0, 16e6, 64e6, 256e6), "B", lambda size: format_bytes(size) if size else "none"),
        Field(ge=0, le=1e11, title="Page cache", description="Of the operating system, LRU, holding the buffer's too."),
    ] = 0
    pages_written: Annotated[
        str,
        Choice(lambda: WRITING),
        Field(title="Changed pages are written", description="The paper does not say; at commit fits its SSD."),
    ] = "commit"
    transaction_s: Annotated[
        float,
        Steps((0.001, 0.003, 0.005, 0.009, 0.02), "s", lambda time: f"{time * 1e3:g} ms"),
        Field(ge=0, le=10, title="Processor per transaction", description="Fitted: 100 tps on the disk at 10 MB, fs."),
    ] = 0.009
    record_s: Annotated[
        float,
        Steps((0.0, 1e-6, 5e-6, 1e-5, 2e-5), "s", lambda time: f"{time * 1e6:g} µs"),
        Field(ge=0, le=1, title="Processor per record", description="Every record that is read or written."),
    ] = 1e-5
    decode_s: Annotated[
        float,
        Steps((0.0, 1e-6, 2e-6, 5e-6, 1e-5), "s", lambda time: f"{time * 1e6:g} µs"),
        Field(
            ge=0, le=1, title="Processor per label", description="Compressed labels are decoded from the page's first."
        ),
    ] = 2e-6
    overlap: Annotated[
        float,
        Steps((0.0, 0.25, 0.5, 0.75, 1.0), "1", lambda share: f"{share:.0%} overlap"),
        Field(
            ge=0, le=1, title="Overlap", description="Share of the shorter of processor and device time that is hidden."
        ),
    ] = 0.0
    seed: Annotated[
        int,
        Steps(tuple(range(1, 11)), "1", lambda seed: f"seed {seed}"),
        Field(ge=1, le=2**31, title="Seed", description="Equal seeds give equal numbers."),
    ] = 1

    @field_validator("devices")
    @classmethod
    def _known_devices(cls, names):
        for name in names:
            known("device", name, devices.modelled())
            require(_has_power(name), f"{name}: its idle and load power are not known")
        require(len(set(names)) == len(names), f"a device is named twice in {', '.join(names)}")
        return names

    @field_validator("mappings")
    @classmethod
    def _known_mappings(cls, names):
        for name in names:
            known("mapping", name, MAPPINGS)
        require(len(set(names)) == len(names), f"a mapping is named twice in {', '.join(names)}")
        return names

    @field_validator("pages_written")
    @classmethod
    def _known_writing(cls, name):
        return known("moment of writing", name, WRITING)


class Counted(NamedTuple):
    """Per transaction: pages read from the device and written to it, log pages, and what the processor handles."""

    pages: float
    reads: float
    writes: float
    log_pages: float
    records: float
    decoded: float
    hit_ratio: float
    height: int
    database_bytes: float


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device, mapping and size; `chosen` marks the size of the inputs.

    cpu_s, io_s and log_s are per transaction and, less `hidden_s`, add up to 1 / tps. load: share of the time that the
    device works. mean_w: by the paper's formula, energy_j = mean_w / tps.
    """
    sizes = sorted({*SIZES, inputs.plain_bytes})
    rows = []
    for number, size in enumerate(sizes):
        for mapping in inputs.mappings:
            counted = _counted(
                mapping,
                size,
                inputs.write_share,
                inputs.buffer_bytes,
                inputs.os_cache_bytes,
                inputs.pages_written,
                inputs.seed,
            )
            rows += [(device, mapping, size, counted, _times(inputs, device, counted)) for device in inputs.devices]
        progress((number + 1) / len(sizes), None)
    order = {name: place for place, name in enumerate(inputs.devices)}
    rows.sort(key=lambda row: (order[row[0]], inputs.mappings.index(row[1]), row[2]))
    return _result(inputs, rows)


def _has_power(device: str) -> bool:
    if device in devices.measurements():
        return False
    known_device = catalogue.device(device)
    return known_device.get("idle_w") is not None and known_device.get("active_w") is not None


@functools.lru_cache(maxsize=512)
def _counted(
    mapping: str, size: float, write_share: float, buffer_bytes: float, os_bytes: float, writing: str, seed: int
) -> Counted:
    database = experiment.database(mapping, size)
    load = experiment.workload(database, TRANSACTIONS, write_share, seed)
    pages, writes = load.requests.page_references()
    references, warm_up = buffer.References.of(pages, writes), int(load.first[WARM_UP])
    frames = max(1, int(buffer_bytes // database.page_bytes))
    first = buffer.replay(references, frames, warm_up=warm_up)
    os_frames = int(os_bytes // database.page_bytes)
    last = buffer.replay(references, os_frames, warm_up=warm_up) if os_frames > frames else first
    counted = TRANSACTIONS - WARM_UP
    written = np.count_nonzero(writes[warm_up:]) if writing == "commit" else first.write_backs
    log = load.log_bytes[WARM_UP:]
    return Counted(
        pages=first.references / counted,
        reads=last.misses / counted,
        writes=written / counted,
        log_pages=float(np.ceil(log / database.page_bytes).mean()),
        records=float(load.records[WARM_UP:].mean()),
        decoded=float(load.decoded[WARM_UP:].mean()),
        hit_ratio=first.hit_ratio,
        height=database.height,
        database_bytes=database.pages * database.page_bytes,
    )


def _times(inputs: Inputs, device: str, counted: Counted) -> dict[str, float]:
    """Seconds per transaction by cause, transactions per second, and power."""
    model, page = devices.load(device), 4096.0

    def service(pattern: str) -> float:
        return float(model.service(pattern, page, span_bytes=counted.database_bytes).total_s)

    cpu_s = inputs.transaction_s + counted.records * inputs.record_s + counted.decoded * inputs.decode_s
    io_s = counted.reads * service("random read") + counted.writes * service("random write")
    log_s = counted.log_pages * service("sequential write")
    hidden_s = inputs.overlap * min(cpu_s, io_s + log_s)
    whole_s = cpu_s + io_s + log_s - hidden_s
    load = min((io_s + log_s) / whole_s, 1.0)  # a rounding error may lead above
    idle_w, active_w = (catalogue.device(device).value(name) for name in ("idle_w", "active_w"))
    return {
        "cpu_s": cpu_s,
        "io_s": io_s,
        "log_s": log_s,
        "hidden_s": hidden_s,
        "tps": 1 / whole_s,
        "load": load,
        "mean_w": float(energy.average_w(idle_w, active_w, load)),
    }


def _result(inputs: Inputs, rows) -> Result:
    times = {name: np.array([row[4][name] for row in rows]) for name in rows[0][4]}
    counted = {name: np.array([getattr(row[3], name) for row in rows]) for name in Counted._fields}
    columns = {
        "device": Column(np.array([row[0] for row in rows]), "text", "device"),
        "mapping": Column(np.array([row[1] for row in rows]), "text", "mapping"),
        "plain_bytes": Column(np.array([row[2] for row in rows]), "B", "database as text"),
        "tps": Column(times["tps"], "1/s", "transactions per second"),
        **{name: Column(times[name], "s", label) for name, label in TERMS.items()},
        "hidden_s": Column(times["hidden_s"], "s", "hidden by overlap"),
        "load": Column(times["load"], "1", "device under load"),
        "mean_w": Column(times["mean_w"], "W", "mean power"),
        "energy_j": Column(times["mean_w"] / times["tps"], "J", "energy per transaction"),
        "pages": Column(counted["pages"], "1", "pages touched"),
        "reads": Column(counted["reads"], "1", "pages read"),
        "writes": Column(counted["writes"], "1", "pages written"),
        "hit_ratio": Column(counted["hit_ratio"], "1", "buffer hit ratio"),
        "height": Column(counted["height"], "1", "index levels"),
        "chosen": Column(np.array([row[2] == inputs.plain_bytes for row in rows]), "1", "chosen size"),
    }
    return Result(columns, tuple(_notes(inputs)))


def _notes(inputs: Inputs):
    yield (
        f"{TRANSACTIONS - WARM_UP:,} transactions after {WARM_UP:,} that fill the buffer, single user. Only the "
        "processor's times are fitted, at 10 MB; the rest comes out of stored sizes, the buffer and the devices."
    )
    yield "The element index holds the elements that queries enter by; the paper does not say which it holds."
    if "consumer-ssd-2009" in inputs.devices:
        yield "For the paper's own SSD no rates are stated: its class of Table 1 stands in."


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each device and mapping at the chosen size: the terms of a transaction, and its power."""
    lines = []
    for row in result.rows(chosen=True):
        device = catalogue.device(result["device"][row])
        parts = " + ".join(f"{label} {result[name][row] * 1e3:.2f} ms" for name, label in TERMS.items())
        hidden = f" - hidden {result['hidden_s'][row] * 1e3:.2f} ms" if inputs.overlap else ""
        lines.append(
            f"{result['device'][row]}, {result['mapping'][row]}: {parts}{hidden} = {1e3 / result['tps'][row]:.2f} ms, "
            f"{result['tps'][row]:.1f} per second; {device.value('idle_w'):g} W × {1 - result['load'][row]:.1%} + "
            f"{device.value('active_w'):g} W × {result['load'][row]:.1%} = {result['mean_w'][row]:.2f} W."
        )
    return lines


STUDY = Study(
    name="xml_transactions",
    title="How many XML transactions do a disk and an SSD carry, and at how many watts?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    source="schmidt2009 §6, Fig. 7 to 11",
    presets={
        "half of the transactions write (Fig. 8)": {"write_share": 0.5},
        "changed pages wait for eviction": {"write_share": 0.5, "pages_written": "eviction"},
        "with a page cache below the buffer": {"os_cache_bytes": 256e6},
        "100 MB": {"plain_bytes": 1e8},
    },
)
