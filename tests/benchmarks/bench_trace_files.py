"""From a trace file to its answer, beside libCacheSim reading the same file: `make bench`.

`python tests/benchmarks/bench_trace_files.py [REFERENCES]`, 10 million Zipf(1.0) references over 1 million pages where
no number is given. `python tests/benchmarks/bench_trace_files.py asked [RECORDS]` is not part of `make bench`: it takes
the sizes that were asked for, by the wall: a binary file of 200 million records (4.8 GB, in the page cache), read five
times into one sample of 1 %, an exact curve of 100 million references with write-backs, a CSV of 20 million lines, and
the peer reading the same files. It needs some 8 GB of disk and 10 GB of memory.

Whole processes are measured as such, start and import included; for the rest processor time of all
threads, divided by the cores that it runs on (CORES), and the wall clock beside it, which on a shared machine says
little. Best of ROUNDS alternating rounds.

libCacheSim reads a file into a buffer of one object, which is the least that it can do with it; its wheel has neither
stack distances nor samples, so an exact curve and a sampled one stand beside its reading too.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import libcachesim
import numpy as np
from bench_buffer import write_trace
from bench_traces import LINES, msr_lines

from pagecost.buffer import References, Sampler, lru_curve
from pagecost.workload import traces, zipf_pages

REFERENCES, PAGES, FRAMES, ROUNDS, CORES = 10_000_000, 1_000_000, 100_000, 3, 2
ASKED = {"exact LRU curve": 25.0, "sample of 1 %": 100.0, "MSR lines": 15.0}  # million a second on two cores
ASKED_TIMES = 5.0  # as fast as the peer's process
PEER = """
import sys, libcachesim as l
l.LRU({frames}).process_trace(l.TraceReader(sys.argv[1], trace_type=l.TraceType.ORACLE_GENERAL_TRACE))
"""
OURS = (
    "-c",
    "import sys; from pagecost_app.cli import main; sys.argv[0] = 'pagecost'; main()",
    "buffer",
    "{file}",
    "--trace-format=oracleGeneral",
    "--frames={frames}",
)


def main(references: int = REFERENCES) -> int:
    pages = zipf_pages(references, PAGES, 1.0, seed=1)
    made = References.of(pages, np.random.default_rng(2).random(references) < 0.3)
    with tempfile.TemporaryDirectory() as folder:
        records = write_trace(pages, Path(folder) / "zipf.oracleGeneral")
        lines = Path(folder) / "hm_0.csv"
        lines.write_text("".join(msr_lines()))
        late = processes(records)
        tasks = {
            "exact LRU curve": (references, lambda: lru_curve(made)),
            "sample of 1 %": (references, lambda: sample(records)),
            "peer reads records": (references, lambda: peer_reads(records, "ORACLE_GENERAL_TRACE")),
            "MSR lines": (LINES, lambda: sum(piece.size for piece in traces.Reading(lines, "msr"))),
            "peer reads lines": (LINES, lambda: peer_reads(str(lines), "CSV_TRACE")),
        }
        best = dict.fromkeys(tasks, (np.inf, np.inf))
        for _ in range(ROUNDS + 1):  # the first compiles
            for name, (_, task) in tasks.items():
                best[name] = min(best[name], clocked(task))
    print(f"{'work':20}{'ns of processor':>16}{'million/s':>11}{'by the wall':>13}{'asked':>7}")
    for name, (count, _) in tasks.items():
        processor_s, wall_s = best[name]
        cores = 1 if name.startswith("peer") else CORES
        rate = cores * count / processor_s / 1e6
        asked = f"{ASKED[name]:7.0f}" if name in ASKED else ""
        print(f"{name:20}{1e9 * processor_s / count:16.1f}{rate:11.1f}{count / wall_s / 1e6:13.1f}{asked}")
        late |= rate < ASKED.get(name, 0)
    return int(late)


def at_asked_sizes(records: int = 200_000_000) -> int:
    """Whether any is slower than asked, by the wall."""
    repeats, exact, lines = 5, records // 2, 20_000_000 * records // 200_000_000
    with tempfile.TemporaryDirectory() as folder:
        binary, table = Path(folder) / "zipf.oracleGeneral", Path(folder) / "hm_0.csv"
        write_in_pieces(binary, records)
        text = "".join(msr_lines())
        times = max(1, lines // LINES)
        with table.open("w") as file:
            for _ in range(times):
                file.write(text)
        made = References.of(zipf_pages(exact, PAGES, 1.0, seed=1), np.random.default_rng(2).random(exact) < 0.3)
        late = False
        tasks = {
            "sample of 1 %": (repeats * records, lambda: sample(str(binary), repeats), ASKED["sample of 1 %"]),
            "peer reads records": (records, lambda: peer_reads(str(binary), "ORACLE_GENERAL_TRACE"), 0.0),
            "exact LRU curve": (exact, lambda: lru_curve(made), ASKED["exact LRU curve"]),
            "MSR lines": (times * LINES, lambda: count_lines(table), ASKED["MSR lines"]),
            "peer reads lines": (times * LINES, lambda: peer_reads(str(table), "CSV_TRACE"), 0.0),
        }
        sample(str(binary), 1)  # compiles, and brings the file into the page cache
        print(f"{'work':20}{'million':>9}{'wall s':>9}{'processor s':>13}{'million/s':>11}{'asked':>7}")
        for name, (count, task, asked) in tasks.items():
            processor_s, wall_s = min((clocked(task) for _ in range(2)), key=lambda each: each[1])
            rate = count / wall_s / 1e6
            told = f"{asked:7.0f}" if asked else ""
            print(f"{name:20}{count / 1e6:9.0f}{wall_s:9.2f}{processor_s:13.2f}{rate:11.1f}{told}", flush=True)
            late |= rate < asked
    return int(late)


def write_in_pieces(path: Path, records: int, piece: int = 10_000_000) -> None:
    """Zipf references as the peer reads them, without the position of the next use, which none of these needs."""
    made = np.zeros(min(piece, records), np.dtype([("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")]))
    made["size"], made["next"] = 1, -1
    with path.open("wb") as file:
        for at in range(0, records, piece):
            size = min(piece, records - at)
            made["time"][:size] = np.arange(at, at + size)
            made["id"][:size] = zipf_pages(size, PAGES, 1.0, seed=1 + at)
            made[:size].tofile(file)


def count_lines(path: Path) -> int:
    return sum(piece.size for piece in traces.Reading(path, "msr"))


def processes(file: str) -> bool:
    """Replay a file in whole processes, ours and the peer's; whether ours is slower than asked."""
    ours = [word.format(file=file, frames=FRAMES) for word in OURS]
    theirs = ["-c", PEER.format(frames=FRAMES), file]
    measured: dict[str, list[tuple[float, float, float]]] = {"pagecost buffer": [], "libCacheSim": []}
    for _ in range(ROUNDS + 1):
        measured["pagecost buffer"].append(process(ours))
        measured["libCacheSim"].append(process(theirs))
    best = {name: min(found[1:]) for name, found in measured.items()}
    print(f"{'whole process':20}{'processor s':>12}{'wall s':>9}{'MB':>7}")
    for name, (processor_s, wall_s, peak_bytes) in best.items():
        print(f"{name:20}{processor_s:12.2f}{wall_s:9.2f}{peak_bytes / 1e6:7.0f}")
    ratio = best["libCacheSim"][0] / best["pagecost buffer"][0]
    print(f"{ratio:.1f} times the peer, {ASKED_TIMES:.0f} asked\n")
    return ratio < ASKED_TIMES


