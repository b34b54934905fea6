"""Record what programs write, above the file system by strace and below it by the kernel, to hold `pagecost wear` to.

Every case runs on an ext4 file system of its own, on a loop device: SQLite in each journal mode and level of
synchronous, and PostgreSQL with a checkpoint in the middle. strace's recording is kept, as `pagecost wear --keep`
keeps it; of the same run the tracepoint block_rq_issue tells what the device was asked to write until all was written
back (sync), by where it went: the file system's journal, blocks that bear the kernel's mark of metadata, the rest.

Needs root, Linux with tracefs and loop devices, strace, debugfs, PostgreSQL's server programs, duckdb and psycopg:

    uv run --with 'psycopg[binary]' datasets/traces/record_wear.py
"""

import argparse
import csv
import gzip
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from datetime import date
from pathlib import Path

from order_entry import Client, Scale, load
from pagecost.programs import recorder
from pagecost.programs.strace import HEAD, NO_DISK
from record_postgresql import execute_on, insert_many_on, make_cluster, server
from record_tpcc import BLOCK_BYTES, EVENT, SECTOR_BYTES, SETTINGS, block_events, volume

HERE = Path(__file__).resolve().parent
MODES = ("delete", "truncate", "persist", "memory", "wal", "off")
LEVELS = ("off", "normal", "full", "extra")
JOURNAL_EXTENTS = re.compile(r"\(\d+(?:-\d+)?\):(\d+)(?:-(\d+))?")
COLUMNS = (
    *("case", "recorded_on", "software", "kernel", "seconds", "asked_bytes", "process_bytes", "device_bytes_at_end"),
    *("device_bytes", "data_bytes", "journal_bytes", "metadata_bytes", "requests"),
)


def journal_of(device: str) -> list[range]:
    """Blocks of the file system's journal."""
    found = subprocess.run(["debugfs", "-R", "stat <8>", device], capture_output=True, text=True, check=True).stdout
    extents = JOURNAL_EXTENTS.findall(found.split("EXTENTS:")[1])
    return [range(int(first), int(last or first) + 1) for first, last in extents]


def written(telling: str, journal: list[range]) -> tuple[Counter, int]:
    """(bytes written to the journal, as metadata, as data; requests) of a tracepoint's telling."""
    found, requests = Counter(), 0
    for event in map(EVENT.search, telling.splitlines()):
        if not event or "W" not in event[2] or not int(event[4]):
            continue
        block = int(event[3]) * SECTOR_BYTES // BLOCK_BYTES
        place = "journal" if any(block in part for part in journal) else "metadata" if "M" in event[2] else "data"
        found[place] += int(event[4]) * SECTOR_BYTES
        requests += 1
    return found, requests


def without_places(recording: Path, disk: Path, command: list[str]) -> None:
    """Leave in a recording what concerns the case's own file system, which becomes /data."""
    head, *lines = gzip.decompress(recording.read_bytes()).decode().splitlines()
    told = json.loads(head.removeprefix(HEAD).replace(str(disk), "/data")) | {
        "command": command,
        "no_disk": list(NO_DISK),
    }
    told["inodes"] = {path: number for path, number in told["inodes"].items() if path.startswith("/data")}
    told["folders"] = [path for path in told["folders"] if path.startswith("/data")]
    own = [line.replace(str(disk), "/data") for line in lines if str(disk) in line or "/" not in line]
    text = "\n".join([HEAD + json.dumps(told), *own, ""])
    recording.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


class Rig:
    """A file system on a loop device on which one case runs. It was used before: nothing happens for the first time."""

    def __init__(self, stack: ExitStack, size: str):
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/var/tmp"))).resolve()
        self.folder.chmod(0o755)
        mount = stack.enter_context(volume(self.folder, size))
        self.number = mount()
        self.disk = self.folder / "disk"
        (self.disk / "used").write_text("used")
        subprocess.run(["sync", "-f", self.disk], check=True)
        (self.disk / "used").unlink()
        self.settle()

    def settle(self) -> None:
        """Everything that waits is written."""
        subprocess.run(["sync", "-f", self.disk], check=True)

    def sectors(self) -> int:
        """Sectors that the kernel counts as written to the device."""
        return int(Path(f"/sys/dev/block/{self.number}/stat").read_text().split()[6])

    def row(self, case: str, software: str, run) -> dict:
        """Do a run and say what the device got. run() returns (seconds, bytes asked, bytes of the process)."""
        with block_events(self.folder, self.number) as instance:
            before = self.sectors()
            seconds, asked, process = run()
            at_end = self.sectors()
            self.settle()
            after = self.sectors()
            telling = (instance / "trace").read_text()
        source = subprocess.run(["findmnt", "-no", "SOURCE", self.disk], capture_output=True, text=True, check=True)
        found, requests = written(telling, journal_of(source.stdout.strip()))
        assert sum(found.values()) == (after - before) * SECTOR_BYTES, "the two counters of the kernel differ"
        return {
            "case": case,
            "recorded_on": date.today().isoformat(),
            "software": software,
            "kernel": Path("/proc/sys/kernel/osrelease").read_text().split("-")[0],
            "seconds": round(seconds, 3),
            "asked_bytes": asked,
            "process_bytes": process,
            "device_bytes_at_end": (at_end - before) * SECTOR_BYTES,
            "device_bytes": sum(found.values()),
            **{f"{name}_bytes": found[name] for name in ("data", "journal", "metadata")},
            "requests": requests,
        }


