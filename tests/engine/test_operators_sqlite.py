"""Plans against SQLite: it runs the query on generated rows while a file system of ours notes each page that it reads.

Every read of the database file passes through a VFS of apsw, so nothing of the operating system is in the way, and
SQLite's own cache is as large as each test says. By SQLite's file format a row here takes 99 bytes of a page: a header
of 5, a key of 8, 80 of filling, its size, its number (3) and a pointer (2); an entry of the index 17: a header of 3,
the key, the row's number (3), its size and a pointer (2).
"""

from collections import Counter

import apsw
import numpy as np
import pytest

from pagecost.operators import IndexSize, Join, Size, index_scan, joins, table_scan
from pagecost.operators.selection import SORTED, UNSORTED

PAGE_BYTES, ROWS = 4096, 24_000
OUTER_ROWS = 800
TABLE = Size(ROWS, 99, PAGE_BYTES)
INDEX = IndexSize(TABLE, entry_bytes=17, fill=1.0)
FIRST_KEY, FIRST_ROW = 1 << 50, 1 << 16  # long numbers, so that each takes the same space


class Noting(apsw.VFS):
    """A file system that notes which page of the database each read is for."""

    def __init__(self):
        self.read = []
        super().__init__("noting", "")

    def xOpen(self, name, flags):
        return NotedFile(name, flags, self.read)


