"""How long flash lasts under writes. Bytes are decimal on data sheets: 1 GB = 1e9 B."""

import numpy as np

from pagecost.errors import require
from pagecost.units import DAY_S, YEAR_S

__all__ = ["DAY_S", "YEAR_S", "drive_writes_per_day", "evenness", "implied_write_amplification", "rate"]
__all__ += ["total_bytes_written", "years"]


def total_bytes_written(
    capacity_bytes: float,
    program_erase_cycles: float,
    wear_amplification: float = 1.0,
    over_provisioning: float = 0.0,
    evenness: float = 1.0,
) -> float:
    """Host bytes [B] until the cycles are used up: capacity · cycles · (1 + over-provisioning) / WA · evenness.

    capacity_bytes [B]: what the host sees. wear_amplification: pages erased per host page in the long run, which is
    write amplification where blocks are full when they are erased. over_provisioning: physical / logical - 1. evenness
    of wear: mean over largest erase count, 0 < evenness <= 1. Raises ModelError for values that are not possible.
    """
    for name, value in (("capacity", capacity_bytes), ("P/E cycles", program_erase_cycles)):
        require(value > 0, f"{name} must be above 0; got {value}")
    require(wear_amplification > 0, f"wear amplification must be above 0; got {wear_amplification}")
    require(over_provisioning >= 0, f"over-provisioning must not be negative; got {over_provisioning}")
    require(0 < evenness <= 1, f"evenness of wear must be above 0 and at most 1; got {evenness}")
    return capacity_bytes * program_erase_cycles * (1 + over_provisioning) / wear_amplification * evenness


def years(total_bytes: float, bytes_per_s: float) -> float:
    """Years [365 days] that `total_bytes` [B] last at a host write rate [B/s]: total / (rate · 31 536 000).

    Raises ModelError for bytes below 0 and a rate that is not above 0.
    """
    _require_bytes(total_bytes)
    require(bytes_per_s > 0, f"the write rate must be above 0; got {bytes_per_s}")
    return total_bytes / (bytes_per_s * YEAR_S)


def rate(total_bytes: float, years: float) -> float:
    """The host write rate [B/s] that uses `total_bytes` [B] up in so many years. Raises ModelError as `years`."""
    _require_bytes(total_bytes)
    require(years > 0, f"the years must be above 0; got {years}")
    return total_bytes / (years * YEAR_S)


def drive_writes_per_day(total_bytes: float, capacity_bytes: float, years: float) -> float:
    """Full capacities a day over `years`: DWPD = total / (capacity · 365 · years).

    Raises ModelError for bytes below 0, and for a capacity or years that are not above 0.
    """
    _require_bytes(total_bytes)
    require(capacity_bytes > 0 and years > 0, "capacity and years must be above 0")
    return total_bytes / (capacity_bytes * 365 * years)


def _require_bytes(total_bytes: float) -> None:
    require(total_bytes >= 0, f"bytes must not be negative; got {total_bytes}")


def implied_write_amplification(raw_bytes: float, rated_bytes: float) -> float:
    """What a rated endurance says about write amplification and all other losses: capacity · cycles / rated."""
    require(raw_bytes > 0 and rated_bytes > 0, "both byte counts must be above 0")
    return raw_bytes / rated_bytes


def evenness(mean_erases, ahead, cycles: float) -> float:
    """Mean over largest erase count when the most worn block has stood its cycles, 0 < evenness <= 1.

    mean_erases [1]: mean erase counts at some moments of a run, rising, shape (n,), n >= 2; ahead [1]: by how much the
    most worn block was ahead of the mean then. What it is ahead is taken to grow as a power of the mean: 0 where
    levelling bounds it, 1/2 where chance wears blocks, 1 where the same blocks always wear most. Raises ModelError for
    less than one cycle.
    """
    require(cycles >= 1, f"P/E cycles must be at least 1; got {cycles}")
    mean, ahead = np.asarray(mean_erases, float), np.maximum(np.asarray(ahead, float), 0.5)  # less cannot be told
    power, factor = np.polyfit(np.log(mean), np.log(ahead), 1)
    if not 0 <= power <= 1:
        power = min(max(power, 0.0), 1.0)
        factor = float(np.mean(np.log(ahead) - power * np.log(mean)))
    low, high = 0.0, float(cycles)
    for _ in range(80):  # mean + e^factor mean^power rises with the mean: halve
        middle = (low + high) / 2
        if middle + np.exp(factor) * middle**power > cycles:
            high = middle
        else:
            low = middle
    return max(low, 1e-9) / cycles
