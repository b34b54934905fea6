"""How a claim is measured: each function takes the arguments of a claim's `measure` and returns a number or a text."""

import functools
import json
from collections.abc import Callable, Mapping

import numpy as np

from pagecost import catalogue, devices, studies
from pagecost.devices import best_block, disk, ftl
from pagecost.devices.service import is_random
from pagecost.errors import require
from pagecost.studies import block_size


def parameter(device: str, name: str) -> float:
    """A number of the catalogue, in SI."""
    return catalogue.device(device).value(name)


def ratio(device: str, name: str, over: str) -> float:
    """One number of a device over another."""
    return parameter(device, name) / parameter(device, over)


def service(
    device: str, pattern: str, block_bytes: float, terms: list[str] | None = None, inverse: bool = False
) -> float:
    """The time [s] of one request, or only of the named terms of it; inverse: requests per second."""
    answer = devices.load(device).service(pattern, float(block_bytes))
    time_s = answer.total_s if terms is None else sum(answer.terms[term] for term in terms)
    return float(1 / time_s if inverse else time_s)


def throughput(device: str, pattern: str, block_bytes: float) -> float:
    """Bytes per second of a stream of requests."""
    return block_bytes / service(device, pattern, block_bytes)


def value(
    study: str, column: str, where: Mapping, preset: str | None = None, set: Mapping | None = None, scale=1.0
) -> float:
    """One cell of a study's result, times `scale` (100 for percent)."""
    result = _answer(study, preset, set)
    rows = result.rows(**where)
    require(rows.size == 1, f"{study}: {rows.size} rows have {where}; a claim needs exactly one")
    return float(result[column][rows[0]] * scale)


def exceeds(study: str, column: str, where: Mapping, than: float, set: Mapping | None = None) -> str:
    """For a statement of an order only: "greater" or "not greater" than a value, for one cell of a study's result."""
    return "greater" if value(study, column, where, set=set) > than else "not greater"


def order(study: str, column: str, label: str, set: Mapping | None = None) -> str:
    """The labels of a study's rows by rising value of a column: "page < fast < bast < block"."""
    result = _answer(study, None, set)
    return " < ".join(result[label][np.argsort(result[column], kind="stable")].tolist())


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


def winner(study: str, preset: str, pattern: str, block_bytes: int, set: Mapping | None = None) -> str:
    """The device with the highest throughput."""
    return block_size.winner(_answer(study, preset, set), pattern, block_bytes)


def algorithm_1(device_class: str, pattern: str) -> float:
    """The block size [bytes] that Algorithm 1 of Fernando 2011 sets, as typed in."""
    return best_block.algorithm_1(device_class, pattern)


def near_best(study: str, preset: str, device: str, pattern: str, set: Mapping | None = None) -> float:
    """The smallest block size [bytes] within 95 % of the best throughput, from the study's curve."""
    result = _answer(study, preset, set)
    rows = result.rows(device=device, pattern=pattern)
    return best_block.smallest_near_best(result["block_bytes"][rows], result["throughput_bytes_per_s"][rows])


MEASURES: dict[str, Callable] = {
    function.__name__: function
    for function in (
        *(parameter, ratio, service, throughput, positionings, lifetime_s),
        *(value, exceeds, order, winner, near_best, algorithm_1),
    )
}
"""Every measure by its name in the records."""


def _answer(study: str, preset: str | None, values: Mapping | None):
    return _answered(catalogue.current(), study, preset, json.dumps(dict(values or {}), sort_keys=True))


@functools.lru_cache(maxsize=32)
def _answered(_catalogue, study: str, preset: str | None, values: str):
    """A study's result, kept for the next claim of the same table; a corrupted catalogue is another key."""
    chosen = studies.find(study)
    return chosen.compute(chosen.inputs(json.loads(values), preset))
