"""`make bench`: the whole system in a closed loop beside its SimPy twin, one thread, alternating in one run.

Then one minute of Wang's set-up (30 users, 30 warehouses, no think time) on each device and file system: seconds of a
run that is prepared from nothing but the load, asked under 2 s; and all of them on two cores, asked under 20 s. The
kernels are compiled first; figures are the best of ROUNDS rounds in seconds of this thread.
"""

import sys
import time

from bench_transactions import rate

from helpers.oltp_parts import storage
from pagecost import oltp
from pagecost.filesystem import InPlace, LogStructured
from pagecost.oltp.outcomes import outcomes
from pagecost.remembering import SHARED
from pagecost.studies.workers import side_by_side
from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.tpcc import TpcC
from twins.oltp import Twin

ROUNDS = 3
ASKED = 30
LOAD = oltp.debit_credit(DebitCredit(branches=20, accounts_per_branch=2000), transactions=200_000)
DEVICES = ("hgst-7k1000-750gb", "mtron-pro-7500", "intel-x25-e", "intel-x25-e")
MINUTE_S, WHOLE_S = 2.0, 20.0


def ours():
    setup = oltp.Setup(
        users=12,
        processors=oltp.Processors(servers=2, transaction_s=4e-3),
        buffer=oltp.Buffer(frames=300),
        page_cache=oltp.PageCache(pages=1000, read_ahead_pages=0),
        log=oltp.Log(storage=storage(write_s=1e-3)),
        storage=storage(count=2, stripe_bytes=4096),
    )
    simulation = oltp.Simulation(setup, LOAD, fill=3000)

    def work():
        simulation.carry_on(transactions=40_000)
        return 40_000

    return work


def simpy():
    twin = Twin(LOAD, users=12, processors=2, transaction_s=4e-3, frames=300, cache_pages=1000, devices=2, fill=3000)
    twin.run(2000)
    return 2000


def wang(device: str, layout, frames: int, load: oltp.Load) -> oltp.OltpRun:
    setup = oltp.Setup(
        users=30,
        processors=oltp.Processors(servers=2),
        buffer=oltp.Buffer(frames=frames),
        page_cache=oltp.PageCache(pages=400_000 * 4096 // load.page_bytes),
        file_system=layout,
        volume_bytes=16e9,
        storage=oltp.Storage(drive=oltp.drive(device), scheduler="anticipatory"),
    )
    return oltp.run(setup, load, seconds=60, fill=8000)


def main() -> int:
    work = ours()
    work()
    best = {"ours": 0.0, "simpy": 0.0}
    for _ in range(ROUNDS):
        best["ours"] = max(best["ours"], rate(work))
        best["simpy"] = max(best["simpy"], rate(simpy))
    times = best["ours"] / best["simpy"]
    print(f"ours {best['ours']:,.0f}, SimPy {best['simpy']:,.0f} transactions/s: {times:.0f} times, asked {ASKED}")
    late = times < ASKED
    loads = {size: oltp.tpcc(TpcC(page_bytes=size), transactions=33_000) for size in (4096, 16384)}
    cases = [
        (device, layout, 2048 if size == 4096 else 256, load)
        for size, load in loads.items()
        for layout in (InPlace(), LogStructured(protection_period_s=0.0))
        for device in DEVICES
    ]
    for case in cases[::5]:
        wang(*case)
        SHARED[outcomes].forget()
        started = time.thread_time()
        made = wang(*case)
        seconds = time.thread_time() - started
        late |= seconds > MINUTE_S
        print(f"{case[0]:20}{type(case[1]).__name__:15}{made.tpm:10,.0f} tpm{seconds:8.2f} s, asked {MINUTE_S} s")
    SHARED[outcomes].forget()
    started = time.perf_counter()
    for _ in side_by_side(lambda case: wang(*case), cases):
        pass
    seconds = time.perf_counter() - started
    print(f"{len(cases)} configurations: {seconds:.1f} s on two cores, asked {WHOLE_S} s")
    return int(late or seconds > WHOLE_S)


if __name__ == "__main__":
    sys.exit(main())
