"""What a flash device does with a load, named by settings: programs, copies, erases, and how long requests take."""

import math
import time
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from pagecost import catalogue
from pagecost.answers.ssd_runs import ssd_of
from pagecost.devices import ftl
from pagecost.devices.nand import Chip, chips
from pagecost.devices.ssd import WITHIN, Session, Ssd, SteadyRun, run_until_steady
from pagecost.devices.ssd.model import ORDERS, TIMED_LAYERS
from pagecost.devices.ssd.steady import MOST
from pagecost.errors import known, require
from pagecost.intervals import mean_and_half_width
from pagecost.units import quantity, unit_of

CHIP, CHANNELS = "samsung-4gb-flash-chip", 4
LEAST_SPARE_BLOCKS = 10  # of a die; with fewer on each, all chips count as one
FRONTIERS: dict[str, dict[str, Any]] = {"shared": {}, "separate": {"separate": True}, "heat": {"heat_pages": 1}}


class Setting(NamedTuple):
    """What may be said of a device and its load. default: None where it follows from others."""

    kind: type
    default: int | float | str | None
    meaning: str


SETTINGS = {
    "blocks": Setting(int, 1024, "erase blocks"),
    "pages_per_block": Setting(int, 64, "pages that are erased together"),
    "page_bytes": Setting(int, 4096, "bytes of a page"),
    "spare": Setting(float, 0.07, "share of the flash that the host never sees, 1 - logical / physical"),
    "layer": Setting(str, "page", f"translation layer: {', '.join(ftl.LAYERS)}"),
    "policy": Setting(
        str, "greedy", f"victim policy: {', '.join(ftl.VICTIMS)}, with parameters as NAME:PARAMETER=VALUE"
    ),
    "frontiers": Setting(str, "shared", f"what gets blocks of its own: {', '.join(FRONTIERS)}"),
    "reserve_blocks": Setting(int, 2, "free blocks that the collector keeps"),
    "wear_gap": Setting(int, 0, "erases between least and most worn block before levelling, 0: off"),
    "log_blocks": Setting(int, None, "of BAST and FAST; default: all that can be spared"),
    "cached_entries": Setting(int, None, "map entries in the RAM of DFTL; default: 1 of 32"),
    "workload": Setting(str, "uniform", f"which pages are overwritten: {', '.join(ftl.KINDS)}"),
    "hot_share": Setting(float, 0.2, "share of the pages that is hot (hot-cold)"),
    "hot_writes": Setting(float, 0.8, "share of the writes that they get (hot-cold)"),
    "alpha": Setting(float, 1.0, "exponent of the popularity (zipf)"),
    "trimmed": Setting(float, 0.0, "share of the pages that the host has given back"),
    "writes": Setting(int, 4_000_000, "host pages written in steady state, of which the counts are"),
    "rounds": Setting(int, 10, "equal parts of them"),
    "seed": Setting(int, 42, "of all that is drawn"),
    "depth": Setting(int, 1, "requests outstanding, in the run that is timed"),
    "read_share": Setting(float, 0.0, "share of reads in it"),
    "request_bytes": Setting(int, None, "bytes of its requests; default: a page"),
    "within": Setting(float, WITHIN, "wanted half width of the 95 % interval of its rate, over the rate"),
    "requests": Setting(int, MOST, "its requests at most, those that warm up included"),
    "chip": Setting(str, CHIP, "flash chip, whose times are used"),
    "channels": Setting(int, CHANNELS, "channels; 1 where little is spare"),
    "dies_per_channel": Setting(int, 1, "dies behind each"),
    "overhead_s": Setting(float, 0.0, "time of the controller for a request"),
    "interface_bytes_per_s": Setting(float, math.inf, "rate of the host interface"),
    "order": Setting(str, "fifo", f"order of a die's work: {', '.join(ORDERS)}"),
}
"""Every setting by its name. With a device of the catalogue its own geometry, layer and times are the defaults."""

GEOMETRY = ("blocks", "pages_per_block", "page_bytes", "spare")
LOAD = ("hot_share", "hot_writes", "alpha", "trimmed")
TIMING = ("channels", "dies_per_channel", "overhead_s", "interface_bytes_per_s", "order")
OPTIONS = ("policy", "reserve_blocks", "wear_gap", "log_blocks", "cached_entries")
UNTIMED = ("latency_us", "latency_terms_us", "throughput", "utilisation", "energy_j", "timed")


def values_of(texts: dict[str, str]) -> dict:
    """Settings from texts. Raises ModelError for a name that is none and a text that is no number where one is due."""
    return {name: _value(name, text) for name, text in texts.items()}


def _value(name: str, text: str):
    kind = SETTINGS[known("setting", name, SETTINGS)].kind
    if kind is str:
        return text
    number = quantity(text, unit_of(name), name)
    require(kind is float or isinstance(number, int), f"{name} must be a whole number; got {text!r}")
    return kind(number)


