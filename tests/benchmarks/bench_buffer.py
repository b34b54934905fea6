"""Speed of the policies beside libCacheSim and of whole curves: `python tests/benchmarks/bench_buffer.py`.

10 million references, Zipf 1.0 over 1 million pages, 30 % writes, buffer 10 %, one thread. Best of ROUNDS, in thread
time; the peer is its Python wheel's C loop over preloaded ids. Figures below their budget are said.
"""

import sys
import tempfile
import time
from pathlib import Path

import libcachesim
import numpy as np

from pagecost.buffer import POLICIES, References, lru_curve, replay, sampled_lru_curve
from pagecost.workload import zipf_pages

REFERENCES, PAGES, FRAMES, ROUNDS = 10_000_000, 1_000_000, 100_000, 3
PEERS = {  # our name: the peer's, and how many times as fast was asked for
    "lru": ("LRU", 7.5),
    "fifo": ("FIFO", 15),
    "clock": ("Clock", 12),
    "2q": ("TwoQ", 12),
    "arc": ("ARC", 8),
    "lirs": ("LIRS", 10),
    "sieve": ("Sieve", 8),
    "min": ("Belady", 10),
}
TIMES_LRU = 2.0  # what a flash-aware policy may take
CURVE_RATE, SAMPLED_RATE = 15e6, 500e6


def main(references: int = REFERENCES, names=tuple(POLICIES)) -> int:
    pages = zipf_pages(references, PAGES, alpha=1.0, seed=1)
    made = References.of(pages, np.random.default_rng(2).random(references) < 0.3)
    small = References.of(pages[:2000], made.writes[:2000])
    for name in names:
        replay(small, 100, name)
    lru_curve(small)
    sampled_lru_curve(small, share=0.5)
    ours = dict.fromkeys(names, np.inf)
    theirs = {name: np.inf for name in names if name in PEERS}
    with tempfile.TemporaryDirectory() as folder:
        trace = write_trace(pages, Path(folder) / "zipf.oracleGeneral")
        for _ in range(ROUNDS):
            for name in names:
                ours[name] = min(ours[name], seconds(lambda name=name: replay(made, FRAMES, name)))
                if name in theirs:
                    theirs[name] = min(theirs[name], seconds(peer(PEERS[name][0], trace)))
    late = False
    print(f"{'policy':14}{'ns/reference':>13}{'million/s':>11}{'peer, million/s':>17}{'ratio':>8}{'asked':>7}")
    for name in names:
        line = f"{name:14}{ours[name] / references * 1e9:13.1f}{references / ours[name] / 1e6:11.0f}"
        if name in theirs:
            ratio, asked = theirs[name] / ours[name], PEERS[name][1]
            line += f"{references / theirs[name] / 1e6:17.1f}{ratio:8.1f}{asked:7.1f}"
            late |= ratio < asked
        elif POLICIES[name].flash_aware and "lru" in ours:
            ratio = ours[name] / ours["lru"]
            line += f"{'of our LRU':>17}{ratio:8.2f}{TIMES_LRU:7.1f}"
            late |= ratio > TIMES_LRU
        print(line)
    exact = min(seconds(lambda: lru_curve(made)) for _ in range(ROUNDS))
    sampled = min(seconds(lambda: sampled_lru_curve(made)) for _ in range(ROUNDS))
    for title, took, asked in (("exact curve", exact, CURVE_RATE), ("1 % curve", sampled, SAMPLED_RATE)):
        rate = references / took
        print(f"{title:14}{took / references * 1e9:13.1f}{rate / 1e6:11.0f}{'asked':>17}{asked / 1e6:8.0f}")
        late |= rate < asked
    return int(late)


def seconds(work) -> float:
    """Thread time of one call."""
    started = time.thread_time()
    work()
    return time.thread_time() - started


def peer(policy: str, trace: str):
    """One run of libCacheSim's policy over the trace; opening it is part of the preparation."""
    cache = getattr(libcachesim, policy)(FRAMES)
    reader = libcachesim.TraceReader(trace, trace_type=libcachesim.TraceType.ORACLE_GENERAL_TRACE)
    return lambda: cache.process_trace(reader)


def write_trace(pages, path: Path) -> str:
    """The trace as the peer reads it: time, id, size 1, position of the next use."""
    following = np.full(pages.size, -1, np.int64)
    order = np.lexsort((np.arange(pages.size), pages))
    same = pages[order[1:]] == pages[order[:-1]]
    following[order[:-1][same]] = order[1:][same]
    records = np.zeros(pages.size, np.dtype([("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")]))
    records["time"], records["id"], records["size"], records["next"] = np.arange(pages.size), pages, 1, following
    records.tofile(path)
    return str(path)


if __name__ == "__main__":
    sys.exit(main())
