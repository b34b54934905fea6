"""Which cache answers a page request of the database, and what is each of them worth? Schmidt 2009, section 4."""

import dataclasses
from typing import Annotated

import numpy as np
from pydantic import Field, field_validator

from pagecost import catalogue
from pagecost.errors import known
from pagecost.oscaches import LAYERS, OFF, Host
from pagecost.studies.fields import Choice, From, Steps
from pagecost.studies.shared_fields import size_or_none
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.xml.xml_inputs import PAGE_BYTES, ExperimentInputs
from pagecost.studies.xml.xml_runs import COUNTED, LAID_OUT, Counted, Load, Times, counted, times
from pagecost.xmlstore import MAPPINGS

WHOLE = "all of it"
SWITCHED = {part: f"without {LAYERS.get(part, part)}" for part in OFF}
OTHERWISE = {"exclusive": "page cache exclusive", "direct": "direct I/O heeded", "late": "writes not synchronous"}
VARIANTS = (WHOLE, *SWITCHED.values(), *OTHERWISE.values())
SEGMENTS = 16  # that a device cuts its cache into; each reads on behind one request
DIRTY_S = 30.0  # after which Linux writes a changed page back


class Inputs(StudyInputs):
    """The load, and the caches between the database and its devices."""

    devices: ExperimentInputs.__annotations__["devices"] = ("wd800aajs", "consumer-ssd-2009")
    mapping: Annotated[
        str,
        Choice(lambda: {name: f"{name}: {mapping.title}" for name, mapping in MAPPINGS.items()}),
        Field(title="Storage mapping", description="What is stored of each node."),
    ] = "el"
    plain_bytes: ExperimentInputs.__annotations__["plain_bytes"] = 1e8
    write_share: ExperimentInputs.__annotations__["write_share"] = 0.0
    buffer_bytes: ExperimentInputs.__annotations__["buffer_bytes"] = 16 * 2**20
    page_cache_bytes: Annotated[
        float,
        Steps((0, 16 * 2**20, 32 * 2**20, 64 * 2**20, 256 * 2**20), "B", size_or_none),
        Field(ge=0, le=1e11, title="Page cache", description="Of the operating system: pages of files, LRU."),
    ] = 32 * 2**20
    block_cache_bytes: Annotated[
        float,
        Steps((0, 4 * 2**20, 16 * 2**20, 64 * 2**20, 256 * 2**20), "B", size_or_none),
        Field(ge=0, le=1e11, title="Kernel cache", description="Blocks of the device, data and metadata, LRU."),
    ] = 16 * 2**20
    read_ahead_pages: Annotated[
        int,
        Steps((0, 4, 8, 16, 32, 64), "pages", lambda pages: f"{pages} pages" if pages else "never"),
        From("Linux: 128 KiB"),
        Field(ge=0, le=1024, title="Read-ahead", description="Largest window; windows double up to it."),
    ] = 32
    seed: ExperimentInputs.__annotations__["seed"] = 1

    @field_validator("devices")
    @classmethod
    def _known_devices(cls, names):
        return ExperimentInputs._known_devices(names)

    @field_validator("mapping")
    @classmethod
    def _known_mapping(cls, name):
        return known("mapping", name, MAPPINGS)


