"""Which cache answers a page request of the database, and what is each of them worth? Schmidt 2009, section 4."""

import dataclasses
from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost import catalogue, devices
from pagecost.answers.xml_runs import PAGE_BYTES, Counted, Load, Times, alone_notes, counted, times
from pagecost.oscaches import LAYERS, OFF, Host
from pagecost.studies import finding
from pagecost.studies.fields import From, OfSystem, Steps, how_many
from pagecost.studies.finding import Finding, at, bare
from pagecost.studies.shared_fields import SEED, size_or_none
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.xml import xml_fields, xml_inputs
from pagecost.studies.xml.xml_inputs import ExperimentInputs
from pagecost.studies.xml.xml_runs import LAID_OUT, TERMS

WHOLE = "all of it"
SWITCHED = {part: f"without {LAYERS.get(part, part)}" for part in OFF}
OTHERWISE = {"exclusive": "page cache exclusive", "direct": "direct I/O heeded", "late": "writes not synchronous"}
VARIANTS = (WHOLE, *SWITCHED.values(), *OTHERWISE.values())
SEGMENTS = 16  # that a device cuts its cache into; each reads on behind one request
DIRTY_S = 30.0  # after which Linux writes a changed page back


class Inputs(StudyInputs):
    """The load, and the caches between the database and its devices."""

    devices: xml_inputs.DEVICES = ("wd800aajs", "consumer-ssd-2009")
    mapping: xml_fields.MAPPING = "el"
    plain_bytes: xml_inputs.PLAIN_BYTES = 1e8
    write_share: xml_inputs.WRITE_SHARE = 0.0
    buffer_bytes: xml_inputs.BUFFER_BYTES = 16 * 2**20
    page_cache_bytes: Annotated[
        float,
        Steps((0, 16 * 2**20, 32 * 2**20, 64 * 2**20, 256 * 2**20), "B", size_or_none),
        OfSystem("memory.page_cache_bytes"),
        Field(ge=0, le=1e11, title="Page cache", description="Of the operating system: pages of files, LRU."),
    ] = 32 * 2**20
    block_cache_bytes: Annotated[
        float,
        Steps((0, 4 * 2**20, 16 * 2**20, 64 * 2**20, 256 * 2**20), "B", size_or_none),
        Field(ge=0, le=1e11, title="Kernel cache", description="Blocks of the device, data and metadata, LRU."),
    ] = 16 * 2**20
    read_ahead_pages: Annotated[
        int,
        Steps((0, 4, 8, 16, 32, 64), "pages", how_many("pages", zero="never")),
        From("Linux: 128 KiB"),
        Field(ge=0, le=1024, title="Read-ahead", description="Largest window; windows double up to it."),
    ] = 32
    disk_wait_s: xml_inputs.DISK_WAIT_S = 0.0
    seed: SEED = 1


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
    """One row per device and variant of the caches. Table "layers": one per device and layer, with all caches.

    Per transaction. answered: requests that a layer answers, of data or of metadata; what is left goes to the next
    layer, at the end to the mechanics or the flash. kept_twice: share of the buffer's pages that a cache of the
    operating system holds, too. slower: time per transaction over that with all caches.
    """
    load = Load(inputs.mapping, inputs.plain_bytes, inputs.write_share, inputs.seed)
    processor = ExperimentInputs(disk_wait_s=inputs.disk_wait_s).processor
    variants, layers, every = [], [], []
    for number, device in enumerate(inputs.devices):
        found = {name: counted(load, host) for name, host in hosts(inputs, device).items()}
        costs = {name: times(device, run, processor) for name, run in found.items()}
        every += [(device, cost) for cost in costs.values()]
        for name, run in found.items():
            slower = costs[name].elapsed_s / costs[WHOLE].elapsed_s
            variants.append({"device": device, "name": name, **_numbers(run, costs[name]), "slower": slower})
        layers += [{"device": device, **row} for row in _layers(found[WHOLE])]
        progress((number + 1) / len(inputs.devices), None)
    told = (*_notes(inputs), *alone_notes(every))
    more = {"layers": _columns(layers, "layer", ANSWERS)}
    return Result.of(_columns(variants, "variant", NUMBERS), told, more=more)


def _columns(rows: list[dict], what: str, numbers: dict[str, tuple[str, str]]) -> dict[str, Column]:
    return {
        "device": Column(np.array([row["device"] for row in rows]), "text", "device", devices.modelled()),
        "name": Column(np.array([row["name"] for row in rows]), "text", what),
        **{
            name: Column(np.array([row[name] for row in rows], float), unit, label)
            for name, (unit, label) in numbers.items()
        },
    }


