"""How a claim is measured: each function takes the arguments of a claim's `measure` and returns a number or a text."""

import itertools
from collections.abc import Callable, Mapping

import numpy as np

from pagecost import catalogue, devices, registry, studies
from pagecost.answers import ssd_runs
from pagecost.claims.answers import answer, compared, ranked
from pagecost.devices import best_block, disk, ftl, nand, ssd
from pagecost.devices.service import is_random
from pagecost.errors import known, require
from pagecost.studies.devices import block_size
from pagecost.studies.study import MAIN


def parameter(device: str, name: str, scale: float = 1.0) -> float:
    """A number of the catalogue, in SI, times `scale` (1e6 for microseconds)."""
    return catalogue.device(device).value(name) * scale


def ratio(device: str, name: str, over: str) -> float:
    """One number of a device over another."""
    return parameter(device, name) / parameter(device, over)


def service(
    device: str, pattern: str, block_bytes: float, terms: list[str] | None = None, inverse: bool = False
) -> float:
    """The time [s] of one request, or only of the named terms of it; inverse: requests per second."""
    found = devices.load(device).service(pattern, float(block_bytes))
    time_s = found.total_s if terms is None else sum(found.terms[term] for term in terms)
    return float(1 / time_s if inverse else time_s)


def throughput(device: str, pattern: str, block_bytes: float) -> float:
    """Bytes per second of a stream of requests."""
    return block_bytes / service(device, pattern, block_bytes)


def value(
    study: str,
    column: str,
    where: Mapping,
    preset: str | None = None,
    set: Mapping | None = None,
    scale=1.0,
    table: str = MAIN,
) -> float:
    """One cell of a table of a study's result, times `scale` (100 for percent)."""
    found = answer(study, preset, set).tables
    asked = found[known("table", table, found)]
    rows = asked.rows(**where)
    require(rows.size == 1, f"{study}: {rows.size} rows have {where}; a claim needs exactly one")
    return float(asked[column][rows[0]] * scale)


def default_of(study: str, name: str, preset: str | None = None, scale: float = 1.0) -> float:
    """The number that an input of a study has, by a preset or by default, times `scale`."""
    return float(getattr(studies.find(study).inputs(preset=preset), name) * scale)


def smallest(study: str, column: str, where: Mapping, over: Mapping[str, list[float]], scale: float = 1.0) -> float:
    """The smallest that one cell becomes over all combinations of these values of inputs, times `scale`."""
    settings = [dict(zip(over, values, strict=True)) for values in itertools.product(*over.values())]
    return min(value(study, column, where, set=each, scale=scale) for each in settings)


def exceeds(study: str, column: str, where: Mapping, than: float, set: Mapping | None = None, table: str = MAIN) -> str:
    """For a statement of an order only: "greater", "equal" or "less" than a value, for one cell of a study's result."""
    return compared(value(study, column, where, set=set, table=table), than)


def quotient(
    study: str,
    column: str,
    where: Mapping,
    over: Mapping,
    preset: str | None = None,
    set: Mapping | None = None,
    table: str = MAIN,
) -> float:
    """One cell of a study's result over another."""
    return value(study, column, where, preset, set, table=table) / value(study, column, over, preset, set, table=table)


def times(
    study: str, column: str, where: Mapping, over: Mapping, than: float, set: Mapping | None = None, table: str = MAIN
) -> str:
    """For a statement of an order only: "greater", "equal" or "less" than so many times another cell."""
    return compared(quotient(study, column, where, over, set=set, table=table), than)


def spread_over_range(study: str, device: str, than: float) -> str:
    """Random 8 KB reads of a hundredth of a device: "greater", "equal" or "less" than so many times those of all."""
    where = {"device": device, "load": "reads"}
    inputs = {"devices": [device], "request_bytes": 8192}
    near, far = (value(study, "iops", where, set={**inputs, "span": span}) for span in (0.01, 1.0))
    return compared(near, than * far)


