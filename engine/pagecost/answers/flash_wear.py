"""How flash wears under a workload: figures of a device that is large enough, with what its scale leaves open."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pagecost.devices import ftl
from pagecost.devices.ftl import lifetime
from pagecost.remembering import remembered

BLOCKS = 256  # of the smallest device that is simulated
MOST_PAGES = {"dftl": 1 << 16}  # of the largest, by layer: some take their time
MOST_PAGES_OF_OTHERS = 1 << 19
AGREED = 0.01  # change of write amplification from a device of half the blocks at which it has converged
SEEDS = 3
WARM_PASSES, PASSES = 6, 6  # each as many writes as the host has pages
WEAR_PAGES, LEAST_WEAR_BLOCKS, MOST_WEAR_BLOCKS = 1 << 18, 256, 1024  # of the larger device whose blocks are watched
WATCHED_PROGRAMS = {"dftl": 1 << 21}  # while they are, by layer
WATCHED_PROGRAMS_OF_OTHERS = 1 << 23
LEAST_ERASES, MOST_ERASES, DOUBLINGS = 32, 256, 4  # mean erases of a block at the end of that, followed so many times
CACHED_SHARE = 0.1  # of the map entries of DFTL that lie in RAM
LEVELLED = ("page", "dftl")  # the layers that know static wear levelling


@dataclass(frozen=True, kw_only=True)
class Span:
    """A figure of the finest simulation, the mean over its seeds, and what scales and seeds span: low <= high."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, coarse: list[float], fine: list[float]) -> "Span":
        """From the seeds' figures on a device and on a finer one."""
        return cls(value=float(np.mean(fine)), low=min(*coarse, *fine), high=max(*coarse, *fine))


@dataclass(frozen=True, kw_only=True, eq=False)
class Growth:
    """How far the most worn block is ahead of the mean as a device ages.

    mean_erases, ahead: float64[checkpoints]. erases: of each block, int64[blocks], at the last one. spread: largest -
    smallest erase count; moves: blocks that were collected for levelling.
    """

    mean_erases: np.ndarray
    ahead: np.ndarray
    erases: np.ndarray
    spread: int
    moves: int

    def evenness(self, cycles: float) -> float:
        """Mean over largest erase count when the most worn block has stood its `cycles`."""
        return lifetime.evenness(self.mean_erases, self.ahead, cycles)


@dataclass(frozen=True, kw_only=True, eq=False)
class Wear:
    """Write amplification by scale: blocks and the mean over the seeds, falling to `write_amplification`.

    wear_amplification: pages erased per host page in the long run, more where blocks are erased before they are full.
    coarse, fine: the growth of wear by seed, on a device and on one of four times its blocks.
    """

    write_amplification: Span
    wear_amplification: Span
    blocks: tuple[int, ...]
    by_blocks: tuple[float, ...]
    coarse: tuple[Growth, ...]
    fine: tuple[Growth, ...]

    @property
    def converged(self) -> bool:
        """Whether a device of twice the blocks would hardly differ."""
        return len(self.by_blocks) > 1 and _agree(*self.by_blocks[-2:])

    @property
    def finest(self) -> Growth:
        """Of the larger device, the first seed."""
        return self.fine[0]

    def evenness(self, cycles: float) -> Span:
        """Mean over largest erase count at the end of life, on the larger device."""
        coarse, fine = ([one.evenness(cycles) for one in growth] for growth in (self.coarse, self.fine))
        return Span.of(coarse, fine)


@remembered
def wear(
    workload: ftl.Workload, layer: str, wear_gap: int, spare: float, pages_per_block: int, page_bytes: int, seed: int
) -> Wear:
    """What a workload does to flash of `spare` space, on devices large enough that their size no longer shows.

    A collector keeps some blocks free: on a small device they are a good part of the spare space, and write
    amplification is too high by about that share. So the blocks are doubled until it changes by less than 1 %.
    """

    def device(blocks: int, number: int) -> ftl.Simulation:
        geometry = ftl.Geometry(blocks=blocks, pages_per_block=pages_per_block, page_bytes=page_bytes, spare=spare)
        options: dict[str, Any] = (
            {"separate": True} if layer == "page" else {}
        )  # cold pages gather, as in a device of some age
        if layer == "dftl":
            options = {"cached_entries": max(1, round(CACHED_SHARE * geometry.logical_pages))}
        return ftl.Simulation(geometry, workload, layer=layer, seed=1009 * seed + number, wear_gap=wear_gap, **options)

    most_pages = MOST_PAGES.get(layer, MOST_PAGES_OF_OTHERS)
    sizes: list[int] = []
    counts: list[list[ftl.Counts]] = []
    by_blocks: list[float] = []
    blocks = BLOCKS
    while len(sizes) < 2 or (not _agree(*by_blocks[-2:]) and blocks * pages_per_block <= most_pages):
        sizes.append(blocks)
        counts.append([_steady_counts(device(blocks, number)) for number in range(SEEDS)])
        by_blocks.append(float(np.mean([one.write_amplification for one in counts[-1]])))
        blocks *= 2
    watched = min(max(WEAR_PAGES // pages_per_block, LEAST_WEAR_BLOCKS), MOST_WEAR_BLOCKS)
    programs = WATCHED_PROGRAMS.get(layer, WATCHED_PROGRAMS_OF_OTHERS)
    erases = min(max(programs // (watched * pages_per_block), LEAST_ERASES), MOST_ERASES)
    return Wear(
        write_amplification=Span.of(*([one.write_amplification for one in seeds] for seeds in counts[-2:])),
        wear_amplification=Span.of(*([one.wear_amplification for one in seeds] for seeds in counts[-2:])),
        blocks=tuple(sizes),
        by_blocks=tuple(by_blocks),
        coarse=tuple(_growth(device(watched // 4, number), erases) for number in range(SEEDS)),
        fine=tuple(_growth(device(watched, number), erases) for number in range(SEEDS)),
    )


def _agree(before: float, after: float) -> bool:
    return abs(after - before) <= AGREED * before


def _steady_counts(simulation: ftl.Simulation) -> ftl.Counts:
    pages = simulation.geometry.logical_pages
    simulation.write(WARM_PASSES * pages)
    return simulation.write(PASSES * pages).counts


def _growth(simulation: ftl.Simulation, most_erases: int) -> Growth:
    """Write until every block was erased `most_erases` times on average, and look at each of the last doublings."""
    pages, blocks = simulation.geometry.logical_pages, simulation.geometry.blocks
    simulation.write(WARM_PASSES * pages)
    before, host_pages = simulation.device.erase_counts.astype(np.int64), WARM_PASSES * pages
    wanted = most_erases >> DOUBLINGS
    mean_erases, ahead = [], []
    erases = before
    while wanted <= most_erases:
        per_write = max(int(simulation.device.erase_counts.sum()), 1) / host_pages
        missing = wanted * blocks - int(erases.sum() - before.sum())
        writes = min(max(int(missing / per_write), pages // 8), 64 * pages)
        simulation.write(writes)
        simulation.rounds.clear()  # each keeps the erase counts of all blocks
        host_pages += writes
        erases = simulation.device.erase_counts.astype(np.int64)
        worn = erases - before
        if worn.mean() >= wanted:
            mean_erases.append(float(worn.mean()))
            ahead.append(float(worn.max() - worn.mean()))
            wanted *= 2
    return Growth(
        mean_erases=np.array(mean_erases),
        ahead=np.array(ahead),
        erases=erases - before,
        spread=int(np.ptp(erases)),
        moves=simulation.device.counts().wear_moves,
    )
