# /// script
# requires-python = ">=3.11"
# dependencies = ["duckdb>=1.3"]
# ///
"""Record the page reads and writes of SQLite's main database file under the order-entry workload.

The database is loaded, then the transactions run in a process of their own under strace. SQLite's own cache is as good
as switched off, so that the file layer sees almost each page reference. Pages bear SQLite's numbers (the first is 1).
Needs strace and duckdb; leaves nothing behind but the trace and its row in traces.csv beside it:

    uv run datasets/traces/record_sqlite.py
"""

import argparse
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from order_entry import Client, Scale, load
from page_trace import STRACE, FileAccess, PageAccess, print_fingerprint, read_strace, update_index, write_parquet

HERE = Path(__file__).resolve().parent
PAGE_BYTES = 4096
DATABASE = "order-entry.db"


def connect(database: Path, cache_pages: int) -> sqlite3.Connection:
    """Open the database with explicit transactions, a rollback journal that stays, no memory map and no waits."""
    connection = sqlite3.connect(database, isolation_level=None)
    for pragma in (
        f"page_size = {PAGE_BYTES}",
        f"cache_size = {cache_pages}",
        "mmap_size = 0",
        "journal_mode = PERSIST",  # not WAL: its readers would take recent pages from the log, unseen by the trace
        "synchronous = OFF",  # changes how long a commit takes, not which pages it writes
        "temp_store = MEMORY",
    ):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def run_transactions(options: argparse.Namespace, scale: Scale) -> None:
    """Run the transactions on the loaded database; this is the process under strace."""
    connection = connect(options.transactions_on, options.cache_pages)
    print(Client(connection.execute, scale, options.seed + 1).run(options.transactions))
    connection.close()


def record(options: argparse.Namespace, scale: Scale) -> tuple[list[FileAccess], int]:
    """Load a database, run this script's transactions under strace; return the accesses and the database's pages."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        database, strace_output = folder / DATABASE, folder / "strace"
        connection = connect(database, cache_pages=10_000)
        load(connection.execute, connection.executemany, scale, options.seed)
        connection.close()
        print(f"loaded: {database.stat().st_size // PAGE_BYTES} pages")
        itself = (sys.executable, *sys.argv, "--transactions-on", database)
        subprocess.run([*STRACE, "-o", strace_output, *itself], check=True)
        return read_strace(strace_output, folder), database.stat().st_size // PAGE_BYTES


def main() -> None:
    """Record, write the trace, print what was kept and what was dropped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=HERE / "sqlite-order-entry.parquet")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--transactions", type=int, default=5000)
    parser.add_argument("--warehouses", type=int, default=2)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--customers-per-district", type=int, default=1000)
    parser.add_argument("--cache-pages", type=int, default=16, help="SQLite's cache while recording")
    parser.add_argument("--transactions-on", type=Path, help="used by the script itself: the database under strace")
    options = parser.parse_args()
    scale = Scale(options.warehouses, options.items, options.customers_per_district)
    if options.transactions_on:
        run_transactions(options, scale)
        return

    accesses, database_pages = record(options, scale)
    of_database = [access for access in accesses if access.path == DATABASE]
    whole = [access for access in of_database if access.size_bytes == PAGE_BYTES]
    partial = Counter((a.op, a.offset_bytes, a.size_bytes) for a in of_database if a.size_bytes != PAGE_BYTES)
    journal = Counter(access.op for access in accesses if access.path != DATABASE)
    print(f"database: {database_pages} pages, {len(whole)} accesses to whole pages; not in the trace:")
    print(f"partial accesses (op, offset, bytes) {dict(partial)}, journal accesses {dict(journal)}")
    trace = [PageAccess(a.time_s, a.op, a.offset_bytes // PAGE_BYTES + 1, 1, 0) for a in whole]
    write_parquet(trace, options.output)
    version = ".".join(sqlite3.sqlite_version.split(".")[:2])
    update_index(
        options.output,
        title=f"SQLite {version}, order entry, {options.cache_pages}-page cache",
        page_bytes=PAGE_BYTES,
        transactions=options.transactions,
        software=f"SQLite {sqlite3.sqlite_version}",
        note=f"{options.transactions} transactions, database of {database_pages} pages, journal not in the trace",
    )
    print_fingerprint(options.output)


if __name__ == "__main__":
    main()
