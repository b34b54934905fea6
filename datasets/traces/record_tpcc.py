# /// script
# requires-python = ">=3.11"
# dependencies = ["duckdb>=1.3", "psycopg[binary]>=3.2"]
# ///
"""Record what PostgreSQL asks of its disk under the five transactions of TPC-C, below the file system.

The order-entry workload at the sizes of the specification runs on a server whose cluster lies on an ext4 file system
of its own, on a loop device. The kernel's tracepoint block_rq_issue tells of every request that the device gets, after
page cache, file system and merging. A memory group holds server and page cache together to a few megabytes, for else
the page cache would answer every read. Afterwards the extents of all files (FIEMAP) say whose block was read or
written. A second, shorter run of the same client, without full-page writes, measures by transaction the processor time
of the server process and the bytes that it logs.

Needs root, Linux with tracefs, loop devices and a memory controller of version 1, PostgreSQL's server programs, duckdb
and psycopg. Leaves nothing behind but the trace, its row in traces.csv, and what was counted, in
postgresql-tpcc.json beside it:

    uv run datasets/traces/record_tpcc.py
"""

import argparse
import array
import fcntl
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path

import psycopg

from order_entry import MIX_PERCENT, Client, Scale, load
from page_trace import PageAccess, print_fingerprint, update_index, write_parquet
from record_postgresql import PAGE_BYTES, execute_on, insert_many_on, make_cluster, relations_of, server

HERE = Path(__file__).resolve().parent
BLOCK_BYTES, SECTOR_BYTES = 4096, 512  # of the file system, and of the kernel's addresses
MEMORY = Path("/sys/fs/cgroup/memory")
LOG, MAPS, OTHER, FILE_SYSTEM = "write-ahead log", "free space and visibility maps", "other files", "file system"
EVENT = re.compile(r" (\d+\.\d+): block_rq_issue: \d+,\d+ ([A-Z]+) \d+ \(\) (\d+) \+ (\d+) ")
FIEMAP, EXTENTS_AT_ONCE, EXTENT_BYTES, LAST_EXTENT = 0xC020660B, 200, 56, 1
SETTINGS = {
    "fsync": "on",
    "checkpoint_timeout": "1min",  # so that several fall into the recording
    "max_wal_size": "2GB",
    "min_wal_size": "2GB",  # segments of the log are used again, not made anew
}


@contextmanager
def volume(folder: Path, size: str) -> Iterator[Callable[[], str]]:
    """An ext4 file system of its own under `folder`/disk; yields what mounts it again, empty of cached pages.

    That returns major:minor of the device.
    """
    image, disk = folder / "image", folder / "disk"
    disk.mkdir()
    subprocess.run(["truncate", "-s", size, image], check=True)
    attach = ["losetup", "-f", "--show", "--direct-io=on", image]
    device = subprocess.run(attach, check=True, capture_output=True, text=True).stdout.strip()

    def mount() -> str:
        if disk.is_mount():
            subprocess.run(["umount", disk], check=True)
        subprocess.run(["mount", "-o", "noatime", device, disk], check=True)
        shutil.chown(disk, "postgres")
        number = os.stat(device).st_rdev
        return f"{os.major(number)}:{os.minor(number)}"

    try:
        make = ["mkfs.ext4", "-q", "-b", str(BLOCK_BYTES), "-E", "lazy_itable_init=0,lazy_journal_init=0", device]
        subprocess.run(make, check=True)
        yield mount
    finally:
        if disk.is_mount():
            subprocess.run(["umount", disk], check=True)
        subprocess.run(["losetup", "-d", device], check=True)


@contextmanager
def memory_group(limit: str) -> Iterator[Path]:
    """A memory group that holds so much, page cache included; yields its folder."""
    own = next(line.split(":")[2] for line in Path("/proc/self/cgroup").read_text().splitlines() if ":memory:" in line)
    group = MEMORY / own.strip("/") / "pagecost"
    group.mkdir()
    (group / "memory.limit_in_bytes").write_text(limit)
    try:
        yield group
    finally:
        group.rmdir()


@contextmanager
def block_events(folder: Path, device: str) -> Iterator[Path]:
    """Tell of every request to a device; yields the instance's folder, whose file `trace` is the telling."""
    tracing = folder / "tracing"
    tracing.mkdir()
    subprocess.run(["mount", "-t", "tracefs", "tracefs", tracing], check=True)
    instance = tracing / "instances" / "pagecost"
    try:
        instance.mkdir()
        (instance / "buffer_size_kb").write_text("131072")
        major, minor = device.split(":")
        event = instance / "events" / "block" / "block_rq_issue"
        (event / "filter").write_text(f"dev == {int(major) << 20 | int(minor)}")
        (event / "enable").write_text("1")
        yield instance
        (event / "enable").write_text("0")
    finally:
        if instance.exists():
            instance.rmdir()
        subprocess.run(["umount", tracing], check=True)


