"""Measures of claims of 2019 to 2026: write amplification by fill and load, of a set cache kept apart, intervals."""

import math
from collections.abc import Sequence

import numpy as np

from pagecost.answers import remembered
from pagecost.devices import ftl
from pagecost.devices.ftl import theory
from pagecost.errors import require
from pagecost.studies.economics import five_minute_rule

RESERVE_BLOCKS = 2  # that the collector keeps free; the fill is told without them
ZIPF_CLASSES = 24  # groups of pages of nearly equal popularity, for theory


@remembered
def simulated_amplification(
    fill: float,
    kind: str = "uniform",
    hot_writes: float = 0.5,
    alpha: float = 0.0,
    policy: str = "greedy",
    separate: bool = False,
    blocks: int = 1024,
    pages_per_block: int = 256,
    rounds: int = 24,
    seed: int = 1,
) -> float:
    """Write amplification of a page map whose logical pages are `fill` of the physical ones, when it is steady.

    kind: uniform, hot-cold (`hot_writes` of the writes go to 1 - `hot_writes` of the pages) or zipf with exponent
    `alpha`. separate: copies have a frontier of their own. Raises ModelError as `ftl.simulate`.
    """
    geometry = ftl.Geometry.over_provisioned(
        1 / fill - 1, blocks=blocks, pages_per_block=pages_per_block, reserve_blocks=RESERVE_BLOCKS
    )
    load = ftl.Workload(kind=kind, hot_share=1 - hot_writes, hot_writes=hot_writes, alpha=alpha)
    # a second frontier counts against the blocks that are kept free
    reserve = RESERVE_BLOCKS - separate
    run = ftl.simulate(
        geometry, load, policy=policy, separate=separate, reserve_blocks=reserve, rounds=rounds, seed=seed
    )
    return run.write_amplification


@remembered
def separated_optimum(
    fill: float, hot_writes: float = 0.5, alpha: float | None = None, pages: int = 3_670_016, mixed: bool = False
) -> float:
    """Least write amplification of a pool for each kind of page, by theory; mixed: of one pool for all, oldest first.

    Two zones, of which 1 - `hot_writes` of the pages gets `hot_writes` of the writes, or Zipf with exponent `alpha`
    over so many pages, in classes.
    """
    zones = np.array([1 - hot_writes, hot_writes]), np.array([hot_writes, 1 - hot_writes])
    page_shares, write_shares = zones if alpha is None else _zipf_classes(alpha, pages)
    return (theory.fifo_mixed if mixed else theory.separated)(fill, page_shares, write_shares)


def rule_of_thumb(fill: float) -> float:
    """Write amplification by 1 / (2 a), a = 1 - fill being the spare share."""
    return 1 / (2 * (1 - fill))


def implied_over_provisioning(share: float, amplification: float) -> float:
    """Spare space over the host's space that gives this write amplification of uniform writes to a share of it.

    `theory.fifo` solved for its load: with u = 1 - 1/A, alpha = -ln u / (1 - u). Needs amplification > 1.
    """
    require(amplification > 1, f"only an amplification above 1 tells of spare space; got {amplification}")
    copied = 1 - 1 / amplification
    return share * (-math.log(copied) / (1 - copied) - 1)


def set_cache_amplification(share: float, over_provisioning: float, pooled: bool = False, seed: int = 1) -> float:
    """Simulated write amplification of page-sized buckets that are overwritten at random, kept apart from all else.

    share: of the host's space that the buckets take. They have all of the spare space; pooled: only their share of it.
    """
    return simulated_amplification(share / (share + over_provisioning * (share if pooled else 1)), seed=seed)


def set_cache_from_plateau(
    share: float, plateau: float, plateau_share: float = 1.0, pooled: bool = False, seed: int = 1
) -> float:
    """The same with the spare space that another measurement of the device implies, and no other number.

    plateau: write amplification of uniform writes to `plateau_share` of the host's space.
    """
    return set_cache_amplification(share, implied_over_provisioning(plateau_share, plateau), pooled, seed)


def partly_filled_amplification(
    used: float, plateau_used: float, plateau: float, overhead: float = 1.0, seed: int = 1
) -> float:
    """Simulated amplification of uniform writes to the first `used` bytes of a device, the rest having been trimmed.

    The device's flash is the one that `plateau` at `plateau_used` bytes implies. overhead: amplification of sequential
    writes, by which both are higher.
    """
    flash = plateau_used + implied_over_provisioning(plateau_used, plateau / overhead)
    return overhead * set_cache_amplification(used, flash - used, seed=seed)


def set_cache_between(
    share: float, stated: float, over_provisioning: Sequence[float], pooled: bool = False, seed: int = 1
) -> str:
    """Whether a stated amplification lies "between" those with the least and the most spare space, or "outside"."""
    most, least = (set_cache_amplification(share, spare, pooled, seed) for spare in over_provisioning)
    return "between" if least <= stated <= most else "outside"


def embodied_difference(amplifications: Sequence[float], device_gb: float, kg_per_gb: float) -> float:
    """Kilograms of carbon dioxide between two write amplifications, if devices are replaced as often as they wear."""
    one, other = amplifications
    return (one - other) * device_gb * kg_per_gb


def figures_ratio(figures: Sequence[float]) -> float:
    """The first of two figures of a paper over the second."""
    one, other = figures
    return one / other


def five_minute_interval(pair: str, page_bytes: float, per: float = 1.0) -> float:
    """The break-even interval of a pair of the study of the five-minute rule, in `per` seconds."""
    return five_minute_rule.interval_of(pair, page_bytes) / per


def _zipf_classes(alpha: float, pages: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares of pages and of writes of classes of ranks, the limits between them in equal ratios."""
    limits = np.unique(np.rint(np.geomspace(1, pages + 1, ZIPF_CLASSES + 1)).astype(int))
    weight = np.add.reduceat(np.arange(1, pages + 1, dtype=float) ** -alpha, limits[:-1] - 1)
    return np.diff(limits) / pages, weight / weight.sum()
