"""`make bench`: million requests per second of every disk scheduler, one thread.

Random 4 KB reads over the whole of a zoned disk with rotation (WD400BB: 16 zones, 24 000 cylinders), queue of 32. The
kernels are compiled first; figures are medians of ROUNDS alternating runs, in seconds of this thread. "kernel" is the
event loop alone; "session" adds the checks of the input, the result arrays and the laws asserted in every run.
"""

import statistics
import sys
import time

import numpy as np

from pagecost import catalogue
from pagecost.devices.disk import SCHEDULERS, Disk, Session
from pagecost.devices.disk import queue_kernels as kernels
from pagecost.devices.disk.mechanics_kernels import TERMS

DEPTH, ROUNDS = 32, 5
REQUESTS = {"fcfs": 2_000_000}  # the others: OTHERS
OTHERS = 200_000
ASKED = {"fcfs": 25.0, "sstf": 1.0, "sptf": 1.0}  # million requests per second


def main() -> int:
    disk = Disk.of(catalogue.device("wd400bb"))
    lbn = np.random.default_rng(1).integers(0, disk.geometry.sectors // 8, max(REQUESTS.values())) * 8
    for scheduler in SCHEDULERS:
        Session(disk, scheduler, DEPTH).serve(lbn[:1000], 8)
    loops: dict[str, list[float]] = {scheduler: [] for scheduler in SCHEDULERS}
    sessions: dict[str, list[float]] = {scheduler: [] for scheduler in SCHEDULERS}
    rate = {}
    for _ in range(ROUNDS):
        for scheduler in SCHEDULERS:
            part = lbn[: REQUESTS.get(scheduler, OTHERS)]
            loops[scheduler].append(part.size / loop_s(disk, scheduler, part))
            started = time.thread_time()
            rate[scheduler] = Session(disk, scheduler, DEPTH).serve(part, 8).throughput
            sessions[scheduler].append(part.size / (time.thread_time() - started))
    print(f"{'scheduler':12}{'kernel M/s':>12}{'range':>14}{'session M/s':>13}{'asked':>8}{'IOPS':>8}")
    late = False
    for scheduler, rates in loops.items():
        million = sorted(each / 1e6 for each in rates)
        asked = ASKED.get(scheduler, 0.0)
        print(
            f"{scheduler:12}{statistics.median(million):12.2f}{f'{million[0]:.2f}-{million[-1]:.2f}':>14}"
            f"{statistics.median(sessions[scheduler]) / 1e6:13.2f}{asked or '':>8}{rate[scheduler]:8.1f}"
        )
        if statistics.median(million) < asked:
            print(f"  below the {asked:g} million per second asked for")
            late = True
    return int(late)


def loop_s(disk: Disk, scheduler: str, lbn: np.ndarray) -> float:
    """Thread seconds of the scheduler's loop over `lbn`, arrays made and touched before."""
    rule = SCHEDULERS[scheduler]
    number, terms = np.zeros(lbn.size, np.int64), np.zeros((lbn.size, TERMS))
    sectors, write = np.full(lbn.size, 8), np.zeros(lbn.size, np.uint8)
    stream = kernels.Stream(np.empty(0), lbn, sectors, write, True, True)
    settings = np.resize([*(each.default for each in rule.parameters), 0.0], 4).astype(float)
    memory, queue = kernels.Memory(np.zeros(4, np.int64), settings), kernels.new_queue(DEPTH)
    started = time.thread_time()
    rule.serve(disk.mechanics(), queue, stream, number, terms, memory)
    return time.thread_time() - started


if __name__ == "__main__":
    sys.exit(main())
