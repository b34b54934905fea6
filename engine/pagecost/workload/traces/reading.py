"""Readers of trace files. DuckDB does the parsing; what comes out are the arrays of `Requests`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pagecost.errors import ModelError, known, require
from pagecost.requests import READ, WRITE, Requests

REJECTED_SHOWN = 20  # lines that are kept word for word
REQUEST_COLUMNS = ("arrival_s", "op", "page", "pages", "stream")


@dataclass(frozen=True)
class Rejected:
    """A line that could not be understood: its number (from 1), its text, and why."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True, eq=False)
class Trace:
    """A trace file as understood: its requests, its format, and the first lines that were rejected."""

    path: Path
    format: str
    requests: Requests
    rejected_lines: int = 0
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True)
class Format:
    """A trace format: the endings that tell it (before .gz or .zst), and how it is read.

    read(connection, path) returns the columns, the number of rejected lines and the first of them.
    """

    name: str
    endings: tuple[str, ...]
    describes: str
    read: Callable


def read(path, format: str | None = None, page_bytes: int = 4096) -> Trace:
    """Read a trace file; the ending tells the format unless `format` names one of `FORMATS`.

    Raises ModelError when the file is missing, empty, damaged or truncated, or when no line of it can be understood.
    Single lines that cannot be understood are counted in the result, not raised.
    """
    import duckdb  # here, because it takes 50 ms that a program without traces need not wait

    path = Path(path)
    require(path.is_file(), f"trace {path}: there is no such file")
    require(path.stat().st_size > 0, f"trace {path}: the file is empty")
    chosen = FORMATS[known("trace format", format, FORMATS)] if format else _format_of(path)
    try:
        with duckdb.connect() as connection:
            columns, rejected_lines, rejected = chosen.read(connection, path)
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"trace {path}: not a readable {chosen.name} file, it may be truncated ({reason})") from None
    if columns["page"].size == 0:
        first = f"; line {rejected[0].line}: {rejected[0].reason}" if rejected else ""
        raise ModelError(f"trace {path}: no request in it (expected {chosen.describes}){first}")
    return Trace(path, chosen.name, _requests(path, columns, page_bytes), rejected_lines, rejected)


def _format_of(path: Path) -> Format:
    endings = [ending.lower() for ending in path.suffixes if ending.lower() not in (".gz", ".zst")]
    for format in FORMATS.values():
        if endings and endings[-1] in format.endings:
            return format
    known_endings = ", ".join(ending for format in FORMATS.values() for ending in format.endings)
    raise ModelError(f"trace {path}: the ending does not tell the format (known: {known_endings}); name the format")


def _read_parquet(connection, path: Path):
    present = {row[0] for row in connection.execute("DESCRIBE SELECT * FROM read_parquet($1)", [str(path)]).fetchall()}
    require("page" in present, f"trace {path}: no column 'page'; it has {', '.join(sorted(present))}")
    wanted = [name for name in REQUEST_COLUMNS if name in present]
    return _columns(connection.sql(f"SELECT {', '.join(wanted)} FROM read_parquet($1)", params=[str(path)])), 0, ()


def _read_csv(connection, path: Path):
    header = connection.execute("SELECT * FROM read_csv($1, header=true, all_varchar=true) LIMIT 0", [str(path)])
    present = [column[0] for column in header.description]
    require("page" in present, f"trace {path}: no column 'page' in its first line; it has {', '.join(present)}")
    types = {"arrival_s": "DOUBLE", "op": "VARCHAR", "page": "BIGINT", "pages": "INTEGER", "stream": "SMALLINT"}
    columns = {name: types.get(name, "VARCHAR") for name in present}
    return _read_lines(connection, path, columns, header=True)


def _read_text(connection, path: Path):
    return _read_lines(connection, path, {"page": "BIGINT", "op": "VARCHAR"}, sep=" ", header=False)


def _read_lines(connection, path: Path, columns: dict[str, str], **options):
    relation = connection.read_csv(
        str(path), columns=columns, auto_detect=False, store_rejects=True, null_padding=True, quotechar="", **options
    )
    wanted = [name for name in REQUEST_COLUMNS if name in columns]
    rows = _columns(relation.select(", ".join(wanted)))
    count = connection.execute("SELECT count(DISTINCT line) FROM reject_errors").fetchone()[0]
    shown = connection.execute(
        "SELECT line, any_value(csv_line), any_value(error_message) FROM reject_errors GROUP BY line "
        f"ORDER BY line LIMIT {REJECTED_SHOWN}"
    ).fetchall()
    return rows, count, tuple(Rejected(line, text, reason.splitlines()[0]) for line, text, reason in shown)


def _columns(relation) -> dict[str, np.ndarray]:
    return relation.fetchnumpy()


def _requests(path: Path, columns: dict[str, np.ndarray], page_bytes: int) -> Requests:
    page = columns["page"]
    blank = np.flatnonzero(np.ma.getmaskarray(page))
    if blank.size:
        raise ModelError(f"trace {path}: request {blank[0] + 1} has no page number")
    page = np.ascontiguousarray(np.ma.getdata(page), np.int64)
    require(page.min() >= 0, f"trace {path}: page numbers must not be negative; got {page.min()}")
    pages = np.ma.filled(columns.get("pages", np.ones(page.size)), 1).astype(np.int32)
    require(pages.min() >= 1, f"trace {path}: a request covers at least one page; got {pages.min()}")
    return Requests(
        arrival_s=np.ma.filled(columns.get("arrival_s", np.zeros(page.size)), 0.0).astype(float),
        op=_operations(path, columns.get("op"), page.size),
        page=page,
        pages=pages,
        stream=np.ma.filled(columns.get("stream", np.zeros(page.size)), 0).astype(np.int16),
        page_bytes=page_bytes,
    )


def _operations(path: Path, op, size: int) -> np.ndarray:
    """READ or WRITE per request; a missing operation is a read."""
    if op is None:
        return np.full(size, READ)
    letters = np.char.lower(np.ma.filled(op, "r").astype("U8"))
    write = np.isin(letters, ("w", "write"))
    unknown = np.flatnonzero(~write & ~np.isin(letters, ("r", "read", "")))
    if unknown.size:
        at = unknown[0]
        raise ModelError(f"trace {path}: the operation of request {at + 1} must be r or w; got {str(letters[at])!r}")
    return np.where(write, WRITE, READ)


FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format("parquet", (".parquet",), "the columns arrival_s, op, page, pages, stream", _read_parquet),
        Format("csv", (".csv",), "a first line with the columns arrival_s, op, page, pages, stream", _read_csv),
        Format("text", (".txt", ".trace"), "one `page` or `page r|w` per line", _read_text),
    )
}
