"""`make bench`: how fast traces are read, numbered and looked at.

Reading: 2 million lines of the MSR format, 52 bytes each, in memory's page cache. Numbering: the Zipf trace that the
peers were measured with, its ids as they are (narrow) and scattered over 63 bits (hashed). Looking: the pass behind
`trace_insight`. Processor time of all threads for reading (unpacking runs beside parsing), of one thread for the rest;
the best of ROUNDS alternating rounds.
"""

import gzip
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from pagecost.numbering import Numbering, dense_numbers
from pagecost.requests import Requests
from pagecost.workload import Insight, traces, zipf_pages

LINES, REFERENCES, PAGES, ROUNDS, PIECE = 2_000_000, 10_000_000, 1_000_000, 4, 1 << 18
ASKED = {"MSR lines": 7.5, "scattered ids": 50.0, "narrow ids": 50.0}  # million a second


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "hm_0.csv"
        plain.write_text("".join(msr_lines()))
        packed = plain.with_suffix(".csv.gz")
        with gzip.open(packed, "wb", 6) as file:
            file.write(plain.read_bytes())
        narrow = zipf_pages(REFERENCES, PAGES, 1.0, seed=1)
        scattered = (narrow.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(1)).astype(np.int64)
        tasks = {
            "MSR lines": (LINES, time.process_time, lambda: read(plain)),
            "MSR lines, gzip": (LINES, time.process_time, lambda: read(packed)),
            "narrow ids": (REFERENCES, time.thread_time, lambda: dense_numbers(narrow)),
            "scattered ids": (REFERENCES, time.thread_time, lambda: dense_numbers(scattered)),
            "ids in pieces": (REFERENCES, time.thread_time, lambda: number(scattered)),
            "insight": (REFERENCES, time.thread_time, lambda: look(narrow)),
        }
        traces.warm()
        dense_numbers(narrow[:1000])
        number(scattered[:1000])
        look(narrow[:1000])
        best = dict.fromkeys(tasks, np.inf)
        for _ in range(ROUNDS):
            for name, (_, clock, task) in tasks.items():
                started = clock()
                task()
                best[name] = min(best[name], clock() - started)
    late = False
    print(f"{'work':18}{'ns each':>10}{'million/s':>12}")
    for name, (count, _, _) in tasks.items():
        rate = count / best[name] / 1e6
        print(f"{name:18}{1e3 / rate:10.1f}{rate:12.1f}")
        if rate < ASKED.get(name, 0):
            print(f"  below the {ASKED[name]:.0f} million a second that were asked")
            late = True
    return int(late)


def msr_lines():
    random = np.random.default_rng(1)
    tick = 128166372003061629 + np.cumsum(random.integers(0, 5000, LINES))
    columns = (tick, random.integers(0, 2, LINES), random.random(LINES) < 0.7, random.integers(0, 1 << 24, LINES))
    for time_, disk, write, page in zip(*(column.tolist() for column in columns), strict=True):
        yield f"{time_},hm,{disk},{'Write' if write else 'Read'},{4096 * page},8192,{page % 9000}\n"


def read(path: Path) -> None:
    assert sum(piece.size for piece in traces.Reading(path)) == LINES


def number(ids: np.ndarray) -> None:
    numbering = Numbering()
    for start in range(0, ids.size, PIECE):
        numbering.number(ids[start : start + PIECE])


def look(pages: np.ndarray) -> None:
    insight = Insight()
    size = pages.size
    op, ones = np.zeros(size, np.uint8), np.ones(size, np.int32)
    whole = Requests(np.zeros(size), op, pages, ones, np.zeros(size, np.int16), 4096)
    for start in range(0, size, PIECE):
        insight.add(whole.chosen(slice(start, start + PIECE)))
    insight.profile().zipf()


if __name__ == "__main__":
    sys.exit(main())
