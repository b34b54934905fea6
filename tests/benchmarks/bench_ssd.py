"""Speed of the SSD in time, in steady state: `python tests/benchmarks/bench_ssd.py`.

Prints host requests per second of thread time, medians over alternating rounds, and fails below the budget (random
writes, greedy, 15 % spare of physical space: at least 4 million a second). 8 channels of 4 dies of 128 blocks of 64
pages, 64 requests outstanding; the translation layers, their checks, the laws and exact response times of every
request are part of the time.
"""

import statistics
import sys
import time

import numpy as np

from pagecost import catalogue
from pagecost.devices.nand import Chip
from pagecost.devices.ssd import ORDERS, Session, Ssd

REQUESTS, ROUNDS, DEPTH = 1 << 18, 7, 64
BUDGET = {("fifo", "writes"): 4e6}  # host writes per second
LOADS = {"writes": 1.0, "half": 0.5, "reads": 0.0}


def main() -> int:
    chip = Chip.of(catalogue.device("samsung-4gb-flash-chip"))
    sessions = {order: steady(chip, order) for order in ORDERS}
    random = np.random.default_rng(1)
    first = random.integers(0, sessions["fifo"].ssd.logical_units, REQUESTS).astype(np.uint32)
    lots = random.random(REQUESTS)
    times = {(order, load): [] for order in sessions for load in LOADS}
    runs = {}
    for _ in range(ROUNDS):
        for order, load in times:
            write = (lots < LOADS[load]).astype(np.uint8)
            started = time.thread_time()
            runs[order, load] = sessions[order].serve(first, write)
            times[order, load].append((time.thread_time() - started) / REQUESTS)
    late = False
    print(
        f"{'order':14}{'load':8}{'ns/request':>12}{'million/s':>11}{'best':>7}{'programs/write':>16}{'simulated/s':>13}"
    )
    for name, run in runs.items():
        middle, best = statistics.median(times[name]), min(times[name])
        print(
            f"{name[0]:14}{name[1]:8}{middle * 1e9:12.1f}{1e-6 / middle:11.2f}{1e-6 / best:7.1f}"
            f"{run.write_amplification:16.3f}{run.iops:13.0f}"
        )
        if name in BUDGET and 1 / middle < BUDGET[name]:
            print(f"  below the budget of {BUDGET[name] / 1e6:.0f} million a second")
            late = True
    return int(late)


def steady(chip: Chip, order: str) -> Session:
    """A device in its steady state, its kernels compiled."""
    ssd = Ssd(
        name=order,
        chip=chip,
        channels=8,
        dies_per_channel=4,
        blocks=128,
        spare=0.15,
        order=order,
        channel_bytes_per_s=chip.bus_bytes_per_s,
        interface_bytes_per_s=275e6,
        overhead_s=20e-6,
    )
    session = Session(ssd, DEPTH)
    session.precondition()
    session.serve(np.arange(1000))
    return session


if __name__ == "__main__":
    sys.exit(main())
