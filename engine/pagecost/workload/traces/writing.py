"""Writers of trace files. Each writes pieces of Requests to an uncompressed file and counts what it cannot hold."""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from pagecost.errors import require
from pagecost.numbering import Numbering
from pagecost.requests import TRIM, WRITE, Requests
from pagecost.workload.traces.fields_kernels import MOST_ADDRESS
from pagecost.workload.traces.rows import REGION_PAGES

ORACLE_RECORD = np.dtype([("time", "<u4"), ("object", "<u8"), ("size", "<u4"), ("next", "<i8")])
NEVER = np.iinfo(np.int64).max
LETTERS = np.array(["r", "w", "t"])
FILETIME_1970 = 116_444_736_000_000_000  # 100 ns ticks from 1601 to 1970
SECTOR_BYTES = 512
PAGE_SIZE_KEY = "page_bytes"  # of the metadata of our Parquet files

NO_TIMES = "the time is not kept"
NO_STREAMS = "the stream is not kept"
NO_WRITES = "that it writes is not kept"
EARLIER = "the time is before the start of the trace and is kept as 0"
NO_TRIMS = "a trim cannot be expressed and was left out"
SPLIT = "it became one line per page"

Lost = Counter  # requests that lose something, by what they lose


def csv(pieces: Iterable[Requests], path: Path, lost: Lost) -> None:
    """pagecost's own CSV; times to the nanosecond."""
    with path.open("w", encoding="ascii", newline="\n") as file:
        file.write("arrival_s,op,page,pages,stream\n")
        for piece in pieces:
            piece = _from_zero(piece, lost)
            _finer_times(piece, 1e9, "nanosecond", lost)
            op = LETTERS[piece.op].tolist()
            columns = (piece.arrival_s.tolist(), op, piece.page.tolist(), piece.pages.tolist(), piece.stream.tolist())
            file.writelines(
                f"{round(arrival_s, 9)!r},{op},{page},{pages},{stream}\n"
                for arrival_s, op, page, pages, stream in zip(*columns, strict=True)
            )


def text(pieces: Iterable[Requests], path: Path, lost: Lost) -> None:
    """One `page r|w|t` per page."""
    with path.open("w", encoding="ascii", newline="\n") as file:
        for piece in pieces:
            lost[NO_TIMES] += int(np.count_nonzero(piece.arrival_s))
            lost[NO_STREAMS] += int(np.count_nonzero(piece.stream))
            _, op, page = _page_by_page(piece, lost)
            lines = zip(page.tolist(), LETTERS[op].tolist(), strict=True)
            file.writelines(f"{page} {op}\n" for page, op in lines)


def msr(pieces: Iterable[Requests], path: Path, lost: Lost) -> None:
    """MSR Cambridge CSV from 1970-01-01 on, host `pagecost`, response time 0."""
    names = ("Read", "Write")
    with path.open("w", encoding="ascii", newline="\n") as file:
        for piece in pieces:
            piece = _without_trims(piece, lost)
            ticks = FILETIME_1970 + _ticks(piece, 10**7, "100 nanoseconds", lost)
            file.writelines(
                f"{tick},pagecost,{device},{names[op]},{offset},{size},0\n"
                for tick, op, device, offset, size in _addressed(piece, ticks, lost)
            )


def spc(pieces: Iterable[Requests], path: Path, lost: Lost) -> None:
    """SPC text: ASU, sector, bytes, operation, seconds."""
    with path.open("w", encoding="ascii", newline="\n") as file:
        for piece in pieces:
            piece = _from_zero(_without_trims(piece, lost), lost)
            ticks = _ticks(piece, 10**9, "nanosecond", lost)
            file.writelines(
                f"{device},{offset // SECTOR_BYTES},{size},{'rw'[op]},{tick // 10**9}.{tick % 10**9:09d}\n"
                for tick, op, device, offset, size in _addressed(piece, ticks, lost)
            )


