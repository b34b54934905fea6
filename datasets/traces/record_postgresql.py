# /// script
# requires-python = ">=3.11"
# dependencies = ["duckdb>=1.3", "psycopg[binary]>=3.2"]
# ///
"""Record PostgreSQL's page reads and writes of relation files under the order-entry workload.

A cluster of its own is made in a temporary folder (reached through a Unix socket there, no network port) and loaded
with a comfortable buffer. Then the server is started again under strace with the smallest shared_buffers, so that the
file layer sees most page references, and one client runs the transactions. The trace holds what all server processes
read and wrote in the database's relation files from the first transaction to the last; the log (WAL) and the shared
catalogue are not in it. Streams are relations (the system catalogue's share one); pages are numbered relation by
relation, block by block.

Needs PostgreSQL's server programs, strace, duckdb and psycopg. As root it runs the server as user postgres. Leaves
nothing behind but the trace and its row in traces.csv beside it:

    uv run datasets/traces/record_postgresql.py
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psycopg

from order_entry import Client, Scale, load
from page_trace import STRACE, FileAccess, PageAccess, print_fingerprint, read_strace, update_index, write_parquet

HERE = Path(__file__).resolve().parent
PAGE_BYTES = 8192
START_TIMEOUT_S = 60
FORKS = ("main", "fsm", "vm")
"""PostgreSQL's files of a relation: its pages, the free space map, the visibility map."""
SYSTEM_CATALOGUE = "system catalogue"

SETTINGS = {
    "listen_addresses": "",
    "autovacuum": "off",  # its runs depend on the clock, and a trace should not
    "fsync": "off",  # changes how long a commit takes, not which pages are read or written
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
}


class Relation(NamedTuple):
    """A file of a relation and the page number of its first block in the trace."""

    stream_name: str
    first_page: int
    blocks: int


def as_server_user(command: list) -> list:
    """Return the command to run as user postgres when called as root, for the server refuses to run as root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command


@contextmanager
def server(
    programs: Path,
    folder: Path,
    shared_buffers: str,
    strace_output: Path | None = None,
    more_settings: Mapping[str, str] | None = None,
    started_by: Sequence = (),
) -> Iterator[psycopg.Connection]:
    """Start the server on the cluster in `folder`, under strace if asked to; yield a connection; stop it.

    started_by: a command that starts the one behind it, which is the server.
    """
    settings = (
        SETTINGS
        | dict(more_settings or {})
        | {"unix_socket_directories": str(folder), "shared_buffers": shared_buffers}
    )
    command = [programs / "postgres", "-D", folder / "cluster"]
    command += [argument for name, value in settings.items() for argument in ("-c", f"{name}={value}")]
    if strace_output:
        command = [*STRACE, "-o", strace_output, *command]
    with (folder / "server.log").open("a") as log:
        process = subprocess.Popen([*started_by, *as_server_user(command)], stdout=log, stderr=log, cwd=folder)
    try:
        with connect(folder) as connection:
            yield connection
    finally:
        stop = [programs / "pg_ctl", "stop", "-D", folder / "cluster", "-m", "fast"]
        subprocess.run(as_server_user(stop), check=True, cwd=folder, stdout=subprocess.DEVNULL)
        process.wait()


def connect(folder: Path) -> psycopg.Connection:
    """Return a connection as soon as the server accepts one."""
    give_up_s = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            return psycopg.connect(host=str(folder), user="postgres", dbname="postgres", autocommit=True)
        except psycopg.OperationalError:
            if time.monotonic() > give_up_s:
                raise
            time.sleep(0.2)


def execute_on(connection: psycopg.Connection) -> Callable:
    """Return a function that runs SQL with `?` parameters, the way the workload writes them."""
    return lambda sql, parameters=(): connection.execute(sql.replace("?", "%s"), parameters)


def insert_many_on(connection: psycopg.Connection) -> Callable:
    """Return a function that runs an INSERT statement with `?` parameters for each row."""
    return lambda sql, rows: connection.cursor().executemany(sql.replace("?", "%s"), rows)


def relations_of(connection: psycopg.Connection, database_folder: Path) -> dict[str, Relation]:
    """Return the database's relation files by file name, numbered through: tables, then indexes, then the catalogue.

    Only to be called with all pages on disk (after a checkpoint), as it counts the blocks of the files.
    """
    rows = connection.execute(
        "SELECT pg_relation_filenode(oid)::text, relname, relnamespace <> 'public'::regnamespace AS in_catalogue "
        "FROM pg_class WHERE pg_relation_filenode(oid) IS NOT NULL AND NOT relisshared "
        "ORDER BY in_catalogue, relkind <> 'r', relname"
    ).fetchall()
    relations, first_page = {}, 0
    for file_node, relation, in_catalogue in rows:
        for fork in FORKS:
            suffix = "" if fork == "main" else f"_{fork}"
            file = database_folder / f"{file_node}{suffix}"
            if file.exists():
                blocks = file.stat().st_size // PAGE_BYTES
                name = relation if fork == "main" else f"{relation} ({fork})"
                relations[file.name] = Relation(SYSTEM_CATALOGUE if in_catalogue else name, first_page, blocks)
                first_page += blocks
    return relations


def make_cluster(programs: Path, folder: Path) -> None:
    """Make an empty cluster in `folder`."""
    initdb = [programs / "initdb", "-D", folder / "cluster", "-U", "postgres", "-A", "trust"]
    initdb += ["--locale=C", "-E", "UTF8", "--no-sync"]
    subprocess.run(as_server_user(initdb), check=True, cwd=folder, stdout=subprocess.DEVNULL)


def record(
    options: argparse.Namespace, scale: Scale, folder: Path
) -> tuple[list[FileAccess], dict[str, Relation], str]:
    """Make and load a cluster, run the transactions under strace; return accesses, relation files, and the version."""
    make_cluster(options.programs, folder)
    with server(options.programs, folder, "128MB") as connection:
        load(execute_on(connection), insert_many_on(connection), scale, options.seed)
        connection.execute("VACUUM ANALYZE")
    with server(options.programs, folder, options.shared_buffers, folder / "strace") as connection:
        client = Client(execute_on(connection), scale, options.seed + 1)
        connection.execute("SELECT pg_stat_reset()")
        start_s = time.time()
        print(client.run(options.transactions))
        end_s = time.time()
        print_buffer_hits(connection)
        connection.execute("CHECKPOINT")
        version = connection.execute("SHOW server_version").fetchone()[0].split()[0]
        (path,) = connection.execute("SELECT pg_relation_filepath('warehouse')").fetchone()
        database_folder = (folder / "cluster" / path).parent
        relations = relations_of(connection, database_folder)
    accesses = [a for a in read_strace(folder / "strace", database_folder) if start_s <= a.time_s <= end_s]
    return accesses, relations, version


def print_buffer_hits(connection: psycopg.Connection) -> None:
    """Print how many page references the server's own buffer answered: those the trace cannot show."""
    connection.execute("SELECT pg_stat_force_next_flush()")
    hits, reads = connection.execute(
        "SELECT blks_hit, blks_read FROM pg_stat_database WHERE datname = current_database()"
    ).fetchone()
    print(f"the server's own buffer: {hits} hits, {reads} reads, hit ratio {hits / (hits + reads):.4f}")


