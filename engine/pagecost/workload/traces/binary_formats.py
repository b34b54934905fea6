"""Parquet, by DuckDB."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from pagecost.errors import ModelError, require
from pagecost.requests import Requests
from pagecost.workload.traces import columns, packed, writing
from pagecost.workload.traces.fields_kernels import (
    FEW_FIELDS,
    MANY_STREAMS,
    MOST_PAGES,
    NEGATIVE,
    NO_NUMBER,
    NOT_BELIEVABLE,
    NOTHING_COVERED,
    REASONS,
    SHOWN,
    TOO_BIG,
    UNKNOWN_OPERATION,
)
from pagecost.workload.traces.rows import FileToRead, Format, Tally
from pagecost.workload.traces.writing import PAGE_SIZE_KEY

MOST_SECONDS = 9_223_372_036  # of arrivals: what 63 bits of nanoseconds hold, as in text
_TEXT = "trim(CAST({0} AS VARCHAR))"
_WORD = f"lower(COALESCE({_TEXT}, ''))"
_DECIMAL = "[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?"
# A fault stands as its negative number where a number would: what is taken is never negative.
_WHOLE = (
    f"CASE WHEN {{0}} IS NULL THEN {{default}} WHEN {{0}} < 0 THEN -{NEGATIVE} WHEN {{0}} != floor({{0}}) THEN "
    f"-{NO_NUMBER} ELSE COALESCE(TRY_CAST({{0}} AS BIGINT), CASE WHEN isfinite(CAST({{0}} AS DOUBLE)) THEN -{TOO_BIG} "
    f"ELSE -{NO_NUMBER} END) END"
)
_WHOLE_TEXT = (
    f"CASE WHEN COALESCE({_TEXT}, '') = '' THEN {{default}} WHEN {_TEXT} LIKE '-%' THEN -{NEGATIVE} "
    f"WHEN NOT regexp_full_match({_TEXT}, '[0-9]+') THEN -{NO_NUMBER} "
    f"ELSE COALESCE(TRY_CAST({_TEXT} AS BIGINT), -{TOO_BIG}) END"
)
_INTEGER = f"CASE WHEN {{0}} >= 0 THEN {{0}}::BIGINT WHEN {{0}} < 0 THEN -{NEGATIVE} ELSE {{default}} END"
_SECONDS = (  # in the order of DuckDB nothing is greater than what is no number
    f"CASE WHEN {{0}} >= 0 AND {{0}} < {MOST_SECONDS}::DOUBLE THEN {{0}}::DOUBLE WHEN {{0}} IS NULL THEN {{missing}} "
    f"WHEN {{0}} < 0 THEN -{NEGATIVE} WHEN isfinite({{0}}::DOUBLE) THEN -{TOO_BIG} ELSE -{NO_NUMBER} END"
)
_SECONDS_TEXT = (
    f"CASE WHEN COALESCE({_TEXT}, '') = '' THEN {{missing}} WHEN {_TEXT} LIKE '-%' THEN -{NEGATIVE} "
    f"WHEN NOT regexp_full_match({_TEXT}, '{_DECIMAL}') THEN -{NO_NUMBER} "
    f"WHEN NOT COALESCE(TRY_CAST({_TEXT} AS DOUBLE) < {MOST_SECONDS}, false) THEN -{TOO_BIG} "
    f"ELSE TRY_CAST({_TEXT} AS DOUBLE) END"
)
_OPERATIONS = {
    "op": f"CASE WHEN {_WORD} IN ('', 'r', 'read') THEN 0 WHEN {_WORD} IN ('w', 'write') THEN 1 "
    f"WHEN {_WORD} IN ('t', 'trim') THEN 2 ELSE -{UNKNOWN_OPERATION} END",
    "write": f"CASE WHEN {_WORD} IN ('', '0', 'false', 'no', 'r', 'read') THEN 0 "
    f"WHEN {_WORD} IN ('1', 'true', 'yes', 'w', 'write') THEN 1 ELSE -{UNKNOWN_OPERATION} END",
}
_FLAG = f"CASE WHEN {{0}} IS NULL OR {{0}} = 0 THEN 0 WHEN {{0}} = 1 THEN 1 ELSE -{UNKNOWN_OPERATION} END"
INTEGERS = ("BIGINT", "INTEGER", "SMALLINT", "TINYINT", "UINTEGER", "USMALLINT", "UTINYINT")  # that fit into BIGINT
NUMBERS = (*INTEGERS, "UBIGINT", "HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
DEFAULTS = {"arrival_s": "0.0", "op": "0", "page": f"-{FEW_FIELDS}", "pages": "1", "stream": "0"}
TO_CONVERT = (
    "; of Parquet only page numbers are read: write a table of addresses to CSV, as with DuckDB's "
    f"COPY 'a.parquet' TO 'a.csv', and name its columns, as in --columns {columns.EXAMPLE}"
)
ROW_BYTES = 24  # about what a row takes in memory


def _parquet_fits(head: bytes) -> int:
    return 1 if head.startswith(b"PAR1") else 0


def _read_parquet(file: FileToRead, tally: Tally) -> Iterator[Requests]:
    """Rows in pieces: DuckDB skips the row groups that a range of row numbers does not touch."""
    import duckdb  # here, because it takes 50 ms that a program without Parquet need not wait

    path = str(file.path)
    require(
        packed.packing_of(file.path) is None,
        f"trace {path}: a Parquet file compresses its columns itself; unpack the file around it",
    )
    rows_at_once = max(file.piece_bytes // ROW_BYTES, 1)
    try:
        with duckdb.connect() as connection:
            described = connection.execute("DESCRIBE SELECT * FROM read_parquet($1)", [path]).fetchall()
            types = {row[0]: row[1] for row in described}
            named = _named(path, list(types), tally)
            chosen = dict(DEFAULTS)
            for meaning, name in named.items():
                expression = _expression(connection, path, name, types[name], meaning, tally)
                chosen["op" if meaning == "write" else meaning] = expression
            selected = ", ".join(f"{expression} AS {name}_" for name, expression in chosen.items())
            total = connection.execute("SELECT sum(num_rows) FROM parquet_file_metadata($1)", [path]).fetchall()[0][0]
            for start in range(0, int(total or 0), rows_at_once):
                file.progress(start / total)
                found = connection.execute(
                    f"SELECT {selected} {_rows(types)}", [path, start, rows_at_once]
                ).fetchnumpy()
                columns_found = {name: np.ma.getdata(found[f"{name}_"]) for name in chosen}
                requests, rejected = _of_table(columns_found, file.page_bytes, tally)
                for row, reason in rejected[: max(SHOWN - len(tally.rejected), 0)]:
                    tally.show(start + row + 1, _shown(connection, path, types, named, start + row), reason)
                yield requests
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"trace {path}: not a readable parquet file, it may be truncated ({reason})") from None
    file.progress(1.0)


def _named(path: str, present: list[str], tally: Tally) -> dict[str, str]:
    """The column that has each meaning; what is not there or not used is said in the tally."""
    try:
        meant = columns.meanings(present)
    except ModelError as error:
        hint = "" if _has_page(present) else TO_CONVERT
        raise ModelError(f"trace {path}: {error}{hint}") from None
    tally.say(*columns.sentences(present, meant))
    return {meaning: name for name, meaning in zip(present, meant, strict=True) if meaning is not None}


def _has_page(present: list[str]) -> bool:
    return any(name.lower() in columns.NAMES["page"] for name in present)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _expression(connection, path: str, name: str, type: str, meaning: str, tally: Tally) -> str:
    """What is selected of a column of a DuckDB type for its meaning: a number, negative (a fault) where it is none."""
    column = _quoted(name)
    number = type.split("(")[0] in NUMBERS
    if meaning in _OPERATIONS:
        flag = column if number else f"{column}::INTEGER"
        return _FLAG.format(flag) if number or type == "BOOLEAN" else _OPERATIONS[meaning].format(column)
    if meaning != "arrival_s":
        whole = _INTEGER if type in INTEGERS else _WHOLE if number else _WHOLE_TEXT
        return whole.format(column, default=DEFAULTS[meaning])
    present = f"SELECT 1 FROM read_parquet($1) WHERE COALESCE({_TEXT.format(column)}, '') != '' LIMIT 1"
    # a time that is missing among others is a fault; where all are, there are none
    missing = f"-{FEW_FIELDS}" if connection.execute(present, [path]).fetchone() else "0"
    if not type.startswith("TIMESTAMP") and type != "DATE":
        return (_SECONDS if number else _SECONDS_TEXT).format(column, missing=missing)
    ticks, per_s = ("epoch_ns", 10**9) if type == "TIMESTAMP_NS" else ("epoch_us", 10**6)
    first = connection.execute(
        f"SELECT min({ticks}({column})) FROM read_parquet($1) WHERE isfinite({column})", [path]
    ).fetchone()[0]
    tally.say("Times are dates; they count from the earliest of them.")
    return (
        f"CASE WHEN {column} IS NULL THEN {missing} WHEN NOT isfinite({column}) THEN -{NO_NUMBER} "
        f"ELSE CAST({ticks}({column}) - {first or 0} AS DOUBLE) / {per_s} END"
    )


def _rows(present: Iterable[str]) -> str:
    """Where the $3 rows from the $2-th on come from. A column of the name that DuckDB numbers rows by hides those."""
    if "file_row_number" in map(str.lower, present):
        return "FROM read_parquet($1) LIMIT $3 OFFSET $2"
    return (
        "FROM read_parquet($1, file_row_number = true) "
        "WHERE file_row_number >= $2 AND file_row_number < $2 + $3 ORDER BY file_row_number"
    )


def _shown(connection, path: str, present: Iterable[str], named: dict[str, str], row: int) -> str:
    """The cells of a row that mean something, by their meanings."""
    cells = ", ".join(f"CAST({_quoted(name)} AS VARCHAR)" for name in named.values())
    found = connection.execute(f"SELECT {cells} {_rows(present)}", [path, row, 1]).fetchone()
    return ", ".join(f"{meaning} {cell}" for meaning, cell in zip(named, found, strict=True))


def _own_page_bytes(path: Path) -> int | None:
    """The page size that stands in the metadata of a Parquet file; None where there is none."""
    import duckdb

    try:
        with duckdb.connect() as connection:
            found = connection.execute(
                "SELECT decode(value) FROM parquet_kv_metadata($1) WHERE decode(key) = $2", [str(path), PAGE_SIZE_KEY]
            ).fetchone()
    except duckdb.Error:
        return None  # whoever reads it finds out why
    return int(found[0]) if found and found[0].isdigit() and int(found[0]) > 0 else None


def _of_table(found: dict, page_bytes: int, tally: Tally) -> tuple[Requests, list[tuple[int, str]]]:
    """(requests, rows that are none with the reason, the first of each reason): faults are counted in the tally."""
    page, pages = found["page"].astype(np.int64), found["pages"].astype(np.int64)
    fault = np.zeros(page.size, np.int64)
    checks = (
        (pages == 0, NOTHING_COVERED),
        (pages > MOST_PAGES, NOT_BELIEVABLE),
        (page > np.iinfo(np.int64).max - np.maximum(pages, 0), TOO_BIG),
        (found["stream"] > np.iinfo(np.int16).max, MANY_STREAMS),
    )
    for column in found.values():
        broken = (column < 0) & (fault == 0)
        fault[broken] = -column[broken]
    for broken, reason in checks:
        fault[broken & (fault == 0)] = reason
    rejected = []
    for reason in np.unique(fault[fault > 0]).tolist():
        rows = np.flatnonzero(fault == reason)
        tally.reject(rows.size, REASONS[reason])
        rejected += [(row, REASONS[reason]) for row in rows[:SHOWN].tolist()]
    good = fault == 0
    types = {"arrival_s": float, "op": np.uint8, "page": np.int64, "pages": np.int32, "stream": np.int16}
    kept = {name: np.ascontiguousarray(found[name][good]).astype(type) for name, type in types.items()}
    return Requests(**kept, page_bytes=page_bytes), sorted(rejected)


FORMATS = (
    Format(
        "parquet",
        "pagecost's own Parquet",
        (".parquet",),
        "the columns arrival_s, op, page, pages, stream",
        b"PAR1",
        _parquet_fits,
        _read_parquet,
        writing.parquet,
        own_page_bytes=_own_page_bytes,
    ),
)
