"""What SQLite is asked to do while its writes are recorded: a load, then small transactions that update and insert.

    python datasets/traces/wear_load.py DATABASE JOURNAL_MODE SYNCHRONOUS TRANSACTIONS [COUNTERS]

COUNTERS: a file for the kernel's counters of this process (/proc/self/io) after the last transaction.
"""

import random
import sqlite3
import sys
from pathlib import Path

ROWS, UPDATES, SEED = 5000, 3, 7


def main(database: str, mode: str, synchronous: str, transactions: int, counters: str = "") -> None:
    """Load and change a database."""
    connection = sqlite3.connect(database, isolation_level=None)
    for pragma in ("page_size = 4096", f"journal_mode = {mode}", f"synchronous = {synchronous}"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER, filler TEXT)")
    connection.execute("CREATE TABLE history (account INTEGER, delta INTEGER, filler TEXT)")
    connection.execute("CREATE INDEX history_by_account ON history (account)")
    draws = random.Random(SEED)
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO account VALUES (?, 0, ?)", ((row, "x" * 80) for row in range(ROWS)))
    connection.execute("COMMIT")
    for _ in range(transactions):
        connection.execute("BEGIN")
        for _ in range(UPDATES):
            account, delta = draws.randrange(ROWS), draws.randrange(-999, 999)
            connection.execute("UPDATE account SET balance = balance + ? WHERE id = ?", (delta, account))
            connection.execute("INSERT INTO history VALUES (?, ?, ?)", (account, delta, "y" * 50))
        connection.execute("COMMIT")
    connection.close()
    if counters:
        Path(counters).write_text(Path("/proc/self/io").read_text())


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]), *sys.argv[5:])
