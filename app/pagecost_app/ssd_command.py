"""`pagecost ssd`: what a flash device does with a load: programs, copies, erases, and how long requests take."""

import math
import time
from dataclasses import asdict, replace

import numpy as np

from pagecost import catalogue
from pagecost.devices import ftl
from pagecost.devices.nand import Chip, chips
from pagecost.devices.ssd import Run, Session, Ssd, catalogued
from pagecost.devices.ssd.model import TIMED_LAYERS
from pagecost.errors import ModelError, known, require
from pagecost.studies.flash.ssd_runs import ssd_of
from pagecost.studies.flash.write_amplification import OPTIONS as FRONTIERS

WRITES, TIMED_REQUESTS = 4_000_000, 100_000
CHIP, CHANNELS = "samsung-4gb-flash-chip", 4
LEAST_SPARE_BLOCKS = 10  # of a die; with fewer on each, all chips count as one
NUMBERS = {
    "blocks": int,
    "pages_per_block": int,
    "page_bytes": int,
    "spare": float,
    "writes": int,
    "seed": int,
    "rounds": int,
    "reserve_blocks": int,
    "wear_gap": int,
    "log_blocks": int,
    "cached_entries": int,
    "hot_share": float,
    "hot_writes": float,
    "alpha": float,
    "trimmed": float,
    "channels": int,
    "dies_per_channel": int,
    "depth": int,
    "read_share": float,
    "requests": int,
    "request_bytes": int,
    "overhead_s": float,
    "interface_bytes_per_s": float,
}
TEXTS = ("policy", "workload", "layer", "frontiers", "chip", "order")
GEOMETRY = ("blocks", "pages_per_block", "page_bytes", "spare")
LOAD = ("hot_share", "hot_writes", "alpha", "trimmed")
TIMING = ("channels", "dies_per_channel", "overhead_s", "interface_bytes_per_s", "order")
OPTIONS = ("policy", "reserve_blocks", "wear_gap", "log_blocks", "cached_entries")


def simulate(settings: dict[str, str], device: str | None = None) -> dict:
    """Fill the device, overwrite it until it is steady, and report: `pagecost ssd --format json`.

    settings: texts as `--set` gives them; all have defaults (1024 blocks of 64 pages of 4 KiB, spare 0.07, page map,
    greedy, uniform random, 4 million writes, seed 42). device: an SSD of the catalogue whose chips are known; its
    geometry, spare space, layer and times are then the defaults. host_pages = writes: those before the device was
    steady (preconditioning_pages, the fill among them) are not counted in any number but this and erase_count.
    seconds: how long that simulation took. Raises ModelError for a name or value that makes no sense.

    Times come from a second run, of `requests` requests in steady state with `depth` outstanding, of which read_share
    are reads: latency_us, latency_terms_us (they add up to the mean), throughput, utilisation, energy_j. `timed` is the
    device of that run: the blocks spread over dies, each with a map of its own. null where a layer has no times (dftl).
    """
    asked = {name: _value(name, text) for name, text in settings.items()}
    values = {**_of_device(device), **asked}
    geometry = ftl.Geometry(**_chosen(values, GEOMETRY))
    load = ftl.Workload(kind=values.get("workload", "uniform"), **_chosen(values, LOAD))
    frontiers = FRONTIERS[known("frontiers", values.get("frontiers", "shared"), FRONTIERS)]
    seed = values.get("seed", 42)
    require(seed >= 0, f"seed must not be negative; got {seed}")
    started = time.perf_counter()
    run = ftl.measure(
        geometry,
        load,
        layer=values.get("layer", "page"),
        writes=values.get("writes", WRITES),
        rounds=values.get("rounds", 10),
        seed=seed,
        **frontiers,
        **_chosen(values, OPTIONS),
    )
    seconds = time.perf_counter() - started
    counts = asdict(run.counts)
    erases = run.erase_counts
    return {
        "layer": run.layer,
        "policy": run.options.policy,
        "workload": run.workload.kind,
        "blocks": geometry.blocks,
        "pages_per_block": geometry.pages_per_block,
        "page_bytes": geometry.page_bytes,
        "spare": geometry.spare,
        "over_provisioning": geometry.over_provisioning,
        "logical_pages": geometry.logical_pages,
        "preconditioning_pages": run.whole.host_pages - run.counts.host_pages,
        **counts,
        "write_amplification": run.write_amplification,
        "write_amplification_per_round": run.write_amplification_per_round.tolist(),
        "steady": run.steady,
        "steadiness": run.steadiness.sentence(),
        "worst_request_pages": run.worst_request,
        "blamed_requests": run.blamed_requests,
        "erase_count": {
            "min": int(erases.min()),
            "mean": float(erases.mean()),
            "max": int(erases.max()),
        },
        "map_bytes": run.map_bytes,
        "seconds": seconds,
        **_times(values, geometry, load, device, asked),
    }