def number_pages(accesses: list[FileAccess], relations: dict[str, Relation]) -> list[PageAccess]:
    """Give each access its page number and its stream, and print the legend of the streams."""
    if odd := [access for access in accesses if access.size_bytes != PAGE_BYTES]:
        raise ValueError(f"accesses that are not one page: {odd[:3]}")
    stream_names = list(dict.fromkeys(relation.stream_name for relation in relations.values()))
    trace = []
    for access in accesses:
        name, first_page, _ = relations[access.path]
        page = first_page + access.offset_bytes // PAGE_BYTES
        trace.append(PageAccess(access.time_s, access.op, page, 1, stream_names.index(name)))
    counts = Counter((access.stream, access.op) for access in trace)
    print("| stream | relation | first page | pages | reads | writes |\n|---:|---|---:|---:|---:|---:|")
    for stream, name in enumerate(stream_names):
        parts = [relation for relation in relations.values() if relation.stream_name == name]
        place = f"{parts[0].first_page} | {sum(part.blocks for part in parts)}"
        print(f"| {stream} | {name} | {place} | {counts[stream, 'r']} | {counts[stream, 'w']} |")
    return trace


def main() -> None:
    """Record, write the trace, print the legend of the streams."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=HERE / "postgresql-order-entry.parquet")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--transactions", type=int, default=5000)
    parser.add_argument("--warehouses", type=int, default=2)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--customers-per-district", type=int, default=1000)
    parser.add_argument("--shared-buffers", default="128kB", help="PostgreSQL's buffer while recording")
    parser.add_argument("--programs", type=Path, default=Path("/usr/lib/postgresql/15/bin"), help="folder with initdb")
    options = parser.parse_args()
    scale = Scale(options.warehouses, options.items, options.customers_per_district)

    with tempfile.TemporaryDirectory() as name:
        if os.geteuid() == 0:
            shutil.chown(name, "postgres")
        accesses, relations, version = record(options, scale, Path(name).resolve())
    trace = number_pages(accesses, relations)
    write_parquet(trace, options.output)
    database_pages = sum(relation.blocks for relation in relations.values())
    print(f"database: {database_pages} pages")
    update_index(
        options.output,
        title=f"PostgreSQL {version.split('.')[0]}, order entry, {options.shared_buffers} of buffers",
        page_bytes=PAGE_BYTES,
        transactions=options.transactions,
        software=f"PostgreSQL {version}",
        note=f"{options.transactions} transactions, database of {database_pages} pages, log not in the trace",
    )
    print_fingerprint(options.output)


if __name__ == "__main__":
    main()
