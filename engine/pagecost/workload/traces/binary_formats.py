"""Parquet (by DuckDB) and libCacheSim's oracleGeneral records."""

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
from pagecost.workload.traces.writing import NEVER, ORACLE_RECORD, PAGE_SIZE_KEY

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


def _oracle_fits(head: bytes) -> int:
    """Records fit when times do not fall and every next reference lies in the future."""
    records = np.frombuffer(head[: len(head) // ORACLE_RECORD.itemsize * ORACLE_RECORD.itemsize], ORACLE_RECORD)
    if records.size == 0 or b"\0" not in head[:24]:
        return 0
    following = records["next"]
    known = (following == -1) | (following == NEVER) | (following > np.arange(records.size))
    rising = (np.diff(records["time"].astype(np.int64)) >= 0).all()
    return records.size if known.all() and rising else 0


def _read_oracle(file: FileToRead, tally: Tally) -> Iterator[Requests]:
    """24-byte records `<IQIq`: seconds, object, size, next reference. An object is one page, a request is a read."""
    record = ORACLE_RECORD.itemsize
    tally.say("oracleGeneral does not say what is written: every request counts as a read of one page.")
    read, rest, long_ids = 0, b"", 0
    for piece in packed.pieces(file.path, max(file.piece_bytes // record, 1) * record, file.progress):
        piece = rest + piece
        whole = len(piece) // record * record
        rest = piece[whole:]
        records = np.frombuffer(piece[:whole], ORACLE_RECORD)
        read += records.size
        long_ids += int((records["object"] >> np.uint64(63)).sum())
        yield Requests(
            records["time"].astype(float),
            np.zeros(records.size, np.uint8),
            (records["object"] & np.uint64(NEVER)).astype(np.int64),
            np.ones(records.size, np.int32),
            np.zeros(records.size, np.int16),
            file.page_bytes,
        )
    if long_ids:
        tally.say(f"{long_ids} requests have object ids of 64 bits; the highest bit was dropped.")
    if rest:
        reason = f"the last record ends after {len(rest)} of {record} bytes"
        tally.reject(1, reason)
        tally.show(read + 1, rest.hex(" "), reason)


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
    Format(
        "oracleGeneral",
        "libCacheSim's oracleGeneral",
        (".oraclegeneral", ".bin"),
        "records of 24 bytes: time, object, size, next reference",
        np.array([(0, 7, 4096, 1), (0, 7, 4096, -1)], ORACLE_RECORD).tobytes(),
        _oracle_fits,
        _read_oracle,
        writing.oracle_general,
    ),
)
