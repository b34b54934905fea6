"""Which pages a host writes: streams that are drawn as they are needed, reproducible by their seed."""

from dataclasses import dataclass

import numpy as np

from pagecost.devices.ftl import stream_kernels
from pagecost.devices.ftl.stream_kernels import GOLDEN, HOT_COLD, SEQUENTIAL, UNIFORM, WEIGHTED
from pagecost.errors import known, require

KINDS = {
    "uniform": "uniform random",
    "sequential": "sequential, over and over",
    "hot-cold": "hot and cold",
    "zipf": "Zipf",
}
"""The patterns by their names."""

CHUNK = 1 << 15  # requests drawn and served at a time: half a millisecond to some ten milliseconds


@dataclass(frozen=True, kw_only=True, slots=True)
class Workload:
    """A pattern of page overwrites.

    kind: a key of `KINDS`. hot_share of the pages get hot_writes of the writes (hot-cold; the hot pages come first).
    alpha: Zipf exponent >= 0, popular pages scattered. trimmed: share of the pages, at the end, that the host trims
    after the fill and never writes again, 0 <= trimmed < 1.
    Raises ModelError for an unknown kind or a share that is none.
    """

    kind: str = "uniform"
    hot_share: float = 0.2
    hot_writes: float = 0.8
    alpha: float = 1.0
    trimmed: float = 0.0

    def __post_init__(self):
        known("workload", self.kind, KINDS)
        for name in ("hot_share", "hot_writes"):
            require(0 < getattr(self, name) < 1, f"{name} must lie between 0 and 1; got {getattr(self, name)}")
        require(self.alpha >= 0, f"the Zipf exponent must not be negative; got {self.alpha}")
        require(0 <= self.trimmed < 1, f"trimmed must be a share from 0 to below 1; got {self.trimmed}")

    def live_pages(self, logical_pages: int) -> int:
        """The pages that are written and not trimmed: the first ones."""
        return max(1, logical_pages - round(logical_pages * self.trimmed))

    def stream(self, logical_pages: int, seed: int = 1) -> "Stream":
        """The writes to a device of `logical_pages` pages. Equal seeds give equal streams."""
        return Stream(self, self.live_pages(logical_pages), seed)


def classes(load: Workload, logical_pages: int):
    """(shares of the pages, shares of the writes) of the classes of equally popular pages."""
    if load.kind == "hot-cold":
        return (load.hot_share, 1 - load.hot_share), (load.hot_writes, 1 - load.hot_writes)
    if load.kind == "zipf":
        pages = load.live_pages(logical_pages)
        popularity = np.arange(1, pages + 1, dtype=float) ** -load.alpha
        return np.full(pages, 1 / pages), popularity / popularity.sum()
    return (1.0,), (1.0,)


class Stream:
    """An endless stream of page numbers 0 .. pages - 1."""

    def __init__(self, workload: Workload, pages: int, seed: int):
        random = np.random.default_rng([seed, 11])
        kind = {"uniform": UNIFORM, "sequential": SEQUENTIAL, "hot-cold": HOT_COLD, "zipf": WEIGHTED}[workload.kind]
        hot = min(max(round(pages * workload.hot_share), 1), pages - 1) if kind == HOT_COLD else 0
        require(kind != HOT_COLD or pages > 1, "hot and cold pages need at least two pages")
        weighted = pages if kind == WEIGHTED else 0
        start = np.zeros(1, np.uint64) if kind == SEQUENTIAL else random.integers(0, 2**64, 1, np.uint64)
        self._state = stream_kernels.Stream(
            kind=np.array([kind]),
            pages=np.array([pages, hot], np.uint64),
            odds=np.array([workload.hot_writes * 2**32], np.uint64),
            at=start,
            keep=np.zeros(weighted, np.uint64),
            alias=np.zeros(weighted, np.uint32),
        )
        if weighted:
            share = np.arange(1, pages + 1, dtype=float) ** -workload.alpha
            share = random.permutation(share / share.sum())
            stream_kernels.alias_table(share, self._state.keep, self._state.alias)

    def draw(self, out: np.ndarray) -> None:
        """Fill `out`, uint32, at most `CHUNK` places, with the next page numbers."""
        stream_kernels.draw(self._state, _STEPS, out)


_STEPS = np.arange(CHUNK, dtype=np.uint64) * GOLDEN
