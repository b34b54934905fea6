"""libCacheSim's binary records: oracleGeneral, the same with operations, and lcs in its eight versions.

Layouts: `oracleGeneralBin.h`, `lcs.h` and `enum.h` (operations) of libCacheSim. An object counts as one page.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pagecost.errors import ModelError, require
from pagecost.requests import READ, TRIM, WRITE, Requests
from pagecost.units import so_many
from pagecost.workload.traces import packed, records_kernels, writing
from pagecost.workload.traces.fields_kernels import REASONS, SHOWN, UNKNOWN_OPERATION
from pagecost.workload.traces.rows import FileToRead, Format, Tally
from pagecost.workload.traces.side_by_side import in_order
from pagecost.workload.traces.writing import NEVER, ORACLE_RECORD

NO_OPERATION = 0xFF  # in OPERATIONS: the record is none
OPERATIONS = np.full(256, NO_OPERATION, np.uint8)
OPERATIONS[:15] = WRITE  # set, add, cas, replace, append, prepend, incr, decr, write, update
OPERATIONS[[0, 1, 2, 12]] = READ  # nothing said, get, gets, read
OPERATIONS[9] = TRIM  # delete
"""What an operation of libCacheSim does to a page."""

WITH_OPERATIONS = np.dtype(
    [("time", "<u4"), ("object", "<u8"), ("size", "<u4"), ("op", "u1"), ("namespace", "<u2"), ("next", "<i8")]
)
OPERATION_AT = 16  # behind time, object and size
LCS_MAGIC = (0x123456789ABCDEF0).to_bytes(8, "little")
LCS_HEADER = 8192
LCS_REQUESTS_AT = 24  # place in the header of the number of requests, behind the magic and two versions
LCS_RECORDS = {1: (24, -1), 2: (28, 16), 3: (36, 20), 4: (40, 20), 5: (44, 20), 6: (52, 20), 7: (68, 20), 8: (100, 20)}
"""Version of lcs -> (bytes of a record, where in it the operation stands; -1: nowhere). All begin with time, object."""


class Layout(NamedTuple):
    """Where in a file the records are. op_at: place of the operation in a record, -1 where there is none."""

    begins_at: int
    record_bytes: int
    op_at: int
    records: int | None = None  # as the header says


class _Columns(NamedTuple):
    """What the whole records of a piece hold; which of them are none (places), and how many had ids of 64 bits."""

    arrival_s: np.ndarray
    op: np.ndarray
    page: np.ndarray
    bad: np.ndarray
    long_ids: int


def _of_oracle(head: bytes) -> Layout:
    return Layout(0, ORACLE_RECORD.itemsize, -1)


def _of_operations(head: bytes) -> Layout:
    return Layout(0, WITH_OPERATIONS.itemsize, OPERATION_AT)


def _of_lcs(head: bytes) -> Layout:
    """Raises ModelError for a header that is damaged, or of another time."""
    require(head.startswith(LCS_MAGIC), "an lcs file begins with 0x123456789abcdef0; this one does not")
    require(len(head) >= LCS_HEADER, f"the header of lcs has {LCS_HEADER} bytes; the file ends after {len(head)}")
    require(
        head[LCS_HEADER - 8 : LCS_HEADER] == LCS_MAGIC,
        f"the header of lcs must end with its mark at byte {LCS_HEADER - 8}; files of libCacheSim before 2025 have "
        "another header: convert them again with its traceConv",
    )
    version = int.from_bytes(head[8:16], "little")
    require(version in LCS_RECORDS, f"lcs has versions 1 to {max(LCS_RECORDS)}; this file says {version}")
    said = int.from_bytes(head[LCS_REQUESTS_AT : LCS_REQUESTS_AT + 8], "little", signed=True)
    return Layout(LCS_HEADER, *LCS_RECORDS[version], said)


def _read(layout_of):
    """The reader of records that the head of a file tells the place of."""

    def requests(file: FileToRead, tally: Tally) -> Iterator[Requests]:
        head = packed.head_of(file.path, LCS_HEADER)
        try:
            layout = layout_of(head)
        except ModelError as error:
            raise ModelError(f"trace {file.path}: {error}") from None
        if layout.op_at < 0:
            tally.say("The format does not say what is written: every request counts as a read of one page.")
        else:
            tally.say("An object counts as one page; what changes it is a write, a delete a trim.")
        read = long_ids = left = 0
        for piece, found in in_order(_whole_records(file, layout), lambda piece: _columns(piece, layout)):
            left = len(piece) % layout.record_bytes
            long_ids += found.long_ids
            good = _reject(piece, found, layout, read, tally)
            read += found.op.size
            if found.bad.size == found.op.size:
                continue
            columns = (found.arrival_s, found.op, found.page)
            arrival_s, op, page = columns if good is None else (column[good] for column in columns)
            yield Requests(
                arrival_s, op, page, np.ones(op.size, np.int32), np.zeros(op.size, np.int16), file.page_bytes
            )
        if long_ids:
            ids = so_many(long_ids, "request has", "requests have")
            tally.say(f"{ids} object ids of 64 bits; the highest bit was dropped.")
        if layout.records is not None and layout.records != read:
            tally.say(f"The header says that there are {layout.records} requests; the file holds {read}.")
        if left:
            reason = f"the last record ends after {left} of {layout.record_bytes} bytes"
            tally.reject(1, reason)
            tally.show(read + 1, bytes(piece[-left:]).hex(" "), reason)

    return requests


def _whole_records(file: FileToRead, layout: Layout) -> Iterator[memoryview]:
    """The content behind the header in pieces of whole records; only the last one may end in the middle of one."""
    size = max(file.piece_bytes // layout.record_bytes, 1) * layout.record_bytes
    to_skip, rest = layout.begins_at, b""
    for piece in packed.pieces(file.path, size, file.progress):
        if to_skip >= len(piece):
            to_skip -= len(piece)
            continue
        piece, to_skip = rest + piece[to_skip:] if rest or to_skip else piece, 0
        whole = len(piece) // layout.record_bytes * layout.record_bytes
        rest = piece[whole:]
        if whole:
            yield memoryview(piece)[:whole]
    if rest:
        yield memoryview(rest)


def _columns(piece: memoryview, layout: Layout) -> _Columns:
    data = np.frombuffer(piece, np.uint8)
    count = data.size // layout.record_bytes
    arrival_s, page, op = np.empty(count), np.empty(count, np.int64), np.zeros(count, np.uint8)
    long_ids = records_kernels.columns_of(data, layout.record_bytes, arrival_s, page)
    bad = np.empty(0, np.int64)
    if layout.op_at >= 0:
        op = OPERATIONS[data[layout.op_at :: layout.record_bytes][:count]]
        bad = np.flatnonzero(op == NO_OPERATION)
    return _Columns(arrival_s, op, page, bad, int(long_ids))


def _reject(piece: memoryview, found: _Columns, layout: Layout, before: int, tally: Tally) -> np.ndarray | None:
    """Count the records that are none; which are some, or None for all."""
    if found.bad.size == 0:
        return None
    tally.reject(found.bad.size, REASONS[UNKNOWN_OPERATION])
    for place in found.bad[:SHOWN].tolist():
        record = piece[place * layout.record_bytes :][: layout.record_bytes]
        tally.show(before + place + 1, bytes(record).hex(" "), REASONS[UNKNOWN_OPERATION])
    good = np.ones(found.op.size, bool)
    good[found.bad] = False
    return good


def _oracle_fits(head: bytes) -> int:
    return _records_fit(head, ORACLE_RECORD)


def _operations_fit(head: bytes) -> int:
    found = _records_fit(head, WITH_OPERATIONS)
    return found if found and (OPERATIONS[_records(head, WITH_OPERATIONS)["op"]] != NO_OPERATION).all() else 0


def _records(head: bytes, kind: np.dtype) -> np.ndarray:
    return np.frombuffer(head[: len(head) // kind.itemsize * kind.itemsize], kind)


def _records_fit(head: bytes, kind: np.dtype) -> int:
    """Records fit when times do not fall and every next reference lies in the future."""
    records = _records(head, kind)
    if records.size == 0 or b"\0" not in head[: kind.itemsize] or head.startswith(LCS_MAGIC):
        return 0
    following = records["next"]
    known = (following == -1) | (following == NEVER) | (following > np.arange(records.size))
    rising = (np.diff(_columns(memoryview(head), Layout(0, kind.itemsize, -1)).arrival_s) >= 0).all()
    return records.size if known.all() and rising else 0


def _lcs_fits(head: bytes) -> int:
    return int(head.startswith(LCS_MAGIC))


_EXAMPLE = np.array([(0, 7, 4096, 1), (0, 7, 4096, -1)], ORACLE_RECORD).tobytes()
_LCS_HEAD = LCS_MAGIC + np.array([1, 1, 2], "<i8").tobytes()  # the version, that of the statistics, the requests
_LCS_EXAMPLE = _LCS_HEAD.ljust(LCS_HEADER - 8, b"\0") + LCS_MAGIC + _EXAMPLE

FORMATS = (
    Format(
        "oracleGeneral",
        "libCacheSim's oracleGeneral",
        (".oraclegeneral", ".bin"),
        "records of 24 bytes: time, object, size, next reference",
        _EXAMPLE,
        _oracle_fits,
        _read(_of_oracle),
        writing.oracle_general,
    ),
    Format(
        "oracleGeneralOpNS",
        "libCacheSim's oracleGeneral with operations",
        (".oraclegeneralopns",),
        "records of 27 bytes: time, object, size, operation, name space, next reference",
        np.array([(0, 7, 4096, 1, 0, 1), (0, 7, 4096, 3, 0, -1)], WITH_OPERATIONS).tobytes(),
        _operations_fit,
        _read(_of_operations),
        None,
    ),
    Format(
        "lcs",
        "libCacheSim's lcs, versions 1 to 8",
        (".lcs",),
        "a header of 8192 bytes, then records of 24 to 100 bytes",
        _LCS_EXAMPLE,
        _lcs_fits,
        _read(_of_lcs),
        None,
    ),
)
