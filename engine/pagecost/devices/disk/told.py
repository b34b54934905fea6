"""A queue of requests served one after the other, told phase by phase: the disk's own kernels, run as plain Python."""

from typing import NamedTuple

import numpy as np

from pagecost.devices.disk.mechanics_kernels import locate_all
from pagecost.devices.disk.model import Disk
from pagecost.devices.disk.queue_kernels import AT_CYLINDER, AT_LBN
from pagecost.devices.disk.running import EXACT, Run, Session
from pagecost.errors import require
from pagecost.interpreted import Interpreter

PHASES = ("overhead_s", "seek_s", "rotation_s", "switch_s", "transfer_s")
"""The terms of a request while it is served, in the order in which they pass."""


class Served(NamedTuple):
    """What came of one request. Times in seconds from the first moment, when all requests lie in the queue.

    number: its place among the requests. start_s: when it was chosen. cylinder: where it lies, came_from: where the arm
    stood; past: the edge that the arm passed on the way, or -1. angle: of its first sector, in turns 0..1. waited:
    numbers of the requests that were in the queue when it was chosen, itself among them.
    """

    number: int
    start_s: float
    overhead_s: float
    seek_s: float
    rotation_s: float
    switch_s: float
    transfer_s: float
    cylinder: int
    came_from: int
    past: int
    angle: float
    waited: tuple[int, ...]

    @property
    def end_s(self) -> float:
        """When its last sector had passed the head."""
        return self.start_s + sum(getattr(self, phase) for phase in PHASES)


def serve_all(
    disk: Disk, scheduler: str, lbn, sectors, write=None, *, at_cylinder: int = 0
) -> tuple[list[Served], Run]:
    """Requests that all wait at time 0, in the order in which the scheduler serves them.

    lbn: first sectors, shape (n,); sectors: of each, or one number; write: flags; at_cylinder: over which the arm
    stands. Raises ModelError as `Session`, and for a cylinder that the disk does not have.
    """
    last = disk.geometry.cylinders - 1
    require(0 <= at_cylinder <= last, f"{disk.name} has cylinders 0..{last}; got {at_cylinder}")
    lbn = np.asarray(lbn)
    session = Session(disk, scheduler, depth=max(1, lbn.size))
    session._queue.arm[AT_CYLINDER] = at_cylinder
    session._queue.arm[AT_LBN] = int(disk.geometry.sector_numbers(at_cylinder, 0, 0))
    interpreter, rule = Interpreter({}), session._rule
    session._rule = rule._replace(serve=interpreter.entry(rule.serve))
    run = session.serve(lbn, sectors, write)
    cylinders, heads, on_track = (np.empty(lbn.size, np.int64) for _ in range(3))
    angles = np.empty(lbn.size)
    interpreter.entry(locate_all)(disk.mechanics(), lbn, cylinders, heads, on_track, angles)
    flags = np.zeros(lbn.size, bool) if write is None else np.asarray(write, bool)
    served: list[Served] = []
    arm, now, left = at_cylinder, 0.0, list(range(lbn.size))
    for number, row in zip(run.number.tolist(), run.table, strict=True):
        to = int(cylinders[number])
        overhead_s, seek_s, rotation_s, switch_s, transfer_s = row[1:].tolist()
        served.append(
            Served(
                number=number,
                start_s=now,
                overhead_s=overhead_s,
                seek_s=seek_s,
                rotation_s=rotation_s,
                switch_s=switch_s,
                transfer_s=transfer_s,
                cylinder=to,
                came_from=arm,
                past=_edge_passed(disk, arm, to, seek_s, bool(flags[number])),
                angle=float(angles[number]),
                waited=tuple(left),
            )
        )
        left.remove(number)
        arm, now = to, served[-1].end_s
    return served, run


def _edge_passed(disk: Disk, arm: int, to: int, seek_s: float, write: bool) -> int:
    """The edge that the arm must have passed for so long a seek, or -1."""
    direct_s = float(disk.seek_s(abs(to - arm), write=write))
    if seek_s <= direct_s * (1 + EXACT):
        return -1
    edges = (0, disk.geometry.cylinders - 1)

    def way_s(edge: int) -> float:
        return float(disk.seek_s(abs(edge - arm)) + disk.seek_s(abs(edge - to), write=write))

    return min(edges, key=lambda edge: abs(way_s(edge) - seek_s))