def flash_rate(chip: str, channels: int, dies: int, bus_bytes_per_s: float, write: bool = False) -> float:
    """Peak rate [MB/s] of chips behind channels, by formula."""
    return ssd.theory.flash_bytes_per_s(_bare_ssd(chip, channels, dies // channels, bus_bytes_per_s), write=write) / 1e6


def gain_of_channels(chip: str, channels: int, dies: int | None = None, write: bool = True) -> float:
    """Simulated rate of large sequential requests over that of one channel; dies: in all, None: one per channel."""
    rates = []
    for count in (1, channels):
        of_channel = 1 if dies is None else dies // count
        device = _bare_ssd(chip, count, of_channel, 40e6)
        rates.append(_sequential(device, 64 * device.dies * device.unit_bytes, write))
    return rates[1] / rates[0]


def chips_at_the_knee(chip: str, bus_bytes_per_s: float) -> float:
    """The number of chips on one bus from which on another one brings less than 5 % (simulated reads)."""
    before = 0.0
    for dies in range(1, 65):
        device = _bare_ssd(chip, 1, dies, bus_bytes_per_s)
        rate = _sequential(device, 64 * dies * device.unit_bytes, False)
        if rate < 1.05 * before:
            return float(dies - 1)
        before = rate
    return float("nan")


def sequential_rate(device: str, request_bytes: int, write: bool = False) -> float:
    """Simulated rate [MB/s] of sequential requests, 30 outstanding, on a device that was filled once."""
    return _sequential(ssd_runs.ssd_of(catalogue.device(device)), request_bytes, write, depth=30) / 1e6


def _bare_ssd(chip: str, channels: int, dies_per_channel: int, bus_bytes_per_s: float) -> ssd.Ssd:
    made = nand.Chip.of(catalogue.device(chip))
    return ssd.Ssd(
        name=chip,
        chip=made,
        channels=channels,
        dies_per_channel=dies_per_channel,
        unit_bytes=made.page_bytes,
        spare=0.5,
        channel_bytes_per_s=bus_bytes_per_s,
    )


def _sequential(device: ssd.Ssd, request_bytes: int, write: bool, depth: int = 4) -> float:
    """Bytes per second of one sequential pass over the device."""
    units = device.units_of(request_bytes)
    first = np.arange(device.logical_units // units) * units
    session = ssd.Session(device, depth, request_bytes=request_bytes)
    return session.serve(first, np.full(first.size, write), last=True).throughput_bytes_per_s


def order(study: str, column: str, label: str, set: Mapping | None = None) -> str:
    """The labels of a study's rows by rising value of a column: "page < fast = bast < block"."""
    result = answer(study, None, set)
    return ranked(dict(zip(result[label].tolist(), result[column].tolist(), strict=True)))


def lifetime_s(device: str, bytes_per_day: float, write_amplification: float = 1.0) -> float:
    """How long [s] a device's program/erase cycles last under a daily amount of writes."""
    known = catalogue.device(device)
    total = ftl.lifetime.total_bytes_written(
        known.value("capacity_bytes"), known.value("program_erase_cycles"), write_amplification
    )
    return total / bytes_per_day * ftl.lifetime.DAY_S


def positionings(device: str, pattern: str, block_bytes: int, requests: int) -> float:
    """How many of `requests` reads, one after the other, move the arm of a disk that reads ahead."""
    model, size = disk.Disk.of(catalogue.device(device)), block_bytes // disk.SECTOR_BYTES
    blocks = model.geometry.sectors // 2 // size + np.arange(requests)
    if is_random(pattern):
        blocks = np.random.default_rng(1).integers(0, model.geometry.sectors // size, requests)
    run = disk.BufferedSession(model).serve(blocks * size, size)
    return float(np.count_nonzero(run.terms["seek_s"] > 0))


def misplaced(device: str, samples: int, heads_on: int = 0) -> float:
    """How many sectors do not lead back to themselves over cylinder, head and sector. heads_on: turns it wrong."""
    known = disk.Disk.of(catalogue.device(device))
    lbn = np.random.default_rng(1).integers(0, known.geometry.sectors, samples)
    cylinder, head, sector, _ = known.places(lbn)
    back = known.geometry.sector_numbers(cylinder, (head + heads_on) % known.geometry.heads, sector)
    return float(np.count_nonzero(back != lbn))


def constant_track_capacity(device: str) -> float:
    """The most [bytes] that densities allow when every track holds as many bits as the innermost one.

    A band from radius r to R holds 2 π r b (R - r) t bits on a surface; most for r = R / 2.
    """
    known = catalogue.device(device)
    per_surface = np.pi / 2 * (known.value("platter_diameter_m") / 2) ** 2
    bits = per_surface * known.value("bits_per_m") * known.value("tracks_per_m")
    return float(2 * known.value("platters") * bits / 8)


def access_densities(names: list[str]) -> str:
    """How random reads per second and byte of these hard disks, one request at a time, go from one to the next."""
    known = [disk.Disk.of(catalogue.device(name)) for name in names]
    sizes = np.array([each.geometry.sectors for each in known])
    density = 1 / sizes / [disk.random_requests(each, each.geometry.sectors, 8).service_s for each in known]
    return "falls" if (np.diff(density) < 0).all() else "does not always fall"


def winner(study: str, preset: str, pattern: str, block_bytes: int, set: Mapping | None = None) -> str:
    """The device with the highest throughput."""
    return block_size.winner(answer(study, preset, set), pattern, block_bytes)


def algorithm_1(device_class: str, pattern: str) -> float:
    """The block size [bytes] that Algorithm 1 of Fernando 2011 sets, as typed in."""
    return best_block.algorithm_1(device_class, pattern)


def near_best(study: str, preset: str, device: str, pattern: str, set: Mapping | None = None) -> float:
    """The smallest block size [bytes] within 95 % of the best throughput, from the study's curve."""
    result = answer(study, preset, set)
    rows = result.rows(device=device, pattern=pattern)
    return best_block.smallest_near_best(result["block_bytes"][rows], result["throughput_bytes_per_s"][rows])


MEASURES: dict[str, Callable] = registry.functions("pagecost.claims", ("measures", "_rules"))
"""Every public function of this folder's files of measures and rules, by its name: what a record may ask for."""