def hosts(inputs: Inputs, device: str) -> dict[str, Host]:
    """Each variant's host; the device has a cache if the catalogue knows one."""
    cache = int(catalogue.device(device).get("cache_bytes", 0) // PAGE_BYTES)
    seconds_per_request = ExperimentInputs().transaction_s / 6  # a transaction makes about six
    whole = Host(
        buffer_pages=max(1, int(inputs.buffer_bytes // PAGE_BYTES)),
        page_cache_pages=int(inputs.page_cache_bytes // PAGE_BYTES),
        block_cache_pages=int(inputs.block_cache_bytes // PAGE_BYTES),
        device_cache_pages=cache,
        device_ahead=cache // SEGMENTS,
        device_writes_back=cache > 0,
        read_ahead_pages=inputs.read_ahead_pages,
    )
    return {
        WHOLE: whole,
        **{title: whole.without(part) for part, title in SWITCHED.items()},
        OTHERWISE["exclusive"]: dataclasses.replace(whole, exclusive=True),
        OTHERWISE["direct"]: dataclasses.replace(whole, direct=True),
        OTHERWISE["late"]: dataclasses.replace(whole, sync=False, expires=int(DIRTY_S / seconds_per_request)),
    }


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """Rows of part "variant": one per device and variant; of part "layer": one per device and layer, with all caches.

    Per transaction. answered: requests that a layer answers, of data or of metadata; what is left goes to the next
    layer, at the end to the mechanics or the flash. kept_twice: share of the buffer's pages that a cache of the
    operating system holds, too. slower: time per transaction over that with all caches.
    """
    load = Load(inputs.mapping, inputs.plain_bytes, inputs.write_share, inputs.seed)
    processor = ExperimentInputs().processor
    rows = []
    for number, device in enumerate(inputs.devices):
        made = hosts(inputs, device)
        found = {name: counted(load, host) for name, host in made.items()}
        costs = {name: times(device, run, processor) for name, run in found.items()}
        for name, run in found.items():
            rows.append(
                {"part": "variant", "device": device, "name": name, **_numbers(run, costs[name])}
                | {"slower": costs[name].elapsed_s / costs[WHOLE].elapsed_s}
            )
        rows += _layers(device, found[WHOLE])
        progress((number + 1) / len(inputs.devices), None)
    columns = {
        name: Column(np.array([row[name] for row in rows]), "text", label)
        for name, label in (("part", "part of the answer"), ("device", "device"), ("name", "variant or layer"))
    }
    for name, (unit, label) in NUMBERS.items():
        columns[name] = Column(np.array([row.get(name, np.nan) for row in rows], float), unit, label)
    return Result.of(columns, _notes(inputs))


NUMBERS = {
    "tps": ("1/s", "transactions per second"),
    "cpu_s": ("s", "processor"),
    "io_s": ("s", "data I/O waited for"),
    "log_s": ("s", "log"),
    "behind_s": ("s", "device work that nobody waits for"),
    "slower": ("1", "time over that with all caches"),
    "random_reads": ("1", "reads that position, waited for"),
    "device_reads": ("1", "blocks read from the device"),
    "metadata_reads": ("1", "of them inodes and indirect blocks"),
    "device_writes": ("1", "blocks written to the device"),
    "prefetched": ("1", "pages read ahead"),
    "prefetch_used": ("1", "of them asked for later"),
    "kept_twice": ("1", "share of the buffer that lower caches hold, too"),
    "page_and_block": ("1", "share of the page cache that the kernel cache holds, too"),
    "answered_data": ("1", "requests of data answered"),
    "answered_metadata": ("1", "requests of metadata answered"),
    "hit_ratio": ("1", "hit ratio of data"),
}


def _numbers(run: Counted, cost: Times) -> dict[str, float]:
    traffic = run.traffic
    metadata = traffic.asked["device"][1] - traffic.hits["device"][1]
    return {
        "tps": 1 / cost.elapsed_s,
        "cpu_s": cost.cpu_s,
        "io_s": cost.io_s,
        "log_s": cost.log_s,
        "behind_s": cost.behind_s,
        "random_reads": traffic.waited["random read"] / COUNTED,
        "device_reads": traffic.device_requests(write=False) / COUNTED,
        "metadata_reads": metadata / COUNTED,
        "device_writes": traffic.device_requests(write=True) / COUNTED,
        "prefetched": traffic.prefetched / COUNTED,
        "prefetch_used": traffic.prefetch_used / COUNTED,
        "kept_twice": traffic.kept_twice,
        "page_and_block": traffic.page_and_block,
    }


def _layers(device: str, run: Counted) -> list[dict]:
    traffic, rows = run.traffic, []
    for layer, title in LAYERS.items():
        data, metadata = (count / COUNTED for count in traffic.hits[layer])
        rows.append({"name": title, "answered_data": data, "answered_metadata": metadata})
        rows[-1]["hit_ratio"] = traffic.hit_ratio(layer)
    asked, hits = traffic.asked["device"], traffic.hits["device"]
    data, metadata = ((all_of_them - answered) / COUNTED for all_of_them, answered in zip(asked, hits, strict=True))
    rows.append({"name": "the device itself", "answered_data": data, "answered_metadata": metadata})
    return [{"part": "layer", "device": device, **row} for row in rows]


def _notes(inputs: Inputs):
    yield (
        "The database is one file that stays open, so no directory is looked up and its inode is asked for again and "
        "again. Answers from memory take no time here; what the copies cost is in the processor's time."
    )
    yield (
        "The paper gives no sizes of these caches and says that the kernel resizes its own; here they have the sizes "
        "that are set. A disk reads on into its cache, one of 16 segments each time, at no cost."
    )
    yield LAID_OUT
    if inputs.write_share:
        yield (
            "A disk with a cache takes writes into it and the arm follows. Writes that are not synchronous are written "
            f"back after {DIRTY_S:g} s of processor time; real time passes faster, so they are written less often here."
        )


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each device: who answers the requests of a transaction, and which switch costs most."""
    lines = []
    for device in inputs.devices:
        layers = list(result.rows(part="layer", device=device))
        parts = " + ".join(
            f"{result['name'][row]} {result['answered_data'][row]:.3f}"
            for row in layers
            if result["answered_data"][row] > 0
        )
        asked = sum(result["answered_data"][row] for row in layers)
        variants = {str(result["name"][row]): row for row in result.rows(part="variant", device=device)}
        worst = max(SWITCHED.values(), key=lambda name: result["slower"][variants[name]])
        lines.append(
            f"{device}: {parts} = {asked:.3f} pages asked for or read ahead per transaction; "
            f"{result['tps'][variants[WHOLE]]:.1f} per second. {worst.capitalize()} a transaction takes "
            f"{result['slower'][variants[worst]]:.2f} times as long."
        )
    kept = {str(result["name"][row]): result["kept_twice"][row] for row in result.rows(part="variant")}
    lines.append(
        f"Of the buffer's pages {kept[WHOLE]:.0%} are in a cache of the operating system, too; "
        f"{kept[OTHERWISE['exclusive']]:.0%} where the page cache gives away what it hands up."
    )
    return lines


STUDY = Study(
    name="cache_hierarchy",
    title="Which cache answers, and what is each one worth?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    source="schmidt2009 §4, Fig. 4, §6.1",
    presets={
        "1 GB": {"plain_bytes": 1e9},
        "half of the transactions write": {"write_share": 0.5},
        "page cache as large as the buffer": {"page_cache_bytes": 16 * 2**20, "block_cache_bytes": 0},
        "nothing but indirect blocks in memory": {"page_cache_bytes": 0, "block_cache_bytes": 0, "plain_bytes": 1e9},
    },
)
