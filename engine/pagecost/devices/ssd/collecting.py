"""What the collector of a steady SSD puts in the way of writes: how often, how regularly, for how long."""

from typing import NamedTuple

import numpy as np

from pagecost.devices.ssd.model import Ssd
from pagecost.devices.ssd.session import Session

BLOCKS_PER_DIE = 64  # as many writes are looked at as fill them
LEAST_WRITES, MOST_WRITES = 20_000, 400_000


class Step(NamedTuple):
    """Work of a die that is not broken off once it began, but for a suspended erase or program."""

    per_write: float
    seconds: float
    suspended: bool


class Collecting(NamedTuple):
    """Of a die, as its writes find it.

    share: of the writes that have collection in their way, 0..1. times_s: how long it takes, with nobody in the way,
    shape (n,); chances: of each, sum 1. squared_variation: of the time between two such writes, where writes come at
    random: about 1 where they are the collector's whim, close to 0 where every so many writes is its turn. steps: of
    the collector, per write of the host.
    """

    share: float
    times_s: np.ndarray
    chances: np.ndarray
    squared_variation: float
    steps: tuple[Step, ...]

    @property
    def mean_s(self) -> float:
        """Per write of the host."""
        return self.share * float((self.times_s * self.chances).sum())


def collecting(session: Session, ssd: Ssd, seed: int = 1) -> Collecting:
    """Of the flash of a session, while requests of its size are written at random; the session goes on from there.

    Of a request, what a die gets of it is one write. ssd: how it is driven, with the same flash and map.
    """
    units = session.units
    writes = BLOCKS_PER_DIE * ssd.geometry.pages_per_block * ssd.dies // units
    writes = min(max(writes, LEAST_WRITES), MOST_WRITES)
    first = np.random.default_rng([seed, 41]).integers(0, ssd.logical_units // units, writes) * units
    due = session.write_untimed(first)
    lanes = min(units, ssd.dies)
    of_dies = np.stack([due[:, :, lane :: ssd.dies].sum(axis=2) for lane in range(lanes)], axis=2)
    copies, reads, erases = of_dies.reshape(len(due), -1)
    die = ((first[:, None] + np.arange(lanes)) % ssd.dies).ravel()
    scans = np.where(copies > 0, np.minimum(reads, ssd.chip.pages_per_block * np.maximum(erases, 1)), 0)
    times_s = scans * ssd.chip.read_s + copies * (ssd.copy_transfer_s + ssd.program_s) + erases * ssd.chip.erase_s
    collects = times_s > 0
    if not collects.any():
        return Collecting(0.0, np.empty(0), np.empty(0), 1.0, ())
    each_s, counts = np.unique(np.round(times_s[collects], 9), return_counts=True)
    steps = []
    if copies.any():
        copy_s = scans.sum() / copies.sum() * ssd.chip.read_s + ssd.copy_transfer_s + ssd.program_s
        steps.append(Step(copies.mean(), float(copy_s), suspended=False))
    if erases.any():
        erasing = erases > 0
        steps.append(Step(erasing.mean(), float(erases[erasing].mean() * ssd.chip.erase_s), suspended=True))
    return Collecting(
        share=float(collects.mean()),
        times_s=each_s,
        chances=counts / counts.sum(),
        squared_variation=_variation(die, collects, ssd.dies),
        steps=tuple(steps),
    )


def _variation(die: np.ndarray, collects: np.ndarray, dies: int) -> float:
    """Squared variation of the time between two collections of a die: of a number of exponential times."""
    apart = np.concatenate([np.diff(np.flatnonzero(collects[die == each])) for each in range(dies)])
    if apart.size < 2:
        return 1.0
    return float(1 / apart.mean() + apart.var() / apart.mean() ** 2)