def sqlite_case(mode: str, level: str, transactions: int, keep: Path) -> dict:
    """One of SQLite's journal modes with one of its levels."""
    import sqlite3

    with ExitStack() as stack:
        rig = Rig(stack, "2G")

        def run() -> tuple[float, int, int]:
            counters = rig.folder / "counters"
            arguments = [rig.disk / "a.db", mode, level, transactions, counters]
            command = [sys.executable, "-S", "-E", "-B", HERE / "wear_load.py", *arguments]
            start_s = time.time()
            recorder.record([str(word) for word in command], keep)
            without_places(keep, rig.disk, ["python", "wear_load.py", "/data/a.db", mode, level, str(transactions)])
            counted = dict(line.split(": ") for line in counters.read_text().splitlines())
            process = int(counted["write_bytes"]) - int(counted["cancelled_write_bytes"])
            return time.time() - start_s, int(counted["wchar"]), process

        return rig.row(f"sqlite-{mode}-{level}", f"SQLite {sqlite3.sqlite_version}", run)


def postgresql_case(programs: Path, transactions: int, keep: Path) -> dict:
    """Order entry on PostgreSQL, from starting the server to stopping it."""
    scale = Scale(1, items=2000, customers_per_district=100)
    with ExitStack() as stack:
        rig = Rig(stack, "4G")
        shutil.chown(rig.disk, "postgres")
        make_cluster(programs, rig.disk)
        with server(programs, rig.disk, "64MB") as connection:
            load(execute_on(connection), insert_many_on(connection), scale, 2026)
            connection.execute("VACUUM ANALYZE")
            version = connection.execute("SHOW server_version").fetchone()[0].split()[0]
        rig.settle()

        def run() -> tuple[float, int, int]:
            raw = rig.folder / "raw.strace"
            start_s = time.time()
            settings = SETTINGS | {"checkpoint_timeout": "30s"}
            with server(programs, rig.disk, "8MB", None, settings, recorder.traced([], raw)) as connection:
                Client(execute_on(connection), scale, 2027).run(transactions // 2)
                connection.execute("CHECKPOINT")
                Client(execute_on(connection), scale, 2028).run(transactions // 2)
            seconds = time.time() - start_s
            recorder.kept(raw, ["postgres"], 0, seconds, keep)
            without_places(keep, rig.disk, ["postgres", "-D", "/data/cluster"])
            return seconds, 0, 0

        return rig.row("postgresql", f"PostgreSQL {version}", run)


def main() -> None:
    """Record every case; write the recordings and wear.csv."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=HERE / "wear")
    parser.add_argument("--transactions", type=int, default=40, help="of SQLite")
    parser.add_argument("--postgresql-transactions", type=int, default=600)
    parser.add_argument("--programs", type=Path, default=Path("/usr/lib/postgresql/15/bin"), help="folder with initdb")
    parser.add_argument("--only", default="", help="only cases whose names begin so; the others keep their rows")
    options = parser.parse_args()
    options.output.mkdir(exist_ok=True)
    table = options.output / "wear.csv"
    rows = {row["case"]: row for row in csv.DictReader(table.open())} if table.exists() else {}
    cases = {
        f"sqlite-{mode}-{level}": lambda keep, mode=mode, level=level: sqlite_case(
            mode, level, options.transactions, keep
        )
        for mode in MODES
        for level in LEVELS
    }
    cases["postgresql"] = lambda keep: postgresql_case(options.programs, options.postgresql_transactions, keep)
    for case, run in cases.items():
        if case.startswith(options.only):
            rows[case] = run(options.output / f"{case}.strace.gz")
            print(*rows[case].values(), flush=True)
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[case] for case in cases if case in rows)


if __name__ == "__main__":
    main()