def steady_state(asked: dict, device: catalogue.Device | None = None) -> dict:
    """Fill the device, overwrite it until it is steady, and report: the record of `pagecost ssd --format json`.

    asked: settings other than the defaults of `SETTINGS`. device: an SSD whose chips are known. host_pages = writes:
    those before the device was steady (preconditioning_pages, the fill among them) are not counted in any number but
    this and erase_count. seconds: how long that simulation took. Raises ModelError for a value that makes no sense.

    Times come from a second run with `depth` outstanding, of which read_share are reads, which is as long as its rate
    needs (`run_until_steady`): latency_us, latency_terms_us (they add up to the mean), throughput with its interval,
    utilisation, energy_j. `timed` is the device of that run: the blocks spread over dies, each with a map of its own;
    timed.steady and timed.steadiness say whether it lasts. null where a layer has no times (dftl).
    """
    values = {**{name: setting.default for name, setting in SETTINGS.items()}, **_of_device(device), **asked}
    geometry = ftl.Geometry(**{name: values[name] for name in GEOMETRY})
    load = ftl.Workload(kind=values["workload"], **{name: values[name] for name in LOAD})
    frontiers = FRONTIERS[known("frontiers", values["frontiers"], FRONTIERS)]
    require(values["seed"] >= 0, f"seed must not be negative; got {values['seed']}")
    started = time.perf_counter()
    run = ftl.measure(
        geometry,
        load,
        **{name: values[name] for name in ("layer", "writes", "rounds", "seed")},
        **frontiers,
        **{name: values[name] for name in OPTIONS},
    )
    seconds = time.perf_counter() - started
    erases = run.erase_counts
    return {
        "layer": run.layer,
        "policy": run.options.policy,
        "workload": run.workload.kind,
        **{name: getattr(geometry, name) for name in (*GEOMETRY, "over_provisioning", "logical_pages")},
        "preconditioning_pages": run.whole.host_pages - run.counts.host_pages,
        **asdict(run.counts),
        "write_amplification": run.write_amplification,
        "write_amplification_half_width": _half_width(run.write_amplification_per_round[run.measured_from :]),
        "write_amplification_per_round": run.write_amplification_per_round.tolist(),
        "steady": run.steady,
        "steadiness": run.steadiness.sentence(),
        "worst_request_pages": run.worst_request,
        "blamed_requests": run.blamed_requests,
        "erase_count": {"min": int(erases.min()), "mean": float(erases.mean()), "max": int(erases.max())},
        "map_bytes": run.map_bytes,
        "seconds": seconds,
        **_times(values, geometry, load, device, asked),
    }


def _half_width(per_round: np.ndarray) -> float | None:
    """Of the 95 % interval of write amplification over the measured rounds; None of a single one."""
    return mean_and_half_width(per_round)[1] if per_round.size > 1 else None


def _of_device(device: catalogue.Device | None) -> dict:
    """What a catalogue SSD says instead of the defaults."""
    if device is None:
        return {}
    ssd = ssd_of(device)
    names = {name: getattr(ssd.geometry, name) for name in ("pages_per_block", "page_bytes", "spare")}
    return {**names, "layer": ssd.layer, "policy": ssd.policy}


def _times(values: dict, geometry: ftl.Geometry, load: ftl.Workload, device, asked: dict) -> dict:
    """The fields that need timing; null where there are none."""
    if values["layer"] not in TIMED_LAYERS or values["frontiers"] != "shared":
        return dict.fromkeys(UNTIMED, None)
    changed = ("spare", "layer", "policy", "reserve_blocks", "log_blocks", *TIMING)
    changes = {name: asked[name] for name in changed if name in asked}
    ssd = _spread(values, geometry, changes) if device is None else ssd_of(device, **changes)
    session = Session(ssd, values["depth"], request_bytes=values["request_bytes"], seed=values["seed"])
    made = _timed(session, load, values)
    run = made.run
    return {
        "latency_us": {name: 1e6 * time_s for name, time_s in run.latencies_s().items()},
        "latency_terms_us": {name.removesuffix("_s"): 1e6 * time_s for name, time_s in run.terms_s.items()},
        "throughput": {
            "iops": run.iops,
            "iops_half_width": made.half_width * run.iops,
            "bytes_per_s": run.throughput_bytes_per_s,
        },
        "utilisation": run.utilisation,
        "energy_j": {name: None if math.isnan(joules) else joules for name, joules in run.energy_j.items()},
        "timed": {
            "device": ssd.name,
            "requests": run.size,
            "warm_up_requests": made.warm_up,
            "steady": made.steady,
            "steadiness": made.sentence(),
            "depth": session.depth,
            "read_share": values["read_share"],
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
    chip = Chip.of(catalogue.device(known("flash chip", values["chip"], chips())))
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


def _timed(session: Session, load: ftl.Workload, values: dict) -> SteadyRun:
    """The run that is timed, on a device that was written by the same load until it was steady."""
    read_share = values["read_share"]
    require(0 <= read_share <= 1, f"read_share must be a share from 0 to 1; got {read_share}")
    places = session.ssd.logical_units // session.units
    session.precondition()  # so that no two dies have one history; then as the load writes
    if load.trimmed:
        session.trim(np.arange(load.live_pages(places) * session.units, session.ssd.logical_units))
    stream, random = load.stream(places, values["seed"]), np.random.default_rng([values["seed"], 43])

    def draw(count: int) -> np.ndarray:
        pages = np.empty(count, np.uint32)
        for at in range(0, count, ftl.workload.CHUNK):
            stream.draw(pages[at : at + ftl.workload.CHUNK])
        return pages.astype(np.int64) * session.units

    session.precondition(draw)
    return run_until_steady(
        session,
        lambda count: (draw(count), random.random(count) >= read_share),
        within=values["within"],
        most=values["requests"],
    )
