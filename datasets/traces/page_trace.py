"""From system calls to a page trace: read strace output, write the Parquet file, keep the index, print a fingerprint.

Needs duckdb beside the standard library.
"""

import csv
import re
import tempfile
from collections import Counter, OrderedDict
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

import duckdb

STRACE = (
    *("strace", "-f", "-ff", "--seccomp-bpf", "-y", "-ttt", "-s", "0"),
    *("-e", "trace=pread64,pwrite64,preadv,pwritev"),
)
"""Trace positioned reads and writes: one file per process, path names for descriptors, times, no contents.

With --seccomp-bpf the kernel stops a process for the traced calls only, so that all others keep their speed.
"""
CALL = re.compile(
    r"(?P<time>\d+\.\d+) p(?P<op>read|write)64\(\d+<(?P<path>[^>]*)>, .*, \d+, (?P<offset>\d+)\) = (?P<size>\d+)$"
)
VECTOR_CALL = re.compile(r"\d+\.\d+ p(?:read|write)v\(\d+<(?P<path>[^>]*)>")
FINGERPRINT_SHARES = (0.01, 0.05, 0.2, 0.5)
INDEX_FIELDS = (
    *("name", "file", "title", "page_bytes", "accesses", "distinct_pages", "reads", "writes"),
    *("transactions", "log_stream", "recorded_on", "software", "licence", "note"),
)


class FileAccess(NamedTuple):
    """One positioned read or write of a file."""

    time_s: float
    op: str
    path: str
    offset_bytes: int
    size_bytes: int


class PageAccess(NamedTuple):
    """One row of a trace."""

    arrival_s: float
    op: str
    page: int
    pages: int
    stream: int


def read_strace(prefix: Path, folder: Path) -> list[FileAccess]:
    """Return the accesses to files in `folder`, by all processes that strace wrote to `prefix`.*, in order of time."""
    accesses = []
    for output in sorted(prefix.parent.glob(f"{prefix.name}.*")):
        for line in output.open():
            if call := CALL.match(line):
                if call["path"].startswith(f"{folder}/"):
                    place = call["path"].removeprefix(f"{folder}/"), int(call["offset"]), int(call["size"])
                    accesses.append(FileAccess(float(call["time"]), call["op"][0], *place))
            elif (vector_call := VECTOR_CALL.match(line)) and vector_call["path"].startswith(f"{folder}/"):
                raise ValueError(f"vectored access, which the trace would miss: {line}")
    return sorted(accesses, key=lambda access: access.time_s)


def write_parquet(trace: Sequence[PageAccess], path: Path) -> None:
    """Write the trace in the order given; times count from the first access."""
    start_s = trace[0].arrival_s
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as rows:
        csv.writer(rows).writerows((f"{a.arrival_s - start_s:.6f}", *a[1:]) for a in trace)
        rows.flush()
        columns = "{arrival_s: 'DOUBLE', op: 'VARCHAR', page: 'BIGINT', pages: 'INTEGER', stream: 'SMALLINT'}"
        duckdb.execute(
            f"COPY (FROM read_csv('{rows.name}', header = false, columns = {columns})) "
            f"TO '{path}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 19, PARQUET_VERSION v2)"
        )


def update_index(
    path: Path, title: str, page_bytes: int, transactions: int, software: str, note: str, log_stream: int | None = None
) -> None:
    """Put the trace's row into traces.csv beside it, in place of an older row of the same name.

    log_stream: of which a write is a commit; None where the log is not in the trace.
    """
    accesses, distinct_pages, reads, writes = duckdb.execute(
        "SELECT count(*), count(DISTINCT page), count(*) FILTER (op = 'r'), count(*) FILTER (op = 'w') "
        f"FROM (SELECT op, unnest(range(page, page + pages)) AS page FROM '{path}')"
    ).fetchone()
    index = path.parent / "traces.csv"
    rows = list(csv.reader(index.open(newline="")))[1:] if index.exists() else []
    row = (path.stem, path.name, title, page_bytes, accesses, distinct_pages, reads, writes)
    row += (transactions, "" if log_stream is None else log_stream, date.today().isoformat(), software, "MIT", note)
    with index.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(INDEX_FIELDS)
        writer.writerows(sorted([old for old in rows if old[0] != path.stem] + [[str(value) for value in row]]))


def lru_hit_ratio(pages: Sequence[int], buffer_pages: int) -> float:
    """Replay page numbers through an empty LRU buffer and return the share of hits."""
    buffer: OrderedDict[int, None] = OrderedDict()
    hits = 0
    for page in pages:
        if page in buffer:
            hits += 1
            buffer.move_to_end(page)
        else:
            if len(buffer) == buffer_pages:
                buffer.popitem(last=False)
            buffer[page] = None
    return hits / len(pages)


def print_fingerprint(path: Path) -> None:
    """Read a trace back and print its counts and the hit ratios of LRU buffers of several sizes."""
    rows = duckdb.execute(f"SELECT op, unnest(range(page, page + pages)) FROM '{path}'").fetchall()
    pages = [page for _, page in rows]
    ops, distinct = Counter(op for op, _ in rows), len(set(pages))
    print(f"{path.name}: {path.stat().st_size} bytes, {len(rows)} accesses, {distinct} distinct pages")
    read_share = ops["r"] / len(rows)
    print(f"reads {ops['r']}, writes {ops['w']}, read share {read_share:.4f}, pages {min(pages)}..{max(pages)}")
    for share in FINGERPRINT_SHARES:
        buffer_pages = round(share * distinct)
        print(f"LRU of {buffer_pages} pages ({share:.0%}): hit ratio {lru_hit_ratio(pages, buffer_pages):.4f}")
