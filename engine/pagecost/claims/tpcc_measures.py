"""How claims on TPC-C are measured: the mix, what a larger buffer does, and what one SSD does beside several disks."""

from collections.abc import Mapping

import numpy as np

from pagecost import studies
from pagecost.claims.answers import answer, asks_as, compared, tpcc_at_chosen_buffer
from pagecost.studies.transactions import tpcc_throughput
from pagecost.workload.tpcc import TRANSACTIONS, TpcC

LEE_TIMES = "Lee 2009: 8 KiB on an SSD and a 15 000 rpm disk"


def mix_share(mix: str, transaction: str) -> float:
    """Percent of the transactions of a mix that are of one type."""
    return float(100 * TpcC(mix=mix).shares()[TRANSACTIONS.index(transaction)])


def tpcc_database_bytes(study: str, preset: str, scale: float = 1.0) -> float:
    """Bytes of the tables under a preset of the TPC-C study, times `scale`."""
    inputs = studies.find(study).inputs(preset=preset)
    load = TpcC(warehouses=inputs.warehouses, page_bytes=inputs.page_bytes)
    return float(sum(load.pages_of().values()) * inputs.page_bytes * scale)


def over_buffer(
    study: str, column: str, device: str, preset: str | None = None, ends: bool = False, set: Mapping | None = None
) -> str:
    """How a column goes from each buffer size to the next, or only from the smallest to the largest."""
    result = answer(study, preset, set)
    return _direction(result[column][result.rows(device=device)], ends)


def reduced(
    study: str,
    column: str,
    small_bytes: float,
    large_bytes: float,
    to: float,
    preset: str | None = None,
    set: Mapping | None = None,
) -> str:
    """Whether a larger buffer leaves less than a share `to` of a column: "greatly reduced" or "not"."""
    result = answer(study, preset, set)
    device = str(result["device"][0])
    small, large = (
        result[column][result.rows(device=device, buffer_bytes=size)[0]] for size in (small_bytes, large_bytes)
    )
    return "greatly reduced" if large < to * small else "not"


def gain_over_buffer(
    study: str, ssd: str, disk: str, preset: str | None = None, ends: bool = False, set: Mapping | None = None
) -> str:
    """The same of the SSD's transactions per second over those of the disks."""
    result = answer(study, preset, set)
    return _direction(result["tps"][result.rows(device=ssd)] / result["tps"][result.rows(device=disk)], ends)


def _direction(values: np.ndarray, ends: bool) -> str:
    steps = np.diff(values[[0, -1]] if ends else values)
    return "rises" if (steps > 0).all() else "falls" if (steps < 0).all() else "neither"


def more_written(study: str, device: str, column: str, preset: str | None = None, set: Mapping | None = None) -> str:
    """Whether more pages are written than `column` counts, at the chosen buffer: "more" or "not more"."""
    result = tpcc_at_chosen_buffer(study, preset, set)
    (row,) = result.rows(device=device, chosen=True)
    return "more" if result["writes"][row] > result[column][row] else "not more"


def writes_per_read(study: str, preset: str, set: Mapping | None = None) -> float:
    """Writes of pages and of the log for each page read, at the chosen buffer alone."""
    inputs = studies.find(study).inputs(set, preset)
    counted = tpcc_throughput.counted_at(inputs, inputs.buffer_bytes)
    return float((counted.writes + counted.forced * (inputs.log == "same")) / counted.reads)


def tpcc_gain(
    study: str,
    device: str,
    over: str | None = None,
    mix: str | None = None,
    over_mix: str | None = None,
    preset: str | None = None,
    set: Mapping | None = None,
) -> float:
    """Transactions per second of a device and mix over those of another device or mix, at the chosen buffer."""
    rates = []
    for name, played in ((device, mix), (over or device, over_mix or mix)):
        result = tpcc_at_chosen_buffer(study, preset, {**(set or {}), **({"mix": played} if played else {})})
        (row,) = result.rows(device=name, chosen=True)
        rates.append(result["tps"][row])
    return float(rates[0] / rates[1])


@asks_as(tpcc_gain)
def tpcc_gains(than: float = 1.0, **asked) -> str:
    """Whether `tpcc_gain` is "greater" than so much, "equal" or "less"."""
    return compared(tpcc_gain(**asked), than)