NUMBERS = {
    "tps": ("1/s", "transactions per second"),
    **{term: ("s", label) for term, label in TERMS.items()},
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
}
ANSWERS = {
    "asked_data": ("1", "requests of data asked for"),
    "asked_metadata": ("1", "requests of metadata asked for"),
    "answered_data": ("1", "requests of data answered"),
    "answered_metadata": ("1", "requests of metadata answered"),
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
        "random_reads": traffic.waited["random read"] / run.transactions,
        "device_reads": traffic.device_requests(write=False) / run.transactions,
        "metadata_reads": metadata / run.transactions,
        "device_writes": traffic.device_requests(write=True) / run.transactions,
        "prefetched": traffic.prefetched / run.transactions,
        "prefetch_used": traffic.prefetch_used / run.transactions,
        "kept_twice": traffic.kept_twice,
        "page_and_block": traffic.page_and_block,
    }


def _layers(run: Counted) -> list[dict]:
    traffic, rows = run.traffic, []
    for layer, title in LAYERS.items():
        asked, answered = traffic.asked[layer], traffic.hits[layer]
        rows.append({"name": title, **_each("asked", asked, run), **_each("answered", answered, run)})
    left = [asked - answered for asked, answered in zip(traffic.asked["device"], traffic.hits["device"], strict=True)]
    rows.append({"name": "the device itself", **_each("asked", left, run), **_each("answered", left, run)})
    return rows


def _each(what: str, counts, run: Counted) -> dict[str, float]:
    """Requests of data and of metadata per transaction."""
    kinds = zip(("data", "metadata"), counts, strict=True)
    return {f"{what}_{kind}": count / run.transactions for kind, count in kinds}


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
    layers = result.tables["layers"]
    for device in inputs.devices:
        rows = layers.rows(device=device)
        answered = layers["answered_data"][rows]
        parts = " + ".join(f"{layers['name'][row]} {layers['answered_data'][row]:.3f}" for row in rows[answered > 0])
        variants = {str(result["name"][row]): row for row in result.rows(device=device)}
        worst = max(SWITCHED.values(), key=lambda name: _far(result["slower"][variants[name]]))
        lines.append(
            f"{layers.columns['device'].cell(rows[0])}: {parts} = {answered.sum():.3f} pages asked for or read ahead "
            f"per transaction; {result['tps'][variants[WHOLE]]:.1f} per second. {worst.capitalize()} a transaction "
            f"takes {result['slower'][variants[worst]]:.2f} times as long."
        )
    kept = dict(zip(result["name"].tolist(), result["kept_twice"], strict=True))
    lines.append(
        f"Of the buffer's pages {kept[WHOLE]:.0%} are in a cache of the operating system, too; "
        f"{kept[OTHERWISE['exclusive']]:.0%} where the page cache gives away what it hands up."
    )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    most = int(np.nanargmax(_far(result["slower"])))
    (whole,) = result.rows(device=result["device"][most], name=WHOLE)
    if most == whole:
        return finding.found("On {device} no cache is worth anything.", device=result.cell("device", whole))
    slower = result["slower"][most] > 1
    larger, smaller = (at(result, "slower", row) for row in ((most, whole) if slower else (whole, most)))
    return finding.found(
        "“{variant}” makes the greatest difference on {device}: {tps} transactions per second instead of {best}, "
        "{factor} {slower}.",
        variant=str(result["name"][most]),
        device=result.cell("device", whole),
        tps=bare(at(result, "tps", most)),
        best=bare(at(result, "tps", whole)),
        factor=finding.times(larger, smaller),
        slower="slower" if slower else "faster",
    )


def _far(slower):
    """How far times are from that with all caches, whether longer or shorter: a factor from 1 on, also of arrays."""
    return np.maximum(slower, 1 / slower)


STUDY = Study(
    name="cache_hierarchy",
    title="Which cache answers, and what is each one worth?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="buffer",
    source="schmidt2009 §4, Fig. 4, §6.1",
    presets={
        "1 GB": {"plain_bytes": 1e9},
        "half of the transactions write": {"write_share": 0.5},
        "page cache as large as the buffer": {"page_cache_bytes": 16 * 2**20, "block_cache_bytes": 0},
        "nothing but indirect blocks in memory": {"page_cache_bytes": 0, "block_cache_bytes": 0, "plain_bytes": 1e9},
    },
)