def read_events(instance: Path) -> tuple[list[tuple[float, str, int, int]], Counter]:
    """(time [s], r or w, first sector, sectors) of each request in order of time, and how many others of each kind."""
    lost = [stats for stats in instance.glob("per_cpu/cpu*/stats") if "overrun: 0\n" not in stats.read_text()]
    if lost:
        raise ValueError("the kernel's buffer was too small for the telling")
    requests, others = [], Counter()
    for line in (instance / "trace").open():
        if event := EVENT.search(line):
            kind, sectors = event[2], int(event[4])
            if sectors and kind.lstrip("F")[0] in "RW":  # an F before it asks for a flush first
                requests.append((float(event[1]), kind.lstrip("F")[0].lower(), int(event[3]), sectors))
            else:
                others[kind] += 1
        elif not line.startswith("#"):
            raise ValueError(f"not understood: {line}")
    return sorted(requests), others


def extents_of(path: Path) -> list[tuple[int, int, int]]:
    """(first device block, blocks, first block of the file) of a file's extents."""
    found, start = [], 0
    with path.open("rb") as file:
        os.fsync(file.fileno())
        while True:
            head = struct.pack("=QQIIII", start, 2**64 - 1 - start, 0, 0, EXTENTS_AT_ONCE, 0)
            answer = array.array("B", head + bytes(EXTENTS_AT_ONCE * EXTENT_BYTES))
            fcntl.ioctl(file.fileno(), FIEMAP, answer)
            (mapped,) = struct.unpack_from("=I", answer, 20)
            for number in range(mapped):
                at = len(head) + number * EXTENT_BYTES
                logical, physical, length, _, _, flags = struct.unpack_from("=QQQQQI", answer, at)
                found.append((physical // BLOCK_BYTES, length // BLOCK_BYTES, logical // BLOCK_BYTES))
                start = logical + length
            if not mapped or flags & LAST_EXTENT:
                return found


def owners(cluster: Path, database: Path, relations: dict) -> list[tuple[int, int, str]]:
    """(first device block, blocks, stream) of every file of the cluster, in order of the device."""
    found = []
    for path in cluster.rglob("*"):
        if not path.is_file() or path.is_symlink() or not path.stat().st_size:
            continue
        if path.parent == database and path.name in relations:
            relation = relations[path.name].stream_name
            stream = MAPS if "(" in relation else relation
        else:
            stream = LOG if path.parent == cluster / "pg_wal" else OTHER
        found += [(block, blocks, stream) for block, blocks, _ in extents_of(path)]
    return sorted(found)


def to_accesses(requests: list, owned: list, names: list[str]) -> list[PageAccess]:
    """Requests by device block, each with the stream of its first block; those of no file are the file system's."""
    firsts, accesses = [first for first, _, _ in owned], []
    for time_s, op, sector, sectors in requests:
        first_byte, end_byte = sector * SECTOR_BYTES, (sector + sectors) * SECTOR_BYTES
        block, end = first_byte // BLOCK_BYTES, -(-end_byte // BLOCK_BYTES)
        at = bisect_right(firsts, block) - 1
        inside = at >= 0 and block < owned[at][0] + owned[at][1]
        stream = owned[at][2] if inside else FILE_SYSTEM
        accesses.append(PageAccess(time_s, op, block, end - block, names.index(stream)))
    return accesses


def page_cache_bytes(group: Path) -> int:
    """Bytes of files that the group keeps in memory, without the server's shared buffers."""
    kept = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
    return int(kept["total_inactive_file"]) + int(kept["total_active_file"])


def references_of(connection: psycopg.Connection) -> dict[str, tuple[int, int]]:
    """Page references, and those that the server's buffer did not answer, of each table and index so far."""
    connection.execute("SELECT pg_stat_force_next_flush()")
    rows = connection.execute(
        "SELECT relname, heap_blks_hit + heap_blks_read, heap_blks_read FROM pg_statio_user_tables UNION ALL "
        "SELECT indexrelname, idx_blks_hit + idx_blks_read, idx_blks_read FROM pg_statio_user_indexes"
    ).fetchall()
    return {name: (references, reads) for name, references, reads in sorted(rows)}


def measured_by_kind(connection: psycopg.Connection, client: Client, transactions: int) -> dict[str, dict]:
    """Mean processor time [s] of the server process and logged bytes of a transaction, by kind, without page images."""
    connection.execute("ALTER SYSTEM SET full_page_writes = off")
    connection.execute("SELECT pg_reload_conf()")
    time.sleep(1)
    (process,) = connection.execute("SELECT pg_backend_pid()").fetchone()
    used = Path(f"/proc/{process}/schedstat")
    kinds = client.draws.random.choices(list(MIX_PERCENT), weights=list(MIX_PERCENT.values()), k=transactions)
    found: dict[str, list[tuple[float, int]]] = {kind: [] for kind in MIX_PERCENT}
    for kind in kinds:
        (before,) = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchone()
        start_ns = int(used.read_text().split()[0])
        client.transaction(kind)
        end_ns = int(used.read_text().split()[0])
        (after,) = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchone()
        found[kind].append(((end_ns - start_ns) / 1e9, int(after - before)))
    return {
        kind: {
            "transactions": len(rows),
            "processor_s": round(sum(seconds for seconds, _ in rows) / len(rows), 7),
            "log_bytes": round(sum(logged for _, logged in rows) / len(rows)),
        }
        for kind, rows in found.items()
    }


def main() -> None:
    """Record, write the trace and what was counted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=HERE / "postgresql-tpcc.parquet")
    parser.add_argument("--counts", type=Path, default=HERE / "postgresql-tpcc.json")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--transactions", type=int, default=10_000)
    parser.add_argument("--warm-up", type=int, default=3_000, help="transactions before those")
    parser.add_argument("--measured", type=int, default=4_000, help="transactions by which time and log are measured")
    parser.add_argument("--warehouses", type=int, default=2)
    parser.add_argument("--shared-buffers", default="8MB", help="PostgreSQL's buffer")
    parser.add_argument("--memory", default="64M", help="of server and page cache together")
    parser.add_argument("--volume", default="8G", help="size of the file system")
    parser.add_argument("--programs", type=Path, default=Path("/usr/lib/postgresql/15/bin"), help="folder with initdb")
    options = parser.parse_args()
    scale = Scale(options.warehouses, items=100_000, customers_per_district=3000)

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())).resolve()
        folder.chmod(0o755)
        mount = stack.enter_context(volume(folder, options.volume))
        mount()
        disk = folder / "disk"
        make_cluster(options.programs, disk)
        with server(options.programs, disk, "512MB") as connection:
            load(execute_on(connection), insert_many_on(connection), scale, options.seed)
            connection.execute("VACUUM ANALYZE")
        device = mount()
        group = stack.enter_context(memory_group(options.memory))
        inside = ["sh", "-c", 'echo $$ > "$0" && exec "$@"', group / "cgroup.procs"]
        with server(options.programs, disk, options.shared_buffers, None, SETTINGS, inside) as connection:
            client = Client(execute_on(connection), scale, options.seed + 1)
            client.run(options.warm_up)
            connection.execute("SELECT pg_stat_reset()")
            with block_events(folder, device) as instance:
                start_s = time.monotonic()
                counts = client.run(options.transactions)
                cached = page_cache_bytes(group)
                seconds = time.monotonic() - start_s
                requests, others = read_events(instance)
            references = references_of(connection)
            kinds = measured_by_kind(connection, client, options.measured)
            connection.execute("CHECKPOINT")
            version = connection.execute("SHOW server_version").fetchone()[0].split()[0]
            (path,) = connection.execute("SELECT pg_relation_filepath('warehouse')").fetchone()
            database = (disk / "cluster" / path).parent
            relations = relations_of(connection, database)
        owned = owners(disk / "cluster", database, relations)

    names = [relation.stream_name for relation in relations.values() if "(" not in relation.stream_name]
    names = [*dict.fromkeys(names), MAPS, LOG, OTHER, FILE_SYSTEM]
    trace = to_accesses(requests, owned, names)
    write_parquet(trace, options.output)
    told = Counter((access.stream, access.op) for access in trace)
    blocks = Counter()
    for access in trace:
        blocks[access.stream, access.op] += access.pages
    print("| stream | whose | read requests | blocks | write requests | blocks |\n|---:|---|---:|---:|---:|---:|")
    for stream, name in enumerate(names):
        print(f"| {stream} | {name} |", " | ".join(f"{told[stream, op]} | {blocks[stream, op]}" for op in "rw"), "|")
    update_index(
        options.output,
        title=f"PostgreSQL {version.split('.')[0]}, TPC-C, below the file system",
        page_bytes=BLOCK_BYTES,
        transactions=options.transactions,
        software=f"PostgreSQL {version}",
        note=f"{options.transactions} transactions, {options.warehouses} warehouses, {options.memory} of memory",
        log_stream=names.index(LOG),
    )
    found = {
        "software": f"PostgreSQL {version}",
        "recorded_on": date.today().isoformat(),
        "warehouses": options.warehouses,
        "page_bytes": PAGE_BYTES,
        "shared_buffers": options.shared_buffers,
        "memory": options.memory,
        "page_cache_bytes": cached,
        "transactions": counts,
        "seconds": round(seconds, 1),
        "other_requests": dict(others),
        "streams": names,
        "references": {name: {"references": each, "reads": reads} for name, (each, reads) in references.items()},
        "by_kind": kinds,
    }
    options.counts.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(kinds))
    print_fingerprint(options.output)


if __name__ == "__main__":
    main()
