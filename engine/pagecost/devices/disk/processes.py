"""Processes that share a disk under the host's scheduler: FIFO, elevator, or one that waits for the next read.

Noop and anticipatory as Wang et al. 2011 §5 describe Linux's: both merge requests that touch; one serves in order of
arrival, the other is a one-way elevator that waits a little for a reader (Iyer and Druschel, SOSP 2001).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pagecost.devices.disk import processes_kernels as kernels
from pagecost.devices.disk import queue_kernels
from pagecost.devices.disk.geometry import SECTOR_BYTES
from pagecost.devices.disk.model import Disk
from pagecost.errors import known, require

HOSTS = {
    "noop": ("noop (in order of arrival)", kernels.serve_noop),
    "elevator": ("one-way elevator", kernels.serve_elevator),
    "anticipatory": ("anticipatory", kernels.serve_anticipatory),
}
"""Schedulers of the host: name -> title, entry point."""

WAIT_S = 6e-3  # longest wait for a reader; about Linux's default
MERGE_SECTORS = 1024  # largest request that merging makes


@dataclass(frozen=True, eq=False, kw_only=True)
class Process:
    """lbn: int64[n], where its requests begin, used round and round. sectors: of each. write: whether it writes.
    pause_s: from an answer to the next request. outstanding: requests in the queue at once; 1 waits for each answer.
    """

    lbn: np.ndarray
    sectors: int
    write: bool = False
    pause_s: float = 0.0
    outstanding: int = 1


@dataclass(frozen=True, eq=False)
class Shared:
    """Per process, shape (p,): requests_per_s, bytes_per_s, response_s (mean). idle: share of the time that the disk
    stood still. waits, won: how often it waited for a reader, and how often in time. merged: requests that joined
    another.
    """

    requests_per_s: np.ndarray
    bytes_per_s: np.ndarray
    response_s: np.ndarray
    idle: float
    waits: int
    won: int
    merged: int


def share(
    disk: Disk, processes: Sequence[Process], scheduler: str, seconds: float, *, wait_s: float = WAIT_S
) -> Shared:
    """Let processes share a disk for so many seconds; each begins with its pause.

    Raises ModelError for bad processes or an unknown scheduler.
    """
    _, serve = HOSTS[known("scheduler of the host", scheduler, HOSTS)]
    require(len(processes) >= 1, "a disk needs at least one process")
    require(seconds > 0, f"a run must last longer than nothing; got {seconds} s")
    require(wait_s >= 0, f"wait_s must not be negative; got {wait_s}")
    for each in processes:
        require(each.lbn.size >= 1, "a process needs at least one place to go to")
        require(each.sectors >= 1, f"a request needs at least one sector; got {each.sectors}")
        require(each.pause_s >= 0, f"pause_s must not be negative; got {each.pause_s}")
        require(1 <= each.outstanding <= 1024, f"1..1024 requests may be outstanding; got {each.outstanding}")
        disk.require_inside(each.lbn, each.sectors)
    count, most = len(processes), max(each.outstanding for each in processes)
    due = np.full((count, most), np.inf)  # those that a process does not have never come
    for row, each in zip(due, processes, strict=True):
        row[: each.outstanding] = each.pause_s  # before the first as before any: else it would be one too many
    depth = sum(each.outstanding for each in processes)
    pace = np.zeros((3, count))
    pace[kernels.PAUSE] = [each.pause_s for each in processes]
    state = np.zeros((5, count), np.int64)
    state[kernels.PLACES] = [each.lbn.size for each in processes]
    places = state[kernels.PLACES].max()
    crowd = kernels.Crowd(
        place=np.stack([np.resize(each.lbn, places) for each in processes]).astype(np.int64),
        sectors=np.array([each.sectors for each in processes]),
        write=np.array([each.write for each in processes], np.int64),
        due=due,
        state=state,
        pace=pace,
        totals=np.zeros(5),
        owner=np.zeros((2, depth), np.int64),
    )
    queue = queue_kernels.new_queue(depth)
    end_s = serve(disk.mechanics(), queue, crowd, 0.0, float(seconds), MERGE_SECTORS, float(wait_s))
    finished = crowd.state[kernels.FINISHED]
    return Shared(
        requests_per_s=finished / end_s,
        bytes_per_s=crowd.state[kernels.MOVED] * SECTOR_BYTES / end_s,
        response_s=crowd.pace[kernels.RESPONSE] / np.maximum(finished, 1),
        idle=float(crowd.totals[kernels.IDLE_S] / end_s),
        waits=int(crowd.totals[kernels.WAITS]),
        won=int(crowd.totals[kernels.WON]),
        merged=int(crowd.totals[kernels.MERGED]),
    )