def process(arguments: list[str]) -> tuple[float, float, float]:
    """(processor time, wall clock, peak memory in bytes) of a Python process.

    Linux: the usage of a child, as `getrusage` tells it, begins with the peak of whoever started it.
    """
    told = "import atexit, sys; atexit.register(lambda: sys.stderr.write(open('/proc/self/status').read()))"
    code = f"{told}\n{arguments[1]}"
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run = subprocess.run([sys.executable, "-c", code, *arguments[2:]], capture_output=True, text=True, check=True)
    wall_s, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return processor_s, wall_s, 1024.0 * int(run.stderr.split("VmHWM:")[1].split()[0])


def sample(file: str, repeats: int = 1) -> None:
    """A sampled curve of the file, read so many times one after the other."""
    sampler = Sampler(0.01)
    for _ in range(repeats):
        for piece in traces.Reading(file, "oracleGeneral"):
            sampler.add(*piece.page_references())
    sampler.curve()


def peer_reads(file: str, kind: str) -> None:
    settings = libcachesim.ReaderInitParam(ignore_obj_size=True)
    if kind == "CSV_TRACE":
        settings.time_field, settings.obj_id_field, settings.obj_size_field = 1, 5, 6
        settings.delimiter, settings.has_header = ",", False
    reader = libcachesim.TraceReader(file, getattr(libcachesim.TraceType, kind), settings)
    libcachesim.FIFO(1).process_trace(reader)


def clocked(task) -> tuple[float, float]:
    """(processor time, wall clock) of one call."""
    processor_s, wall_s = time.process_time(), time.perf_counter()
    task()
    return time.process_time() - processor_s, time.perf_counter() - wall_s


if __name__ == "__main__":
    asked = sys.argv[1:2] == ["asked"]
    sys.exit((at_asked_sizes if asked else main)(*map(int, sys.argv[2 if asked else 1 :])))
