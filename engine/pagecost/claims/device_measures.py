"""Measures of claims on devices: orders, crossings and courses of curves, Algorithm 1, ratings and endurance."""

from collections.abc import Mapping

import numpy as np

from pagecost import catalogue, devices
from pagecost.claims.answers import answer
from pagecost.devices import algorithm_1 as listing
from pagecost.devices import best_block, ftl
from pagecost.devices import load as load_device
from pagecost.errors import require
from pagecost.studies.study import MAIN

THROUGHPUT = "throughput_bytes_per_s"


def ratio_between(device: str, name: str, over: str, scale: float = 1.0) -> float:
    """A number of one device over the same number of another, times `scale`."""
    return scale * catalogue.device(device).value(name) / catalogue.device(over).value(name)


def service_ratio(device: str, pattern: str, over: str, block_bytes: float) -> float:
    """The time of a request with one pattern over the time with another."""
    model = devices.load(device)
    return float(model.service(pattern, block_bytes).total_s / model.service(over, block_bytes).total_s)


def linearity(device: str, pattern: str, block_bytes: list[float]) -> float:
    """R² of a straight line through throughput over block size."""
    sizes = np.array(block_bytes, float)
    throughput = sizes / devices.load(device).service(pattern, sizes).total_s
    return float(np.corrcoef(sizes, throughput)[0, 1] ** 2)


def rows(study: str, preset: str | None = None, set: Mapping | None = None) -> float:
    """How many rows the answer of a study has."""
    return float(len(answer(study, preset, set)))


def column_ratio(study: str, column: str, over: str, where: Mapping, preset: str | None = None) -> float:
    """One column over another in one row of a study's result."""
    result = answer(study, preset)
    row = _only(result, where)
    return float(result[column][row] / result[over][row])


def more(study: str, column: str, where: Mapping, than: Mapping, table: str = MAIN, times: float = 1.0) -> str:
    """For a statement of an order only: "more" or "not more" than `times` another cell of a column of a table."""
    found = answer(study).tables[table]
    return "more" if found[column][_only(found, where)] > times * found[column][_only(found, than)] else "not more"


def crossing(study: str, preset: str, pattern: str, first: str, second: str, set: Mapping | None = None) -> str:
    """Between which block sizes [bytes] the first device ceases to be the faster: "16384..65536", else "none"."""
    result = answer(study, preset, set)
    mine, other = (result.rows(device=name, pattern=pattern) for name in (first, second))
    ahead = result[THROUGHPUT][mine] > result[THROUGHPUT][other]
    turns = np.flatnonzero(ahead[:-1] & ~ahead[1:])
    if turns.size != 1:
        return "none"
    sizes = result["block_bytes"][mine]
    return f"{sizes[turns[0]]}..{sizes[turns[0] + 1]}"


def ranking(study: str, preset: str, pattern: str, block_bytes: int, devices: list[str]) -> str:
    """The named devices by falling throughput: "a > b > c"."""
    result = answer(study, preset)
    places = {name: _only(result, {"device": name, "pattern": pattern, "block_bytes": block_bytes}) for name in devices}
    return " > ".join(sorted(devices, key=lambda name: -result[THROUGHPUT][places[name]]))


def growth(study: str, preset: str, device: str, pattern: str, block_bytes: int, over_bytes: int) -> float:
    """Throughput with one block size over throughput with another."""
    result = answer(study, preset)
    one, other = (
        result[THROUGHPUT][_only(result, {"device": device, "pattern": pattern, "block_bytes": size})]
        for size in (block_bytes, over_bytes)
    )
    return float(one / other)


def course(study: str, preset: str, device: str, pattern: str, column: str) -> str:
    """Whether a column "falls", "rises" or does "neither" with the block size."""
    result = answer(study, preset)
    steps = np.diff(result[column][result.rows(device=device, pattern=pattern)])
    return "falls" if (steps < 0).all() else "rises" if (steps > 0).all() else "neither"


def spread(study: str, preset: str, device: str, block_bytes: int) -> float:
    """Throughput of the fastest pattern over that of the slowest."""
    result = answer(study, preset)
    found = result[THROUGHPUT][result.rows(device=device, block_bytes=block_bytes)]
    return float(found.max() / found.min())


def plans(devices: list[str], share: float, page_bytes: int) -> str:
    """On each device the quicker way to a share of a table's pages: one by one ("index"), or all in order ("scan")."""
    return ", ".join(
        "index"
        if share * _page_s(name, "random read", page_bytes) < _page_s(name, "sequential read", page_bytes)
        else "scan"
        for name in devices
    )


def algorithm_1_lines(device_class: str, pattern: str) -> str:
    """The lines of Algorithm 1 that run, in order: "1 2 4 5"."""
    return " ".join(str(step.line) for step in listing.steps(device_class, pattern))


def query_block(device_class: str, query: str) -> float:
    """The block size [bytes] that Algorithm 1 sets for a kind of query."""
    return best_block.algorithm_1(device_class, best_block.pattern_of(query))


def endurance_years(device: str, bytes_per_s: float, binary: bool = False) -> float:
    """Years that a rated amount of random writes lasts; binary: its petabytes are 1024^5 bytes."""
    total = catalogue.device(device).value("random_rated_write_bytes")
    return ftl.lifetime.years(total * (1024**5 / 1e15 if binary else 1.0), bytes_per_s)


def implied_amplification(device: str, program_erase_cycles: float) -> float:
    """Write amplification, and all other losses, that a rated amount of random writes stands for."""
    known = catalogue.device(device)
    raw = known.value("capacity_bytes") * program_erase_cycles
    return ftl.lifetime.implied_write_amplification(raw, known.value("random_rated_write_bytes"))


def _page_s(device: str, pattern: str, page_bytes: int) -> float:
    return float(load_device(device).service(pattern, float(page_bytes)).total_s)


def _only(result, where: Mapping) -> int:
    found = result.rows(**where)
    require(found.size == 1, f"{found.size} rows have {dict(where)}; a claim needs exactly one")
    return int(found[0])
