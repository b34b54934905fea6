"""Speed of the page-mapped translation layer in steady state: `python tests/benchmarks/bench_ftl.py`.

Prints host writes per second of thread time, medians over alternating rounds, and fails below the budget (greedy,
uniform random, 7 % spare of physical space: at least 25 million a second). 1024 blocks of 64 pages; drawing the page
numbers, the blame of every write and the conservation check are part of the time.
"""

import statistics
import sys
import time

from pagecost.devices.ftl import LAYERS, VICTIMS, Geometry, Simulation

WRITES, ROUNDS = 1_000_000, 9
BUDGET = {("greedy", 0.07): 25e6}  # host writes per second


def main() -> int:
    simulations = {
        (policy, spare): steady(Geometry(blocks=1024, spare=spare), policy=policy)
        for policy in VICTIMS
        for spare in (0.07, 0.15, 0.28)
    }
    others = {layer: steady(Geometry(blocks=1024, spare=0.15), layer=layer) for layer in LAYERS if layer != "page"}
    times = {name: [] for name in (*simulations, *others)}
    for _ in range(ROUNDS):
        for name, simulation in (simulations | others).items():
            writes = WRITES if name in simulations else WRITES // 50
            started = time.thread_time()
            simulation.write(writes)
            times[name].append((time.thread_time() - started) / writes)
    late = False
    print(f"{'policy or layer':18}{'spare':>6}{'ns/write':>10}{'million/s':>11}{'best':>7}{'programs/write':>16}")
    for name, simulation in (simulations | others).items():
        middle, best = statistics.median(times[name]), min(times[name])
        label, spare = name if isinstance(name, tuple) else (name, 0.15)
        print(
            f"{label:18}{spare:6.0%}{middle * 1e9:10.1f}{1e-6 / middle:11.2f}{1e-6 / best:7.1f}"
            f"{simulation.rounds[-1].write_amplification:16.3f}"
        )
        if name in BUDGET and 1 / middle < BUDGET[name]:
            print(f"  below the budget of {BUDGET[name] / 1e6:.0f} million a second")
            late = True
    return int(late)


def steady(geometry: Geometry, **options) -> Simulation:
    """A device that is filled and overwritten until write amplification settles, its kernels compiled."""
    simulation = Simulation(geometry, **options)
    simulation.write((6 if options.get("layer") is None else 1) * geometry.logical_pages)
    return simulation


if __name__ == "__main__":
    sys.exit(main())