class NotedFile(apsw.VFSFile):
    def __init__(self, name, flags, read):
        self.read_pages = read if flags[0] & apsw.SQLITE_OPEN_MAIN_DB else []
        super().__init__("", name, flags)

    def xRead(self, amount, offset):
        if amount == PAGE_BYTES:
            self.read_pages.append(offset // PAGE_BYTES + 1)
        return super().xRead(amount, offset)


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """(the file system, ask): ask(query, cache in pages) -> (rows of the answer, pages read by kind).

    Kinds: leaf and inner pages of each table and index, as SQLite's own `dbstat` says.
    """
    path, noting = str(tmp_path_factory.mktemp("sqlite") / "rows.db"), Noting()
    random = np.random.default_rng(5)
    made = apsw.Connection(path)
    made.execute(f"PRAGMA page_size = {PAGE_BYTES}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    made.execute("CREATE TABLE s (id INTEGER PRIMARY KEY, key INTEGER, filling BLOB)")
    made.execute("CREATE TABLE r (id INTEGER PRIMARY KEY, key INTEGER, filling BLOB)")
    filling = bytes(80)
    with made:
        for table, rows in (("s", ROWS), ("r", OUTER_ROWS)):
            keys = FIRST_KEY + random.permutation(ROWS)[:rows]
            numbered = ((FIRST_ROW + at, key, filling) for at, key in enumerate(keys.tolist()))
            made.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", numbered)
    made.execute("CREATE INDEX by_key ON s (key)")
    kinds = {page: f"{name} {kind}" for name, page, kind in made.execute("SELECT name, pageno, pagetype FROM dbstat")}
    made.close()

    def ask(query: str, cache_pages: int):
        with_cache = apsw.Connection(path, vfs="noting", flags=apsw.SQLITE_OPEN_READONLY)
        with_cache.execute(f"PRAGMA cache_size = {cache_pages}; PRAGMA mmap_size = 0; PRAGMA automatic_index = OFF")
        with_cache.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        noting.read.clear()
        rows = with_cache.execute(query).fetchall()
        with_cache.close()
        return rows, Counter(kinds.get(page, "schema") for page in noting.read)

    yield ask
    noting.unregister()


def test_the_pages_of_the_table_and_its_index_are_as_many_as_their_sizes_say(database):
    """Leaves are filled one after the other by rows in order, and by the sorted entries of a new index."""
    rows, read = database("SELECT count(*), sum(length(filling)) FROM s NOT INDEXED", 50)
    assert rows == [(ROWS, 80 * ROWS)]
    assert read["s leaf"] == table_scan(TABLE).pages_read
    _, read = database("SELECT count(key) FROM s INDEXED BY by_key WHERE key >= 0", 50)
    assert read["by_key leaf"] == pytest.approx(INDEX.levels[-1], abs=1)


@pytest.mark.parametrize("share", [0.0005, 0.005, 0.02, 0.1])
def test_an_index_scan_row_by_row_reads_a_page_for_each_row(database, share):
    """SQLite follows the index; a cache of 30 pages holds the inner pages and 5 % of the leaves: up to 6 % hits."""
    picks = round(share * ROWS)
    rows, read = database(_range(picks), 30)
    assert rows == [(picks,)]
    plan = index_scan(INDEX, share, UNSORTED)
    assert read["s leaf"] == pytest.approx(plan.accesses[-1].all_pages, rel=0.08)
    assert read["by_key leaf"] == pytest.approx(plan.accesses[1].all_pages, abs=1)


@pytest.mark.parametrize("share", [0.0005, 0.005, 0.02, 0.1])
def test_with_a_cache_for_all_pages_an_index_scan_reads_those_that_yao_expects(database, share):
    """One draw of rows: its spread around the expected pages is below 5 % from 12 rows on."""
    picks = round(share * ROWS)
    _, read = database(_range(picks), 5000)
    assert read["s leaf"] == pytest.approx(index_scan(INDEX, share, SORTED).accesses[-1].all_pages, rel=0.05)


@pytest.mark.parametrize("share", [0.005, 0.02, 0.1])
def test_sorted_by_row_number_each_page_is_read_once_even_with_a_small_cache(database, share):
    """`IN` a sorted list of row numbers: what plans call sorted."""
    picks = round(share * ROWS)
    rows, read = database(
        f"SELECT sum(length(filling)) FROM s WHERE id IN (SELECT id FROM s INDEXED BY by_key {_where(picks)})", 30
    )
    assert rows == [(80 * picks,)]
    assert read["s leaf"] == pytest.approx(index_scan(INDEX, share, SORTED).accesses[-1].all_pages, rel=0.05)


@pytest.mark.parametrize("cache_pages", [40, 120])
def test_index_nested_loops_reads_a_leaf_and_a_page_of_rows_for_each_row_of_r(database, cache_pages):
    """Both are looked for at random, so a cache saves of each what an LRU of its size holds. 8 %: 800 draws."""
    rows, read = database(
        "SELECT count(*), sum(length(s.filling)) FROM r CROSS JOIN s INDEXED BY by_key ON s.key = r.key", cache_pages
    )
    assert rows == [(OUTER_ROWS, 80 * OUTER_ROWS)]
    join = Join(Size(OUTER_ROWS, 99, PAGE_BYTES), TABLE, cache_pages, share=OUTER_ROWS / ROWS)
    plan = {access.phase: access.all_pages for access in joins.index_nested_loops(join).accesses if access.runs}
    assert read["r leaf"] == plan["R"]
    leaves, pages = probes_missed(INDEX.levels[-1], TABLE.pages, cache_pages - INNER_PAGES)
    assert read["by_key leaf"] == pytest.approx(leaves * plan["index of S"], rel=0.08)
    assert read["s leaf"] == pytest.approx(pages * plan["rows of S"], rel=0.08)


INNER_PAGES = 6  # of both tables and the index, and the leaf of R: always in the cache


def probes_missed(leaves: int, pages: int, frames: int) -> tuple[float, float]:
    """Shares of the probes that miss in leaves and in pages, each drawn evenly, under one LRU (Che's approximation)."""
    low, high = 0.0, 1e9
    while high - low > 1e-9 * high:
        time = (low + high) / 2
        held = leaves * -np.expm1(-time / leaves) + pages * -np.expm1(-time / pages)
        low, high = (time, high) if held < frames else (low, time)
    return float(np.exp(-low / leaves)), float(np.exp(-low / pages))


def test_the_scan_is_cheaper_in_pages_from_where_the_plan_says(database):
    """Row by row, pages alone: as many rows as the table has pages."""
    _, scan = database("SELECT sum(length(filling)) FROM s NOT INDEXED", 30)
    even = TABLE.pages / ROWS
    _, few = database(_range(round(0.85 * even * ROWS)), 30)
    _, many = database(_range(round(1.25 * even * ROWS)), 30)
    assert few["s leaf"] < scan["s leaf"] < many["s leaf"]


def _where(picks: int) -> str:
    return f"WHERE key >= {FIRST_KEY + 700} AND key < {FIRST_KEY + 700 + picks}"


def _range(picks: int) -> str:
    return f"SELECT count(filling) FROM s INDEXED BY by_key {_where(picks)}"
