"""Parquet, by DuckDB."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pagecost.errors import ModelError, require
from pagecost.requests import Requests
from pagecost.workload.traces import columns, packed, writing
from pagecost.workload.traces.fields_kernels import (
    MOST_PAGES,
    NEGATIVE,
    NOT_BELIEVABLE,
    NOTHING_COVERED,
    REASONS,
    SHOWN,
    UNKNOWN_OPERATION,
)
from pagecost.workload.traces.rows import FileToRead, Format, Tally
from pagecost.workload.traces.writing import PAGE_SIZE_KEY

_WORD = "lower(trim(COALESCE(TRY_CAST({0} AS VARCHAR), '')))"
REQUEST_COLUMNS = {
    "arrival_s": "COALESCE(TRY_CAST({0} AS DOUBLE), 0)",
    "op": f"CASE WHEN {_WORD} IN ('', 'r', 'read') THEN 0 WHEN {_WORD} IN ('w', 'write') THEN 1 "
    f"WHEN {_WORD} IN ('t', 'trim') THEN 2 ELSE 255 END",
    "write": f"CASE WHEN {_WORD} IN ('', '0', 'false', 'no', 'r', 'read') THEN 0 "
    f"WHEN {_WORD} IN ('1', 'true', 'yes', 'w', 'write') THEN 1 ELSE 255 END",
    "page": "COALESCE(TRY_CAST({0} AS BIGINT), -1)",
    "pages": "COALESCE(TRY_CAST({0} AS BIGINT), 1)",
    "stream": "COALESCE(TRY_CAST({0} AS SMALLINT), 0)",
}
DEFAULTS = {"arrival_s": "0.0", "op": "0", "page": "-1", "pages": "1", "stream": "0"}
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
            chosen = _expressions(path, [row[0] for row in described], tally)
            selected = ", ".join(f"{expression} AS {name}_" for name, expression in chosen.items())
            total = connection.execute("SELECT sum(num_rows) FROM parquet_file_metadata($1)", [path]).fetchall()[0][0]
            for start in range(0, int(total or 0), rows_at_once):
                file.progress(start / total)
                found = connection.execute(
                    f"SELECT {selected} FROM read_parquet($1, file_row_number = true) "
                    "WHERE file_row_number >= $2 AND file_row_number < $3 ORDER BY file_row_number",
                    [path, start, start + rows_at_once],
                ).fetchnumpy()
                yield _of_table({name: found[f"{name}_"] for name in chosen}, start, file.page_bytes, tally)
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"trace {path}: not a readable parquet file, it may be truncated ({reason})") from None
    file.progress(1.0)


def _expressions(path: str, present: list[str], tally: Tally) -> dict[str, str]:
    """What is selected for each array of the requests; what is not there or not used is said in the tally."""
    try:
        meant = columns.meanings(present)
    except ModelError as error:
        raise ModelError(f"trace {path}: {error}") from None
    tally.say(*columns.sentences(present, meant))
    chosen = dict(DEFAULTS)
    for name, meaning in zip(present, meant, strict=True):
        if meaning is not None:
            quoted = '"' + name.replace('"', '""') + '"'
            chosen["op" if meaning == "write" else meaning] = REQUEST_COLUMNS[meaning].format(quoted)
    return chosen


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


def _of_table(found: dict, start: int, page_bytes: int, tally: Tally) -> Requests:
    faults = {
        REASONS[fault]: broken
        for fault, broken in (
            (UNKNOWN_OPERATION, found["op"] == 255),
            (NEGATIVE, found["page"] < 0),
            (NOTHING_COVERED, found["pages"] < 1),
            (NOT_BELIEVABLE, found["pages"] > MOST_PAGES),
        )
    }
    good = np.ones(found["page"].size, bool)
    for reason, broken in faults.items():
        for row in np.flatnonzero(broken & good)[:SHOWN].tolist():
            tally.show(start + row + 1, f"page {found['page'][row]}, pages {found['pages'][row]}", reason)
        tally.reject(int((broken & good).sum()), reason)
        good &= ~broken
    kept = {name: np.ascontiguousarray(np.ma.getdata(column)[good]) for name, column in found.items()}
    return Requests(
        kept["arrival_s"].astype(float),
        kept["op"].astype(np.uint8),
        kept["page"].astype(np.int64),
        kept["pages"].astype(np.int32),
        kept["stream"].astype(np.int16),
        page_bytes,
    )


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
