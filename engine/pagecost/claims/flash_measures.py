"""How claims on what an SSD does with many requests at once, with large ones, and under TPC-C are measured."""

import functools
from collections.abc import Mapping

import numpy as np

from pagecost import catalogue, studies
from pagecost.claims.answers import answer, tpcc_at_chosen_buffer
from pagecost.claims.device_measures import endurance_years
from pagecost.claims.measures import sequential_rate
from pagecost.workload.tpcc import TpcC

CLIFF_SHARE, CLIFF_GAP = 0.01, 2.0  # of the requests; between one cliff and the next


def gain_of_depth(study: str, device: str, load: str, depth: int, than: float, set: Mapping | None = None) -> str:
    """Whether so many outstanding requests bring more than `than` times the rate of one: "improves" or "does not"."""
    asked = {"devices": [device], **(set or {})}
    rates = []
    for outstanding in (1, depth):
        result = answer(study, values={**asked, "depth": outstanding})
        (row,) = result.rows(device=device, load=load)
        rates.append(result["iops"][row])
    return "improves" if rates[1] > than * rates[0] else "does not"


def rate_over_requests(device: str, small_bytes: int, large_bytes: int, write: bool) -> str:
    """Whether sequential requests of a large size are slower by a twentieth: "falls" or "does not"."""
    rates = [sequential_rate(device, size, write) for size in (small_bytes, large_bytes)]
    return "falls" if rates[1] < 0.95 * rates[0] else "does not"


def cliffs(study: str, device: str, load: str, set: Mapping | None = None) -> float:
    """How many times the distribution of response times rises steeply.

    A cliff holds a hundredth of the requests at least; two are apart where a factor of two in time holds fewer.
    """
    found = answer(study, values={"devices": [device], **(set or {})}).tables["distribution"]
    rows = found.rows(device=device, load=load)
    time_s, share = found["response_s"][rows], np.diff(found["share"][rows], prepend=0.0)
    width = round(np.log(CLIFF_GAP) / np.log(time_s[1] / time_s[0]))
    count, empty = 0, width
    gathered, inside = 0.0, False
    for held in share:
        if held < CLIFF_SHARE / width:
            empty += 1
            if inside and empty >= width:
                count += gathered >= CLIFF_SHARE
                gathered, inside = 0.0, False
            continue
        gathered, inside, empty = gathered + held, True, 0
    return float(count + (inside and gathered >= CLIFF_SHARE))


def several_cliffs(study: str, device: str, load: str) -> str:
    """Whether a distribution of response times has "several" cliffs or "one" (or none)."""
    return "several" if cliffs(study, device, load) > 1 else "one"


def years_under_tpcc(study: str, device: str, preset: str, set: Mapping | None = None) -> float:
    """Years that the rated random writes of a device last under TPC-C at the most it carries, on ext2fs."""
    result = tpcc_at_chosen_buffer(study, preset, set)
    (row,) = result.rows(device=device, chosen=True)
    page_bytes = studies.find(study).inputs(set or {}, preset).page_bytes
    return endurance_years(device, float(result["tps"][row] * result["writes"][row] * page_bytes))


def bought_for(study: str, device: str, tpm_per_warehouse: float, preset: str, set: Mapping | None = None) -> str:
    """What decides how many devices TPC-C needs, at so many New-Orders a minute per warehouse: "rate" or "volume"."""
    inputs = studies.find(study).inputs(set, preset)
    load = TpcC(warehouses=inputs.warehouses, page_bytes=inputs.page_bytes, mix=inputs.mix)
    result = tpcc_at_chosen_buffer(study, preset, {"devices": [device], **(set or {})})
    (row,) = result.rows(device=device, chosen=True)
    asked_hz = inputs.warehouses * tpm_per_warehouse / 60 / load.shares()[0]
    volume = sum(load.pages_of().values()) * inputs.page_bytes / catalogue.device(device).value("capacity_bytes")
    return "rate" if asked_hz * result["device_s"][row] > volume else "volume"


def printed(numbers: list[float], how: str = "sum") -> float:
    """The sum of printed numbers, or the first over the second ("ratio")."""
    return float(sum(numbers) if how == "sum" else functools.reduce(lambda above, below: above / below, numbers))