def blkparse(pieces: Iterable[Requests], path: Path, lost: Lost) -> None:
    """Queue events in the default layout of blkparse, device 8,N."""
    sequence = 0
    with path.open("w", encoding="ascii", newline="\n") as file:
        for piece in pieces:
            piece = _from_zero(piece, lost)
            ticks = _ticks(piece, 10**9, "nanosecond", lost)
            for tick, op, device, offset, size in _addressed(piece, ticks, lost):
                sequence += 1
                time = f"{tick // 10**9:5d}.{tick % 10**9:09d}"
                sectors = f"{offset // SECTOR_BYTES} + {size // SECTOR_BYTES}"
                file.write(f"  8,{device:<4d} 0 {sequence:8d} {time} {0:5d}  Q {'RWD'[op]:>3s} {sectors} [pagecost]\n")


def fio(pieces: Iterable[Requests], path: Path, lost: Lost) -> None:
    """fio iolog version 3: microseconds since the start, and no `wait`, whose unit fio's manual and code dispute."""
    names = ("read", "write", "trim")
    opened: dict[int, None] = {}
    tick = 0
    with path.open("w", encoding="ascii", newline="\n") as file:
        file.write("fio version 3 iolog\n")
        for piece in pieces:
            piece = _from_zero(piece, lost)
            ticks = _ticks(piece, 10**6, "microsecond", lost)
            for tick, op, device, offset, size in _addressed(piece, ticks, lost):
                if device not in opened:
                    opened[device] = None
                    file.write(f"{tick} device{device} add\n{tick} device{device} open\n")
                file.write(f"{tick} device{device} {names[op]} {offset} {size}\n")
        file.writelines(f"{tick} device{device} close\n" for device in opened)


def oracle_general(pieces: Iterable[Requests], path: Path, lost: Lost) -> None:
    """libCacheSim's records; the next reference to each page is filled in when it comes."""
    numbering = Numbering()
    last = np.empty(0, np.int64)
    size = 0
    with path.open("w+b") as file:
        for piece in pieces:
            piece = _from_zero(_without_trims(piece, lost), lost)
            _finer_times(piece, 1, "second", lost)
            lost[NO_STREAMS] += int(np.count_nonzero(piece.stream))
            lost[NO_WRITES] += int(np.count_nonzero(piece.op == WRITE))
            arrival_s, _, page = _page_by_page(piece, lost)
            require(
                arrival_s.size == 0 or (arrival_s.min() >= 0 and arrival_s.max() < 1 << 32),
                "oracleGeneral holds times of 0 .. 2^32 - 1 seconds; this trace has others",
            )
            records = np.empty(page.size, ORACLE_RECORD)
            records["time"], records["object"], records["size"] = arrival_s, page, piece.page_bytes
            file.write(records.tobytes())
            last = _link(file, numbering.number(page), last, size, numbering.distinct)
            size += page.size


def _link(file, numbers: np.ndarray, last: np.ndarray, start: int, distinct: int) -> np.ndarray:
    """Enter records start … as the next references of their predecessors; returns the last record of every page."""
    file.flush()
    last = np.concatenate([last, np.full(distinct - last.size, -1, np.int64)])
    if numbers.size == 0:
        return last
    following = np.memmap(file, ORACLE_RECORD, "r+", shape=(start + numbers.size,))["next"]
    order = np.argsort(numbers, kind="stable")
    ends = np.flatnonzero(np.diff(numbers[order], append=distinct))
    begins = np.concatenate([[0], ends[:-1] + 1])
    following[start + order] = -1
    inner = np.delete(np.arange(order.size), ends)
    following[start + order[inner]] = start + order[inner + 1]
    before = last[numbers[order[begins]]]
    seen = before >= 0
    following[before[seen]] = start + order[begins[seen]]
    last[numbers[order[ends]]] = start + order[ends]
    return last