def _of_device(device: str | None) -> dict:
    """What a catalogue SSD says instead of the defaults."""
    if device is None:
        return {}
    ssd = ssd_of(known("SSD with chips", device, catalogued()))
    geometry = ssd.geometry
    names = {name: getattr(geometry, name) for name in ("pages_per_block", "page_bytes", "spare")}
    return {**names, "layer": ssd.layer, "policy": ssd.policy}


def _times(values: dict, geometry: ftl.Geometry, load: ftl.Workload, device: str | None, asked: dict) -> dict:
    """The fields that need timing; null where there are none."""
    if values.get("layer", "page") not in TIMED_LAYERS or values.get("frontiers", "shared") != "shared":
        return dict.fromkeys(("latency_us", "latency_terms_us", "throughput", "utilisation", "energy_j", "timed"), None)
    changes = _chosen(asked, ("spare", "layer", "policy", "reserve_blocks", "log_blocks", *TIMING))
    ssd = _spread(values, geometry, changes) if device is None else ssd_of(device, **changes)
    depth, seed = values.get("depth", 1), values.get("seed", 42)
    session = Session(ssd, depth, request_bytes=values.get("request_bytes"), seed=seed)
    session.precondition()
    run = _timed(session, load, values)
    utilisation, energy = run.utilisation, run.energy_j
    return {
        "latency_us": {name: 1e6 * time_s for name, time_s in run.latencies_s().items()},
        "latency_terms_us": {name.removesuffix("_s"): 1e6 * time_s for name, time_s in run.terms_s.items()},
        "throughput": {"iops": run.iops, "bytes_per_s": run.throughput_bytes_per_s},
        "utilisation": utilisation,
        "energy_j": {name: None if math.isnan(joules) else joules for name, joules in energy.items()},
        "timed": {
            "device": ssd.name,
            "requests": run.size,
            "depth": session.depth,
            "read_share": values.get("read_share", 0.0),
            "request_bytes": session.request_bytes,
            "chip": ssd.chip.name,
            "channels": ssd.channels,
            "dies": ssd.dies,
            "blocks_per_die": ssd.blocks,
            "seconds": run.elapsed_s,
            "write_amplification": None if math.isnan(run.write_amplification) else run.write_amplification,
        },
    }


def _spread(values: dict, geometry: ftl.Geometry, changes: dict) -> Ssd:
    """The blocks of the geometry over four channels of one die, or on one die where little is spare."""
    chip = Chip.of(catalogue.device(known("flash chip", values.get("chip", CHIP), chips())))
    chip = replace(chip, page_bytes=geometry.page_bytes, pages_per_block=geometry.pages_per_block)
    roomy = geometry.blocks * geometry.spare >= LEAST_SPARE_BLOCKS * CHANNELS
    channels = changes.pop("channels", CHANNELS if roomy else 1)
    dies = channels * changes.get("dies_per_channel", 1)
    require(
        dies >= 1 and geometry.blocks % dies == 0,
        f"{geometry.blocks} blocks are not a whole number for each of {dies} dies",
    )
    return Ssd(
        name=chip.name,
        chip=chip,
        unit_bytes=geometry.page_bytes,
        channel_bytes_per_s=chip.bus_bytes_per_s,
        **{"blocks": geometry.blocks // dies, "channels": channels, "spare": geometry.spare, **changes},
    )


def _timed(session: Session, load: ftl.Workload, values: dict) -> Run:
    """The run that is timed, after a tenth as many requests to warm up."""
    seed, read_share = values.get("seed", 42), values.get("read_share", 0.0)
    require(0 <= read_share <= 1, f"read_share must be a share from 0 to 1; got {read_share}")
    count = values.get("requests", TIMED_REQUESTS)
    require(count >= 1, f"requests must be at least 1; got {count}")
    stream = load.stream(session.ssd.logical_units // session.units, seed)
    pages = np.empty(count + count // 10, np.uint32)
    for at in range(0, pages.size, ftl.workload.CHUNK):
        part = np.empty(min(ftl.workload.CHUNK, pages.size - at), np.uint32)
        stream.draw(part)
        pages[at : at + part.size] = part
    first = pages.astype(np.int64) * session.units
    write = np.random.default_rng([seed, 43]).random(first.size) >= read_share
    session.serve(first[: count // 10], write[: count // 10])
    return session.serve(first[count // 10 :], write[count // 10 :])


def _value(name: str, text: str):
    known("setting", name, (*NUMBERS, *TEXTS))
    if name in TEXTS:
        return text
    try:
        return NUMBERS[name](text)
    except ValueError:
        kind = "a whole number" if NUMBERS[name] is int else "a number"
        raise ModelError(f"{name} must be {kind}; got {text!r}") from None


def _chosen(values: dict, names) -> dict:
    return {name: values[name] for name in names if name in values}