def parquet(pieces: Iterable[Requests], path: Path, lost: Lost) -> None:
    """pagecost's own Parquet with its page size, by way of a database file, so that nothing has to fit into memory."""
    import duckdb

    with tempfile.TemporaryDirectory(dir=path.parent) as folder, duckdb.connect(f"{folder}/rows.db") as connection:
        connection.execute(
            "CREATE TABLE rows (arrival_s DOUBLE, op VARCHAR, page BIGINT, pages INTEGER, stream SMALLINT)"
        )
        page_bytes = None
        for piece in pieces:
            page_bytes = piece.page_bytes
            piece = _from_zero(piece, lost)
            columns = {name: getattr(piece, name) for name in ("arrival_s", "op", "page", "pages", "stream")}
            connection.register("piece", columns)
            connection.execute(
                "INSERT INTO rows SELECT arrival_s, CASE op WHEN 0 THEN 'r' WHEN 1 THEN 'w' ELSE 't' END, page, "
                "pages, stream FROM piece"
            )
            connection.unregister("piece")
        target = str(path).replace("'", "''")
        metadata = f", KV_METADATA {{{PAGE_SIZE_KEY}: '{page_bytes}'}}" if page_bytes else ""
        connection.execute(f"COPY rows TO '{target}' (FORMAT parquet, COMPRESSION zstd{metadata})")


def _addressed(piece: Requests, ticks: np.ndarray, lost: Lost) -> Iterator[tuple]:
    """(tick, operation, device, byte offset, bytes) of every request."""
    require(
        piece.page_bytes % SECTOR_BYTES == 0,
        f"addresses count sectors of {SECTOR_BYTES} bytes; a page of {piece.page_bytes} bytes is not whole sectors",
    )
    device, page = piece.page // REGION_PAGES, piece.page % REGION_PAGES
    beyond = (page + piece.pages > MOST_ADDRESS // piece.page_bytes) | (device > 32767)
    if beyond.any():
        first = piece.page[beyond][0]
        require(False, f"page {first} lies beyond what a device address of this format holds")
    lost[NO_STREAMS] += int(np.count_nonzero(piece.stream != device))
    offset, size = page * piece.page_bytes, piece.pages.astype(np.int64) * piece.page_bytes
    return zip(ticks.tolist(), piece.op.tolist(), device.tolist(), offset.tolist(), size.tolist(), strict=True)


def _ticks(piece: Requests, per_s: int, unit: str, lost: Lost) -> np.ndarray:
    """Times as whole ticks, int64, shape (n,)."""
    _finer_times(piece, per_s, unit, lost)
    return np.rint(piece.arrival_s * per_s).astype(np.int64)


def _finer_times(piece: Requests, per_s: float, unit: str, lost: Lost) -> None:
    """Count times that are finer than a tick; a double's own rounding is not finer."""
    ticks = np.rint(piece.arrival_s * per_s)
    lost[f"the time is kept to the {unit}"] += int(np.count_nonzero(ticks / per_s != piece.arrival_s))


def _from_zero(piece: Requests, lost: Lost) -> Requests:
    """A piece of which no request arrives before 0, as no format but MSR's can say: such times become 0."""
    early = piece.arrival_s < 0
    lost[EARLIER] += int(np.count_nonzero(early))
    return replace(piece, arrival_s=np.where(early, 0.0, piece.arrival_s)) if early.any() else piece


def _without_trims(piece: Requests, lost: Lost) -> Requests:
    trims = piece.op == TRIM
    lost[NO_TRIMS] += int(trims.sum())
    return piece.chosen(~trims) if trims.any() else piece


def _page_by_page(piece: Requests, lost: Lost) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(arrival_s, op, page) with one entry per page of every request."""
    if (piece.pages == 1).all():
        return piece.arrival_s, piece.op, piece.page
    lost[SPLIT] += int(np.count_nonzero(piece.pages > 1))
    first = np.cumsum(piece.pages) - piece.pages
    offset = np.arange(piece.pages.sum()) - np.repeat(first, piece.pages)
    return (
        np.repeat(piece.arrival_s, piece.pages),
        np.repeat(piece.op, piece.pages),
        np.repeat(piece.page, piece.pages) + offset,
    )
